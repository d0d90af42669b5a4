"""The points of a Matryoshka display, line by line, and who wins a tie.

Columns are counts: all cards of one size. Rows are colours: a run is a maximal stretch of consecutive sizes.
Both score by the rule sheet's table; only runs earn the row bonus.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from p2pmatryoshka.rules.dolls import LETTERS, SIZES
from p2pmatryoshka.rules.game import Cards, Seat, Seats

EXTEND = "extend"  # columns of 8, 9 and 10 go on at +3 a card
CAP = "cap"  # columns of 8, 9 and 10 stay at the table's last figure
POINTS = (0, 0, 2, 4, 7, 10, 13, 16)  # by cards in a column or run
BONUS = (0, 0, 0, 0, 0, 1, 2, 3)  # by cards in a run
COLUMN = {EXTEND: (*POINTS, 19, 22, 25), CAP: (*POINTS, 16, 16, 16)}  # by cards in a column


@dataclass(frozen=True, slots=True)
class Column:
    """All cards of one size. letters: their colours, alphabetically; points: 0 below two cards."""

    size: int
    letters: str
    points: int


@dataclass(frozen=True, slots=True)
class Run:
    """Two or more consecutive sizes of one colour, from the size first to the size last; bonus is on top of
    points.
    """

    letter: str
    first: int
    last: int
    points: int
    bonus: int

    @property
    def length(self) -> int:
        """Cards in the run."""
        return self.last - self.first + 1


@dataclass(frozen=True, slots=True)
class ScoreSheet:
    """The points of one display: seven columns, smallest size first, then the runs by colour and size."""

    columns: tuple[Column, ...]
    runs: tuple[Run, ...]
    column_points: int
    run_points: int
    bonus: int
    total: int
    lengths: tuple[int, ...]  # of the runs, longest first: what decides a tie


@dataclass(frozen=True, slots=True)
class TieStep:
    """One comparison among tied seats: their longest run (place 1), second longest (2), ...; 0 where there is
    none.
    """

    place: int
    lengths: tuple[tuple[Seat, int], ...]
    left: Seats


@dataclass(frozen=True, slots=True)
class Outcome:
    """Who wins and why: the most points, who has them and, if several do, the comparisons that part them."""

    points: int
    tied: Seats
    steps: tuple[TieStep, ...]
    winners: Seats


def _stretches(mask: int) -> tuple[tuple[int, int], ...]:
    """First and last size of every maximal stretch of set bits, singles included. Bit 0 is size 1."""
    found: list[tuple[int, int]] = []
    first = 0
    for here in range(1, SIZES + 2):
        present = here <= SIZES and mask >> (here - 1) & 1
        if present and not first:
            first = here
        elif not present and first:
            found.append((first, here - 1))
            first = 0
    return tuple(found)


STRETCHES = tuple(_stretches(mask) for mask in range(1 << SIZES))  # by the sizes present in a row, as bits
ROW = tuple(sum(POINTS[b - a + 1] + BONUS[b - a + 1] for a, b in row) for row in STRETCHES)  # points by those bits


def points(display: Cards, long_columns: str) -> int:
    """The total alone: what bots ask a thousand times."""
    rows: dict[int, int] = {}
    counts = [0] * SIZES
    for card in display:
        colour, column = divmod(card, SIZES)
        rows[colour] = rows.get(colour, 0) | 1 << column
        counts[column] += 1
    table = COLUMN[long_columns]
    return sum([ROW[mask] for mask in rows.values()]) + sum([table[count] for count in counts])


def explain(display: Cards, long_columns: str) -> ScoreSheet:
    """The score sheet of a display of different cards. long_columns: EXTEND or CAP."""
    letters = [""] * SIZES
    rows: dict[int, int] = {}
    for card in sorted(display):
        row, column = divmod(card, SIZES)
        letters[column] += LETTERS[row]
        rows[row] = rows.get(row, 0) | 1 << column
    table = COLUMN[long_columns]
    columns = tuple([Column(size, colours, table[len(colours)]) for size, colours in enumerate(letters, 1)])
    runs = tuple([run for row, mask in rows.items() for run in _runs(LETTERS[row], mask)])
    column_points = sum([column.points for column in columns])
    run_points = sum([run.points for run in runs])
    bonus = sum([run.bonus for run in runs])
    lengths = tuple(sorted([run.length for run in runs], reverse=True))
    total = column_points + run_points + bonus
    return ScoreSheet(columns, runs, column_points, run_points, bonus, total, lengths)


def _runs(letter: str, mask: int) -> list[Run]:
    return [
        Run(letter, first, last, POINTS[last - first + 1], BONUS[last - first + 1])
        for first, last in STRETCHES[mask]
        if last > first
    ]


@lru_cache(maxsize=256)
def explain_all(displays: tuple[Cards, ...], long_columns: str) -> tuple[ScoreSheet, ...]:
    """The score sheet of each display. Kept, as displays change far less often than they are looked at."""
    return tuple(explain(display, long_columns) for display in displays)


def outcome(sheets: Mapping[Seat, ScoreSheet]) -> Outcome:
    """Most points; then the longest run, the second longest, and so on; still equal: a shared win.

    With nobody to compare there is no winner.
    """
    best = max((sheet.total for sheet in sheets.values()), default=0)
    tied = tuple(sorted(seat for seat, sheet in sheets.items() if sheet.total == best))
    left = tied
    steps: list[TieStep] = []
    place = 0
    while len(left) > 1 and any(place < len(sheets[seat].lengths) for seat in left):
        lengths = {seat: (*sheets[seat].lengths, *[0] * (place + 1))[place] for seat in left}
        longest = max(lengths.values())
        left = tuple(seat for seat in left if lengths[seat] == longest)
        place += 1
        steps.append(TieStep(place, tuple(lengths.items()), left))
    return Outcome(best, tied, tuple(steps), left)
