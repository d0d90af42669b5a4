"""From an invite to the end of a game: what the commands start."""

from __future__ import annotations

import datetime
from collections.abc import Callable


from p2pmatryoshka.node.addresses import is_loopback
from p2pmatryoshka.node.gate import Gate
from p2pmatryoshka.node.home import Home
from p2pmatryoshka.node.invite import Invite, split_address
from p2pmatryoshka.node.lobby import Accept, Arrived, HostLobby, join_lobby, reach
from p2pmatryoshka.node.nursery import plain_nursery
from p2pmatryoshka.node.player import Player
from p2pmatryoshka.node.table_run import Finished, play_table
from p2pmatryoshka.table.roster import Setup


async def host(
    home: Home,
    setup: Setup,
    player: Player,
    *,
    name: str,
    invited: Callable[[str], None],
    arrived: Arrived = lambda _: None,
    started: Callable[[bytes], None] = lambda _: None,
    interface: str | None = None,
    port: int = 0,
) -> Finished:
    """Open a table, wait until every seat is taken, and play. interface: an address of this machine; None: all.

    invited is told the invite, arrived the names at the table whenever they change, started the table's id.
    """
    async with plain_nursery() as nursery:
        gate = Gate(home.identity, nursery)
        await gate.listen(interface, port)
        lobby = HostLobby(gate, setup, name, arrived)
        invited(str(lobby.invite))
        gathered = await lobby.gather()
        finished = await play_table(home, gate, gathered, player, created=_today(), started=started)
        nursery.cancel_scope.cancel()
    return finished


async def join(
    home: Home,
    invite: str,
    player: Player,
    *,
    name: str,
    accept: Accept,
    started: Callable[[bytes], None] = lambda _: None,
) -> Finished:
    """Sit down at a host's table and play. accept is asked once the set-up and the people there are known."""
    wanted = Invite.read(invite)
    hosts = [split_address(address)[0] for address in wanted.addresses]
    # Whoever is invited to loopback only has no business on any other interface.
    interface = hosts[0] if all(is_loopback(one) for one in hosts) else None
    async with plain_nursery() as nursery:
        gate = Gate(home.identity, nursery)
        await gate.listen(interface, 0)
        link = await reach(gate, wanted)
        gathered = await join_lobby(gate, link, wanted, name, accept)
        finished = await play_table(home, gate, gathered, player, created=_today(), started=started)
        nursery.cancel_scope.cancel()
    return finished


def _today() -> str:
    return datetime.datetime.now().astimezone().isoformat(timespec="minutes")
