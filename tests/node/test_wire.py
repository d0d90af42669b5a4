"""Frames and messages: what is said comes back, and everything else is the link's fault."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from p2pmatryoshka.errors import Fault, LinkFault
from p2pmatryoshka.node import wire
from p2pmatryoshka.record.strict import Packable, pack

H = bytes(32)
H2 = bytes([1] * 32)
N = bytes(16)
S = bytes(64)

EXAMPLES: list[wire.Message] = [
    wire.Hello(version=1, nonce=N, role="member"),
    wire.Busy(seconds=5),
    wire.Refusal(reason="second-instance"),
    wire.Goodbye(reason="link.closed"),
    wire.Ping(number=7),
    wire.Pong(number=7),
    wire.Have(table=H, heads=((0, 3, H), (2, 9, H), (2, 9, H2)), heard=((0, 1), (3, 90)), addresses=((1, b"a", S),)),
    wire.Have(table=H, heads=()),
    wire.Want(table=H, ranges=((0, 4, 9), (1, 0, 0))),
    wire.Entries(table=H, entries=((b"data", S), (bytes(wire.LARGEST_ENTRY), S))),
    wire.Entries(table=H, entries=()),
    wire.Join(token=b"t", name="Ada", nonce=H, addresses=("192.0.2.1:4000", "[2001:db8::1]:4000")),
    wire.Seats(setup=b"setup", people=((H, "Ada", False), (H2, "bot", True))),
    wire.RosterOffer(roster=b"roster", addresses=(("192.0.2.1:4000",), ())),
    wire.Ready(table=H),
]


def payload(message: wire.Message) -> bytes:
    return wire.encode(message)[4:]


@pytest.mark.parametrize("message", EXAMPLES, ids=lambda message: message.kind)
def test_a_message_comes_back_as_it_was(message: wire.Message) -> None:
    assert wire.decode(payload(message)) == message


def test_every_kind_has_an_example() -> None:
    assert {message.kind for message in EXAMPLES} == set(wire.KINDS)


@pytest.mark.parametrize("message", EXAMPLES, ids=lambda message: message.kind)
def test_every_cut_and_every_extra_field_is_refused(message: wire.Message) -> None:
    fields = [message.kind, *(getattr(message, name) for name in type(message).model_fields)]
    with pytest.raises(LinkFault, match=r"wire\.form"):
        wire.decode(pack([*fields, 0]))
    with pytest.raises(LinkFault, match=r"wire\.form"):
        wire.decode(pack(fields[:-1]))
    data = payload(message)
    for end in random.Random(message.kind).sample(range(len(data)), min(30, len(data))):
        with pytest.raises(LinkFault):
            wire.decode(data[:end])


@pytest.mark.parametrize(
    "fields",
    [
        [],
        ["nothing"],
        [1, 2],
        "hello",
        {"hello": 1},
        ["hello", 1, N],
        ["hello", "1", N, "member"],
        ["hello", True, N, "member"],
        ["hello", -1, N, "member"],
        ["hello", 1, N[:15], "member"],
        ["hello", 1, "n" * 16, "member"],
        ["hello", 1, N, "host"],
        ["ping", 1 << 32],
        ["refusal", "No!"],
        ["refusal", "a" * 65],
        ["have", H[:31], [], [], []],
        ["have", H, [[0, 1]], [], []],
        ["have", H, [[16, 1, H]], [], []],
        ["have", H, [[1, 1, H], [0, 1, H]], [], []],
        ["have", H, [[0, 1, H], [0, 1, H]], [], []],
        ["have", H, [[0, 1, H], [0, 2, H], [0, 3, H]], [], []],
        ["have", H, [], [[1, 1], [1, 2]], []],
        ["have", H, [], [], [[0, b"a", S[:63]]]],
        ["have", H, [], [], [[0, bytes(1025), S]]],
        ["want", H, [[0, 5, 4]]],
        ["want", H, [[0, 0, 0]] * 65],
        ["entries", H, [[b"", S]]],
        ["entries", H, [[bytes(wire.LARGEST_ENTRY + 1), S]]],
        ["entries", H, [[b"x", S, 1]]],
        ["entries", H, [["x", S]]],
        ["join", bytes(65), "Ada", H, []],
        ["join", b"", "", H, []],
        ["join", b"", "A\x1b[2J", H, []],
        ["join", b"", "Ada\n", H, []],
        ["join", b"", "a\u202eb", H, []],
        ["join", b"", "A" * 33, H, []],
        ["join", b"", "Ada", H, ["x" * 129]],
        ["join", b"", "Ada", H, ["x"] * 17],
        ["seats", bytes(64 * 1024 + 1), []],
        ["seats", b"", [[H, "Ada", 1]]],
        ["ready", H + b"x"],
    ],
)
def test_what_does_not_fit_is_refused(fields: Packable) -> None:
    with pytest.raises(LinkFault) as fault:
        wire.decode(pack(fields))
    assert fault.value.rule in ("wire.form", "wire.kind")


def test_other_encodings_are_refused() -> None:
    with pytest.raises(LinkFault, match=r"msgpack\.canonical"):
        wire.decode(b"\x92\xa4ping\xcc\x07")
    with pytest.raises(LinkFault, match=r"msgpack\.nil"):
        wire.decode(b"\x92\xa4ping\xc0")


def test_each_kind_has_its_own_limit() -> None:
    # Each field is within its own bounds, all together are not.
    big: list[Packable] = ["have", H, [], [], [[member, bytes(1024), S] for member in range(16)]]
    assert wire.decode(pack(big))
    many: list[Packable] = ["join", b"", "Ada", H, ["x" * 128] * 16]
    assert wire.decode(pack(many))
    entries = wire.Entries(table=H, entries=((bytes(wire.LARGEST_ENTRY), S),) * 4)
    with pytest.raises(Fault):
        wire.encode(entries)
    with pytest.raises(LinkFault, match=r"msgpack\.size"):
        wire.decode(pack(["entries", H, [[bytes(wire.LARGEST_ENTRY), S]] * 4]))
    with pytest.raises(LinkFault, match=r"wire\.size"):
        wire.decode(pack(["ping", bytes(5000)]))


@given(st.binary(max_size=300))
@settings(max_examples=300)
def test_arbitrary_payloads_are_refused_by_type(data: bytes) -> None:
    with pytest.raises(LinkFault):
        wire.decode(data)


@given(st.sampled_from(EXAMPLES), st.data())
@settings(max_examples=300)
def test_mutated_messages_are_refused_or_say_something_else(message: wire.Message, data: st.DataObject) -> None:
    mutated = bytearray(payload(message)[:400])
    at = data.draw(st.integers(0, len(mutated) - 1))
    mutated[at] ^= data.draw(st.integers(1, 255))
    try:
        other = wire.decode(bytes(mutated))
    except LinkFault:
        return
    assert other != message


@given(st.lists(st.sampled_from(EXAMPLES[:9]), max_size=6), st.integers(1, 50))
def test_frames_are_cut_wherever_the_reads_fall(messages: list[wire.Message], size: int) -> None:
    stream = b"".join(wire.encode(message) for message in messages)
    frames = wire.Frames()
    found = [wire.decode(part) for at in range(0, len(stream), size) for part in frames.push(stream[at : at + size])]
    assert found == messages
    assert not frames.inside


@pytest.mark.parametrize("length", [0, wire.LARGEST_FRAME + 1, 2**32 - 1])
def test_a_frame_of_no_good_length_is_refused_at_once(length: int) -> None:
    with pytest.raises(LinkFault, match=r"wire\.length"):
        list(wire.Frames().push(length.to_bytes(4, "big")))


def test_strangers_can_be_held_to_less() -> None:
    frames = wire.Frames(largest=100)
    with pytest.raises(LinkFault, match="at most 100"):
        list(frames.push(wire.encode(wire.Seats(setup=bytes(200), people=()))))
