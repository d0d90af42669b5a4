"""Matrioske tables for the tests: a plain deck with short names, and any situation wanted.

The things of series A to H are A0 (the largest) to A5, and so on.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from p2pmatryoshka.bots.random_bot import RandomBot
from p2pmatryoshka.rules.game import Card, Cards, Choice, Option, Over, Rules, Seat
from p2pmatryoshka.rules.matrioske import MATRIOSKE, MatrioskeView
from p2pmatryoshka.rules.matrioske_state import Phase
from p2pmatryoshka.rules.plain_dealer import PlainTable, shuffled, step

LETTERS = "ABCDEFGH"
TABLE_JUDGES = {"judge": "table"}


def deck(**inside: str) -> bytes:
    """A deck file; deck(B3="A2 C1") adds the links "B3 inside A2" and "B3 inside C1"."""
    series = ",\n".join("[" + ", ".join(f'"{letter}{n}"' for n in range(6)) + "]" for letter in LETTERS)
    links = "\n".join(f'"{inner}" = {outers.split()}' for inner, outers in inside.items())
    return f'title = "Plain"\nlanguage = "en"\nseries = [\n{series}\n]\n[inside]\n{links}\n'.replace("'", '"').encode()


def card(name: str) -> Card:
    """The index of "B3"."""
    return LETTERS.index(name[0]) * 6 + int(name[1])


def cards(names: str) -> Cards:
    """The indices of "A1 B3", in that order."""
    return tuple(card(name) for name in names.split())


def top(name: str, pile: int) -> Choice:
    """Put that card on top of a pile."""
    return Choice(("top", pile), cards(name))


def between(name: str, pile: int, position: int) -> Choice:
    """Slip that card in, so that it comes to lie at that position, counted from the bottom (0)."""
    return Choice(("between", pile, position), cards(name))


def cover(name: str) -> Choice:
    """Leave that card face-down in the middle."""
    return Choice((), cards(name), face_up=False)


def claim(choice: Choice) -> Choice:
    """The same placement, claimed although the deck does not list it."""
    return Choice(("claim", *choice.option), choice.cards)


def opened(content: bytes | None = None, seed: int = 0, rules: Rules | None = None) -> PlainTable:
    """A table before the toss, its stock shuffled by the seed."""
    content = deck() if content is None else content
    order = list(MATRIOSKE.stock(MATRIOSKE.start(rules or {}, content, 4)))
    return PlainTable.start(MATRIOSKE, rules or {}, content, 4, shuffled(tuple(order), random.Random(seed)))


def moments(table: PlainTable, seed: int = 0) -> Iterator[PlainTable]:
    """The table and all that follow, to the end, with random players."""
    chance = random.Random(seed)
    yield table
    while not isinstance(table.ask, Over):
        table = step(table, [RandomBot()] * 4, chance)
        yield table


def at(phase: Phase, rules: Rules | None = None, seed: int = 0, turns: int = 0) -> PlainTable:
    """A random table in that phase, after so many such moments."""
    found = (moment for moment in moments(opened(seed=seed, rules=rules), seed) if moment.state.phase is phase)
    for _ in range(turns):
        next(found)
    return next(found)


def situation(
    *hands: str, piles: Mapping[int, str] | None = None, rules: Rules | None = None, turn: Seat = 0, **inside: str
) -> PlainTable:
    """It is that seat's turn. hands: of seats 0 to 3, only what matters. piles: "A0 A2 A4" by number, bottom first;
    the others hold their largest card. inside: see deck. All other cards stay in the stock.
    """
    table = opened(deck(**inside), rules=rules).resolve(toss=turn).resolve()
    state: Any = table.state
    full = [cards(hand) for hand in (*hands, "", "", "", "")[:4]]
    wanted = [cards((piles or {}).get(n, f"{letter}0")) for n, letter in enumerate(LETTERS)]
    lying = tuple(sorted(c for pile in wanted for c in pile[1:]))
    out = {*lying, *(c for hand in full for c in hand)}
    return replace(
        table,
        state=replace(state, hands=tuple(map(len, full)), piles=tuple(wanted)),
        hands=tuple(tuple(sorted(hand)) for hand in full),
        lying=lying,
        stock=tuple(c for c in MATRIOSKE.stock(state) if c not in out),
    )


def play(table: PlainTable, *choices: Choice) -> PlainTable:
    """The seats whose turn it is make these choices, one after the other."""
    for choice in choices:
        table = table.resolve({table.state.turn: choice})
    return table


def vote(table: PlainTable, *votes: str) -> PlainTable:
    """The seats asked vote, in ascending order: "accept" or "refuse"."""
    return table.resolve({seat: Choice((said,)) for seat, said in zip(table.ask.seats, votes, strict=True)})


def look(table: PlainTable, seat: Seat | None = None) -> MatrioskeView:
    """What that seat, or a watcher, sees."""
    view = table.view(seat)
    assert isinstance(view, MatrioskeView)
    return view


def options(table: PlainTable, seat: Seat, name: str) -> list[Option]:
    """Where that card of the seat's hand may be turned up now."""
    return [m.option for m in table.moves(seat) if m.cards == cards(name) and m.face_up]
