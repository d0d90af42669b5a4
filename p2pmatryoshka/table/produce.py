"""What a member signs: bodies with proofs, made from its secrets. The checking half is dealer.py and restock.py."""

from __future__ import annotations

from collections.abc import Sequence

from p2pmatryoshka.crypto import elgamal, group, shuffle, sigma, sums
from p2pmatryoshka.crypto.group import Randomness
from p2pmatryoshka.crypto.transcript import Context
from p2pmatryoshka.errors import Illegal
from p2pmatryoshka.rules.game import Choice, Deal
from p2pmatryoshka.table import dealer, messages, restock
from p2pmatryoshka.table.layout import Layout


def permuted(count: int, randomness: Randomness) -> tuple[int, ...]:
    """A uniform permutation of 0..count-1 (bias below 2^-440): Fisher-Yates, 64 bytes a draw."""
    order = list(range(count))
    for last in range(count - 1, 0, -1):
        other = int.from_bytes(randomness(64), "big") % (last + 1)
        order[last], order[other] = order[other], order[last]
    return tuple(order)


def turn(layout: Layout, context: Context, choice: Choice, secret: int, randomness: Randomness) -> messages.Turn:
    """Cards out of the hand. Raises Illegal("card.hand") if one is not in it."""
    seat = layout.seat(context.member)
    cards = dealer.hand(layout, seat, secret)
    missing = [card for card in choice.cards if card not in cards]
    if missing or len(set(choice.cards)) != len(choice.cards):
        raise Illegal("card.hand", f"cards {missing or choice.cards} are not in the hand, each once")
    # Opened cards stand in ascending order and all others at random: any other order would tell of the hand's past.
    chosen = [cards.index(card) for card in sorted(choice.cards)]
    if not choice.face_up:
        chosen = _shuffled(chosen, randomness)
    rest = _shuffled([place for place in range(len(cards)) if place not in chosen], randomness)
    before = layout.hands[seat]
    mixed, mix_proof = shuffle.shuffle(context, layout.keys[context.member], before, (*chosen, *rest), randomness)
    shares: tuple[group.Point, ...] = ()
    share_proof = b""
    if choice.face_up:
        bases = tuple(ct.a for ct in mixed[: len(chosen)])
        key = layout.keys[context.member]
        shares, share_proof = sigma.prove_equal_logs(context, secret, key, bases, randomness)
    return messages.Turn(
        option=choice.option,
        cards=tuple(sorted(choice.cards)) if choice.face_up else (),
        hidden=0 if choice.face_up else len(chosen),
        mixed=elgamal.encode(mixed),
        mix_proof=mix_proof,
        shares=sums.encode_points(shares),
        share_proof=share_proof,
    )


def shares(layout: Layout, ask: Deal, context: Context, secret: int, randomness: Randomness) -> messages.Share:
    """Decryption shares for every position dealt to somebody else."""
    bases = tuple(
        layout.stock[place].a for seat, place in dealer.positions(ask) if layout.seating[seat] != context.member
    )
    return _share(layout, context, bases, secret, randomness)


def tags(layout: Layout, context: Context, secret: int, randomness: Randomness) -> messages.Share:
    """Decryption shares for every blinded ciphertext."""
    work = restock.making(layout)
    return _share(layout, context, tuple(ct.a for ct in (*work.stock, *work.hands)), secret, randomness)


def rekey(layout: Layout, context: Context, secret: int, randomness: Randomness) -> messages.Rekey:
    """The member's own cards under the joint key."""
    own, joint = restock.cards_of(layout, context.member), restock.making(layout).joint
    new, proof = sigma.reencrypt(context, secret, layout.keys[context.member], joint, own, randomness)
    return messages.Rekey(cards=elgamal.encode(new), proof=proof)


def mix(layout: Layout, context: Context, randomness: Randomness) -> messages.Mix:
    """Both lists, mixed uniformly."""
    work = restock.making(layout)
    order = permuted(len(work.stock), randomness)
    stock, stock_proof = shuffle.shuffle(context, work.joint, work.stock, order, randomness)
    hands, hands_proof = work.hands, b""
    if work.hands:
        order = permuted(len(work.hands), randomness)
        hands, hands_proof = shuffle.shuffle(context, work.joint, work.hands, order, randomness)
    return messages.Mix(
        stock=elgamal.encode(stock),
        stock_proof=stock_proof,
        hands=elgamal.encode(hands),
        hands_proof=hands_proof,
    )


def blind(layout: Layout, context: Context, randomness: Randomness) -> messages.Blind:
    """Both lists raised to a fresh exponent, which nobody keeps: two restocks must not be linkable."""
    work = restock.making(layout)
    exponent = group.random_scalar(randomness)
    key = group.base(exponent)
    raised, proof = sigma.prove_equal_logs(context, exponent, key, restock.points(work), randomness)
    data = sums.encode_points(raised)
    cut = elgamal.CIPHERTEXT_SIZE * len(work.stock)
    return messages.Blind(key=group.encode(key), stock=data[:cut], hands=data[cut:], proof=proof)


def _share(
    layout: Layout, context: Context, bases: tuple[group.Point, ...], secret: int, randomness: Randomness
) -> messages.Share:
    points, proof = sigma.prove_equal_logs(context, secret, layout.keys[context.member], bases, randomness)
    return messages.Share(shares=sums.encode_points(points), proof=proof)


def _shuffled(places: Sequence[int], randomness: Randomness) -> list[int]:
    return [places[i] for i in permuted(len(places), randomness)]
