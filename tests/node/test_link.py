"""Links over memory and loopback: the right peer or none, and an end with a reason whatever happens."""

from __future__ import annotations

import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial

import pytest
import trio
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from trio.testing import MockClock, lockstep_stream_pair, memory_stream_pair

from p2pmatryoshka.errors import LinkFault, MatryoshkaError
from p2pmatryoshka.node import link as link_module
from p2pmatryoshka.node import wire
from p2pmatryoshka.node.identity import Identity
from p2pmatryoshka.node.link import Link, LinkLost, accept, connect

ADA, BEA, EVE = (Identity(Ed25519PrivateKey.from_private_bytes(bytes([n]) * 32)) for n in (1, 2, 3))
H = bytes(32)


def entries(size: int) -> wire.Entries:
    return wire.Entries(table=H, entries=((bytes(size), bytes(64)),))


def only(*identities: Identity) -> Callable[[bytes], bool]:
    return lambda found: found in [identity.fingerprint for identity in identities]


async def both(*sides: Awaitable[Link]) -> list[Link | MatryoshkaError]:
    """What each side came to: a link, or the typed error. Anything else fails the test."""
    outcomes: dict[int, Link | MatryoshkaError] = {}

    async def come_to(number: int, side: Awaitable[Link]) -> None:
        try:
            outcomes[number] = await side
        except (LinkFault, LinkLost) as error:
            outcomes[number] = error

    async with trio.open_nursery() as nursery:
        for number, side in enumerate(sides):
            nursery.start_soon(come_to, number, side)
    return [outcomes[number] for number in range(len(sides))]


@asynccontextmanager
async def linked() -> AsyncIterator[tuple[Link, Link]]:
    here, there = memory_stream_pair()
    ada, bea = await both(connect(here, ADA, BEA.fingerprint), accept(there, BEA, only(ADA)))
    assert isinstance(ada, Link)
    assert isinstance(bea, Link)
    async with running(ada, bea):
        yield ada, bea


@asynccontextmanager
async def running(*links: Link) -> AsyncIterator[None]:
    async with trio.open_nursery() as nursery:
        for link in links:
            nursery.start_soon(link.run)
        yield
        nursery.cancel_scope.cancel()


async def reason(link: Link) -> str:
    """The rule or reason with which the link ends."""
    with trio.fail_after(60):
        while True:
            try:
                await link.receive()
            except LinkFault as fault:
                return fault.rule
            except LinkLost as lost:
                return lost.reason


# --- whose link it is


async def test_each_side_knows_the_others_key() -> None:
    async with linked() as (ada, bea):
        assert (ada.peer, bea.peer) == (BEA.public, ADA.public)
        assert (ada.fingerprint, bea.fingerprint) == (BEA.fingerprint, ADA.fingerprint)


async def test_over_loopback() -> None:
    served: list[Link | MatryoshkaError] = []

    async def serve(stream: trio.SocketStream) -> None:
        link = await accept(stream, BEA, only(ADA))
        served.append(link)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(link.run)
            async for message in link:
                link.send(message)

    async with trio.open_nursery() as nursery:
        listeners = await nursery.start(partial(trio.serve_tcp, serve, 0, host="127.0.0.1"))
        port = listeners[0].socket.getsockname()[1]
        ada = await connect(await trio.open_tcp_stream("127.0.0.1", port), ADA, BEA.fingerprint)
        nursery.start_soon(ada.run)
        sent = [entries(size) for size in (1, 40_000, wire.LARGEST_ENTRY)]
        for message in sent:
            ada.send(message)
        with trio.fail_after(10):
            assert [await ada.receive() for _ in sent] == sent
            ada.close("done")
            assert await reason(ada) == "link.closed"
            while served[0].ended is None:  # type: ignore[union-attr]
                await trio.lowlevel.checkpoint()
        assert str(served[0].ended) == "link.goodbye: done"  # type: ignore[union-attr]
        nursery.cancel_scope.cancel()


