"""A scripted person at the terminal, and members in memory for it to play with."""

from __future__ import annotations

import io
import signal
import threading
from collections.abc import Callable, Iterator

import trio
import trio.testing

from p2pmatryoshka.node.player import Now
from p2pmatryoshka.rules.game import Choice
from p2pmatryoshka.table.own import Question
from p2pmatryoshka.ui.keyboard import Keyboard
from p2pmatryoshka.ui.screen import Screen
from p2pmatryoshka.ui.terminal import TerminalPlayer
from tests.table.memory import Group, Player, checks_shared

Script = Callable[[Now, Question], Iterator[str]]


class Typist:
    """Lines for a keyboard that come when the test says so, and what is printed meanwhile."""

    def __init__(self) -> None:
        self.out = io.StringIO()
        self._asked = threading.Semaphore(0)
        self._may = threading.Semaphore(0)
        self._next = b""

    def read(self) -> bytes:
        self._asked.release()
        self._may.acquire()
        return self._next

    async def waited_for(self) -> None:
        """Until a line is waited for."""
        with trio.fail_after(60):
            await trio.to_thread.run_sync(self._asked.acquire, abandon_on_cancel=True)

    async def type(self, line: str, *, again: bool = True) -> None:
        """Type a line; again: until the next one is waited for, and all that follows from this one is done."""
        self._next = line.encode() + b"\n"
        self._may.release()
        if again:
            await self.waited_for()
            await trio.testing.wait_all_tasks_blocked()

    def stop(self) -> None:
        """Let the thread that reads end."""
        self._next = b""
        self._may.release()


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
        with checks_shared():
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


def heed_interrupts() -> None:
    """For a new process: what a shell starts in the background would ignore Ctrl-C, and so would its children."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
