"""Tables for the tests: any moment of a seeded game, and hands that a test wants."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping

from p2pmatryoshka.bots.random_bot import RandomBot
from p2pmatryoshka.rules import dolls
from p2pmatryoshka.rules.game import Cards, Choice, Over, Rules, Seat, Seats
from p2pmatryoshka.rules.matryoshka import MATRYOSHKA
from p2pmatryoshka.rules.matryoshka_state import Phase
from p2pmatryoshka.rules.plain_dealer import PlainTable, shuffled, step


def opened(seats: int = 4, seed: int = 0, rules: Rules | None = None) -> PlainTable:
    """A Matryoshka table before the toss, its stock shuffled by the seed."""
    stock = MATRYOSHKA.stock(MATRYOSHKA.start(rules or {}, b"", seats))
    order = shuffled(stock, random.Random(seed))
    return PlainTable.start(MATRYOSHKA, rules or {}, b"", seats, order)


def moments(table: PlainTable, seed: int = 0) -> Iterator[PlainTable]:
    """The table and all that follow, to the end, with random players."""
    chance = random.Random(seed)
    players = [RandomBot()] * len(table.hands)
    yield table
    while not isinstance(table.ask, Over):
        table = step(table, players, chance)
        yield table


def until(table: PlainTable, phase: Phase, round: int | None = None, seed: int = 0) -> PlainTable:
    """The first moment from here on in that phase (of that round)."""
    for moment in moments(table, seed):
        if moment.state.phase is phase and round in (None, moment.state.round):
            return moment
    raise LookupError(f"the game never came to {phase} of round {round}")


def at(phase: Phase, round: int | None = None, seats: int = 4, seed: int = 0) -> PlainTable:
    """A random table in that phase (of that round)."""
    return until(opened(seats, seed), phase, round, seed)


def holding(hands: Mapping[Seat, str], seats: int = 4) -> PlainTable:
    """A table after the first deal, starting player seat 0, where those seats hold those six cards."""
    table = opened(seats).resolve(toss=0)
    wanted = {seat: dolls.cards(text) for seat, text in hands.items()}
    taken = {card for cards in wanted.values() for card in cards}
    rest = iter([card for card in table.stock if card not in taken])
    order: list[int] = []
    for seat in range(seats):
        order += wanted[seat] if seat in wanted else [next(rest) for _ in range(6)]
    return table.restock((*order, *rest)).resolve()


def play(table: PlainTable, **cards: str) -> PlainTable:
    """Play those cards: play(table, seat0="A1 A2", ...). Seats asked but not named play their first legal choice."""
    return table.resolve({seat: named(table, seat, cards) for seat in asked(table)})


def named(table: PlainTable, seat: Seat, cards: Mapping[str, str]) -> Choice:
    """The choice named for the seat, or its first legal one."""
    text = cards.get(f"seat{seat}")
    return next(table.moves(seat)) if text is None else Choice((), dolls.cards(text))


def take(table: PlainTable, seat: Seat) -> PlainTable:
    """The active player takes the offer of that seat, and the cards change hands."""
    return table.resolve({table.state.active: Choice(("take", seat))}).resolve()


def asked(table: PlainTable) -> Seats:
    """The seats asked to play or pick now."""
    seats: Seats = getattr(table.ask, "seats", ())
    return seats


def display(table: PlainTable, seat: Seat) -> Cards:
    """What that seat last displayed."""
    cards: Cards = table.state.displays[seat]
    return cards
