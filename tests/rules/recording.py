"""Whole games as text that people can read and a test can replay, line by line.

The lines tell everything: what was asked, what each seat chose (with the cards it left face-down), who was gone and
how the stock was rebuilt, every hand after it changed, and the standing. Only `toss:`, `seat ...:` and `gone ...:`
lines are decisions; all others follow from them, and a replay must write them again exactly.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from p2pmatryoshka.rules.catalogue import GAMES
from p2pmatryoshka.rules.game import Ask, Cards, Choice, Deal, Give, Option, Over, Pick, Play, Seat, Toss, Value
from p2pmatryoshka.rules.plain_dealer import PlainTable
from tests.rules.samples import deck

NOTHING = "-"


@dataclass(frozen=True)
class Setting:
    """What a recording begins with. deck: the name of a shipped deck, or "-"."""

    game: str
    seats: int
    deck: str
    rules: Mapping[str, Value]

    def table(self, order: Cards | None = None) -> PlainTable:
        """The opening table; the stock ascending unless an order is given."""
        game = GAMES[self.game]
        content = b"" if self.deck == NOTHING else deck(game, self.deck)
        stock = order or game.stock(game.start(self.rules, content, self.seats))
        return PlainTable.start(game, self.rules, content, self.seats, stock)


class Decisions(Protocol):
    """Whoever decides: random players when a game is recorded, the file when it is replayed."""

    def order(self, table: PlainTable) -> Cards:
        """The shuffled stock."""

    def departure(self, table: PlainTable) -> tuple[Seat, Cards] | None:
        """Who is gone before the next ask, if anybody, and the rebuilt stock."""

    def toss(self, sides: int) -> int: ...

    def choice(self, table: PlainTable, seat: Seat) -> Choice: ...


def tell(setting: Setting, decisions: Decisions) -> Iterator[str]:
    """The lines of a whole game."""
    yield f"game: {setting.game}"
    yield f"seats: {setting.seats}"
    yield f"deck: {setting.deck}"
    for rule, value in GAMES[setting.game].rules(setting.seats, setting.rules).items():
        yield f"rule {rule}: {' '.join(value) if isinstance(value, tuple) else value}"
    table = setting.table()
    table = setting.table(decisions.order(table))
    yield f"stock: {_names(table, table.stock)}"
    while not isinstance(table.ask, Over):
        before = table
        away = decisions.departure(table)
        if away is not None:
            table = table.gone(*away)
            yield f"gone {away[0]}: {_names(table, table.stock)}"
        else:
            yield _asked(table)
            choices: dict[Seat, Choice] = {}
            toss = None
            if isinstance(table.ask, Toss):
                toss = decisions.toss(table.ask.sides)
                yield f"  toss: {toss}"
            elif isinstance(table.ask, Play | Pick):
                for seat in table.ask.seats:
                    choices[seat] = decisions.choice(table, seat)
                    yield f"  seat {seat}: {_chosen(table, choices[seat])}"
            table = table.resolve(choices, toss)
        yield from _changes(before, table)
    yield f"winners: {' '.join(map(str, table.ask.winners))}"


def _changes(before: PlainTable, after: PlainTable) -> Iterator[str]:
    for seat, hand in enumerate(after.hands):
        if hand != before.hands[seat]:
            yield f"  hand {seat}: {_names(after, hand)}"
    points = after.game.standing(after.state).points
    if points != before.game.standing(before.state).points:
        yield "  standing: " + ", ".join(f"{seat} has {count}" for seat, count in points)


def _names(table: PlainTable, cards: Cards) -> str:
    return ", ".join(table.game.card(table.state, card) for card in cards) or NOTHING


def _option(option: Option) -> str:
    return " ".join(map(str, option)) or NOTHING


def _chosen(table: PlainTable, choice: Choice) -> str:
    side = "up" if choice.face_up else "down"
    return f"{_option(choice.option)} | {side} | {_names(table, choice.cards)}"


def _asked(table: PlainTable) -> str:
    ask: Ask = table.ask
    match ask:
        case Toss(sides):
            return f"toss of {sides}"
        case Deal(counts):
            return "deal " + ", ".join(f"{count} to {seat}" for seat, count in counts)
        case Play(seats, ways, together):
            told = [
                f"{way.count} {'up' if way.face_up else 'down'} at {'/'.join(map(_option, way.options))}"
                for way in ways
            ]
            return f"play{' together' if together else ''} by {_seats(seats)}: {' or '.join(told)}"
        case Pick(seats, options):
            return f"pick by {_seats(seats)}: {'/'.join(map(_option, options))}"
        case Give(cards):
            return "give " + ", ".join(f"{table.game.card(table.state, card)} to {seat}" for card, seat in cards)
        case Over():
            return "over"


def _seats(seats: Sequence[Seat]) -> str:
    return " ".join(map(str, seats))


class Replay:
    """The decisions of a recording. A step is a line at the margin with the indented lines below it."""

    def __init__(self, text: str) -> None:
        head: dict[str, str] = {}
        self.steps: deque[tuple[str, dict[str, str]]] = deque()
        for line in text.splitlines():
            key, _, rest = line.strip().partition(": ")
            if line.startswith(" "):
                self.steps[-1][1][key] = rest
            elif line.startswith(("game: ", "seats: ", "deck: ", "rule ", "stock: ")):
                head[key] = rest
            else:
                self.steps.append((line, {}))
        rules = {key.removeprefix("rule "): value for key, value in head.items() if key.startswith("rule ")}
        colours = {rule: tuple(value.split()) for rule, value in rules.items() if rule == "colours"}
        self.setting = Setting(head["game"], int(head["seats"]), head["deck"], {**rules, **colours})
        opening = self.setting.table()
        self.index = {opening.game.card(opening.state, card): card for card in opening.stock}
        self.stock = self._cards(head["stock"])
        self.answers: dict[str, str] = {}

    def _cards(self, text: str) -> Cards:
        return () if text == NOTHING else tuple(self.index[name] for name in text.split(", "))

    def order(self, table: PlainTable) -> Cards:
        return self.stock

    def departure(self, table: PlainTable) -> tuple[Seat, Cards] | None:
        line, self.answers = self.steps.popleft()
        if not line.startswith("gone "):
            return None
        seat, names = line.removeprefix("gone ").split(": ", 1)
        return int(seat), self._cards(names)

    def toss(self, sides: int) -> int:
        return int(self.answers["toss"])

    def choice(self, table: PlainTable, seat: Seat) -> Choice:
        option, side, names = self.answers[f"seat {seat}"].split(" | ")
        parts = () if option == NOTHING else tuple(int(p) if p.isdigit() else p for p in option.split(" "))
        return Choice(parts, self._cards(names), side == "up")
