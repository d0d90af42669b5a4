"""Fuzzing by a seed: so many inputs, or for so long; inputs that bring out something new are mutated further."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from random import Random

from tests.fuzz.target import Target

CORPUS = Path(__file__).parent / "corpus"
MOST_POOL = 200


class Broken(AssertionError):
    """A reader broke its promise for an input. The cause is chained."""

    def __init__(self, target: Target, seed: int, number: int, data: bytes, cause: BaseException) -> None:
        shown = data.hex() if len(data) <= 2000 else f"{data[:100].hex()}... ({len(data)} bytes)"
        super().__init__(f"{target.name}, seed {seed}, input {number}: {type(cause).__name__}: {cause}\n{shown}")
        self.data = data


def kept(target: Target) -> dict[str, bytes]:
    """The corpus of a target: inputs that are always given."""
    folder = CORPUS / target.name
    return {path.name: path.read_bytes() for path in sorted(folder.glob("*"))} if folder.is_dir() else {}


def replay(target: Target) -> Counter[str]:
    """Give a target its corpus and its seeds as they are."""
    said: Counter[str] = Counter()
    for number, data in enumerate((*kept(target).values(), *target.seeds[:: target.sparse], *target.nasty)):
        said[_run(target, 0, number, data, thorough=True)] += 1
    return said


def several(target: Target, seed: int, count: int) -> Counter[str]:
    """A number of mutated inputs; how often each thing came out."""
    return _campaign(target, seed, iter(range(count)))


def for_seconds(
    target: Target, seed: int, seconds: float, found: Callable[[str, bytes], object] = lambda what, data: None
) -> Counter[str]:
    """Mutated inputs until so many seconds have passed (by the processor's clock). found: is told of inputs for which
    something new came out."""

    def numbers() -> Iterator[int]:
        number, end = 0, time.process_time() + seconds
        while time.process_time() < end:
            yield number
            number += 1

    return _campaign(target, seed, numbers(), found)


def _campaign(
    target: Target, seed: int, numbers: Iterator[int], found: Callable[[str, bytes], object] = lambda what, data: None
) -> Counter[str]:
    random = Random(f"{target.name} {seed}")
    pool: list[bytes] = list(kept(target).values())
    said: Counter[str] = Counter()
    for number in numbers:
        data = target.make(random, pool)
        came_out = _run(target, seed, number, data)
        if came_out not in said:
            found(came_out, data)
            if len(pool) < MOST_POOL:
                pool.append(data)
        said[came_out] += 1
    return said


def _run(target: Target, seed: int, number: int, data: bytes, *, thorough: bool = False) -> str:
    try:
        return target.run(data, thorough=thorough)
    except Exception as error:
        raise Broken(target, seed, number, data, error) from error


def smaller(target: Target, data: bytes, wanted: str, tries: int = 400) -> bytes:
    """A shorter input for which the same comes out: pieces are taken out as long as that holds."""
    size = len(data) // 2
    while size and tries:
        at = 0
        while at < len(data) and tries:
            tries -= 1
            shorter = data[:at] + data[at + size :]
            if _same(target, shorter, wanted):
                data = shorter
            else:
                at += size
        size //= 2
    return data


def _same(target: Target, data: bytes, wanted: str) -> bool:
    try:
        return target.run(data) == wanted
    except Exception as error:
        if wanted == type(error).__name__:
            return True
        raise


def every(names: Sequence[str], targets: Sequence[Target]) -> list[Target]:
    return [target for target in targets if not names or target.name in names]
