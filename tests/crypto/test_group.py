"""The group layer against plain integers, and every form of bytes that is not a point or a scalar."""

from __future__ import annotations

import hashlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from p2pmatryoshka.crypto import group
from p2pmatryoshka.crypto.group import (
    INFINITY,
    G,
    Point,
    base,
    decode,
    encode,
    minus,
    negate,
    q,
    times,
    times_public,
    total,
)
from p2pmatryoshka.errors import Fault
from tests.crypto import plain_curve
from tests.crypto.helpers import BAD_POINTS, randomness, refused, watch_library

SCALARS = [1, 2, 3, 2**128 - 1, 2**128, 2**255, q - 2, q - 1, q + 1, -1, 0x1D5C0FFEE * 2**190 + 7]
ZEROS = [0, q, -q, 2 * q]
P7 = base(7)


def plain(p: Point) -> plain_curve.Affine:
    """The same point for plain integers, by way of the 65-byte form."""
    if p.is_infinity:
        return None
    data = encode(p)
    x = int.from_bytes(data[1:], "big")
    y = plain_curve.root((x**3 + 7) % plain_curve.p)
    assert y is not None
    return x, y if y % 2 == data[0] % 2 else plain_curve.p - y


def test_the_generator_is_that_of_sec_2() -> None:
    assert encode(G).hex() == "0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798"
    assert q == plain_curve.order


@pytest.mark.parametrize("k", SCALARS)
def test_three_multiplications_agree_with_plain_integers(k: int) -> None:
    assert encode(base(k)) == plain_curve.encode(plain_curve.multiply(k, plain_curve.G))
    expected = plain_curve.encode(plain_curve.multiply(7 * k, plain_curve.G))
    assert encode(times(k, P7)) == expected
    assert encode(times_public(k, P7)) == expected
    assert times(k, G) == times_public(k, G) == base(k)


@pytest.mark.parametrize("k", ZEROS)
def test_zero_times_anything_is_infinity(k: int) -> None:
    assert base(k) == times(k, P7) == times_public(k, P7) == INFINITY


@pytest.mark.parametrize("k", [0, 1, q - 1])
def test_anything_times_infinity_is_infinity(k: int) -> None:
    assert times(k, INFINITY) == times_public(k, INFINITY) == INFINITY


def test_sums() -> None:
    assert total([]) == total([INFINITY, INFINITY]) == INFINITY
    assert total([P7]) == total([INFINITY, P7]) == P7
    assert total([P7, P7]) == base(14)
    assert total([base(k) for k in range(100)]) == base(4950)
    assert total([P7, base(-7)]) == INFINITY
    assert total([P7, base(-7), P7]) == P7  # infinity in the middle of a sum


def test_differences() -> None:
    assert minus(base(9), base(2)) == P7
    assert minus(P7, P7) == INFINITY
    assert minus(INFINITY, P7) == negate(P7) == base(-7)
    assert minus(P7, INFINITY) == P7
    assert negate(INFINITY) == INFINITY


