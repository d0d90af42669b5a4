"""Matryoshka when somebody is gone for good."""

from __future__ import annotations

import pytest

from p2pmatryoshka.errors import Fault
from p2pmatryoshka.rules.game import Choice, Deal, Give, Over, Pick, Play, Toss
from p2pmatryoshka.rules.matryoshka import MATRYOSHKA
from p2pmatryoshka.rules.matryoshka_state import Phase
from p2pmatryoshka.rules.plain_dealer import PlainTable
from tests.rules.tables import asked, at, display, moments, opened, take, until


def others(table: PlainTable) -> list[int]:
    """The seats still in but the active one."""
    return [seat for seat in table.state.still_in if seat != table.state.active]


def test_the_display_leaves_the_game_and_the_hand_goes_back_into_the_stock() -> None:
    table = at(Phase.OPEN, 2)
    seat = others(table)[0]
    after = table.gone(seat, None)
    assert set(display(table, seat)) <= set(after.lying)
    assert display(after, seat) == ()
    assert set(after.stock) == set(table.stock) | set(table.hand(seat))
    assert after.hand(seat) == ()
    assert after.state.stock == len(after.stock)


def test_the_turns_of_a_seat_that_is_gone_are_skipped() -> None:
    table = at(Phase.OPEN)
    after = table.gone(table.state.waiting[1], None)
    turns = [moment.state.active for moment in moments(after) if moment.state.phase is Phase.OPEN]
    assert turns[:3] == [table.state.active, table.state.waiting[0], table.state.waiting[2]]


def test_an_active_seat_gone_before_it_opened_a_card_only_ends_its_turn() -> None:
    table = at(Phase.OPEN)
    after = table.gone(table.state.active, None)
    assert (after.state.phase, after.state.active) == (Phase.OPEN, table.state.waiting[0])


def test_the_open_card_of_an_active_seat_that_is_gone_leaves_the_game() -> None:
    table = at(Phase.OFFER)
    after = table.gone(table.state.active, None)
    assert table.state.opened in after.lying
    assert table.state.opened not in after.stock
    assert (after.state.opened, after.state.phase) == (None, Phase.OPEN)
    assert all(len(after.hand(seat)) == 6 for seat in after.state.still_in)


@pytest.mark.parametrize("picked", [False, True])
def test_the_offers_go_back_to_their_owners_if_the_active_seat_is_gone(picked: bool) -> None:
    table = at(Phase.PICK)
    offers, active = table.state.offers, table.state.active
    if picked:
        table = table.resolve({active: next(table.moves(active))})
    after = table.gone(active, None)
    assert after.ask == Give(tuple((card, seat) for seat, card in offers))
    after = after.resolve()
    for seat, card in offers:
        assert card in after.hand(seat)
    assert after.state.trades == ()
    assert after.state.active == table.state.waiting[0]


def test_the_turn_of_the_last_active_seat_of_the_round_ends_with_it() -> None:
    table = at(Phase.OPEN)
    while table.state.waiting:
        table = until(table.resolve({seat: next(table.moves(seat)) for seat in asked(table)}), Phase.OPEN)
    assert table.gone(table.state.active, None).state.phase is Phase.TAKE_UP


def test_an_offer_already_open_of_a_seat_that_is_gone_leaves_the_game() -> None:
    table = at(Phase.PICK)
    seat, card = table.state.offers[0]
    after = table.gone(seat, None)
    assert isinstance(after.ask, Pick)
    assert after.ask.options == tuple(("take", other) for other, _ in table.state.offers[1:])
    assert card in after.lying
    after = take(after, table.state.offers[1][0])
    assert card in after.lying


def test_the_active_player_picks_again_if_the_seat_whose_offer_it_took_is_gone() -> None:
    table = at(Phase.PICK)
    active, (seat, card) = table.state.active, table.state.offers[0]
    after = table.resolve({active: Choice(("take", seat))}).gone(seat, None)
    assert isinstance(after.ask, Pick)
    assert ("take", seat) not in after.ask.options
    assert card in after.lying


def test_the_only_offer_left_must_be_taken() -> None:
    table = at(Phase.PICK, seats=3)
    first, second = (seat for seat, _ in table.state.offers)
    after = table.gone(first, None)
    assert after.ask == Pick((table.state.active,), (("take", second),))


