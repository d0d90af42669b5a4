"""Matrioske in the terminal: what is shown, what a typed line means, what is told."""

from __future__ import annotations

from random import Random

import pytest

from p2pmatryoshka.bots.random_bot import RandomBot
from p2pmatryoshka.rules.game import Choice, Over
from p2pmatryoshka.rules.matrioske import MATRIOSKE, MatrioskeView
from p2pmatryoshka.rules.matrioske_state import ACCEPT, REFUSE, Claim
from p2pmatryoshka.rules.plain_dealer import PlainTable, step
from p2pmatryoshka.ui.face import Misread
from p2pmatryoshka.ui.faces import face
from p2pmatryoshka.ui.screen import plain
from tests.ui import snapshot
from tests.ui.plain_tables import asked, begin, names_from, over, scene, until

FACE = face("matrioske")
JUDGED = {"judge": "table"}


def _turn(seed: int = 3, cards_left: int = 6, *, judge: str = "deck") -> PlainTable:
    """A turn of a seat with so many cards left."""

    def wanted(table: PlainTable) -> bool:
        turn = table.state.turn
        return table.state.phase == "turn" and turn is not None and len(table.hand(turn)) == cards_left

    return until(begin(MATRIOSKE, 4, seed, {"judge": judge}), seed, wanted)


def _view(table: PlainTable, seat: int | None = None) -> MatrioskeView:
    view = table.view(table.state.turn if seat is None else seat)
    assert isinstance(view, MatrioskeView)
    return view


def _claimed(seed: int = 3) -> PlainTable:
    """A claim waits for its judges."""
    return until(begin(MATRIOSKE, 4, seed, JUDGED), seed, lambda table: table.state.phase == "judge")


@pytest.mark.parametrize("width", [60, 100])
def test_the_table_at_my_turn(width: int) -> None:
    table = _turn()
    snapshot.check(f"matrioske_turn_{width}", FACE.table(scene(table, table.state.turn, "turn"), width), width)


def test_the_table_while_a_claim_is_judged() -> None:
    table = _claimed()
    snapshot.check("matrioske_claim", FACE.table(scene(table, asked(table)[0], "choose"), 80))


def test_every_card_of_every_pile_is_shown_in_its_order() -> None:
    table = _turn(cards_left=2)
    view = _view(table)
    shown = " ".join(plain(FACE.table(scene(table, None, "turn"), 80)).split())
    for pile in view.piles:
        assert " > ".join(view.deck.names[card] for card in pile) in shown


def test_a_card_and_a_place_by_their_numbers() -> None:
    table = _turn()
    shown = scene(table, table.state.turn, "turn")
    for number, (card, options) in enumerate(_view(table).places, start=1):
        for at, option in enumerate(options, start=1):
            choice = FACE.read(shown, f"{number} {at}")
            assert choice == Choice(option, (card,))
            table.resolve({table.state.turn: choice})
        assert FACE.read(shown, f"{number} cover") == Choice((), (card,), face_up=False)


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("1", "then the number of a place"),
        ("0 1", "There is no card 0"),
        ("7 1", "There is no card 7"),
        ("moth 1", "There is no card moth"),
        ("1 99", "has no place 99"),
        ("1 1 1", "has no place 1 1"),
        ("1 claim 5", "No claim can be made now"),
    ],
)
def test_what_means_nothing_is_explained(typed: str, said: str) -> None:
    table = _turn()
    with pytest.raises(Misread, match=said):
        FACE.read(scene(table, table.state.turn, "turn"), typed)


def test_claims_are_typed_by_pile_and_card() -> None:
    table = _turn(judge="table")
    shown = scene(table, table.state.turn, "turn")
    card = _view(table).places[0][0]
    assert FACE.read(shown, "1 claim 5") == Choice(("claim", "top", 4), (card,))
    deep = next(number for number, pile in enumerate(_view(table).piles) if len(pile) > 1)
    assert FACE.read(shown, f"1 claim {deep + 1} 1") == Choice(("claim", "between", deep, 1), (card,))
    for typed in ("1 claim", "1 claim 9", "1 claim 0", "1 claim 1 99", "1 claim x", "1 claim 1 2 3"):
        with pytest.raises(Misread, match="no such place"):
            FACE.read(shown, typed)


@pytest.mark.parametrize(("typed", "option"), [("accept", ACCEPT), ("A", ACCEPT), ("refuse", REFUSE), (" R ", REFUSE)])
def test_votes(typed: str, option: tuple[str]) -> None:
    table = _claimed()
    assert FACE.read(scene(table, asked(table)[0], "choose"), typed) == Choice(option)


def test_a_vote_is_one_of_two_words() -> None:
    table = _claimed()
    with pytest.raises(Misread, match="accept or refuse"):
        FACE.read(scene(table, asked(table)[0], "choose"), "maybe")


def test_summaries_name_what_would_be_captured() -> None:
    table = _turn(seed=8, cards_left=3)
    shown = scene(table, table.state.turn, "turn")
    view = _view(table)
    capturing = [
        (number, at, option)
        for number, (_, options) in enumerate(view.places, start=1)
        for at, option in enumerate(options, start=1)
        if option[0] == "between"
    ]
    assert capturing
    number, at, option = capturing[0]
    taken = len(view.piles[int(option[1])]) - int(option[2])
    (line,) = FACE.summary(shown, FACE.read(shown, f"{number} {at}"))
    assert f"captures {taken}" in line.plain
    covered = FACE.summary(shown, FACE.read(shown, "1 cover"))[0].plain
    assert covered == f"You leave {view.deck.names[view.hand[0]]} covered in the middle for good."


def test_the_score_counts_what_was_captured() -> None:
    table = over(MATRIOSKE, 4, 6)
    view = _view(table, 0)
    names = names_from(0, 4)
    lines = [line.plain for line in FACE.scores(view, names)]
    assert isinstance(table.ask, Over)
    for seat, points in table.ask.points:
        assert f"{names[seat]}: {points} point{'' if points == 1 else 's'}" in lines
    snapshot.check("matrioske_scores", FACE.scores(view, names))


def _told(before: PlainTable, after: PlainTable) -> list[str]:
    return [line.plain for line in FACE.story(before.view(None), after.view(None), names_from(None, 4))]


def test_the_story_tells_every_play_of_a_whole_game_once() -> None:
    random = Random(5)
    table = begin(MATRIOSKE, 4, 5, JUDGED)
    plays = claims = verdicts = 0
    lines: list[str] = []
    while not isinstance(table.ask, Over):
        before, table = table, step(table, [RandomBot()] * 4, random)
        told = _told(before, table)
        if before.state.phase == "turn":
            plays += 1
            assert len(told) == 1
            claims += isinstance(table.state.claim, Claim)
        elif before.state.phase == "judge" and table.state.phase != "return":
            verdicts += 1
            assert told[0] == "The claim stands."
            assert len(told) == 2
        elif before.state.phase == "return":
            verdicts += 1
            assert len(told) == 1
            assert told[0].startswith("The claim is refused")
        lines += told
    assert claims == verdicts > 0
    assert plays - claims == sum("put" in line or "covered." in line for line in lines) - lines.count(
        "The claim stands."
    )


@pytest.mark.parametrize("judge", ["deck", "table"])
def test_help_tells_what_to_type(judge: str) -> None:
    table = _turn(judge=judge)
    snapshot.check(f"matrioske_help_{judge}", FACE.help(scene(table, table.state.turn, "turn")))
