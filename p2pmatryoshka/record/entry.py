"""One signed entry of a member's log: building, signing, and strict decoding of the exact bytes that were signed.

An entry is a MessagePack array of seven: protocol version, table id (32 bytes), roster index of the author, sequence
number, hash of the author's previous entry (the table id for the first), table hash up to the last complete step, and
the body as one byte string. It is signed over exactly these bytes, and kept and sent as signed.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import msgpack
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from p2pmatryoshka.crypto import labels, signing
from p2pmatryoshka.errors import LinkFault, Refused
from p2pmatryoshka.record.strict import pack

VERSION = 1
MOST_BYTES = 256 * 1024  # of one entry: a shuffle of 128 cards in two lists fits five times
MOST_ENTRIES = 1 << 20  # in one log: far beyond any game, so that a sequence number stays a small integer


class SignedEntry(NamedTuple):
    """What travels and what is stored: the exact signed bytes, and the Ed25519 signature (64 bytes)."""

    data: bytes
    signature: bytes


@dataclass(frozen=True, slots=True)
class Entry:
    """A decoded entry whose signature holds. `fault` names a rule broken by the bytes themselves: the entry still
    takes its place in its author's log, and convicts the author there."""

    signed: SignedEntry
    author: int
    sequence: int
    previous: bytes
    table_hash: bytes
    body: bytes
    hash: bytes
    fault: str | None = None


def entry_hash(data: bytes) -> bytes:
    """32 bytes: SHA-256 over label, 0 byte, the signed bytes. The signature is never hashed."""
    return hashlib.sha256(labels.ENTRY_HASH + b"\0" + data).digest()


def sign(
    key: Ed25519PrivateKey,
    table: bytes,
    author: int,
    sequence: int,
    previous: bytes,
    table_hash: bytes,
    body: bytes,
) -> SignedEntry:
    """A new entry, signed."""
    data = pack([VERSION, table, author, sequence, previous, table_hash, body])
    return SignedEntry(data, signing.sign(key, labels.SIGN_ENTRY, data))


class Fields(NamedTuple):
    """The seven fields of an entry as they stand in its bytes. Nothing but their types is checked."""

    version: int
    table: bytes
    author: int
    sequence: int
    previous: bytes
    table_hash: bytes
    body: bytes


def parse(signed: SignedEntry, table: bytes, keys: Sequence[bytes]) -> Entry:
    """Decode an entry of this table and check its signature by the key that the roster gives its author.

    Raises LinkFault for whatever proves nothing against a member: bytes that are no entry, another table's entry, an
    unknown author, a signature that does not hold. Whoever passed it on is to blame.
    """
    data = signed.data
    got = fields(signed)
    author, previous, table_hash = got.author, got.previous, got.table_hash
    if got.version != VERSION:
        raise LinkFault("entry.version", f"protocol version {got.version}")
    if got.table != table:
        raise LinkFault("entry.table", "an entry of another table")
    if author >= len(keys):
        raise LinkFault("entry.author", f"no member {author}")
    try:
        signing.verify(keys[author], labels.SIGN_ENTRY, data, signed.signature)
    except Refused as error:
        raise LinkFault("entry.signature", error.detail) from error
    fault = None if pack(got) == data else "entry.canonical"
    if len(previous) != 32 or len(table_hash) != 32:
        fault = "entry.hash-length"
    return Entry(signed, author, got.sequence, previous, table_hash, got.body, entry_hash(data), fault)


def fields(signed: SignedEntry) -> Fields:
    """Raises LinkFault. Whether the bytes are their one encoding is judged later, when the author is known."""
    data = signed.data
    if len(data) > MOST_BYTES:
        raise LinkFault("entry.size", f"{len(data)} bytes, at most {MOST_BYTES}")
    try:
        # MessagePack sizes are checked against the input, so memory stays within a small multiple of it.
        got: Any = msgpack.unpackb(
            data,
            raw=False,
            use_list=True,
            strict_map_key=True,
            max_array_len=len(Fields._fields),
            max_map_len=0,
            max_str_len=0,
            max_ext_len=0,
        )
    except (ValueError, msgpack.exceptions.UnpackException, RecursionError, OverflowError) as error:
        raise LinkFault("entry.form", "not a MessagePack entry") from error
    kinds = (int, bytes, int, int, bytes, bytes, bytes)
    if type(got) is not list or len(got) != len(Fields._fields):
        raise LinkFault("entry.form", "not an array of seven fields")
    if any(type(value) is not kind for value, kind in zip(got, kinds, strict=True)):
        raise LinkFault("entry.form", "a field of the wrong type")
    if not (0 <= got[2] < 256 and 0 <= got[3] < MOST_ENTRIES):
        raise LinkFault("entry.form", "author or sequence number out of range")
    return Fields(*got)
