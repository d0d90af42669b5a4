"""Every line of the English rule sheet, in its order."""

from __future__ import annotations

import pytest

from p2pmatryoshka.errors import Illegal
from p2pmatryoshka.rules import dolls
from p2pmatryoshka.rules.game import Choice, Deal, Give, Over, Pick, Play, Toss, Way
from p2pmatryoshka.rules.matryoshka_state import Phase
from p2pmatryoshka.rules.scoring import EXTEND, explain, outcome
from tests.rules.tables import asked, at, display, holding, moments, opened, play, until

ROUNDS = (1, 2, 3, 4)


# Components


def test_seventy_cards_ten_sets_of_seven_one_of_each_size_in_each_colour() -> None:
    names = [dolls.name(card) for card in range(dolls.COUNT)]
    assert sorted(names) == sorted(letter + size for letter in "ABCDEFGHIJ" for size in "1234567")
    assert len(set(dolls.NAMES.values())) == 10


# Setting up the game


@pytest.mark.parametrize(("seats", "sets"), [(5, 10), (4, 8), (3, 6)])
def test_all_ten_sets_with_five_players_two_removed_with_four_and_four_removed_with_three(
    seats: int, sets: int
) -> None:
    stock = opened(seats).stock
    assert len(stock) == 7 * sets
    assert {dolls.letter(card) for card in stock} == set("ABCDEFGHIJ"[:sets])


def test_the_cards_are_dealt_from_a_shuffled_face_down_deck() -> None:
    table = opened(seed=3)
    assert table.stock != tuple(sorted(table.stock))
    assert not set(table.view(0).hand) & set(table.stock)
    assert table.view(0).stock_count == 56  # type: ignore[attr-defined]  # a number, not the cards


@pytest.mark.parametrize("seats", [3, 4, 5])
def test_each_player_is_dealt_six_cards(seats: int) -> None:
    table = at(Phase.DEAL, seats=seats)
    assert isinstance(table.ask, Deal)
    assert sorted(table.ask.counts) == [(seat, 6) for seat in range(seats)]
    assert [len(hand) for hand in table.resolve().hands] == [6] * seats


def test_hands_are_not_shown_to_anyone_else() -> None:
    table = at(Phase.OPENING)
    other = set(table.hand(1)) | set(table.hand(2)) | set(table.hand(3))
    assert table.view(0).hand == table.hand(0)
    assert not other & set(table.view(0).hand)
    assert table.view(None).hand == ()
    assert table.view(0).displays == ((), (), (), ())  # type: ignore[attr-defined]


def test_each_player_chooses_two_cards_turned_up_together_as_the_start_of_the_display() -> None:
    table = at(Phase.OPENING)
    assert table.ask == Play((0, 1, 2, 3), (Way(2, True),), together=True)
    table = play(holding({0: "A1 A2 B3 C4 D5 E6"}), seat0="B3 E6")
    assert display(table, 0) == dolls.cards("B3 E6")
    assert table.hand(0) == dolls.cards("A1 A2 C4 D5")


def test_dolls_of_a_colour_line_up_in_a_row_and_dolls_of_a_size_in_a_column() -> None:
    sheet = explain(dolls.cards("A1 A2 B2 C7"), EXTEND)
    assert [(run.letter, run.first, run.last) for run in sheet.runs] == [("A", 1, 2)]
    assert [column.letters for column in sheet.columns] == ["A", "AB", "", "", "", "", "C"]


def test_a_starting_player_is_chosen_at_random() -> None:
    table = opened()
    assert table.ask == Toss(4)
    assert [table.resolve(toss=side).state.starter for side in range(4)] == [0, 1, 2, 3]


# How to play


