"""Bots at a table: each a process of its own, with its own key and folder. And the player that watches one play."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from random import Random

import trio

from p2pmatryoshka.bots.registry import bot, strategies
from p2pmatryoshka.errors import Fault, UserError
from p2pmatryoshka.node.bot_player import BotPlayer
from p2pmatryoshka.node.player import Controls, Now, Player
from p2pmatryoshka.rules.game import Choice
from p2pmatryoshka.table.own import Question
from p2pmatryoshka.table.table import Event
from p2pmatryoshka.ui.homes import PASSPHRASE
from p2pmatryoshka.ui.narrator import Narrator
from p2pmatryoshka.ui.scene import clean
from p2pmatryoshka.ui.screen import Screen
from p2pmatryoshka.ui.strings import say, words

PATIENCE = 120
"""Seconds without a link after which a bot proposes to go on without somebody whom the table waits for."""
GRACE = 10.0  # seconds that bots have to end by themselves once the game is over
_MOST_SAID = 2000  # bytes of what a bot said last


def bot_player(game: str, strategy: str | None) -> BotPlayer:
    """strategy: None for the best there is. Raises UserError."""
    return BotPlayer(bot(game, strategy or strategies(game)[0]), Random())


def names(count: int) -> list[str]:
    """So many different names, which say that a bot sits there."""
    return [say("bot.name", name=name.capitalize()) for name in words("bot.names")[:count]]


class WatchedBot:
    """See node.player.Player: a bot decides, and whoever sits at the screen is told."""

    def __init__(self, player: Player, screen: Screen) -> None:
        self._player = player
        self._screen = screen
        self._narrator = Narrator(None)

    def seated(self, controls: Controls) -> None:
        self._player.seated(controls)

    async def choose(self, now: Now, question: Question) -> Choice:
        return await self._player.choose(now, question)

    async def agree(self, now: Now, absent: tuple[int, ...]) -> bool:
        return await self._player.agree(now, absent)

    def news(self, now: Now, events: tuple[Event, ...]) -> None:
        loud, rest = self._narrator.tell(now, events)
        self._screen.show([*loud, *rest])


class LateBot:
    """See node.player.Player: which bot it is turns out when the game is known."""

    def __init__(self, strategy: str | None) -> None:
        self._strategy = strategy
        self._player: BotPlayer | None = None

    def learn(self, game: str) -> None:
        """Raises UserError if there is no such bot for that game."""
        self._player = bot_player(game, self._strategy)

    def seated(self, controls: Controls) -> None:
        self._known().seated(controls)

    async def choose(self, now: Now, question: Question) -> Choice:
        return await self._known().choose(now, question)

    async def agree(self, now: Now, absent: tuple[int, ...]) -> bool:
        return await self._known().agree(now, absent)

    def news(self, now: Now, events: tuple[Event, ...]) -> None:
        """A bot looks when it is asked."""

    def _known(self) -> BotPlayer:
        if self._player is None:
            raise Fault("a question before the game was known")
        return self._player


@dataclass(frozen=True, slots=True)
class Manner:
    """How the bots of one table play; see commands/sit.py and PATIENCE (0: never)."""

    strategy: str | None = None
    patience: int = PATIENCE

    def options(self) -> list[str]:
        """As arguments of the command `bot`."""
        strategy = [] if self.strategy is None else ["--strategy", self.strategy]
        return [*strategy, "--patience", str(self.patience)]


class Bots:
    """The bot processes of one table. They end with it, and with this process, however that ends."""

    def __init__(self, folder: Path, manner: Manner, stopped: Callable[[str], None]) -> None:
        """folder: holds one folder for each. stopped: told the last words of one that ended in the middle."""
        self._folder = folder
        self._manner = manner
        self._stopped = stopped
        self._running = 0
        self._all_ended = trio.Event()
        self.playing = False  # once everybody is seated, a bot that ends is no reason to stop

    async def run(self, invite: str, seats: list[str]) -> None:
        """Seat one bot for each name and wait for all to end. Raises UserError if one cannot sit down."""
        # The invite is a secret that no argument should show.
        await self._all([["-", "--name", name] for name in seats], f"{invite}\n")

    async def run_again(self, count: int) -> None:
        """Let so many bots go on where they were, and wait for all to end."""
        self.playing = True
        await self._all([["--resume"] for _ in range(count)], "")

    async def ended(self) -> None:
        """Give the bots time to file the end of the game."""
        if self._running:
            with trio.move_on_after(GRACE):
                await self._all_ended.wait()

    async def _all(self, each: list[list[str]], told: str) -> None:
        self._running = len(each)
        async with trio.open_nursery() as nursery:
            for number, arguments in enumerate(each):
                nursery.start_soon(self._one, arguments, told, self._folder / str(number))

    async def _one(self, arguments: list[str], told: str, folder: Path) -> None:
        command = [sys.executable, "-m", "p2pmatryoshka", "bot", *arguments, "--tied", "--data", str(folder)]
        process = await trio.lowlevel.open_process(
            [*command, *self._manner.options()],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            start_new_session=True,  # Ctrl-C is for the person; the bots end when their input does
            env={name: value for name, value in os.environ.items() if name != PASSPHRASE},  # that is the person's
        )
        try:
            said = await self._talk(process, told)
            status = await process.wait()
        finally:
            with trio.CancelScope(shield=True):
                if process.returncode is None:
                    process.kill()
                    await process.wait()
                for stream in (process.stdin, process.stderr):
                    if stream is not None:
                        await stream.aclose()
            self._running -= 1
            if not self._running:
                self._all_ended.set()
        if status:
            last = said or say("error.bot-silent", status=status)
            if not self.playing:
                raise UserError(say("error.bot-died", said=last))
            self._stopped(last)

    async def _talk(self, process: trio.Process, told: str) -> str:
        """Hand over what it is told; the last line it says."""
        if process.stdin is None or process.stderr is None:
            raise Fault("a bot without pipes")
        # A bot that ends at once breaks the pipe; what it said tells why.
        with suppress(trio.BrokenResourceError, trio.ClosedResourceError):
            await process.stdin.send_all(told.encode())
        said = b""
        async for chunk in process.stderr:
            said = (said + chunk)[-_MOST_SAID:]
        lines = said.decode("utf-8", "replace").strip().splitlines()
        return clean(lines[-1]) if lines else ""
