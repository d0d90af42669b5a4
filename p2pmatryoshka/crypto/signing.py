"""Signatures by identity keys: Ed25519 (RFC 8032) over label | 00 | data, one label for each kind of thing
signed.

Verifiers of Ed25519 disagree on odd keys and signatures, so this protocol chooses. Verification is RFC 8032,
section 5.1.7, without the cofactor: R must be the very bytes of the encoding of S B - k A. It follows that a
non-canonical R is refused. S must be below the group order L. The key must be canonical (y < p, and no sign
bit on x = 0), lie on the curve and not have small order: for a small-order key one signature can fit every
message.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from p2pmatryoshka.errors import Fault, Refused

KEY_SIZE: Final = 32
SIGNATURE_SIZE: Final = 64
_p: Final = 2**255 - 19
_L: Final = 2**252 + 27742317777372353535851937790883648493
_d: Final = -121665 * pow(121666, -1, _p) % _p


def sign(private_key: Ed25519PrivateKey, label: bytes, data: bytes) -> bytes:
    """64 bytes over label | 00 | data."""
    return private_key.sign(_message(label, data))


def verify(public: bytes, label: bytes, data: bytes, signature: bytes) -> None:
    """Raises Refused "identity.key", "signature.length", "signature.scalar" (S >= L), "signature.invalid"."""
    key = _identity(public)
    if len(signature) != SIGNATURE_SIZE:
        raise Refused("signature.length", f"{len(signature)} bytes for a signature of {SIGNATURE_SIZE}")
    if int.from_bytes(signature[32:], "little") >= _L:
        raise Refused("signature.scalar", "S must be less than the group order")
    try:
        key.verify(signature, _message(label, data))
    except InvalidSignature:
        raise Refused("signature.invalid", "not signed by this key, or not over these bytes") from None


def check_identity_key(public: bytes) -> None:
    """Raises Refused "identity.key": wrong length, not canonical, off the curve, or of small order."""
    _identity(public)


@lru_cache(maxsize=1024)
def _identity(public: bytes) -> Ed25519PublicKey:
    if len(public) != KEY_SIZE:
        raise Refused("identity.key", f"{len(public)} bytes for a key of {KEY_SIZE}")
    y = int.from_bytes(public, "little") & (2**255 - 1)
    if y >= _p:
        raise Refused("identity.key", "not canonical")
    if _has_small_order(y):  # this also refuses x = 0, with the sign bit or without
        raise Refused("identity.key", "small order")
    x_squared = (y * y - 1) * pow(_d * y * y + 1, -1, _p) % _p
    if pow(x_squared, (_p - 1) // 2, _p) != 1:
        raise Refused("identity.key", "not on the curve")
    return Ed25519PublicKey.from_public_bytes(public)


def _has_small_order(y: int) -> bool:
    """Whether the points with this y have an order that divides 8.

    Orders 1 and 2 have y = 1 and -1, order 4 has y = 0. Doubling a point of order 8 gives one with y = 0, so
    x^2 = -y^2, and the curve equation becomes d y^4 + 2 y^2 - 1 = 0.
    """
    return y in (0, 1, _p - 1) or (_d * pow(y, 4, _p) + 2 * y * y - 1) % _p == 0


def _message(label: bytes, data: bytes) -> bytes:
    if b"\0" in label:
        raise Fault("a label holds no zero byte")
    return b"%b\0%b" % (label, data)
