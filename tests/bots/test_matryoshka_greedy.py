"""The greedy bot: legal, sensible where the sensible thing is plain, and far better than chance."""

from __future__ import annotations

import random
from itertools import combinations

import pytest

from p2pmatryoshka.bots.matryoshka_greedy import Holding, MatryoshkaGreedy
from p2pmatryoshka.bots.random_bot import RandomBot
from p2pmatryoshka.errors import Fault
from p2pmatryoshka.rules import dolls
from p2pmatryoshka.rules.game import Cards, Choice, Over, Pick, Play, Seat
from p2pmatryoshka.rules.matryoshka import MATRYOSHKA
from p2pmatryoshka.rules.matryoshka_state import Phase
from p2pmatryoshka.rules.plain_dealer import PlainTable, play_out
from p2pmatryoshka.rules.scoring import EXTEND, explain, points
from tests.rules.tables import asked, at, holding, moments, play, until
from tests.rules.test_plain_dealer import toy

GREEDY = MatryoshkaGreedy()


def chosen(table: PlainTable, seat: Seat) -> Choice:
    return GREEDY.choose(table.game, table.view(seat), table.moves(seat), random.Random(0))


@pytest.mark.parametrize("seats", [3, 4, 5])
def test_all_its_choices_are_moves(seats: int) -> None:
    for table in moments(at(Phase.OPENING, seats=seats), seed=seats):
        for seat in asked(table):
            assert chosen(table, seat) in set(table.moves(seat))


@pytest.mark.parametrize("seed", range(4))
def test_it_plays_on_when_others_are_gone(seed: int) -> None:
    chance = random.Random(seed)
    table = at(Phase.OPENING, seats=5, seed=seed)
    leaving = {chance.randrange(60) for _ in range(3)}
    for number in range(200):
        if isinstance(table.ask, Over):
            return
        if number in leaving:
            table = table.gone(chance.choice(table.state.still_in), None)
        elif isinstance(table.ask, Play | Pick):
            table = table.resolve({seat: chosen(table, seat) for seat in table.ask.seats})
        else:
            table = table.resolve()
    raise AssertionError("the game did not end")


@pytest.mark.parametrize("seed", range(6))
def test_its_last_display_is_the_best_of_the_fourteen(seed: int) -> None:
    table = at(Phase.DISPLAY, 4, seed=seed)
    for seat in range(4):
        best = max(key(cards) for cards in combinations(table.hand(seat), 13))
        assert key(chosen(table, seat).cards) == best


def key(cards: Cards) -> tuple[int, tuple[int, ...]]:
    sheet = explain(cards, EXTEND)
    return sheet.total, sheet.lengths


def test_it_displays_a_run_rather_than_two_strangers() -> None:
    table = holding({0: "A3 A4 B1 C7 D2 E5"})
    assert chosen(table, 0).cards == dolls.cards("A3 A4")


def test_it_opens_a_card_that_it_does_not_need() -> None:
    table = until(play(holding({0: "A2 A3 A4 A5 A6 H1"}), seat0="A2 A3"), Phase.OPEN)
    assert chosen(table, 0).cards[0] not in dolls.cards("A4 A5 A6")


def test_it_takes_the_offer_that_lengthens_its_run() -> None:
    table = holding({0: "A1 A2 A3 A4 H6 H7", 1: "A5 B1 C2 D3 E4 F6", 2: "A7 B3 C5 D1 E2 F4", 3: "B5 B7 C1 D6 E6 G2"})
    table = until(play(table, seat0="A1 A2", seat1="B1 C2", seat2="B3 C5", seat3="B7 C1"), Phase.OPEN)
    table = play(play(table, seat0="H7"), seat1="A5", seat2="A7", seat3="E6")
    assert chosen(table, 0) == Choice(("take", 1))


def test_it_does_not_offer_from_its_run_for_a_card_that_adds_nothing() -> None:
    table = holding({0: "H1 C1 D3 E5 F7 G2", 1: "A3 A4 A5 A6 A7 B2"})
    table = until(play(table, seat0="C1 D3", seat1="A3 A4"), Phase.OPEN)
    table = play(table, seat0="H1")
    assert chosen(table, 1).cards[0] not in dolls.cards("A5 A6 A7")


def test_the_same_view_gives_the_same_choice() -> None:
    table = at(Phase.OFFER, 2)
    seat = asked(table)[0]
    first = GREEDY.choose(table.game, table.view(seat), table.moves(seat), random.Random(1))
    assert first == GREEDY.choose(table.game, table.view(seat), (), random.Random(2))


@pytest.mark.parametrize(("seats", "times"), [(3, 1.4), (4, 1.5), (5, 1.5)])  # of the others' average points
def test_it_clearly_beats_chance(seats: int, times: float) -> None:
    chance = random.Random(seats)
    greedy = others = wins = 0
    games = 25
    for _ in range(games):
        table = play_out(MATRYOSHKA, {}, b"", seats, [GREEDY, *[RandomBot()] * (seats - 1)], chance)
        assert isinstance(table.ask, Over)
        score = dict(table.ask.points)
        greedy += score[0] * (seats - 1)
        others += sum(score.values()) - score[0]
        wins += 0 in table.ask.winners
    assert greedy > times * others
    assert wins > 0.8 * games


def test_a_holding_knows_what_a_card_adds_and_costs() -> None:
    for table in (at(Phase.DISPLAY, 4, seed=seed) for seed in range(5)):
        hand, *_ = table.hands
        whole = Holding(hand, EXTEND)
        assert whole.points() == points(hand, EXTEND)
        for card in hand:
            rest = tuple(other for other in hand if other != card)
            change = points(hand, EXTEND) - points(rest, EXTEND)
            assert whole.loss(card) == Holding(rest, EXTEND).gain(card) == change


def test_it_refuses_a_game_it_does_not_know_and_a_moment_without_a_question() -> None:
    table = toy()
    with pytest.raises(Fault):
        GREEDY.choose(table.game, table.view(0), table.moves(0), random.Random(0))
    table = at(Phase.DRAW)
    for seat in (0, None):
        with pytest.raises(Fault):
            GREEDY.choose(table.game, table.view(seat), (), random.Random(0))
