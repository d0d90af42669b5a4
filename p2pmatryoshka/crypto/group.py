"""The group: secp256k1 (SEC 2, section 2.4.1), prime order q, cofactor 1. The only file that knows the curve
library.

Arithmetic here is total, as in a textbook: the neutral element is the value INFINITY, scalar 0 is allowed,
and every return code of libsecp256k1 is looked at. Points are parsed once and stay parsed; they are bytes
only at the edge.

Bytes
    point    33: 02 or 03 (even or odd y), then x, 32 bytes big-endian, x < p. Nothing else; infinity has no
    bytes. scalar   32: big-endian, in [0, q).

Time: base() and times() take the same time for every scalar (libsecp256k1's own claim for the calls used) and
are the only ones fit for secrets. times_public() is faster and is for values that everybody knows. Python's
integer arithmetic on scalars is not constant-time.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from typing import Any, Final

import btclib_secp256k1 as _binding
from btclib_secp256k1.context import ctx as _ctx

from p2pmatryoshka.crypto.framing import frame
from p2pmatryoshka.errors import Fault, Refused

Randomness = Callable[[int], bytes]  # n -> n uniform bytes; `secrets.token_bytes`, or a seed for vectors and simulation

q: Final = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141
POINT_SIZE: Final = 33
SCALAR_SIZE: Final = 32

_lib = _binding.lib
_new = _binding.ffi.new
_buffer = _binding.ffi.buffer
_NULL = _binding.ffi.NULL
_PUBKEY = _binding.ffi.typeof("secp256k1_pubkey *")
_UNCOMPRESSED = _binding.ffi.typeof("unsigned char[65]")
_COMPRESSED = _binding.ffi.typeof("unsigned char[33]")
_SIZE = _binding.ffi.typeof("size_t *")
_COMPRESS = 258  # SECP256K1_EC_COMPRESSED
_XY = _lib.btclib_secp256k1_ecdh_hash_function_xy  # "hash" that hands over x and y themselves


class Point:
    """An element of the group. Immutable: the library object behind it is never written after construction.

    Make one with base(), decode(), hash_to_point() or arithmetic, never directly.
    """

    __slots__ = ("_handle", "_known_bytes")

    def __init__(self, handle: Any, known_bytes: bytes | None = None) -> None:
        self._handle = handle  # None stands for infinity
        self._known_bytes = known_bytes  # the encoding, once anybody needed it

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Point):
            return NotImplemented
        if self is other:
            return True
        if self._handle is None or other._handle is None:
            return self._handle is other._handle
        return encode(self) == encode(other)

    def __hash__(self) -> int:
        return hash(encode(self)) if self._handle is not None else 0

    def __repr__(self) -> str:
        return f"Point({encode(self).hex()})" if self._handle is not None else "Point(infinity)"

    @property
    def is_infinity(self) -> bool:
        return self._handle is None


Term = tuple[int, Point]  # a scalar and the point it multiplies
INFINITY: Final = Point(None)


def base(k: int) -> Point:
    """k G, in constant time. k: any integer, taken mod q."""
    return Point(_base(k))


def times(k: int, p: Point) -> Point:
    """k p, in constant time: for secret k. k: any integer, taken mod q."""
    return Point(_times(k, p))


def times_public(k: int, p: Point) -> Point:
    """k p, in a time that tells k: only for what everybody knows. Cheaper for k < 2**128. k: taken mod q."""
    return Point(_times_public(k, p))


def total(points: Iterable[Point]) -> Point:
    """The sum of any number of points, in one call of the library; INFINITY for none."""
    return Point(_total([p._handle for p in points]))


def combination(terms: Iterable[Term]) -> Point:
    """The sum of k p over all terms (k, p), in constant time: for secret k."""
    return Point(_total([_times(k, p) for k, p in terms]))


def combination_public(terms: Iterable[Term]) -> Point:
    """The sum of k p over all terms (k, p), in a time that tells every k."""
    return Point(_total([_times_public(k, p) for k, p in terms]))


# The same with the library's objects, None standing for infinity: long sums need no Point for each term.


def _base(k: int) -> Any:
    k %= q
    if not k:
        return None
    handle = _new(_PUBKEY)
    if not _lib.secp256k1_ec_pubkey_create(_ctx, handle, k.to_bytes(32, "big")):
        raise Fault("the curve library refused a scalar in [1, q)")
    return handle


def _times(k: int, p: Point) -> Any:
    if p is G:
        return _base(k)
    k %= q
    point = p._handle
    if not k or point is None:
        return None
    xy = _new(_UNCOMPRESSED, b"\4")
    if not _lib.secp256k1_ecdh(_ctx, xy + 1, point, k.to_bytes(32, "big"), _XY, _NULL):
        raise Fault("the curve library refused a scalar in [1, q)")
    handle = _new(_PUBKEY)
    if not _lib.secp256k1_ec_pubkey_parse(_ctx, handle, xy, 65):
        raise Fault("the curve library refused a point of its own")
    return handle


def _times_public(k: int, p: Point) -> Any:
    if p is G:
        return _base(k)  # its table of multiples makes this the faster call
    k %= q
    point = p._handle
    if not k or point is None:
        return None
    handle = _new(_PUBKEY, point[0])
    if not _lib.secp256k1_ec_pubkey_tweak_mul(_ctx, handle, k.to_bytes(32, "big")):
        raise Fault("the curve library refused a scalar in [1, q)")
    return handle


def _total(handles: list[Any]) -> Any:
    finite = [handle for handle in handles if handle is not None]
    if not finite:
        return None
    handle = _new(_PUBKEY)
    # Of valid points, and ours always are, this call fails exactly when the sum is infinity.
    return handle if _lib.secp256k1_ec_pubkey_combine(_ctx, handle, finite, len(finite)) else None


G: Final = base(1)


def negate(p: Point) -> Point:
    """-p."""
    if p._handle is None:
        return INFINITY
    handle = _new(_PUBKEY, p._handle[0])
    if not _lib.secp256k1_ec_pubkey_negate(_ctx, handle):
        raise Fault("the curve library refused to negate a point")
    return Point(handle)


def minus(p: Point, r: Point) -> Point:
    """p - r."""
    return total((p, negate(r)))


def encode(p: Point) -> bytes:
    """33 bytes. Raises Fault on infinity, which has no bytes."""
    known = p._known_bytes
    if known is None:
        if p._handle is None:
            raise Fault("infinity has no encoding")
        out = _new(_COMPRESSED)
        if not _lib.secp256k1_ec_pubkey_serialize(_ctx, out, _new(_SIZE, POINT_SIZE), p._handle, _COMPRESS):
            raise Fault("the curve library refused to serialize a point")
        known = p._known_bytes = _buffer(out)[:]
    return known


def encode_points(points: Iterable[Point]) -> bytes:
    """33 bytes each, one after the other. Raises Fault on infinity."""
    return b"".join([p._known_bytes or encode(p) for p in points])


def decode(data: bytes) -> Point:
    """The point of 33 bytes.

    Raises Refused "point.length" (the library alone would also take 65 bytes) and "point.encoding": any first
    byte but 02 and 03, x >= p, or no point with that x.
    """
    if len(data) != POINT_SIZE:
        raise Refused("point.length", f"{len(data)} bytes for a point of {POINT_SIZE}")
    handle = _new(_PUBKEY)
    if not _lib.secp256k1_ec_pubkey_parse(_ctx, handle, data, POINT_SIZE):
        raise Refused("point.encoding", "no point of the curve has these bytes")
    return Point(handle, data)


def encode_scalar(k: int) -> bytes:
    """32 bytes, big-endian. Raises Fault outside [0, q)."""
    if not 0 <= k < q:
        raise Fault("scalar outside [0, q)")
    return k.to_bytes(SCALAR_SIZE, "big")


def decode_scalar(data: bytes) -> int:
    """The scalar of 32 bytes. Raises Refused "scalar.length" and "scalar.range" (q or more)."""
    if len(data) != SCALAR_SIZE:
        raise Refused("scalar.length", f"{len(data)} bytes for a scalar of {SCALAR_SIZE}")
    k = int.from_bytes(data, "big")
    if k >= q:
        raise Refused("scalar.range", "a scalar must be less than the group order")
    return k


def random_scalar(randomness: Randomness) -> int:
    """64 bytes of randomness, big-endian, mod q: within 2**-256 of uniform in [0, q)."""
    return int.from_bytes(randomness(64), "big") % q


def random_scalars(count: int, randomness: Randomness) -> list[int]:
    """`count` times 64 bytes of randomness, drawn at once, each big-endian, mod q."""
    data = randomness(64 * count)
    return [int.from_bytes(data[i : i + 64], "big") % q for i in range(0, 64 * count, 64)]


def hash_to_point(label: bytes, data: bytes) -> Point:
    """A point whose discrete log nobody knows.

    SHA-512(frame(label, data)), see framing.py, gives 64 bytes u | t: two field elements, each 32 bytes
    big-endian, reduced mod p. The point is that of ElligatorSwift (BIP 324, function XSwiftEC): its x is
    XSwiftEC(u, t), its y has the parity of t mod p (odd y for odd t).
    """
    handle = _new(_PUBKEY)
    if not _lib.secp256k1_ellswift_decode(_ctx, handle, hashlib.sha512(frame(label, data)).digest()):
        raise Fault("the curve library refused to decode 64 bytes")
    return Point(handle)
