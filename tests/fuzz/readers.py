"""The readers of plain structures: MessagePack, entries, bodies, rosters, messages, frames.

Each gives back a value whose one encoding is the input, or a refusal of the type and the rules that it documents.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from functools import cache
from random import Random

import msgpack

from p2pmatryoshka.crypto import labels, signing
from p2pmatryoshka.errors import LinkFault, Refused
from p2pmatryoshka.node import wire
from p2pmatryoshka.record import entry as entries
from p2pmatryoshka.record.entry import SignedEntry
from p2pmatryoshka.record.strict import pack, unpack
from p2pmatryoshka.rules import words
from p2pmatryoshka.table import messages, roster
from tests.fuzz.mutate import deep, mutated_bytes, mutated_packed
from tests.fuzz.target import Target, refused
from tests.table.memory import identities, roster_for

KEYS = identities(3)
PUBLIC = [key.public_key().public_bytes_raw() for key in KEYS]
H = bytes(range(32))
NASTY = (
    deep(8), deep(9), deep(5000), deep(5000, b"\x81\xa1a"), deep(2000, b"\xdd\0\0\0\x01"), deep(200, b"\xdc\xff\xff"),
    b"\xdd\xff\xff\xff\xff" * 40, b"\xdf\x7f\xff\xff\xff" + bytes(100), b"\xc6\xff\xff\xff\xff", b"\xdb\0\x10\0\0abc",
    b"\xdc\x07\xff" + b"\x90" * 2047, b"\xde\x07\xff" + b"\xa0\x80" * 2047, b"\x97" + b"\x97\x90\x90\x91" * 7, b"",
)  # fmt: skip

MANY = (b"\xdc\x0f\xfe" + b"\x90" * 4094, b"\xdc\x0f\xfe" + b"\x80" * 4094, b"\xdd\0\x01\0\0" + b"\1" * 65536)


@cache
def rosters() -> tuple[bytes, ...]:
    return (
        roster_for(KEYS),
        roster_for(identities(5), rules={"long_columns": "cap"}),
        roster_for(identities(4), "matrioske", deck=words.shipped("italiano")),
    )


# --- MessagePack


def strict(data: bytes) -> str:
    said = ""
    for size, depth, items, nil in ((1 << 20, 8, 1 << 16, True), (65536, 4, 300, False)):
        try:
            value = unpack(data, size, depth, max_items=items, nil=nil)
        except Refused as error:
            said = refused(error)
            assert said.startswith("msgpack.")
        else:
            assert pack(value) == data
            said = "read"
    return said


# --- entries: signed bytes, and the signature in the last 64


def entry(data: bytes) -> str:
    signed = SignedEntry(data[:-64], data[-64:])
    try:
        got = entries.parse(signed, H, PUBLIC)
    except LinkFault as error:
        rule = refused(error)
        assert rule.startswith("entry.")
        return rule
    signing.verify(PUBLIC[got.author], labels.SIGN_ENTRY, signed.data, signed.signature)
    if got.fault is not None:
        assert got.fault in ("entry.canonical", "entry.hash-length")
        return got.fault
    again = entries.sign(KEYS[got.author], H, got.author, got.sequence, got.previous, got.table_hash, got.body)
    assert again == signed
    return "read"


def mutated_entry(random: Random, data: bytes, others: Sequence[bytes]) -> bytes:
    """Signed anew by one of the members mostly, so that it gets past the signature."""
    changed = mutated_packed(random, data[:-64], [other[:-64] for other in others])
    if random.random() < 0.2:
        return changed + mutated_bytes(random, data[-64:])[:64]
    author = fields_author(changed)
    return signed(changed, random.randrange(3) if author is None else author)


def fields_author(data: bytes) -> int | None:
    """The roster index that stands in the signed bytes of an entry, if any does."""
    try:
        author = msgpack.unpackb(data)[2]
    except (ValueError, msgpack.exceptions.UnpackException, TypeError, LookupError):
        return None
    return author if type(author) is int and 0 <= author < len(KEYS) else None


def some_entries() -> list[bytes]:
    made = [entries.sign(KEYS[n % 3], H, n % 3, n, H, H, messages.encode(body)) for n, body in enumerate(some_bodies())]
    return [data + signature for data, signature in made]


def signed(data: bytes, author: int = 0) -> bytes:
    """With a member's signature behind it, as an entry."""
    return data + signing.sign(KEYS[author], labels.SIGN_ENTRY, data)


# --- bodies


def some_bodies() -> list[messages.AnyBody]:
    return [
        messages.Sit(roster=rosters()[0]),
        messages.Keys(key=bytes(33), proof=bytes(64), coin=H),
        messages.Commit(commitment=H),
        messages.Open(nonce=H, body=pack({"kind": "leave"})),
        messages.Turn(
            option=("on", 1), cards=(3, 4), hidden=0, mixed=bytes(132), mix_proof=H, shares=b"", share_proof=b""
        ),
        messages.Choose(option=("x", 70)),
        messages.Share(shares=bytes(99), proof=bytes(64)),
        messages.Mix(stock=bytes(660), stock_proof=bytes(290), hands=b"", hands_proof=b""),
        messages.Rekey(cards=bytes(66), proof=bytes(96)),
        messages.Blind(key=bytes(33), stock=bytes(66), hands=bytes(66), proof=bytes(64)),
        messages.Seal(points=((0, 12), (1, -3)), winners=(0,)),
        messages.Leave(),
        messages.Vote(round=1, absent=(2,)),
        messages.Withdraw(round=1, absent=(1, 2)),
        messages.Confirm(round=4294967295, absent=()),
        messages.Stand(forker=1, hashes=(H, bytes(32))),
    ]


