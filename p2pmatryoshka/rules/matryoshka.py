"""Matryoshka for 3 to 5 players: the house rules, what is legal, and the next state.

Setup: a toss for the starting player, six cards each, two displayed. Then four rounds of draw, trade and
display. Every seat's cards (hand, display, open card or offer) are always as many as it was dealt; so,
whoever leaves, the stock still holds all that the others have yet to be dealt.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations

from p2pmatryoshka.errors import Fault, Illegal
from p2pmatryoshka.rules import dolls, scoring
from p2pmatryoshka.rules.chance import Chance
from p2pmatryoshka.rules.game import (
    Answer,
    Answers,
    Ask,
    Card,
    Cards,
    Choice,
    Give,
    Over,
    Pick,
    Play,
    Rules,
    Seat,
    Seats,
    Toss,
    Value,
    View,
    check_asked,
)
from p2pmatryoshka.rules.matryoshka_state import DEALT, DISPLAYED, ROUNDS, Phase, State, Trade


@dataclass(frozen=True, slots=True)
class MatryoshkaView(View):
    """What a person at that seat sees: all but the stock's order, the other hands and unopened cards."""

    colours: tuple[str, ...]  # in play, in the order of their rows
    long_columns: str  # the house rule: "extend" or "cap"
    phase: Phase
    round: int  # 0 in the setup, then 1 to rounds
    rounds: int
    display_size: int  # cards in the display of this round
    starter: Seat | None
    active: Seat | None
    waiting: Seats  # to be active later in this round, in order
    opened: Card | None
    offers: tuple[tuple[Seat, Card], ...]
    hand_counts: tuple[int, ...]
    stock_count: int
    displays: tuple[Cards, ...]  # as last shown
    taken_up: bool  # those cards are in the hands just now, while new displays are chosen
    sheets: tuple[scoring.ScoreSheet, ...]  # of the displays as last shown, by seat
    trades: tuple[Trade, ...]
    outcome: scoring.Outcome | None  # at the end: who won and how ties were parted


