"""A record as a file: every log as far as it counts, and nothing else. The same game gives every member the same bytes.

A MessagePack array of three: a format name, a format version, and for each member in roster order the array of its
entries, each an array of signed bytes and signature. There is no header to believe: the roster stands in every first
entry, and its hash is the table id that every entry names.
"""

from __future__ import annotations

from p2pmatryoshka.errors import Refused
from p2pmatryoshka.record.entry import SignedEntry, fields
from p2pmatryoshka.record.strict import pack, unpack
from p2pmatryoshka.table.table import Table

FORMAT = "p2pmatryoshka record"
FORMAT_VERSION = 1
MOST_BYTES = 64 * 1024 * 1024
MOST_ITEMS = 1 << 20

Logs = tuple[tuple[SignedEntry, ...], ...]


def logs_of(table: Table) -> Logs:
    """Each member's entries that filled places or decided something. Of a forked log, both versions from where they
    part, ordered by sequence and bytes, because which one arrived first is not the same for everybody."""
    logs = []
    for member, log in enumerate(table.logs):
        place = table.folded.places.get(member)
        reach = max(table.moment.cursors[member], place.cursor if place is not None else 0)
        if log.fork is None:
            logs.append(tuple(entry.signed for entry in log.chain[:reach]))
            continue
        part = log.fork.sequence
        versions = {e.signed for e in (*log.chain[part:], *log.branch) if e.sequence < max(reach, part + 1)}
        # A branch whose first entry is not known is shown by the entry that names it.
        versions |= {log.fork.one, log.fork.other}
        both = sorted(versions, key=lambda signed: (fields(signed).sequence, signed.data))
        logs.append((*(entry.signed for entry in log.chain[:part]), *both))
    return tuple(logs)


def export(table: Table) -> bytes:
    """The record of a table."""
    return write(logs_of(table))


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
