"""Mutations of bytes and of MessagePack values, all drawn from one seeded Random.

A value is taken apart, changed somewhere inside (byte strings that hold MessagePack themselves included), and written
anew by a writer that can also write what the protocol forbids: longer forms, wrong lengths, keys twice, other types.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

import msgpack

MOST = 1 << 20
"""No mutation makes anything larger, in bytes."""
SIZES = (32, 33, 64, 66)
"""Lengths of what stands one after another in byte strings: scalars, points, signatures, ciphertexts."""


@dataclass(frozen=True)
class Raw:
    """Bytes to be written as they are where a value should stand."""

    data: bytes


def deep(levels: int, head: bytes = b"\x91") -> bytes:
    """A container in a container in a container."""
    return head * levels + b"\x01"


HOSTILE: tuple[Any, ...] = (
    0, 1, -1, 16, 255, 256, 65535, 65536, 2**31, 2**32, 2**63, 2**64 - 1, -(2**63), True, False, None,
    "", "a", "leave", "\0", "\x1b[2J", "\u202egnp", "\U0001f9f8", "x" * 200, "\n", "e\u0301" * 40,
    b"", b"\0", bytes(32), bytes(33), bytes(64), b"\xff" * 32, b"\xff" * 33, b"\x02" + bytes(32), bytes(5000),
    (), {}, ((),) * 30, (0,) * 300, {"a": 1}, {"kind": "leave"},
    Raw(b"\xca\0\0\0\0"), Raw(b"\xcb" + bytes(8)), Raw(b"\xc1"), Raw(b"\xd4\x01\0"), Raw(b"\xd6\xff\0\0\0\0"),
    Raw(b"\xc7\x00\xff"), Raw(b"\xdd\xff\xff\xff\xff"), Raw(b"\xdf\xff\xff\xff\xff"), Raw(b"\xc6\xff\xff\xff\xff"),
    Raw(b"\xdb\x7f\xff\xff\xff"), Raw(b"\xdc\xff\xff"), Raw(b"\xcc\x01"), Raw(b"\xd3" + bytes(8)), Raw(b"\xd9\x01a"),
    Raw(b"\xa1\xff"), Raw(b"\xa3\xed\xa0\x80"), Raw(b"\x81\xc4\x01a\x01"), Raw(b"\x82\xa1a\x01\xa1a\x01"),
    Raw(deep(5)), Raw(deep(9)), Raw(deep(600)), Raw(deep(3000, b"\x81\xa0")), Raw(b"\x90" * 3000), Raw(b""),
)  # fmt: skip


# --- bytes


def mutated_bytes(random: Random, data: bytes, others: Sequence[bytes] = ()) -> bytes:
    """The bytes with one to four things done to them."""
    for _ in range(random.choice((1, 1, 1, 2, 4))):
        data = random.choice(_BYTES)(random, data, others)[:MOST]
    return data


def _flip(random: Random, data: bytes, _: Sequence[bytes]) -> bytes:
    if not data:
        return b"\x01"
    at = random.randrange(len(data))
    return data[:at] + bytes([data[at] ^ (1 << random.randrange(8))]) + data[at + 1 :]


def _put(random: Random, data: bytes, _: Sequence[bytes]) -> bytes:
    at = random.randrange(len(data) + 1)
    put = random.choice((b"\0", b"\xff", b"\x7f", b"\x80", b"\xc0", b"\xc1", b"\xd9\xff", b"\xdc\xff\xff", b"\n", b'"'))
    return data[:at] + put + data[at + random.choice((0, len(put))) :]


def _cut(random: Random, data: bytes, _: Sequence[bytes]) -> bytes:
    return data[: random.randrange(len(data) + 1)] if random.random() < 0.7 else data[random.randrange(len(data) + 1) :]


def _extend(random: Random, data: bytes, _: Sequence[bytes]) -> bytes:
    return data + random.choice((b"\0", bytes(33), random.randbytes(random.randrange(1, 80)), data[:64]))


def _take_out(random: Random, data: bytes, _: Sequence[bytes]) -> bytes:
    at = random.randrange(len(data) + 1)
    return data[:at] + data[at + random.choice((1, 2, 4, *SIZES)) :]


def _repeat(random: Random, data: bytes, _: Sequence[bytes]) -> bytes:
    at = random.randrange(len(data) + 1)
    piece = data[at : at + random.choice((1, 4, *SIZES))]
    return data[:at] + piece * random.choice((2, 2, 3, 50, 1000)) + data[at + len(piece) :]


def _swap(random: Random, data: bytes, _: Sequence[bytes]) -> bytes:
    """Two pieces of a list exchanged, or one put in the other's place."""
    size = random.choice((1, *SIZES))
    if len(data) < 2 * size:
        return data
    one, other = (size * random.randrange(len(data) // size) for _ in range(2))
    changed = bytearray(data)
    changed[one : one + size] = data[other : other + size]
    if random.random() < 0.6:
        changed[other : other + size] = data[one : one + size]
    return bytes(changed)


def _negate(random: Random, data: bytes, _: Sequence[bytes]) -> bytes:
    """One or all of the points in a list negated: sums of them may vanish."""
    starts = [at for at in range(0, len(data) - 32, 33) if data[at] in (2, 3)]
    changed = bytearray(data)
    for at in starts if random.random() < 0.2 else starts and [random.choice(starts)]:
        changed[at] ^= 1
    return bytes(changed)


def _wipe(random: Random, data: bytes, _: Sequence[bytes]) -> bytes:
    return bytes(len(data)) if random.random() < 0.3 else random.randbytes(len(data)) if data else b""


def _splice(random: Random, data: bytes, others: Sequence[bytes]) -> bytes:
    other = random.choice(others) if others else data
    if not other:
        return data
    return data[: random.randrange(len(data) + 1)] + other[random.randrange(len(other)) :]


_BYTES: tuple[Callable[[Random, bytes, Sequence[bytes]], bytes], ...] = (
    _flip, _flip, _flip, _put, _put, _cut, _extend, _take_out, _repeat, _swap, _swap, _negate, _wipe, _splice,
)  # fmt: skip


# --- values


def parsed(data: bytes) -> Any:
    """The value in some bytes, arrays as tuples. ValueError if there is none, or a deep one."""
    return msgpack.unpackb(data, raw=False, use_list=False, strict_map_key=True)


def mutated_value(random: Random, value: Any, others: Sequence[Any] = ()) -> Any:
    """The value with something changed somewhere in it."""
    if isinstance(value, tuple) and value and random.random() < 0.8:
        at = random.randrange(len(value))
        return (*value[:at], mutated_value(random, value[at], others), *value[at + 1 :])
    if isinstance(value, dict) and value and random.random() < 0.8:
        key = random.choice(list(value))
        return {**value, key: mutated_value(random, value[key], others)}
    if random.random() < 0.25:
        return random.choice(HOSTILE)
    if others and random.random() < 0.1:
        return _anywhere(random, random.choice(others))
    return _other(random, value)


def _anywhere(random: Random, value: Any) -> Any:
    """Some value inside a value."""
    while value and isinstance(value, dict | tuple) and random.random() < 0.75:
        value = random.choice(list(value.values()) if isinstance(value, dict) else value)
    return value


def _other(random: Random, value: Any) -> Any:
    match value:
        case bool():
            return not value
        case int():
            return random.choice((value + 1, value - 1, value ^ (1 << random.randrange(40)), -value, value << 8))
        case str():
            return random.choice((value + "\u200b", value[:-1], value * 2, value.upper(), value.encode(), f" {value}"))
        case bytes():
            return _other_bytes(random, value)
        case tuple():
            return _other_tuple(random, value)
        case dict():
            return _other_map(random, value)
    return random.choice(HOSTILE)


def _other_bytes(random: Random, value: bytes) -> Any:
    if len(value) > 60 and random.random() < 0.5:  # a body or a roster in it
        try:
            return written(random, mutated_value(random, parsed(value)), 0.1)
        except (ValueError, msgpack.exceptions.UnpackException):
            pass
    return mutated_bytes(random, value)


def _other_tuple(random: Random, value: tuple[Any, ...]) -> Any:
    if not value:
        return (random.choice(HOSTILE),)
    at, to = random.randrange(len(value)), random.randrange(len(value))
    match random.randrange(7):
        case 0:
            return (*value[:at], *value[at + 1 :])
        case 1:
            return (*value[:at], value[at], *value[at:])
        case 2:
            changed = list(value)
            changed[at], changed[to] = changed[to], changed[at]
            return tuple(changed)
        case 3:
            return (*value[:at], random.choice(HOSTILE), *value[at:])
        case 4:
            return value[:at]
        case 5:
            few = sum(len(part) for part in value if isinstance(part, bytes)) < 2000
            return value * random.choice((2, 3, 40 if few else 2))
    return (value,)


def _other_map(random: Random, value: dict[Any, Any]) -> Any:
    keys = list(value)
    match random.randrange(5):
        case 0 if keys:
            left_out = random.choice(keys)
            return {key: one for key, one in value.items() if key != left_out}
        case 1 if keys:
            renamed = random.choice(keys)
            return {(f"{key}s" if key == renamed else key): one for key, one in value.items()}
        case 2 if len(keys) > 1:
            one, other = random.sample(keys, 2)
            return {**value, one: value[other], other: value[one]}
        case 3:
            return {**value, **{f"{n:04}": n for n in range(random.choice((1, 3, 2000)))}}
    return {**value, random.choice(("", "a", "zz", "\x1b[31m", "x" * 1000, "\u202e")): random.choice(HOSTILE)}


# --- writing


def written(random: Random, value: Any, slack: float = 0.0) -> bytes:
    """MessagePack of a value. slack: how often, for the whole, one part is written in a way that is not allowed."""
    try:
        return _Writer(random, random.random() < slack).of(value)[:MOST]
    except RecursionError:
        return deep(2000)


class _Writer:
    def __init__(self, random: Random, sloppy: bool) -> None:
        self.random = random
        self.sloppy = sloppy

    def of(self, value: Any) -> bytes:
        bad = self.sloppy and self.random.random() < 0.15
        self.sloppy = self.sloppy and not bad
        match value:
            case Raw(data):
                return data
            case bool() | None:
                return bytes(msgpack.packb(value))
            case int():
                if bad:
                    return b"\xd3" + (value & (2**64 - 1)).to_bytes(8, "big")
                return bytes(msgpack.packb(max(-(2**63), min(value, 2**64 - 1))))
            case str() | bytes():
                data = value if isinstance(value, bytes) else value.encode("utf-8", "surrogatepass")
                if bad:
                    head = 0xC6 if isinstance(value, bytes) else 0xDB
                    return bytes([head]) + (len(data) + self.wrong()).to_bytes(4, "big") + data
                return bytes(msgpack.packb(value))
            case tuple():
                wrong = b"\xdd" + max(0, len(value) + self.wrong()).to_bytes(4, "big")
                return (wrong if bad else _head(len(value), 0x90, 0xDC)) + b"".join(map(self.of, value))
            case dict():
                return self.map(value, bad)
        return bytes(msgpack.packb(value))  # a float or a time, which an earlier mutation brought in

    def map(self, value: dict[Any, Any], bad: bool) -> bytes:
        pairs = sorted(value.items(), key=lambda pair: str(pair[0]).encode("utf-8", "surrogatepass"))
        if bad and pairs:
            self.random.shuffle(pairs)
            pairs.append(self.random.choice(pairs))
        return _head(len(pairs), 0x80, 0xDE) + b"".join(self.of(k) + self.of(v) for k, v in pairs)

    def wrong(self) -> int:
        return self.random.choice((0, 0, 1, 1000, 2**31))


def _head(count: int, small: int, large: int) -> bytes:
    if count < 16:
        return bytes([small | count])
    if count < 1 << 16:
        return bytes([large]) + count.to_bytes(2, "big")
    return bytes([large + 1]) + count.to_bytes(4, "big")


def mutated_packed(random: Random, data: bytes, others: Sequence[bytes] = ()) -> bytes:
    """Packed bytes with something changed: in the value mostly, in the bytes else."""
    if random.random() < 0.25:
        return mutated_bytes(random, data, others)
    try:
        value = parsed(data)
        spare = [parsed(random.choice(others))] if others else []
    except (ValueError, msgpack.exceptions.UnpackException):
        return mutated_bytes(random, data, others)
    for _ in range(random.choice((1, 1, 1, 2, 3))):
        value = mutated_value(random, value, spare)
    return written(random, value, 0.15)