def test_the_game_runs_for_four_rounds_of_draw_trade_and_display_in_this_order() -> None:
    order: list[tuple[int, str]] = []
    kind = {Phase.DRAW: "draw", Phase.OPEN: "trade", Phase.DISPLAY: "display"}
    for table in moments(opened()):
        here = (table.state.round, kind.get(table.state.phase, ""))
        if here[1] and here not in order:
            order.append(here)
    assert order == [(number, part) for number in ROUNDS for part in ("draw", "trade", "display")]


# Phase 1: draw


@pytest.mark.parametrize("number", ROUNDS)
def test_every_player_draws_two_cards_and_adds_them_to_the_hand(number: int) -> None:
    table = at(Phase.DRAW, number)
    assert isinstance(table.ask, Deal)
    assert sorted(table.ask.counts) == [(seat, 2) for seat in range(4)]
    after = table.resolve()
    for seat in range(4):
        assert set(after.hand(seat)) > set(table.hand(seat))
        assert len(after.hand(seat)) == 6


# Phase 2: trade


@pytest.mark.parametrize("number", ROUNDS)
def test_players_take_turns_in_clockwise_order_starting_with_the_starting_player(number: int) -> None:
    table = at(Phase.DRAW, number, seed=1)
    start = table.state.starter
    turns = [moment.state.active for moment in moments(table) if moment.state.phase is Phase.OPEN]
    assert turns[:4] == [(start + turn) % 4 for turn in range(4)]


def test_the_active_player_places_one_card_from_hand_face_up_in_the_middle() -> None:
    table = at(Phase.OPEN)
    active = table.state.active
    assert table.ask == Play((active,), (Way(1, True),), together=False)
    card = table.hand(active)[3]
    after = table.resolve({active: Choice((), (card,))})
    assert after.state.opened == card
    assert card not in after.hand(active)


def test_the_card_to_trade_is_never_from_the_display() -> None:
    table = at(Phase.OPEN, 2)
    active = table.state.active
    for card in display(table, active):
        with pytest.raises(Illegal, match="hand"):
            table.resolve({active: Choice((), (card,))})


def test_every_other_player_must_choose_a_card_as_a_secret_offer() -> None:
    table = at(Phase.OFFER)
    others = tuple(seat for seat in range(4) if seat != table.state.active)
    assert table.ask == Play(others, (Way(1, True),), together=True)  # together: face-down, then turned up at once
    choices = {seat: next(table.moves(seat)) for seat in others[1:]}
    with pytest.raises(Illegal, match="turn"):
        table.resolve(choices)


def test_an_offer_is_never_from_the_display() -> None:
    table = at(Phase.OFFER, 3)
    choices = {seat: next(table.moves(seat)) for seat in asked(table)}
    seat = asked(table)[0]
    with pytest.raises(Illegal, match="hand"):
        table.resolve({**choices, seat: Choice((), display(table, seat)[:1])})


def test_all_offers_are_revealed_and_the_active_player_picks_whichever_it_wants() -> None:
    table = at(Phase.PICK)
    others = tuple(seat for seat in range(4) if seat != table.state.active)
    assert tuple(seat for seat, _ in table.state.offers) == others
    assert table.ask == Pick((table.state.active,), tuple(("take", seat) for seat in others))


def test_the_taken_card_enters_the_hand_and_the_offerer_gets_the_open_card_and_the_others_take_theirs_back() -> None:
    # The sheet's example: Ingrid (0) opens, Gabriel (1), Sofia (2) and Yusuf (3) offer, she takes Gabriel's.
    table = holding({0: "A1 A2 A3 A4 A5 A6", 1: "B1 B2 B3 B4 B5 B6", 2: "C1 C2 C3 C4 C5 C6", 3: "D1 D2 D3 D4 D5 D6"})
    table = until(play(table), Phase.OPEN)
    table = play(play(table, seat0="A6"), seat1="B5", seat2="C4", seat3="D3")
    before = table.hands
    table = table.resolve({0: Choice(("take", 1))})
    assert table.ask == Give(
        (
            (dolls.index("B5"), 0),
            (dolls.index("A6"), 1),
            (dolls.index("C4"), 2),
            (dolls.index("D3"), 3),
        )
    )
    table = table.resolve()
    gained = [set(table.hand(seat)) - set(before[seat]) for seat in range(4)]
    assert gained == [set(dolls.cards(name)) for name in ("B5", "A6", "C4", "D3")]
    assert (table.state.opened, table.state.offers) == (None, ())


