"""A link, and the handshake before it, over streams of memory fed with anything: a typed end, and never a hang.

The clock is virtual and jumps, so a hang of the protocol ends as a deadline, and one of the program as TooMuch.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from functools import cache
from random import Random

import trio
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from trio.testing import MockClock, memory_stream_pair

from p2pmatryoshka.errors import LinkFault, MatryoshkaError
from p2pmatryoshka.node import wire
from p2pmatryoshka.node.identity import Identity
from p2pmatryoshka.node.link import Link, LinkLost, accept
from tests.fuzz.bounds import Bounds
from tests.fuzz.campaign import CORPUS
from tests.fuzz.mutate import mutated_bytes, mutated_packed
from tests.fuzz.readers import NASTY, payloads, streams
from tests.fuzz.target import Target, refused, shown

LATEST = 60.0
"""Seconds of virtual time within which any link to a peer that says nothing more must have ended."""


@cache
def _identities() -> tuple[Identity, Identity]:
    one, other = (Identity(Ed25519PrivateKey.from_private_bytes(bytes([n]) * 32)) for n in (1, 2))
    return one, other


def ended(error: MatryoshkaError | None) -> str:
    """How it ended; only ever one of two types."""
    match error:
        case LinkFault():
            return refused(error)
        case LinkLost(reason=reason, detail=detail):
            shown(detail)
            return reason
    raise AssertionError(f"ended with {error!r}")


def link(data: bytes) -> str:
    """The bytes arrive in pieces and the other side says nothing more; then the link must end by itself."""
    return trio.run(_link, data, clock=MockClock(autojump_threshold=0))


async def _link(data: bytes) -> str:
    random = Random(zlib.crc32(data))
    here, there = memory_stream_pair()
    one = Link(there, _identities()[0].public)
    strangers = random.random() < 0.3
    if strangers:
        one.limit(8 * wire.KIB)
    got: list[wire.Message] = []

    async def hear() -> None:
        try:
            while True:
                got.append(await one.receive())
        except (LinkFault, LinkLost):
            return

    async def feed() -> None:
        at = 0
        while at < len(data):
            size = random.choice((1, 3, 64, 1000, 40_000)) if len(data) < 5000 else 40_000
            try:
                await here.send_all(data[at : at + size])
            except trio.BrokenResourceError:
                return  # the link has ended
            at += size
            await trio.sleep(random.choice((0, 0, 0.01)))
        if random.random() < 0.3:
            await here.aclose()

    with trio.fail_after(LATEST + len(data) * 0.01):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(one.run)
            nursery.start_soon(hear)
            nursery.start_soon(feed)
    sent = b"".join(wire.encode(message) for message in got)
    assert len(sent) <= len(data)
    assert not strangers or all(len(wire.encode(message)) <= 8 * wire.KIB + 4 for message in got)
    return ended(one.ended)


def handshake(data: bytes) -> str:
    """The bytes arrive where a handshake is due."""
    return trio.run(_handshake, data, clock=MockClock(autojump_threshold=0))


async def _handshake(data: bytes) -> str:
    here, there = memory_stream_pair()
    await here.send_all(data)
    if zlib.crc32(data) % 2:
        here.send_stream.close()
    try:
        with trio.fail_after(LATEST):
            await accept(there, _identities()[1], lambda _: True)
    except (LinkFault, LinkLost) as error:
        return ended(error)
    raise AssertionError("a link out of a replayed handshake")


def hellos() -> list[bytes]:
    """The first flights of real clients, as they were sent once, and other things that people send to open ports."""
    return [
        *(path.read_bytes() for path in sorted((CORPUS / "handshake").glob("hello-*"))),
        b"GET / HTTP/1.1\r\nHost: a\r\n\r\n",
        b"SSH-2.0-OpenSSH_9.2\r\n",
        b"\x16\x03\x01\x40\x00" + bytes(16384),
        b"\x15\x03\x03\x00\x02\x02\x28",
    ]


def mutated_stream(random: Random, data: bytes, others: Sequence[bytes]) -> bytes:
    """Frames with changed payloads among whole ones; or the bytes of the stream changed."""
    if random.random() < 0.3:
        return mutated_bytes(random, data, others)
    every = payloads()
    frames = []
    for _ in range(random.randrange(1, 6)):
        payload = random.choice(every)
        if random.random() < 0.4:
            payload = mutated_packed(random, payload, every)
        length = len(payload) if random.random() < 0.95 else random.choice((0, 1, 2**31, len(payload) + 1))
        frames.append(length.to_bytes(4, "big") + payload)
    return b"".join(frames)


LINKS = (
    Target("link", link, streams, mutated_stream, 100, Bounds(2.0, 400, 2 << 20), sparse=2, nasty=NASTY[:6]),
    Target("handshake", handshake, hellos, mutated_bytes, 60, Bounds(2.0, 100, 4 << 20)),
)