class Matryoshka:
    """The game. It has nothing of its own: everything is in the state."""

    name = "matryoshka"
    seatings: tuple[int, ...] = (3, 4, 5)
    fewest = 2

    def rules(self, seats: int, chosen: Rules) -> dict[str, Value]:
        """colours: two for each seat, in order; long_columns: "extend" or "cap". See Game.rules."""
        if seats not in self.seatings:
            raise Illegal("rules.seats", f"Matryoshka is for 3 to 5 players, not {seats}")
        for key in chosen:
            if key not in ("colours", "long_columns"):
                raise Illegal("rules.unknown", f"Matryoshka has no house rule {key!r}")
        long_columns = chosen.get("long_columns", scoring.EXTEND)
        if not isinstance(long_columns, str) or long_columns not in scoring.COLUMN:
            raise Illegal("rules.long_columns", f"long_columns is extend or cap, not {long_columns!r}")
        return {"colours": self._colours(seats, chosen), "long_columns": long_columns}

    def _colours(self, seats: int, chosen: Rules) -> tuple[str, ...]:
        colours = chosen.get("colours", tuple(dolls.LETTERS[: 2 * seats]))
        if not isinstance(colours, tuple) or not all(colour in dolls.NAMES for colour in colours):
            raise Illegal("rules.colours", f"colours are letters from A to {dolls.LETTERS[-1]}, not {colours!r}")
        if len(set(colours)) != len(colours) or len(colours) != 2 * seats:
            raise Illegal("rules.colours", f"{seats} players need {2 * seats} different colours")
        return colours

    def start(self, rules: Rules, deck: bytes, seats: int) -> State:
        """See Game.start. Raises Illegal("deck.unneeded") for any deck but b""."""
        if deck:
            raise Illegal("deck.unneeded", "Matryoshka is played with its own cards, without a deck file")
        long_columns = str(self.rules(seats, rules)["long_columns"])
        colours = self._colours(seats, rules)
        nothing: tuple[Cards, ...] = ((),) * seats
        stock = len(colours) * dolls.SIZES
        return State(seats, colours, long_columns, Phase.TOSS, 0, (0,) * seats, stock, nothing)

    def stock(self, s: State) -> Cards:
        """Every card of the colours in play, ascending."""
        return tuple(card for card in range(dolls.COUNT) if dolls.letter(card) in s.colours)

    def ask(self, s: State) -> Ask:
        """See Game.ask."""
        return s.ask

    def check(self, s: State, seat: Seat, answer: Answer) -> None:
        """See Game.check. Besides the shape, the cards must be of the colours in play ("card.play")."""
        check_asked(s.ask, seat, answer)
        for card in answer.cards:
            if not 0 <= card < dolls.COUNT or dolls.letter(card) not in s.colours:
                raise Illegal("card.play", f"card {card} is not in play")

    def apply(self, s: State, answers: Answers, toss: int | None = None) -> State:
        """See Game.apply. Raises Fault if the answers are not of the asked seats, or the toss is not as
        asked.
        """
        ask = s.ask
        asked = ask.seats if isinstance(ask, Play | Pick) else ()
        if tuple(seat for seat, _ in answers) != asked or (toss is None) is isinstance(ask, Toss):
            raise Fault(f"these are not the answers to {s.phase}")
        match s.phase:
            case Phase.TOSS:
                return replace(s, starter=s.still_in[toss or 0], phase=Phase.DEAL)
            case Phase.DEAL:
                return _dealt(s, phase=Phase.OPENING, waiting=())
            case Phase.DRAW:
                return _next_turn(_dealt(s, phase=Phase.OPEN, waiting=s.clockwise(s.starter)))
            case Phase.OPENING | Phase.DISPLAY:
                return _displayed(s, answers)
            case Phase.OPEN:
                hands = _added(s.hands, asked, -1)
                return replace(s, hands=hands, opened=answers[0][1].cards[0], phase=Phase.OFFER)
            case Phase.OFFER:
                offers = tuple((seat, answer.cards[0]) for seat, answer in answers)
                return replace(s, hands=_added(s.hands, asked, -1), offers=offers, phase=Phase.PICK)
            case Phase.PICK:
                return replace(s, taken=int(answers[0][1].option[1]), phase=Phase.SETTLE)
            case Phase.SETTLE:
                return _settled(s)
            case Phase.TAKE_UP:
                hands = tuple(count + len(cards) for count, cards in zip(s.hands, s.displays, strict=True))
                return replace(s, hands=hands, phase=Phase.DISPLAY)
            case Phase.OVER:
                raise Fault("the game is over")

    def gone(self, s: State, seat: Seat) -> State:
        """See Game.gone. Once the game is over nothing changes any more. Raises Fault for a seat not in it.

        A gone seat's offer leaves the game; if it had just been taken, the active player picks again. The
        starting player's part passes on at once only if the round's first turn has not begun.
        """
        if s.phase is Phase.OVER:
            return s
        if seat not in s.still_in:
            raise Fault(f"seat {seat} is not in the game")
        left = replace(
            s,
            gone=tuple(sorted((*s.gone, seat))),
            stock=s.stock + s.hands[seat],
            hands=(*s.hands[:seat], 0, *s.hands[seat + 1 :]),
            displays=(*s.displays[:seat], (), *s.displays[seat + 1 :]),
            waiting=tuple(other for other in s.waiting if other != seat),
            offers=tuple(offer for offer in s.offers if offer[0] != seat),
        )
        if len(left.still_in) < self.fewest:
            return replace(left, phase=Phase.OVER, active=None, waiting=())
        if seat == s.active:
            void = replace(left, active=None, opened=None, taken=None, phase=Phase.SETTLE)
            return void if void.offers else _next_turn(void)
        if seat == s.taken:
            return replace(left, taken=None, phase=Phase.PICK)
        if seat == s.starter and s.phase in (Phase.DEAL, Phase.OPENING, Phase.DRAW):
            return replace(left, starter=left.clockwise(seat)[0])
        return left

    def standing(self, s: State) -> Over:
        """See Game.standing. The displays as last shown count, also while they are being chosen anew."""
        return s.standing

    def moves(self, s: State, seat: Seat, hand: Cards) -> Iterator[Choice]:
        """See Game.moves."""
        ask = s.ask
        if isinstance(ask, Pick) and seat in ask.seats:
            yield from (Choice(option) for option in ask.options)
        elif isinstance(ask, Play) and seat in ask.seats:
            for cards in combinations(sorted(hand), ask.ways[0].count):
                yield Choice((), cards)

    def sample(self, view: View, random: Chance) -> Choice:
        """One legal choice of the asked seat whose view this is, all equally likely, without listing them."""
        ask = view.ask
        if isinstance(ask, Pick):
            return Choice(random.choice(ask.options))
        if isinstance(ask, Play):
            return Choice((), tuple(sorted(random.sample(view.hand, ask.ways[0].count))))
        raise Fault("nothing is asked")

    def view(self, s: State, seat: Seat | None, hand: Cards) -> MatryoshkaView:
        """See Game.view."""
        return MatryoshkaView(
            self.name,
            seat,
            s.seats,
            s.still_in,
            s.ask,
            hand,
            s.colours,
            s.long_columns,
            s.phase,
            s.round,
            ROUNDS,
            DISPLAYED[s.round],
            s.starter,
            s.active,
            s.waiting,
            s.opened,
            s.offers,
            s.hands,
            s.stock,
            s.displays,
            s.phase is Phase.DISPLAY,
            s.sheets,
            s.trades,
            s.outcome if s.phase is Phase.OVER else None,
        )

    def card(self, s: State, card: Card) -> str:
        """Letter of the colour and size: "C4"."""
        return dolls.name(card)


