"""The door of a process: links that peers open to it, and links it opens to peers, each after a greeting."""

from __future__ import annotations

import secrets
from collections.abc import Awaitable, Callable

import trio

from p2pmatryoshka.errors import LinkFault, StorageError
from p2pmatryoshka.node import link as links
from p2pmatryoshka.node import wire
from p2pmatryoshka.node.addresses import local_addresses
from p2pmatryoshka.node.identity import Identity
from p2pmatryoshka.node.invite import join_address, split_address
from p2pmatryoshka.node.link import Link, LinkLost

CONNECT_SECONDS = 5
GREETING_SECONDS = 10
LARGEST_STRANGER_FRAME = 8 * 1024
"""Bytes of a frame from somebody who has not shown yet what it comes for."""
MOST_STRANGERS = 64
"""Connections that have not shown yet whether they belong to the table; more are closed at once."""

Guest = Callable[[Link], Awaitable[None]]


class Gate:
    """Listens and dials for one identity. nonce: of this process, so that a second one with its identity shows."""

    def __init__(self, identity: Identity, nursery: trio.Nursery) -> None:
        self.identity = identity
        self.nonce = secrets.token_bytes(16)
        self.addresses: tuple[str, ...] = ()
        self.interface: str | None = None
        self.port = 0
        self.guest: Guest | None = None
        """What happens with a link that somebody else opened; it lives until one side ends it."""
        self._nursery = nursery
        self._strangers = 0

    async def listen(self, host: str | None, port: int) -> int:
        """Open the door on one interface (None: on all). Returns the port. Raises StorageError with one sentence."""
        try:
            listeners = await trio.open_tcp_listeners(port, host=host)
        except OSError as error:
            where = f"port {port}" if port else "any port"
            raise StorageError(f"Cannot listen on {where} ({error.strerror}): choose another --port.") from error
        actual: int = listeners[0].socket.getsockname()[1]
        self.interface, self.port = host, actual
        self._nursery.start_soon(trio.serve_listeners, self._welcome, listeners)
        reachable = (host,) if host is not None else local_addresses()
        self.addresses = tuple(join_address(one, actual) for one in reachable)
        return actual

    async def dial(self, address: str, fingerprint: bytes, role: str = "member") -> Link:
        """A greeted link to the peer with that key. Raises LinkFault or LinkLost."""
        host, port = split_address(address)
        try:
            with trio.fail_after(CONNECT_SECONDS):
                stream = await trio.open_tcp_stream(host, port)
        except (OSError, trio.TooSlowError) as error:
            raise LinkLost("link.broken", f"nobody answers at {address}") from error
        link = await links.connect(stream, self.identity, fingerprint)
        self._nursery.start_soon(link.run)
        await self._greet(link, role)
        return link

    async def _welcome(self, stream: trio.SocketStream) -> None:
        """One connection from its first byte to its last: the listener closes the stream when this returns."""
        if self._strangers >= MOST_STRANGERS:
            return
        self._strangers += 1
        greeted = False
        try:
            link = await links.accept(stream, self.identity, lambda _: True)
            async with trio.open_nursery() as nursery:
                nursery.start_soon(link.run)
                greeted = await self._receive_guest(link)
        except (LinkFault, LinkLost):
            return
        finally:
            if not greeted:
                self._strangers -= 1

    async def _receive_guest(self, link: Link) -> bool:
        """From the greeting to the end of the link. Whether it got as far as a greeting."""
        greeted = False
        try:
            await self._greet(link, "member")
            greeted = True
            self._strangers -= 1
            if self.guest is None:
                link.send(wire.Refusal(reason="gate.nobody"))
                link.close("gate.nobody")
            else:
                await self.guest(link)
        except (LinkFault, LinkLost):
            link.close()
        return greeted

    async def _greet(self, link: Link, role: str) -> wire.Hello:
        """Exchange greetings over a running link."""
        link.limit(LARGEST_STRANGER_FRAME)
        link.send(wire.Hello.model_validate({"version": wire.VERSION, "nonce": self.nonce, "role": role}))
        with trio.move_on_after(GREETING_SECONDS):
            hello = await link.receive()
            if not isinstance(hello, wire.Hello):
                link.close("greeting.missing")
                raise LinkFault("greeting.missing", f"a {hello.kind} before the greeting")
            if hello.version != wire.VERSION:
                link.close("greeting.version")
                raise LinkFault("greeting.version", f"protocol version {hello.version}")
            link.nonce = hello.nonce
            return hello
        link.close("greeting.silent")
        raise LinkLost("link.silent", "no greeting")
