"""Threads for checks of many terms: the curve library lets go of the interpreter while it computes."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import TypeVar

C = TypeVar("C")
R = TypeVar("R")

MOST_THREADS = 4


@cache
def _pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(min(MOST_THREADS, os.cpu_count() or 1), thread_name_prefix="check")


def spread(work: Callable[[C], R], chunks: Sequence[C]) -> list[R]:
    """A parallel map, in order (see crypto.sums.Spread)."""
    if len(chunks) < 2:
        return [work(chunk) for chunk in chunks]
    return list(_pool().map(work, chunks))
