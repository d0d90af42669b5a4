"""Making a stock: at the start, and again after somebody left, without anybody's old key.

Those who will hold it mix a list of every card that does not lie open, so that nobody knows the order. If they have
cards of their own, these must not be dealt a second time: their hands are encrypted anew under the joint key and mixed
in the same way, both lists are raised to secret exponents, and the tags that decryption then yields are equal exactly
where the cards are equal. They say nothing else. What is left of the first list is the stock.
"""

from __future__ import annotations

from dataclasses import replace

from p2pmatryoshka.crypto import elgamal, group, shuffle, sigma, sums
from p2pmatryoshka.crypto.elgamal import Ciphertext, Ciphertexts
from p2pmatryoshka.crypto.group import Point
from p2pmatryoshka.errors import Fault, Refused
from p2pmatryoshka.table import messages
from p2pmatryoshka.table.layout import Judging, Layout, Making, Owed, Payloads


class Mismatch(Exception):
    """The tags do not match although every proof holds: nobody can be accused, and the table must stop."""


def cards_of(layout: Layout, member: int) -> Ciphertexts:
    """A member's own cards, hand first, then those it left face-down."""
    seat = layout.seat(member)
    return (*layout.hands[seat], *layout.covered[seat])


def is_unmakeable(layout: Layout) -> bool:
    """Whether the keys of all who remain cancel out. Whoever is among them knows the others' secrets: no honest member
    is left, and the table must end."""
    return group.total([layout.keys[member] for member in layout.still_in]) == group.INFINITY


def opening(layout: Layout) -> Making:
    """The work as it begins: every card that does not lie open, with mask 1 under the joint key."""
    holders = layout.still_in
    joint = group.total([layout.keys[member] for member in holders])
    stock = tuple(
        elgamal.open_encryption(elgamal.card_point(card), joint) for card in layout.deck if card not in layout.lying
    )
    any_cards = any(cards_of(layout, member) for member in holders)
    return Making("rekey" if any_cards else "mix", holders, joint, stock, ())


def making(layout: Layout) -> Making:
    """The work as it stands."""
    return layout.doing if isinstance(layout.doing, Making) else opening(layout)


def owed(layout: Layout) -> Owed:
    """Rekey: whoever has cards, all at once. Mix and blind: one holder after another. Tags: all at once."""
    work = making(layout)
    match work.stage:
        case "rekey":
            return Owed("rekey", tuple(member for member in work.holders if cards_of(layout, member)))
        case "mix" | "blind":
            return Owed(work.stage, (work.holders[work.turn],))
    return Owed("tags", work.holders)


def check(layout: Layout, kind: str, judging: Judging, body: messages.AnyBody) -> object:
    """What closing the step needs of this body. Raises Refused with the rule it breaks."""
    work = making(layout)
    context, spread = judging.context, judging.spread
    match kind, body:
        case "rekey", messages.Rekey():
            own = cards_of(layout, context.member)
            new = elgamal.decode(body.cards, len(own))
            sigma.verify_reencrypt(
                context, layout.keys[context.member], work.joint, own, new, body.proof, spread=spread
            )
            return new
        case "mix", messages.Mix():
            stock = elgamal.decode(body.stock, len(work.stock))
            hands = elgamal.decode(body.hands, len(work.hands))
            shuffle.verify_shuffle(context, work.joint, work.stock, stock, body.stock_proof, spread=spread)
            if work.hands:
                shuffle.verify_shuffle(context, work.joint, work.hands, hands, body.hands_proof, spread=spread)
            elif body.hands_proof:
                raise Refused("mix.surplus", "a proof for an empty list")
            return stock, hands
        case "blind", messages.Blind():
            stock = elgamal.decode(body.stock, len(work.stock))
            hands = elgamal.decode(body.hands, len(work.hands))
            key = group.decode(body.key)
            sigma.verify_equal_logs(context, key, points(work), points(work, stock, hands), body.proof, spread=spread)
            return stock, hands
        case "tags", messages.Share():
            bases = tuple(ct.a for ct in (*work.stock, *work.hands))
            shares = sums.decode_points(body.shares, len(bases))
            sigma.verify_equal_logs(context, layout.keys[context.member], bases, shares, body.proof, spread=spread)
            return shares
    raise Refused("body.kind", f"a {body.kind!r} where the step asks for {kind!r}")


def close(layout: Layout, kind: str, payloads: Payloads) -> Layout:
    """The layout after a complete step. Raises Mismatch when the tags do not match."""
    work = making(layout)
    match kind:
        case "rekey":
            hands = tuple(ct for member in sorted(payloads) for ct in payloads[member])
            return replace(layout, doing=replace(work, stage="mix", hands=hands))
        case "mix":
            stock, hands = payloads[work.holders[work.turn]]
            work = _next_turn(replace(work, stock=stock, hands=hands))
            if work.turn:
                return replace(layout, doing=work)
            if not work.hands:
                return replace(layout, stock=work.stock, holders=work.holders, doing=None)
            return replace(layout, doing=replace(work, stage="blind", mixed=work.stock))
        case "blind":
            stock, hands = payloads[work.holders[work.turn]]
            work = _next_turn(replace(work, stock=stock, hands=hands))
            return replace(layout, doing=work if work.turn else replace(work, stage="tags"))
        case "tags":
            return replace(layout, stock=_left_over(work, payloads), holders=work.holders, doing=None)
    raise Fault(f"no step of kind {kind!r}")


def points(work: Making, stock: Ciphertexts | None = None, hands: Ciphertexts | None = None) -> tuple[Point, ...]:
    """Every point of both lists, in order: what blinding raises (or, given the new lists, what it raised them to)."""
    first = work.stock if stock is None else stock
    second = work.hands if hands is None else hands
    return tuple(point for ct in (*first, *second) for point in ct)


def _next_turn(work: Making) -> Making:
    return replace(work, turn=(work.turn + 1) % len(work.holders))


def _left_over(work: Making, payloads: Payloads) -> Ciphertexts:
    tags = [
        group.minus(ct.b, group.total([shares[place] for shares in payloads.values()]))
        for place, ct in enumerate((*work.stock, *work.hands))
    ]
    in_stock = {tag: place for place, tag in enumerate(tags[: len(work.stock)])}
    in_hands = set(tags[len(work.stock) :])
    if len(in_stock) != len(work.stock) or len(in_hands) != len(work.hands) or not in_hands <= in_stock.keys():
        raise Mismatch
    taken = {in_stock[tag] for tag in in_hands}
    return tuple(Ciphertext(ct.a, ct.b) for place, ct in enumerate(work.mixed) if place not in taken)
