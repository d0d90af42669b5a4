"""One peer, to be run as a process of its own: `python -m tests.real.peer FOLDER ORDERS`, where ORDERS is JSON.

An order is a map; `do` is host, join or resume. The peer plays by a seeded bot over real links from a real data folder
and tells what happens as lines of JSON on its standard output. Beside that an order can make it die at a named instant
(hooks.py), sign wrong things (cheats.py), spoil frames (frames.py), get up, or turn some of the others away.
"""

from __future__ import annotations

import json
import os
import random
import sys
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from unittest import mock

import trio

from p2pmatryoshka.bots.registry import bot
from p2pmatryoshka.errors import MatryoshkaError
from p2pmatryoshka.node import mesh
from p2pmatryoshka.node.bot_player import BotPlayer
from p2pmatryoshka.node.home import Home
from p2pmatryoshka.node.play import host, join, resume
from p2pmatryoshka.node.player import Controls, Now
from p2pmatryoshka.node.table_run import Finished
from p2pmatryoshka.table.record_file import export
from p2pmatryoshka.table.roster import Setup, make_setup
from p2pmatryoshka.table.step import Closed
from p2pmatryoshka.table.table import Accusation, Advanced, Event
from tests.real import hooks

Order = dict[str, Any]
LIMIT = 120
"""Seconds for an order that names no limit."""


def tell(**said: Any) -> None:
    """One line, whole and at once, even if the process is killed right after it."""
    os.write(1, json.dumps({"at": round(time.monotonic(), 3), **said}).encode() + b"\n")


class Seat(BotPlayer):
    """A bot that tells what it sees, and gets up when it is told to."""

    def __init__(self, order: Order) -> None:
        chance = random.Random(repr((order.get("seed", 0), order["name"])))
        super().__init__(bot(order.get("game", "matryoshka"), order.get("bot", "random")), chance)
        self._agree_after = float(order.get("agree", 1.0))
        self._get_up: dict[str, Any] = order.get("get_up") or {}
        self._controls: Controls | None = None
        self._owed: list[str] = []
        self._returning = bool(order["do"] == "resume")
        self._pause = float(order.get("think", 0.0))

    def seated(self, controls: Controls) -> None:
        self._controls = controls

    async def choose(self, now: Now, question: Any) -> Any:
        if self._pause:
            await trio.sleep(self._pause)
        return await super().choose(now, question)

    async def agree(self, now: Now, absent: tuple[int, ...]) -> bool:
        return all(now.away.get(member, 0.0) >= self._agree_after for member in absent)

    def news(self, now: Now, events: tuple[Event, ...]) -> None:
        if self._returning and not now.returning:
            self._returning = False
            tell(event="returned", step=now.table.moment.number)
        for event in events:
            match event:
                case Advanced(moment=moment):
                    self._owed.append(moment.owed.kind)
                    tell(event="step", step=moment.number, kind=moment.owed.kind, still_in=moment.still_in)
                    times = self._owed.count(moment.owed.kind)
                    if self._get_up.get("at") == moment.owed.kind and times == self._get_up.get("nth", 0) + 1:
                        self._leave()
                case Accusation(member=member, rule=rule, step=step):
                    tell(event="accused", member=member, rule=rule, step=step)
                    if self._get_up.get("at") == "accusation":
                        self._leave()

    def _leave(self) -> None:
        if self._controls is not None:
            self._controls.leave()


async def play(home: Home, order: Order) -> Finished:
    """Obey one order to its end."""
    seat = Seat(order)
    patience = order.get("patience", 20.0)

    def started(table: bytes) -> None:
        tell(event="started", table=table.hex())

    async def accept(_: Setup, __: tuple[str, ...]) -> bool:
        return True

    interface = order.get("interface", "127.0.0.1")
    if "after" in order:
        with trio.fail_after(LIMIT):
            while not Path(order["after"]).exists():
                await trio.sleep(0.02)
    with trio.fail_after(order.get("limit", LIMIT)):
        match order["do"]:
            case "host":
                setup = make_setup(
                    order.get("game", "matryoshka"),
                    order["seats"],
                    order.get("rules", {}),
                    clock=order.get("clock", 0),
                )
                return await host(
                    home,
                    setup,
                    seat,
                    name=order["name"],
                    interface=interface,
                    invited=lambda text: _write(Path(order["invite"]), text.encode()),
                    arrived=lambda names: _write(Path(f"{order['invite']}.{len(names)}"), b""),
                    started=started,
                    patience=patience,
                )
            case "join":
                text = Path(order["invite"]).read_text()
                return await join(
                    home, text, seat, name=order["name"], accept=accept, started=started, patience=patience
                )
            case "resume":
                info = home.store.tables()[-1]
                return await resume(
                    home, info, seat, started=started, patience=patience, leave=bool(order.get("leave"))
                )
    raise ValueError(order["do"])


def run(folder: Path, orders: list[Order]) -> int:
    """All orders, one after the other, in one process. The exit status: 0; 2 after an error made for people; 3 after an
    order that took too long. The next order is obeyed all the same."""
    status = 0
    try:
        with Home.open(folder) as home:
            for index, order in enumerate(orders):
                tell(event="order", index=index)
                status = max(status, _obey(home, order))
    except MatryoshkaError as error:
        tell(event="failed", kind=type(error).__name__, text=str(error))
        return 2
    return status


def _obey(home: Home, order: Order) -> int:
    try:
        with ExitStack() as changes:
            for change in _changes(order):
                changes.enter_context(change)
            finished = trio.run(play, home, order)
    except trio.TooSlowError:
        tell(event="failed", kind="TooSlowError", text=f"not done after {order.get('limit', LIMIT)} seconds")
        return 3
    except MatryoshkaError as error:
        tell(event="failed", kind=type(error).__name__, text=str(error))
        return 2
    _report(order, finished)
    return 0


def _changes(order: Order) -> list[Any]:
    changes = [hooks.deaths(order)]
    if "settle" in order:
        changes.append(mock.patch.object(mesh, "SETTLE_SECONDS", order["settle"]))
    if "block" in order:
        changes.append(hooks.no_links_to(order["block"]))
    if "cheat" in order:
        from tests.real import cheats

        changes.append(cheats.modified_client(order))
    if "frames" in order:
        from tests.real import frames

        changes.append(frames.modified_client(order))
    return changes


def _report(order: Order, finished: Finished) -> None:
    table, moment = finished.table, finished.moment
    record = export(table)
    _write(Path(order["record"]), record)
    tell(
        event="finished",
        closed=isinstance(moment.stage, Closed),
        stage=type(moment.stage).__name__,
        number=moment.number,
        hash=moment.hash.hex(),
        still_in=moment.still_in,
        accusations=[[a.member, a.rule] for a in table.accusations],
        bytes_sent=finished.bytes_sent,
        bytes_received=finished.bytes_received,
    )


def _write(path: Path, data: bytes) -> None:
    draft = path.with_name(path.name + ".part")
    draft.write_bytes(data)
    draft.replace(path)


if __name__ == "__main__":
    sys.exit(run(Path(sys.argv[1]), json.loads(sys.argv[2])))
