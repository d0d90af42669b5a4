"""What one side of a link knows about the other's logs of one table. Pure; the rules of use stand in sync.py."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from p2pmatryoshka.record.log import Log

BELOW_A_FORK: Final = 16
"""Entries searched for the place where two branches part."""

Heads: TypeAlias = tuple[tuple[int, int, bytes], ...]
"""(member, sequence number, hash) of a log's last entry held without gaps, and of its second branch's."""
Place: TypeAlias = tuple[int, int]
"""Member and sequence number."""
Try: TypeAlias = tuple[int, int, bytes] | None
"""Marks a question about a forked log: its answer need not bring anything new, so it is asked once."""


@dataclass(slots=True)
class Neighbour:
    """What is known of it over the link that is up now; all of it is forgotten when that ends."""

    watcher: bool
    announced: dict[int, Heads] = field(default_factory=dict)
    told: dict[int, Heads] = field(default_factory=dict)
    upto: dict[int, int] = field(default_factory=dict)  # of my chains: the last sequence number it surely holds
    holds: set[bytes] = field(default_factory=set)  # hashes of other entries it surely holds
    plans: dict[int, tuple[float, Heads]] = field(default_factory=dict)  # when to tell, and what
    asked: set[Place] = field(default_factory=set)
    asked_at: float = 0.0
    failures: int = 0
    tried: set[Try] = field(default_factory=set)
    bytes_passed: int = 0

    def refresh(self, logs: Sequence[Log]) -> None:
        """Brings what it surely holds up to the logs as they are now."""
        for member, heads in self.announced.items():
            chain = logs[member].chain
            for _, sequence, digest in heads:
                if sequence < len(chain) and chain[sequence].hash == digest:
                    self.upto[member] = max(sequence, self.upto.get(member, -1))
                else:
                    self.holds.add(digest)
        for member, log in enumerate(logs):
            last = self.upto.get(member, -1)
            while last + 1 < len(log.chain) and log.chain[last + 1].hash in self.holds:
                last += 1
                self.holds.discard(log.chain[last].hash)
            self.upto[member] = last

    def lacks(self, member: int, heads: Heads, log: Log) -> bool:
        """Whether it is not known to hold, and was not told of, all of these heads of mine."""
        return self.told.get(member, ()) != heads and not all(
            sequence <= self.upto.get(member, -1)
            if sequence < len(log.chain) and log.chain[sequence].hash == digest
            else digest in self.holds
            for _, sequence, digest in heads
        )

    def plan(self, logs: Sequence[Log], when: float) -> None:
        """Sets down what is to be told at that time, unless something about the same log is planned already."""
        for member, log in enumerate(logs):
            heads = heads_of(member, log)
            if member not in self.plans and self.lacks(member, heads, log):
                self.plans[member] = (when, heads)

    def planned(self, logs: Sequence[Log], now: float) -> list[Heads]:
        """Takes out what is to be told by now and still is news."""
        news = []
        for member, (when, heads) in list(self.plans.items()):
            if when <= now:
                del self.plans[member]
                if self.lacks(member, heads, logs[member]):
                    self.told[member] = heads
                    news.append(heads)
        return news

    def missing(self, logs: Sequence[Log]) -> Iterator[tuple[Place, Try]]:
        """What it announced and the logs lack."""
        for member, heads in self.announced.items():
            log = logs[member]
            early = {entry.sequence for entry in log.early}
            for _, sequence, digest in heads:
                if sequence >= len(log.chain):
                    try_ = (member, len(log.chain), digest) if log.fork is not None else None
                    for place in range(len(log.chain), sequence + 1):
                        if place not in early and try_ not in self.tried:
                            yield (member, place), try_
                elif log.chain[sequence].hash != digest and (log.fork is None or log.fork.sequence > sequence):
                    yield from self._once((member, sequence, digest), range(sequence, sequence + 1))
            other = log.other
            if (
                other is not None
                and other.hash in self.holds
                and 0 < other.sequence <= len(log.chain)
                and other.previous != log.chain[other.sequence - 1].hash
            ):
                below = range(max(0, other.sequence - BELOW_A_FORK), other.sequence)
                yield from self._once((member, other.sequence - 1, other.hash), below)

    def _once(self, try_: tuple[int, int, bytes], places: range) -> Iterator[tuple[Place, Try]]:
        if try_ not in self.tried:
            for place in places:
                yield (try_[0], place), try_


def heads_of(member: int, log: Log) -> Heads:
    """Of a log's chain, and of its second branch if it has one."""
    heads: set[tuple[int, int, bytes]] = set()
    if log.chain:
        heads.add((member, log.chain[-1].sequence, log.chain[-1].hash))
    if log.other is not None:
        heads.add((member, log.other.sequence, log.other.hash))
    return tuple(sorted(heads))
