"""Before the table: a host gathers people, everybody agrees on one roster, and then the host is nobody special."""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import secrets
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

import trio

from p2pmatryoshka.errors import LinkFault, Refused, UserError
from p2pmatryoshka.node import wire
from p2pmatryoshka.node.gate import Gate
from p2pmatryoshka.node.identity import Identity
from p2pmatryoshka.node.invite import TOKEN_BYTES, Invite
from p2pmatryoshka.node.link import Link, LinkLost
from p2pmatryoshka.table.roster import (
    Member,
    Roster,
    Setup,
    make_roster,
    pack_setup,
    read_roster,
    read_setup,
)

JOIN_SECONDS = 15
ANSWER_SECONDS = 600

Arrived = Callable[[tuple[str, ...]], None]
Accept = Callable[[Setup, tuple[str, ...]], Awaitable[bool]]

REASONS = {
    "lobby.token": "The invite is used up, withdrawn or wrong: ask the host for a new one.",
    "lobby.full": "The table is full.",
    "lobby.same-identity": "Somebody with this identity sits there already: a second player needs another --data.",
    "lobby.form": "The host did not understand this program: both should run the same version.",
    "identity.twice": "This identity is at that table already, in another process: end that one first.",
    "gate.nobody": "Nobody waits for players there.",
}


@dataclass(eq=False, slots=True)
class Seated:
    """Somebody who has a seat. ready: it has seen and accepted the set-up."""

    key: bytes
    name: str
    nonce: bytes
    addresses: tuple[str, ...]
    link: Link
    ready: bool = False


@dataclass(slots=True)
class Gathered:
    """An agreed roster, the links that led to it, and everybody's addresses in roster order. number: of this process's
    starts at that table, so that its newest addresses are known as such."""

    roster: Roster
    addresses: tuple[tuple[str, ...], ...]
    links: dict[int, Link] = field(default_factory=dict)
    number: int = 0


class HostLobby:
    """The host's side. One token admits as many as there are free seats, each with its own identity."""

    def __init__(self, gate: Gate, setup: Setup, name: str, arrived: Arrived) -> None:
        self._gate = gate
        self._setup = setup
        self._arrived = arrived
        self._packed = pack_setup(setup)
        self._token = secrets.token_bytes(TOKEN_BYTES)
        self._me = Member(key=gate.identity.public, nonce=secrets.token_bytes(32), name=name)
        self._seated: list[Seated] = []
        self._complete = trio.Event()

    @property
    def invite(self) -> Invite:
        return Invite(self._gate.addresses, self._gate.identity.fingerprint, self._token)

    async def gather(self) -> Gathered:
        """Wait until every seat is taken by somebody who accepted, then send the roster to all."""
        self._gate.guest = self._guest
        await self._complete.wait()
        self._gate.guest = None
        members = (self._me, *(Member(key=s.key, nonce=s.nonce, name=s.name) for s in self._seated))
        roster = read_roster(make_roster(self._setup, members))
        addresses = (self._gate.addresses, *(seated.addresses for seated in self._seated))
        links = {}
        for index, seated in enumerate(self._seated, 1):
            links[index] = seated.link
            with contextlib.suppress(LinkFault, LinkLost):  # lost at the last moment: it can still come back
                seated.link.send(wire.RosterOffer(roster=roster.data, addresses=addresses))
        return Gathered(roster, addresses, links)

    async def _guest(self, link: Link) -> None:
        try:
            with trio.fail_after(JOIN_SECONDS):
                seated = self._admit(link, await link.receive())
        except LinkFault as error:
            link.send(wire.Refusal(reason=error.rule))
            link.close(error.rule)
            return
        except trio.TooSlowError:
            link.close("lobby.slow")
            return
        try:
            self._tell_everyone()
            with trio.fail_after(ANSWER_SECONDS):
                answer = await link.receive()
            if not isinstance(answer, wire.Ready) or answer.table != _digest(self._packed):
                raise LinkFault("lobby.form", f"a {answer.kind} before the roster")
            seated.ready = True
            self._tell_everyone()
            # From here on only the roster is sent, and nothing is due before it: an end frees the seat.
            while link.ended is None and not self._complete.is_set():
                await trio.sleep(0.2)
        except (LinkFault, LinkLost, trio.TooSlowError):
            link.close()
        finally:
            if not self._complete.is_set():
                self._seated.remove(seated)
                self._tell_everyone()

    def _admit(self, link: Link, message: wire.Message) -> Seated:
        if not isinstance(message, wire.Join):
            raise LinkFault("lobby.form", f"a {message.kind} instead of a wish to join")
        if not hmac.compare_digest(message.token, self._token):
            raise LinkFault("lobby.token")
        if link.peer == self._me.key or any(link.peer == seated.key for seated in self._seated):
            raise LinkFault("lobby.same-identity")
        if 1 + len(self._seated) >= self._setup.seats:
            raise LinkFault("lobby.full")
        seated = Seated(link.peer, message.name, message.nonce, message.addresses, link)
        self._seated.append(seated)
        return seated

    def _tell_everyone(self) -> None:
        people = [(self._me.key, self._me.name, False), *((s.key, s.name, False) for s in self._seated)]
        for seated in self._seated:
            with contextlib.suppress(LinkFault, LinkLost):  # whoever is lost here is noticed by its own task
                seated.link.send(wire.Seats(setup=self._packed, people=tuple(people)))
        self._arrived(tuple(name for _, name, _ in people))
        if 1 + len(self._seated) == self._setup.seats and all(s.ready for s in self._seated):
            self._complete.set()


