"""Spread over threads or not, the sums are the same."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from p2pmatryoshka.crypto.group import INFINITY, base
from p2pmatryoshka.crypto.sums import decode_points, sums
from tests.crypto.helpers import backwards, refused

POINTS = [base(k) for k in range(1, 60)]


def rows(lengths: Sequence[int]) -> list[list[tuple[int, Any]]]:
    rng = random.Random(str(lengths))
    return [[(rng.randrange(2**40), rng.choice(POINTS)) for _ in range(n)] for n in lengths]


@pytest.mark.parametrize(
    "lengths",
    [[], [0], [1], [0, 0, 3], [47], [48], [49], [48, 48], [200], [1] * 100, [30, 30, 30, 0, 200, 2], [96, 1]],
)
def test_cut_or_not_the_sums_are_the_same(lengths: list[int]) -> None:
    serial = sums(rows(lengths))
    assert len(serial) == len(lengths)
    assert sums(rows(lengths), backwards) == serial


def test_pieces_that_cancel() -> None:
    row = [(1, POINTS[0])] * 48 + [(-1, POINTS[0])] * 48
    assert sums([row], backwards) == sums([row]) == [INFINITY]


def test_chunks_are_even() -> None:
    sizes: list[int] = []

    def spread(work: Callable[[Any], Any], chunks: Sequence[Any]) -> list[Any]:
        sizes.extend(sum(len(row) for row in chunk) for chunk in chunks)
        return [work(chunk) for chunk in chunks]

    sums(rows([100, 2, 2, 2, 2, 60]), spread)
    assert sizes == [48, 48, 48, 24]
    sizes.clear()
    sums(rows([48, 48]), spread)
    assert sizes == [48, 48]


def test_two_threads() -> None:
    seen: set[int] = set()
    both = threading.Barrier(2, timeout=10)

    def spread(work: Callable[[Any], Any], chunks: Sequence[Any]) -> list[Any]:
        def watched(chunk: Any) -> Any:
            if len(seen) < 2:
                seen.add(threading.get_ident())
                both.wait()
            return work(chunk)

        with ThreadPoolExecutor(2) as pool:
            return list(pool.map(watched, chunks))

    assert sums(rows([96]), spread) == sums(rows([96]))
    assert len(seen) == 2


def test_a_refusal_comes_out_of_the_parallel_map() -> None:
    with ThreadPoolExecutor(2) as pool, refused("point.encoding"):
        decode_points(bytes(33), 1, spread=lambda work, chunks: list(pool.map(work, chunks)))
