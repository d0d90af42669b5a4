"""A cheap group, for simulations only: the integers mod q under addition, G = 1, in place of secp256k1.

Every law of a group of prime order q holds, so proofs are made and checked exactly as with the curve, and a wrong one
is refused. What does not hold is that logarithms are hard: nothing here hides anything. A process that wants it calls
`install` before anything of the package is imported; there is no way back, and the package knows nothing of it.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable, Iterable
from typing import Final

NAME = "p2pmatryoshka.crypto.group"


def install() -> None:
    """Let this module stand for the group of the whole process. RuntimeError if the real one is in use already."""
    import p2pmatryoshka.crypto

    this = sys.modules[__name__]
    if sys.modules.setdefault(NAME, this) is not this:
        raise RuntimeError("the real group was imported before the small one")
    p2pmatryoshka.crypto.group = this  # type: ignore[attr-defined]


from p2pmatryoshka.crypto.framing import frame  # noqa: E402
from p2pmatryoshka.errors import Fault, Refused  # noqa: E402

Randomness = Callable[[int], bytes]

q: Final = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141
POINT_SIZE: Final = 33
SCALAR_SIZE: Final = 32


class Point:
    """A number mod q."""

    __slots__ = ("at",)

    def __init__(self, at: int) -> None:
        self.at = at

    def __eq__(self, other: object) -> bool:
        return self.at == other.at if isinstance(other, Point) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.at)

    def __repr__(self) -> str:
        return f"Point({self.at:x})"

    @property
    def is_infinity(self) -> bool:
        return not self.at


Term = tuple[int, Point]
INFINITY: Final = Point(0)
G: Final = Point(1)


def base(k: int) -> Point:
    return Point(k % q)


def times(k: int, p: Point) -> Point:
    return Point(k * p.at % q)


times_public = times


def total(points: Iterable[Point]) -> Point:
    return Point(sum([p.at for p in points]) % q)


def combination(terms: Iterable[Term]) -> Point:
    return Point(sum([k * p.at for k, p in terms]) % q)


combination_public = combination


def negate(p: Point) -> Point:
    return Point(-p.at % q)


def minus(p: Point, r: Point) -> Point:
    return Point((p.at - r.at) % q)


def encode(p: Point) -> bytes:
    if not p.at:
        raise Fault("infinity has no encoding")
    return b"\x02" + p.at.to_bytes(32, "big")


def encode_points(points: Iterable[Point]) -> bytes:
    return b"".join([encode(p) for p in points])


def decode(data: bytes) -> Point:
    if len(data) != POINT_SIZE:
        raise Refused("point.length", f"{len(data)} bytes for a point of {POINT_SIZE}")
    at = int.from_bytes(data[1:], "big")
    if data[0] != 2 or not 0 < at < q:
        raise Refused("point.encoding", "no point has these bytes")
    return Point(at)


def encode_scalar(k: int) -> bytes:
    if not 0 <= k < q:
        raise Fault("scalar outside [0, q)")
    return k.to_bytes(SCALAR_SIZE, "big")


def decode_scalar(data: bytes) -> int:
    if len(data) != SCALAR_SIZE:
        raise Refused("scalar.length", f"{len(data)} bytes for a scalar of {SCALAR_SIZE}")
    k = int.from_bytes(data, "big")
    if k >= q:
        raise Refused("scalar.range", "a scalar must be less than the group order")
    return k


def random_scalar(randomness: Randomness) -> int:
    return int.from_bytes(randomness(64), "big") % q


def random_scalars(count: int, randomness: Randomness) -> list[int]:
    data = randomness(64 * count)
    return [int.from_bytes(data[i : i + 64], "big") % q for i in range(0, 64 * count, 64)]


def hash_to_point(label: bytes, data: bytes) -> Point:
    return Point(int.from_bytes(hashlib.sha512(frame(label, data)).digest(), "big") % q)
