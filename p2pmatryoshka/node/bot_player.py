"""A bot at a seat: it sees what a person there would see, and decides in a worker thread."""

from __future__ import annotations

from random import Random

import trio

from p2pmatryoshka.bots.registry import Bot
from p2pmatryoshka.errors import Fault
from p2pmatryoshka.node.player import Controls, Now
from p2pmatryoshka.rules.game import Choice
from p2pmatryoshka.table.own import Question
from p2pmatryoshka.table.table import Event

AWAY_SECONDS = 5.0
"""For how long a member must be without a link before a bot votes with others to put it out."""


class BotPlayer:
    """Plays for itself. random: its own source, seeded by whoever wants the same game twice."""

    def __init__(self, bot: Bot, random: Random) -> None:
        self._bot = bot
        self._random = random

    def seated(self, controls: Controls) -> None:
        """A bot proposes nothing by itself; see patience in table_run.py."""

    async def choose(self, now: Now, question: Question) -> Choice:
        return await trio.to_thread.run_sync(self._choose, now, question)

    async def agree(self, now: Now, absent: tuple[int, ...]) -> bool:
        return all(now.away.get(member, 0.0) >= AWAY_SECONDS for member in absent)

    def news(self, now: Now, events: tuple[Event, ...]) -> None:
        """A bot looks when it is asked."""

    def _choose(self, now: Now, question: Question) -> Choice:
        view = now.own.view(now.table)
        if view is None:
            raise Fault("a question before the seats are drawn")
        return self._bot.choose(now.table.roster.game, view, now.own.moves(now.table, question), self._random)
