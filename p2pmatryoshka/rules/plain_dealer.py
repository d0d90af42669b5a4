"""A trusted shuffler: plays any game in one process. For simulation, for tests, and to compare dealers by.

It knows which card is where and nothing of the game's rules: it checks that cards played are in the hand, and
moves them as the game asks.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from p2pmatryoshka.errors import Fault, Illegal
from p2pmatryoshka.rules.chance import Chance
from p2pmatryoshka.rules.game import (
    AnyGame,
    Ask,
    Cards,
    Choice,
    Deal,
    Give,
    Over,
    Pick,
    Play,
    Rules,
    Seat,
    Toss,
    View,
    public,
)

Question = Play | Pick  # what seats answer


class Player(Protocol):
    """Whoever decides for a seat. It sees that seat's view and nothing else."""

    def choose(self, game: AnyGame, view: View, moves: Iterable[Choice], random: Chance) -> Choice:
        """One of the moves (an iterable read once, possibly long: read it only if you must)."""


@dataclass(frozen=True, slots=True)
class PlainTable:
    """A game under way, with full knowledge.

    stock: next card first. hands: by seat, ascending. lying: cards once turned up and in no hand now,
    ascending, those out of the game included. covered: by seat, cards left face-down for good, ascending.
    """

    game: AnyGame
    state: Any
    stock: Cards
    hands: tuple[Cards, ...]
    lying: Cards
    covered: tuple[Cards, ...]

    @classmethod
    def start(cls, game: AnyGame, rules: Rules, deck: bytes, seats: int, order: Cards) -> PlainTable:
        """The opening table. order: the shuffled stock, next card first. Raises Illegal ("stock" for a wrong
        one).
        """
        state = game.start(rules, deck, seats)
        if tuple(sorted(order)) != game.stock(state):
            raise Illegal("stock", "the order holds each card of the stock exactly once")
        nothing: tuple[Cards, ...] = ((),) * seats
        return cls(game, state, tuple(order), nothing, (), nothing)

    @property
    def ask(self) -> Ask:
        """What the game asks now."""
        ask: Ask = self.game.ask(self.state)
        return ask

    def hand(self, seat: Seat) -> Cards:
        """The cards in that seat's hand, ascending."""
        return self.hands[seat]

    def view(self, seat: Seat | None) -> View:
        """What that seat, or a watcher, sees."""
        return self.game.view(self.state, seat, () if seat is None else self.hands[seat])

    def moves(self, seat: Seat) -> Iterator[Choice]:
        """Every legal choice of that seat; none if it is not asked."""
        return self.game.moves(self.state, seat, self.hands[seat])

    def resolve(self, choices: Mapping[Seat, Choice] | None = None, toss: int | None = None) -> PlainTable:
        """Play one ask. choices: one for each asked seat of a Play or Pick. toss: for a Toss, in [0, sides).

        Raises Illegal, with nothing changed: "turn" for seats not asked or missing, "toss", "hand" for cards
        not held, "over", and whatever the game's check refuses.
        """
        ask = self.ask
        choices = choices or {}
        if isinstance(ask, Over):
            raise Illegal("over", "the game is over")
        asked = ask.seats if isinstance(ask, Question) else ()
        if len(choices) != len(asked) or not all(seat in choices for seat in asked):
            raise Illegal("turn", f"seats {asked} are asked, seats {tuple(choices)} answered")
        if isinstance(ask, Toss):
            if toss is None or not 0 <= toss < ask.sides:
                raise Illegal("toss", f"{toss} is not a toss in [0, {ask.sides})")
        elif toss is not None:
            raise Illegal("toss", "no toss is asked")
        if isinstance(ask, Deal):
            return self._deal(ask)
        if isinstance(ask, Give):
            return self._give(ask)
        return self._play(asked, choices, toss)

    def gone(self, seat: Seat, order: Cards | None) -> PlainTable:
        """That seat is gone: its hand and covered cards go back into the stock.

        order: the rebuilt stock, shuffled; None if it is not rebuilt yet (then those cards lie last, and
        `restock` is due before the next deal). Raises Illegal("stock").
        """
        if isinstance(self.ask, Over):
            return self
        back = replace(
            self,
            state=self.game.gone(self.state, seat),
            stock=(*self.stock, *self.hands[seat], *self.covered[seat]),
            hands=(*self.hands[:seat], (), *self.hands[seat + 1 :]),
            covered=(*self.covered[:seat], (), *self.covered[seat + 1 :]),
        )
        return back if order is None else back.restock(order)

    def restock(self, order: Cards) -> PlainTable:
        """The same stock in another order, next card first. Raises Illegal("stock")."""
        if sorted(order) != sorted(self.stock):
            raise Illegal("stock", "the order holds each card of the stock exactly once")
        return replace(self, stock=tuple(order))

    def check_conserved(self) -> None:
        """Raise Fault unless every card of the opening stock is in exactly one place."""
        everywhere = [*self.stock, *self.lying]
        for cards in (*self.hands, *self.covered):
            everywhere += cards
        if tuple(sorted(everywhere)) != self.game.stock(self.state):
            raise Fault(f"cards were lost or doubled: {sorted(everywhere)}")

    def _deal(self, ask: Deal) -> PlainTable:
        hands = list(self.hands)
        next_card = 0
        for seat, count in ask.counts:
            hands[seat] = tuple(sorted(hands[seat] + self.stock[next_card : next_card + count]))
            next_card += count
        if next_card > len(self.stock):
            raise Fault(f"{next_card} cards are to be dealt, the stock holds {len(self.stock)}")
        state = self.game.apply(self.state, ())
        return PlainTable(self.game, state, self.stock[next_card:], tuple(hands), self.lying, self.covered)

    def _give(self, ask: Give) -> PlainTable:
        given = {card for card, _ in ask.cards}
        if len(given) != len(ask.cards) or not given.issubset(self.lying):
            raise Fault("a card is given that does not lie open")
        hands = list(self.hands)
        for card, seat in ask.cards:
            hands[seat] += (card,)
        full = tuple([tuple(sorted(hand)) for hand in hands])
        lying = tuple([card for card in self.lying if card not in given])
        return PlainTable(self.game, self.game.apply(self.state, ()), self.stock, full, lying, self.covered)

    def _play(self, asked: Sequence[Seat], choices: Mapping[Seat, Choice], toss: int | None) -> PlainTable:
        answers = []
        hands, lying, covered = list(self.hands), list(self.lying), list(self.covered)
        for seat in sorted(asked):
            choice = choices[seat]
            answer = public(choice)
            self.game.check(self.state, seat, answer)
            answers.append((seat, answer))
            if choice.cards:
                left = tuple([card for card in hands[seat] if card not in choice.cards])
                if len(left) + len(choice.cards) != len(hands[seat]):
                    raise Illegal("hand", f"seat {seat} does not hold {choice.cards}, each once")
                hands[seat] = left
                if choice.face_up:
                    lying += choice.cards
                else:
                    covered[seat] = tuple(sorted(covered[seat] + choice.cards))
        state = self.game.apply(self.state, tuple(answers), toss)
        lying.sort()
        return PlainTable(self.game, state, self.stock, tuple(hands), tuple(lying), tuple(covered))


def shuffled(cards: Cards, random: Chance) -> Cards:
    """The cards in random order."""
    order = list(cards)
    random.shuffle(order)
    return tuple(order)


def step(table: PlainTable, players: Sequence[Player], random: Chance) -> PlainTable:
    """One ask, answered by the players. players: by seat."""
    ask = table.ask
    if isinstance(ask, Toss):
        return table.resolve(toss=random.randrange(ask.sides))
    if not isinstance(ask, Question):
        return table.resolve()
    game = table.game
    return table.resolve(
        {seat: players[seat].choose(game, table.view(seat), table.moves(seat), random) for seat in ask.seats}
    )


def play_out(
    game: AnyGame, rules: Rules, deck: bytes, seats: int, players: Sequence[Player], random: Chance
) -> PlainTable:
    """A whole game. Returns the finished table, whose ask is the result."""
    stock = game.stock(game.start(rules, deck, seats))
    table = PlainTable.start(game, rules, deck, seats, shuffled(stock, random))
    while not isinstance(table.ask, Over):
        table = step(table, players, random)
    return table
