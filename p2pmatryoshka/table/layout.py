"""Where cards lie, as everybody can know it: ciphertexts, counts, and which cards lie open."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from p2pmatryoshka.crypto.elgamal import Ciphertexts
from p2pmatryoshka.crypto.group import Point
from p2pmatryoshka.crypto.sums import Spread
from p2pmatryoshka.crypto.transcript import Context
from p2pmatryoshka.errors import Illegal, Refused
from p2pmatryoshka.rules.game import Answer, Answers, Cards, Seat
from p2pmatryoshka.table.coin import Coins


@dataclass(frozen=True, slots=True)
class Owed:
    """What the open step asks, and of whom: each of these members owes exactly one entry."""

    kind: str
    members: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Laid:
    """Turns committed to but not yet revealed, by roster index. A turn's own proofs name the step of the commitment,
    so that a step inserted in between (somebody left) does not break an honest reveal."""

    number: int
    commitments: Mapping[int, bytes]


@dataclass(frozen=True, slots=True)
class Making:
    """A stock being made by its future holders. stock and hands are the lists as they stand now; mixed is the stock
    list as it stood when everybody had mixed. turn indexes holders, whose turn it is to mix or blind."""

    stage: str
    holders: tuple[int, ...]
    joint: Point
    stock: Ciphertexts
    hands: Ciphertexts
    mixed: Ciphertexts = ()
    turn: int = 0


@dataclass(frozen=True, slots=True)
class Layout:
    """The dealer's public state.

    seating: roster index by seat. keys: table key by roster index. deck: every card ever shuffled. lying: cards that
    were opened and not given back to a hand. hands and covered: by seat, under the key of the seat's member. stock:
    next card first, under the joint key of the holders (empty: no stock was made). coin: a joint coin already tossed.
    """

    seating: tuple[int, ...]
    keys: Mapping[int, Point]
    still_in: tuple[int, ...]
    deck: Cards
    lying: frozenset[int]
    hands: tuple[Ciphertexts, ...]
    covered: tuple[Ciphertexts, ...]
    stock: Ciphertexts = ()
    holders: tuple[int, ...] = ()
    coin: bytes | None = None
    doing: Laid | Coins | Making | None = None

    def seat(self, member: int) -> Seat:
        return self.seating.index(member)

    def members(self, seats: tuple[Seat, ...]) -> tuple[int, ...]:
        """Their roster indices, ascending."""
        return tuple(sorted(self.seating[seat] for seat in seats))

    def with_hand(self, seat: Seat, hand: Ciphertexts) -> Layout:
        return replace(self, hands=(*self.hands[:seat], hand, *self.hands[seat + 1 :]))

    def with_covered(self, seat: Seat, covered: Ciphertexts) -> Layout:
        return replace(self, covered=(*self.covered[:seat], covered, *self.covered[seat + 1 :]))

    def gone(self, members: frozenset[int]) -> Layout:
        """Without these members: nobody can open their hands and covered cards any more, so these go unseen into
        the next stock that is made."""
        layout = replace(self, still_in=tuple(m for m in self.still_in if m not in members))
        for member in members:
            layout = layout.with_hand(self.seat(member), ()).with_covered(self.seat(member), ())
        return layout


@dataclass(frozen=True, slots=True)
class Done:
    """What was asked is settled."""

    answers: Answers = ()
    toss: int | None = None


@dataclass(frozen=True, slots=True)
class Played:
    """A turn that was checked: what everybody learns, the hand that remains, the cards that left it."""

    answer: Answer
    hand: Ciphertexts
    moved: Ciphertexts


CheckAnswer = Callable[[Seat, Answer], None]
"""The game's own check of one seat's answer; raises Illegal."""


@dataclass(frozen=True, slots=True)
class Judging:
    """What checking a body needs beside the public state. spread: a parallel map for checks of many terms."""

    context: Context
    check_answer: CheckAnswer
    spread: Spread | None = None

    def allowed(self, seat: Seat, answer: Answer) -> None:
        """The game's judgement, as a peer's fault."""
        try:
            self.check_answer(seat, answer)
        except Illegal as error:
            raise Refused("rules." + error.code, error.detail) from error


Payloads = Mapping[int, Any]
"""What checking made of each member's body, by roster index, for closing the step; its type goes with the kind."""
