"""A link: messages to and from one peer whose key is proven, over any stream of bytes.

`connect` and `accept` bring up TLS, compare keys and hand over a Link. `Link.run` then moves messages, in a
task of the caller's nursery, until the link ends; whatever peer or network do, it raises nothing, but leaves
the reason in `ended`. Time is trio's (monotonic) clock.
"""

from __future__ import annotations

import contextlib
import ssl
from collections import deque
from collections.abc import Callable
from typing import Final

import trio

from p2pmatryoshka.errors import Fault, LinkFault, MatryoshkaError
from p2pmatryoshka.node import wire
from p2pmatryoshka.node.fingerprint import fingerprint, spoken
from p2pmatryoshka.node.identity import PROTOCOL, Identity, peer_key

HANDSHAKE_SECONDS: Final = 10
PING_SECONDS: Final = 5
DEAD_SECONDS: Final = 15
GOODBYE_SECONDS: Final = 2
MOST_QUEUED: Final = 4 * wire.LARGEST_FRAME
"""Bytes that may wait for a peer that reads slowly."""
_CHUNK: Final = 64 * wire.KIB
_WAITING: Final = 4  # messages received and not taken yet; then nothing more is read
_WELCOME, _UNWELCOME = b"\1", b"\0"


class LinkLost(MatryoshkaError):
    """The link has ended and nobody broke the protocol. `reason` is stable, `detail` is for people.

    link.closed: by this side. link.goodbye: by the other. link.broken: the connection failed or never was.
    link.silent: nothing was heard for 15 seconds. link.slow: the other side does not read. link.refused: the
    other side does not want this identity.
    """

    def __init__(self, reason: str, detail: str = "") -> None:
        super().__init__(f"{reason}: {detail}" if detail else reason)
        self.reason = reason
        self.detail = detail


async def connect(stream: trio.abc.Stream, identity: Identity, expected: bytes) -> Link:
    """A link to the peer with that fingerprint, over a stream this side opened.

    LinkFault "link.key" (another peer), "link.tls", "link.protocol", "link.certificate"; LinkLost. The stream is
    closed then.
    """
    tls = trio.SSLStream(stream, identity.client_context, https_compatible=False)

    def check(found: bytes) -> None:
        if found != expected:
            raise LinkFault("link.key", f"expected {spoken(expected)}, found {spoken(found)}")

    return await _brought_up(stream, tls, check)


async def accept(stream: trio.abc.Stream, identity: Identity, allow: Callable[[bytes], bool]) -> Link:
    """A link to a peer whose fingerprint `allow` takes, over one the other opened. Errors: as above."""
    tls = trio.SSLStream(stream, identity.server_context, server_side=True, https_compatible=False)

    def check(found: bytes) -> None:
        if not allow(found):
            raise LinkFault("link.key", f"{spoken(found)} is not welcome")

    return await _brought_up(stream, tls, check)


async def _brought_up(
    stream: trio.abc.Stream, tls: trio.SSLStream[trio.abc.Stream], check: Callable[[bytes], None]
) -> Link:
    try:
        with trio.fail_after(HANDSHAKE_SECONDS):
            key = await _handshake(tls, check)
    except (trio.BrokenResourceError, trio.ClosedResourceError, ssl.SSLError) as error:
        await trio.aclose_forcefully(stream)
        raise _handshake_error(error) from error
    except trio.TooSlowError as error:
        await trio.aclose_forcefully(stream)
        raise LinkLost("link.silent", f"no link after {HANDSHAKE_SECONDS} seconds") from error
    except BaseException:
        # A TLS stream whose handshake failed leaves the transport open.
        await trio.aclose_forcefully(stream)
        raise
    return Link(tls, key)


