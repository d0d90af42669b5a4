"""One peer of a measured game: a process of its own that hosts or joins, plays by a bot, and prints what it cost."""

from __future__ import annotations

import argparse
import json
import random
import resource
import sys
import tempfile
import time
from pathlib import Path

import trio

from p2pmatryoshka.bots.registry import bot, strategies
from p2pmatryoshka.node.bot_player import BotPlayer
from p2pmatryoshka.node.home import Home
from p2pmatryoshka.node.play import host, join
from p2pmatryoshka.rules import words
from p2pmatryoshka.table.roster import Setup, make_setup


class Stalls(trio.abc.Instrument):
    """The longest time for which one task kept the event loop to itself, in milliseconds."""

    def __init__(self) -> None:
        self.longest = 0.0
        self._began = 0.0

    def before_task_step(self, task: trio.lowlevel.Task) -> None:
        self._began = time.perf_counter()

    def after_task_step(self, task: trio.lowlevel.Task) -> None:
        self.longest = max(self.longest, (time.perf_counter() - self._began) * 1000)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("game")
    parser.add_argument("seats", type=int)
    parser.add_argument("invite", nargs="?")
    options = parser.parse_args()
    decider = bot(options.game, strategies(options.game)[0])
    player = BotPlayer(decider, random.Random(options.seats))
    stalls = Stalls()

    async def accept(_: Setup, __: tuple[str, ...]) -> bool:
        return True

    async def run() -> dict[str, object]:
        with tempfile.TemporaryDirectory() as folder, Home.open(Path(folder)) as home:
            if options.invite:
                finished = await join(home, options.invite, player, name="Bench", accept=accept)
            else:
                deck = words.shipped("english") if options.game == "matrioske" else b""
                setup = make_setup(options.game, options.seats, {}, deck)
                finished = await host(
                    home,
                    setup,
                    player,
                    name="Bench",
                    interface="127.0.0.1",
                    invited=lambda text: print(text, flush=True),
                )
        usage = resource.getrusage(resource.RUSAGE_SELF)
        return {
            "processor_seconds": usage.ru_utime + usage.ru_stime - before,
            "most_memory_mb": usage.ru_maxrss / 1024,
            "bytes_sent": finished.bytes_sent,
            "bytes_received": finished.bytes_received,
            "longest_stall_ms": stalls.longest,
            "result": finished.moment.hash.hex(),
            "steps": finished.moment.number,
        }

    usage = resource.getrusage(resource.RUSAGE_SELF)
    before = usage.ru_utime + usage.ru_stime  # starting Python and reading the program is no part of the game
    json.dump(trio.run(run, instruments=[stalls]), sys.stdout)


if __name__ == "__main__":
    main()
