"""What a watcher of Matryoshka knows at a moment, and what follows from it: what is asked, and the
standing.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import Final

from p2pmatryoshka.rules import scoring
from p2pmatryoshka.rules.game import Ask, Card, Cards, Deal, Give, Over, Pick, Play, Seat, Seats, Toss, Way

ROUNDS: Final = 4
DISPLAYED: Final = (2, 4, 6, 8, 13)  # cards in the display of the setup and of rounds 1 to 4
DEALT: Final = (6, 2, 2, 2, 2)  # cards dealt to each seat in the setup and in rounds 1 to 4
_DISPLAY = tuple((Way(count, True),) for count in DISPLAYED)
_ONE_CARD = (Way(1, True),)


class Phase(StrEnum):
    """Where the game stands: each value is what happens next."""

    TOSS = "toss"  # for the starting player
    DEAL = "deal"  # the first six cards each
    OPENING = "opening"  # everybody displays two
    DRAW = "draw"  # two cards each are dealt
    OPEN = "open"  # the active player turns up the card to be traded
    OFFER = "offer"  # the others offer one card each
    PICK = "pick"  # the active player takes an offer
    SETTLE = "settle"  # the trade is carried out, the other offers go back
    TAKE_UP = "take_up"  # displays go back into the hands
    DISPLAY = "display"  # everybody chooses a new display
    OVER = "over"


@dataclass(frozen=True, slots=True)
class Trade:
    """A trade carried out: in that round the active seat gave `opened` for the offer of the seat `taken`."""

    round: int
    active: Seat
    opened: Card
    offers: tuple[tuple[Seat, Card], ...]  # all that lay open, in ascending order of seat
    taken: Seat


@dataclass(frozen=True)  # not slotted: what follows from a state is kept once it was asked for
class State:
    """Hands and stock are counts. While Phase.DISPLAY lasts, the cards of `displays` are in the hands."""

    seats: int
    colours: tuple[str, ...]
    long_columns: str
    phase: Phase
    round: int  # 0 in the setup, then 1 to 4
    hands: tuple[int, ...]  # cards in each seat's hand
    stock: int  # cards still to be dealt
    displays: tuple[Cards, ...]  # by seat, as last shown
    starter: Seat | None = None
    active: Seat | None = None
    waiting: Seats = ()  # to be active later in this round, in order
    opened: Card | None = None
    offers: tuple[tuple[Seat, Card], ...] = ()  # opened ones, in ascending order of seat
    taken: Seat | None = None  # whose offer was taken
    trades: tuple[Trade, ...] = ()
    gone: Seats = ()

    @cached_property
    def still_in(self) -> Seats:
        """The seats not gone, ascending."""
        return tuple(seat for seat in range(self.seats) if seat not in self.gone)

    def clockwise(self, first: Seat | None) -> Seats:
        """The seats still in, clockwise, beginning with `first` or the next after it."""
        turn = (first or 0) % self.seats
        return tuple(seat for seat in (*range(turn, self.seats), *range(turn)) if seat not in self.gone)

    @property
    def sheets(self) -> tuple[scoring.ScoreSheet, ...]:
        """The score sheet of every display as last shown, by seat."""
        return scoring.explain_all(self.displays, self.long_columns)

    @cached_property
    def outcome(self) -> scoring.Outcome:
        """Who wins, and why, if these displays are what counts. Whoever is gone cannot win."""
        sheets = self.sheets
        return scoring.outcome({seat: sheets[seat] for seat in self.still_in})

    @property
    def standing(self) -> Over:
        """The points of the displays as last shown; whoever is gone has none."""
        points = tuple((seat, sheet.total) for seat, sheet in enumerate(self.sheets))
        return Over(points, self.outcome.winners)

    @cached_property
    def ask(self) -> Ask:
        """What is asked now."""
        acting = () if self.active is None else (self.active,)
        match self.phase:
            case Phase.TOSS:
                return Toss(len(self.still_in))
            case Phase.DEAL | Phase.DRAW:
                return Deal(tuple((seat, DEALT[self.round]) for seat in self.clockwise(self.starter)))
            case Phase.OPENING | Phase.DISPLAY:
                return Play(self.still_in, _DISPLAY[self.round], together=True)
            case Phase.OPEN:
                return Play(acting, _ONE_CARD, together=False)
            case Phase.OFFER:
                return Play(tuple(seat for seat in self.still_in if seat not in acting), _ONE_CARD, together=True)
            case Phase.PICK:
                return Pick(acting, tuple(("take", seat) for seat, _ in self.offers))
            case Phase.SETTLE:
                return Give(self._settlement())
            case Phase.TAKE_UP:
                return Give(tuple((card, seat) for seat in self.still_in for card in self.displays[seat]))
            case Phase.OVER:
                return self.standing

    def _settlement(self) -> tuple[tuple[Card, Seat], ...]:
        """Who gets which card lying open: the trade if an offer was taken, every other offer to its owner."""
        cards: list[tuple[Card, Seat]] = []
        for seat, card in self.offers:
            if seat == self.taken and self.active is not None and self.opened is not None:
                cards += ((card, self.active), (self.opened, seat))
            else:
                cards.append((card, seat))
        return tuple(cards)