edges = st.sampled_from([0, 1, 2, q - 1, q - 2, q // 2, 2**128, 2**255])
scalars = st.one_of(edges, st.integers(0, q - 1))


@settings(derandomize=True, max_examples=60, deadline=None)
@given(a=scalars, b=scalars)
def test_scalars_and_points_are_one_group(a: int, b: int) -> None:
    assert total([base(a), base(b)]) == base(a + b)
    assert minus(base(a), base(b)) == base(a - b)
    assert times(a, base(b)) == times_public(b, base(a)) == base(a * b)
    assert (base(a) == base(b)) == (a == b)
    assert base(a).is_infinity == (a == 0)


def test_combinations_are_sums_of_products() -> None:
    terms = [(3, P7), (0, P7), (5, INFINITY), (q - 1, G), (4, base(2))]
    assert group.combination(terms) == group.combination_public(terms) == base(21 - 1 + 8)
    assert group.combination([(1, P7), (-1, P7)]) == group.combination_public([(1, P7), (-1, P7)]) == INFINITY
    assert group.combination([]) == group.combination_public([]) == INFINITY


def test_arithmetic_leaves_its_operands_alone() -> None:
    handle = group._binding.ffi.buffer
    before = bytes(handle(P7._handle))
    times(5, P7), times_public(5, P7), negate(P7), total([P7, G]), minus(P7, G)
    assert bytes(handle(P7._handle)) == before


def test_equality_and_hash_are_those_of_the_element() -> None:
    other = decode(encode(total([base(3), base(4)])))
    assert other == P7 and hash(other) == hash(P7) and other is not P7
    assert base(8) != P7 and base(-7) != P7 and P7 != INFINITY and INFINITY != P7
    assert encode(P7) != P7
    assert len({P7, other, INFINITY, group.times(0, G)}) == 2


@pytest.mark.parametrize("k", SCALARS)
def test_points_come_back_from_their_bytes(k: int) -> None:
    data = encode(base(k))
    assert len(data) == 33 and data[0] in (2, 3)
    again = decode(data)
    assert again == base(k)
    assert plain_curve.encode(plain(times(1, again))) == data


@pytest.mark.parametrize("name", BAD_POINTS)
def test_33_bytes_that_are_no_point(name: str) -> None:
    with refused("point.encoding"):
        decode(BAD_POINTS[name])


def test_every_first_byte_but_two_is_refused() -> None:
    x = encode(P7)[1:]
    for first in set(range(256)) - {2, 3}:
        with refused("point.encoding"):
            decode(bytes([first]) + x)


def other_forms() -> dict[str, bytes]:
    x, y = plain_curve.G
    both = x.to_bytes(32, "big") + y.to_bytes(32, "big")
    return {
        "nothing": b"",
        "infinity as one zero": b"\0",
        "32 bytes, x only": x.to_bytes(32, "big"),
        "34 bytes": encode(G) + b"\0",
        "uncompressed": b"\x04" + both,
        "hybrid, even y": b"\x06" + both,
        "hybrid, odd y": b"\x07" + both,
        "64 bytes": both,
    }


@pytest.mark.parametrize("name", other_forms())
def test_other_forms_of_a_point(name: str) -> None:
    with refused("point.length"):
        decode(other_forms()[name])


def test_the_library_alone_would_take_other_forms() -> None:
    forms = other_forms()
    for name in ("uncompressed", "hybrid, even y"):
        parse = group._lib.secp256k1_ec_pubkey_parse
        assert parse(group._ctx, group._new(group._PUBKEY), forms[name], len(forms[name])) == 1


def test_infinity_has_no_bytes() -> None:
    with pytest.raises(Fault):
        encode(INFINITY)
    assert repr(INFINITY) == "Point(infinity)"


@pytest.mark.parametrize("k", [0, 1, q - 1])
def test_scalars_come_back_from_their_bytes(k: int) -> None:
    assert group.decode_scalar(group.encode_scalar(k)) == k
    assert group.encode_scalar(k) == k.to_bytes(32, "big")


@pytest.mark.parametrize("k", [q, q + 1, 2**256 - 1])
def test_scalars_out_of_range(k: int) -> None:
    with refused("scalar.range"):
        group.decode_scalar(k.to_bytes(32, "big"))
    with pytest.raises(Fault):
        group.encode_scalar(k)


def test_a_negative_scalar_has_no_bytes() -> None:
    with pytest.raises(Fault):
        group.encode_scalar(-1)


@pytest.mark.parametrize("size", [0, 31, 33])
def test_scalars_of_other_lengths(size: int) -> None:
    with refused("scalar.length"):
        group.decode_scalar(bytes(size))


def test_a_random_scalar_takes_64_bytes_mod_q() -> None:
    asked: list[int] = []

    def all_ones(n: int) -> bytes:
        asked.append(n)
        return b"\xff" * n

    assert group.random_scalar(all_ones) == (2**512 - 1) % q
    assert asked == [64]


VECTORS = [  # u, t, x: BIP 324, ellswift_decode_test_vectors.csv
    (
        "0000000000000000000000000000000000000000000000000000000000000000",
        "0000000000000000000000000000000000000000000000000000000000000000",
        "edd1fd3e327ce90cc7a3542614289aee9682003e9cf7dcc9cf2ca9743be5aa0c",
    ),
    (
        "0000000000000000000000000000000000000000000000000000000000000000",
        "01d3475bf7655b0fb2d852921035b2ef607f49069b97454e6795251062741771",
        "b5da00b73cd6560520e7c364086e7cd23a34bf60d0e707be9fc34d4cd5fdfa2c",
    ),
    (
        "0000000000000000000000000000000000000000000000000000000000000000",
        "82277c4a71f9d22e66ece523f8fa08741a7c0912c66a69ce68514bfd3515b49f",
        "f482f2e241753ad0fb89150d8491dc1e34ff0b8acfbb442cfe999e2e5e6fd1d2",
    ),
    (
        "0000000000000000000000000000000000000000000000000000000000000000",
        "d19c182d2759cd99824228d94799f8c6557c38a1c0d6779b9d4b729c6f1ccc42",
        "70720db7e238d04121f5b1afd8cc5ad9d18944c6bdc94881f502b7a3af3aecff",
    ),
    (
        "0a2d2ba93507f1df233770c2a797962cc61f6d15da14ecd47d8d27ae1cd5f853",
        "fffffffffffffffffffffffffffffffffffffffffffffffffffffffefffffc2f",
        "532167c11200b08c0e84a354e74dcc40f8b25f4fe686e30869526366278a0688",
    ),
    (
        "1f67edf779a8a649d6def60035f2fa22d022dd359079a1a144073d84f19b92d5",
        "fffffffffffffffffffffffffffffffffffffffffffffffffffffffefffffc2f",
        "025661f9aba9d15c3118456bbe980e3e1b8ba2e047c737a4eb48a040bb566f6c",
    ),
    (
        "7bf96b7b6da15d3476a2b195934b690a3a3de3e8ab8474856863b0de3af90b0e",
        "fffffffffffffffffffffffffffffffffffffffffffffffffffffffefffffc2f",
        "50851dfc9f418c314a437295b24feeea27af3d0cd2308348fda6e21c463e46ff",
    ),
    (
        "bcaf7219f2f6fbf55fe5e062dce0e48c18f68103f10b8198e974c184750e1be3",
        "932016cbf69c4471bd1f656c6a107f1973de4af7086db897277060e25677f19a",
        "2d97f96cac882dfe73dc44db6ce0f1d31d6241358dd5d74eb3d3b50003d24c2b",
    ),
    (
        "e28bd8f5929b467eb70e04332374ffb7e7180218ad16eaa46b7161aa679eb426",
        "fffffffffffffffffffffffffffffffffffffffffffffffffffffffefffffc2f",
        "66b8c980a75c72e598d383a35a62879f844242ad1e73ff12edaa59f4e58632b5",
    ),
    (
        "fffffffffffffffffffffffffffffffffffffffffffffffffffffffefffffc2f",
        "8421cc930e77c9f514b6915c3dbe2a94c6d8f690b5b739864ba6789fb8a55dd0",
        "9f59c40275f5085a006f05dae77eb98c6fd0db1ab4a72ac47eae90a4fc9e57e0",
    ),
    (
        "ffffffffffffffffffffffffffffffffffffffffffffffffffffffff13cea4a7",
        "0000000000000000000000000000000000000000000000000000000000000000",
        "649984435b62b4a25d40c6133e8d9ab8c53d4b059ee8a154a3be0fcf4e892edb",
    ),
]


@pytest.mark.parametrize(("u", "t", "x"), VECTORS)
def test_plain_elligator_swift_against_the_published_vectors(u: str, t: str, x: str) -> None:
    point = plain_curve.elligator_swift(bytes.fromhex(u + t))
    assert point is not None and point[0] == int(x, 16)
    assert point[1] % 2 == int(t, 16) % plain_curve.p % 2


@pytest.mark.parametrize("i", range(8))
def test_hash_to_point(i: int) -> None:
    label, data = b"a label", i.to_bytes(4, "big")
    framed = (7).to_bytes(4, "big") + label + (4).to_bytes(8, "big") + data
    expected = plain_curve.elligator_swift(hashlib.sha512(framed).digest())
    assert encode(group.hash_to_point(label, data)) == plain_curve.encode(expected)


def test_label_and_data_cannot_run_into_each_other() -> None:
    assert group.hash_to_point(b"ab", b"c") != group.hash_to_point(b"a", b"bc")


class Refusing:
    """A library whose every call fails."""

    def __getattr__(self, name: str) -> object:
        return lambda *args: 0


@pytest.mark.parametrize(
    "call",
    [
        lambda: base(5),
        lambda: times(5, P7),
        lambda: times_public(5, P7),
        lambda: negate(P7),
        lambda: encode(Point(P7._handle)),
        lambda: group.hash_to_point(b"a", b"b"),
    ],
)
def test_every_return_code_is_looked_at(call: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(group, "_lib", Refusing())
    with pytest.raises(Fault):
        call()  # type: ignore[operator]


def test_a_point_refused_after_its_own_multiplication_is_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    class Half(Refusing):
        def __getattr__(self, name: str) -> object:
            return lambda *args: int(name == "secp256k1_ecdh")

    monkeypatch.setattr(group, "_lib", Half())
    with pytest.raises(Fault):
        times(5, P7)


def test_secrets_never_meet_the_variable_time_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    secret = group.random_scalar(randomness("secret"))
    watched = watch_library(monkeypatch)
    base(secret), times(secret, P7), group.combination([(secret, P7), (secret, G)])
    assert {name for name, _ in watched.calls} == {
        "ec_pubkey_create",
        "ecdh",
        "ec_pubkey_parse",
        "ec_pubkey_combine",
    }


def test_a_long_sum_is_one_call(monkeypatch: pytest.MonkeyPatch) -> None:
    points = [base(k) for k in range(1, 300)]
    watched = watch_library(monkeypatch)
    total(points)
    assert [name for name, _ in watched.calls] == ["ec_pubkey_combine"]
