"""Modified clients that spoil what goes over their links: it proves nothing against anybody, and the game goes on.

An order names one by "frames". Some act at each of the first entries that their member signs, some all the time.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from types import MappingProxyType
from typing import Any
from unittest import mock

import msgpack
import trio

from p2pmatryoshka.crypto import labels, signing
from p2pmatryoshka.node import table_run, wire
from p2pmatryoshka.node.link import Link
from p2pmatryoshka.node.mesh import Mesh
from p2pmatryoshka.record import entry as entries
from p2pmatryoshka.record.entry import Entry, SignedEntry
from p2pmatryoshka.record.strict import pack
from p2pmatryoshka.table import messages

TIMES = 4
"""How often the same thing is tried, each time at another entry: a link that ends for it comes back."""

Spoiling = Callable[[Any, int, Link], None]
"""Given the mesh, a member, and the link to it."""


def _raw(link: Link, data: bytes) -> None:
    """Bytes as they are, past what the link would refuse to send."""
    link._queue.append(data)
    link._queued += len(data)
    link._something.set()


def _framed(payload: bytes) -> bytes:
    return len(payload).to_bytes(4, "big") + payload


def _payload(value: Any) -> Spoiling:
    data = value if isinstance(value, bytes) else pack(value)
    return lambda mesh, member, link: _raw(link, _framed(data))


def _bytes(data: bytes) -> Spoiling:
    return lambda mesh, member, link: _raw(link, data)


def _noise(mesh: Any, member: int, link: Link) -> None:
    chance = random.Random(member)
    for _ in range(20):
        _raw(link, _framed(chance.randbytes(chance.randrange(1, 300))))


def _entries(make: Callable[[Any], list[SignedEntry]]) -> Spoiling:
    def spoil(mesh: Any, member: int, link: Link) -> None:
        made = tuple((e.data, e.signature) for e in make(mesh))
        link.send(wire.Entries(table=mesh._keeper.roster.table, entries=made))

    return spoil


def _foreign(mesh: Any) -> Entry:
    """The newest entry of somebody else."""
    keeper = mesh._keeper
    return max((log.chain[-1] for m, log in enumerate(keeper.table.logs) if m != keeper.me and log.chain), key=_size)


def _size(entry: Entry) -> int:
    return len(entry.signed.data)


def _spoiled_signature(mesh: Any) -> list[SignedEntry]:
    signed = _foreign(mesh).signed
    return [SignedEntry(signed.data, signed.signature[:-1] + bytes([signed.signature[-1] ^ 1]))]


def _spoiled_data(mesh: Any) -> list[SignedEntry]:
    signed = _foreign(mesh).signed
    return [SignedEntry(signed.data[:-1] + bytes([signed.data[-1] ^ 1]), signed.signature)]


def _in_anothers_name(mesh: Any) -> list[SignedEntry]:
    """Signed by the cheat, said to be the next entry of another."""
    keeper, other = mesh._keeper, _foreign(mesh)
    key, table = keeper.own.identity, keeper.roster.table
    return [entries.sign(key, table, other.author, other.sequence + 1, other.hash, keeper.table.moment.hash, b"\x80")]


def _of_another_table(mesh: Any) -> list[SignedEntry]:
    keeper = mesh._keeper
    return [entries.sign(keeper.own.identity, bytes(32), keeper.me, 0, bytes(32), bytes(32), b"\x80")]


def _under_another_label(mesh: Any) -> list[SignedEntry]:
    """The cheat's own entry with its own signature over the same bytes, but as an address."""
    keeper = mesh._keeper
    data = keeper.table.logs[keeper.me].chain[-1].signed.data
    return [SignedEntry(data, signing.sign(keeper.own.identity, labels.SIGN_ADDRESS, data))]


def _old_news(mesh: Any) -> list[SignedEntry]:
    """Everything there is, once more: this is even allowed."""
    return [entry.signed for log in mesh._keeper.table.logs for entry in log.chain][:200]


def _heads_that_are_not(mesh: Any, member: int, link: Link) -> None:
    heads = tuple((m, 900, bytes([m + 1]) * 32) for m in range(len(mesh._keeper.roster.members)))
    link.send(wire.Have(table=mesh._keeper.roster.table, heads=heads))


def _wants_without_end(mesh: Any, member: int, link: Link) -> None:
    for _ in range(100):
        link.send(wire.Want(table=mesh._keeper.roster.table, ranges=tuple((m, 0, 1 << 31) for m in range(3))))


def _pings_without_end(mesh: Any, member: int, link: Link) -> None:
    for number in range(3000):
        _raw(link, wire.encode(wire.Ping(number=number)))


def _haves_without_end(mesh: Any, member: int, link: Link) -> None:
    for number in range(1000):
        link.send(wire.Have(table=mesh._keeper.roster.table, heads=((0, number, bytes(32)),)))


def _false_address(mesh: Any, member: int, link: Link) -> None:
    note = (
        member,
        pack({"table": mesh._keeper.roster.table, "member": member, "number": 9, "at": ("x:1",)}),
        bytes(64),
    )
    link.send(wire.Have(table=mesh._keeper.roster.table, heads=(), addresses=(note,)))


def _hang_up(mesh: Any, member: int, link: Link) -> None:
    link.close("test.hung-up")


def _message(make: Callable[[Any], wire.Message]) -> Spoiling:
    return lambda mesh, member, link: link.send(make(mesh))