# Phase 3: display


@pytest.mark.parametrize("number", ROUNDS)
def test_each_player_picks_the_whole_display_back_up_into_the_hand(number: int) -> None:
    table = at(Phase.TAKE_UP, number)
    after = table.resolve()
    for seat in range(4):
        assert set(after.hand(seat)) == set(table.hand(seat)) | set(display(table, seat))


@pytest.mark.parametrize(("number", "count"), [(1, 4), (2, 6), (3, 8), (4, 13)])
def test_the_display_takes_four_six_eight_and_thirteen_cards(number: int, count: int) -> None:
    table = at(Phase.DISPLAY, number)
    assert table.ask == Play((0, 1, 2, 3), (Way(count, True),), together=True)
    for wrong in (count - 1, count + 1):
        cards = {seat: Choice((), table.hand(seat)[:count]) for seat in range(4)}
        with pytest.raises(Illegal, match=r"play\.way"):
            table.resolve({**cards, 0: Choice((), table.hand(0)[:wrong])})


def test_any_cards_of_the_hand_may_be_displayed_the_old_ones_again_too() -> None:
    # The sheet's example: ten cards in round 2, the four old ones chosen again and two others.
    table = at(Phase.TAKE_UP, 2)
    old = display(table, 3)
    table = table.resolve()
    hand = table.hand(3)
    assert (len(old), len(hand)) == (4, 10)
    new = tuple(sorted((*old, *[card for card in hand if card not in old][:2])))
    table = table.resolve({**{seat: next(table.moves(seat)) for seat in range(3)}, 3: Choice((), new)})
    assert display(table, 3) == new


@pytest.mark.parametrize(("start", "seats"), [(0, 3), (2, 4), (4, 5)])
def test_the_player_to_the_left_becomes_the_starting_player_for_the_next_round(start: int, seats: int) -> None:
    table = opened(seats).resolve(toss=start)
    starters = [moment.state.starter for moment in moments(table) if moment.state.phase is Phase.DRAW]
    assert starters == [(start + turn) % seats for turn in range(4)]


# End of the game


@pytest.mark.parametrize("seats", [3, 4, 5])
def test_after_the_fourth_round_thirteen_cards_are_on_display_and_one_is_left_in_hand(seats: int) -> None:
    table = at(Phase.OVER, seats=seats)
    assert table.state.round == 4
    assert [len(cards) for cards in table.state.displays] == [13] * seats
    assert [len(hand) for hand in table.hands] == [1] * seats


def test_everyone_scores_the_own_display() -> None:
    table = at(Phase.OVER)
    assert isinstance(table.ask, Over)
    assert table.ask.points == tuple((seat, explain(display(table, seat), EXTEND).total) for seat in range(4))


@pytest.mark.parametrize(("cards", "points"), [(1, 0), (2, 2), (3, 4), (4, 7), (5, 10), (6, 13), (7, 16)])
def test_a_column_of_two_to_seven_cards_scores_by_the_table_without_bonus(cards: int, points: int) -> None:
    sheet = explain(dolls.cards(" ".join(f"{letter}4" for letter in "ABCDEFG"[:cards])), EXTEND)
    assert (sheet.total, sheet.columns[3].points, sheet.bonus) == (points, points, 0)


