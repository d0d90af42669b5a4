"""Matrioske for 4 players: the house rules, what is legal, and the next state.

A toss for the starting player, ten cards each, then one card a turn: on a pile, between two cards of a pile
(capturing all above), or covered in the middle.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from p2pmatryoshka.errors import Fault, Illegal
from p2pmatryoshka.rules.chance import Chance
from p2pmatryoshka.rules.deck import CARDS, DEPTH, SERIES, Deck
from p2pmatryoshka.rules.game import (
    Answer,
    Answers,
    Ask,
    Card,
    Cards,
    Choice,
    Option,
    Over,
    Pick,
    Play,
    Rules,
    Seat,
    Toss,
    Value,
    View,
    check_asked,
)
from p2pmatryoshka.rules.matrioske_state import HAND, SEATS, Claim, Phase, Spot, State, with_value
from p2pmatryoshka.rules.matrioske_turns import judged, played, returned
from p2pmatryoshka.rules.words import parse

# House rules: the first value is the default.
RULES: Final = {
    "covered_cards": ("first_capture", "every_capture"),
    "judge": ("deck", "table"),
}


@dataclass(frozen=True, slots=True)
class MatrioskeView(View):
    """What a person at that seat sees: all but the other hands and what lies covered."""

    deck: Deck
    covered_cards: str  # the house rule: "first_capture" or "every_capture"
    judge: str  # the house rule: "deck" or "table"
    phase: Phase
    starter: Seat | None
    turn: Seat | None
    piles: tuple[Cards, ...]  # eight, bottom first
    hands: tuple[int, ...]  # cards in each seat's hand
    captured: tuple[Cards, ...]  # by seat, in the order of capture
    won: tuple[int, ...]  # by seat: covered cards taken along with captures
    points: tuple[int, ...]  # by seat: captured and won
    covered: tuple[int, ...]  # cards that each seat covered and that still lie in the middle
    at_stake: int  # covered cards that the next capture takes along
    shown: tuple[Cards, ...]  # cards a seat took back after a refused claim: in its hand, unless covered since
    left: Cards  # cards turned up that left the game with their owner
    claim: Claim | None  # being judged, or refused and about to go back
    barred: bool  # a claim was refused in this turn: no other may be made
    places: tuple[tuple[Card, tuple[Option, ...]], ...]  # where each of my cards may go now by the deck's words


class Matrioske:
    """The game. It has nothing of its own: everything is in the state."""

    name = "matrioske"
    seatings: tuple[int, ...] = (SEATS,)
    fewest = 2

    def rules(self, seats: int, chosen: Rules) -> dict[str, Value]:
        """covered_cards: "first_capture" or "every_capture"; judge: "deck" or "table". See Game.rules."""
        if seats not in self.seatings:
            raise Illegal("rules.seats", f"Matrioske is for 4 players, not {seats}")
        for key in chosen:
            if key not in RULES:
                raise Illegal("rules.unknown", f"Matrioske has no house rule {key!r}")
        in_force: dict[str, Value] = {}
        for key, values in RULES.items():
            value = chosen.get(key, values[0])
            if value not in values:
                raise Illegal(f"rules.{key}", f"{key} is {' or '.join(values)}, not {value!r}")
            in_force[key] = value
        return in_force

    def start(self, rules: Rules, deck: bytes, seats: int) -> State:
        """See Game.start. deck: a TOML file, see protocol/deck-format.md. Raises Illegal("deck....") too."""
        in_force = self.rules(seats, rules)
        largest = tuple((series * DEPTH,) for series in range(SERIES))
        return State(parse(deck), str(in_force["covered_cards"]), str(in_force["judge"]), Phase.TOSS, largest)

    def stock(self, s: State) -> Cards:
        """Every card but the largest of each series."""
        return tuple(card for card in range(CARDS) if card % DEPTH)

    def ask(self, s: State) -> Ask:
        """See Game.ask."""
        return s.ask

    def check(self, s: State, seat: Seat, answer: Answer) -> None:
        """See Game.check. Raises Illegal("card.play") for a card that is not in play, "card.placement" where
        the deck does not list it, "claim.needless" for a claim of what it lists.
        """
        check_asked(s.ask, seat, answer)
        for card in answer.cards:
            if not 0 <= card < CARDS or card % DEPTH == 0:
                raise Illegal("card.play", f"card {card} is not in play")
            spot, claimed = s.spot(answer.option)
            if spot.listed(s.deck, card) == claimed:
                raise _misplaced(s.deck, card, spot, claimed)

    def apply(self, s: State, answers: Answers, toss: int | None = None) -> State:
        """See Game.apply. Raises Fault if answers or toss are not what was asked."""
        ask = s.ask
        asked = ask.seats if isinstance(ask, Play | Pick) else ()
        if tuple(seat for seat, _ in answers) != asked or (toss is None) is isinstance(ask, Toss):
            raise Fault(f"these are not the answers to {s.phase}")
        match s.phase:
            case Phase.TOSS:
                return replace(s, starter=s.still_in[toss or 0], phase=Phase.DEAL)
            case Phase.DEAL:
                hands = tuple(HAND if seat in s.still_in else 0 for seat in range(SEATS))
                return replace(s, hands=hands).first_turn()
            case Phase.TURN:
                return played(s, *answers[0])
            case Phase.JUDGE:
                return judged(s, answers)
            case Phase.RETURN:
                return returned(s)
            case Phase.OVER:
                raise Fault("the game is over")

    def gone(self, s: State, seat: Seat) -> State:
        """See Game.gone. Once the game is over nothing changes any more. Raises Fault for a seat not in it.

        What it captured stays counted, what it covered stays in the middle. Its open claim is void: the card
        leaves the game. If the other seats' votes were asked, those still in are asked.
        """
        if s.phase is Phase.OVER:
            return s
        if seat not in s.still_in:
            raise Fault(f"seat {seat} is not in the game")
        rest = replace(
            s,
            still_in=tuple(other for other in s.still_in if other != seat),
            hands=with_value(s.hands, seat, 0),
            shown=with_value(s.shown, seat, ()),
        )
        if len(rest.still_in) < self.fewest:
            return rest.over()
        if seat != s.turn:
            return rest
        if rest.claim is not None:
            rest = replace(rest, claim=None, left=(*rest.left, rest.claim.card))
        return rest.next_turn()

    def standing(self, s: State) -> Over:
        """See Game.standing."""
        return s.standing

    def moves(self, s: State, seat: Seat, hand: Cards) -> Iterator[Choice]:
        """See Game.moves. For each card, the deck's places come first, then claims, then covering it."""
        ask = s.ask
        if isinstance(ask, Pick) and seat in ask.seats:
            yield from (Choice(option) for option in ask.options)
        elif isinstance(ask, Play) and seat in ask.seats:
            for card in sorted(hand):
                listed = s.listed(card)
                yield from (Choice(option, (card,)) for option in listed)
                if s.judge == "table" and not s.barred:
                    yield from (Choice(("claim", *o), (card,)) for o in s.spots if o not in listed)
                yield Choice((), (card,), face_up=False)

    def sample(self, view: MatrioskeView, random: Chance) -> Choice:
        """One legal choice of the asked seat whose view this is, all equally likely."""
        ask = view.ask
        if isinstance(ask, Pick):
            return Choice(random.choice(ask.options))
        if not isinstance(ask, Play):
            raise Fault("nothing is asked")
        places = sum(len(pile) for pile in view.piles)
        claims = view.judge == "table" and not view.barred
        counts = [1 + (places if claims else len(options)) for _, options in view.places]
        number = random.randrange(sum(counts))
        which = 0
        while number >= counts[which]:
            number -= counts[which]
            which += 1
        card, options = view.places[which]
        if number < len(options):
            return Choice(options[number], (card,))
        if number == counts[which] - 1:
            return Choice((), (card,), face_up=False)
        unlisted = [option for option in ask.ways[0].options[:places] if option not in options]
        return Choice(("claim", *unlisted[number - len(options)]), (card,))

    def view(self, s: State, seat: Seat | None, hand: Cards) -> MatrioskeView:
        """See Game.view."""
        return MatrioskeView(
            self.name,
            seat,
            SEATS,
            s.still_in,
            s.ask,
            hand,
            s.deck,
            s.covered_cards,
            s.judge,
            s.phase,
            s.starter,
            s.turn,
            s.piles,
            s.hands,
            s.captured,
            s.won,
            s.points,
            s.covered,
            s.at_stake,
            s.shown,
            s.left,
            s.claim,
            s.barred,
            tuple((card, tuple(s.listed(card))) for card in hand),
        )

    def card(self, s: State, card: Card) -> str:
        """The thing's name in the deck."""
        return s.deck.names[card]


MATRIOSKE = Matrioske()


def _misplaced(deck: Deck, card: Card, spot: Spot, claimed: bool) -> Illegal:
    name = deck.names[card]
    if claimed:
        return Illegal("claim.needless", f"the deck itself lists {name} there")
    if not deck.holds(spot.lower, card):
        return Illegal("card.placement", f"{name} does not lie inside {deck.names[spot.lower]}")
    upper = "" if spot.upper is None else deck.names[spot.upper]
    return Illegal("card.placement", f"{upper} does not lie inside {name}")
