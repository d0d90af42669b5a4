"""secp256k1 and ElligatorSwift in plain integers, slow and independent of the library under test.

SEC 2, section 2.4.1; BIP 324, section "ElligatorSwift encoding of curve X coordinates".
"""

from __future__ import annotations

p = 2**256 - 2**32 - 977
order = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141
G = (
    0x79BE667EF9DCBBAC55A06295CE870B07029BFCDB2DCE28D959F2815B16F81798,
    0x483ADA7726A3C4655DA4FBFC0E1108A8FD17B448A68554199C47D08FFB10D4B8,
)
Affine = tuple[int, int] | None  # None is infinity


def add(a: Affine, b: Affine) -> Affine:
    if a is None or b is None:
        return a or b
    if a[0] == b[0]:
        if (a[1] + b[1]) % p == 0:
            return None
        slope = 3 * a[0] * a[0] * pow(2 * a[1], -1, p) % p
    else:
        slope = (b[1] - a[1]) * pow(b[0] - a[0], -1, p) % p
    x = (slope * slope - a[0] - b[0]) % p
    return x, (slope * (a[0] - x) - a[1]) % p


def multiply(k: int, a: Affine) -> Affine:
    result: Affine = None
    for bit in bin(k % order)[2:]:
        result = add(result, result)
        if bit == "1":
            result = add(result, a)
    return result


def encode(a: Affine) -> bytes:
    assert a is not None
    return bytes([2 + a[1] % 2]) + a[0].to_bytes(32, "big")


def root(square: int) -> int | None:
    candidate = pow(square, (p + 1) // 4, p)
    return candidate if candidate * candidate % p == square % p else None


def elligator_swift(data: bytes) -> Affine:
    """64 bytes u | t to the point with the x of XSwiftEC(u, t) and a y of the parity of t mod p."""
    u, t = int.from_bytes(data[:32], "big") % p, int.from_bytes(data[32:], "big") % p
    parity = t % 2
    u, t = u or 1, t or 1
    if (u**3 + t**2 + 7) % p == 0:
        t = 2 * t % p
    c = root(-3 % p)
    assert c is not None
    x = (u**3 + 7 - t**2) * pow(2 * t, -1, p) % p
    y = (x + t) * pow(c * u, -1, p) % p
    for candidate in (
        (u + 4 * y * y) % p,
        (-x * pow(y, -1, p) - u) * pow(2, -1, p) % p if y else 0,
        (x * pow(y, -1, p) - u) * pow(2, -1, p) % p if y else 0,
    ):
        found = root((candidate**3 + 7) % p)
        if found is not None:
            return candidate, found if found % 2 == parity else p - found
    raise AssertionError("one of the three is always on the curve")
