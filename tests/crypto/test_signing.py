"""Identity signatures, and the odd keys and signatures on which verifiers of Ed25519 disagree."""

from __future__ import annotations

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from p2pmatryoshka.crypto import labels
from p2pmatryoshka.crypto.signing import check_identity_key, sign, verify
from p2pmatryoshka.errors import Fault
from tests.crypto import plain_ed25519 as plain
from tests.crypto.helpers import refused

SEED = bytes(range(32))
PRIVATE = Ed25519PrivateKey.from_private_bytes(SEED)
PUBLIC = PRIVATE.public_key().public_bytes_raw()
SECRET = plain.secret_scalar(SEED)
LABEL, DATA = labels.SIGN_ENTRY, b"exact bytes"
MESSAGE = LABEL + b"\0" + DATA
SIGNATURE = sign(PRIVATE, LABEL, DATA)
KINDS = [value for name, value in vars(labels).items() if name.startswith("SIGN_")]


def le(k: int) -> bytes:
    return k.to_bytes(32, "little")


def test_it_is_rfc_8032_over_label_zero_data() -> None:
    r, s = SIGNATURE[:32], int.from_bytes(SIGNATURE[32:], "little")
    k = plain.challenge(r, PUBLIC, MESSAGE)
    assert plain.multiply(s, plain.B) == plain.add(plain.decode(r), plain.multiply(k, plain.decode(PUBLIC)))
    verify(PUBLIC, LABEL, DATA, SIGNATURE)


@pytest.mark.parametrize("label", KINDS)
def test_signed_for_one_kind_of_thing_only(label: bytes) -> None:
    signature = sign(PRIVATE, label, DATA)
    for other in KINDS:
        if other == label:
            verify(PUBLIC, other, DATA, signature)
        else:
            with refused("signature.invalid"):
                verify(PUBLIC, other, DATA, signature)


def test_label_and_data_cannot_run_into_each_other() -> None:
    with refused("signature.invalid"):
        verify(PUBLIC, LABEL + b" more", DATA, sign(PRIVATE, LABEL, b" more" + DATA))
    for call in (lambda: sign(PRIVATE, b"a\0b", DATA), lambda: verify(PUBLIC, b"a\0b", DATA, SIGNATURE)):
        with pytest.raises(Fault):
            call()


def test_other_data_and_another_signer() -> None:
    for data in (b"", DATA[:-1], DATA + b"\0", b"exact byteS"):
        with refused("signature.invalid"):
            verify(PUBLIC, LABEL, data, SIGNATURE)
    other = Ed25519PrivateKey.from_private_bytes(bytes(32))
    with refused("signature.invalid"):
        verify(PUBLIC, LABEL, DATA, sign(other, LABEL, DATA))
    with refused("signature.invalid"):
        verify(other.public_key().public_bytes_raw(), LABEL, DATA, SIGNATURE)


