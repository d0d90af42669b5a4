"""A table being played in this process: judging, deciding, signing and talking side by side, until the seal."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import SystemRandom

import trio

from p2pmatryoshka.errors import Illegal
from p2pmatryoshka.node.gate import Gate
from p2pmatryoshka.node.home import Home
from p2pmatryoshka.node.keeper import Keeper, thread_worker
from p2pmatryoshka.node.lobby import Gathered
from p2pmatryoshka.node.mesh import Mesh
from p2pmatryoshka.node.nursery import plain_nursery
from p2pmatryoshka.node.player import Now, Player
from p2pmatryoshka.node.threads import spread
from p2pmatryoshka.rules.game import Choice
from p2pmatryoshka.table.own import Question
from p2pmatryoshka.table.step import Moment
from p2pmatryoshka.table.table import Event


@dataclass(frozen=True, slots=True)
class Finished:
    """How a table ended: moment.stage is Closed (with the result) or Abandoned. The rest are bytes over all links."""

    table: bytes
    moment: Moment
    bytes_sent: int
    bytes_received: int


async def play_table(
    home: Home,
    gate: Gate,
    gathered: Gathered,
    player: Player,
    *,
    created: str,
    started: Callable[[bytes], None] = lambda _: None,
) -> Finished:
    """Play one table to its end. created: a local note of when, for the history. started: told the table's id."""
    run = _Run(home, gate, gathered, player)
    return await run.until_closed(gathered, created, started)


class _Run:
    def __init__(self, home: Home, gate: Gate, gathered: Gathered, player: Player) -> None:
        self.player = player
        self.keeper = Keeper(
            home.store,
            home.identity,
            gathered.roster,
            worker=thread_worker(),
            spread=spread,
            heard=self.tell,
        )
        self.mesh = Mesh(gate, self.keeper, gathered.addresses, SystemRandom())

    async def until_closed(self, gathered: Gathered, created: str, started: Callable[[bytes], None]) -> Finished:
        await self.keeper.open(created)
        started(gathered.roster.table)
        async with plain_nursery() as nursery:
            nursery.start_soon(self.mesh.run, gathered.links)
            nursery.start_soon(self.keeper.judge)
            nursery.start_soon(self.keeper.save_now_and_then)
            await self.decide()
            await self.keeper.finish()
            await self.mesh.settle()
            for link in self.mesh.links.values():
                link.close("table.closed")
            await self.mesh.emptied()
            nursery.cancel_scope.cancel()
        return Finished(gathered.roster.table, self.keeper.table.moment, self.mesh.bytes_sent, self.mesh.bytes_received)

    def now(self) -> Now:
        return Now(self.keeper.table, self.keeper.own, self.mesh.away())

    def tell(self, events: tuple[Event, ...]) -> None:
        self.player.news(self.now(), events)

    async def decide(self) -> None:
        """Sign whatever this member owes, as soon as it owes it, until nobody owes anything."""
        while not self.keeper.table.closed:
            due = self.keeper.due()
            if due is None:
                await self.keeper.changed()
                continue
            choice = await self.ask(due) if isinstance(due, Question) else None
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
        while self.keeper.due() == question:
            await self.keeper.changed()
        scope.cancel()
