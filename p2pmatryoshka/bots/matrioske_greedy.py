"""A sensible Matrioske player: it captures, opens little to those who come next, and covers what is useless.

It sees what a person at its seat sees, and counts the cards that it has seen nowhere yet.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from p2pmatryoshka.errors import Fault
from p2pmatryoshka.rules.chance import Chance
from p2pmatryoshka.rules.deck import CARDS, Deck
from p2pmatryoshka.rules.game import AnyGame, Card, Cards, Choice, Option, Pick, Play, Seat, View
from p2pmatryoshka.rules.matrioske import MatrioskeView
from p2pmatryoshka.rules.matrioske_state import ACCEPT, REFUSE, Claim, Phase

Openings = dict[int, int]  # cards captured -> the set of cards (a bit mask) that would capture them


@dataclass(frozen=True, slots=True)
class Weights:
    """How much counts, in cards captured by me."""

    threat: float = 0.7  # a card that the others are expected to capture before my next turn
    hope: float = 0.8  # a card that I could capture in my next turn, if the place is still there
    thrift: float = 0.7  # keeping the most useful card in the deck rather than a useless one


class MatrioskeGreedy:
    """See the module. It claims nothing itself, and draws no random number: like view, like choice."""

    def __init__(self, weights: Weights | None = None) -> None:
        self.weights = weights or Weights()

    def choose(self, game: AnyGame, view: View, moves: Iterable[Choice], random: Chance) -> Choice:
        """One of the moves. Raises Fault if the view is not Matrioske's or nothing is asked of its seat."""
        if not isinstance(view, MatrioskeView) or view.seat is None:
            raise Fault("this bot plays Matrioske, and from a seat")
        if isinstance(view.ask, Pick) and view.claim is not None:
            return Choice(ACCEPT if plausible(view.deck, view.claim) else REFUSE)
        if not isinstance(view.ask, Play) or view.phase is not Phase.TURN:
            raise Fault("nothing is asked")
        thoughts = Thoughts(view, view.seat, self.weights)
        return max(thoughts.choices(), key=thoughts.worth)


def plausible(deck: Deck, claim: Claim) -> bool:
    """Whether a claim goes from larger to smaller. What holds more things counts as larger."""
    pile = [claim.spot.lower, claim.card]
    if claim.spot.upper is not None:
        pile.append(claim.spot.upper)
    holds = [deck.held[card].bit_count() for card in pile]
    contrary = any(deck.holds(inner, outer) for outer, inner in pairwise(pile))
    return not contrary and holds == sorted(holds, reverse=True)


class Thoughts:
    """One decision, seen from one seat."""

    def __init__(self, view: MatrioskeView, seat: Seat, weights: Weights) -> None:
        self.view = view
        self.deck = view.deck
        self.weights = weights
        self.unseen = self._unseen()
        self.others = _clockwise_after(seat, view)
        self.openings = [self._openings(pile) for pile in view.piles]
        uses = [self.deck.held[card].bit_count() * self.deck.holders[card].bit_count() for card in range(CARDS)]
        self.use = [use / (max(uses) or 1) for use in uses]

    def choices(self) -> Iterator[Choice]:
        """Every placement that the deck lists, then covering each card."""
        for card, options in self.view.places:
            yield from (Choice(option, (card,)) for option in options)
            yield Choice((), (card,), face_up=False)

    def worth(self, choice: Choice) -> float:
        """What the choice brings at once, less what it lets the others do, plus what it leaves me to do."""
        card = choice.cards[0]
        rest = sum(1 << other for other in self.view.hand if other != card)
        stake = self.view.at_stake
        gained = 0
        openings = self.openings
        if not choice.face_up:
            first = self.view.covered_cards == "first_capture" and any(self.view.captured)
            stake += not first
        else:
            n, pile, captured = self._after(card, choice.option)
            openings = [*openings[:n], self._openings(pile), *openings[n + 1 :]]
            if captured:
                gained = captured + stake
                stake = 0
        merged = _merged(openings)
        threat = sum(self._expected(merged, stake, hand) for hand in self.others)
        hope = next((value + stake for value in sorted(merged, reverse=True) if merged[value] & rest), 0)
        return gained - self.weights.threat * threat + self.weights.hope * hope - self.weights.thrift * self.use[card]

    def _after(self, card: Card, option: Option) -> tuple[int, Cards, int]:
        """The pile's number, the pile after placing the card there, and how many cards that captures."""
        n = int(option[1])
        pile = self.view.piles[n]
        position = len(pile) if option[0] == "top" else int(option[2])
        return n, (*pile[:position], card), len(pile) - position

    def _openings(self, pile: Cards) -> Openings:
        return {
            len(pile) - position: self.deck.held[pile[position - 1]] & self.deck.holders[pile[position]]
            for position in range(1, len(pile))
        }

    def _expected(self, openings: Openings, stake: int, hand: int) -> float:
        """The cards that a player with so many cards, all unseen ones equally likely, captures on average."""
        unseen = self.unseen
        missing = 1 - min(1.0, hand / max(1, unseen.bit_count()))  # the chance that it lacks a given card
        lacks_all = 1.0
        expected = 0.0
        for value in sorted(openings, reverse=True):
            lacks = lacks_all * missing ** (openings[value] & unseen).bit_count()
            expected += (lacks_all - lacks) * (value + stake)
            lacks_all = lacks
            unseen &= ~openings[value]
        return expected

    def _unseen(self) -> int:
        """The cards that I have seen nowhere: in other hands, covered, or out of the game with somebody."""
        unseen = (1 << CARDS) - 1
        for cards in (*self.view.piles, *self.view.captured, self.view.left, self.view.hand):
            for card in cards:
                unseen &= ~(1 << card)
        return unseen


def _clockwise_after(seat: Seat, view: MatrioskeView) -> tuple[int, ...]:
    """How many cards each of the others holds, the next to play first."""
    turns = [(seat + step) % view.seats for step in range(1, view.seats)]
    return tuple(view.hands[other] for other in turns if other in view.still_in)


def _merged(openings: Sequence[Openings]) -> Openings:
    merged: Openings = {}
    for one in openings:
        for value, cards in one.items():
            merged[value] = merged.get(value, 0) | cards
    return merged
