"""A deck of words for Matrioske: 48 things, which can lie inside which, and what is said about its file.

A card's index is series * 6 + depth; depth 0 is the largest thing of its series.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Final

SERIES: Final = 8
DEPTH: Final = 6  # things in a series
CARDS: Final = SERIES * DEPTH

Link = tuple[int, int]  # (inner, outer): card indices


@dataclass(frozen=True)  # not slotted: the relation is worked out once
class Deck:
    """The words in play. names: by card index. links: what the file adds to the series, in its order."""

    title: str
    language: str
    names: tuple[str, ...]
    links: tuple[Link, ...]

    @cached_property
    def holders(self) -> tuple[int, ...]:
        """For each card, the set of cards that can hold it, as a bit mask: bit i is card i."""
        holders = [0] * CARDS
        direct = self.direct
        waiting = list(range(CARDS))
        while waiting:  # ends: masks only grow
            card = waiting.pop()
            mask = holders[card]
            for outer in direct[card]:
                mask |= 1 << outer | holders[outer]
            if mask != holders[card]:
                holders[card] = mask
                waiting += [inner for inner in range(CARDS) if card in direct[inner]]
        return tuple(holders)

    @cached_property
    def held(self) -> tuple[int, ...]:
        """For each card, the set of cards that can lie inside it, as a bit mask."""
        return tuple(
            sum(1 << inner for inner in range(CARDS) if self.holders[inner] >> outer & 1) for outer in range(CARDS)
        )

    @cached_property
    def direct(self) -> tuple[tuple[int, ...], ...]:
        """For each card, the cards that the file itself says it lies inside: the next larger one first."""
        series = [(card - 1,) if card % DEPTH else () for card in range(CARDS)]
        return tuple(
            series[card] + tuple(outer for inner, outer in self.links if inner == card) for card in range(CARDS)
        )

    def holds(self, outer: int, inner: int) -> bool:
        """Whether `inner` can lie inside `outer`."""
        return bool(self.holders[inner] >> outer & 1)

    def fits(self, card: int) -> tuple[int, ...]:
        """The series (0-based) in which a card can lie inside some thing."""
        mask = self.holders[card]
        return tuple(n for n in range(SERIES) if mask >> (n * DEPTH) & ((1 << DEPTH) - 1))


@dataclass(frozen=True, slots=True)
class Place:
    """Where in a deck file, counted from 1; None where it cannot be said."""

    line: int | None = None
    series: int | None = None
    item: int | None = None

    def __str__(self) -> str:
        parts = (("line", self.line), ("series", self.series), ("item", self.item))
        return ", ".join(f"{what} {number}" for what, number in parts if number is not None)


@dataclass(frozen=True, slots=True)
class Note:
    """A fault or a warning. The code is stable; about: the names meant, for texts in other languages."""

    code: str
    place: Place
    what: str
    mend: str  # how to put it right
    about: tuple[str, ...] = ()

    def __str__(self) -> str:
        place = f"{self.place}: " if str(self.place) else ""
        return f"{place}{self.what}; {self.mend}"


@dataclass(frozen=True, slots=True)
class Report:
    """All that can be said about a deck file. deck: None exactly if there are faults."""

    deck: Deck | None
    faults: tuple[Note, ...]
    warnings: tuple[Note, ...]
