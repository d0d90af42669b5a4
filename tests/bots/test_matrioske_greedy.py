"""The Matrioske bot: it captures, hides what can be hidden, and clearly beats random play."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from p2pmatryoshka.bots.matrioske_greedy import MatrioskeGreedy, Thoughts, Weights, plausible
from p2pmatryoshka.bots.random_bot import RandomBot
from p2pmatryoshka.bots.registry import bot
from p2pmatryoshka.errors import Fault
from p2pmatryoshka.rules import words
from p2pmatryoshka.rules.game import Choice, Over
from p2pmatryoshka.rules.matrioske import MATRIOSKE
from p2pmatryoshka.rules.matryoshka import MATRYOSHKA
from p2pmatryoshka.rules.plain_dealer import PlainTable, play_out
from tests.rules.matrioske_tables import (
    TABLE_JUDGES,
    between,
    cards,
    claim,
    cover,
    look,
    moments,
    opened,
    play,
    situation,
    top,
)

GREEDY = MatrioskeGreedy()


def choice(table: PlainTable, seat: int | None = None) -> Choice:
    """What the bot does at the seat whose turn it is, or at that seat."""
    at = table.state.turn if seat is None else seat
    return GREEDY.choose(MATRIOSKE, table.view(at), table.moves(at), random.Random(0))


def test_it_takes_the_larger_capture() -> None:
    table = situation("A1 B2", "C1", piles={0: "A0 A2", 1: "B0 B3 B4 B5"})
    assert choice(table) == between("B2", 1, 1)


def test_it_captures_when_covered_cards_are_at_stake() -> None:
    table = situation("C1", "D1", "E1", "A2 F3", piles={0: "A0 A5"})
    table = play(table, cover("C1"), cover("D1"), cover("E1"))
    assert look(table).at_stake == 3
    assert choice(table) == between("A2", 0, 1)


def test_it_does_not_open_a_capture_where_it_can_play_safely() -> None:
    # On A0, A5 would leave A1 to A4 to be slipped in; on B0, B1 leaves nothing.
    view = look(situation("A5 B1", "A1 A2", "A3", "A4"), 0)
    thoughts = Thoughts(view, 0, Weights(hope=0, thrift=0))
    assert thoughts.worth(top("A5", 0)) < thoughts.worth(top("B1", 1)) == 0


def test_it_covers_a_card_that_can_hold_nothing_rather_than_a_useful_one() -> None:
    table = situation("A5 A1", "B1", piles={0: "A0 B1"}, B1="A0")
    assert choice(table) == cover("A5")


def test_cards_already_seen_open_nothing() -> None:
    """A1 to A4 were all captured: nobody can slip anything under A5."""
    table = situation("A5 B4", "B1 B2 B3", "C1 C2 C3", "D1 D2 D3")
    state = replace(table.state, captured=(cards("A1 A2 A3 A4"), (), (), ()))
    seen = replace(table, state=state, lying=cards("A1 A2 A3 A4"))
    assert choice(table) != top("A5", 0)
    assert choice(seen) == top("A5", 0)


def test_it_never_claims_and_judges_claims_by_what_holds_more() -> None:
    table = situation("B2 B5", "C1", "D1", "E1", piles={0: "A0 A1", 1: "B0 B3 B4", 2: "C0 C5"}, rules=TABLE_JUDGES)
    assert choice(table).option[:1] != ("claim",)
    sensible = play(table, claim(top("B2", 0)))
    assert [choice(sensible, seat) for seat in (1, 2, 3)] == [Choice(("accept",))] * 3
    absurd = play(table, claim(top("B2", 2)))
    assert choice(absurd, 1) == Choice(("refuse",))


def test_a_claim_against_the_deck_is_not_plausible() -> None:
    table = situation("A1", "C1", piles={0: "A0 A2"}, rules=TABLE_JUDGES)
    view = look(play(table, claim(top("A1", 0))), 1)
    assert view.claim is not None
    assert not plausible(view.deck, view.claim)


@pytest.mark.parametrize("deck", words.SHIPPED)
@pytest.mark.parametrize("rules", [{}, {"covered_cards": "every_capture"}, TABLE_JUDGES], ids=str)
def test_its_choices_are_always_moves(deck: str, rules: dict[str, str]) -> None:
    for table in moments(opened(words.shipped(deck), 5, rules), 5):
        for seat in getattr(table.ask, "seats", ()):
            assert choice(table, seat) in set(table.moves(seat))


@pytest.mark.parametrize("deck", words.SHIPPED)
def test_it_captures_far_more_than_random_players(deck: str) -> None:
    mine = others = 0
    for seed in range(12):
        seat = seed % 4
        players = [GREEDY if n == seat else RandomBot() for n in range(4)]
        end = play_out(MATRIOSKE, {}, words.shipped(deck), 4, players, random.Random(seed)).ask
        assert isinstance(end, Over)
        points = dict(end.points)
        mine += points.pop(seat)
        others += sum(points.values()) / 3
    assert mine > 2 * others


def test_the_same_view_gives_the_same_choice() -> None:
    view = situation("A1 A2 B3 C4", "D1").view(0)
    picks = {GREEDY.choose(MATRIOSKE, view, (), random.Random(seed)) for seed in range(3)}
    assert len(picks) == 1


def test_it_refuses_to_play_something_else() -> None:
    with pytest.raises(Fault):
        GREEDY.choose(MATRYOSHKA, MATRYOSHKA.view(MATRYOSHKA.start({}, b"", 4), 0, ()), (), random.Random(0))
    with pytest.raises(Fault):
        GREEDY.choose(MATRIOSKE, opened().view(0), (), random.Random(0))


def test_the_registry_knows_it() -> None:
    assert isinstance(bot("matrioske", "greedy"), MatrioskeGreedy)
