"""A scripted person at the terminal, and members in memory for it to play with."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator

from p2pmatryoshka.node.player import Now
from p2pmatryoshka.rules.game import Choice
from p2pmatryoshka.table.own import Question
from p2pmatryoshka.ui.keyboard import Keyboard
from p2pmatryoshka.ui.screen import Screen
from p2pmatryoshka.ui.terminal import TerminalPlayer
from tests.table.memory import Group, Player

Script = Callable[[Now, Question], Iterator[str]]


class Person:
    """Types one line whenever a line is read. script: the lines for one question."""

    def __init__(self, script: Script, width: int = 80) -> None:
        self.out = io.StringIO()
        self._script = script
        self._lines: Iterator[str] = iter(())
        self.terminal = TerminalPlayer(Screen(self.out, width), Keyboard(self._read))

    def _read(self) -> bytes:
        return next(self._lines, "").encode() + b"\n"

    async def choose(self, now: Now, question: Question) -> Choice:
        self._lines = self._script(now, question)
        choice = await self.terminal.choose(now, question)
        assert next(self._lines, None) is None, "the question was answered before the script ended"
        return choice

    @property
    def seen(self) -> str:
        return self.out.getvalue()


def act_but_first(group: Group) -> bool:
    """Let anybody but member 0 sign what it owes."""
    return any(group.act(player) for player in group.players[1:])


def deliver(group: Group) -> bool:
    if not group.flight:
        return False
    to, signed = group.flight.pop(0)
    group.players[to].receive(signed)
    return True


async def play_first(group: Group, person: Person, until: Callable[[], bool] = lambda: False) -> None:
    """Play member 0 by the person and all others by the group's chooser, until nobody owes anything."""
    me = group.players[0]
    told = 0
    while not until():
        while deliver(group):
            pass
        person.terminal.news(Now(me.table, me.own), tuple(me.events[told:]))
        told = len(me.events)
        due = me.own.due(me.table)
        if due is None:
            if not act_but_first(group):
                return
            continue
        choice = await person.choose(Now(me.table, me.own), due) if isinstance(due, Question) else None
        sign(group, me, choice)


def sign(group: Group, player: Player, choice: Choice | None) -> None:
    draft = player.own.draft(player.table, choice, player.randomness)
    player.own = player.own.remember(draft.secrets)
    group.send(player, draft.entry)
