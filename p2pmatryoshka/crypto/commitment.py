"""Commit now, reveal later.

    SHA-256 over frames (see framing.py), in this order:
        "p2pmatryoshka/1 commitment"  table id
        "step"    the commitment's step number, 8 bytes big-endian
        "member"  the author's roster index, 4 bytes big-endian
        "nonce"   32 random bytes
        "body"    the exact bytes that will be revealed

With member and step inside, a copied commitment can only be opened to something nobody accepts.
"""

from __future__ import annotations

import hashlib
import hmac

from p2pmatryoshka.crypto import labels
from p2pmatryoshka.crypto.framing import frame
from p2pmatryoshka.errors import Fault, Refused

NONCE_SIZE = 32
COMMITMENT_SIZE = 32


def commit(table: bytes, step: int, member: int, nonce: bytes, body: bytes) -> bytes:
    """32 bytes. Raises Fault unless the nonce has 32."""
    if len(nonce) != NONCE_SIZE:
        raise Fault(f"a nonce has {NONCE_SIZE} bytes")
    return _hash(table, step, member, nonce, body)


def check(commitment: bytes, table: bytes, step: int, member: int, nonce: bytes, body: bytes) -> None:
    """Raises Refused "commitment.length", "commitment.nonce" (not 32 bytes), "commitment.mismatch"."""
    if len(commitment) != COMMITMENT_SIZE:
        raise Refused("commitment.length", f"{len(commitment)} bytes for a commitment of {COMMITMENT_SIZE}")
    if len(nonce) != NONCE_SIZE:
        raise Refused("commitment.nonce", f"{len(nonce)} bytes for a nonce of {NONCE_SIZE}")
    if not hmac.compare_digest(commitment, _hash(table, step, member, nonce, body)):
        raise Refused("commitment.mismatch", "this is not what was committed to")


def _hash(table: bytes, step: int, member: int, nonce: bytes, body: bytes) -> bytes:
    return hashlib.sha256(
        b"".join(
            (
                frame(labels.COMMITMENT, table),
                frame(labels.STEP, step.to_bytes(8, "big")),
                frame(labels.MEMBER, member.to_bytes(4, "big")),
                frame(labels.NONCE, nonce),
                frame(labels.BODY, body),
            )
        )
    ).digest()
