"""Matryoshka at any moment of any game: hypothesis picks the table, the seeds and the departures."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from p2pmatryoshka.bots.random_bot import RandomBot
from p2pmatryoshka.errors import Illegal
from p2pmatryoshka.rules.game import Answer, Choice, Over, Pick, Play
from p2pmatryoshka.rules.matryoshka import MATRYOSHKA, MatryoshkaView
from p2pmatryoshka.rules.matryoshka_state import Phase
from p2pmatryoshka.rules.plain_dealer import PlainTable, shuffled, step
from tests.rules.tables import asked, opened

LONGEST = 90  # asks in a game


@st.composite
def tables(draw: st.DrawFn) -> PlainTable:
    """Any table of 3 to 5, at any moment, some seats gone at any moments before."""
    seats = draw(st.integers(3, 5))
    seed = draw(st.integers(0, 2**32))
    steps = draw(st.integers(0, LONGEST))
    leaving = draw(st.dictionaries(st.integers(0, LONGEST), st.integers(0, seats - 1), max_size=2))
    chance = random.Random(seed)
    table = opened(seats, seed)
    for number in range(steps):
        if isinstance(table.ask, Over):
            break
        if leaving.get(number) in table.state.still_in:
            away = table.gone(leaving[number], None)
            table = away.restock(shuffled(away.stock, chance))
        else:
            table = step(table, [RandomBot()] * seats, chance)
    return table


@given(tables())
def test_cards_are_conserved_and_counted(table: PlainTable) -> None:
    table.check_conserved()
    assert table.state.stock == len(table.stock)
    assert table.state.hands == tuple(map(len, table.hands))
    on_display = [card for cards in table.state.displays for card in cards]
    if table.state.phase is not Phase.DISPLAY:
        assert set(on_display) <= set(table.lying)
    else:
        assert set(on_display) <= {card for hand in table.hands for card in hand}


@given(tables())
def test_everybody_holds_as_many_cards_as_everybody_was_dealt(table: PlainTable) -> None:
    s = table.state
    held = {
        seat: s.hands[seat]
        + (len(s.displays[seat]) if s.phase is not Phase.DISPLAY else 0)
        + (s.opened is not None and seat == s.active)
        + (seat in dict(s.offers))
        for seat in s.still_in
    }
    assert len(set(held.values())) <= 1 or len(s.still_in) < 2
    assert s.stock >= sum(14 - count for count in held.values())


@given(tables(), st.data())
@settings(max_examples=60)
def test_every_legal_move_is_accepted(table: PlainTable, data: st.DataObject) -> None:
    if not isinstance(table.ask, Play | Pick):
        return
    moves = {seat: list(table.moves(seat)) for seat in asked(table)}
    after = table.resolve({seat: data.draw(st.sampled_from(moves[seat])) for seat in moves})
    assert after != table
    after.check_conserved()


@given(tables(), st.data())
def test_every_other_move_is_refused_and_nothing_has_changed(table: PlainTable, data: st.DataObject) -> None:
    if not isinstance(table.ask, Play | Pick):
        with pytest.raises(Illegal):
            table.resolve({0: Choice()})
        return
    legal = {seat: set(table.moves(seat)) for seat in asked(table)}
    odd = data.draw(st.sampled_from(sorted(legal)))
    cards = st.integers(-1, 71) if not table.hand(odd) else st.sampled_from([*table.hand(odd), -1, 3, 69, 70])
    choice = data.draw(
        st.builds(
            Choice,
            st.sampled_from([(), ("take", 0), ("take", odd), ("pass",), ("take", "0")]),
            st.lists(cards, max_size=13).map(tuple),
            st.booleans(),
        )
    )
    face_up = choice.face_up or not choice.cards  # without cards there is nothing to turn up or leave
    if Choice(choice.option, tuple(sorted(choice.cards)), face_up) in legal[odd]:
        return
    before = repr(table)
    with pytest.raises(Illegal):
        table.resolve({**{seat: min(legal[seat], key=repr) for seat in legal}, odd: choice})
    assert repr(table) == before


@given(tables())
def test_a_seat_that_is_asked_nothing_has_no_move_and_its_answer_is_refused(table: PlainTable) -> None:
    for seat in set(range(table.state.seats)) - set(asked(table)):
        assert list(table.moves(seat)) == []
        with pytest.raises(Illegal):
            MATRYOSHKA.check(table.state, seat, Answer())


@given(tables())
def test_a_view_shows_the_own_hand_and_no_card_that_is_hidden(table: PlainTable) -> None:
    hidden = set(table.stock)
    for seat in range(table.state.seats):
        view = table.view(seat)
        assert isinstance(view, MatryoshkaView)
        assert view.hand == table.hand(seat)
        assert view.hand_counts == tuple(map(len, table.hands))
        assert view.stock_count == len(table.stock)
        shown = {card for cards in view.displays for card in cards} | {card for _, card in view.offers}
        assert not shown & hidden
        if not view.taken_up:
            assert not shown & set(view.hand)


@given(tables())
def test_states_are_values(table: PlainTable) -> None:
    assert hash(table.state) == hash(table.state)
    for seat in table.state.still_in:
        before = repr(table.state)
        assert MATRYOSHKA.gone(table.state, seat) == MATRYOSHKA.gone(table.state, seat)
        assert repr(table.state) == before