async def reach(gate: Gate, invite: Invite) -> Link:
    """A link to the host of an invite by any of its addresses. Raises UserError saying what was tried."""
    failures = []
    for address in invite.addresses:
        try:
            return await gate.dial(address, invite.fingerprint, "joiner")
        except LinkFault as error:
            failures.append(f"{address}: {error.detail}")
        except LinkLost as error:
            failures.append(f"{address}: {error.detail}")
    raise UserError("The host cannot be reached (" + "; ".join(failures) + "): is its program still running?")


async def join_lobby(gate: Gate, link: Link, invite: Invite, name: str, accept: Accept) -> Gathered:
    """The joiner's side, over a link to the host. Raises UserError when it comes to nothing."""
    nonce = secrets.token_bytes(32)
    link.limit(wire.LARGEST_FRAME)
    try:
        link.send(wire.Join(token=invite.token, name=name, nonce=nonce, addresses=gate.addresses))
        setup, packed, people = _read_seats(await link.receive())
        if not await accept(setup, people):
            link.close("lobby.declined")
            raise UserError("You did not sit down.")
        link.send(wire.Ready(table=_digest(packed)))
        while True:
            message = await link.receive()
            if isinstance(message, wire.RosterOffer):
                return _check_offer(gate.identity, link, message, setup, nonce, name)
            if _read_seats(message)[1] != packed:
                raise LinkFault("lobby.setup", "the host changed the set-up after it was accepted")
    except LinkLost as error:
        raise UserError(f"The host is gone ({error.detail or error.reason}).") from error
    except (LinkFault, Refused) as error:
        link.close("lobby.form")
        raise UserError(REASONS.get(error.rule, f"The host does not play fair ({error}).")) from error


def _read_seats(message: wire.Message) -> tuple[Setup, bytes, tuple[str, ...]]:
    match message:
        case wire.Refusal(reason=reason):
            raise LinkFault(reason)
        case wire.Seats(setup=packed, people=people):
            return read_setup(packed), packed, tuple(name for _, name, _ in people)
    raise LinkFault("lobby.form", f"a {message.kind} in the lobby")


def _check_offer(me: Identity, link: Link, offer: wire.RosterOffer, setup: Setup, nonce: bytes, name: str) -> Gathered:
    """The roster holds what was accepted, and this member's own fresh nonce, so no old table can be played again."""
    roster = read_roster(offer.roster)
    mine = roster.members[roster.index_of(me.public)]
    if roster.setup != setup or mine.nonce != nonce or mine.name != name:
        raise LinkFault("lobby.roster", "the roster is not the one agreed on")
    if len(offer.addresses) != len(roster.members):
        raise LinkFault("lobby.roster", "addresses are missing")
    return Gathered(roster, offer.addresses, {roster.index_of(link.peer): link})


def _digest(packed: bytes) -> bytes:
    return hashlib.sha256(packed).digest()
