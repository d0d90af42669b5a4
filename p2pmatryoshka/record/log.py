"""One member's log: entries in a hash chain, in whatever order they arrive, and the proof when there are two versions.

Whatever comes early is held within bounds; gaps and early entries accuse nobody. Two different entries with one
sequence number, or an entry that names another predecessor than the one its author signed, are a fork: both carry the
author's signature, so the pair convinces anyone.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from p2pmatryoshka.record.entry import Entry, SignedEntry

MOST_EARLY = 16
"""Entries held of one member whose predecessors are missing; of these the nearest to the chain are kept."""


@dataclass(frozen=True, slots=True)
class Fork:
    """Evidence: two entries of one member that cannot both belong to one log. `sequence` is where they part."""

    sequence: int
    one: SignedEntry
    other: SignedEntry


@dataclass(frozen=True, slots=True)
class Log:
    """chain: from sequence 0 on without gaps, the first branch seen. early: later ones, predecessors missing.
    other: the first entry seen of a second branch, kept to be passed on."""

    origin: bytes  # the table id, which the first entry names as its predecessor
    chain: tuple[Entry, ...] = ()
    early: tuple[Entry, ...] = ()
    fork: Fork | None = None
    other: Entry | None = None

    @property
    def head(self) -> bytes:
        """The hash the next entry must name as its predecessor."""
        return self.chain[-1].hash if self.chain else self.origin

    def add(self, entry: Entry) -> Log:
        """The log with one more entry; itself if nothing is new."""
        at = len(self.chain)
        if entry.sequence > at:
            return self._hold(entry)
        if entry.sequence < at:
            known = self.chain[entry.sequence]
            return self if known.hash == entry.hash else self._forked(known, entry, entry.sequence)
        if entry.previous != self.head:
            if at:
                return self._forked(self.chain[-1], entry, at - 1)
            # No predecessor exists that it could contradict: the entry alone convicts its author.
            entry = replace(entry, fault="entry.previous")
        log = replace(self, chain=(*self.chain, entry))
        for early in self.early:
            if early.sequence == at + 1:
                return replace(log, early=tuple(e for e in self.early if e is not early)).add(early)
        return log

    def _hold(self, entry: Entry) -> Log:
        for early in self.early:
            if early.sequence == entry.sequence:
                return self if early.hash == entry.hash else self._forked(early, entry, entry.sequence)
        held = sorted((*self.early, entry), key=lambda early: early.sequence)[:MOST_EARLY]
        return self if tuple(held) == self.early else replace(self, early=tuple(held))

    def _forked(self, one: Entry, other: Entry, sequence: int) -> Log:
        if self.fork is not None and self.fork.sequence <= sequence:
            return self
        return replace(self, fork=Fork(sequence, one.signed, other.signed), other=other)