@pytest.mark.parametrize("bit", [0, 7, 100, 254, 255, 256, 300, 400])
def test_spoiled_bits(bit: int) -> None:
    spoiled = bytearray(SIGNATURE)
    spoiled[bit // 8] ^= 1 << bit % 8
    with refused("signature.invalid"):
        verify(PUBLIC, LABEL, DATA, bytes(spoiled))


@pytest.mark.parametrize("signature", [b"", SIGNATURE[:-1], SIGNATURE + b"\0", SIGNATURE[:32]])
def test_lengths(signature: bytes) -> None:
    with refused("signature.length"):
        verify(PUBLIC, LABEL, DATA, signature)


def test_s_plus_the_group_order() -> None:
    """The same signature in other bytes, to a verifier that reduces S."""
    s = int.from_bytes(SIGNATURE[32:], "little")
    for multiple in (1, 2, 8):
        with refused("signature.scalar"):
            verify(PUBLIC, LABEL, DATA, SIGNATURE[:32] + le(s + multiple * plain.L))
    with refused("signature.scalar"):
        verify(PUBLIC, LABEL, DATA, SIGNATURE[:32] + le(plain.L))
    with refused("signature.invalid"):
        verify(PUBLIC, LABEL, DATA, SIGNATURE[:32] + le(plain.L - 1))


def signature_with(r: bytes, nonce: int) -> bytes:
    """By the owner of the key, with R in these bytes."""
    return r + le((nonce + plain.challenge(r, PUBLIC, MESSAGE) * SECRET) % plain.L)


def test_r_must_be_canonical() -> None:
    verify(PUBLIC, LABEL, DATA, signature_with(plain.encode(plain.multiply(5, plain.B)), 5))
    verify(PUBLIC, LABEL, DATA, signature_with(le(1), 0))  # R is the neutral element: odd, canonical, allowed
    for neutral in (le(plain.p + 1), le(1 | 1 << 255)):  # the same point in other bytes
        with refused("signature.invalid"):
            verify(PUBLIC, LABEL, DATA, signature_with(neutral, 0))


def test_no_cofactor() -> None:
    """R plus a point of order 8 satisfies only the equation multiplied by 8."""
    r = plain.encode(plain.add(plain.multiply(5, plain.B), plain.torsion()[1]))
    signature = signature_with(r, 5)
    s = int.from_bytes(signature[32:], "little")
    k = plain.challenge(r, PUBLIC, MESSAGE)
    right = plain.add(plain.decode(r), plain.multiply(k, plain.decode(PUBLIC)))
    assert plain.multiply(8 * s, plain.B) == plain.multiply(8, right)
    with refused("signature.invalid"):
        verify(PUBLIC, LABEL, DATA, signature)


def small_order_keys() -> list[bytes]:
    """All encodings of the eight points, canonical and not: y or y + p, with either sign bit."""
    found = set()
    for _, y in plain.torsion():
        for value in (y, y + plain.p):
            if value < 2**255:
                found |= {le(value), le(value | 1 << 255)}
    return sorted(found)


@pytest.mark.parametrize("public", small_order_keys(), ids=bytes.hex)
def test_small_order_keys(public: bytes) -> None:
    with refused("identity.key"):
        check_identity_key(public)
    with refused("identity.key"):
        verify(public, LABEL, DATA, SIGNATURE)


def test_there_are_as_many_small_order_encodings_as_known() -> None:
    assert len(small_order_keys()) == 14  # 8 canonical, 2 with a sign on x = 0, 4 with y >= p
    canonical = {plain.encode(t) for t in plain.torsion()}
    assert len(canonical) == 8 and canonical <= set(small_order_keys())


def test_what_a_small_order_key_would_do() -> None:
    """One signature that fits every message, to a library that does not look at the key."""
    neutral = Ed25519PublicKey.from_public_bytes(le(1))
    for message in (b"one", b"two", b"three"):
        neutral.verify(le(1) + bytes(32), message)
    with refused("identity.key"):
        verify(le(1), LABEL, DATA, le(1) + bytes(32))


@pytest.mark.parametrize("value", [*range(plain.p, 2**255), 2**256 - 1, plain.p | 1 << 255])
def test_keys_that_are_not_canonical(value: int) -> None:
    with refused("identity.key"):
        check_identity_key(le(value))


def test_keys_off_the_curve() -> None:
    off = [y for y in range(2, 40) if plain.recover_x(y, 0) is None]
    assert len(off) > 10
    for y in off:
        with refused("identity.key"):
            check_identity_key(le(y))


def test_keys_on_the_curve_are_taken() -> None:
    for seed in range(20):
        key = Ed25519PrivateKey.from_private_bytes(le(seed)).public_key().public_bytes_raw()
        check_identity_key(key)


@pytest.mark.parametrize("public", [b"", PUBLIC[:-1], PUBLIC + b"\0", PUBLIC * 2])
def test_keys_of_other_lengths(public: bytes) -> None:
    with refused("identity.key"):
        check_identity_key(public)