@pytest.mark.parametrize(
    ("cards", "points", "bonus"),
    [(1, 0, 0), (2, 2, 0), (3, 4, 0), (4, 7, 0), (5, 10, 1), (6, 13, 2), (7, 16, 3)],
)
def test_a_run_of_two_to_seven_cards_scores_by_the_table_and_long_ones_earn_the_bonus(
    cards: int, points: int, bonus: int
) -> None:
    sheet = explain(dolls.cards(" ".join(f"B{size}" for size in range(1, cards + 1))), EXTEND)
    assert (sheet.run_points, sheet.bonus, sheet.total) == (points, bonus, points + bonus)


def test_a_run_is_unbroken_and_of_one_colour() -> None:
    assert explain(dolls.cards("A1 A3 A5 A7"), EXTEND).total == 0
    assert explain(dolls.cards("A1 B2 C3 D4"), EXTEND).total == 0
    assert explain(dolls.cards("A1 A2 A4 A5"), EXTEND).total == 4


def test_whoever_has_the_most_total_points_wins() -> None:
    best = explain(dolls.cards("A1 A2 A3"), EXTEND)
    rest = explain(dolls.cards("B1 B2 C7"), EXTEND)
    result = outcome({0: rest, 1: best, 2: rest})
    assert (result.winners, result.points, result.steps) == ((1,), 4, ())


def test_a_tie_goes_to_the_longest_unbroken_run_in_a_single_row() -> None:
    long = explain(dolls.cards("A1 A2 A3 B5 C6"), EXTEND)  # 4 points by one run
    short = explain(dolls.cards("A1 A2 B5 B6 C7"), EXTEND)  # 4 points by two runs
    result = outcome({0: short, 1: long})
    assert (long.total, short.total) == (4, 4)
    assert result.winners == (1,)
    assert result.tied == (0, 1)
    assert [(step.place, step.lengths, step.left) for step in result.steps] == [(1, ((0, 2), (1, 3)), (1,))]


def test_a_further_tie_compares_the_second_longest_run_and_so_on() -> None:
    two = explain(dolls.cards("A1 A2 B4 B5 C7"), EXTEND)  # 4 points by runs of 2 and 2
    one = explain(dolls.cards("A1 A2 B4 C4 D7"), EXTEND)  # 4 points by a run of 2 and a column of 2
    result = outcome({0: one, 1: two, 2: one})
    assert (one.total, two.total, result.winners) == (4, 4, (1,))
    assert [step.lengths for step in result.steps] == [((0, 2), (1, 2), (2, 2)), ((0, 0), (1, 2), (2, 0))]


def test_players_tied_after_every_comparison_share_the_win() -> None:
    one = explain(dolls.cards("A1 A2 A3 B5 B6"), EXTEND)
    two = explain(dolls.cards("C5 C6 C7 D1 D2"), EXTEND)
    less = explain(dolls.cards("A1 B3 C5 D7 E2"), EXTEND)
    result = outcome({0: less, 1: one, 2: two})
    assert result.winners == (1, 2)
    assert len(result.steps) == 2


def test_the_worked_example_of_the_sheet() -> None:
    """Sofia's 31 points.

    The row part fits: 2 + (2 + 4) + (10 + 1) = 19. The column part contradicts itself: columns 2 to 6 with two cards
    each and column 7 with one would be 10 points and, with column 1, 12 cards; but it gives 12 points, and a final
    display has 13 cards. With columns 2 to 7 holding two each everything fits, so that is what must have been meant.
    """
    sofia = dolls.cards("A2 A3 B1 B2 B5 B6 B7 C3 C4 C5 C6 C7 D4")
    sheet = explain(sofia, EXTEND)
    assert len(sofia) == 13
    assert [len(column.letters) for column in sheet.columns] == [1, 2, 2, 2, 2, 2, 2]
    assert [(run.letter, run.length, run.points, run.bonus) for run in sheet.runs] == [
        ("A", 2, 2, 0),
        ("B", 2, 2, 0),
        ("B", 3, 4, 0),
        ("C", 5, 10, 1),
    ]
    assert (sheet.column_points, sheet.run_points + sheet.bonus, sheet.total) == (12, 19, 31)
