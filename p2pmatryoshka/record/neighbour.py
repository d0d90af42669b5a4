"""What one side of a link knows about the other's logs of one table. Pure; the rules of use stand in sync.py."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple, TypeAlias

from p2pmatryoshka.record.entry import Entry
from p2pmatryoshka.record.log import Log

TELL_AFTER: Final = 0.25
"""Seconds in which an author's own copy arrives, when nothing is known of the neighbour's links."""
TELL_LATE_AFTER: Final = 1.0
"""Seconds until a neighbour is told of what its own link to the author should have brought it."""
BELOW_A_FORK: Final = 16
"""Entries searched for the place where two branches part."""

Heads: TypeAlias = tuple[tuple[int, int, bytes], ...]
"""(member, sequence number, hash) of a log's last entry held without gaps, and of its second branch's."""
Place: TypeAlias = tuple[int, int]
"""Member and sequence number."""
Try: TypeAlias = tuple[str, int, int, bytes] | None
"""Marks a question about a forked log: its answer need not bring anything new, so it is asked once."""


class Plan(NamedTuple):
    """To tell of these heads: they are so since then, and due then, by the caller's clock."""

    since: float
    due: float
    heads: Heads


@dataclass(slots=True)
class Neighbour:
    """What is known of it over the link that is up now; all of it is forgotten when that ends."""

    watcher: bool
    announced: dict[int, Heads] = field(default_factory=dict)
    beyond: dict[int, Heads] = field(default_factory=dict)  # early entries that it passed on, as a head each
    told: dict[int, Heads] = field(default_factory=dict)
    upto: dict[int, int] = field(default_factory=dict)  # of my chains: the last sequence number it surely holds
    holds: set[bytes] = field(default_factory=set)  # hashes of other entries it surely holds
    member: int | None = None
    met: bool = False  # whether it has announced what it holds over this link
    hears_since: dict[int, float] = field(default_factory=dict)  # and since when it has said so
    hears: frozenset[int] | None = None  # whom it is linked to; None before it said so
    plans: dict[int, Plan] = field(default_factory=dict)
    asked: set[Place] = field(default_factory=set)
    asked_at: float = 0.0
    believed: set[tuple[int, int, bytes]] = field(default_factory=set)  # the heads announced when it was asked
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

    def plan(self, logs: Sequence[Log], now: float) -> None:
        """Sets down what is to be told and when, unless something about the same log is planned already."""
        for member, log in enumerate(logs):
            heads = heads_of(member, log)
            if member not in self.plans and self.lacks(member, heads, log):
                if self.hears is None:
                    delay = TELL_AFTER
                else:
                    delay = TELL_LATE_AFTER if member in self.hears or member == self.member else 0.0
                self.plans[member] = Plan(now, now + delay, heads)

    def planned(self, logs: Sequence[Log], now: float) -> list[Heads]:
        """Takes out what is to be told by now and still is news; and with it what may be told already."""
        if not any(plan.due <= now for plan in self.plans.values()):
            return []
        news = []
        for member, plan in list(self.plans.items()):
            if plan.due <= now or plan.since + TELL_AFTER <= now:
                del self.plans[member]
                if self.lacks(member, plan.heads, logs[member]):
                    self.told[member] = plan.heads
                    news.append(plan.heads)
        return news

    def missing(self, logs: Sequence[Log]) -> Iterator[tuple[Place, Try]]:
        """What it announced and the logs lack."""
        for member, log in enumerate(logs):
            early = {entry.sequence for entry in log.early}
            branch = {entry.hash for entry in log.branch}
            for _, sequence, digest in self.announced.get(member, ()) + self.beyond.get(member, ()):
                if digest in branch:
                    continue
                if sequence >= len(log.chain):
                    try_ = ("further", member, len(log.chain), digest) if log.fork is not None else None
                    for place in range(len(log.chain), sequence + 1):
                        if place not in early and try_ not in self.tried:
                            yield (member, place), try_
                elif log.chain[sequence].hash != digest:
                    above = log.branch[-1].sequence + 1 if log.branch else sequence
                    first = max(min(above, sequence), sequence + 1 - BELOW_A_FORK)
                    yield from self._once(("other", member, sequence, digest), range(first, sequence + 1))
        for member, log in enumerate(logs):
            for entry in log.branch:
                if entry.hash in self.holds and not _joins(log, entry):
                    below = range(max(0, entry.sequence - BELOW_A_FORK), entry.sequence)
                    yield from self._once(("below", member, entry.sequence, entry.hash), below)

    def _once(self, try_: tuple[str, int, int, bytes], places: range) -> Iterator[tuple[Place, Try]]:
        if try_ not in self.tried:
            for place in places:
                yield (try_[1], place), try_


def heads_of(member: int, log: Log) -> Heads:
    """Of a log's chain, and of its second branch if it has one."""
    heads: set[tuple[int, int, bytes]] = set()
    for branch in (log.chain, log.branch):
        if branch:
            heads.add((member, branch[-1].sequence, branch[-1].hash))
    return tuple(sorted(heads))


def _joins(log: Log, entry: Entry) -> bool:
    """Whether the predecessor that an entry of the second branch names is held."""
    before = entry.sequence - 1
    if before < 0 or any(one.hash == entry.previous for one in log.branch):
        return True
    return before < len(log.chain) and log.chain[before].hash == entry.previous
