"""How a Matrioske card finds its place: played, covered, claimed, judged, given back. Legality was checked before."""

from __future__ import annotations

from dataclasses import replace

from p2pmatryoshka.errors import Fault
from p2pmatryoshka.rules.game import Answer, Answers, Card, Seat
from p2pmatryoshka.rules.matrioske_state import ACCEPT, SEATS, Claim, Phase, Spot, State, with_value


def played(s: State, seat: Seat, answer: Answer) -> State:
    """The card leaves the hand: covered, at its place, or claimed to be allowed there."""
    hands = with_value(s.hands, seat, s.hands[seat] - 1)
    if answer.hidden:
        return replace(s, hands=hands, covered=with_value(s.covered, seat, s.covered[seat] + 1)).next_turn()
    card = answer.cards[0]
    spot, claimed = s.spot(answer.option)
    shown = tuple(other for other in s.shown[seat] if other != card)
    s = replace(s, hands=hands, shown=with_value(s.shown, seat, shown))
    if claimed:
        return replace(s, phase=Phase.JUDGE, claim=Claim(seat, card, spot))
    return placed(s, seat, card, spot)


def placed(s: State, seat: Seat, card: Card, spot: Spot) -> State:
    """The card lies at its place; what lay above it is captured, with the covered cards at stake."""
    pile = s.piles[spot.pile]
    above = pile[spot.position :]
    stake = s.at_stake if above else 0
    return replace(
        s,
        claim=None,
        piles=with_value(s.piles, spot.pile, (*pile[: spot.position], card)),
        captured=with_value(s.captured, seat, s.captured[seat] + above),
        won=with_value(s.won, seat, s.won[seat] + stake),
        covered=(0,) * SEATS if stake else s.covered,
    ).next_turn()


def judged(s: State, votes: Answers) -> State:
    """The claim stands if at least half of the others accept it."""
    if s.claim is None:
        raise Fault("there is no claim to judge")
    accepted = sum(answer.option == ACCEPT for _, answer in votes)
    if 2 * accepted >= len(votes):
        return placed(s, s.claim.seat, s.claim.card, s.claim.spot)
    return replace(s, phase=Phase.RETURN)


def returned(s: State) -> State:
    """The refused card is in its owner's hand again; the turn begins anew, without claims."""
    if s.claim is None:
        raise Fault("there is no card to give back")
    seat, card = s.claim.seat, s.claim.card
    return replace(
        s,
        phase=Phase.TURN,
        hands=with_value(s.hands, seat, s.hands[seat] + 1),
        shown=with_value(s.shown, seat, tuple(sorted((*s.shown[seat], card)))),
        claim=None,
        barred=True,
    )
