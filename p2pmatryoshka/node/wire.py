"""What neighbours say to each other: frames, and the typed messages in them.

A frame is a length of 4 bytes (big-endian), then that many bytes: the MessagePack array of the message's kind
and its fields in the order in which they stand below. Whatever else arrives is the fault of the link, never
evidence against a member: only the signed entries inside count, and they are judged elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Annotated, Any, ClassVar, Final, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, FailFast, Field, ValidationError

from p2pmatryoshka.errors import Fault, LinkFault, Refused
from p2pmatryoshka.record.entry import SignedEntry
from p2pmatryoshka.record.strict import Packable, first_trouble, pack, unpack

VERSION: Final = 1
KIB: Final = 1024
LENGTH_SIZE: Final = 4
LARGEST_FRAME: Final = 1024 * KIB
LARGEST_ENTRY: Final = 256 * KIB
MOST_MEMBERS: Final = 16
_DEPTH: Final = 5
MOST_ITEMS: Final = 4096

Bytes16 = Annotated[bytes, Field(min_length=16, max_length=16)]
Bytes32 = Annotated[bytes, Field(min_length=32, max_length=32)]
Bytes64 = Annotated[bytes, Field(min_length=64, max_length=64)]
Member = Annotated[int, Field(ge=0, lt=MOST_MEMBERS)]
Sequence = Annotated[int, Field(ge=0, lt=1 << 32)]
Count = Annotated[int, Field(ge=0, lt=1 << 32)]
"""Seconds or a running number; it says nothing about a time of day."""
Address = Annotated[str, Field(min_length=1, max_length=128)]
Addresses = Annotated[tuple[Address, ...], FailFast(), Field(max_length=16)]


def _shown(text: str) -> str:
    """Texts of others reach terminals: nothing in them may steer one."""
    if not text.isprintable() or text != text.strip():
        raise ValueError("holds characters that cannot be shown")
    return text


def _in_order(rows: tuple[Any, ...]) -> tuple[Any, ...]:
    if any(one[0] >= next_[0] for one, next_ in pairwise(rows)):
        raise ValueError("members are out of order")
    return rows


def _heads(heads: tuple[tuple[int, int, bytes], ...]) -> tuple[tuple[int, int, bytes], ...]:
    if list(heads) != sorted(set(heads)):
        raise ValueError("heads are out of order")
    if any(one[0] == third[0] for one, third in zip(heads, heads[2:], strict=False)):
        raise ValueError("three heads of one member")
    return heads


def _ranges(ranges: tuple[tuple[int, int, int], ...]) -> tuple[tuple[int, int, int], ...]:
    if any(first > last for _, first, last in ranges):
        raise ValueError("a range ends before it begins")
    return ranges


Code = Annotated[str, Field(pattern=r"^[a-z][a-z0-9.-]{0,63}$")]
Name = Annotated[str, Field(min_length=1, max_length=32), AfterValidator(_shown)]


class Message(BaseModel):
    """A message; `most_bytes` bounds its encoding without the length."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)
    kind: ClassVar[str]
    most_bytes: ClassVar[int] = 4 * KIB

    @classmethod
    def of(cls, fields: tuple[Any, ...]) -> Self:
        """From the fields in order. ValueError if they do not fit."""
        names = tuple(cls.model_fields)
        if len(fields) != len(names):
            raise ValueError(f"{len(fields)} fields where {len(names)} are due")
        return cls.model_validate(dict(zip(names, fields, strict=True)))


class Hello(Message):
    """The first message each way. `nonce` is the process's own: a second one with its identity shows."""

    kind = "hello"
    version: Count
    nonce: Bytes16
    role: Literal["member", "joiner", "watcher"]


class Busy(Message):
    """Not now: try again after that many seconds."""

    kind = "busy"
    seconds: Count


class Refusal(Message):
    """No, and why; the link ends."""

    kind = "refusal"
    reason: Code


class Goodbye(Message):
    """The link ends, nothing is wrong."""

    kind = "goodbye"
    reason: Code


class Ping(Message):
    """Are you there?"""

    kind = "ping"
    number: Count


class Pong(Message):
    """Yes; the number is that of the ping."""

    kind = "pong"
    number: Count


class Have(Message):
    """What the sender holds of one table's logs.

    heads: (member, sequence number, hash) of the last entry held without gaps, and one more for a member's
    second branch; in order of members, without those that have no entry. heard: (member, seconds since).
    addresses: (member, what that member signed, its signature), ways to reach it.
    """

    kind = "have"
    most_bytes = 32 * KIB
    table: Bytes32
    heads: Annotated[
        tuple[tuple[Member, Sequence, Bytes32], ...],
        FailFast(),
        Field(max_length=2 * MOST_MEMBERS),
        AfterValidator(_heads),
    ]
    heard: Annotated[
        tuple[tuple[Member, Count], ...], FailFast(), Field(max_length=MOST_MEMBERS), AfterValidator(_in_order)
    ] = ()
    addresses: Annotated[
        tuple[tuple[Member, Annotated[bytes, Field(max_length=1024)], Bytes64], ...],
        Field(max_length=MOST_MEMBERS),
        AfterValidator(_in_order),
    ] = ()


