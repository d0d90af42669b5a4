"""Matrioske when somebody is gone for good."""

from __future__ import annotations

import pytest

from p2pmatryoshka.errors import Fault
from p2pmatryoshka.rules.game import Deal, Over, Pick, Play, Toss
from p2pmatryoshka.rules.matrioske import MATRIOSKE
from p2pmatryoshka.rules.matrioske_state import Phase
from p2pmatryoshka.rules.plain_dealer import PlainTable
from tests.rules.matrioske_tables import (
    TABLE_JUDGES,
    at,
    between,
    card,
    cards,
    claim,
    cover,
    look,
    moments,
    opened,
    play,
    situation,
    top,
    vote,
)


def test_before_the_toss_it_is_tossed_among_those_still_in() -> None:
    table = opened().gone(1, None)
    assert table.ask == Toss(3)
    assert [look(table.resolve(toss=n)).starter for n in range(3)] == [0, 2, 3]


def test_the_deal_is_asked_again_for_those_still_in() -> None:
    table = opened().resolve(toss=2).gone(0, None)
    assert table.ask == Deal(((1, 10), (2, 10), (3, 10)))
    after = table.resolve()
    assert look(after).hands == (0, 10, 10, 10)
    assert len(after.stock) == 10


def test_a_starting_player_gone_before_the_first_turn_is_skipped() -> None:
    table = opened().resolve(toss=2).gone(2, None).resolve()
    assert look(table).turn == 3
    assert look(opened().resolve(toss=3).gone(3, None).resolve()).turn == 0


def test_the_hand_goes_unseen_back_into_the_stock_and_is_never_dealt_again() -> None:
    table = at(Phase.TURN, turns=5)
    seat = (table.state.turn + 1) % 4
    after = table.gone(seat, None)
    assert set(after.stock) == set(table.hand(seat))
    assert look(after).hands[seat] == 0
    assert not any(isinstance(moment.ask, Deal) for moment in moments(after))


def test_the_turn_of_a_seat_that_is_gone_is_skipped() -> None:
    table = situation("A1 A2", "B1 B2", "C1 C2", "D1 D2").gone(2, None)
    turns = [moment.state.turn for moment in moments(table) if moment.state.phase is Phase.TURN]
    assert turns == [0, 1, 3, 0, 1, 3]


def test_the_seat_to_play_may_be_the_one_that_is_gone() -> None:
    table = situation("A1", "B1", "C1", "D1").gone(0, None)
    assert look(table).turn == 1
    assert isinstance(table.ask, Play)


def test_cards_on_the_table_stay() -> None:
    table = play(situation("A1 A2", "B1", "C1"), top("A1", 0)).gone(0, None)
    assert look(table).piles[0] == cards("A0 A1")


def test_captured_cards_stay_counted_but_whoever_is_gone_cannot_win() -> None:
    table = situation("A2", "B1 B2", "C2", piles={0: "A0 A3 A4", 2: "C0 C3"})
    table = play(table, between("A2", 0, 1)).gone(0, None)
    assert look(table).points == (2, 0, 0, 0)
    table = play(table, cover("B1"), between("C2", 2, 1), cover("B2"))
    assert table.ask == Over(((0, 2), (1, 0), (2, 1), (3, 0)), (2,))


def test_its_first_capture_remains_the_first() -> None:
    table = situation("A2", "B1", "C2", piles={0: "A0 A3 A4", 2: "C0 C3"})
    table = play(play(table, between("A2", 0, 1)).gone(0, None), cover("B1"), between("C2", 2, 1))
    assert look(table).won == (0, 0, 0, 0)


def test_cards_it_covered_stay_in_the_middle_and_can_be_won() -> None:
    table = situation("A1 A2", "B2", "C1", piles={1: "B0 B3"})
    table = play(play(table, cover("A1")).gone(0, None), between("B2", 1, 1))
    assert look(table).points == (0, 2, 0, 0)


def test_an_open_claim_of_its_own_is_void_and_the_card_leaves_the_game() -> None:
    table = situation("B3 B4", "C1", "D1", "E1", piles={0: "A0 A2"}, rules=TABLE_JUDGES)
    table = play(table, claim(top("B3", 0))).gone(0, None)
    view = look(table)
    assert (view.claim, view.turn, view.left) == (None, 1, cards("B3"))
    assert view.piles[0] == cards("A0 A2")
    assert card("B3") in table.lying
    table.check_conserved()


