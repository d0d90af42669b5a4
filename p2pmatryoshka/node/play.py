"""From an invite to the end of a game: what the commands start."""

from __future__ import annotations

import datetime
from collections.abc import Callable

from pydantic import BaseModel, ConfigDict, ValidationError

from p2pmatryoshka.errors import Refused, StorageError, UserError
from p2pmatryoshka.node.addresses import is_loopback
from p2pmatryoshka.node.gate import Gate
from p2pmatryoshka.node.home import Home
from p2pmatryoshka.node.invite import Invite, split_address
from p2pmatryoshka.node.keeper import OPEN
from p2pmatryoshka.node.lobby import Accept, Arrived, Gathered, HostLobby, join_lobby, reach
from p2pmatryoshka.node.nursery import plain_nursery
from p2pmatryoshka.node.player import Player
from p2pmatryoshka.node.storage import TableInfo
from p2pmatryoshka.node.table_run import Finished, Terms, play_table
from p2pmatryoshka.record.strict import pack, unpack
from p2pmatryoshka.table.roster import Setup, read_roster

PLACES = "places"
MOST_PLACES_BYTES = 64 * 1024


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
    patience: float | None = None,
) -> Finished:
    """Open a table, wait until every seat is taken, and play. interface: an address of this machine; None: all.

    invited is told the invite, arrived the names at the table whenever they change, started the table's id. patience:
    see table_run.Terms.
    """
    async with plain_nursery() as nursery:
        gate = Gate(home.identity, nursery)
        await gate.listen(interface, port)
        lobby = HostLobby(gate, setup, name, arrived)
        invited(str(lobby.invite))
        gathered = await lobby.gather()
        _note_places(home, gathered, gate)
        finished = await play_table(home, gate, gathered, player, Terms(_today(), started, patience))
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
    patience: float | None = None,
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
        _note_places(home, gathered, gate)
        finished = await play_table(home, gate, gathered, player, Terms(_today(), started, patience))
        nursery.cancel_scope.cancel()
    return finished


async def resume(
    home: Home,
    table: TableInfo,
    player: Player,
    *,
    started: Callable[[bytes], None] = lambda _: None,
    patience: float | None = None,
    leave: bool = False,
) -> Finished:
    """Go on with a table after a restart: same seat, same hand, same commitments. leave: only to give the seat up."""
    places = _read_places(home, table)
    async with plain_nursery() as nursery:
        gate = Gate(home.identity, nursery)
        await _listen_again(gate, places)
        gathered = Gathered(read_roster(table.roster), places.addresses, {}, places.number + 1)
        _note_places(home, gathered, gate)
        terms = Terms(table.created, started, patience, returning=True, leave=leave)
        finished = await play_table(home, gate, gathered, player, terms)
        nursery.cancel_scope.cancel()
    return finished


async def _listen_again(gate: Gate, places: _Places) -> None:
    """Where it was before if possible. Otherwise the others learn the new place: somebody else may have the port now,
    and a machine in another network has lost the address."""
    for interface, port in ((places.interface, places.port), (places.interface, 0)):
        try:
            await gate.listen(interface, port)
        except StorageError:
            continue
        return
    await gate.listen(None, 0)


class _Places(BaseModel):
    """What a restart needs to find the others, and to be found by them."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)
    interface: str | None
    port: int
    number: int
    addresses: tuple[tuple[str, ...], ...]


def _note_places(home: Home, gathered: Gathered, gate: Gate) -> None:
    roster = gathered.roster
    home.store.create_table(roster.table, roster.data, roster.index_of(home.identity.public), _today(), OPEN)
    places = _Places(interface=gate.interface, port=gate.port, number=gathered.number, addresses=gathered.addresses)
    home.store.note(roster.table, PLACES, pack(places.model_dump()))


def _read_places(home: Home, table: TableInfo) -> _Places:
    note = home.store.notes(table.id).get(PLACES)
    if note is None:
        raise UserError(f"Table {table.id.hex()[:8]} has no note of where the others are: it cannot be resumed.")
    try:
        return _Places.model_validate(unpack(note, MOST_PLACES_BYTES, 3, nil=True))
    except (Refused, ValidationError) as error:
        raise StorageError(f"The note of where the others at table {table.id.hex()[:8]} are is damaged.") from error


def _today() -> str:
    return datetime.datetime.now().astimezone().isoformat(timespec="minutes")