def test_an_offer_not_yet_open_goes_back_into_the_stock_with_the_hand() -> None:
    table = at(Phase.OFFER)
    seat = others(table)[1]
    after = table.gone(seat, None)
    assert set(table.hand(seat)) <= set(after.stock)
    assert asked(after) == tuple(other for other in asked(table) if other != seat)


@pytest.mark.parametrize("phase", [Phase.OPENING, Phase.DISPLAY, Phase.OFFER])
def test_the_others_are_asked_the_same_in_a_joint_play(phase: Phase) -> None:
    table = at(phase)
    seat = asked(table)[0]
    after = table.gone(seat, None)
    assert isinstance(table.ask, Play)
    assert after.ask == Play(asked(table)[1:], table.ask.ways, together=True)


def test_a_display_taken_up_goes_back_into_the_stock_with_the_hand_it_is_in() -> None:
    table = at(Phase.DISPLAY, 3)
    after = table.gone(1, None)
    assert set(table.hand(1)) <= set(after.stock)
    assert after.state.stock == len(after.stock)
    assert MATRYOSHKA.standing(after.state).points[1] == (1, 0)


def test_a_seat_gone_before_the_toss_is_not_tossed_for() -> None:
    table = opened().gone(1, None)
    assert table.ask == Toss(3)
    assert [table.resolve(toss=side).state.starter for side in range(3)] == [0, 2, 3]


@pytest.mark.parametrize("phase", [Phase.DEAL, Phase.OPENING, Phase.DRAW])
def test_the_next_seat_starts_if_the_starting_player_is_gone_before_the_first_turn(phase: Phase) -> None:
    table = at(phase)
    start = table.state.starter
    after = until(table.gone(start, None), Phase.OPEN, 1)
    assert after.state.active == after.state.starter == (start + 1) % 4
    assert until(after, Phase.OPEN, 2).state.starter == (start + 2) % 4


def test_the_next_round_starts_left_of_where_the_starting_player_sat() -> None:
    table = at(Phase.PICK)
    start = table.state.starter
    after = until(table.gone(start, None), Phase.OPEN, 2)
    assert after.state.starter == (start + 1) % 4


def test_the_part_of_the_starting_player_passes_over_empty_seats() -> None:
    table = at(Phase.OPEN)
    start = table.state.starter
    after = until(table.gone((start + 1) % 4, None), Phase.OPEN, 2)
    assert after.state.starter == (start + 2) % 4


@pytest.mark.parametrize("number", [1, 2, 3, 4])
def test_two_cards_each_are_dealt_and_the_displays_stay_as_large(number: int) -> None:
    table = at(Phase.OPEN, 1, seats=5).gone(0, None).gone(3, None)
    draw = until(table, Phase.DRAW, number) if number > 1 else None
    if draw is not None:
        assert isinstance(draw.ask, Deal)
        assert sorted(draw.ask.counts) == [(1, 2), (2, 2), (4, 2)]
    shown = until(table, Phase.DISPLAY, number).ask
    assert isinstance(shown, Play)
    assert shown.ways[0].count == (4, 6, 8, 13)[number - 1]


@pytest.mark.parametrize("phase", [phase for phase in Phase if phase is not Phase.OVER])
def test_with_fewer_than_two_left_the_game_ends_with_the_standing(phase: Phase) -> None:
    table = at(phase, seats=3)
    last = table.gone(0, None).gone(2, None)
    assert isinstance(last.ask, Over)
    assert last.ask.winners == (1,)
    assert last.ask.points == ((0, 0), MATRYOSHKA.standing(table.state).points[1], (2, 0))


def test_whoever_is_gone_cannot_win() -> None:
    for seed in range(10):
        table = at(Phase.DISPLAY, 4, seed=seed)
        best = MATRYOSHKA.standing(table.state).winners[0]
        result = MATRYOSHKA.standing(table.gone(best, None).state)
        assert best not in result.winners
        assert result.points[best] == (best, 0)


def test_once_the_game_is_over_a_departure_changes_nothing() -> None:
    table = at(Phase.OVER)
    assert table.gone(0, None) == table
    assert MATRYOSHKA.gone(table.state, 0) == table.state


def test_a_seat_that_is_not_in_the_game_cannot_go() -> None:
    table = at(Phase.OPEN).gone(2, None)
    for seat in (2, 4, -1):
        with pytest.raises(Fault):
            MATRYOSHKA.gone(table.state, seat)
