"""One encoding for each value; everything else is refused, within bounds."""

from __future__ import annotations

import tracemalloc
from enum import IntEnum

import msgpack
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from p2pmatryoshka.errors import Fault, Refused
from p2pmatryoshka.record.strict import Packable, Value, pack, unpack

scalars = st.one_of(
    st.none(), st.booleans(), st.integers(-(2**63), 2**64 - 1), st.text(max_size=40), st.binary(max_size=300)
)
values = st.recursive(
    scalars,
    lambda inner: st.one_of(
        st.lists(inner, max_size=20).map(tuple), st.dictionaries(st.text(max_size=8), inner, max_size=5)
    ),
    max_leaves=30,
)


@given(values)
def test_what_is_packed_comes_back(value: Value) -> None:
    assert unpack(pack(value), 1 << 20, 40, nil=True) == value


@given(st.dictionaries(st.text(max_size=4), st.integers(0, 9), max_size=6), st.randoms())
def test_the_order_in_which_a_map_was_built_does_not_matter(value: dict[str, int], random: object) -> None:
    keys = list(value)
    random.shuffle(keys)  # type: ignore[attr-defined]
    assert pack({key: value[key] for key in keys}) == pack(value)


@given(st.binary(max_size=200))
@settings(max_examples=500)
def test_arbitrary_bytes_are_refused_or_are_the_encoding_of_what_they_give(data: bytes) -> None:
    try:
        value = unpack(data, 200, 6, nil=True)
    except Refused as refusal:
        assert refusal.rule.startswith("msgpack.")
    else:
        assert pack(value) == data


@given(values, st.data())
def test_a_changed_byte_never_gives_the_same_value(value: Value, data: st.DataObject) -> None:
    packed = bytearray(pack(value))
    at = data.draw(st.integers(0, len(packed) - 1))
    packed[at] ^= data.draw(st.integers(1, 255))
    try:
        other = unpack(bytes(packed), 1 << 20, 40, nil=True)
    except Refused:
        return
    # True equals 1 in Python, so the types are part of what is compared.
    assert repr(other) != repr(value)


@pytest.mark.parametrize(
    ("data", "rule"),
    [
        (b"", "msgpack.truncated"),
        (b"\x92\x01", "msgpack.truncated"),
        (b"\xc4", "msgpack.truncated"),
        (b"\xc4\x05abc", "msgpack.truncated"),
        (b"\xdd\xff\xff\xff\xff", "msgpack.truncated"),
        (b"\x01\x01", "msgpack.trailing"),
        (b"\x91" * 5 + b"\x01", "msgpack.depth"),
        (b"\xca\x00\x00\x00\x00", "msgpack.type"),
        (b"\xcb" + bytes(8), "msgpack.type"),
        (b"\xd4\x01\x00", "msgpack.type"),
        (b"\xd6\xff\x00\x00\x00\x00", "msgpack.type"),
        (b"\xc7\x01\x05\x00", "msgpack.type"),
        (b"\xc1", "msgpack.type"),
        (b"\xc0", "msgpack.nil"),
        (b"\x91\xc0", "msgpack.nil"),
        (b"\x81\x01\x01", "msgpack.key"),
        (b"\x81\xc4\x01a\x01", "msgpack.key"),
        (b"\x82\xa1a\x01\xa1a\x02", "msgpack.order"),
        (b"\x82\xa1b\x01\xa1a\x02", "msgpack.order"),
        (b"\xa1\xff", "msgpack.text"),
        (b"\xa3\xed\xa0\x80", "msgpack.text"),
        (b"\xcc\x01", "msgpack.canonical"),
        (b"\xcd\x00\xff", "msgpack.canonical"),
        (b"\xd0\x01", "msgpack.canonical"),
        (b"\xd3" + bytes(7) + b"\x01", "msgpack.canonical"),
        (b"\xd9\x01a", "msgpack.canonical"),
        (b"\xc5\x00\x01a", "msgpack.canonical"),
        (b"\xdc\x00\x01\x01", "msgpack.canonical"),
        (b"\xde\x00\x00", "msgpack.canonical"),
    ],
)
def test_each_other_form_is_refused_by_name(data: bytes, rule: str) -> None:
    with pytest.raises(Refused) as refusal:
        unpack(data, 100, 4)
    assert refusal.value.rule == rule


def test_what_is_too_large_is_not_read_at_all() -> None:
    with pytest.raises(Refused, match=r"msgpack\.size"):
        unpack(pack(bytes(101)), 100, 4)


def test_depth_is_counted_in_containers() -> None:
    assert unpack(b"\x01", 10, 0) == 1
    assert unpack(b"\x91\x91\x01", 10, 2) == ((1,),)
    with pytest.raises(Refused, match=r"msgpack\.depth"):
        unpack(b"\x91\x91\x91\x01", 10, 2)
    with pytest.raises(Fault):
        unpack(b"\x91\x01", 10, 65)


def test_the_number_of_values_is_bounded() -> None:
    data = pack([0] * 99)
    assert unpack(data, 1000, max_items=100) == (0,) * 99
    with pytest.raises(Refused, match=r"msgpack\.items"):
        unpack(data, 1000, max_items=99)


def test_nested_headers_that_announce_much_reserve_nothing() -> None:
    # Each header claims about a million values; the C decoder alone would reserve eight megabytes for each.
    bomb = b"\xdd\x00\x0f\x00\x00" * 60 + bytes(1 << 20)
    tracemalloc.start()
    try:
        with pytest.raises(Refused):
            unpack(bomb, 1 << 21, 64)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 1 << 20


class Colour(IntEnum):
    RED = 3


@pytest.mark.parametrize(
    "value",
    [1.5, 2**64, -(2**63) - 1, Colour.RED, {1: 2}, {b"a": 1}, bytearray(b"x"), {1, 2}, object(), "\ud800"],
)
def test_what_the_protocol_does_not_carry_is_a_fault_of_ours(value: Packable) -> None:
    with pytest.raises(Fault):
        pack(value)


def test_the_packer_agrees_with_the_library_on_ordered_values() -> None:
    value: Packable = {"a": [1, -1, 2**40, "é", b"\x00" * 300], "b": {"x": True, "y": False}}
    assert pack(value) == msgpack.packb(value, use_bin_type=True)
