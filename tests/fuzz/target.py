"""What is fuzzed: a reader, inputs to begin with, and a way to change them."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from random import Random

from p2pmatryoshka.errors import LinkFault, Refused
from tests.fuzz.bounds import Bounds, within
from tests.fuzz.mutate import mutated_bytes

LONGEST_DETAIL = 500
Mutate = Callable[[Random, bytes, Sequence[bytes]], bytes]


@dataclass
class Target:
    """read: gives an input to the reader and checks all that must hold for any; says what came out of it: a rule, or
    "read". usual: how many inputs the normal suite gives. traced: whether memory is measured. nasty: inputs that are
    expensive or hopeless from the start, and so seldom mutated. sparse: only every so many of the seeds are given as
    they are."""

    name: str
    read: Callable[[bytes], str]
    begin: Callable[[], Sequence[bytes]]
    mutate: Mutate
    usual: int = 300
    bounds: Bounds = field(default_factory=Bounds)
    traced: bool = True
    nasty: Sequence[bytes] = ()
    sparse: int = 1

    @cached_property
    def seeds(self) -> tuple[bytes, ...]:
        return tuple(self.begin())

    def make(self, random: Random, pool: Sequence[bytes] = ()) -> bytes:
        """A new input, from the seeds or from a pool of inputs that were of interest."""
        if self.nasty and random.random() < 0.04:
            return mutated_bytes(random, random.choice(self.nasty), self.seeds)
        start = random.choice(pool) if pool and random.random() < 0.5 else random.choice(self.seeds)
        return self.mutate(random, start, self.seeds)

    def run(self, data: bytes, *, thorough: bool = False) -> str:
        """What came out; raises whatever a reader may not raise, and AssertionError where something else is wrong.
        Measuring memory is slow, so it is done for one input in eight, or if thorough."""
        with within(self.bounds, len(data)):
            said = self.read(data)
        if self.traced and (thorough or zlib.crc32(data) % 8 == 0):
            with within(self.bounds, len(data), memory=True):
                assert self.read(data) == said, "the same input was read otherwise the second time"
        return said


def refused(error: Refused | LinkFault) -> str:
    """The rule of a typed refusal. What it says to people may reach a terminal."""
    assert error.rule, "a refusal without a rule"
    assert error.rule.isascii()
    shown(error.detail)
    return error.rule


def shown(detail: str) -> None:
    assert detail.isprintable(), f"a text for people that may steer a terminal: {detail[:200]!r}"
    assert len(detail) <= LONGEST_DETAIL, f"a text for people of {len(detail)} characters"
