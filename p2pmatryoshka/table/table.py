"""The public table: entries in, in any order; whose turn it is, what stands, and who cheated, out.

Members, watchers and audits all run this. It never raises on a peer's input: what convicts nobody is an event that
blames the link, and what convicts somebody takes that member's place in the step it owed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from p2pmatryoshka.crypto.sums import Spread
from p2pmatryoshka.errors import LinkFault
from p2pmatryoshka.record import entry as entries
from p2pmatryoshka.record.entry import Entry, SignedEntry
from p2pmatryoshka.record.log import Fork, Log
from p2pmatryoshka.table import fold, step
from p2pmatryoshka.table.fold import Folded, Folding
from p2pmatryoshka.table.memo import Memo
from p2pmatryoshka.table.roster import Roster, read_roster
from p2pmatryoshka.table.sidelines import Sidelines
from p2pmatryoshka.table.step import Fill, Filling, Moment

MOST_AHEAD, MOST_AHEAD_BYTES = 256, 8 * 1024 * 1024
"""Entries, and bytes of them, that one log may hold beyond what was used: more than whole games need."""


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
    """One table as far as the entries held go. me: whose it is, None for watchers and audits (a member's own open
    vote keeps the step open for it). spread: a parallel map for checks of many terms. sides: what was said beside the
    table, as of the last judging."""

    roster: Roster
    logs: tuple[Log, ...]
    folded: Folded
    memo: Memo = field(compare=False, repr=False)
    sides: Sidelines = field(compare=False, repr=False)
    accusations: tuple[Accusation, ...] = ()
    me: int | None = None
    spread: Spread | None = None

    @classmethod
    def open(cls, roster: bytes, me: int | None = None, spread: Spread | None = None) -> Table:
        """A table before its first entry. Raises Refused if the roster is not one."""
        checked = read_roster(roster)
        logs = tuple(Log(checked.table) for _ in checked.members)
        memo = Memo()
        return cls(
            checked, logs, fold.start(step.first(checked)), memo, Sidelines(logs, memo, me), me=me, spread=spread
        )

    @property
    def spine(self) -> tuple[Moment, ...]:
        return self.folded.spine

    @property
    def moment(self) -> Moment:
        return self.folded.moment

    @property
    def places(self) -> dict[int, Filling]:
        """How the places of the open step are filled, those that are."""
        return {member: place.filling for member, place in self.folded.places.items()}

    @property
    def closed(self) -> bool:
        """Nothing is owed any more."""
        return self.folded.closed

    @property
    def awaited(self) -> tuple[int, ...]:
        """Members whose place in the open step is empty."""
        return tuple(member for member in self.moment.owed.members if member not in self.folded.places)

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
        # What is said beside the table can change what was taken for settled, so then everything is folded anew;
        # what was checked once is remembered.
        if self.closed:
            # What all have sealed is final: a fork shown later proves a cheat, and undoes nothing.
            table = replace(self, accusations=self._accusations(self.folded))
            return table, tuple(self._news(table))
        sides = Sidelines(self.logs, self.memo, self.me, self.sides)
        unchanged = sides.account == self.sides.account and not self.folded.open_forks
        begin = self.folded if unchanged else fold.start(self.spine[0])
        folded = Folding(self.logs, self.memo, sides, self.spread).run(begin)
        table = replace(self, folded=folded, accusations=self._accusations(folded), sides=sides)
        return table, tuple(self._news(table))

    def _news(self, after: Table) -> list[Event]:
        """What is different in a later table."""
        news: list[Event] = [a for a in after.accusations if a not in self.accusations]
        for at, moment in enumerate(after.spine):
            if at and moment.hash not in self.folded.index:
                before = after.spine[at - 1]
                known = self.places if before.hash == self.moment.hash else {}
                fillings = after.folded.closings[at - 1]
                news.extend(_filled(before, fillings, known))
                news.append(Advanced(moment))
        known = self.places if after.moment.hash == self.moment.hash else {}
        news.extend(_filled(after.moment, after.places, known))
        return news

    def _accusations(self, folded: Folded) -> tuple[Accusation, ...]:
        """Every offence the entries held prove, in the order of the steps; those already known stand first."""
        found = [self._forked(member, log.fork, folded) for member, log in enumerate(self.logs) if log.fork is not None]
        for moment, fillings in zip(folded.spine, folded.closings, strict=False):
            found.extend(self._forfeits(moment, fillings))
        open_places = {member: place.filling for member, place in folded.places.items()}
        found.extend(self._forfeits(folded.moment, open_places))
        known = {(a.member, a.rule) for a in self.accusations}
        return (*self.accusations, *(a for a in found if (a.member, a.rule) not in known))

    def _forfeits(self, moment: Moment, fillings: Mapping[int, Filling]) -> list[Accusation]:
        return [
            Accusation(member, filling.rule, filling.detail, moment.number, self._signed(member, filling.entry))
            for member, filling in fillings.items()
            if filling.fill is Fill.FORFEIT
        ]

    def _signed(self, member: int, digest: bytes) -> tuple[SignedEntry, ...]:
        log = self.logs[member]
        return tuple(entry.signed for entry in (*log.chain, *log.branch) if entry.hash == digest)

    def _forked(self, member: int, fork: Fork, folded: Folded) -> Accusation:
        detail = f"two different entries signed, parting at number {fork.sequence}"
        return Accusation(member, "entry.fork", detail, folded.moment.number, (fork.one, fork.other))

    def _flooded(self, member: int) -> bool:
        """Whether a member has signed far more than any step could ask of it."""
        ahead = self.logs[member].chain[self.moment.cursors[member] :]
        return len(ahead) >= MOST_AHEAD or sum(len(e.signed.data) for e in ahead) > MOST_AHEAD_BYTES


def _filled(moment: Moment, fillings: Mapping[int, Filling], known: Mapping[int, Filling]) -> list[Event]:
    return [
        PlaceFilled(moment.number, moment.owed.kind, member, filling.fill)
        for member, filling in fillings.items()
        if member not in known
    ]
