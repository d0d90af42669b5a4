"""The five verbs done with cryptography. The dealer knows no game: it knows where cards lie, and who must prove what.

Each verb is one or more steps. `owed` says what the next step asks; `check` judges one member's body against the public
state alone and raises Refused; `close` takes a complete step's checked bodies to the next layout.
"""

from __future__ import annotations

from dataclasses import replace

from p2pmatryoshka.crypto import commitment, elgamal, group, shuffle, sigma, sums
from p2pmatryoshka.crypto.elgamal import Ciphertexts
from p2pmatryoshka.crypto.group import Point
from p2pmatryoshka.errors import Fault, Illegal, Refused
from p2pmatryoshka.rules import game as rules
from p2pmatryoshka.rules.game import Answer, Ask, Card, Cards, Deal, Give, Pick, Play, Seat, Toss
from p2pmatryoshka.table import coin, messages, restock
from p2pmatryoshka.table.coin import Coins
from p2pmatryoshka.table.layout import Done, Judging, Laid, Layout, Making, Owed, Payloads, Played

DEALING = frozenset({"share", "coin", "open", "rekey", "mix", "blind", "tags"})
"""Steps that are void if any place is filled otherwise than by an answer."""


def owed(layout: Layout, ask: Ask) -> Owed:
    """The next step of what is asked. Raises Fault for an ask that nobody owes anything for."""
    everyone = layout.still_in
    match ask:
        case Toss():
            return Owed("open" if isinstance(layout.doing, Coins) else "coin", everyone)
        case Deal():
            if layout.holders != everyone:
                return restock.owed(layout)
            return Owed("share", everyone)
        case Play(seats=seats, together=True):
            return Owed("reveal" if isinstance(layout.doing, Laid) else "commit", layout.members(seats))
        case Play(seats=seats):
            return Owed("turn", layout.members(seats))
        case Pick(seats=seats):
            return Owed("choose", layout.members(seats))
    raise Fault(f"nobody owes anything for {ask!r}")


def check(layout: Layout, ask: Ask, kind: str, judging: Judging, body: messages.AnyBody) -> object:
    """What closing the step needs of this body. Raises Refused with the rule it breaks."""
    context, member = judging.context, judging.context.member
    match kind, body:
        case (("commit" | "coin"), messages.Commit(commitment=digest)):
            return digest
        case "open", messages.Open():
            if not isinstance(layout.doing, Coins):
                raise Fault("no coins to open")
            return coin.check_open(layout.doing, context.table, member, body)
        case "turn", messages.Turn():
            return check_turn(layout, ask, judging, body)
        case "reveal", messages.Open():
            return _check_reveal(layout, ask, judging, body)
        case "choose", messages.Choose(option=option):
            answer = Answer(option)
            judging.allowed(layout.seat(member), answer)
            return answer
        case "share", messages.Share():
            if not isinstance(ask, Deal):
                raise Fault("shares without a deal")
            bases = tuple(layout.stock[place].a for seat, place in positions(ask) if layout.seating[seat] != member)
            return check_shares(layout, judging, bases, body.shares, body.proof)
        case (("rekey" | "mix" | "blind" | "tags"), _):
            return restock.check(layout, kind, judging, body)
    raise Refused("body.kind", f"a {body.kind!r} where the step asks for {kind!r}")


def close(
    layout: Layout, ask: Ask, kind: str, number: int, table: bytes, payloads: Payloads
) -> tuple[Layout, Done | None]:
    """The layout after a complete step, and what was settled if the whole ask is."""
    match kind:
        case "commit":
            return replace(layout, doing=Laid(number, dict(payloads))), None
        case "coin":
            return replace(layout, doing=Coins(number, dict(payloads))), None
        case "open":
            if not isinstance(ask, Toss):
                raise Fault("coins opened without a toss")
            tossed = coin.number_below(coin.join(table, number, payloads), "toss", ask.sides)
            return replace(layout, doing=None), Done(toss=tossed)
        case "turn" | "reveal":
            return _close_turns(layout, payloads)
        case "choose":
            return layout, Done(tuple(sorted((layout.seat(m), answer) for m, answer in payloads.items())))
        case "share":
            if not isinstance(ask, Deal):
                raise Fault("shares without a deal")
            return _close_deal(layout, ask, payloads), Done()
        case "rekey" | "mix" | "blind" | "tags":
            return restock.close(layout, kind, payloads), None
    raise Fault(f"no step of kind {kind!r}")


def toss_at_hand(layout: Layout, ask: Toss) -> tuple[Layout, int]:
    """The number by a joint coin tossed already: everybody opened one when the seats were drawn."""
    if layout.coin is None:
        raise Fault("no coin at hand")
    return replace(layout, coin=None), coin.number_below(layout.coin, "toss", ask.sides)


def give(layout: Layout, ask: Give) -> Layout:
    """Known cards enter hands, appended in ascending order as (G, M_c + P_X). Raises Fault for a card not lying."""
    for card, seat in sorted(ask.cards):
        if card not in layout.lying:
            raise Fault(f"the game gives card {card}, which lies nowhere")
        known = elgamal.open_encryption(elgamal.card_point(card), layout.keys[layout.seating[seat]])
        layout = layout.with_hand(seat, (*layout.hands[seat], known))
        layout = replace(layout, lying=layout.lying - {card})
    return layout


