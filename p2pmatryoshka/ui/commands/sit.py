"""host, join and bot: sitting down with others."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from getpass import getuser
from pathlib import Path

import trio

from p2pmatryoshka.errors import UserError
from p2pmatryoshka.node.home import Home
from p2pmatryoshka.node.play import host, join
from p2pmatryoshka.node.player import Player
from p2pmatryoshka.node.table_run import Finished
from p2pmatryoshka.rules import words as decks
from p2pmatryoshka.rules.game import Value
from p2pmatryoshka.table.roster import Setup, make_setup
from p2pmatryoshka.ui.bots import Bots, LateBot, names
from p2pmatryoshka.ui.commands.decks import content
from p2pmatryoshka.ui.ending import ending
from p2pmatryoshka.ui.files import write_file
from p2pmatryoshka.ui.homes import open_home, short
from p2pmatryoshka.ui.keyboard import InputEnded, Keyboard
from p2pmatryoshka.ui.scene import clean
from p2pmatryoshka.ui.screen import Screen
from p2pmatryoshka.ui.strings import listed, say, words
from p2pmatryoshka.ui.terminal import TerminalPlayer

LONGEST_NAME = 32


@dataclass(frozen=True, slots=True)
class Table:
    """What a host asked for. bots: how many seats they take."""

    game: str
    seats: int
    rules: Sequence[str]
    deck: str | None
    port: int
    bots: int
    strategy: str | None = None
    invite_file: Path | None = None
    interface: str | None = None  # None: reachable from other machines

    def setup(self) -> Setup:
        """Raises Illegal or UserError."""
        return make_setup(self.game, self.seats, house_rules(self.rules), self._deck())

    def _deck(self) -> bytes:
        if self.game == "matrioske":
            return content(self.deck or decks.SHIPPED[0])
        if self.deck is not None:
            raise UserError(say("error.deck-needless"))
        return b""


def house_rules(texts: Sequence[str]) -> dict[str, Value]:
    """ "NAME=VALUE", where a comma makes a list. Raises UserError."""
    rules: dict[str, Value] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name.strip() or not value.strip():
            raise UserError(say("error.rule", text=text))
        parts = tuple(part.strip() for part in value.split(","))
        rules[name.strip()] = parts if len(parts) > 1 else parts[0]
    return rules


def checked_name(name: str | None) -> str:
    """A name that others can see; by default what the system calls the person."""
    if name is None:
        try:
            name = "".join(letter for letter in getuser() if letter.isprintable()).strip()[:LONGEST_NAME].strip()
        except (OSError, KeyError, ImportError):
            name = ""
        return name or say("you.unnamed")
    if not 1 <= len(name) <= LONGEST_NAME or not name.isprintable() or name != name.strip():
        raise UserError(say("error.name"))
    return name


async def host_table(
    home: Home, table: Table, player: Player, screen: Screen, name: str, *, show_invite: bool
) -> Finished:
    """Open a table, seat the bots, play to the end."""
    if table.bots >= table.seats:
        raise UserError(say("error.bots", bots=table.bots, seats=table.seats))
    setup = table.setup()
    bots = Bots(table.strategy, lambda said: screen.say(say("play.bot-stopped", said=said)))

    async with trio.open_nursery() as nursery:

        def invited(invite: str) -> None:
            if table.invite_file is not None:
                write_file(table.invite_file, f"{invite}\n".encode())
            if show_invite:
                screen.say(say("host.invite"))
                screen.unbroken(invite)
            nursery.start_soon(bots.run, invite, names(table.bots))

        def arrived(people: tuple[str, ...]) -> None:
            missing = table.seats - len(people)
            if show_invite:
                screen.say(say("host.arrived", names=listed([clean(one) for one in people])))
                if missing:
                    screen.say(say("host.waiting", n=missing))

        def started(table_id: bytes) -> None:
            del table_id
            bots.playing = True
            screen.say(say("play.dealing"))

        finished = await host(
            home,
            setup,
            player,
            name=name,
            invited=invited,
            arrived=arrived,
            started=started,
            interface=table.interface,
            port=table.port,
        )
        await bots.ended()
        nursery.cancel_scope.cancel()
    return finished


def run_host(data: Path | None, table: Table, name: str | None) -> None:
    """The command `host`."""
    screen = Screen()
    with open_home(data) as home:
        player = TerminalPlayer(screen, Keyboard.of_terminal())
        shown = checked_name(name)
        finished = trio.run(partial(host_table, home, table, player, screen, shown, show_invite=True))
        show_end(screen, home, finished)


def run_join(data: Path | None, invite: str, name: str | None, *, yes: bool) -> None:
    """The command `join`."""
    screen, keyboard = Screen(), Keyboard.of_terminal()

    async def accept(setup: Setup, people: tuple[str, ...]) -> bool:
        for line in described(setup, people):
            screen.say(line)
        if yes:
            return True
        screen.prompt(say("join.ask"))
        return (await keyboard.line()).strip().casefold() in words("yes")

    async def sit(home: Home) -> Finished:
        text = await given_invite(invite, keyboard)
        return await join(home, text, TerminalPlayer(screen, keyboard), name=checked_name(name), accept=accept)

    with open_home(data) as home:
        finished = trio.run(sit, home)
        show_end(screen, home, finished)


def run_bot(data: Path | None, invite: str, name: str | None, strategy: str | None, *, tied: bool) -> None:
    """The command `bot`. tied: leave when the input ends."""
    keyboard = Keyboard.of_terminal()
    player = LateBot(strategy)

    async def accept(setup: Setup, people: tuple[str, ...]) -> bool:
        del people
        player.learn(setup.game)
        return True

    async def until_input_ends() -> None:
        while True:
            await keyboard.line()

    async def sit(home: Home) -> None:
        async with trio.open_nursery() as nursery:
            text = await given_invite(invite, keyboard)
            if tied:
                nursery.start_soon(until_input_ends)
            await join(home, text, player, name=name or names(1)[0], accept=accept)
            nursery.cancel_scope.cancel()

    with open_home(data) as home:
        trio.run(sit, home)
    Screen().say(say("bot.done"))


async def given_invite(invite: str, keyboard: Keyboard) -> str:
    """The argument, or the next line of the input for "-". Raises UserError."""
    if invite != "-":
        return invite
    try:
        return await keyboard.line()
    except InputEnded as error:
        raise UserError(say("error.invite-input")) from error


def described(setup: Setup, people: tuple[str, ...]) -> list[str]:
    """What one agrees to by sitting down."""
    lines = [say("join.game", game=setup.game, seats=setup.seats)]
    for name, value in setup.rules.items():
        lines.append(say("join.rule", name=name, value=", ".join(value) if isinstance(value, tuple) else value))
    if setup.deck:
        deck, digest = decks.parse(setup.deck), hashlib.sha256(setup.deck).hexdigest()[:16]
        lines.append(say("join.deck", title=deck.title, language=deck.language, digest=digest))
    else:
        lines.append(say("join.nodeck"))
    if people:
        return [*lines, say("join.members", names=listed([clean(one) for one in people]))]
    return [*lines, say("join.nobody")]


def show_end(screen: Screen, home: Home, finished: Finished, *, me: bool = True) -> None:
    """The result, and how to get at the record."""
    index = finished.moment.roster.index_of(home.identity.public) if me else None
    screen.show(ending(finished.moment, index))
    screen.say(say("play.saved", id=short(finished.table.roster.table)))
