"""The score is what a slow definition, written from the rule sheet alone, says it is."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from p2pmatryoshka.rules import dolls
from p2pmatryoshka.rules.scoring import CAP, EXTEND, explain, outcome, points

SHEET = {2: 2, 3: 4, 4: 7, 5: 10, 6: 13, 7: 16}  # points by cards in a run
SHEET_BONUS = {5: 1, 6: 2, 7: 3}
displays = st.sets(st.integers(0, dolls.COUNT - 1), max_size=40).map(lambda cards: tuple(sorted(cards)))
rules = st.sampled_from([EXTEND, CAP])


def slow_runs(names: set[str]) -> list[int]:
    """Every pair of sizes that bounds a run nothing can lengthen."""
    return [
        last - first + 1
        for letter in dolls.LETTERS
        for first in range(1, 8)
        for last in range(first + 1, 8)
        if all(f"{letter}{size}" in names for size in range(first, last + 1))
        and f"{letter}{first - 1}" not in names
        and f"{letter}{last + 1}" not in names
    ]


def slow_score(display: tuple[int, ...], rule: str) -> int:
    names = {dolls.name(card) for card in display}
    total = sum(SHEET[length] + SHEET_BONUS.get(length, 0) for length in slow_runs(names))
    for size in "1234567":
        count = len([name for name in names if name[1] == size])
        if count > 7:
            total += SHEET[7] + (3 * (count - 7) if rule == EXTEND else 0)
        else:
            total += SHEET.get(count, 0)
    return total


@given(displays, rules)
def test_the_score_equals_the_slow_definition(display: tuple[int, ...], rule: str) -> None:
    assert explain(display, rule).total == points(display, rule) == slow_score(display, rule)


@given(displays, rules)
def test_the_lines_of_the_sheet_add_up_and_name_every_card(display: tuple[int, ...], rule: str) -> None:
    sheet = explain(display, rule)
    assert sheet.column_points == sum(column.points for column in sheet.columns)
    assert sheet.run_points == sum(run.points for run in sheet.runs)
    assert sheet.bonus == sum(run.bonus for run in sheet.runs)
    assert sheet.total == sheet.column_points + sheet.run_points + sheet.bonus
    named = [f"{letter}{column.size}" for column in sheet.columns for letter in column.letters]
    assert sorted(named) == sorted(dolls.name(card) for card in display)
    assert list(sheet.lengths) == sorted(slow_runs(set(named)), reverse=True)


@given(displays, rules, st.randoms(use_true_random=False))
def test_the_order_of_the_cards_does_not_matter(display: tuple[int, ...], rule: str, chance: object) -> None:
    mixed = list(display)
    chance.shuffle(mixed)  # type: ignore[attr-defined]
    assert explain(tuple(mixed), rule) == explain(display, rule)


@given(st.lists(displays, min_size=1, max_size=5))
def test_the_winner_is_whoever_sorts_first_by_points_and_then_by_runs(shown: list[tuple[int, ...]]) -> None:
    sheets = {seat: explain(display, EXTEND) for seat, display in enumerate(shown)}
    keys = {seat: (sheet.total, sheet.lengths) for seat, sheet in sheets.items()}  # longer tuples sort later
    best = max(keys.values())
    result = outcome(sheets)
    assert result.winners == tuple(seat for seat, key in keys.items() if key == best)
    assert result.tied == tuple(seat for seat, key in keys.items() if key[0] == best[0])
    left = result.tied
    for step in result.steps:  # each comparison among those left so far, and no one left without reason
        assert tuple(seat for seat, _ in step.lengths) == left
        left = tuple(seat for seat, length in step.lengths if length == max(dict(step.lengths).values()))
        assert step.left == left
    assert left == result.winners


def test_nobody_left_means_no_winner() -> None:
    assert outcome({}).winners == ()
