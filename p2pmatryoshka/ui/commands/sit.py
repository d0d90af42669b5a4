"""host, join, resume and bot: sitting down with others."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path

import trio

from p2pmatryoshka.errors import UserError
from p2pmatryoshka.node.home import Home
from p2pmatryoshka.node.play import host, join, resume
from p2pmatryoshka.node.player import Player
from p2pmatryoshka.node.storage import TableInfo
from p2pmatryoshka.node.table_run import Finished
from p2pmatryoshka.table.roster import Setup, read_roster
from p2pmatryoshka.ui.bot_folders import SeatedBots, new_folder, note_bots, noted_bots, tidied
from p2pmatryoshka.ui.bots import Bots, LateBot, Manner, WatchedBot, bot_player, names
from p2pmatryoshka.ui.commands.offer import Table, checked_name, clock_rule, described
from p2pmatryoshka.ui.ending import ending
from p2pmatryoshka.ui.files import write_file
from p2pmatryoshka.ui.homes import find_open_table, open_home
from p2pmatryoshka.ui.interrupts import Sitting, resumable
from p2pmatryoshka.ui.keyboard import InputEnded, Keyboard
from p2pmatryoshka.ui.scene import clean, short
from p2pmatryoshka.ui.screen import Screen
from p2pmatryoshka.ui.strings import listed, say, words
from p2pmatryoshka.ui.terminal import TerminalPlayer


async def host_table(
    home: Home, table: Table, player: Player, screen: Screen, name: str, sitting: Sitting, *, show_invite: bool
) -> Finished:
    """Open a table, seat the bots, play to the end. show_invite: the others are people."""
    if table.bots >= table.seats:
        raise UserError(say("error.bots", bots=table.bots, seats=table.seats))
    setup = table.setup()
    watched = isinstance(player, WatchedBot)
    manner = table.manner
    seated = SeatedBots(
        folder=new_folder(), count=table.bots, strategy=manner.strategy, patience=manner.patience, mine=watched
    )
    bots = Bots(seated.path(home), manner, partial(bot_stopped, player, screen))

    async with trio.open_nursery() as nursery:

        def invited(invite: str) -> None:
            if table.invite_file is not None:
                write_file(table.invite_file, f"{invite}\n".encode())
            if show_invite:
                screen.say(clock_rule(table.clock))
                screen.say(say("host.invite"))
                screen.unbroken(invite)
            if table.bots:
                nursery.start_soon(bots.run, invite, names(table.bots))

        def arrived(people: tuple[str, ...]) -> None:
            missing = table.seats - len(people)
            if show_invite:
                screen.say(say("host.arrived", names=listed([clean(one) for one in people])))
                if missing:
                    screen.say(say("host.waiting", n=missing))

        def started(table_id: bytes) -> None:
            if seated.count or seated.mine:
                note_bots(home, table_id, seated)
            sitting.begun(table_id)
            bots.playing = True
            screen.say(say("play.dealing"))

        hosted = partial(
            host,
            home,
            setup,
            player,
            name=name,
            invited=invited,
            arrived=arrived,
            started=started,
            interface=table.interface,
            port=table.port,
            patience=(manner.patience or None) if watched else None,
        )
        finished = await attended(player, hosted)
        await bots.ended()
        nursery.cancel_scope.cancel()
    return finished


def bot_stopped(player: Player, screen: Screen, said: str) -> None:
    """Say so without harm to an open question."""
    text = say("play.bot-stopped", said=said)
    if isinstance(player, TerminalPlayer):
        player.note(text)
    else:
        screen.say(text)


async def attended(player: Player, play: Callable[[], Awaitable[Finished]]) -> Finished:
    """Play; a person at the terminal can type while nothing is asked."""
    async with trio.open_nursery() as nursery:
        if isinstance(player, TerminalPlayer):
            nursery.start_soon(player.attend)
        finished = await play()
        nursery.cancel_scope.cancel()
    return finished


def run_host(data: Path | None, table: Table, name: str | None, *, watch: bool = False) -> None:
    """The command `host`. watch: a bot takes my seat."""
    screen, sitting = Screen(), Sitting()
    with open_home(data) as home, tidied(home), resumable(home, data, sitting):
        player: Player = TerminalPlayer(screen, Keyboard.of_terminal())
        shown = checked_name(name)
        if watch:
            player = WatchedBot(bot_player(table.game, table.manner.strategy), screen)
        finished = trio.run(partial(host_table, home, table, player, screen, shown, sitting, show_invite=True))
        show_end(screen, home, finished, me=not watch)


def run_join(data: Path | None, invite: str, name: str | None, *, yes: bool) -> None:
    """The command `join`."""
    screen, keyboard, sitting = Screen(), Keyboard.of_terminal(), Sitting()

    async def accept(setup: Setup, people: tuple[str, ...]) -> bool:
        for line in described(setup, people):
            screen.say(line)
        if yes:
            return True
        screen.prompt(say("join.ask"))
        return (await keyboard.line()).strip().casefold() in words("yes")

    async def sit(home: Home) -> Finished:
        text = await given_invite(invite, keyboard)
        player, shown = TerminalPlayer(screen, keyboard), checked_name(name)
        return await attended(
            player, partial(join, home, text, player, name=shown, accept=accept, started=sitting.begun)
        )

    with open_home(data) as home, resumable(home, data, sitting):
        finished = trio.run(sit, home)
        show_end(screen, home, finished)


def run_resume(data: Path | None, text: str | None, *, leave: bool) -> None:
    """The command `resume`: the bots that were seated from here go on as well."""
    screen = Screen()
    with open_home(data) as home:
        table = find_open_table(home, text)
        seated = noted_bots(home, table.id)
        watched = seated is not None and seated.mine
        player: Player = TerminalPlayer(screen, Keyboard.of_terminal())
        if seated is not None and seated.mine:
            player = WatchedBot(bot_player(read_roster(table.roster).setup.game, seated.strategy), screen)
        with tidied(home), resumable(home, data, Sitting(table.id)):
            finished = trio.run(partial(resume_table, home, table, player, screen, seated, leave=leave))
            show_end(screen, home, finished, me=not watched)


async def resume_table(
    home: Home, table: TableInfo, player: Player, screen: Screen, seated: SeatedBots | None, *, leave: bool
) -> Finished:
    """Go on with a table and with the bots that were seated from here."""
    async with trio.open_nursery() as nursery:
        patience = None
        if seated is not None:
            patience = (seated.patience or None) if seated.mine else None
            manner = Manner(seated.strategy, seated.patience)
            bots = Bots(seated.path(home), manner, partial(bot_stopped, player, screen))
            nursery.start_soon(bots.run_again, seated.count)
        finished = await attended(player, partial(resume, home, table, player, patience=patience, leave=leave))
        if seated is not None:
            await bots.ended()
        nursery.cancel_scope.cancel()
    return finished


def run_bot(data: Path | None, invite: str | None, name: str | None, manner: Manner, *, tied: bool) -> None:
    """The command `bot`. invite: None to go on with the newest table. tied: stop when the input ends."""
    keyboard = Keyboard.of_terminal()
    player = LateBot(manner.strategy)
    patience = manner.patience or None

    async def accept(setup: Setup, people: tuple[str, ...]) -> bool:
        del people
        player.learn(setup.game)
        return True

    async def until_input_ends() -> None:
        while True:
            await keyboard.line()

    async def sit(home: Home) -> None:
        async with trio.open_nursery() as nursery:
            text = None if invite is None else await given_invite(invite, keyboard)
            if tied:
                nursery.start_soon(until_input_ends)
            if text is None:
                table = find_open_table(home, None)
                player.learn(read_roster(table.roster).setup.game)
                await resume(home, table, player, patience=patience)
            else:
                await join(home, text, player, name=name or names(1)[0], accept=accept, patience=patience)
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


def show_end(screen: Screen, home: Home, finished: Finished, *, me: bool = True) -> None:
    """The result, and how to get at the record."""
    index = finished.moment.roster.index_of(home.identity.public) if me else None
    screen.show(ending(finished.table, index))
    if finished.table.closed:
        screen.say(say("play.saved", id=short(finished.table.roster.table)))
