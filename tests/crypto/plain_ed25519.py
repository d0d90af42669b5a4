"""Edwards25519 in plain integers, slow and independent of the library under test (RFC 8032, section 5.1)."""

from __future__ import annotations

import hashlib

p = 2**255 - 19
L = 2**252 + 27742317777372353535851937790883648493
d = -121665 * pow(121666, -1, p) % p
Affine = tuple[int, int]
IDENTITY: Affine = (0, 1)


def add(a: Affine, b: Affine) -> Affine:
    cross = d * a[0] * b[0] * a[1] * b[1] % p
    x = (a[0] * b[1] + b[0] * a[1]) * pow(1 + cross, -1, p)
    y = (a[1] * b[1] + a[0] * b[0]) * pow(1 - cross, -1, p)
    return x % p, y % p


def multiply(k: int, a: Affine) -> Affine:
    result = IDENTITY
    for bit in bin(k)[2:]:
        result = add(result, result)
        if bit == "1":
            result = add(result, a)
    return result


def encode(a: Affine) -> bytes:
    return (a[1] | (a[0] % 2) << 255).to_bytes(32, "little")


def recover_x(y: int, sign: int) -> int | None:
    square = (y * y - 1) * pow(d * y * y + 1, -1, p) % p
    x = pow(square, (p + 3) // 8, p)
    if x * x % p != square:
        x = x * pow(2, (p - 1) // 4, p) % p
    if x * x % p != square:
        return None
    return x if x % 2 == sign else (p - x) % p


_by = 4 * pow(5, -1, p) % p
_bx = recover_x(_by, 0)
assert _bx is not None
B: Affine = (_bx, _by)


def secret_scalar(seed: bytes) -> int:
    a = int.from_bytes(hashlib.sha512(seed).digest()[:32], "little")
    return a & (2**254 - 8) | 2**254


def challenge(r: bytes, public: bytes, message: bytes) -> int:
    return int.from_bytes(hashlib.sha512(r + public + message).digest(), "little") % L


def decode(data: bytes) -> Affine:
    value = int.from_bytes(data, "little")
    y = value & (2**255 - 1)
    x = recover_x(y % p, value >> 255)
    assert x is not None
    return x, y % p


def torsion() -> list[Affine]:
    """The eight points whose order divides 8."""
    y = 3
    while True:
        x = recover_x(y, 0)
        if x is not None:
            t = multiply(L, (x, y))
            if multiply(4, t) != IDENTITY:
                return [multiply(k, t) for k in range(8)]
        y += 1
