"""The plain dealer, on a toy game that uses every verb and both ways of playing a card, and on Matryoshka."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from p2pmatryoshka.bots.random_bot import RandomBot
from p2pmatryoshka.errors import Fault, Illegal
from p2pmatryoshka.rules.game import Choice, Over
from p2pmatryoshka.rules.matryoshka import MATRYOSHKA
from p2pmatryoshka.rules.matryoshka_state import Phase
from p2pmatryoshka.rules.plain_dealer import PlainTable, play_out, shuffled
from tests.rules.tables import at, opened
from tests.rules.toy_game import TOY

ORDER = (3, 0, 5, 1, 4, 2, 7, 6)


def toy() -> PlainTable:
    """The toy after the deal: seat 0 holds 0 3 5, seat 1 holds 1 2 4, the stock is 7 6."""
    return PlainTable.start(TOY, {}, b"", 2, ORDER).resolve()


def test_cards_are_dealt_from_the_front_in_the_order_asked() -> None:
    table = toy()
    assert (table.hands, table.stock) == (((0, 3, 5), (1, 2, 4)), (7, 6))


def test_cards_turned_up_lie_and_cards_left_down_are_covered() -> None:
    table = toy().resolve({0: Choice(("here",), (5,)), 1: Choice(("there",), (4, 1), face_up=False)})
    assert table.hands == ((0, 3), (2,))
    assert (table.lying, table.covered) == ((5,), ((), (1, 4)))


def test_lying_cards_stand_in_ascending_order() -> None:
    assert toy().resolve({0: Choice(("here",), (5,)), 1: Choice(("here",), (4,))}).lying == (4, 5)


def test_given_cards_leave_the_table_for_the_hand() -> None:
    table = toy().resolve({0: Choice(("here",), (5,)), 1: Choice(("here",), (4,))}).resolve()
    assert table.hands == ((0, 3, 4), (1, 2, 5))
    assert table.lying == ()


@pytest.mark.parametrize(
    ("choice", "code"),
    [
        (Choice(("here",), (4,)), "hand"),
        (Choice(("here",), (7,)), "hand"),
        (Choice(("there",), (0, 0), face_up=False), "hand"),
        (Choice(("here",), (0, 0)), "play.order"),
        (Choice(("here",), (0, 3)), "play.way"),
        (Choice(("there",), (0,)), "play.way"),
        (Choice(("here",), (0,), face_up=False), "play.way"),
        (Choice(("here",), ()), "play.way"),
    ],
)
def test_cards_that_are_not_in_the_hand_or_not_in_a_way_are_refused(choice: Choice, code: str) -> None:
    table = toy()
    before = repr(table)
    with pytest.raises(Illegal) as refused:
        table.resolve({0: choice, 1: Choice(("here",), (1,))})
    assert refused.value.code == code
    assert repr(table) == before


def test_a_choice_may_name_its_cards_in_any_order() -> None:
    other = {1: Choice(("here",), (1,))}
    down = toy().resolve({0: Choice(("there",), (5, 0), face_up=False), **other})
    assert down == toy().resolve({0: Choice(("there",), (0, 5), face_up=False), **other})


@pytest.mark.parametrize("seats", [(), (0,), (1,), (0, 1, 2), (0, 2)])
def test_exactly_the_asked_seats_answer(seats: tuple[int, ...]) -> None:
    with pytest.raises(Illegal, match="turn"):
        toy().resolve({seat: Choice(("here",), (0,)) for seat in seats})


@pytest.mark.parametrize("toss", [None, -1, 4])
def test_a_toss_must_be_one_of_its_sides(toss: int | None) -> None:
    with pytest.raises(Illegal, match="toss"):
        opened().resolve(toss=toss)


def test_a_toss_nobody_asked_for_is_refused() -> None:
    with pytest.raises(Illegal, match="toss"):
        opened().resolve(toss=1).resolve(toss=1)


def test_nothing_is_played_when_the_game_is_over() -> None:
    with pytest.raises(Illegal, match="over"):
        at(Phase.OVER).resolve()


@pytest.mark.parametrize("order", [(), (0, 1, 2), (0, 1, 2, 3, 4, 5, 6, 6), (0, 1, 2, 3, 4, 5, 6, 8)])
def test_the_stock_must_be_the_games(order: tuple[int, ...]) -> None:
    with pytest.raises(Illegal, match="stock"):
        PlainTable.start(TOY, {}, b"", 2, order)


def test_the_hand_and_covered_cards_of_a_seat_that_is_gone_go_back_into_the_stock() -> None:
    table = toy().resolve({0: Choice(("here",), (5,)), 1: Choice(("there",), (1, 4), face_up=False)})
    after = table.gone(1, (2, 6, 1, 7, 4))
    assert after.stock == (2, 6, 1, 7, 4)
    assert after.hands == ((0, 3), ())
    assert after.covered == ((), ())
    assert after.lying == (5,)
    after.check_conserved()
    with pytest.raises(Illegal, match="stock"):
        table.gone(1, (2, 6, 1, 7))


def test_the_stock_may_be_rebuilt_later() -> None:
    table = at(Phase.OFFER)
    away = table.gone(table.state.waiting[0], None)
    order = shuffled(away.stock, random.Random(4))
    assert away.restock(order) == table.gone(table.state.waiting[0], order)
    with pytest.raises(Illegal, match="stock"):
        away.restock(order[1:])


def test_a_lost_or_doubled_card_is_a_fault_of_ours() -> None:
    table = at(Phase.OPEN)
    for stock in (table.stock[1:], (*table.stock, table.stock[0]), (*table.stock[1:], table.hand(0)[0])):
        with pytest.raises(Fault):
            replace(table, stock=stock).check_conserved()
    table.check_conserved()


def test_a_deal_of_more_than_there_is_is_a_fault_of_ours() -> None:
    with pytest.raises(Fault, match="stock"):
        replace(at(Phase.DRAW, 2), stock=()).resolve()


def test_giving_a_card_that_does_not_lie_open_is_a_fault_of_ours() -> None:
    with pytest.raises(Fault, match="lie open"):
        replace(at(Phase.SETTLE), lying=()).resolve()
    table = toy().resolve({0: Choice(("here",), (5,)), 1: Choice(("here",), (4,))})
    twice = replace(table.state, up=((5, 0), (5, 1)))
    with pytest.raises(Fault, match="lie open"):
        replace(table, state=twice).resolve()


@pytest.mark.parametrize("seed", range(5))
def test_the_same_seed_plays_the_same_game(seed: int) -> None:
    first, second = (play_out(MATRYOSHKA, {}, b"", 4, [RandomBot()] * 4, random.Random(seed)) for _ in range(2))
    assert first == second
    assert isinstance(first.ask, Over)
    first.check_conserved()
