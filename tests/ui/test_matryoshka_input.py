"""What a typed line means at the Matryoshka table, and how it is told when it means nothing."""

from __future__ import annotations

import pytest

from p2pmatryoshka.rules import dolls
from p2pmatryoshka.rules.game import Choice
from p2pmatryoshka.ui.face import Misread
from p2pmatryoshka.ui.faces import face
from p2pmatryoshka.ui.scene import Scene
from p2pmatryoshka.ui.screen import plain
from tests.ui import snapshot
from tests.ui.plain_tables import asked, matryoshka, scene

FACE = face("matryoshka")


def _refusal(shown: Scene, typed: str) -> str:
    with pytest.raises(Misread) as caught:
        FACE.read(shown, typed)
    return str(caught.value)


def _hand(shown: Scene) -> list[str]:
    return [dolls.name(card) for card in shown.view.hand]


@pytest.fixture
def opening() -> Scene:
    return scene(matryoshka("opening"), 0, "commit")


@pytest.fixture
def offering() -> Scene:
    table = matryoshka("offer", round_=1)
    return scene(table, asked(table)[0], "commit")


@pytest.fixture
def picking() -> Scene:
    table = matryoshka("pick", round_=1)
    return scene(table, asked(table)[0], "choose")


@pytest.mark.parametrize("form", ["{0} {1}", "{1} {0}", " {0},{1} ", "{0} ; {1}"])
def test_cards_are_read_in_any_order_and_with_any_separator(opening: Scene, form: str) -> None:
    hand = _hand(opening)
    assert FACE.read(opening, form.format(hand[3], hand[1])) == Choice((), (opening.view.hand[1], opening.view.hand[3]))


def test_small_letters_do(opening: Scene) -> None:
    hand = _hand(opening)
    assert FACE.read(opening, f"{hand[0]} {hand[1]}".lower()).cards == opening.view.hand[:2]


def test_a_minus_names_what_stays(opening: Scene) -> None:
    hand = _hand(opening)
    kept = " ".join(f"-{name}" for name in hand[2:])
    assert FACE.read(opening, kept).cards == opening.view.hand[:2]


def test_a_minus_on_some_cards_only_is_unclear(opening: Scene) -> None:
    hand = _hand(opening)
    assert "minus each" in _refusal(opening, f"-{hand[0]} {hand[1]}")


@pytest.mark.parametrize("word", ["X3", "A8", "A0", "A", "7", "A11", "red"])
def test_what_is_no_card_is_named(opening: Scene, word: str) -> None:
    assert _refusal(opening, word).startswith(f"{word} is no card")


def test_a_card_of_another_is_refused(opening: Scene) -> None:
    other = next(name for name in ("A1", "B1", "C1", "D1", "E1", "F1", "G1") if name not in _hand(opening))
    assert _refusal(opening, f"{other} {_hand(opening)[0]}") == f"{other} is not in your hand."


def test_a_card_named_twice_is_refused(opening: Scene) -> None:
    name = _hand(opening)[0]
    assert _refusal(opening, f"{name} {name}") == f"{name} is named twice."


def test_the_number_of_cards_is_told(opening: Scene) -> None:
    hand = _hand(opening)
    assert _refusal(opening, " ".join(hand[:3])) == "Name 2 cards; you named 3."
    assert _refusal(opening, hand[0]) == "Name 2 cards; you named 1."


def test_an_offer_is_one_card(offering: Scene) -> None:
    assert FACE.read(offering, _hand(offering)[2]).cards == (offering.view.hand[2],)
    assert _refusal(offering, " ".join(_hand(offering)[:2])) == "Name 1 card; you named 2."


def test_an_offer_is_taken_by_number_name_beginning_or_card(picking: Scene) -> None:
    view = picking.view
    seat, card = view.offers[1]  # type: ignore[attr-defined]
    name = picking.names[seat]
    for typed in ("2", name, name.lower(), name[:2], dolls.name(card), dolls.name(card).lower()):
        assert FACE.read(picking, typed) == Choice(("take", seat)), typed


@pytest.mark.parametrize("typed", ["0", "4", "Zoe", "J7 J6", "-1"])
def test_an_offer_that_is_not_there_is_refused(picking: Scene, typed: str) -> None:
    assert "no such offer" in _refusal(picking, typed)


def test_offers_that_cannot_be_told_apart_are_asked_for_by_number(picking: Scene) -> None:
    assert "type the number" in _refusal(picking, ",")


@pytest.mark.parametrize(("phase", "kind"), [("opening", "commit"), ("open", "turn"), ("offer", "commit")])
def test_help_tells_what_to_type(phase: str, kind: str) -> None:
    table = matryoshka(phase)
    snapshot.check(f"matryoshka_help_{phase}", FACE.help(scene(table, asked(table)[0], kind)))


def test_the_last_display_can_be_named_by_the_card_that_stays() -> None:
    table = matryoshka("display", round_=4)
    shown = scene(table, 0, "commit")
    assert len(shown.view.hand) == 14
    kept = _hand(shown)[5]
    assert FACE.read(shown, f"-{kept}").cards == tuple(c for c in shown.view.hand if dolls.name(c) != kept)


def test_the_summary_shows_the_display_and_its_points() -> None:
    table = matryoshka("display", round_=2)
    shown = scene(table, 0, "commit")
    choice = FACE.read(shown, " ".join(_hand(shown)[:6]))
    text = plain(FACE.summary(shown, choice))
    assert all(name in text for name in _hand(shown))
    assert " points" in text
