"""Entries: signed over exact bytes, decoded strictly, and nobody blamed for what proves nothing."""

from __future__ import annotations

import hashlib

import msgpack
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import given
from hypothesis import strategies as st

from p2pmatryoshka.crypto import labels, signing
from p2pmatryoshka.errors import LinkFault
from p2pmatryoshka.record import entry as entries
from p2pmatryoshka.record.entry import MOST_BYTES, MOST_ENTRIES, SignedEntry

KEYS = [Ed25519PrivateKey.from_private_bytes(bytes([i + 1]) * 32) for i in range(3)]
PUBLIC = [key.public_key().public_bytes_raw() for key in KEYS]
TABLE, PREVIOUS, HASH = b"t" * 32, b"p" * 32, b"h" * 32


def signed(author: int = 1, sequence: int = 4, body: bytes = b"body", key: int | None = None) -> SignedEntry:
    return entries.sign(KEYS[author if key is None else key], TABLE, author, sequence, PREVIOUS, HASH, body)


def rule(got: SignedEntry, table: bytes = TABLE) -> str:
    with pytest.raises(LinkFault) as caught:
        entries.parse(got, table, PUBLIC)
    return caught.value.rule


def by_hand(data: bytes, key: int = 1) -> SignedEntry:
    return SignedEntry(data, signing.sign(KEYS[key], labels.SIGN_ENTRY, data))


def test_an_entry_is_read_as_it_was_signed() -> None:
    got = entries.parse(signed(), TABLE, PUBLIC)
    assert (got.author, got.sequence, got.previous, got.table_hash, got.body) == (1, 4, PREVIOUS, HASH, b"body")
    assert got.signed == signed()
    assert got.fault is None


def test_the_bytes_are_an_array_of_seven_fields() -> None:
    assert msgpack.unpackb(signed().data) == [entries.VERSION, TABLE, 1, 4, PREVIOUS, HASH, b"body"]


def test_the_hash_covers_label_and_bytes_and_not_the_signature() -> None:
    data = signed().data
    assert entries.entry_hash(data) == hashlib.sha256(labels.ENTRY_HASH + b"\0" + data).digest()
    assert entries.parse(signed(), TABLE, PUBLIC).hash == entries.entry_hash(data)


def test_what_is_not_this_members_here_blames_the_link() -> None:
    assert rule(signed(), table=b"x" * 32) == "entry.table"
    assert rule(signed(key=2)) == "entry.signature"
    assert rule(SignedEntry(signed().data, bytes(64))) == "entry.signature"
    assert rule(SignedEntry(signed().data, b"")) == "entry.signature"
    assert rule(by_hand(msgpack.packb([1, TABLE, 3, 4, PREVIOUS, HASH, b""]))) == "entry.author"
    assert rule(by_hand(msgpack.packb([0, TABLE, 1, 4, PREVIOUS, HASH, b""]))) == "entry.version"
    assert rule(by_hand(msgpack.packb([1, TABLE, 1, MOST_ENTRIES, PREVIOUS, HASH, b""]))) == "entry.form"


def test_the_limit_of_size() -> None:
    most = MOST_BYTES - len(signed(body=b"x" * 70_000).data) + 70_000
    assert len(signed(body=bytes(most)).data) == MOST_BYTES
    assert entries.parse(signed(body=bytes(most)), TABLE, PUBLIC).fault is None
    assert rule(signed(body=bytes(most + 1))) == "entry.size"


def test_a_signature_over_another_kinds_label_does_not_hold() -> None:
    data = signed().data
    for name in ("SIGN_TALK", "SIGN_ADDRESS", "SIGN_INVITE", "SIGN_GREETING"):
        wrong = signing.sign(KEYS[1], getattr(labels, name), data)
        assert rule(SignedEntry(data, wrong)) == "entry.signature"


@pytest.mark.parametrize("place", range(7))
def test_another_encoding_of_the_same_fields_is_its_authors_fault(place: int) -> None:
    """It carries the author's signature, so it is kept, and convicts."""
    values = [1, TABLE, 1, 4, PREVIOUS, HASH, b"body"]
    parts = [msgpack.packb(value) for value in values]
    value = values[place]
    if isinstance(value, int):
        parts[place] = b"\xce" + value.to_bytes(4, "big")
    else:
        assert isinstance(value, bytes)
        parts[place] = b"\xc5" + len(value).to_bytes(2, "big") + value
    got = entries.parse(by_hand(b"\x97" + b"".join(parts)), TABLE, PUBLIC)
    assert got.fault == "entry.canonical"
    assert got.body == b"body"


@pytest.mark.parametrize("length", [0, 1, 31, 33, 64])
def test_hashes_of_another_length_are_its_authors_fault(length: int) -> None:
    for place in (4, 5):
        values = [1, TABLE, 1, 4, PREVIOUS, HASH, b""]
        values[place] = bytes(length)
        assert entries.parse(by_hand(msgpack.packb(values)), TABLE, PUBLIC).fault == "entry.hash-length"


@given(st.binary(max_size=300))
def test_arbitrary_bytes_blame_the_link(data: bytes) -> None:
    with pytest.raises(LinkFault):
        entries.parse(by_hand(data), TABLE, PUBLIC)


@given(st.integers(0, 200), st.integers(1, 255))
def test_any_changed_byte_blames_the_link(place: int, change: int) -> None:
    good = signed()
    data = bytearray(good.data)
    data[place % len(data)] ^= change
    with pytest.raises(LinkFault):
        entries.parse(SignedEntry(bytes(data), good.signature), TABLE, PUBLIC)
