"""Tables at chosen moments, played by bots from a seed, without any cryptography."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random

from p2pmatryoshka.bots.random_bot import RandomBot
from p2pmatryoshka.rules import words
from p2pmatryoshka.rules.game import AnyGame, Over, Pick, Play, Seat, Value, View
from p2pmatryoshka.rules.matrioske import MATRIOSKE
from p2pmatryoshka.rules.matryoshka import MATRYOSHKA
from p2pmatryoshka.rules.plain_dealer import PlainTable, shuffled, step
from p2pmatryoshka.ui.scene import Scene

NAMES = ("Ada", "Boris", "Clio", "Dora", "Emil")


def begin(game: AnyGame, seats: int, seed: int, rules: Mapping[str, Value] | None = None) -> PlainTable:
    deck = words.shipped("english") if game is MATRIOSKE else b""
    stock = game.stock(game.start(rules or {}, deck, seats))
    return PlainTable.start(game, rules or {}, deck, seats, shuffled(stock, Random(seed)))


def until(table: PlainTable, seed: int, wanted: Callable[[PlainTable], bool]) -> PlainTable:
    """The first table of a bots' game that is as wanted."""
    random = Random(seed)
    players = [RandomBot()] * 5
    while not wanted(table):
        assert not isinstance(table.ask, Over), "the game has no such moment"
        table = step(table, players, random)
    return table


def matryoshka(phase: str, seats: int = 4, seed: int = 1, round_: int | None = None) -> PlainTable:
    def wanted(table: PlainTable) -> bool:
        return table.state.phase == phase and round_ in (None, table.state.round)

    return until(begin(MATRYOSHKA, seats, seed), seed, wanted)


def over(game: AnyGame, seats: int, seed: int) -> PlainTable:
    return until(begin(game, seats, seed), seed, lambda table: isinstance(table.ask, Over))


def asked(table: PlainTable) -> tuple[Seat, ...]:
    return table.ask.seats if isinstance(table.ask, Play | Pick) else ()


def names_from(seat: Seat | None, seats: int) -> tuple[str, ...]:
    return tuple("You" if at == seat else NAMES[at] for at in range(seats))


def scene(table: PlainTable, seat: Seat | None, kind: str, away: tuple[tuple[Seat, int], ...] = ()) -> Scene:
    view: View = table.view(seat)
    return Scene(view, names_from(seat, view.seats), kind, asked(table), away)
