"""Many-term public sums, by one thread or several.

The curve library releases the interpreter's lock, so threads help. This file starts none: the caller passes a
parallel map, because pure code does not own threads.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Protocol, TypeVar

from p2pmatryoshka.crypto.group import POINT_SIZE, Point, Term, combination_public, decode, encode_points, total
from p2pmatryoshka.errors import Refused

__all__ = ["Spread", "decode_points", "encode_points", "sums"]

C = TypeVar("C")
R = TypeVar("R")

_CHUNK = 48  # terms, about a millisecond: long beside a thread switch, short beside a shuffle of 52


class Spread(Protocol):
    """A parallel map: the results of work(chunk), in the order of the chunks. What work raises comes out."""

    def __call__(self, work: Callable[[C], R], chunks: Sequence[C], /) -> list[R]: ...


def sums(rows: Iterable[Iterable[Term]], spread: Spread | None = None) -> list[Point]:
    """The sum of k p over all terms (k, p) of each row; all public.

    To be spread, long rows are cut and short ones put together, so that all chunks cost about the same.
    """
    if spread is None:
        return [combination_public(row) for row in rows]
    chunks: list[list[Sequence[Term]]] = [[]]
    cuts: list[int] = []  # the number of pieces that each row was cut into
    room = _CHUNK
    for terms in rows:
        row = list(terms)
        pieces = 0
        start = 0
        while start < len(row) or not pieces:
            piece = row[start : start + room]
            chunks[-1].append(piece)
            pieces += 1
            start += room
            room -= len(piece)
            if not room:
                chunks.append([])
                room = _CHUNK
        cuts.append(pieces)
    parts = [part for done in spread(_combine_all, [chunk for chunk in chunks if chunk]) for part in done]
    result = []
    start = 0
    for pieces in cuts:
        result.append(parts[start] if pieces == 1 else total(parts[start : start + pieces]))
        start += pieces
    return result


def _combine_all(rows: Sequence[Sequence[Term]]) -> list[Point]:
    return [combination_public(row) for row in rows]


def decode_points(data: bytes, count: int, *, spread: Spread | None = None) -> tuple[Point, ...]:
    """Exactly `count` points. Raises Refused "points.length", "point.encoding"."""
    if len(data) != POINT_SIZE * count:
        raise Refused("points.length", f"{len(data)} bytes for {count} points of {POINT_SIZE}")
    if spread is None:
        return tuple(_decode_all(data))
    size = POINT_SIZE * _CHUNK * 4
    return tuple(
        p for done in spread(_decode_all, [data[i : i + size] for i in range(0, len(data), size)]) for p in done
    )


def _decode_all(data: bytes) -> list[Point]:
    return [decode(data[i : i + POINT_SIZE]) for i in range(0, len(data), POINT_SIZE)]
