"""One input given to one reader, within bounds of processor time and memory that are fixed beforehand."""

from __future__ import annotations

import signal
import tracemalloc
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType

SLOWER = 8
"""How much slower Python may be while memory is measured."""


class TooMuch(AssertionError):
    """A reader took longer, or more memory, than its input allows."""


@dataclass(frozen=True)
class Bounds:
    """seconds: of processor time for one input. per_byte, spare: bytes of memory at the same time, for each byte of the
    input and beside it. Python's smallest object takes 16 times its byte of input, an empty map in a tuple 80 times;
    packing again, as a check, doubles that."""

    seconds: float = 2.0
    per_byte: int = 300
    spare: int = 512 * 1024


@contextmanager
def within(bounds: Bounds, size: int, *, memory: bool = False) -> Iterator[None]:
    """Raises TooMuch if what is done inside goes beyond the bounds for an input of `size` bytes."""
    started = memory and not tracemalloc.is_tracing()
    if started:
        tracemalloc.start()
    try:
        with _no_longer_than(bounds.seconds * (SLOWER if memory else 1)):
            if memory:
                tracemalloc.reset_peak()
                before, _ = tracemalloc.get_traced_memory()
            yield
            if memory:
                _, peak = tracemalloc.get_traced_memory()
                allowed = bounds.per_byte * size + bounds.spare
                if peak - before > allowed:
                    raise TooMuch(f"{peak - before} bytes of memory for {size} bytes, at most {allowed}")
    finally:
        if started:
            tracemalloc.stop()


@contextmanager
def _no_longer_than(seconds: float) -> Iterator[None]:
    """Processor time of this process, so that a busy machine makes no difference; a loop without end is broken."""

    def stop(number: int, frame: FrameType | None) -> None:
        raise TooMuch(f"more than {seconds} seconds of processor time")

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
