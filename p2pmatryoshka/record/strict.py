"""MessagePack with exactly one encoding for each value, decoded within bounds fixed beforehand.

Every signed or hashed byte string of the protocol is made and read here. What is allowed is a small part of
MessagePack: integers of 64 bits, UTF-8 strings, byte strings, booleans, arrays, and maps whose keys are
distinct strings in ascending order of their UTF-8 bytes. Every length and integer stands in its shortest
form. Floats, extension types and timestamps do not occur, and nil only where the caller says so.

A decoder of MessagePack that trusts announced lengths can be made to reserve gigabytes by a few hundred bytes
of nested array headers. So a scan walks the headers first and holds each announced length against the bytes
that are really there; only then is anything built.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

import msgpack
from pydantic import ValidationError

from p2pmatryoshka.errors import Fault, Refused

Value: TypeAlias = "bool | int | str | bytes | tuple[Value, ...] | dict[str, Value] | None"
Packable: TypeAlias = "bool | int | str | bytes | Sequence[Packable] | Mapping[str, Packable] | None"

MAX_DEPTH = 8
DEEPEST = 64
"""No caller may allow more: encoding again is recursive."""
MAX_ITEMS = 1 << 16
"""Values in one message, containers and map keys counted: bounds the scan's time and what decoding builds."""

_FIXED = {0xC2: 0, 0xC3: 0, 0xCC: 1, 0xCD: 2, 0xCE: 4, 0xCF: 8, 0xD0: 1, 0xD1: 2, 0xD2: 4, 0xD3: 8}
_SIZED = {0xC4: 1, 0xC5: 2, 0xC6: 4, 0xD9: 1, 0xDA: 2, 0xDB: 4}
_ARRAYS = {0xDC: 2, 0xDD: 4}
_MAPS = {0xDE: 2, 0xDF: 4}
_FLOATS = (0xCA, 0xCB)


def pack(value: Packable) -> bytes:
    """The one encoding of `value`; map keys are put in order. Fault on what the protocol does not carry."""
    try:
        packed: bytes = msgpack.packb(_plain(value), use_bin_type=True, strict_types=True)
    except (OverflowError, UnicodeEncodeError, ValueError) as error:
        raise Fault(f"a value that cannot be packed: {error}") from error
    return packed


def unpack(
    data: bytes, max_size: int, max_depth: int = MAX_DEPTH, *, max_items: int = MAX_ITEMS, nil: bool = False
) -> Value:
    """The value of which `data` is the one encoding; arrays come back as tuples.

    `max_size` is in bytes; `max_depth` counts containers inside each other, so that a scalar has depth 0.
    Refused: msgpack.size, .truncated, .trailing, .depth, .items, .type (floats, extensions, reserved), .nil,
    .key (not a string), .order (keys out of order or twice), .text (not UTF-8), .canonical (a longer form).
    """
    if max_depth > DEEPEST:
        raise Fault(f"nothing of ours is nested deeper than {DEEPEST}")
    if len(data) > max_size:
        raise Refused("msgpack.size", f"{len(data)} bytes, at most {max_size} are allowed")
    _scan(data, max_depth, max_items, nil)
    try:
        value: Value = msgpack.unpackb(
            data,
            raw=False,
            use_list=False,
            strict_map_key=False,
            object_pairs_hook=_ordered,
        )
    except UnicodeDecodeError as error:
        raise Refused("msgpack.text", "a string that is not UTF-8") from error
    except (ValueError, msgpack.exceptions.UnpackException) as error:
        raise Refused("msgpack.type", str(error)) from error
    if pack(value) != data:
        raise Refused("msgpack.canonical", "a length or integer is not in its shortest form")
    return value


def first_trouble(error: ValidationError) -> str:
    """Where and why validation refused a value first: short, and safe to print, whatever the value held."""
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    place = ".".join(str(part) for part in first["loc"]) or "value"
    return shown(f"{place}: {first['msg']}")


