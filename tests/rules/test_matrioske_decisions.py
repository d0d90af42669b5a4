"""What we decided where the rule sheet of Matrioske is silent."""

from __future__ import annotations

import pytest

from p2pmatryoshka.errors import Fault, Illegal
from p2pmatryoshka.rules import words
from p2pmatryoshka.rules.game import Answer, Over, Play, Toss, Way
from p2pmatryoshka.rules.matrioske import MATRIOSKE
from p2pmatryoshka.rules.matrioske_state import COVER, Phase
from tests.rules.matrioske_tables import (
    at,
    between,
    card,
    cards,
    cover,
    deck,
    look,
    moments,
    opened,
    options,
    play,
    situation,
)


@pytest.mark.parametrize("starter", range(4))
def test_a_joint_toss_names_the_starting_player_then_clockwise(starter: int) -> None:
    assert opened().ask == Toss(4)
    table = opened().resolve(toss=starter)
    assert look(table).starter == starter
    turns = [moment.state.turn for moment in moments(table) if moment.state.phase is Phase.TURN]
    assert turns[:8] == [(starter + step) % 4 for step in range(8)]


def test_what_lies_inside_is_the_transitive_closure_of_the_deck() -> None:
    plain = words.parse(deck(B3="A2", C1="B4"))
    assert plain.holds(card("A0"), card("B3"))
    assert plain.holds(card("A2"), card("C5"))  # inside C1, inside B4, inside B3, inside A2
    assert not plain.holds(card("A3"), card("B3"))
    assert not plain.holds(card("B3"), card("A2"))
    assert not plain.holds(card("B3"), card("B3"))


def test_a_turn_offers_tops_places_between_and_covering() -> None:
    table = situation("A1", piles={0: "A0 A2 A3"})
    tops = tuple(("top", pile) for pile in range(8))
    ups = (*tops, ("between", 0, 1), ("between", 0, 2))
    assert table.ask == Play((0,), (Way(1, True, ups), Way(1, False)), together=False)


def test_nothing_goes_under_the_bottom_card() -> None:
    table = situation("A1", piles={0: "A2 A3"})
    assert ("between", 0, 0) not in table.ask.ways[0].options
    with pytest.raises(Illegal, match=r"play\.way"):
        play(table, between("A1", 0, 0))


def test_between_needs_a_card_on_both_sides() -> None:
    table = situation("A1")
    with pytest.raises(Illegal, match=r"play\.way"):
        play(table, between("A1", 0, 1))


def test_covering_is_allowed_for_every_card_of_the_hand() -> None:
    table = at(Phase.TURN)
    hand = table.hand(table.state.turn)
    covers = [move for move in table.moves(table.state.turn) if not move.face_up]
    assert [move.cards for move in covers] == [(held,) for held in hand]


def test_a_covered_card_goes_nowhere_else_than_the_middle() -> None:
    table = situation("A1")
    with pytest.raises(Illegal, match=r"play\.way"):
        MATRIOSKE.check(table.state, 0, Answer(("top", 0), (), 1))


def test_one_card_a_turn_and_no_more() -> None:
    table = situation("A1 A2")
    for answer in (Answer(), Answer(("top", 0), cards("A1 A2")), Answer((), (), 2)):
        with pytest.raises(Illegal, match=r"play\."):
            MATRIOSKE.check(table.state, 0, answer)


def test_the_largest_cards_and_unknown_ones_are_not_in_play() -> None:
    table = situation("A1")
    for strange in (-1, card("B0"), 48, 10**9):
        with pytest.raises(Illegal, match=r"card\.play"):
            MATRIOSKE.check(table.state, 0, Answer(("top", 0), (strange,)))


def test_first_capture_is_the_default_and_later_captures_take_no_covered_cards() -> None:
    table = situation("A1 A2", "C1 C2", "B1 B2", "D1 D2", piles={0: "A0 A3", 1: "B0 B3"})
    assert look(table).covered_cards == "first_capture"
    table = play(table, cover("A1"), cover("C1"), between("B2", 1, 1), cover("D1"))
    assert look(table).won == (0, 0, 2, 0)
    assert look(table).at_stake == 0
    table = play(table, between("A2", 0, 1))
    assert look(table).won == (0, 0, 2, 0)
    assert look(table).covered == (0, 0, 0, 1)


def test_the_first_capture_takes_what_is_covered_even_if_that_is_nothing() -> None:
    table = situation("A2 A4", "C1 C2", "B2 B4", piles={0: "A0 A3", 1: "B0 B3"})
    table = play(table, between("A2", 0, 1), cover("C1"), between("B2", 1, 1))
    assert look(table).points == (1, 0, 1, 0)
    assert look(table).covered == (0, 1, 0, 0)


def test_with_every_capture_each_takes_what_is_covered_then() -> None:
    rules = {"covered_cards": "every_capture"}
    table = situation("A1 A2", "C1 C2", "B1 B2", "D1 D2", piles={0: "A0 A3", 1: "B0 B3"}, rules=rules)
    table = play(table, cover("A1"), cover("C1"), between("B2", 1, 1), cover("D1"))
    assert look(table).at_stake == 1
    table = play(table, between("A2", 0, 1))
    assert look(table).won == (1, 0, 2, 0)
    assert look(table).points == (2, 0, 3, 0)
    assert look(table).covered == (0, 0, 0, 0)


