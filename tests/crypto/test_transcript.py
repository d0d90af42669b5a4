"""The transcript, byte by byte, and how each thing absorbed moves every later challenge."""

from __future__ import annotations

import hashlib

import pytest

from p2pmatryoshka.crypto import labels
from p2pmatryoshka.crypto.group import INFINITY, G, base, encode, q
from p2pmatryoshka.crypto.transcript import Context, Transcript
from p2pmatryoshka.errors import Fault
from tests.crypto.helpers import CONTEXT, ELSEWHERE


def frame(label: bytes, value: bytes) -> bytes:
    return len(label).to_bytes(4, "big") + label + len(value).to_bytes(8, "big") + value


OPENED = (
    frame(b"transcript", b"test")
    + frame(b"version", b"\0\0\0\1")
    + frame(b"table", bytes(range(32)))
    + frame(b"step", b"\0\0\0\0\0\0\0\7")
    + frame(b"member", b"\0\0\0\2")
)


def block(absorbed: bytes, i: int) -> int:
    seed = hashlib.sha512(absorbed).digest()
    return int.from_bytes(hashlib.sha512(frame(b"squeeze", seed + i.to_bytes(4, "big"))).digest(), "big")


def test_every_byte_is_as_the_docstring_says() -> None:
    transcript = Transcript(CONTEXT, b"test")
    transcript.absorb(b"note", b"value")
    transcript.absorb_count(3)
    transcript.absorb_points(b"points", [G, base(2)])
    state = OPENED + frame(b"note", b"value") + frame(b"count", b"\0\0\0\3")
    state += frame(b"points", encode(G) + encode(base(2)))
    state += frame(b"weight", b"\0\0\0\3")
    assert transcript.scalars(b"weight", 3) == [block(state, i) % q for i in range(3)]
    state += frame(b"short", b"\0\0\0\2")
    assert transcript.short_scalars(b"short", 2) == [block(state, i) >> 384 for i in range(2)]


def test_short_scalars_have_128_bits() -> None:
    drawn = Transcript(CONTEXT, b"test").short_scalars(b"weight", 64)
    assert max(drawn).bit_length() == 128


def first(context: Context = CONTEXT, label: bytes = b"test", *absorbed: tuple[bytes, bytes]) -> int:
    transcript = Transcript(context, label)
    for name, value in absorbed:
        transcript.absorb(name, value)
    return transcript.scalars(labels.CHALLENGE, 1)[0]


@pytest.mark.parametrize("field", ELSEWHERE)
def test_each_field_of_the_context_moves_the_challenge(field: str) -> None:
    assert first() == first(CONTEXT)
    assert first(ELSEWHERE[field]) != first()


def test_label_order_framing_and_absence_move_the_challenge() -> None:
    statements = [
        (),
        ((b"a", b""),),
        ((b"a", b"bc"),),
        ((b"ab", b"c"),),
        ((b"a", b"b"), (b"c", b"")),
        ((b"c", b""), (b"a", b"b")),
    ]
    assert len({first(CONTEXT, b"test", *absorbed) for absorbed in statements}) == len(statements)
    assert first(CONTEXT, b"other") != first()


def test_later_challenges_depend_on_earlier_squeezes() -> None:
    plain, squeezed = Transcript(CONTEXT, b"test"), Transcript(CONTEXT, b"test")
    squeezed.scalars(b"weight", 1)
    assert plain.scalars(b"challenge", 1) != squeezed.scalars(b"challenge", 1)


def test_the_number_squeezed_matters() -> None:
    one, two = Transcript(CONTEXT, b"test"), Transcript(CONTEXT, b"test")
    assert one.scalars(b"weight", 1)[0] != two.scalars(b"weight", 2)[0]


def test_infinity_cannot_be_absorbed() -> None:
    with pytest.raises(Fault):
        Transcript(CONTEXT, b"test").absorb_points(b"points", [INFINITY])


@pytest.mark.parametrize("numbers", [(-1, 0, 0), (2**32, 0, 0), (0, -1, 0), (0, 2**64, 0), (0, 0, -1), (0, 0, 2**32)])
def test_context_numbers_out_of_range(numbers: tuple[int, int, int]) -> None:
    version, step, member = numbers
    with pytest.raises(Fault):
        Context(version, bytes(32), step, member)