async def _handshake(tls: trio.SSLStream[trio.abc.Stream], check: Callable[[bytes], None]) -> bytes:
    await tls.do_handshake()
    if tls.selected_alpn_protocol() != PROTOCOL:
        raise LinkFault("link.protocol", f"the other side does not speak {PROTOCOL}")
    key = peer_key(tls.getpeercert(binary_form=True))
    try:
        check(fingerprint(key))
    except LinkFault:
        await tls.send_all(_UNWELCOME)
        with trio.move_on_after(GOODBYE_SECONDS):
            await tls.receive_some(1)  # closing a socket before reading all of it can swallow what was sent
        raise
    # In TLS 1.3 the client's handshake ends before the server has judged its certificate; an answer tells.
    await tls.send_all(_WELCOME)
    answer = await tls.receive_some(1)
    if answer == _UNWELCOME:
        raise LinkLost("link.refused", "the other side does not want this identity")
    if answer != _WELCOME:
        raise LinkLost("link.broken", "the other side hung up")
    return key


def _handshake_error(error: Exception) -> MatryoshkaError:
    cause = error if isinstance(error, ssl.SSLError) else error.__cause__
    if isinstance(cause, ssl.SSLError) and not isinstance(cause, ssl.SSLEOFError):
        return LinkFault("link.tls", str(cause))
    return LinkLost("link.broken", "the other side hung up")