def shown(text: str, most: int = 200) -> str:
    """A text of others for a message to a person."""
    return "".join(c if c.isprintable() else "?" for c in text[:most])


def _plain(value: Packable) -> object:
    """`value` in the exact types the packer takes: it would write a subclass in a form of its own."""
    if type(value) in (int, str, bytes, bool):
        return value
    match value:
        case None | bool():
            return value
        case int() | str() | bytes():
            if type(value) not in (int, str, bytes):
                raise Fault(f"only plain values are packed, not {type(value).__name__}")
            return value
        case Mapping():
            if not all(type(key) is str for key in value):
                raise Fault("only strings are keys of a packed map")
            return {key: _plain(value[key]) for key in sorted(value, key=_octets)}
        case list() | tuple():
            return [_plain(item) for item in value]
    raise Fault(f"{type(value).__name__} is not packed")


def _octets(key: str) -> bytes:
    return key.encode("utf-8", "surrogatepass")


def _ordered(pairs: list[tuple[Value, Value]]) -> dict[str, Value]:
    ordered: dict[str, Value] = {}
    last: bytes | None = None
    for key, value in pairs:
        if not isinstance(key, str):
            raise Refused("msgpack.key", "a map key is not a string")
        octets = _octets(key)
        if last is not None and octets <= last:
            raise Refused("msgpack.order", "map keys are out of order or occur twice")
        ordered[key] = value
        last = octets
    return ordered


def _scan(data: bytes, max_depth: int, max_items: int, nil: bool) -> None:
    """Walks the headers alone, in memory bounded by the depth."""
    at, size, items = 0, len(data), 0
    open_: list[int] = [1]  # how many values each container still awaits; the first stands for the message
    awaited = 1
    while open_:
        if open_[-1] == 0:
            open_.pop()
            continue
        open_[-1] -= 1
        awaited -= 1
        items += 1
        if items > max_items:
            raise Refused("msgpack.items", f"more than {max_items} values")
        if at >= size:
            raise Refused("msgpack.truncated", "the message ends inside a value")
        at, inside = _header(data, at, nil)
        if inside is not None:
            if len(open_) > max_depth:
                raise Refused("msgpack.depth", f"more than {max_depth} containers inside each other")
            open_.append(inside)
            awaited += inside
        if at + awaited > size:
            raise Refused("msgpack.truncated", "a length announces more than is there")
    if at != size:
        raise Refused("msgpack.trailing", f"{size - at} bytes after the value")


def _header(data: bytes, at: int, nil: bool) -> tuple[int, int | None]:
    """Where the value at `at` ends or, for a container, its contents begin; and how many values it awaits."""
    head = data[at]
    at += 1
    if head < 0x80 or head >= 0xE0:
        return at, None
    if head < 0x90:
        return at, 2 * (head & 0x0F)
    if head < 0xA0:
        return at, head & 0x0F
    if head < 0xC0:
        return at + (head & 0x1F), None
    if head in _FIXED:
        return at + _FIXED[head], None
    if head in _SIZED:
        width = _SIZED[head]
        return at + width + _number(data, at, width), None
    if head in _ARRAYS:
        width = _ARRAYS[head]
        return at + width, _number(data, at, width)
    if head in _MAPS:
        width = _MAPS[head]
        return at + width, 2 * _number(data, at, width)
    if head == 0xC0:
        if nil:
            return at, None
        raise Refused("msgpack.nil", "nil does not occur here")
    if head in _FLOATS:
        raise Refused("msgpack.type", "floats do not occur")
    raise Refused("msgpack.type", f"the type {head:#04x} does not occur")


def _number(data: bytes, at: int, width: int) -> int:
    octets = data[at : at + width]
    if len(octets) < width:
        raise Refused("msgpack.truncated", "the message ends inside a length")
    return int.from_bytes(octets, "big")
