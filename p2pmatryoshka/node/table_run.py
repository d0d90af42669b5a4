"""A table being played in this process: judging, deciding, voting, signing and talking side by side, until the seal."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from random import SystemRandom

import trio

from p2pmatryoshka.errors import Illegal
from p2pmatryoshka.node.address_book import AddressBook, sign_note
from p2pmatryoshka.node.gate import Gate
from p2pmatryoshka.node.home import Home
from p2pmatryoshka.node.keeper import Keeper, thread_worker
from p2pmatryoshka.node.lobby import Gathered
from p2pmatryoshka.node.mesh import Mesh
from p2pmatryoshka.node.nursery import plain_nursery
from p2pmatryoshka.node.player import Controls, LeaveTable, Now, Player
from p2pmatryoshka.node.threads import spread
from p2pmatryoshka.rules.game import Choice
from p2pmatryoshka.table import messages
from p2pmatryoshka.table.own import Duty, Question
from p2pmatryoshka.table.step import Moment
from p2pmatryoshka.table.table import Event, Table

LOOK_SECONDS = 1.0
"""How often it is looked whether somebody has kept the table waiting for too long."""


@dataclass(frozen=True, slots=True)
class Terms:
    """How this process plays. created: a local note of when, for the history. started: told the table's id. patience:
    seconds of silence after which it proposes by itself to put somebody out (bots; None: only its player does).
    returning: after a restart. leave: give the seat up as soon as that can be signed."""

    created: str
    started: Callable[[bytes], None] = lambda _: None
    patience: float | None = None
    returning: bool = False
    leave: bool = False


@dataclass(frozen=True, slots=True)
class Finished:
    """How it ended for this process: table.moment.stage is Closed (with the result) or Abandoned, or this member is
    out (left, or not in moment.still_in). The rest are bytes over all links."""

    table: Table
    bytes_sent: int
    bytes_received: int

    @property
    def moment(self) -> Moment:
        return self.table.moment


async def play_table(home: Home, gate: Gate, gathered: Gathered, player: Player, terms: Terms) -> Finished:
    """Play one table to its end."""
    return await _Run(home, gate, gathered, player, terms).until_over()


class _Run:
    def __init__(self, home: Home, gate: Gate, gathered: Gathered, player: Player, terms: Terms) -> None:
        self.player = player
        self.terms = terms
        self.links = gathered.links
        self.leaving = terms.leave
        self.keeper = Keeper(
            home.store,
            home.identity,
            gathered.roster,
            worker=thread_worker(),
            spread=spread,
            returning=terms.returning,
            heard=self.tell,
        )
        roster = gathered.roster
        self.book = AddressBook(roster.table, roster.keys, gathered.addresses)
        number = gathered.number
        self.book.learn(sign_note(home.identity, roster.table, self.keeper.me, number, gate.addresses))
        self.mesh = Mesh(gate, self.keeper, self.book, SystemRandom())

    async def until_over(self) -> Finished:
        await self.keeper.open(self.terms.created)
        self.terms.started(self.keeper.roster.table)
        self.player.seated(Controls(self.propose, self.wish_to_leave))
        async with plain_nursery() as nursery:
            nursery.start_soon(self.mesh.run, self.links)
            nursery.start_soon(self.keeper.judge)
            nursery.start_soon(self.keeper.save_now_and_then)
            nursery.start_soon(self.join_votes)
            nursery.start_soon(self.watch_the_time)
            await self.decide()
            await self.keeper.finish()
            await self.mesh.settle()
            await self.mesh.emptied()
            nursery.cancel_scope.cancel()
        return Finished(self.keeper.table, self.mesh.bytes_sent, self.mesh.bytes_received)

    def now(self) -> Now:
        keeper = self.keeper
        open_for = trio.current_time() - keeper.opened_at
        return Now(keeper.table, keeper.own, self.mesh.away(), open_for, keeper.returning)

    def tell(self, events: tuple[Event, ...]) -> None:
        self.player.news(self.now(), events)

    # --- what is owed

    async def decide(self) -> None:
        """Sign whatever this member owes, as soon as it owes it, until nobody owes anything or it is out."""
        while not self.keeper.table.closed and self.keeper.me in self.keeper.table.moment.still_in:
            if self.leaving and not self.keeper.returning:
                await self.leave()
                return
            due = self.keeper.due()
            if due is None:
                await self.keeper.changed()
                continue
            try:
                choice = await self.ask(due) if isinstance(due, Question) else None
            except LeaveTable:
                await self.leave()
                return
            if isinstance(due, Question) and choice is None:
                continue
            try:
                entry = await self.keeper.sign_due(choice)
            except Illegal:
                if choice is None:
                    raise
                continue  # the player is asked again
            if entry is not None:
                self.mesh.publish(entry)

    async def ask(self, question: Question) -> Choice | None:
        """The player's choice; None if the question was withdrawn meanwhile."""
        answer: Choice | None = None
        async with plain_nursery() as nursery:
            nursery.start_soon(self.withdraw, question, nursery.cancel_scope)
            answer = await self.player.choose(self.now(), question)
            nursery.cancel_scope.cancel()
        return answer

    async def withdraw(self, question: Question, scope: trio.CancelScope) -> None:
        """Cancel when the question is no longer open."""
        while self.keeper.due() == question and not self.leaving:
            await self.keeper.changed()
        scope.cancel()

    def wish_to_leave(self) -> None:
        self.leaving = True
        self.keeper.stir()

    async def leave(self) -> None:
        """Give the seat up, and stay until the others know. Where I stand after a fork is said first, and ballots I
        must sign: the others wait for those."""
        while isinstance(due := self.keeper.due(), Duty) and due.kind in ("stand", "ballot"):
            entry = await self.keeper.sign_due(None)
            if entry is not None:
                self.mesh.publish(entry)
            await self.keeper.changed()
        self.mesh.publish(await self.keeper.sign_beside(lambda own, table: own.draft_body(table, messages.Leave())))

    # --- votes

    async def propose(self, absent: Iterable[int]) -> None:
        """Vote that these members be put out. Raises Illegal if that may not be asked now."""
        wanted = tuple(absent)
        entry = await self.keeper.sign_beside(lambda own, table: own.draft_ballot(table, own.propose(table, wanted)))
        self.mesh.publish(entry)

    async def join_votes(self) -> None:
        """Ask the player about every vote of others that this member may join."""
        while True:
            open_votes = self.open_votes()
            for absent in open_votes:
                agreed = False
                with trio.move_on_after(LOOK_SECONDS * 60):
                    agreed = await self.player.agree(self.now(), absent)
                if agreed and absent in self.open_votes():
                    await self.vote(absent)
            if open_votes:
                await trio.sleep(LOOK_SECONDS)
            else:
                await self.keeper.changed()

    def open_votes(self) -> tuple[tuple[int, ...], ...]:
        if self.keeper.returning:
            return ()
        ballots = self.keeper.own.ballots(self.keeper.table)
        return tuple(due.ballot.motion.absent for due in ballots if not due.must)

    async def vote(self, absent: tuple[int, ...]) -> None:
        try:
            await self.propose(absent)
        except Illegal:
            return  # settled otherwise meanwhile

    async def watch_the_time(self) -> None:
        """Propose to put out whoever keeps the table waiting: when the clock that all agreed on has run out, or when
        somebody without a link has used up this process's patience. Nothing is ever played for anyone."""
        clock = self.keeper.roster.setup.clock
        absent: frozenset[int] = frozenset()
        while True:
            await trio.sleep(LOOK_SECONDS)
            self.mesh.look_whether_returned()
            now = self.now()
            if absent != now.away.keys():
                absent = frozenset(now.away)
                self.tell(())
            missing = self.keeper.own.missing(self.keeper.table) - {self.keeper.me}
            late = frozenset(missing) if clock and now.open_for > clock else frozenset()
            patience = self.terms.patience
            if patience is not None:
                late |= {m for m in missing if now.away.get(m, 0.0) > patience and now.open_for > patience}
            if late and not self.keeper.returning and not self.keeper.own.ballots_cast(self.keeper.table):
                await self.vote(tuple(sorted(late)))