async def test_another_peer_than_the_expected_is_left_before_anything_is_said() -> None:
    here, there = memory_stream_pair()
    ada, eve = await both(connect(here, ADA, BEA.fingerprint), accept(there, EVE, lambda _: True))
    assert isinstance(ada, LinkFault)
    assert ada.rule == "link.key"
    assert isinstance(eve, LinkLost)
    assert eve.reason == "link.refused"
    with pytest.raises(trio.ClosedResourceError):
        await here.send_all(b"x")


async def test_a_peer_that_is_not_welcome_is_told() -> None:
    here, there = memory_stream_pair()
    eve, bea = await both(connect(here, EVE, BEA.fingerprint), accept(there, BEA, only(ADA)))
    assert isinstance(bea, LinkFault)
    assert bea.rule == "link.key"
    assert isinstance(eve, LinkLost)
    assert eve.reason == "link.refused"


async def test_a_middleman_with_its_own_key_gets_between_nobody() -> None:
    ada_end, eve_down = memory_stream_pair()
    eve_up, bea_end = memory_stream_pair()
    ada, bea, down, up = await both(
        connect(ada_end, ADA, BEA.fingerprint),
        accept(bea_end, BEA, only(ADA)),
        accept(eve_down, EVE, lambda _: True),
        connect(eve_up, EVE, BEA.fingerprint),
    )
    assert isinstance(ada, LinkFault)
    assert isinstance(bea, LinkFault)
    assert not isinstance(down, Link)
    assert not isinstance(up, Link)
    # The control: without the comparing of keys she would be between them.
    ada_end, eve_down = memory_stream_pair()
    ada, down = await both(connect(ada_end, ADA, EVE.fingerprint), accept(eve_down, EVE, lambda _: True))
    assert isinstance(ada, Link)
    assert isinstance(down, Link)


def test_a_certificate_is_worth_nothing_without_its_key() -> None:
    # Anyone can issue a certificate for Ada's key; only Ada can use it.
    forged = Identity(EVE.key)
    object.__setattr__(forged, "certificate", ADA.certificate)
    with pytest.raises(ssl.SSLError):
        _ = forged.client_context


async def test_a_client_without_certificate_is_refused() -> None:
    here, there = memory_stream_pair()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    context.set_alpn_protocols(["p2pmatryoshka/1"])

    async def bare() -> Link:
        stream = trio.SSLStream(here, context, https_compatible=False)
        try:
            await stream.do_handshake()
            await stream.receive_some()
        except trio.BrokenResourceError:
            raise LinkLost("link.broken") from None
        raise AssertionError("served")

    bea, _ = await both(accept(there, BEA, lambda _: True), bare())
    assert isinstance(bea, LinkFault)
    assert bea.rule == "link.tls"


async def test_older_tls_is_refused() -> None:
    here, there = memory_stream_pair()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    context.maximum_version = ssl.TLSVersion.TLSv1_2

    async def old() -> Link:
        try:
            await trio.SSLStream(here, context).do_handshake()
        except trio.BrokenResourceError:
            raise LinkLost("link.broken") from None
        raise AssertionError("served")

    bea, _ = await both(accept(there, BEA, lambda _: True), old())
    assert isinstance(bea, LinkFault)
    assert bea.rule == "link.tls"


async def test_another_protocol_is_refused() -> None:
    here, there = memory_stream_pair()
    other = Identity(ADA.key)
    other.client_context.set_alpn_protocols(["other/1"])
    outcomes = await both(connect(here, other, BEA.fingerprint), accept(there, BEA, only(ADA)))
    assert any(isinstance(outcome, LinkFault) and outcome.rule == "link.protocol" for outcome in outcomes)
    assert not any(isinstance(outcome, Link) for outcome in outcomes)


@pytest.mark.parametrize("noise", [b"GET / HTTP/1.1\r\n\r\n", b"\x16\x03\x01\xff\xff" + bytes(70_000), bytes(10)])
async def test_noise_instead_of_a_handshake_is_refused(noise: bytes, autojump_clock: MockClock) -> None:
    here, there = memory_stream_pair()
    await here.send_all(noise)
    (bea,) = await both(accept(there, BEA, lambda _: True))
    assert isinstance(bea, LinkFault | LinkLost)
    with pytest.raises(trio.ClosedResourceError):
        await there.receive_some()


