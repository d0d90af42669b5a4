"""Tables at which one client tampers with what goes over its links: the game must go on, and accuse nobody."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from tests.real import frames
from tests.real.peers import Table, Zygote

LIMIT = 60
CLOCK = 4
"""Seconds after which somebody who is there and does not answer is put out by vote."""
AT_ONCE = 4


def tables(zygote: Zygote, folder: Path, names: Sequence[str]) -> Iterator[tuple[str, str]]:
    """The name of each client, and what went wrong at its table ("" if nothing)."""
    zygote.load("tests.real.frames")
    for begin in range(0, len(names), AT_ONCE):
        running = [(name, _begin(zygote, folder / name, name)) for name in names[begin : begin + AT_ONCE]]
        for name, table in running:
            with table:
                try:
                    _check(table, name)
                except AssertionError as error:
                    yield name, str(error)
                else:
                    yield name, ""


def _seat(name: str) -> int:
    return sum(name.encode()) % 3


def _begin(zygote: Zygote, folder: Path, name: str) -> Table:
    relay = name in frames.RELAYS
    clock = CLOCK if name in frames.GONE else 0
    table = Table(zygote, folder, 4 if relay else 3, seed=_seat(name), limit=LIMIT, patience=3.0, clock=clock, settle=2)
    spoiler = _seat(name)
    extras: dict[str, dict[str, Any]] = {}
    stays = (spoiler + 1) % 3
    for i in range(len(table.peers)):
        # All but one get up after the first turn: by then cards were dealt, laid, shown and exchanged.
        # In a ring its opposite goes first: nobody may be left to pass on what it said last.
        first = not relay or i == (stays + 2) % 4
        extra: dict[str, Any] = {} if i == stays else {"get_up": {"at": "choose", "nth": 0 if first else 1}}
        if i == spoiler:
            extra["frames"] = name
        if relay:
            extra["block"] = [(i + 2) % 4]  # a ring: what the spoiler passes on can also come the other way
        extras[f"p{i}"] = extra
    table.begin(**extras)
    return table


def _check(table: Table, name: str) -> None:
    spoiler = _seat(name)
    honest = [i for i in range(len(table.peers)) if i != spoiler]
    stays = (spoiler + 1) % 3
    table.wait(lambda: all(table.status(i) is not None for i in honest), LIMIT + 10, "the honest have ended")
    for i in honest:
        assert table.status(i) == 0, f"P{i} ended with {table.status(i)}\n{table.logs()}"
        assert not table.peers[i].accused(), table.logs()
    table.check([stays])
    gone_early = not any(spoiler in e["still_in"] for e in table.peers[stays].told("step", kind="choose"))
    assert gone_early == (name in frames.GONE), f"put out: {gone_early}\n{table.logs()}"
