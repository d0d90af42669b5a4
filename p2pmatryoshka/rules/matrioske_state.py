"""What a watcher of Matrioske knows at a moment, and what follows from it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property, lru_cache
from typing import Final, TypeVar

from p2pmatryoshka.rules.deck import Deck
from p2pmatryoshka.rules.game import (
    Ask,
    Card,
    Cards,
    Deal,
    Give,
    Option,
    Over,
    Pick,
    Play,
    Seat,
    Seats,
    Toss,
    Way,
)

T = TypeVar("T")

SEATS: Final = 4
HAND: Final = 10  # cards dealt to each seat
ACCEPT: Final[Option] = ("accept",)
REFUSE: Final[Option] = ("refuse",)
COVER: Final = Way(1, face_up=False)


class Phase(StrEnum):
    """Where the game stands: each value is what happens next."""

    TOSS = "toss"  # for the starting player
    DEAL = "deal"  # ten cards each
    TURN = "turn"  # the seat whose turn it is plays or covers a card
    JUDGE = "judge"  # the others accept or refuse a claim
    RETURN = "return"  # a refused card goes back to its owner
    OVER = "over"


@dataclass(frozen=True, slots=True)
class Spot:
    """A place on the table, between the cards `lower` and `upper`; upper is None on top of a pile.

    position: how many cards of the pile lie below it; those from there on are captured.
    """

    pile: int
    position: int
    lower: Card
    upper: Card | None

    @property
    def option(self) -> Option:
        """How an answer names it: ("top", pile) or ("between", pile, position)."""
        return ("top", self.pile) if self.upper is None else ("between", self.pile, self.position)

    def listed(self, deck: Deck, card: Card) -> bool:
        """Whether the deck's words allow that card here."""
        return deck.holds(self.lower, card) and (self.upper is None or deck.holds(card, self.upper))


@lru_cache(maxsize=1024)
def _pile_spots(n: int, pile: Cards) -> tuple[tuple[Option, Spot], ...]:
    """The places on one pile with their options: the top first. Kept, as a turn changes one pile of eight."""
    between = [Spot(n, position, pile[position - 1], pile[position]) for position in range(1, len(pile))]
    return tuple((spot.option, spot) for spot in (Spot(n, len(pile), pile[-1], None), *between))


@dataclass(frozen=True, slots=True)
class Claim:
    """A card turned up at a place that the deck does not list for it."""

    seat: Seat
    card: Card
    spot: Spot


@dataclass(frozen=True)  # not slotted: what follows from a state is kept once it was asked for
class State:
    """Hands and covered cards are counts, by seat; piles and captured cards stand in the order they came."""

    deck: Deck
    covered_cards: str
    judge: str
    phase: Phase
    piles: tuple[Cards, ...]  # bottom first
    still_in: Seats = tuple(range(SEATS))
    hands: tuple[int, ...] = (0,) * SEATS
    captured: tuple[Cards, ...] = ((),) * SEATS
    won: tuple[int, ...] = (0,) * SEATS  # covered cards taken along with captures
    covered: tuple[int, ...] = (0,) * SEATS  # cards each seat covered that still lie in the middle
    shown: tuple[Cards, ...] = ((),) * SEATS  # cards each seat took back after a refused claim, not turned up since
    left: Cards = ()  # cards turned up that left the game with their owner
    starter: Seat | None = None
    turn: Seat | None = None
    claim: Claim | None = None
    barred: bool = False  # a claim was refused in this turn

    @property
    def at_stake(self) -> int:
        """How many covered cards the next capture takes along."""
        taken = self.covered_cards == "first_capture" and any(self.captured)
        return 0 if taken else sum(self.covered)

    @cached_property
    def spots(self) -> dict[Option, Spot]:
        """Every place where a card may lie, by its option: on each pile, then between any two cards."""
        piles = [_pile_spots(n, pile) for n, pile in enumerate(self.piles)]
        return dict([spots[0] for spots in piles] + [spot for spots in piles for spot in spots[1:]])

    @cached_property
    def ask(self) -> Ask:
        """What is asked now."""
        turn = -1 if self.turn is None else self.turn
        match self.phase:
            case Phase.TOSS:
                return Toss(len(self.still_in))
            case Phase.DEAL:
                return Deal(tuple((seat, HAND) for seat in self.still_in))
            case Phase.TURN:
                options = tuple(self.spots)
                if self.judge == "table" and not self.barred:
                    options += tuple(("claim", *option) for option in options)
                return Play((turn,), (Way(1, True, options), COVER), together=False)
            case Phase.JUDGE:
                return Pick(tuple(seat for seat in self.still_in if seat != turn), (ACCEPT, REFUSE))
            case Phase.RETURN:
                return Give(() if self.claim is None else ((self.claim.card, self.claim.seat),))
            case Phase.OVER:
                return self.standing

    @property
    def points(self) -> tuple[int, ...]:
        """Captured cards by seat, the covered ones taken along included."""
        return tuple(len(cards) + won for cards, won in zip(self.captured, self.won, strict=True))

    @cached_property
    def standing(self) -> Over:
        """The captured cards; whoever is gone keeps them but cannot win."""
        points = self.points
        most = max((points[seat] for seat in self.still_in), default=0)
        winners = tuple(seat for seat in self.still_in if points[seat] == most)
        return Over(tuple(enumerate(points)), winners)

    def listed(self, card: Card) -> dict[Option, None]:
        """The options for a card that the deck's words allow, in order."""
        holders, held = self.deck.holders[card], self.deck.held[card]
        return {
            option: None
            for option, spot in self.spots.items()
            if holders >> spot.lower & 1 and (spot.upper is None or held >> spot.upper & 1)
        }

    def spot(self, option: Option) -> tuple[Spot, bool]:
        """The place that an option names, and whether it is claimed."""
        claimed = option[:1] == ("claim",)
        return self.spots[option[1:] if claimed else option], claimed

    def next_turn(self) -> State:
        """The turn goes clockwise to the next seat still in that holds cards; with none, the game is over."""
        last = -1 if self.turn is None else self.turn
        return self._turn_from(last + 1)

    def first_turn(self) -> State:
        """The starting player's turn, or the next one's still in."""
        return self._turn_from(self.starter or 0)

    def _turn_from(self, first: Seat) -> State:
        for seat in ((first + step) % SEATS for step in range(SEATS)):
            if self.hands[seat]:  # of a seat that is gone it is empty
                return replace(self, phase=Phase.TURN, turn=seat, claim=None, barred=False)
        return self.over()

    def over(self) -> State:
        """The end. A claim still open is void, and its card leaves the game."""
        left = self.left if self.claim is None else (*self.left, self.claim.card)
        return replace(self, phase=Phase.OVER, turn=None, claim=None, barred=False, left=left)


def with_value(values: tuple[T, ...], seat: Seat, value: T) -> tuple[T, ...]:
    """The values with that seat's replaced."""
    return (*values[:seat], value, *values[seat + 1 :])
