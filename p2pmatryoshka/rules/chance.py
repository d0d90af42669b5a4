"""What a bot or a simulation asks of the random source it is handed. `random.Random(seed)` fits."""

from __future__ import annotations

from collections.abc import MutableSequence, Sequence
from typing import Any, Protocol, TypeVar

T = TypeVar("T")


class Chance(Protocol):
    """A random source: the caller owns it, so the same seed gives the same game."""

    def randrange(self, start: int, /) -> int:
        """A number in [0, start)."""

    def choice(self, seq: Sequence[T], /) -> T:
        """One item of a sequence that is not empty."""

    def sample(self, population: Sequence[T], k: int, /) -> list[T]:
        """k different items, in random order."""

    def shuffle(self, x: MutableSequence[Any], /) -> None:
        """Put the items in random order."""
