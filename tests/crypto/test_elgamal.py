"""Cards, their encryptions, and the bytes of these."""

from __future__ import annotations

import pytest

from p2pmatryoshka.crypto import elgamal, group
from p2pmatryoshka.crypto.elgamal import Ciphertext, card_point
from p2pmatryoshka.crypto.group import G, base, encode, minus, times, total
from p2pmatryoshka.crypto.sigma import decode_points, encode_points
from tests.crypto.helpers import BAD_POINTS, backwards, deck, key_pair, mutated, refused, watch_library

X, KEY = key_pair("elgamal")
CARDS = deck(3, KEY)
WIRE = elgamal.encode(CARDS)


def test_cards_are_fixed_points() -> None:
    assert card_point(258) == group.hash_to_point(b"p2pmatryoshka/1 card", b"\0\0\1\2")
    assert card_point(258) is card_point(258)
    assert len({card_point(c) for c in range(200)}) == 200


def test_decrypting() -> None:
    assert [elgamal.decrypt(X, ct) for ct in CARDS] == [card_point(c) for c in range(3)]
    opening = elgamal.open_encryption(card_point(5), KEY)
    assert opening.a == G and elgamal.decrypt(X, opening) == card_point(5)
    assert elgamal.decrypt(X + 1, CARDS[0]) != card_point(0)


def test_decrypting_is_constant_time(monkeypatch: pytest.MonkeyPatch) -> None:
    watched = watch_library(monkeypatch)
    elgamal.decrypt(X, CARDS[0])
    assert watched.count("ecdh") == 1 and watched.count("ec_pubkey_tweak_mul") == 0


def test_shares_take_keys_away() -> None:
    y, other = key_pair("another")
    ct = elgamal.open_encryption(card_point(5), total((KEY, other)))
    left = elgamal.dealt(ct, [times(y, ct.a)])
    assert left == Ciphertext(G, total((card_point(5), KEY)))
    assert elgamal.opened(left, times(X, left.a)) == card_point(5)
    assert elgamal.dealt(ct, []) == ct


def test_infinity_is_refused_where_a_card_should_be() -> None:
    ct = Ciphertext(G, KEY)
    with refused("opened.infinity"):
        elgamal.decrypt(X, ct)
    with refused("opened.infinity"):
        elgamal.opened(ct, KEY)
    with refused("dealt.infinity"):
        elgamal.dealt(ct, [base(X - 9), base(9)])


def test_bytes() -> None:
    assert b"".join(encode(ct.a) + encode(ct.b) for ct in CARDS) == WIRE
    assert elgamal.decode(WIRE, 3) == CARDS
    assert elgamal.decode(WIRE, 3, spread=backwards) == CARDS
    assert elgamal.decode(b"", 0) == elgamal.decode(b"", 0, spread=backwards) == ()


@pytest.mark.parametrize(
    ("data", "count"),
    [(b"", 1), (WIRE, 2), (WIRE, 4), (WIRE[:-1], 3), (WIRE + b"\0", 3), (WIRE[:33], 1), (WIRE, 0), (WIRE, 6)],
)
def test_lengths(data: bytes, count: int) -> None:
    with refused("ciphertext.length"):
        elgamal.decode(data, count)


@pytest.mark.parametrize("name", BAD_POINTS)
@pytest.mark.parametrize("place", range(6))
def test_a_half_that_is_no_point(name: str, place: int) -> None:
    wrong = mutated(WIRE, 33 * place, BAD_POINTS[name])
    with refused("point.encoding"):
        elgamal.decode(wrong, 3)
    with refused("point.encoding"):
        elgamal.decode(wrong, 3, spread=backwards)


def test_a_65_byte_form_shifts_nothing_into_place() -> None:
    x, y = encode(G)[1:], (0x483ADA7726A3C4655DA4FBFC0E1108A8FD17B448A68554199C47D08FFB10D4B8).to_bytes(32, "big")
    with refused("ciphertext.length"):
        elgamal.decode(b"\4" + x + y, 1)
    with refused("point.encoding"):
        elgamal.decode(b"\4" + x + y + b"\0", 1)


def test_lists_of_points() -> None:
    points = [base(k) for k in range(1, 400)]
    data = encode_points(points)
    assert decode_points(data, 399) == tuple(points) == decode_points(data, 399, spread=backwards)
    assert decode_points(b"", 0) == ()
    for wrong, count in ((data, 398), (data[:-1], 399), (data + b"\0", 399), (b"", 1), (data[:33], 0)):
        with refused("points.length"):
            decode_points(wrong, count)


def test_sums_of_ciphertexts_are_never_confused_with_infinity() -> None:
    assert minus(CARDS[0].a, CARDS[0].a).is_infinity
    assert not CARDS[0].a.is_infinity