MATRYOSHKA = Matryoshka()


def _added(hands: tuple[int, ...], seats: Seats, count: int) -> tuple[int, ...]:
    return tuple([cards + count if seat in seats else cards for seat, cards in enumerate(hands)])


def _dealt(s: State, phase: Phase, waiting: Seats) -> State:
    count = DEALT[s.round]
    hands = _added(s.hands, s.still_in, count)
    return replace(s, hands=hands, stock=s.stock - count * len(s.still_in), phase=phase, waiting=waiting)


def _settled(s: State) -> State:
    """After the cards that lay open went where they belong: the next turn."""
    hands = list(s.hands)
    if isinstance(s.ask, Give):
        for _, seat in s.ask.cards:
            hands[seat] += 1
    trades = s.trades
    if s.active is not None and s.opened is not None and s.taken is not None:
        trades = (*trades, Trade(s.round, s.active, s.opened, s.offers, s.taken))
    return _next_turn(replace(s, hands=tuple(hands), opened=None, offers=(), taken=None, trades=trades))


def _next_turn(s: State) -> State:
    if s.waiting:
        return replace(s, active=s.waiting[0], waiting=s.waiting[1:], phase=Phase.OPEN)
    return replace(s, active=None, phase=Phase.TAKE_UP)


def _displayed(s: State, answers: Answers) -> State:
    """After a display: the next round's draw or, after the last, the end. The starting player's part moves
    left.
    """
    shown = {seat: answer.cards for seat, answer in answers}
    displays = tuple(shown.get(seat, ()) for seat in range(s.seats))
    hands = _added(s.hands, s.still_in, -DISPLAYED[s.round])
    if s.round == ROUNDS:
        return replace(s, hands=hands, displays=displays, phase=Phase.OVER)
    starter = s.starter if s.round == 0 else s.clockwise((s.starter or 0) + 1)[0]
    return replace(s, hands=hands, displays=displays, phase=Phase.DRAW, round=s.round + 1, starter=starter)
