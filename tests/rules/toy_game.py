"""A game of one round: three cards each, then a joint play (one card up, or two down for good), then a swap."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations

from p2pmatryoshka.rules.game import (
    Answer,
    Answers,
    Ask,
    Card,
    Cards,
    Choice,
    Deal,
    Give,
    Over,
    Play,
    Rules,
    Seat,
    Value,
    View,
    Way,
    check_asked,
)

WAYS = (Way(1, True, (("here",),)), Way(2, False, (("there",),)))


@dataclass(frozen=True)
class State:
    turn: int = 0
    up: tuple[tuple[Card, Seat], ...] = ()
    gone: tuple[Seat, ...] = ()


class Toy:
    name = "toy"
    seatings: tuple[int, ...] = (2,)
    fewest = 1

    def rules(self, seats: int, chosen: Rules) -> dict[str, Value]:
        return {}

    def start(self, rules: Rules, deck: bytes, seats: int) -> State:
        return State()

    def stock(self, s: State) -> Cards:
        return tuple(range(8))

    def ask(self, s: State) -> Ask:
        seats = tuple(seat for seat in (0, 1) if seat not in s.gone)
        asks: tuple[Ask, ...] = (
            Deal(tuple((seat, 3) for seat in seats)),
            Play(seats, WAYS, together=True),
            Give(s.up),
            self.standing(s),
        )
        return asks[s.turn]

    def check(self, s: State, seat: Seat, answer: Answer) -> None:
        check_asked(self.ask(s), seat, answer)

    def apply(self, s: State, answers: Answers, toss: int | None = None) -> State:
        up = tuple((card, 1 - seat) for seat, answer in answers for card in answer.cards)
        return replace(s, turn=s.turn + 1, up=up)

    def gone(self, s: State, seat: Seat) -> State:
        return replace(s, gone=(*s.gone, seat), up=tuple((card, to) for card, to in s.up if to == seat))

    def standing(self, s: State) -> Over:
        return Over(((0, 0), (1, 0)), (0, 1))

    def moves(self, s: State, seat: Seat, hand: Cards) -> Iterator[Choice]:
        yield from (Choice(("here",), (card,)) for card in hand)
        yield from (Choice(("there",), pair, face_up=False) for pair in combinations(hand, 2))

    def view(self, s: State, seat: Seat | None, hand: Cards) -> View:
        return View(self.name, seat, 2, (0, 1), self.ask(s), hand)

    def card(self, s: State, card: Card) -> str:
        return str(card)


TOY = Toy()
