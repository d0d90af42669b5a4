"""One member's log: entries in a hash chain, in whatever order they arrive, and the proof when there are two versions.

Whatever comes early is held within bounds; gaps and early entries accuse nobody. Two different entries with one
sequence number, or an entry that names another predecessor than the one its author signed, are a fork: both carry the
author's signature, so the pair convinces anyone. Of a forked log two branches are kept, since either may be the one
that others have built on.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from p2pmatryoshka.record.entry import Entry, SignedEntry

MOST_EARLY = 16
"""Entries held of one member whose predecessors are missing, and of its second branch; the nearest are kept."""

MOST_BRANCH, MOST_BRANCH_BYTES = 256, 8 * 1024 * 1024
"""Entries, and bytes of them, held of a second branch: more than anybody can have built on before it showed."""


@dataclass(frozen=True, slots=True)
class Fork:
    """Evidence: two entries of one member that cannot both belong to one log. `sequence` is where they part."""

    sequence: int
    one: SignedEntry
    other: SignedEntry


@dataclass(frozen=True, slots=True)
class Log:
    """chain: from sequence 0 on without gaps, the first branch seen. early: later ones, predecessors missing.
    branch: entries that cannot belong to the chain, by sequence."""

    origin: bytes  # the table id, which the first entry names as its predecessor
    chain: tuple[Entry, ...] = ()
    early: tuple[Entry, ...] = ()
    fork: Fork | None = None
    branch: tuple[Entry, ...] = ()

    @property
    def head(self) -> bytes:
        """The hash the next entry must name as its predecessor."""
        return self.chain[-1].hash if self.chain else self.origin

    @property
    def other(self) -> Entry | None:
        """The first entry known of the second branch."""
        return self.branch[0] if self.branch else None

    def second(self) -> tuple[Entry, ...]:
        """The whole log by its second branch, as far as that is held without gaps; the chain if there is none."""
        for start, entry in enumerate(self.branch):
            at = entry.sequence
            if at > len(self.chain):
                break
            if not at or entry.previous == self.chain[at - 1].hash:
                whole = [*self.chain[:at], entry]
                for later in self.branch[start + 1 :]:
                    if later.sequence == len(whole) and later.previous == whole[-1].hash:
                        whole.append(later)
                return tuple(whole)
        return self.chain

    def add(self, entry: Entry) -> Log:
        """The log with one more entry; itself if nothing is new."""
        at = len(self.chain)
        if entry.sequence == 0 and entry.previous != self.origin:
            # No predecessor exists that it could contradict: the entry alone convicts its author.
            entry = replace(entry, fault="entry.previous")
        if entry.sequence > at:
            return self._hold(entry)
        if entry.sequence < at:
            known = self.chain[entry.sequence]
            return self if known.hash == entry.hash else self._part(known, entry, entry.sequence)
        if at and entry.previous != self.head:
            return self._part(self.chain[-1], entry, at - 1)
        log = replace(self, chain=(*self.chain, entry))
        waiting = [early for early in self.early if early.sequence == at + 1]
        if waiting:
            log = replace(log, early=tuple(early for early in self.early if early.sequence != at + 1))
            for early in waiting:
                log = log.add(early)
        return log

    def _hold(self, entry: Entry) -> Log:
        if self._goes_on(entry):
            return self._part(self.chain[-1] if self.chain else self.branch[0], entry, entry.sequence)
        for early in self.early:
            if early.sequence == entry.sequence:
                return self if early.hash == entry.hash else self._part(early, entry, entry.sequence)
        held = tuple(sorted((*self.early, entry), key=lambda early: early.sequence)[:MOST_EARLY])
        return self if held == self.early else replace(self, early=held)

    def _part(self, one: Entry, other: Entry, sequence: int) -> Log:
        """With an entry of another branch than `one`. What goes on with the second branch is always taken; of what
        hangs in the air, and of third versions, a few are kept."""
        if any(entry.hash == other.hash for entry in self.branch):
            return self
        if not self._goes_on(other) and len(self.branch) >= len(self.second()) - self._parting + MOST_EARLY:
            return self
        if len(self.branch) >= MOST_EARLY and sum(len(e.signed.data) for e in self.branch) > MOST_BRANCH_BYTES:
            return self
        if len(self.branch) >= MOST_BRANCH:
            return self
        branch = tuple(sorted((*self.branch, other), key=lambda entry: entry.sequence))
        fork = self.fork
        if fork is None or sequence < fork.sequence:
            fork = Fork(sequence, one.signed, other.signed)
        log = replace(self, branch=branch, fork=fork)
        for early in self.early:
            if early.previous == other.hash:
                return replace(log, early=tuple(e for e in self.early if e is not early)).add(early)
        return log

    def _goes_on(self, entry: Entry) -> bool:
        """Whether an entry is the next of the second branch."""
        second = self.second() if self.branch else ()
        return bool(second) and entry.previous == second[-1].hash

    @property
    def _parting(self) -> int:
        return self.fork.sequence if self.fork is not None else len(self.chain)
