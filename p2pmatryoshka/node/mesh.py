"""The links of one table: a full mesh where possible, and entries passed on where not."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from random import Random

import trio

from p2pmatryoshka.errors import LinkFault, UserError
from p2pmatryoshka.node import wire
from p2pmatryoshka.node.address_book import AddressBook, Signed
from p2pmatryoshka.node.fingerprint import fingerprint
from p2pmatryoshka.node.gate import Gate
from p2pmatryoshka.node.keeper import Keeper
from p2pmatryoshka.node.link import DEAD_SECONDS, Link, LinkLost
from p2pmatryoshka.record.entry import Entry
from p2pmatryoshka.record.log import Log
from p2pmatryoshka.record.sync import Announce, Ask, Pass, Says, Sync

FIRST_PAUSE, LONGEST_PAUSE = 0.5, 15.0
"""Seconds between attempts to reach somebody; each pause is longer than the last, by a random share."""
COURTESY = 2.0
"""Seconds for which the higher roster index lets the lower one dial first, so that one link comes up, not two."""
LINGER_SECONDS = 20.0
SETTLE_SECONDS = 5.0
CLOSED = "table.closed"
"""The goodbye of a member that has the whole record."""


class Mesh:
    """Keeps a link to every other member, and entries flowing over whatever links there are."""

    def __init__(self, gate: Gate, keeper: Keeper, book: AddressBook, random: Random) -> None:
        self.links: dict[int, Link] = {}
        self.away_since = {m: trio.current_time() for m in range(len(keeper.roster.members)) if m != keeper.me}
        self.bytes_sent = self.bytes_received = 0
        self._gate = gate
        self._keeper = keeper
        self._book = book
        self._served: set[int] = set()
        self._twice: set[int] = set()
        self._random = random
        self._sync: Sync[int] = Sync()
        self._stirred = trio.Event()
        self._lost = {member: trio.Event() for member in self.away_since}

    async def run(self, links: dict[int, Link]) -> None:
        """Take over these links, open the others, and keep all of them up until cancelled."""
        async with trio.open_nursery() as nursery:
            self._gate.guest = self._guest
            for member, link in links.items():
                nursery.start_soon(self._serve, member, link, member < self._keeper.me)
            for member in self.away_since:
                nursery.start_soon(self._dial, member)
            nursery.start_soon(self._keep_time)

    def publish(self, entry: Entry) -> None:
        """Send an entry that this member signed."""
        self._say(self._sync.authored(entry, self._logs, trio.current_time()))

    def away(self) -> dict[int, float]:
        """Members without a link to us, and for how many seconds."""
        now = trio.current_time()
        return {member: now - since for member, since in self.away_since.items() if member not in self.links}

    async def settle(self) -> None:
        """Before going: stay for a while until everybody still in has the whole record of a finished table, or all of
        my own log of one that goes on without me. Whoever has no link now may come back for it."""
        table = self._keeper.table
        members = set(table.moment.still_in) - {self._keeper.me}
        mine = None if table.closed else self._keeper.me
        with trio.move_on_after(LINGER_SECONDS):
            while any(m not in self._served and not self._sync.holds_all(m, self._logs, of=mine) for m in members):
                await trio.sleep(0.05)
        for link in self.links.values():
            link.close(CLOSED)

    async def emptied(self) -> None:
        """Wait until the links that were closed have sent what was queued."""
        with trio.move_on_after(SETTLE_SECONDS):
            while self.links:
                await trio.sleep(0.02)

    @property
    def _logs(self) -> Sequence[Log]:
        return self._keeper.table.logs

    async def _guest(self, link: Link) -> None:
        try:
            member = self._keeper.roster.keys.index(link.peer)
        except ValueError:
            link.close("table.stranger")
            return
        if member == self._keeper.me:
            link.close("table.myself")
            return
        await self._serve(member, link, member < self._keeper.me)

    async def _dial(self, member: int) -> None:
        if member < self._keeper.me:
            await trio.sleep(COURTESY)
        expected = fingerprint(self._keeper.roster.keys[member])
        pause = FIRST_PAUSE
        while True:
            if member in self.links:
                self._lost[member] = trio.Event()
                await self._lost[member].wait()
                pause = FIRST_PAUSE
            for address in self._book.of(member):
                if member in self.links:
                    break
                try:
                    link = await self._gate.dial(address, expected)
                except (LinkFault, LinkLost):
                    continue
                await self._serve(member, link, self._keeper.me < member)
            if member not in self.links:
                await trio.sleep(pause * self._random.uniform(0.5, 1.5))
                pause = min(2 * pause, LONGEST_PAUSE)

    async def _serve(self, member: int, link: Link, dialled: bool) -> None:
        """One link while it lasts. dialled: by the lower index of the two, whose link is kept if there are two."""
        old = self.links.get(member)
        if old is not None and old.ended is None:
            if link.nonce != old.nonce and self._alive(old):
                # Two processes with one identity could sign two versions of an entry.
                link.send(wire.Refusal(reason="identity.twice"))
                link.close("identity.twice")
                return
            if not dialled:
                link.close("table.twice")
                return
            old.close("table.twice")
        self.links[member] = link
        link.limit(wire.LARGEST_FRAME)
        try:
            self._say(self._sync.joined(member, self._logs, trio.current_time(), member=member))
            self._tell_addresses(member, self._book.signed)
            async for message in link:
                self._hear(member, message)
        except LinkFault as error:
            link.close(error.rule)
        finally:
            self.bytes_sent += link.bytes_sent
            self.bytes_received += link.bytes_received
            if isinstance(link.ended, LinkLost) and link.ended.detail == CLOSED:
                self._served.add(member)
            if self.links.get(member) is link:
                del self.links[member]
                self.away_since[member] = trio.current_time()
                self._lost[member].set()
                self._say(self._sync.left(member, self._logs, trio.current_time()))

    @staticmethod
    def _alive(link: Link) -> bool:
        return trio.current_time() - link.last_heard < DEAD_SECONDS

    def _tell_addresses(self, member: int, notes: Sequence[Signed]) -> None:
        if notes:
            message = wire.Have(table=self._keeper.roster.table, heads=(), addresses=tuple(notes))
            self._send(member, message)

    def _learn_addresses(self, sender: int, notes: Sequence[Signed]) -> None:
        """Raises LinkFault for a note that its member did not sign. News are passed on."""
        news = [note for note in notes if note[0] != self._keeper.me and self._book.learn(note)]
        for member in self.links:
            if member != sender:
                self._tell_addresses(member, news)

    def _hear(self, member: int, message: wire.Message) -> None:
        """Raises LinkFault for what no honest peer says."""
        now = trio.current_time()
        if isinstance(message, wire.Have | wire.Want | wire.Entries) and message.table != self._keeper.roster.table:
            raise LinkFault("table.other", "about another table")
        match message:
            case wire.Have(heads=(), heard=(), addresses=addresses) if addresses:
                self._learn_addresses(member, addresses)
            case wire.Have(heads=heads, heard=heard):
                hears = [one for one, seconds in heard if not seconds]
                self._say(self._sync.have(member, heads, self._logs, now, hears=hears))
            case wire.Want(ranges=ranges):
                self._say(self._sync.want(member, ranges, self._logs, now))
            case wire.Entries():
                entries = [self._keeper.hold(signed) for signed in message.signed]
                self._say(self._sync.received(member, entries, self._logs, now))
            case wire.Refusal(reason="identity.twice"):
                self._hear_of_another_me(member)
            case wire.Seats() | wire.RosterOffer() | wire.Ready() | wire.Refusal():
                return  # late words of the lobby
            case _:
                raise LinkFault("table.kind", f"a {message.kind} at the table")

    def _hear_of_another_me(self, member: int) -> None:
        """Somebody says that this identity is at the table in another process. Raises UserError once all the others
        say so, before this process has signed anything: the word of one neighbour ends nothing but its link."""
        self._twice.add(member)
        others = set(self._keeper.table.moment.still_in) - {self._keeper.me}
        if self._keeper.returning and others <= self._twice:
            raise UserError("This identity plays at this table in another process already: end that one first.")
        raise LinkFault("identity.twice", "refused as a second process of this identity")

    async def _keep_time(self) -> None:
        while True:
            now, due = trio.current_time(), self._sync.next_due()
            if due is not None and due <= now:
                self._say(self._sync.due(self._logs, now))
                continue
            self._stirred = trio.Event()
            with trio.move_on_at(due if due is not None else now + 3600):
                await self._stirred.wait()

    def _say(self, says: Says[int]) -> None:
        table = self._keeper.roster.table
        for member, say in says:
            match say:
                case Announce(heads=heads, hears=hears):
                    heard = tuple((one, 0) for one in hears)
                    message: wire.Message = wire.Have(table=table, heads=heads, heard=heard)
                case Ask(ranges=ranges):
                    message = wire.Want(table=table, ranges=ranges)
                case Pass(entries=entries):
                    message = wire.Entries(table=table, entries=tuple((e.data, e.signature) for e in entries))
            self._send(member, message)
        self._stirred.set()
        self.look_whether_returned()

    def look_whether_returned(self) -> None:
        """After a restart: let the member sign once the others have shown what they hold of its log."""
        keeper = self._keeper
        if keeper.returning:
            others = keeper.table.moment.still_in
            if self._sync.has_returned(keeper.me, others, self._logs, trio.current_time()):
                keeper.returned()

    def _send(self, member: int, message: wire.Message) -> None:
        link = self.links.get(member)
        if link is not None:
            with suppress(LinkFault, LinkLost):  # its own task notices, and the next link catches up
                link.send(message)