ONCE: Mapping[str, Spoiling] = MappingProxyType(
    {
        "noise": _noise,
        "not-messagepack": _payload(b"\xc1" * 50),
        "deep": _payload(b"\x91" * 5000),
        "length-nought": _bytes(bytes(4)),
        "length-without-end": _bytes(b"\xff" * 64),
        "half-a-frame": _bytes(_framed(bytes(500))[:100]),
        "kind-unknown": _payload(["dance", 1]),
        "no-kind": _payload([]),
        "a-map": _payload({"kind": "ping"}),
        "field-missing": _payload(["ping"]),
        "field-of-another-type": _payload(["ping", "x"]),
        "a-timestamp": _payload(msgpack.packb(["ping", msgpack.Timestamp(1)])),
        "hello-again": _message(lambda mesh: wire.Hello(version=1, nonce=bytes(16), role="member")),
        "join-at-the-table": _message(lambda mesh: wire.Join(token=b"", name="X", nonce=bytes(32), addresses=())),
        "refusal": _message(lambda mesh: wire.Refusal(reason="lobby.full")),
        "twice-refusal": _message(lambda mesh: wire.Refusal(reason="identity.twice")),
        "goodbye": _message(lambda mesh: wire.Goodbye(reason="gone")),
        "hang-up": _hang_up,
        "other-table": _message(lambda mesh: wire.Have(table=bytes(32), heads=())),
        "entries-of-another-table": _entries(_of_another_table),
        "spoiled-signature": _entries(_spoiled_signature),
        "spoiled-data": _entries(_spoiled_data),
        "in-anothers-name": _entries(_in_anothers_name),
        "under-another-label": _entries(_under_another_label),
        "old-news": _entries(_old_news),
        "heads-that-are-not": _heads_that_are_not,
        "wants-without-end": _wants_without_end,
        "pings-without-end": _pings_without_end,
        "haves-without-end": _haves_without_end,
        "false-address": _false_address,
    }
)
RELAYS = ("relay-spoils-signatures", "relay-spoils-data", "relay-withholds", "relay-doubles")
WITHHOLDING = ("tells-one-only", "late-by-a-second")
GONE = ("tells-nobody", "floods-its-log", "reads-nothing")
"""Who does these cannot go on playing: the others put it out by vote, which is no accusation."""
ALL = (*ONCE, *RELAYS, *WITHHOLDING, *GONE)
FROM_ENTRY = 6
"""Those who stop do so at this entry of theirs, when cards are dealt."""


@contextmanager
def modified_client(order: dict[str, Any]) -> Iterator[None]:
    """The table of this order is played over links that somebody has tampered with."""
    mesh = _spoiling_mesh(order["frames"], table_run.Mesh)
    with mock.patch.object(table_run, "Mesh", mesh):
        yield


def _spoiling_mesh(name: str, honest: type[Mesh]) -> type[Mesh]:
    class SpoilingMesh(honest):  # type: ignore[valid-type,misc]
        tried = 0

        def publish(self, entry: Entry) -> None:
            if name == "tells-nobody" and entry.sequence >= FROM_ENTRY:
                return
            if name == "late-by-a-second":
                trio.lowlevel.spawn_system_task(self.publish_late, entry)
                return
            super().publish(entry)
            if name in ONCE and self.tried < TIMES and entry.sequence:
                self.tried += 1
                for member, link in list(self.links.items()):
                    if link.ended is None:
                        ONCE[name](self, member, link)
            if name == "floods-its-log" and entry.sequence >= FROM_ENTRY:
                self.flood(entry)

        async def publish_late(self, entry: Entry) -> None:
            await trio.sleep(1)
            super().publish(entry)

        def flood(self, entry: Entry) -> None:
            """A thousand more entries behind this one, over a table hash that does not exist: they may be early."""
            keeper = self._keeper
            body = messages.encode(messages.Choose(option=()))
            made, last = [], entry
            for _ in range(1000):
                previous, number = last.hash, last.sequence + 1
                key, table = keeper.own.identity, keeper.roster.table
                signed = entries.sign(key, table, keeper.me, number, previous, bytes(32), body)
                last = keeper.hold(signed)
                made.append((signed.data, signed.signature))
            for link in self.links.values():
                for at in range(0, len(made), 100):
                    link.send(wire.Entries(table=keeper.roster.table, entries=tuple(made[at : at + 100])))

        def _hear(self, member: int, message: wire.Message) -> None:
            if name == "reads-nothing" and len(self._keeper.table.logs[self._keeper.me].chain) > FROM_ENTRY:
                return
            super()._hear(member, message)

        def _send(self, member: int, message: wire.Message) -> None:
            if isinstance(message, wire.Entries):
                message = self.spoiled(message)
                if name == "tells-one-only" and member != min(self.links):
                    return
                if name == "tells-nobody" and len(self._keeper.table.logs[self._keeper.me].chain) > FROM_ENTRY:
                    return
            super()._send(member, message)

        def spoiled(self, message: wire.Entries) -> wire.Entries:
            if not name.startswith("relay-"):
                return message
            passed = []
            for signed in message.signed:
                data, signature = signed
                if entries.fields(signed).author != self._keeper.me:
                    match name:
                        case "relay-spoils-signatures":
                            signature = signature[:-1] + bytes([signature[-1] ^ 1])
                        case "relay-spoils-data":
                            data = data[:-1] + bytes([data[-1] ^ 1])
                        case "relay-withholds":
                            continue
                        case "relay-doubles":
                            passed.append((data, signature))
                passed.append((data, signature))
            return wire.Entries(table=message.table, entries=tuple(passed))

    return SpoilingMesh