class Link:
    """One peer. Made by `connect` and `accept`; for simulations also over a stream that needs no proof."""

    def __init__(self, stream: trio.abc.Stream, peer: bytes) -> None:
        self.peer = peer
        """The peer's Ed25519 key, 32 bytes."""
        self.fingerprint = fingerprint(peer)
        self.nonce: bytes | None = None
        """Of the peer's process, from its greeting."""
        self.ended: LinkLost | LinkFault | None = None
        """Why the link has ended, or None while it has not."""
        self.round_trip: float | None = None
        """Seconds that the last ping and its answer took."""
        self.last_heard = trio.current_time()
        """When the last bytes arrived, by trio's clock."""
        self.bytes_sent = self.bytes_received = 0
        """Payloads and their lengths, without what TLS adds."""
        self._stream = stream
        self._frames = wire.Frames()
        self._queue: deque[bytes] = deque()
        self._queued = 0
        self._something = trio.Event()
        self._scope = trio.CancelScope()
        self._pings: dict[int, float] = {}
        self._pinged = 0
        self._arrived, self._inbox = trio.open_memory_channel[wire.Message](_WAITING)

    def __repr__(self) -> str:
        return f"Link({spoken(self.fingerprint)}{', ended' if self.ended else ''})"

    def limit(self, largest: int) -> None:
        """Take no frames above `largest` bytes from now on: strangers need less than members."""
        self._frames.largest = largest

    # --- for the caller

    def send(self, message: wire.Message) -> None:
        """Queues the message and returns at once; messages arrive in order or the link ends.

        LinkLost or LinkFault if it has ended; LinkLost "link.slow", which ends it, if too much is waiting.
        """
        if self.ended is not None:
            raise self.ended
        frame = wire.encode(message)
        if self._queued + len(frame) > MOST_QUEUED:
            raise self._end(LinkLost("link.slow", f"{self._queued} bytes wait for a peer that does not read"))
        self._queue.append(frame)
        self._queued += len(frame)
        self._something.set()

    def close(self, reason: str = "link.closed") -> None:
        """Ends the link. What is queued and a goodbye still go out, as far as the peer takes it in 2 seconds."""
        if self.ended is None:
            frame = wire.encode(wire.Goodbye(reason=reason))
            self._queue.append(frame)
            self._queued += len(frame)
            self._something.set()
            self.ended = LinkLost("link.closed", reason)
            self._scope.deadline = trio.current_time() + GOODBYE_SECONDS

    async def receive(self) -> wire.Message:
        """The next message. When all were taken: the LinkLost or LinkFault with which the link ended."""
        try:
            return await self._inbox.receive()
        except trio.EndOfChannel:
            if self.ended is None:
                raise Fault("a link without a reason for its end") from None
            raise self.ended from None

    def __aiter__(self) -> Link:
        return self

    async def __anext__(self) -> wire.Message:
        """As `receive`, but a link that ended without a fault just ends the iteration; see `ended`."""
        try:
            return await self.receive()
        except LinkLost:
            raise StopAsyncIteration from None

    # --- the life of a link

    async def run(self) -> None:
        """Moves messages until the link ends. Cancelled from outside, it closes without a goodbye."""
        try:
            with self._scope:
                async with trio.open_nursery() as nursery:
                    nursery.start_soon(self._read)
                    nursery.start_soon(self._write)
                    nursery.start_soon(self._ping)
            with trio.move_on_after(GOODBYE_SECONDS), contextlib.suppress(trio.BrokenResourceError):
                await self._stream.aclose()
        finally:
            self._end(LinkLost("link.closed", "cancelled"))
            self._arrived.close()
            await trio.aclose_forcefully(self._stream)

    def _end(self, reason: LinkLost | LinkFault) -> LinkLost | LinkFault:
        """Keeps the first reason, and ends the tasks."""
        if self.ended is None:
            self.ended = reason
        self._scope.cancel()
        return self.ended

    async def _read(self) -> None:
        try:
            while True:
                # Counts only while this side is ready to hear: a busy caller is no silence of the peer.
                with trio.move_on_after(DEAD_SECONDS) as deadline:
                    data = await self._stream.receive_some()
                if deadline.cancelled_caught:
                    self._end(LinkLost("link.silent", f"nothing heard for {DEAD_SECONDS} seconds"))
                    return
                if not data:
                    self._end(LinkLost("link.broken", "the other side hung up"))
                    return
                self.last_heard = trio.current_time()
                self.bytes_received += len(data)
                for payload in self._frames.push(bytes(data)):
                    await self._take(wire.decode(payload))
        except LinkFault as fault:
            self._end(fault)
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            self._end(LinkLost("link.broken", "the connection broke"))

    async def _take(self, message: wire.Message) -> None:
        match message:
            case wire.Ping(number=number):
                self._send_quietly(wire.Pong(number=number))
            case wire.Pong(number=number):
                sent = self._pings.pop(number, None)
                if sent is not None:
                    self.round_trip = trio.current_time() - sent
            case wire.Goodbye(reason=reason):
                self._end(LinkLost("link.goodbye", reason))
            case _:
                await self._arrived.send(message)

    def _send_quietly(self, message: wire.Message) -> None:
        with contextlib.suppress(LinkLost, LinkFault):  # the link has ended, and its tasks are about to
            self.send(message)

    async def _write(self) -> None:
        try:
            while True:
                await self._something.wait()
                self._something = trio.Event()
                await self._flush()
                if self.ended is not None:
                    self._scope.cancel()
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            self._end(LinkLost("link.broken", "the connection broke"))
        except trio.TooSlowError:
            self._end(LinkLost("link.slow", f"the peer took nothing for {DEAD_SECONDS} seconds"))

    async def _flush(self) -> None:
        while self._queue:
            chunk = bytearray()
            while self._queue and (not chunk or len(chunk) + len(self._queue[0]) <= _CHUNK):
                chunk += self._queue.popleft()
            for at in range(0, len(chunk), _CHUNK):
                piece = bytes(chunk[at : at + _CHUNK])
                with trio.fail_after(DEAD_SECONDS):
                    await self._stream.send_all(piece)
                self._queued -= len(piece)
                self.bytes_sent += len(piece)

    async def _ping(self) -> None:
        while True:
            await trio.sleep(PING_SECONDS)
            self._pinged += 1
            self._pings = {n: at for n, at in self._pings.items() if n > self._pinged - 10}
            self._pings[self._pinged] = trio.current_time()
            self._send_quietly(wire.Ping(number=self._pinged))