async def test_silence_instead_of_a_handshake_ends_in_time(autojump_clock: MockClock) -> None:
    _here, there = memory_stream_pair()
    (bea,) = await both(accept(there, BEA, lambda _: True))
    assert isinstance(bea, LinkLost)
    assert bea.reason == "link.silent"
    assert trio.current_time() == link_module.HANDSHAKE_SECONDS


async def test_a_peer_that_never_answers_the_first_byte_ends_in_time(autojump_clock: MockClock) -> None:
    here, there = memory_stream_pair()

    async def mute() -> Link:
        stream = trio.SSLStream(there, BEA.server_context, server_side=True, https_compatible=False)
        await stream.do_handshake()
        await trio.sleep(100)
        raise LinkLost("link.silent")

    ada, _ = await both(connect(here, ADA, BEA.fingerprint), mute())
    assert isinstance(ada, LinkLost)
    assert ada.reason == "link.silent"


async def test_a_peer_that_hangs_up_in_the_handshake_is_lost() -> None:
    here, there = memory_stream_pair()
    await here.aclose()
    (bea,) = await both(accept(there, BEA, lambda _: True))
    assert isinstance(bea, LinkLost)
    assert bea.reason == "link.broken"


# --- messages


async def test_messages_arrive_in_order_both_ways() -> None:
    async with linked() as (ada, bea):
        sizes = [1, 70_000, 3, wire.LARGEST_ENTRY, 2, 65_536, 9]
        for size in sizes:
            ada.send(entries(size))
            bea.send(entries(size))
        with trio.fail_after(10):
            for link in (ada, bea):
                assert [await link.receive() for _ in sizes] == [entries(size) for size in sizes]


async def test_what_was_sent_before_closing_still_arrives() -> None:
    async with linked() as (ada, bea):
        for number in range(50):
            ada.send(wire.Busy(seconds=number))
        ada.close("enough")
        ada.close("twice")
        assert [message async for message in bea] == [wire.Busy(seconds=number) for number in range(50)]
        assert isinstance(bea.ended, LinkLost)
        assert (bea.ended.reason, bea.ended.detail) == ("link.goodbye", "enough")
        assert isinstance(ada.ended, LinkLost)
        assert (ada.ended.reason, ada.ended.detail) == ("link.closed", "enough")
        with pytest.raises(LinkLost, match=r"link\.closed"):
            ada.send(wire.Busy(seconds=1))
        with pytest.raises(LinkLost, match=r"link\.goodbye"):
            bea.send(wire.Busy(seconds=1))


async def test_a_cancelled_link_is_lost_to_the_other() -> None:
    here, there = memory_stream_pair()
    ada, bea = Link(here, ADA.public), Link(there, BEA.public)
    async with running(bea):
        async with running(ada):
            pass
        assert await reason(bea) == "link.broken"
        assert await reason(ada) == "link.closed"


# --- faults and floods


@asynccontextmanager
async def raw() -> AsyncIterator[tuple[trio.StapledStream, Link]]:  # type: ignore[type-arg]
    here, there = memory_stream_pair()
    link = Link(there, ADA.public)
    async with running(link):
        yield here, link


@pytest.mark.parametrize(
    ("data", "rule"),
    [
        (b"\xff\xff\xff\xff", "wire.length"),
        (b"\0\0\0\0", "wire.length"),
        (b"\0\0\0\x01\x01", "wire.form"),
        (b"\0\0\0\x01\xc1", "msgpack.type"),
        (b"\0\0\0\x07\x92\xa4pong\xff", "wire.form"),
    ],
)
async def test_bytes_that_are_no_messages_end_the_link(data: bytes, rule: str) -> None:
    async with raw() as (stream, link):
        await stream.send_all(wire.encode(wire.Busy(seconds=1)) + data)
        # What came before the fault is delivered.
        assert await link.receive() == wire.Busy(seconds=1)
        assert await reason(link) == rule
        with pytest.raises(LinkFault):
            async for _ in link:
                pass


async def test_a_limit_holds_from_then_on() -> None:
    async with raw() as (stream, link):
        link.limit(1000)
        await stream.send_all(wire.encode(entries(2000)))
        assert await reason(link) == "wire.length"


