"""What the project decided where the English rule sheet is silent."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from p2pmatryoshka.errors import Illegal
from p2pmatryoshka.rules import dolls
from p2pmatryoshka.rules.game import Choice, Deal, Pick, Value
from p2pmatryoshka.rules.matryoshka import MATRYOSHKA, MatryoshkaView
from p2pmatryoshka.rules.matryoshka_state import Phase
from p2pmatryoshka.rules.scoring import CAP, EXTEND, explain
from tests.rules.tables import asked, at, display, moments, opened, take

# Which sets leave the deck


@pytest.mark.parametrize(("seats", "letters"), [(5, "ABCDEFGHIJ"), (4, "ABCDEFGH"), (3, "ABCDEF")])
def test_the_first_ten_eight_or_six_colours_are_in_play_by_default(seats: int, letters: str) -> None:
    assert MATRYOSHKA.rules(seats, {}) == {"colours": tuple(letters), "long_columns": "extend"}


def test_the_host_may_pick_other_colours_in_any_order() -> None:
    chosen = ("J", "B", "I", "A", "C", "D")
    table = opened(3, rules={"colours": chosen})
    assert {dolls.letter(card) for card in table.stock} == set(chosen)
    view = table.view(0)
    assert isinstance(view, MatryoshkaView)
    assert view.colours == chosen


@pytest.mark.parametrize(
    "colours",
    ["ABCDEF", ("A", "B", "C", "D", "E"), tuple("ABCDEFG"), tuple("ABCDEE"), tuple("ABCDEK"), (), 6, ("AB",) * 6],
)
def test_colours_that_are_not_two_different_letters_for_each_seat_are_refused(colours: Value) -> None:
    with pytest.raises(Illegal, match=r"rules\.colours"):
        MATRYOSHKA.rules(3, {"colours": colours})
    with pytest.raises(Illegal, match=r"rules\.colours"):
        MATRYOSHKA.start({"colours": colours}, b"", 3)


def test_house_rules_are_filled_in_with_sorted_keys_and_stay_as_they_are() -> None:
    rules = MATRYOSHKA.rules(3, {"long_columns": "cap"})
    assert list(rules) == ["colours", "long_columns"]
    assert MATRYOSHKA.rules(3, rules) == rules


def test_a_house_rule_that_does_not_exist_is_refused() -> None:
    with pytest.raises(Illegal, match=r"rules\.unknown.*open_hands"):
        MATRYOSHKA.rules(4, {"open_hands": True})


@pytest.mark.parametrize("seats", [0, 1, 2, 6])
def test_other_numbers_of_players_are_refused(seats: int) -> None:
    with pytest.raises(Illegal, match=r"rules\.seats"):
        MATRYOSHKA.start({}, b"", seats)


def test_a_deck_file_is_refused() -> None:
    with pytest.raises(Illegal, match=r"deck\.unneeded"):
        MATRYOSHKA.start({}, b"title = 'mine'", 4)


# Seats and starting player


@pytest.mark.parametrize("seats", [3, 4, 5])
def test_left_is_the_next_seat(seats: int) -> None:
    table = opened(seats).resolve(toss=seats - 1)
    assert isinstance(table.ask, Deal)
    assert [seat for seat, _ in table.ask.counts] == [seats - 1, *range(seats - 1)]


# Cards dealt


@pytest.mark.parametrize(("seats", "cards"), [(5, 70), (4, 56), (3, 42)])
def test_six_then_two_a_round_are_fourteen_each_and_every_card_in_play_is_dealt(seats: int, cards: int) -> None:
    dealt: Counter[int] = Counter()
    for table in moments(opened(seats)):
        if isinstance(table.ask, Deal):
            dealt.update(dict(table.ask.counts))
            last = table
    assert dealt == dict.fromkeys(range(seats), 14)
    assert dealt.total() == cards == len(opened(seats).stock)
    assert last.resolve().stock == ()


# Hand sizes


def test_hands_hold_four_after_the_setup_six_in_the_trade_phase_and_one_at_the_end() -> None:
    sizes: dict[Phase, set[int]] = {}
    for table in moments(opened()):
        sizes.setdefault(table.state.phase, set()).update(map(len, table.hands))
    assert sizes[Phase.DRAW] == {4}
    assert sizes[Phase.OPEN] == {6}
    assert sizes[Phase.OVER] == {1}


def test_an_offer_is_always_possible() -> None:
    for table in moments(opened()):
        if table.state.phase is Phase.OFFER:
            assert all(len(table.hand(seat)) == 6 for seat in asked(table))


# Trade


@pytest.mark.parametrize("seats", [3, 4, 5])
def test_every_player_is_active_exactly_once_a_round(seats: int) -> None:
    turns: Counter[tuple[int, int]] = Counter()
    for table in moments(opened(seats)):
        if table.state.phase is Phase.OPEN:
            turns[table.state.round, table.state.active] += 1
    assert turns == {(number, seat): 1 for number in range(1, 5) for seat in range(seats)}


def test_the_active_player_must_take_one_of_the_offers() -> None:
    table = at(Phase.PICK)
    active = table.state.active
    assert isinstance(table.ask, Pick)
    assert all(option[0] == "take" for option in table.ask.options)
    for option in ((), ("pass",), ("take", active), ("take", 9), ("take",)):
        with pytest.raises(Illegal, match=r"pick\.option"):
            table.resolve({active: Choice(option)})


def test_an_offer_not_taken_goes_back_into_its_owners_hand_and_everyone_has_seen_it() -> None:
    table = at(Phase.PICK)
    offers = dict(table.state.offers)
    taken, *others = offers
    after = take(table, taken)
    for seat in others:
        assert offers[seat] in after.hand(seat)
    trade = after.view(None).trades[-1]  # type: ignore[attr-defined]
    assert dict(trade.offers) == offers
    assert (trade.active, trade.opened, trade.taken) == (table.state.active, table.state.opened, taken)


# Display


def test_the_whole_display_goes_back_to_the_hand_before_the_next_is_chosen_face_down() -> None:
    table = at(Phase.DISPLAY, 2)
    assert table.lying == ()
    view = table.view(0)
    assert isinstance(view, MatryoshkaView)
    assert view.taken_up
    assert [len(cards) for cards in view.displays] == [4] * 4  # as last shown: nobody forgets them


def test_the_last_shown_displays_stand_while_new_ones_are_chosen() -> None:
    table = at(Phase.TAKE_UP, 3)
    assert MATRYOSHKA.standing(table.resolve().state) == MATRYOSHKA.standing(table.state)
    assert any(points for _, points in MATRYOSHKA.standing(table.state).points)


# Columns and rows


def test_a_column_is_a_count_and_gaps_do_not_matter() -> None:
    assert explain(dolls.cards("A3 D3 J3"), EXTEND).total == explain(dolls.cards("A3 B3 C3"), EXTEND).total == 4


@pytest.mark.parametrize(("count", "extend", "cap"), [(7, 16, 16), (8, 19, 16), (9, 22, 16), (10, 25, 16)])
def test_a_column_of_eight_nine_or_ten_goes_on_at_three_a_card_or_stays_at_sixteen(
    count: int, extend: int, cap: int
) -> None:
    column = dolls.cards(" ".join(f"{letter}2" for letter in "ABCDEFGHIJ"[:count]))
    assert explain(column, EXTEND).total == extend
    assert explain(column, CAP).total == cap


@pytest.mark.parametrize("rule", ["extend", "cap"])
def test_the_house_rule_for_long_columns_is_the_one_that_counts(rule: str) -> None:
    table = opened(4, rules={"long_columns": rule})
    view = table.view(None)
    assert isinstance(view, MatryoshkaView)
    assert view.long_columns == rule
    column = tuple(dolls.index(f"{letter}2") for letter in "ABCDEFGH")
    state = MATRYOSHKA.start({"long_columns": rule}, b"", 4)
    shown = replace(state, displays=(column, (), (), ()))
    assert MATRYOSHKA.standing(shown).points[0] == (0, 19 if rule == "extend" else 16)


@pytest.mark.parametrize("rule", ["", "EXTEND", True, 7])
def test_another_word_for_long_columns_is_refused(rule: Value) -> None:
    with pytest.raises(Illegal, match=r"rules\.long_columns"):
        MATRYOSHKA.rules(4, {"long_columns": rule})


def test_a_run_is_a_maximal_stretch_of_consecutive_sizes() -> None:
    sheet = explain(dolls.cards("A1 A2 A3 A5 A6 B6"), EXTEND)
    assert [(run.letter, run.first, run.last) for run in sheet.runs] == [("A", 1, 3), ("A", 5, 6)]
    assert sheet.lengths == (3, 2)


def test_the_bonus_is_for_rows_only() -> None:
    assert explain(dolls.cards("A1 B1 C1 D1 E1 F1 G1"), EXTEND).total == 16
    assert explain(dolls.cards("A1 A2 A3 A4 A5 A6 A7"), EXTEND).total == 16 + 3


def test_a_card_of_a_colour_not_in_play_or_no_card_at_all_is_refused() -> None:
    table = at(Phase.OPEN)
    active = table.state.active
    for card in (dolls.index("J1"), 70, -1):
        with pytest.raises(Illegal, match=r"card\.play"):
            table.resolve({active: Choice((), (card,))})


def test_the_display_at_the_end_has_an_outcome_that_says_why() -> None:
    table = at(Phase.OVER)
    view = table.view(None)
    assert isinstance(view, MatryoshkaView)
    assert view.outcome is not None
    assert view.outcome.winners == table.ask.winners  # type: ignore[union-attr]
    assert view.outcome.points == max(explain(display(table, seat), EXTEND).total for seat in range(4))
    assert at(Phase.DISPLAY, 4).view(None).outcome is None  # type: ignore[attr-defined]
