"""The public fold: entries in, in any order; whose turn it is, what stands, and who cheated, out.

Members, watchers and audits all run this. It never raises on a peer's input: what convicts nobody is an event that
blames the link, and what convicts somebody takes that member's place in the step it owed.

A member's entries fill the places it owes one after another, in the order of its log. An entry counts for the open
step if it names its table hash. One that names an older moment, where its author owed nothing more, is a forfeit; one
that names an unknown hash is held, and accuses nobody.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from p2pmatryoshka.crypto.sums import Spread
from p2pmatryoshka.errors import LinkFault, Refused
from p2pmatryoshka.record import entry as entries
from p2pmatryoshka.record.entry import Entry, SignedEntry
from p2pmatryoshka.record.log import Fork, Log
from p2pmatryoshka.table import messages, step
from p2pmatryoshka.table.roster import Roster, read_roster
from p2pmatryoshka.table.step import Abandoned, Closed, Fill, Filling, Moment

SIDE = (messages.Vote, messages.Withdraw, messages.Confirm, messages.Stand)
"""Bodies that fill no place: what a member says about the table, not at it."""

MOST_AHEAD, MOST_AHEAD_BYTES = 64, 8 * 1024 * 1024
"""Entries, and bytes of them, that one log may hold beyond what was used: enough for whole games, no more."""


@dataclass(frozen=True, slots=True)
class Accusation:
    """A member broke a rule, and these entries prove it (against the record that they name)."""

    member: int
    rule: str
    detail: str
    step: int
    evidence: tuple[SignedEntry, ...]


@dataclass(frozen=True, slots=True)
class Rejected:
    """Bytes that no honest peer passes on: blame the link they came by."""

    rule: str
    detail: str


@dataclass(frozen=True, slots=True)
class PlaceFilled:
    """A place of a step was filled, and how; for an answer every proof was checked."""

    step: int
    kind: str
    member: int
    fill: Fill


@dataclass(frozen=True, slots=True)
class Advanced:
    """A step is complete and the next one is open."""

    moment: Moment


Event = Accusation | Rejected | PlaceFilled | Advanced


@dataclass(frozen=True, slots=True)
class Table:
    """One table as far as the entries held go. spine: the moments so far, the open one last. places: those of the
    open step that are filled; cursors: where each of these left its member's log. spread: a parallel map for
    checks of many terms."""

    roster: Roster
    logs: tuple[Log, ...]
    spine: tuple[Moment, ...]
    hashes: Mapping[bytes, int]
    places: Mapping[int, Filling] = field(default_factory=dict)
    cursors: Mapping[int, int] = field(default_factory=dict)
    accusations: tuple[Accusation, ...] = ()
    spread: Spread | None = None

    @classmethod
    def open(cls, roster: bytes, spread: Spread | None = None) -> Table:
        """A table before its first entry. Raises Refused if the roster is not one."""
        checked = read_roster(roster)
        start = step.first(checked)
        logs = tuple(Log(checked.table) for _ in checked.members)
        return cls(checked, logs, (start,), {start.hash: 0}, spread=spread)

    @property
    def moment(self) -> Moment:
        return self.spine[-1]

    @property
    def closed(self) -> bool:
        """Nothing is owed any more."""
        return isinstance(self.moment.stage, Closed | Abandoned)

    @property
    def awaited(self) -> tuple[int, ...]:
        """Members whose place in the open step is empty."""
        return tuple(member for member in self.moment.owed.members if member not in self.places)

    def receive(self, signed: SignedEntry) -> tuple[Table, tuple[Event, ...]]:
        """The table with one more entry, and what that changed."""
        try:
            entry = self.parse(signed)
        except LinkFault as error:
            return self, (Rejected(error.rule, error.detail),)
        held = self.hold(entry)
        return (self, ()) if held is self else held.progress()

    def parse(self, signed: SignedEntry) -> Entry:
        """An entry of this table with a valid signature. Raises LinkFault, which accuses no member."""
        return entries.parse(signed, self.roster.table, self.roster.keys)

    def hold(self, entry: Entry) -> Table:
        """The table with an entry in its author's log: quick, nothing but the chain is checked. Itself if the entry
        is not new, or if its author has flooded the table."""
        before = self.logs[entry.author]
        if self._flooded(entry.author):
            return self
        log = before.add(entry)
        if log is before:
            return self
        return replace(self, logs=(*self.logs[: entry.author], log, *self.logs[entry.author + 1 :]))

    def progress(self) -> tuple[Table, tuple[Event, ...]]:
        """Judge what is held as far as it goes: this is where proofs are checked. Logs stay as they are."""
        events: list[Event] = [
            self._forked(member, log.fork)
            for member, log in enumerate(self.logs)
            if log.fork is not None and not self._accused_of_fork(member)
        ]
        table = self
        while not table.closed:
            table = table._fill(events)
            if table.awaited:
                break
            table = table._close(events)
        accused = tuple(event for event in events if isinstance(event, Accusation))
        return replace(table, accusations=(*table.accusations, *accused)), tuple(events)

    def _flooded(self, member: int) -> bool:
        """Whether a member has signed far more than any step could ask of it."""
        ahead = self.logs[member].chain[self.moment.cursors[member] :]
        return len(ahead) > MOST_AHEAD and sum(len(e.signed.data) for e in ahead) > MOST_AHEAD_BYTES

    def _accused_of_fork(self, member: int) -> bool:
        return any(a.member == member and a.rule == "entry.fork" for a in self.accusations)

    def _forked(self, member: int, fork: Fork) -> Accusation:
        detail = f"two different entries signed, parting at number {fork.sequence}"
        return Accusation(member, "entry.fork", detail, self.moment.number, (fork.one, fork.other))

    def _fill(self, events: list[Event]) -> Table:
        """Every place of the open step that can be filled from the entries held."""
        moment = self.moment
        places, cursors = dict(self.places), dict(self.cursors)
        for member in self.awaited:
            got = self._next_filling(moment, member)
            if got is None:
                continue
            filling, cursors[member] = got
            places[member] = filling
            events.append(PlaceFilled(moment.number, moment.owed.kind, member, filling.fill))
            if filling.fill is Fill.FORFEIT:
                events.append(self._forfeit(moment, member, filling))
        return replace(self, places=places, cursors=cursors)

    def _forfeit(self, moment: Moment, member: int, filling: Filling) -> Accusation:
        evidence = tuple(e.signed for e in self.logs[member].chain if e.hash == filling.entry)
        return Accusation(member, filling.rule, filling.detail, moment.number, evidence)

    def _next_filling(self, moment: Moment, member: int) -> tuple[Filling, int] | None:
        """What fills a member's place, and the cursor behind it; None while that is not known."""
        log = self.logs[member]
        at = moment.cursors[member]
        if log.fork is not None:
            return Filling(Fill.FORKED), at
        for place in range(at, len(log.chain)):
            entry = log.chain[place]
            try:
                body = _body(entry)
                if isinstance(body, SIDE):
                    continue
                if isinstance(body, messages.Leave):
                    return Filling(Fill.LEFT, entry.hash), place + 1
                if entry.table_hash != moment.hash:
                    if entry.table_hash not in self.hashes:
                        return None
                    raise Refused("entry.turn", "nothing was owed where this entry says it stands")
                payload = step.check(moment, member, body, self.spread)
            except Refused as error:
                return Filling(Fill.FORFEIT, entry.hash, rule=error.rule, detail=error.detail), place + 1
            return Filling(Fill.ANSWER, entry.hash, payload), place + 1
        return None

    def _close(self, events: list[Event]) -> Table:
        moment = self.moment
        cursors = tuple(self.cursors.get(member, at) for member, at in enumerate(moment.cursors))
        after = step.close(moment, self.places, cursors)
        for member, filling in step.judged_together(moment, self.places).items():
            if filling is not self.places[member]:
                events.append(self._forfeit(moment, member, filling))
        events.append(Advanced(after))
        return replace(
            self,
            spine=(*self.spine, after),
            hashes={**self.hashes, after.hash: len(self.spine)},
            places={},
            cursors={},
        )


def _body(entry: Entry) -> messages.AnyBody:
    """Raises Refused with the rule that the bytes of the entry break, if any."""
    if entry.fault is not None:
        raise Refused(entry.fault, "the signed bytes break the form of an entry")
    return messages.decode(entry.body)
