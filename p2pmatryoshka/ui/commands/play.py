"""play: a table of bots on this machine, each a peer of its own."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import trio

from p2pmatryoshka.node.player import Player
from p2pmatryoshka.table import record_file
from p2pmatryoshka.ui.bot_folders import tidied
from p2pmatryoshka.ui.bots import WatchedBot, bot_player, names
from p2pmatryoshka.ui.commands.offer import Table, checked_name
from p2pmatryoshka.ui.commands.sit import host_table, show_end
from p2pmatryoshka.ui.files import write_file
from p2pmatryoshka.ui.homes import open_home
from p2pmatryoshka.ui.interrupts import Sitting, resumable
from p2pmatryoshka.ui.keyboard import Keyboard
from p2pmatryoshka.ui.screen import Screen
from p2pmatryoshka.ui.strings import say
from p2pmatryoshka.ui.terminal import TerminalPlayer


def run_play(data: Path | None, table: Table, name: str | None, *, watch: bool, record: Path | None) -> None:
    """The command `play`. watch: a bot takes my seat too."""
    screen, sitting = Screen(), Sitting()
    table.setup()  # what cannot be played is said before anybody is seated
    player: Player = TerminalPlayer(screen, Keyboard.of_terminal())
    shown = checked_name(name)
    if watch:
        player = WatchedBot(bot_player(table.game, table.manner.strategy), screen)
        shown = names(table.seats)[-1] if name is None else shown
    screen.say(say("play.seating", n=table.bots))
    with open_home(data) as home, tidied(home), resumable(home, data, sitting):
        finished = trio.run(partial(host_table, home, table, player, screen, shown, sitting, show_invite=False))
        show_end(screen, home, finished, me=not watch)
        if record is not None:
            write_file(record, record_file.export(finished.table))
            screen.say(say("play.recorded", file=record))
