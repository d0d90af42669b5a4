"""A record as a file: every log as far as it counts, and nothing else. The same game gives every member the same bytes.

A MessagePack array of three: a format name, a format version, and for each member in roster order the array of its
entries, each an array of signed bytes and signature. There is no header to believe: the roster stands in every first
entry, and its hash is the table id that every entry names.
"""

from __future__ import annotations

from p2pmatryoshka.errors import Fault, Refused
from p2pmatryoshka.record.entry import Entry, SignedEntry
from p2pmatryoshka.record.log import Log
from p2pmatryoshka.record.strict import pack, unpack
from p2pmatryoshka.table.step import Fill
from p2pmatryoshka.table.table import Accusation, Table

FORMAT = "p2pmatryoshka record"
FORMAT_VERSION = 1
MOST_BYTES = 64 * 1024 * 1024
MOST_ITEMS = 1 << 20

Logs = tuple[tuple[SignedEntry, ...], ...]


def logs_of(table: Table) -> Logs:
    """Each member's entries that filled places or decided something; of a forked log the proof of the fork as well."""
    logs = []
    for member, log in enumerate(table.logs):
        place = table.folded.places.get(member)
        reach = max(table.moment.cursors[member], place.cursor if place is not None else 0)
        if log.fork is None or (table.closed and not _forked(table, member)):
            logs.append(tuple(entry.signed for entry in log.chain[:reach]))
            continue
        logs.append(_of_forked(log, reach, _used(table)))
    return tuple(logs)


def _used(table: Table) -> frozenset[bytes]:
    """The hashes of all entries that filled a place."""
    closings = [filling.entry for fillings in table.folded.closings for filling in fillings.values()]
    return frozenset([*closings, *(filling.entry for filling in table.places.values())])


def _of_forked(log: Log, reach: int, used: frozenset[bytes]) -> tuple[SignedEntry, ...]:
    """The version that others built on as far as they did, and one entry of the other that proves the fork. Where they
    built on neither, the order of their bytes decides."""
    if log.fork is None:
        raise Fault("no fork in this log")
    part = log.fork.sequence
    versions = sorted(
        (log.chain, log.second()), key=lambda chain: b"".join(e.signed.data for e in chain[part : part + 1])
    )
    kept = max(versions, key=lambda chain: sum(entry.hash in used for entry in chain[part:]))
    main = tuple(entry.signed for entry in kept[: max(reach, part + 1)])
    proof = sorted({log.fork.one, log.fork.other}.difference(main), key=lambda signed: signed.data)
    return (*main, *proof)


def _forked(table: Table, member: int) -> bool:
    """Whether a fork put this member out. One that was shown after the seal is no part of the record."""
    return any(member in fillings and fillings[member].fill is Fill.FORKED for fillings in table.folded.closings)


def export(table: Table) -> bytes:
    """The record of a table."""
    return write(logs_of(table))


def evidence(table: Table, accusation: Accusation) -> bytes:
    """A record that ends where a member broke a rule: whoever audits it finds that member, that entry and that rule."""
    moment = table.spine[accusation.step]
    forked = table.logs[accusation.member].fork if accusation.rule == "entry.fork" else None
    logs = []
    for member, log in enumerate(table.logs):
        chain = log.second() if _stands_in(log.second(), accusation) else log.chain
        kept = [entry.signed for entry in chain[: moment.cursors[member]]]
        if member == accusation.member:
            at = max((i for i, entry in enumerate(chain) if entry.signed in accusation.evidence), default=-1)
            kept = [entry.signed for entry in chain[: max(at + 1, len(kept))]]
            kept += [] if forked is None else sorted({forked.one, forked.other}.difference(kept))
        logs.append(tuple(kept))
    return write(tuple(logs))


def _stands_in(chain: tuple[Entry, ...], accusation: Accusation) -> bool:
    return any(entry.signed in accusation.evidence for entry in chain)


def write(logs: Logs) -> bytes:
    """The one encoding of these logs."""
    return pack([FORMAT, FORMAT_VERSION, [[[e.data, e.signature] for e in log] for log in logs]])


def load(data: bytes) -> Logs:
    """The logs in a file. Raises Refused("record.format") if it is no record, ("msgpack....") if it is damaged."""
    got = unpack(data, MOST_BYTES, 4, max_items=MOST_ITEMS)
    match got:
        case (str(name), int(version), tuple(logs)) if name == FORMAT:
            if type(version) is not int or version != FORMAT_VERSION:
                raise Refused("record.version", f"record format {version}, this program reads {FORMAT_VERSION}")
            return tuple(_log(log) for log in logs)
    raise Refused("record.format", "not a record of p2pmatryoshka")


def _log(log: object) -> tuple[SignedEntry, ...]:
    if not isinstance(log, tuple):
        raise Refused("record.format", "a log is not an array")
    return tuple(_entry(entry) for entry in log)


def _entry(entry: object) -> SignedEntry:
    match entry:
        case (bytes(data), bytes(signature)):
            return SignedEntry(data, signature)
    raise Refused("record.format", "an entry is not a pair of byte strings")
