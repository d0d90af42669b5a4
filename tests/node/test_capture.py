"""A whole game between real peers on loopback, with everything that crosses the sockets written down."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import pytest
import trio

from p2pmatryoshka.bots.registry import bot
from p2pmatryoshka.node import gate
from p2pmatryoshka.node import link as links
from p2pmatryoshka.node.bot_player import BotPlayer
from p2pmatryoshka.node.home import Home
from p2pmatryoshka.node.play import host, join
from p2pmatryoshka.node.table_run import Finished
from p2pmatryoshka.table import messages
from p2pmatryoshka.table.record_file import export
from p2pmatryoshka.table.roster import Setup, make_setup

SEATS = 3


class Tap(trio.abc.Stream):
    """A stream that keeps what passes through it, below TLS."""

    def __init__(self, stream: trio.abc.Stream, seen: bytearray) -> None:
        self._stream = stream
        self._seen = seen

    async def send_all(self, data: bytes | bytearray | memoryview) -> None:
        self._seen += data
        await self._stream.send_all(data)

    async def wait_send_all_might_not_block(self) -> None:
        await self._stream.wait_send_all_might_not_block()

    async def receive_some(self, max_bytes: int | None = None) -> bytes | bytearray:
        data = await self._stream.receive_some(max_bytes)
        self._seen += data
        return data

    async def aclose(self) -> None:
        await self._stream.aclose()


async def test_a_capture_of_a_whole_game_holds_nothing_readable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = bytearray()
    connect, accept = links.connect, links.accept

    async def tapped_connect(stream: trio.abc.Stream, *rest: Any) -> links.Link:
        return await connect(Tap(stream, seen), *rest)

    async def tapped_accept(stream: trio.abc.Stream, *rest: Any) -> links.Link:
        return await accept(Tap(stream, seen), *rest)

    monkeypatch.setattr(gate.links, "connect", tapped_connect)
    monkeypatch.setattr(gate.links, "accept", tapped_accept)
    finished = await play_a_game(tmp_path)
    assert len({export(one.table) for one in finished}) == 1, "every peer exports the same bytes"
    table = finished[0].table
    assert table.closed
    assert not table.accusations
    capture = bytes(seen)
    entries = [entry for log in table.logs for entry in log.chain]
    assert len(capture) > sum(len(entry.signed.data) for entry in entries), "the tap saw the game"
    for entry in entries:
        assert entry.signed.data[:48] not in capture
        assert entry.signed.signature not in capture
    for kind in (messages.Turn, messages.Commit, messages.Share):
        assert kind.model_fields["kind"].default.encode() + b"\xa5" not in capture
    assert b"mix_proof" not in capture
    assert b"share_proof" not in capture


async def play_a_game(folder: Path) -> list[Finished]:
    """Each member a peer of its own, in one process so that the streams can be tapped."""
    finished: list[Finished] = []
    invites: list[str] = []
    invited = trio.Event()

    def tell(invite: str) -> None:
        invites.append(invite)
        invited.set()

    async def accept(_: Setup, __: tuple[str, ...]) -> bool:
        return True

    async def hosting() -> None:
        with Home.open(folder / "host") as home:
            setup = make_setup("matryoshka", SEATS, {})
            player = BotPlayer(bot("matryoshka", "random"), Random(0))
            finished.append(await host(home, setup, player, name="Ada", invited=tell, interface="127.0.0.1"))

    async def joining(number: int) -> None:
        with Home.open(folder / str(number)) as home:
            player = BotPlayer(bot("matryoshka", "random"), Random(number))
            finished.append(await join(home, invites[0], player, name=f"Bob {number}", accept=accept))

    with trio.fail_after(240):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(hosting)
            await invited.wait()
            for number in range(1, SEATS):
                nursery.start_soon(joining, number)
    return finished