async def drain(stream: trio.abc.Stream) -> None:
    async for _ in stream:
        pass


async def test_a_peer_that_sends_faster_than_it_is_heard_is_held_back(autojump_clock: MockClock) -> None:
    here, there = lockstep_stream_pair()
    link = Link(there, ADA.public)
    taken = 0
    async with running(link), trio.open_nursery() as nursery:
        nursery.start_soon(drain, here)
        with trio.move_on_after(12):
            for number in range(1000):
                await here.send_all(wire.encode(wire.Busy(seconds=number)))
                taken += 1
        # The caller takes nothing, so hardly anything is read; and that is not taken for silence of the peer.
        assert taken < 10
        await trio.sleep(60)
        assert link.ended is None
        assert [(await link.receive()) for _ in range(3)] == [wire.Busy(seconds=number) for number in range(3)]
        nursery.cancel_scope.cancel()


async def test_a_peer_that_does_not_read_is_left_when_too_much_waits() -> None:
    here, there = lockstep_stream_pair()
    link = Link(there, ADA.public)
    async with running(link):
        sent = 0
        with pytest.raises(LinkLost, match=r"link\.slow: \d+ bytes wait"):
            while True:
                link.send(entries(200_000))
                sent += 200_000
        assert sent <= link_module.MOST_QUEUED
        assert await reason(link) == "link.slow"
    del here


async def test_a_peer_that_sends_but_never_reads_is_left(autojump_clock: MockClock) -> None:
    here, there = lockstep_stream_pair()
    link = Link(there, ADA.public)
    async with running(link), trio.open_nursery() as nursery:

        async def chatter() -> None:
            try:
                while True:
                    await here.send_all(wire.encode(wire.Pong(number=1)))
                    await trio.sleep(1)
            except (trio.BrokenResourceError, trio.ClosedResourceError):
                return

        nursery.start_soon(chatter)
        link.send(entries(200_000))
        assert await reason(link) == "link.slow"
        assert trio.current_time() == pytest.approx(link_module.DEAD_SECONDS)


# --- time


async def test_an_idle_link_stays(autojump_clock: MockClock) -> None:
    async with linked() as (ada, bea):
        await trio.sleep(600)
        assert ada.ended is None
        assert bea.ended is None
        assert ada.round_trip is not None
        assert trio.current_time() - bea.last_heard <= link_module.PING_SECONDS


async def test_a_silent_peer_is_dead_after_15_seconds(autojump_clock: MockClock) -> None:
    async with raw() as (_stream, link):
        assert await reason(link) == "link.silent"
        assert trio.current_time() == pytest.approx(link_module.DEAD_SECONDS)


async def test_the_round_trip_is_measured(autojump_clock: MockClock) -> None:
    async with raw() as (stream, link):
        frames = wire.Frames()
        with trio.move_on_after(12):
            while True:
                for payload in frames.push(bytes(await stream.receive_some())):
                    ping = wire.decode(payload)
                    assert isinstance(ping, wire.Ping)
                    await trio.sleep(0.3)
                    await stream.send_all(wire.encode(wire.Pong(number=ping.number)))
        assert link.round_trip == pytest.approx(0.3)


async def test_answers_to_pings_that_were_not_sent_mean_nothing(autojump_clock: MockClock) -> None:
    async with raw() as (stream, link):
        for number in range(100):
            await stream.send_all(wire.encode(wire.Pong(number=number)))
        await trio.sleep(1)
        assert link.round_trip is None
        assert link.ended is None


async def test_closing_towards_a_peer_that_does_not_read_takes_two_seconds(autojump_clock: MockClock) -> None:
    here, there = lockstep_stream_pair()
    link = Link(there, ADA.public)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(link.run)
        link.send(entries(1000))
        await trio.sleep(1)
        link.close("enough")
    assert trio.current_time() <= 1 + 2 * link_module.GOODBYE_SECONDS
    assert str(link.ended) == "link.closed: enough"
    with pytest.raises(trio.BrokenResourceError):
        await here.send_all(b"x")
