"""A sensible Matryoshka player: it holds on to what scores, trades for what adds, and tempts with what costs
least.

It sees what a person at its seat sees. The worth of the cards it holds (hand, and its display unless taken
up) is their score plus a share of what each card still to be had would add.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations

from p2pmatryoshka.errors import Fault
from p2pmatryoshka.rules.chance import Chance
from p2pmatryoshka.rules.dolls import SIZES
from p2pmatryoshka.rules.game import AnyGame, Card, Cards, Choice, Pick, Play, Seat, View
from p2pmatryoshka.rules.matryoshka import MatryoshkaView
from p2pmatryoshka.rules.matryoshka_state import DISPLAYED, Phase
from p2pmatryoshka.rules.scoring import COLUMN, ROW, explain

FINAL = DISPLAYED[-1]  # cards in the last display
HOPE = (0.12, 0.10, 0.08, 0.05, 0.0)  # by round: how much of what a missing card would add is counted
BAIT = 0.1  # how much of what a card is worth to somebody else counts as a reason to open it
EAGER = 1.5  # points that make an offer twice as likely to be taken as one that adds nothing


class Holding:
    """Cards as rows (bits of the sizes) and columns (counts): what they score, and what a card would add or
    cost.
    """

    def __init__(self, cards: Iterable[Card], long_columns: str) -> None:
        self.rows = [0] * 10
        self.counts = [0] * SIZES
        self.table = COLUMN[long_columns]
        for card in cards:
            row, column = divmod(card, SIZES)
            self.rows[row] |= 1 << column
            self.counts[column] += 1

    def points(self) -> int:
        """The score of all these cards."""
        return sum([ROW[mask] for mask in self.rows]) + sum([self.table[count] for count in self.counts])

    def gain(self, card: Card) -> int:
        """What the score rises by with this card, which is not among them."""
        row, column = divmod(card, SIZES)
        mask, count = self.rows[row], self.counts[column]
        return ROW[mask | 1 << column] - ROW[mask] + self.table[count + 1] - self.table[count]

    def loss(self, card: Card) -> int:
        """What the score falls by without this card, which is among them."""
        row, column = divmod(card, SIZES)
        mask, count = self.rows[row], self.counts[column]
        return ROW[mask] - ROW[mask ^ 1 << column] + self.table[count] - self.table[count - 1]

    def worth(self, wanted: Iterable[Card], hope: float) -> float:
        """The score plus hope times what each wanted card would add."""
        return self.points() + (hope * sum([self.gain(card) for card in wanted]) if hope else 0.0)


class MatryoshkaGreedy:
    """See the module. It draws no random number: the same view gives the same choice."""

    def choose(self, game: AnyGame, view: View, moves: Iterable[Choice], random: Chance) -> Choice:
        """One of the moves. Raises Fault if the view is not Matryoshka's or nothing is asked of its seat."""
        if not isinstance(view, MatryoshkaView) or view.seat is None:
            raise Fault("this bot plays Matryoshka, and from a seat")
        thoughts = Thoughts(view, view.seat)
        if isinstance(view.ask, Pick):
            return Choice(("take", thoughts.pick()))
        if not isinstance(view.ask, Play):
            raise Fault("nothing is asked")
        if view.phase is Phase.OPEN:
            return Choice((), (thoughts.open(),))
        if view.phase is Phase.OFFER:
            return Choice((), (thoughts.offer(),))
        return Choice((), thoughts.display(view.ask.ways[0].count))


class Thoughts:
    """One decision, seen from one seat."""

    def __init__(self, view: MatryoshkaView, seat: Seat) -> None:
        self.view = view
        self.seat = seat
        self.rule = view.long_columns
        display = () if view.taken_up else view.displays[seat]
        self.held = (*view.hand, *display)
        self.hope = HOPE[view.round]
        rows = ["ABCDEFGHIJ".index(colour) for colour in view.colours]
        shown = {card for cards in view.displays for card in cards} if not view.taken_up else set()
        out = shown.union(self.held)
        self.wanted = [row * SIZES + i for row in rows for i in range(SIZES) if row * SIZES + i not in out]
        self.others = {other: Holding(view.displays[other], self.rule) for other in view.still_in if other != seat}

    def worth(self, cards: Cards) -> float:
        """What holding these cards is worth. Of more than the last display takes, the least is dropped."""
        holding = Holding(cards, self.rule)
        if len(cards) > FINAL:
            return holding.points() - min([holding.loss(card) for card in cards])
        return holding.worth(self.wanted, self.hope)

    def swapped(self, card: Card, other: Card) -> float:
        """What holding is worth with `other` in the place of `card`."""
        return self.worth(tuple([other if held == card else held for held in self.held]))

    def pick(self) -> Seat:
        """Whose offer to take: the one that adds most to what is left after opening."""
        return max(self.view.offers, key=lambda offer: (self.worth((*self.held, offer[1])), -offer[0]))[0]

    def open(self) -> Card:
        """The card to turn up: it costs little and is worth something to one of the others."""

        def appeal(card: Card) -> float:
            kept = self.worth(tuple([held for held in self.held if held != card]))
            return kept + BAIT * max([other.gain(card) for other in self.others.values()], default=0)

        return max(self.view.hand, key=appeal)

    def offer(self) -> Card:
        """The card to offer: the most gained if it is taken, weighed by how likely that is."""
        opened, active = self.view.opened, self.view.active
        if opened is None or active is None:
            raise Fault("no card is open to offer for")
        now = self.worth(self.held)

        def promise(card: Card) -> float:
            gained = self.swapped(card, opened) - now
            return gained * (1 + self.others[active].gain(card) / EAGER)

        return max(self.view.hand, key=promise)

    def display(self, count: int) -> Cards:
        """The cards to show, found by trying all choices: the best display or, before the last, the
        worthiest.
        """
        if count == FINAL:
            best = max(combinations(self.view.hand, count), key=self._result)
        else:
            best = max(combinations(self.view.hand, count), key=self.worth)
        return tuple(sorted(best))

    def _result(self, cards: Cards) -> tuple[int, tuple[int, ...]]:
        """What decides the game: points, then the lengths of the runs."""
        sheet = explain(cards, self.rule)
        return sheet.total, sheet.lengths
