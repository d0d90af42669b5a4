"""The audit: a pure fold over an exported record. It believes nothing but the file, and needs nothing else."""

from __future__ import annotations

from dataclasses import dataclass, replace

from p2pmatryoshka.errors import LinkFault, Refused
from p2pmatryoshka.record import entry as entries
from p2pmatryoshka.record.entry import SignedEntry
from p2pmatryoshka.rules.game import Over, Seat
from p2pmatryoshka.table import messages, record_file
from p2pmatryoshka.table.record_file import Logs
from p2pmatryoshka.table.roster import Roster, table_id
from p2pmatryoshka.table.step import Closed
from p2pmatryoshka.table.table import Accusation, Table


@dataclass(frozen=True, slots=True)
class Finding:
    """What is wrong with a record: the first bad entry (member and index in its log), and the rule it breaks."""

    member: int | None
    entry: int | None
    rule: str
    detail: str


@dataclass(frozen=True, slots=True)
class Report:
    """What a record shows. finding is None exactly when it is sealed and every check held. accusations: members whom
    the record itself proves to have cheated, which is no fault of a record that was sealed without them."""

    table: bytes
    roster: Roster | None
    finding: Finding | None
    over: Over | None = None
    reason: str = ""
    seating: tuple[int, ...] = ()
    accusations: tuple[Accusation, ...] = ()
    entries: int = 0
    steps: int = 0

    def member_at(self, seat: Seat) -> int:
        """The roster index that sat there."""
        return self.seating[seat]


def audit(data: bytes) -> Report:
    """Check a record. Raises Refused("record....") or ("msgpack....") if the bytes are no record at all."""
    logs = record_file.load(data)
    opened = _open(logs)
    if isinstance(opened, Report):
        return opened
    table, finding = _fold(opened, logs)
    stage = table.moment.stage
    if finding is None and not isinstance(stage, Closed):
        finding = _unfinished(table)
    if finding is None:
        finding = _surplus(table, logs)
    if not isinstance(stage, Closed):
        return replace(_report(table, logs), finding=finding)
    return replace(
        _report(table, logs),
        finding=finding,
        over=stage.over,
        reason=stage.reason,
        seating=stage.layout.seating,
    )


def _report(table: Table, logs: Logs) -> Report:
    return Report(
        table.roster.table,
        table.roster,
        None,
        accusations=table.accusations,
        entries=sum(len(log) for log in logs),
        steps=table.moment.number,
    )


def _open(logs: Logs) -> Table | Report:
    """The table whose roster stands in a first entry that names its hash. A cheat may have signed another roster, so
    every log is looked at before the record is given up."""
    finding = Finding(None, None, "record.unfinished", "nobody signed a roster")
    for member, log in reversed(tuple(enumerate(logs))):
        if not log:
            continue
        try:
            fields = entries.fields(log[0])
            body = messages.decode(fields.body)
            if isinstance(body, messages.Leave):
                continue
            if not isinstance(body, messages.Sit):
                raise Refused("body.kind", "the first entry of a log signs the roster")
            if table_id(body.roster) != fields.table:
                raise Refused("sit.roster", "the roster signed is not the one that names this table")
            return Table.open(body.roster)
        except (LinkFault, Refused) as error:
            finding = Finding(member, 0, error.rule, error.detail)
    return Report(bytes(32), None, finding)


def _fold(table: Table, logs: Logs) -> tuple[Table, Finding | None]:
    if len(logs) != len(table.roster.members):
        detail = f"{len(logs)} logs for {len(table.roster.members)} members"
        return table, Finding(None, None, "record.logs", detail)
    for member, log in enumerate(logs):
        for place, signed in enumerate(log):
            finding = _check_form(table, member, place, signed)
            if finding is not None:
                return table, finding
            table, _ = table.receive(signed)
    return table, None


def _check_form(table: Table, member: int, place: int, signed: SignedEntry) -> Finding | None:
    try:
        entry = entries.parse(signed, table.roster.table, table.roster.keys)
    except LinkFault as error:
        return Finding(member, place, error.rule, error.detail)
    if entry.author != member:
        return Finding(member, place, "record.author", f"an entry of member {entry.author}")
    return None


def _unfinished(table: Table) -> Finding:
    for accusation in table.accusations:
        chain = table.logs[accusation.member].chain
        place = next((at for at, entry in enumerate(chain) if entry.signed in accusation.evidence), None)
        return Finding(accusation.member, place, accusation.rule, accusation.detail)
    waiting = ", ".join(table.roster.members[member].name for member in table.awaited)
    return Finding(None, None, "record.unfinished", f"not sealed: step {table.moment.number} awaits {waiting}")


def _surplus(table: Table, logs: Logs) -> Finding | None:
    for member, (wanted, log) in enumerate(zip(record_file.logs_of(table), logs, strict=True)):
        if wanted != log:
            place = next(
                (i for i, pair in enumerate(zip(wanted, log, strict=False)) if pair[0] != pair[1]),
                len(wanted),
            )
            return Finding(member, place, "record.surplus", "an entry that the seals do not reach")
    return None