def test_a_refused_card_leaves_the_game_if_its_owner_goes_before_it_is_back() -> None:
    table = situation("B3 B4", "C1", "D1", "E1", piles={0: "A0 A2"}, rules=TABLE_JUDGES)
    table = vote(play(table, claim(top("B3", 0))), "refuse", "refuse", "refuse").gone(0, None)
    assert (look(table).turn, look(table).left) == (1, cards("B3"))


def test_nothing_is_shown_any_more_of_a_hand_that_is_gone() -> None:
    table = situation("B3 B4", "C1", "D1", "E1", piles={0: "A0 A2"}, rules=TABLE_JUDGES)
    table = vote(play(table, claim(top("B3", 0))), "refuse", "refuse", "refuse").resolve()
    assert look(table).shown[0] == cards("B3")
    assert look(table.gone(0, None)).shown[0] == ()


def test_votes_are_asked_of_those_still_in() -> None:
    table = situation("B3 B4", "C1", "D1", "E1", rules=TABLE_JUDGES)
    table = play(table, claim(top("B3", 0))).gone(2, None)
    assert table.ask == Pick((1, 3), (("accept",), ("refuse",)))


def test_a_claim_whose_judges_are_all_gone_is_void_with_the_game() -> None:
    table = situation("B3 B4", "C1", "D1", "E1", rules=TABLE_JUDGES)
    table = play(table, claim(top("B3", 0)))
    for seat in (1, 2, 3):
        table = table.gone(seat, None)
    assert table.ask == Over(((0, 0), (1, 0), (2, 0), (3, 0)), (0,))
    assert look(table).left == cards("B3")
    table.check_conserved()


def test_with_fewer_than_two_left_the_game_ends_with_the_standing() -> None:
    table = situation("A2 A4", "B2", "C1", "D1", piles={0: "A0 A3", 1: "B0 B3 B4"})
    table = play(table, between("A2", 0, 1), between("B2", 1, 1)).gone(1, None).gone(2, None)
    assert isinstance(table.ask, Play)
    table = table.gone(3, None)
    assert table.ask == Over(((0, 1), (1, 2), (2, 0), (3, 0)), (0,))


def test_the_game_goes_on_with_two() -> None:
    table = at(Phase.TURN).gone(1, None).gone(3, None)
    last = list(moments(table))[-1]
    assert isinstance(last.ask, Over)
    assert set(last.ask.winners) <= {0, 2}
    assert look(last).hands == (0, 0, 0, 0)


def test_it_ends_at_once_if_nobody_left_holds_a_card() -> None:
    table = play(situation("A1", "B1"), cover("A1")).gone(1, None)
    assert isinstance(table.ask, Over)
    assert table.ask.winners == (0, 2, 3)


def test_nothing_changes_once_the_game_is_over() -> None:
    table = play(situation("A1"), cover("A1"))
    assert isinstance(table.ask, Over)
    assert MATRIOSKE.gone(table.state, 0) == table.state


def test_a_seat_cannot_be_gone_twice() -> None:
    table = at(Phase.TURN).gone(0, None)
    with pytest.raises(Fault):
        table.gone(0, None)


def every_moment() -> list[PlainTable]:
    """One game with claims, moment by moment."""
    return list(moments(opened(seed=4, rules=TABLE_JUDGES), 4))


@pytest.mark.parametrize("seat", range(4))
def test_at_every_moment_the_others_play_on_to_the_end(seat: int) -> None:
    for number, table in enumerate(every_moment()):
        if isinstance(table.ask, Over) or number % 3 != seat % 3:
            continue
        last = list(moments(table.gone(seat, None), number))[-1]
        last.check_conserved()
        assert seat not in last.ask.winners
        assert dict(last.ask.points)[seat] == look(table).points[seat]
        dealt = table.state.phase not in (Phase.TOSS, Phase.DEAL)
        counted = sum(map(len, look(last).captured)) + sum(map(len, look(last).piles)) - 8 + len(look(last).left)
        inside = counted + sum(look(last).covered) + sum(look(last).won)
        assert inside == (40 - look(table).hands[seat] if dealt else 30)
