"""A commitment opens to one thing, in one place."""

from __future__ import annotations

import hashlib

import pytest

from p2pmatryoshka.crypto.commitment import check, commit
from p2pmatryoshka.errors import Fault
from tests.crypto.helpers import refused

TABLE, NONCE, BODY = bytes(range(32)), bytes(range(100, 132)), b"what will be revealed"
COMMITMENT = commit(TABLE, 5, 1, NONCE, BODY)


def test_every_byte_is_as_the_docstring_says() -> None:
    hashed = b""
    for label, value in (
        (b"p2pmatryoshka/1 commitment", TABLE),
        (b"step", b"\0\0\0\0\0\0\0\5"),
        (b"member", b"\0\0\0\1"),
        (b"nonce", NONCE),
        (b"body", BODY),
    ):
        hashed += len(label).to_bytes(4, "big") + label + len(value).to_bytes(8, "big") + value
    assert hashlib.sha256(hashed).digest() == COMMITMENT
    check(COMMITMENT, TABLE, 5, 1, NONCE, BODY)


@pytest.mark.parametrize(
    "other",
    [
        (bytes(32), 5, 1, NONCE, BODY),  # another table
        (TABLE, 6, 1, NONCE, BODY),  # another step
        (TABLE, 5, 2, NONCE, BODY),  # copied by another member, echoed with its opening
        (TABLE, 5, 1, bytes(32), BODY),
        (TABLE, 5, 1, NONCE, BODY + b"\0"),
        (TABLE, 5, 1, NONCE, BODY[:-1]),
        (TABLE, 5, 1, NONCE, b""),
    ],
)
def test_it_opens_to_nothing_else(other: tuple[bytes, int, int, bytes, bytes]) -> None:
    with refused("commitment.mismatch"):
        check(COMMITMENT, *other)


def test_another_commitment_does_not_fit() -> None:
    with refused("commitment.mismatch"):
        check(COMMITMENT[:-1] + bytes([COMMITMENT[-1] ^ 1]), TABLE, 5, 1, NONCE, BODY)


@pytest.mark.parametrize("size", [0, 31, 33, 64])
def test_lengths(size: int) -> None:
    with refused("commitment.length"):
        check(bytes(size), TABLE, 5, 1, NONCE, BODY)
    with refused("commitment.nonce"):
        check(COMMITMENT, TABLE, 5, 1, bytes(size), BODY)
    with pytest.raises(Fault):
        commit(TABLE, 5, 1, bytes(size), BODY)


def test_bytes_cannot_move_between_nonce_and_body() -> None:
    assert commit(TABLE, 5, 1, NONCE, b"ab") != commit(TABLE, 5, 1, NONCE[1:] + b"a", b"b")
