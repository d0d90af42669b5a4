"""The contract between a game and the table: what is asked, what is answered, and nothing else.

A game is a pure value. Its state S holds what a watcher may know: hands, stock and covered cards are counts, so the
same engine runs with full knowledge and with one peer's knowledge. Whether a card really was in a hand is the
dealer's business, never the game's. A game knows no clock, network, key or random source.

A driver repeats: ask(s); satisfy what is asked; apply(s, ...). Five verbs are enough (toss, deal, play, pick, give).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from p2pmatryoshka.errors import Illegal

Card = int  # the index of a card in its deck, 0-based
Seat = int  # a place at the table, 0-based; "left" is (seat + 1) modulo the number of seats
Cards = tuple[Card, ...]
Seats = tuple[Seat, ...]
Option = tuple[str | int, ...]  # ("claim", 3, 2); () where there is nothing to choose
Value = str | int | bool | tuple[str, ...]  # of a house rule
Rules = Mapping[str, Value]


@dataclass(frozen=True, slots=True)
class Toss:
    """A joint coin nobody can steer: a number in [0, sides)."""

    sides: int


@dataclass(frozen=True, slots=True)
class Deal:
    """So many cards from the stock to each seat, in this order, seen by that seat alone."""

    counts: tuple[tuple[Seat, int], ...]


@dataclass(frozen=True, slots=True)
class Way:
    """One way to play: how many cards, turned up or left face-down for good, and the places they may go."""

    count: int
    face_up: bool
    options: tuple[Option, ...] = ((),)


@dataclass(frozen=True, slots=True)
class Play:
    """Each seat takes cards out of its hand in one of the ways. together: laid face-down, then turned up at once."""

    seats: Seats
    ways: tuple[Way, ...]
    together: bool


@dataclass(frozen=True, slots=True)
class Pick:
    """An open choice by each seat among the options."""

    seats: Seats
    options: tuple[Option, ...]


@dataclass(frozen=True, slots=True)
class Give:
    """An effect: cards known to all and lying open enter hands. Nobody owes anything."""

    cards: tuple[tuple[Card, Seat], ...]


@dataclass(frozen=True, slots=True)
class Over:
    """The end, or the standing if the game must stop now: points of every seat ever seated, and who wins."""

    points: tuple[tuple[Seat, int], ...]
    winners: Seats


Ask = Toss | Deal | Play | Pick | Give | Over


@dataclass(frozen=True, slots=True)
class Choice:
    """Private: what a player means to do. The cards are named even where they stay face-down."""

    option: Option = ()
    cards: Cards = ()
    face_up: bool = True  # tells two ways of one play apart; True for a Pick


@dataclass(frozen=True, slots=True)
class Answer:
    """Public: what everybody learns of a Play or a Pick. cards are those turned up, ascending; hidden is how many
    were left face-down (a play is one or the other, never a mixture)."""

    option: Option = ()
    cards: Cards = ()
    hidden: int = 0


Answers = tuple[tuple[Seat, Answer], ...]  # in ascending order of seat


@dataclass(frozen=True, slots=True)
class View:
    """What one seat (or a watcher: seat None) may see, for screens and bots alike. Games extend it."""

    game: str
    seat: Seat | None
    seats: int
    still_in: Seats
    ask: Ask
    hand: Cards


S = TypeVar("S")


class Game(Protocol[S]):
    """A pure game. Every method is a function of its arguments; states are frozen and hashable values."""

    name: str
    seatings: tuple[int, ...]  # how many may sit down
    fewest: int  # with fewer left the game ends with the standing

    def rules(self, seats: int, chosen: Rules) -> dict[str, Value]:
        """All house rules in force, defaults filled in, keys sorted. Raises Illegal("rules....") naming the rule."""

    def start(self, rules: Rules, deck: bytes, seats: int) -> S:
        """The opening state. deck is the deck file's content, b"" where the game needs none. Raises Illegal."""

    def stock(self, s: S) -> Cards:
        """The cards shuffled at the start, ascending (a function of the opening state; the same at any later one)."""

    def ask(self, s: S) -> Ask: ...

    def check(self, s: S, seat: Seat, answer: Answer) -> None:
        """Raise Illegal(code) unless this answer of this seat to ask(s) is allowed: one seat, one culprit."""

    def apply(self, s: S, answers: Answers, toss: int | None = None) -> S:
        """The next state. answers: one for each asked seat of a Play or Pick, else empty; toss: for a Toss."""

    def gone(self, s: S, seat: Seat) -> S:
        """That seat is gone for good: its display and a card of its lying open leave the game, its hand goes unseen
        back into the stock, its turns are skipped. Allowed at every moment; with fewer than `fewest` left, ask is
        Over."""

    def standing(self, s: S) -> Over:
        """What would be counted if play stopped now; at the end, the result."""

    def moves(self, s: S, seat: Seat, hand: Cards) -> Iterator[Choice]:
        """Every legal choice of an asked seat that holds this hand, each once, in a fixed order."""

    def view(self, s: S, seat: Seat | None, hand: Cards) -> View: ...

    def card(self, s: S, card: Card) -> str:
        """A card's name, for people: short, readable without colour."""


AnyGame = Game[Any]


def way(ask: Play, answer: Answer) -> Way:
    """The way of the play that this answer takes. Raises Illegal: the shared half of every game's `check`."""
    if answer.hidden < 0 or (answer.cards and answer.hidden):
        raise Illegal("play.mixed", "cards are turned up or left face-down, not both")
    if tuple(sorted(set(answer.cards))) != answer.cards:
        raise Illegal("play.order", "opened cards stand in ascending order, each once")
    for candidate in ask.ways:
        fits = len(answer.cards) if candidate.face_up else answer.hidden
        other = answer.hidden if candidate.face_up else len(answer.cards)
        if fits == candidate.count and other == 0 and answer.option in candidate.options:
            return candidate
    raise Illegal("play.way", f"no way to play {len(answer.cards)} up and {answer.hidden} down at {answer.option!r}")


def check_asked(ask: Ask, seat: Seat, answer: Answer) -> None:
    """Raise Illegal unless the seat is asked and the answer has one of the shapes asked for."""
    if not isinstance(ask, Play | Pick) or seat not in ask.seats:
        raise Illegal("turn", f"seat {seat} is asked nothing now")
    if isinstance(ask, Play):
        way(ask, answer)
    elif answer.cards or answer.hidden or answer.option not in ask.options:
        raise Illegal("pick.option", f"{answer.option!r} is not among the options")


def public(choice: Choice) -> Answer:
    """What everybody will learn of a private choice."""
    if choice.face_up:
        return Answer(choice.option, tuple(sorted(choice.cards)))
    return Answer(choice.option, (), len(choice.cards))