def test_covered_cards_are_never_turned_up_only_their_number_and_owner_are_known() -> None:
    table = play(situation("A1 A2", "B1"), cover("A1"))
    assert look(table).covered == (1, 0, 0, 0)
    other = play(situation("A1 A2", "B1"), cover("A2"))
    assert table.state == other.state  # nothing in it depends on which card was covered
    assert all(look(table, seat) == look(other, seat) for seat in (None, 1, 2, 3))


def test_captured_cards_are_out_of_play() -> None:
    before = situation("A2", "A3 B1", piles={0: "A0 A3"})
    table = play(before, between("A2", 0, 1))
    assert look(table).captured[0] == cards("A3")
    assert card("A3") not in look(table).piles[0]


def test_cards_still_covered_at_the_end_count_for_nobody() -> None:
    table = play(situation("A1", "B1", "C1", "D1"), cover("A1"), cover("B1"), cover("C1"), cover("D1"))
    assert table.ask == Over(((0, 0), (1, 0), (2, 0), (3, 0)), (0, 1, 2, 3))
    assert look(table).covered == (1, 1, 1, 1)


def test_equal_captures_are_a_shared_win() -> None:
    table = situation("A2", "B2", "C2", piles={0: "A0 A3", 1: "B0 B3"})
    table = play(table, between("A2", 0, 1), between("B2", 1, 1), cover("C2"))
    assert table.ask == Over(((0, 1), (1, 1), (2, 0), (3, 0)), (0, 1))


def test_the_card_that_captures_stays_and_may_be_captured_later() -> None:
    table = situation("A2", "A1", piles={0: "A0 A3 A4"})
    table = play(table, between("A2", 0, 1), between("A1", 0, 1))
    assert look(table).captured == (cards("A3 A4"), cards("A2"), (), ())
    assert look(table).piles[0] == cards("A0 A1")


def test_house_rules_have_defaults_and_wrong_ones_are_refused_by_name() -> None:
    assert MATRIOSKE.rules(4, {}) == {"covered_cards": "first_capture", "judge": "deck"}
    for chosen, code in (
        ({"covered_cards": "last_capture"}, "rules.covered_cards"),
        ({"judge": True}, "rules.judge"),
        ({"pot": "deck"}, "rules.unknown"),
    ):
        with pytest.raises(Illegal) as caught:
            MATRIOSKE.rules(4, chosen)
        assert caught.value.code == code


def test_a_faulty_deck_does_not_start_a_game_and_says_where() -> None:
    faulty = deck().replace(b'"B3"', b'"A1"')
    with pytest.raises(Illegal) as caught:
        MATRIOSKE.start({}, faulty, 4)
    assert caught.value.code == "deck.name.doubled"
    assert "line 5, series 2, item 4" in caught.value.detail
    with pytest.raises(Illegal, match=r"^deck\."):
        MATRIOSKE.start({}, b"", 4)


def test_answers_that_were_not_asked_are_a_fault_of_ours() -> None:
    state = opened().state
    with pytest.raises(Fault):
        MATRIOSKE.apply(state, ())
    with pytest.raises(Fault):
        MATRIOSKE.apply(state, ((0, Answer()),), 1)
    turn = situation("A1").state
    with pytest.raises(Fault):
        MATRIOSKE.apply(turn, ((1, Answer((), (), 1)),))


def test_a_seat_sees_its_hand_and_where_each_card_can_go() -> None:
    table = situation("A1 B4", "C1 C2", piles={0: "A0 A2", 1: "B0 B3"})
    view = look(table, 0)
    assert view.hand == cards("A1 B4")
    assert view.places == ((card("A1"), (("between", 0, 1),)), (card("B4"), (("top", 1),)))
    assert look(table, 1).places == ((card("C1"), (("top", 2),)), (card("C2"), (("top", 2),)))
    assert look(table).places == ()
    assert view.hands == (2, 2, 0, 0)
    assert (view.turn, view.starter, view.claim) == (0, 0, None)
    assert view.deck.names[card("A1")] == "A1"
    assert MATRIOSKE.card(table.state, card("H5")) == "H5"


def test_covering_is_one_way_of_the_play_and_turning_up_the_other() -> None:
    assert at(Phase.TURN).ask.ways[1] == COVER
    assert options(situation("A1"), 0, "A1") == [("top", 0)]


def test_a_placement_refused_says_which_of_the_two_does_not_fit() -> None:
    table = situation("A1 B1", piles={0: "A0 A3"})
    with pytest.raises(Illegal, match="B1 does not lie inside A0"):
        play(table, between("B1", 0, 1))
    table = situation("A4", piles={0: "A0 A3"})
    with pytest.raises(Illegal, match="A3 does not lie inside A4"):
        play(table, between("A4", 0, 1))
