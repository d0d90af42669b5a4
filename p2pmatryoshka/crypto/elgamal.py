"""Cards as points, and their ElGamal encryptions.

Card c is the point M_c = hash_to_point("p2pmatryoshka/1 card", c as 4 bytes big-endian). Under a key J a card
M with mask r is (A, B) = (r G, M + r J). Who knows the x with J = x G finds M = B - x A. For a joint key J =
x_1 G + ... + x_n G each member's share is d_i = x_i A, and what is left after taking shares away is an
encryption under the keys of the others alone.

Bytes: a ciphertext is A | B, 66 bytes; a list of them is one after the other, the count coming from the
state.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

from p2pmatryoshka.crypto import labels
from p2pmatryoshka.crypto.group import POINT_SIZE, G, Point, encode_points, hash_to_point, minus, times, total
from p2pmatryoshka.crypto.sums import Spread, decode_points
from p2pmatryoshka.errors import Refused


class Ciphertext(NamedTuple):
    a: Point
    b: Point


Ciphertexts = tuple[Ciphertext, ...]
CIPHERTEXT_SIZE = 2 * POINT_SIZE


@cache
def card_point(card: int) -> Point:
    """M_c. Raises OverflowError outside [0, 2**32)."""
    return hash_to_point(labels.CARD, card.to_bytes(4, "big"))


def open_encryption(m: Point, key: Point) -> Ciphertext:
    """(G, m + key): mask 1, which everybody knows. Anybody can check it and make it."""
    return Ciphertext(G, total((m, key)))


def encode(cts: Sequence[Ciphertext]) -> bytes:
    """66 bytes each. Raises Fault on infinity."""
    return encode_points(p for ct in cts for p in ct)


def decode(data: bytes, count: int, *, spread: Spread | None = None) -> Ciphertexts:
    """Exactly `count` ciphertexts. Raises Refused "ciphertext.length", "point.encoding"."""
    if len(data) != CIPHERTEXT_SIZE * count:
        raise Refused("ciphertext.length", f"{len(data)} bytes for {count} ciphertexts of {CIPHERTEXT_SIZE}")
    points = decode_points(data, 2 * count, spread=spread)
    return tuple(map(Ciphertext, points[::2], points[1::2]))


def decrypt(x: int, ct: Ciphertext) -> Point:
    """B - x A, in constant time. Raises Refused "opened.infinity": no card is there."""
    return opened(ct, times(x, ct.a))


def opened(ct: Ciphertext, share: Point) -> Point:
    """B - d, the card that a proven share d = x A turns up. Raises Refused "opened.infinity"."""
    m = minus(ct.b, share)
    if m.is_infinity:
        raise Refused("opened.infinity", "the opened point is infinity, which is no card")
    return m


def dealt(ct: Ciphertext, shares: Sequence[Point]) -> Ciphertext:
    """(A, B - sum of d): what is left under the keys that gave no share. Raises Refused "dealt.infinity"."""
    b = minus(ct.b, total(shares))
    if b.is_infinity:
        raise Refused("dealt.infinity", "the shares take away the whole ciphertext")
    return Ciphertext(ct.a, b)