class Want(Message):
    """Please send: (member, first, last sequence number) of one table's logs, both ends included."""

    kind = "want"
    table: Bytes32
    ranges: Annotated[
        tuple[tuple[Member, Sequence, Sequence], ...],
        FailFast(),
        Field(max_length=4 * MOST_MEMBERS),
        AfterValidator(_ranges),
    ]


class Entries(Message):
    """Signed entries of one table, pushed or asked for; none if what was asked for is not here.

    Author and sequence number stand in the signed bytes and nowhere else, so that they cannot disagree.
    """

    kind = "entries"
    most_bytes = LARGEST_FRAME
    table: Bytes32
    entries: Annotated[
        tuple[tuple[Annotated[bytes, Field(min_length=1, max_length=LARGEST_ENTRY)], Bytes64], ...],
        Field(max_length=1024),
    ]

    @property
    def signed(self) -> tuple[SignedEntry, ...]:
        return tuple(SignedEntry(data, signature) for data, signature in self.entries)


class Join(Message):
    """To a host: let me in. `token` is the invite's, or empty; `nonce` is mine for the roster."""

    kind = "join"
    token: Annotated[bytes, Field(max_length=64)]
    name: Name
    nonce: Bytes32
    addresses: Addresses


class Seats(Message):
    """From a host: what will be played, and who is there: (identity key, name, whether a bot)."""

    kind = "seats"
    most_bytes = 128 * KIB
    setup: Annotated[bytes, Field(max_length=64 * KIB)]
    people: Annotated[tuple[tuple[Bytes32, Name, bool], ...], FailFast(), Field(max_length=MOST_MEMBERS)]


class RosterOffer(Message):
    """From a host: the roster to be signed, and the addresses of its members in their order."""

    kind = "roster"
    most_bytes = 128 * KIB
    roster: Annotated[bytes, Field(max_length=64 * KIB)]
    addresses: Annotated[tuple[Addresses, ...], FailFast(), Field(max_length=MOST_MEMBERS)]


class Ready(Message):
    """To a host: I take my place at the table with that id."""

    kind = "ready"
    table: Bytes32


KINDS: Final[dict[str, type[Message]]] = {
    message.kind: message
    for message in (
        Hello,
        Busy,
        Refusal,
        Goodbye,
        Ping,
        Pong,
        Have,
        Want,
        Entries,
        Join,
        Seats,
        RosterOffer,
        Ready,
    )
}


def encode(message: Message) -> bytes:
    """The frame, length included. Fault if it is larger than its kind allows."""
    fields: list[Packable] = [message.kind, *(getattr(message, name) for name in type(message).model_fields)]
    payload = pack(fields)
    if len(payload) > message.most_bytes:
        raise Fault(f"{len(payload)} bytes in one {message.kind} message, at most {message.most_bytes}")
    return len(payload).to_bytes(LENGTH_SIZE, "big") + payload


def decode(payload: bytes) -> Message:
    """The message in a payload. LinkFault "wire.kind", "wire.form", "wire.size", "msgpack...."."""
    try:
        value = unpack(payload, LARGEST_FRAME, _DEPTH, max_items=MOST_ITEMS)
    except Refused as refusal:
        raise LinkFault(refusal.rule, refusal.detail) from refusal
    if not isinstance(value, tuple) or not value or not isinstance(value[0], str):
        raise LinkFault("wire.form", "no array that begins with a kind")
    kind = KINDS.get(value[0])
    if kind is None:
        raise LinkFault("wire.kind", f"no kind {value[0][:16]!r}")
    if len(payload) > kind.most_bytes:
        raise LinkFault("wire.size", f"{len(payload)} bytes in one {kind.kind} message")
    try:
        return kind.of(value[1:])
    except ValidationError as error:
        raise LinkFault("wire.form", f"{kind.kind} {first_trouble(error)}") from error
    except ValueError as error:
        raise LinkFault("wire.form", f"{kind.kind}: {error}") from error


class Frames:
    """Cuts a stream of bytes into the payloads of frames, in memory bounded by `largest` and one read."""

    def __init__(self, largest: int = LARGEST_FRAME) -> None:
        self.largest = largest
        self._buffer = bytearray()

    def push(self, data: bytes) -> Iterator[bytes]:
        """The payloads that `data` completes. LinkFault "wire.length" for one that is empty or too large."""
        self._buffer += data
        while len(self._buffer) >= LENGTH_SIZE:
            length = int.from_bytes(self._buffer[:LENGTH_SIZE], "big")
            if not 0 < length <= self.largest:
                raise LinkFault("wire.length", f"a frame of {length} bytes, at most {self.largest}")
            end = LENGTH_SIZE + length
            if len(self._buffer) < end:
                return
            payload = bytes(self._buffer[LENGTH_SIZE:end])
            del self._buffer[:end]
            yield payload

    @property
    def inside(self) -> bool:
        """Whether a frame has begun and not ended."""
        return bool(self._buffer)
