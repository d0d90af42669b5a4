"""Who lacks what: which entries of one table go to which neighbour, and when. Pure: the caller tells the time.

How entries spread:

- An author passes its new entry to every neighbour at once.
- Whoever gets an entry from somebody else tells those neighbours that are not known to hold it: it announces the
  head that the log had then. When depends on what the neighbour itself has said of its links: at once if it has
  none to the author, a second later if it has one, together with other news; 250 ms later if it has not said. So
  in a full mesh each entry crosses each of its author's links once and no other, and is hardly talked about; a
  star or a line works without delay; and where an author withholds an entry from some, they still get it.
- A neighbour that lacks what was announced asks for it. Each missing entry is asked of one neighbour at a time,
  and each neighbour has one question open at a time; a question not answered in 2 seconds goes to another.
- A question is answered with one batch of bounded size, empty if nothing is there. What is still missing is asked
  for again, so a slow reader is never sent more than it takes.
- When a link comes up, both sides announce everything. A link loses nothing while it lives (it is TCP below), so
  nothing is ever repeated on one, and all that was assumed about a neighbour is forgotten when its link ends.
- A head that differs from the entry held at its sequence number means a fork: that entry is asked for, and what
  lies below it, until the place where the branches part is known. The second branch is passed to all.
- Watchers are told and answered, up to a limit; nothing but the second branch of a fork is sent to them unasked,
  and they are believed nothing.

What is held is read from the logs, which the caller passes in as they are after each change: there is no second
account of it that could differ.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final, Generic, TypeAlias, TypeVar

from p2pmatryoshka.record.entry import Entry, SignedEntry
from p2pmatryoshka.record.log import Log
from p2pmatryoshka.record.neighbour import Heads, Neighbour, Place, heads_of

ASK_AGAIN_AFTER: Final = 2.0
"""Seconds until a question is put to somebody else."""
HEARSAY_AFTER: Final = 5.0
"""Seconds after which a neighbour has surely learned what a member it is linked to holds, and passed it on."""
BATCH_BYTES: Final = 256 * 1024
BATCH_ENTRIES: Final = 512
MOST_ASKED: Final = 512  # entries in one question
MOST_RANGES: Final = 64  # and ranges
WATCHER_BYTES: Final = 32 * 1024 * 1024
"""What a watcher may take over one link: many times the record of any game."""

N = TypeVar("N", bound=Hashable)
Ranges: TypeAlias = tuple[tuple[int, int, int], ...]
"""(member, first, last sequence number), both included."""


@dataclass(frozen=True, slots=True)
class Announce:
    """To be sent as `have`. `hears`: the members this side has links to, in order."""

    heads: Heads
    hears: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Ask:
    """To be sent as `want`."""

    ranges: Ranges


@dataclass(frozen=True, slots=True)
class Pass:
    """To be sent as `entries`."""

    entries: tuple[SignedEntry, ...]


Say: TypeAlias = Announce | Ask | Pass
Says: TypeAlias = list[tuple[N, Say]]


class Sync(Generic[N]):
    """One table's exchange with all neighbours. Each method returns what is to be sent now, to whom."""

    def __init__(self) -> None:
        self._neighbours: dict[N, Neighbour] = {}

    # --- what happened

    def joined(
        self, neighbour: N, logs: Sequence[Log], now: float, *, member: int | None = None, watcher: bool = False
    ) -> Says[N]:
        """A link came up, to that member if it is one. The first thing said on it is all heads, or that there are
        none; the others hear that there is a new link."""
        known = self._neighbours[neighbour] = Neighbour(watcher, member=member)
        known.told = {place: heads_of(place, log) for place, log in enumerate(logs)}
        return [(neighbour, self._announcement(known.told.values())), *self._links_changed(neighbour, known)]

    def left(self, neighbour: N, logs: Sequence[Log], now: float) -> Says[N]:
        """A link ended: what was asked there is asked elsewhere, and the others hear of it."""
        known = self._neighbours.pop(neighbour, None)
        changed = self._links_changed(neighbour, known) if known is not None else []
        return changed + self._react(logs, now)

    def authored(self, entry: Entry, logs: Sequence[Log], now: float) -> Says[N]:
        """I signed a new entry, which is in the logs."""
        says: Says[N] = []
        for neighbour, known in self._neighbours.items():
            if not known.watcher:
                known.holds.add(entry.hash)
                says.append((neighbour, Pass((entry.signed,))))
        return says + self._react(logs, now)

    def received(self, neighbour: N, entries: Sequence[Entry], logs: Sequence[Log], now: float) -> Says[N]:
        """Entries came from a neighbour, passed the check of signature and chain, and are in the logs if new."""
        known = self._neighbours.get(neighbour)
        if known is not None and not known.watcher:
            for entry in entries:
                known.holds.add(entry.hash)
                if entry in logs[entry.author].early:
                    # Whoever passes on what comes later has what comes before.
                    known.beyond[entry.author] = ((entry.author, entry.sequence, entry.hash),)
            self._answered(known, entries, logs)
        return self._react(logs, now)

    def have(
        self,
        neighbour: N,
        heads: Heads,
        logs: Sequence[Log],
        now: float,
        *,
        hears: Iterable[int] | None = None,
    ) -> Says[N]:
        """A neighbour announced heads and, if it says so, the members that it has links to now.

        Of logs that it does not mention nothing has changed.
        """
        known = self._neighbours.get(neighbour)
        if known is None or known.watcher:
            return []
        first, known.met = not known.met, True
        news = self._links_changed(neighbour, known) if first else []
        if hears is not None:
            known.hears = frozenset(hears)
            known.hears_since = {member: known.hears_since.get(member, now) for member in known.hears}
        for member in {member for member, _, _ in heads if member < len(logs)}:
            known.announced[member] = tuple(head for head in heads if head[0] == member)
        return news + self._react(logs, now)

    def want(self, neighbour: N, ranges: Ranges, logs: Sequence[Log], now: float) -> Says[N]:
        """A neighbour asks: it gets one batch, whatever it was thought to hold."""
        known = self._neighbours.get(neighbour)
        if known is None:
            return []
        batch: list[SignedEntry] = []
        size = 0
        for entry in islice(_within(ranges, logs), BATCH_ENTRIES):
            size += len(entry.signed.data) + len(entry.signed.signature)
            if (batch and size > BATCH_BYTES) or (known.watcher and known.bytes_passed + size > WATCHER_BYTES):
                break
            batch.append(entry.signed)
            known.holds.add(entry.hash)
        known.bytes_passed += sum(len(signed.data) + len(signed.signature) for signed in batch)
        return [(neighbour, Pass(tuple(batch)))]

    def due(self, logs: Sequence[Log], now: float) -> Says[N]:
        """To be called when `next_due` is reached."""
        for known in self._neighbours.values():
            if known.asked and known.asked_at + ASK_AGAIN_AFTER <= now:
                known.asked.clear()
                known.failures += 1
        return self._react(logs, now)

    def next_due(self) -> float | None:
        """When `due` has something to do, if nothing else happens before; None if never."""
        times = [plan.due for known in self._neighbours.values() for plan in known.plans.values()]
        times += [known.asked_at + ASK_AGAIN_AFTER for known in self._neighbours.values() if known.asked]
        return min(times, default=None)

    def has_returned(self, me: int, others: Iterable[int], logs: Sequence[Log], now: float) -> bool:
        """After a restart: whether each of these members has shown what it holds of my own log, and I hold all of it.

        Until then I must sign nothing: a restored backup may have forgotten entries that others hold. A member without
        a link to me counts once a neighbour has said for some seconds that it is linked to it: by then that neighbour
        has asked for whatever of mine the member holds, and told me.
        """
        shown: set[int] = set()
        told: set[int] = set()
        linked = {known.member for known in self._neighbours.values()}
        for known in self._neighbours.values():
            if known.member is None or known.watcher or not known.met:
                continue
            heads = known.announced.get(me, ())
            if all(at < len(logs[me].chain) and logs[me].chain[at].hash == digest for _, at, digest in heads):
                shown.add(known.member)
                told |= {m for m, since in known.hears_since.items() if now - since >= HEARSAY_AFTER}
        return (shown | (told - linked)).issuperset(set(others) - {me})

    def holds_all(self, neighbour: N, logs: Sequence[Log], *, of: int | None = None) -> bool:
        """Whether a neighbour is known to hold everything that the logs (or one member's) hold without gaps."""
        known = self._neighbours.get(neighbour)
        if known is None:
            return False
        known.refresh(logs)
        return all(
            known.upto.get(member, -1) + 1 == len(log.chain)
            for member, log in enumerate(logs)
            if of is None or member == of
        )

    # --- what follows from it

    def _answered(self, known: Neighbour, entries: Sequence[Entry], logs: Sequence[Log]) -> None:
        """Closes the open question if these entries are its answer; what brought nothing is not asked again."""
        answers = [entry for entry in entries if (entry.author, entry.sequence) in known.asked]
        if entries and not answers:
            return
        if not any(_in(logs[entry.author], entry) for entry in answers):
            for heads in (known.announced, known.beyond):
                for member in {member for member, _ in known.asked} & heads.keys():
                    heads[member] = tuple(head for head in heads[member] if head not in known.believed)
            known.failures += 1
        known.asked.clear()

    def _react(self, logs: Sequence[Log], now: float) -> Says[N]:
        says: Says[N] = []
        for neighbour, known in self._neighbours.items():
            known.refresh(logs)
            for member, log in enumerate(logs):
                # What it was told of it asks for, if it lacks it.
                told = {digest for _, _, digest in known.told.get(member, ())}
                for entry in log.branch:
                    if entry.hash not in known.holds and entry.hash not in told:
                        known.holds.add(entry.hash)
                        says.append((neighbour, Pass((entry.signed,))))
            known.plan(logs, now)
            news = known.planned(logs, now)
            known.plan(logs, now)  # what has come since the plan that was just carried out
            if news:
                says.append((neighbour, self._announcement(news)))
        return says + self._questions(logs, now)

    def _announcement(self, heads: Iterable[Heads]) -> Announce:
        hears = {known.member for known in self._neighbours.values() if known.member is not None and known.met}
        return Announce(tuple(sorted(head for some in heads for head in some)), tuple(sorted(hears)))

    def _links_changed(self, changed: N, its: Neighbour) -> Says[N]:
        return [
            (neighbour, self._announcement(()))
            for neighbour, known in self._neighbours.items()
            if neighbour != changed and its.member is not None and not known.watcher
        ]

    def _questions(self, logs: Sequence[Log], now: float) -> Says[N]:
        says: Says[N] = []
        asked = {place for known in self._neighbours.values() for place in known.asked}
        for neighbour, known in sorted(self._neighbours.items(), key=lambda item: item[1].failures):
            if known.asked:
                continue
            missing = (found for found in known.missing(logs) if found[0] not in asked)
            question = dict(islice(missing, MOST_ASKED))
            if question:
                ranges = _ranges(question)[:MOST_RANGES]
                known.asked = {(member, at) for member, *ends in ranges for at in range(ends[0], ends[1] + 1)}
                known.asked_at = now
                heads = (*known.announced.values(), *known.beyond.values())
                known.believed = {head for some in heads for head in some}
                known.tried |= {question[place] for place in known.asked} - {None}
                asked |= known.asked
                says.append((neighbour, Ask(ranges)))
        return says


def _in(log: Log, entry: Entry) -> bool:
    at = entry.sequence
    if at < len(log.chain) and log.chain[at].hash == entry.hash:
        return True
    return any(one.hash == entry.hash for one in (*log.early, *log.branch))


def _within(ranges: Ranges, logs: Sequence[Log]) -> Iterator[Entry]:
    for member, first, last in ranges:
        if member < len(logs):
            log = logs[member]
            yield from log.chain[first : last + 1]
            yield from (entry for entry in log.branch if first <= entry.sequence <= last)


def _ranges(places: Iterable[Place]) -> Ranges:
    ranges: list[tuple[int, int, int]] = []
    for member, sequence in sorted(set(places)):
        if ranges and ranges[-1][0] == member and ranges[-1][2] == sequence - 1:
            ranges[-1] = (member, ranges[-1][1], sequence)
        else:
            ranges.append((member, sequence, sequence))
    return tuple(ranges)
