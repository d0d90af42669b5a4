"""What the Matryoshka table looks like, at every kind of moment."""

from __future__ import annotations

from dataclasses import replace

import pytest

from p2pmatryoshka.rules import dolls
from p2pmatryoshka.rules.matryoshka import MATRYOSHKA, MatryoshkaView
from p2pmatryoshka.rules.scoring import explain as score
from p2pmatryoshka.rules.scoring import outcome
from p2pmatryoshka.ui.dolls import grid
from p2pmatryoshka.ui.faces import face
from p2pmatryoshka.ui.matryoshka_score import explain, sheet
from p2pmatryoshka.ui.screen import plain
from tests.ui import snapshot
from tests.ui.plain_tables import asked, matryoshka, names_from, over, scene

FACE = face("matryoshka")


@pytest.mark.parametrize("width", [60, 100])
def test_the_table_while_an_offer_is_awaited(width: int) -> None:
    table = matryoshka("offer", round_=3)
    shown = scene(table, asked(table)[0], "commit", away=((asked(table)[1], 75),))
    snapshot.check(f"matryoshka_offer_{width}", FACE.table(shown, width), width)


def test_the_table_while_an_offer_is_taken() -> None:
    table = matryoshka("pick", round_=2)
    snapshot.check("matryoshka_pick", FACE.table(scene(table, asked(table)[0], "choose"), 80))


def test_the_table_while_displays_are_chosen() -> None:
    table = matryoshka("display", seats=5, round_=4)
    snapshot.check("matryoshka_display_5", FACE.table(scene(table, 2, "commit"), 80))


def test_a_watcher_sees_no_hand() -> None:
    table = matryoshka("open", round_=1)
    shown = plain(FACE.table(scene(table, None, "turn"), 80))
    assert "hand (" not in shown
    assert "In hand:" in shown


def test_every_card_of_my_hand_and_of_every_display_is_on_the_screen() -> None:
    table = matryoshka("display", seats=5, round_=3)
    shown = plain(FACE.table(scene(table, 1, "commit"), 60), 60)
    for card in (*table.hand(1), *[card for cards in table.state.displays for card in cards]):
        assert dolls.name(card) in shown


def test_no_card_of_another_hand_is_on_the_screen() -> None:
    table = matryoshka("open", seats=4, round_=3)
    shown = plain(FACE.table(scene(table, 1, "turn"), 80))
    public = {card for cards in table.state.displays for card in cards} | set(table.hand(1))
    hidden = {card for seat in range(4) for card in table.hand(seat)} - public
    assert hidden
    assert not [dolls.name(card) for card in hidden if dolls.name(card) in shown]


def test_whoever_is_gone_is_marked() -> None:
    table = matryoshka("open", seats=4, round_=2).gone(3, None)
    assert "Dora (gone)" in plain(FACE.table(scene(table, 1, "turn"), 80))


def test_letters_and_sizes_need_no_colour() -> None:
    cards = dolls.cards("A1 A2 B2 J7")
    lines = grid("Ada", cards, score(cards, "extend"), tuple("ABJ"))
    assert [line.plain.rstrip() for line in lines[2:]] == [
        "   1  2  3  4  5  6  7",
        "A A1 A2  .  .  .  .  .",
        "B  . B2  .  .  .  .  .",
        "J  .  .  .  .  .  . J7",
    ]


def test_the_scores_at_the_end() -> None:
    view = over(MATRYOSHKA, 3, 5).view(0)
    snapshot.check("matryoshka_scores", FACE.scores(view, names_from(0, 3)))


def test_a_score_with_a_bonus_line_by_line() -> None:
    display = dolls.cards("A2 A3 B1 B2 B5 B6 B7 C3 C4 C5 C6 C7 D4")
    assert [line.plain for line in sheet("Ada", score(display, "extend"))] == [
        "Ada: 31 points",
        "  column 2: 2 cards (A B), 2",
        "  column 3: 2 cards (A C), 2",
        "  column 4: 2 cards (C D), 2",
        "  column 5: 2 cards (B C), 2",
        "  column 6: 2 cards (B C), 2",
        "  column 7: 2 cards (B C), 2",
        "  row A: run 2 to 3, 2 cards, 2",
        "  row B: run 1 to 2, 2 cards, 2",
        "  row B: run 5 to 7, 3 cards, 4",
        "  row C: run 3 to 7, 5 cards, 10 and a bonus of 1",
        "  columns 12 + runs 18 + bonus 1 = 31",
    ]


def _tied(*displays: str) -> list[str]:
    view = over(MATRYOSHKA, 3, 5).view(0)
    assert isinstance(view, MatryoshkaView)
    sheets = tuple(score(dolls.cards(display), "extend") for display in displays)
    tied = replace(view, sheets=sheets, outcome=outcome(dict(enumerate(sheets))))
    lines = [line.plain for line in explain(tied, ("You", "Boris", "Clio"))]
    return lines[next(at for at, line in enumerate(lines) if "so their runs" in line) :]


def test_a_tie_is_parted_by_the_runs_and_says_so() -> None:
    assert _tied("A1 A2 A3 C5", "B1 B2 D4 D5", "C7") == [
        "You and Boris have 4 points each, so their runs are compared.",
        "  the longest run: You 3 cards, Boris 2 cards.  So You comes out ahead.",
        "You won with 4 points.",
    ]


def test_a_tie_that_no_run_parts_is_shared_and_says_so() -> None:
    assert _tied("A1 A2", "B1 B2", "C6 C7") == [
        "You, Boris and Clio have 2 points each, so their runs are compared.",
        "  the longest run: You 2 cards, Boris 2 cards, Clio 2 cards.",
        "They are equal in every comparison, so they share the win.",
        "You, Boris and Clio share the win with 2 points.",
    ]