def positions(ask: Deal) -> tuple[tuple[Seat, int], ...]:
    """The stock positions dealt, each with the seat that gets it, in order."""
    seats = [seat for seat, count in ask.counts for _ in range(count)]
    return tuple((seat, place) for place, seat in enumerate(seats))


def hand(layout: Layout, seat: Seat, secret: int) -> Cards:
    """The cards of a hand in list order, opened with the seat's table secret."""
    return tuple(card_of(elgamal.decrypt(secret, ct), layout.deck) for ct in layout.hands[seat])


def card_of(point: Point, deck: Cards) -> Card:
    """Raises Refused("card.unknown"): no proof that was checked lets this happen."""
    for card in deck:
        if elgamal.card_point(card) == point:
            return card
    raise Refused("card.unknown", "a ciphertext holds no card of the deck")


def check_shares(
    layout: Layout, judging: Judging, bases: tuple[Point, ...], shares: bytes, proof: bytes
) -> tuple[Point, ...]:
    """A member's decryption shares for these bases, in order."""
    points = sums.decode_points(shares, len(bases))
    key = layout.keys[judging.context.member]
    sigma.verify_equal_logs(judging.context, key, bases, points, proof, spread=judging.spread)
    return points


def check_turn(layout: Layout, ask: Ask, judging: Judging, body: messages.Turn) -> Played:
    """Cards that leave a hand: the answer is allowed, the hand was mixed honestly, and the opened cards are these."""
    context = judging.context
    seat = layout.seat(context.member)
    answer = Answer(body.option, body.cards, body.hidden)
    if not isinstance(ask, Play):
        raise Fault("a turn without a play")
    try:
        way = rules.way(ask, answer)
    except Illegal as error:
        raise Refused("rules." + error.code, error.detail) from error
    judging.allowed(seat, answer)
    before = layout.hands[seat]
    if way.count > len(before):
        raise Fault(f"the game asks for {way.count} of {len(before)} cards")
    key = layout.keys[context.member]
    mixed = elgamal.decode(body.mixed, len(before))
    shuffle.verify_shuffle(context, key, before, mixed, body.mix_proof, spread=judging.spread)
    moved, rest = mixed[: way.count], mixed[way.count :]
    opened = moved if way.face_up else ()
    shares = check_shares(layout, judging, tuple(ct.a for ct in opened), body.shares, body.share_proof)
    for card, ct, share in zip(answer.cards, opened, shares, strict=True):
        if group.minus(ct.b, share) != elgamal.card_point(card):
            raise Refused("turn.card", f"the card opened is not card {card}")
    return Played(answer, rest, moved)


def _check_reveal(layout: Layout, ask: Ask, judging: Judging, body: messages.Open) -> Played:
    context = judging.context
    laid = layout.doing
    if not isinstance(laid, Laid):
        raise Fault("nothing was laid face-down")
    member = context.member
    commitment.check(laid.commitments[member], context.table, laid.number, member, body.nonce, body.body)
    turn = messages.decode(body.body)
    if not isinstance(turn, messages.Turn):
        raise Refused("body.kind", "what was committed to is no turn")
    return check_turn(layout, ask, replace(judging, context=replace(context, step=laid.number)), turn)


def _close_turns(layout: Layout, payloads: Payloads) -> tuple[Layout, Done]:
    answers: list[tuple[Seat, Answer]] = []
    for member, played in payloads.items():
        seat = layout.seat(member)
        layout = layout.with_hand(seat, played.hand)
        if played.answer.hidden:
            layout = layout.with_covered(seat, (*layout.covered[seat], *played.moved))
        layout = replace(layout, lying=layout.lying | frozenset(played.answer.cards))
        answers.append((seat, played.answer))
    return replace(layout, doing=None), Done(tuple(sorted(answers, key=lambda pair: pair[0])))


def _close_deal(layout: Layout, ask: Deal, payloads: Payloads) -> Layout:
    dealt = positions(ask)
    if len(dealt) > len(layout.stock):
        raise Fault(f"the game deals {len(dealt)} of {len(layout.stock)} cards")
    for to_seat, place in dealt:
        others = [
            points[_rank(dealt, layout.seating.index(member), place)]
            for member, points in payloads.items()
            if layout.seating[to_seat] != member
        ]
        card = elgamal.dealt(layout.stock[place], others)
        layout = layout.with_hand(to_seat, (*layout.hands[to_seat], card))
    return replace(layout, stock=layout.stock[len(dealt) :])


def _rank(dealt: tuple[tuple[Seat, int], ...], own_seat: Seat, place: int) -> int:
    """Where a position stands among those for which the member at own_seat sends a share."""
    return sum(1 for seat, earlier in dealt[:place] if seat != own_seat)


def start(
    seating: tuple[int, ...],
    keys: dict[int, Point],
    still_in: tuple[int, ...],
    deck: Cards,
    joint_coin: bytes,
) -> Layout:
    """The layout before any card was dealt."""
    none: tuple[Ciphertexts, ...] = ((),) * len(seating)
    return Layout(seating, keys, still_in, deck, frozenset(), none, none, coin=joint_coin)


def void(layout: Layout) -> Layout:
    """Whatever was under way is dropped; nothing that was settled changes."""
    doing = layout.doing
    return replace(layout, doing=None) if isinstance(doing, Laid | Coins | Making) else layout