def body(data: bytes) -> str:
    try:
        got = messages.decode(data)
    except Refused as error:
        rule = refused(error)
        assert rule == "body.form" or rule.startswith("msgpack.")
        return rule
    assert messages.encode(got) == data
    return f"read {got.kind}"


# --- rosters and set-ups


def a_roster(data: bytes) -> str:
    try:
        got = roster.read_roster(data)
    except Refused as error:
        rule = refused(error)
        assert rule.split(".")[0] in ("roster", "msgpack", "identity")
        return rule
    assert roster.make_roster(got.setup, got.members) == data
    assert got.game.name == got.setup.game
    return "read"


def a_setup(data: bytes) -> str:
    try:
        got = roster.read_setup(data)
    except Refused as error:
        rule = refused(error)
        assert rule.split(".")[0] in ("roster", "msgpack")
        return rule
    assert roster.pack_setup(got) == data
    return "read"


def setups() -> list[bytes]:
    return [*(roster.pack_setup(roster.read_roster(data).setup) for data in rosters())]


# --- messages between neighbours


def some_messages() -> list[wire.Message]:
    sixty_four, sixteen = bytes(64), bytes(16)
    return [
        wire.Hello(version=1, nonce=sixteen, role="member"),
        wire.Busy(seconds=3),
        wire.Refusal(reason="lobby.full"),
        wire.Goodbye(reason="link.closed"),
        wire.Ping(number=1),
        wire.Pong(number=2),
        wire.Have(
            table=H, heads=((0, 3, H), (0, 4, H), (2, 0, H)), heard=((1, 0),), addresses=((1, b"a", sixty_four),)
        ),
        wire.Want(table=H, ranges=((0, 0, 5), (2, 7, 7))),
        wire.Entries(table=H, entries=((b"x" * 100, sixty_four), (b"y", sixty_four))),
        wire.Join(token=sixteen, name="Ada", nonce=H, addresses=("localhost:1", "[::1]:2")),
        wire.Seats(setup=setups()[0], people=((PUBLIC[0], "Ada", False),)),
        wire.RosterOffer(roster=rosters()[0], addresses=(("a:1",), ())),
        wire.Ready(table=H),
    ]


def payloads() -> list[bytes]:
    return [wire.encode(message)[4:] for message in some_messages()]


def message(data: bytes) -> str:
    try:
        got = wire.decode(data)
    except LinkFault as error:
        rule = refused(error)
        assert rule.split(".")[0] in ("wire", "msgpack")
        return rule
    assert wire.encode(got) == len(data).to_bytes(4, "big") + data
    return f"read {got.kind}"


def frames(data: bytes) -> str:
    """However the stream is cut, the same payloads come out of it, and the same fault."""
    random = Random(zlib.crc32(data))
    whole = _cut(data, lambda: max(1, len(data)))
    assert whole == _cut(data, lambda: random.choice((1, 2, 3, 7, 64, 1000, 40_000)))
    got, said = whole
    taken = b"".join(len(payload).to_bytes(4, "big") + payload for payload in got)
    assert data.startswith(taken)
    return said


def _cut(data: bytes, size: Callable[[], int]) -> tuple[list[bytes], str]:
    cutter, at = wire.Frames(20_000), 0
    got: list[bytes] = []
    while at < len(data):
        piece = data[at : at + size()]
        at += len(piece)
        try:
            got.extend(cutter.push(piece))
        except LinkFault as error:
            return got, refused(error)
    taken = sum(4 + len(payload) for payload in got)
    assert cutter.inside == (taken < len(data))
    return got, "inside" if cutter.inside else "read"


def streams() -> list[bytes]:
    every = [wire.encode(one) for one in some_messages()]
    return [b"".join(every), b"".join(every[:5])[:-1], every[8] * 30, b"\0\0\x4e\x20" + bytes(20_000), *every]


READERS = (
    Target(
        "strict",
        strict,
        lambda: (*payloads(), *rosters(), pack([None, {"a": [1]}])),
        mutated_packed,
        nasty=(*NASTY, *MANY),
    ),
    Target("entry", entry, some_entries, mutated_entry, nasty=[bytes(64), b"", *map(signed, NASTY)]),
    Target("body", body, lambda: [messages.encode(one) for one in some_bodies()], mutated_packed, 400, nasty=NASTY),
    Target("roster", a_roster, rosters, mutated_packed, nasty=NASTY),
    Target("setup", a_setup, setups, mutated_packed, nasty=NASTY),
    Target("message", message, payloads, mutated_packed, 400, nasty=NASTY),
    Target("frames", frames, streams, mutated_bytes, 200),
)
