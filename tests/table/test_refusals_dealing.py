"""A member cheats where cards are mixed and dealt."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from p2pmatryoshka.crypto import elgamal, group, shuffle, sigma
from p2pmatryoshka.crypto.elgamal import CIPHERTEXT_SIZE, Ciphertext, Ciphertexts
from p2pmatryoshka.crypto.group import POINT_SIZE, G, Point, q
from p2pmatryoshka.crypto.transcript import Context
from p2pmatryoshka.table import dealer, messages, restock
from tests.table.attack import Attack, Attacks, Cheat, convict, spoiled, swapped

attacks = Attacks()


def _mixed(
    c: Cheat, inputs: Ciphertexts | None = None, *, key: Point | None = None, context: Context | None = None
) -> messages.Mix:
    """A mix whose proof holds, of other inputs, under another key or from another context."""
    work = restock.making(c.layout)
    inputs = work.stock if inputs is None else inputs
    order = tuple(reversed(range(len(inputs))))
    stock, proof = shuffle.shuffle(context or c.context, key or work.joint, inputs, order, c.randomness)
    return c.honest().model_copy(update={"stock": elgamal.encode(stock), "stock_proof": proof})


def _stock(c: Cheat) -> list[Ciphertext]:
    return list(restock.making(c.layout).stock)


@attacks.at("mix", "shuffle.challenge")
def doubles_a_card(c: Cheat) -> messages.Mix:
    stock = _stock(c)
    stock[0] = stock[1]
    return _mixed(c, tuple(stock))


@attacks.at("mix", "shuffle.challenge")
def swaps_in_a_card(c: Cheat) -> messages.Mix:
    stock = _stock(c)
    stock[0] = elgamal.open_encryption(elgamal.card_point(999), restock.making(c.layout).joint)
    return _mixed(c, tuple(stock))


@attacks.at("mix", "shuffle.challenge")
def scales_all_cards(c: Cheat) -> messages.Mix:
    return _mixed(c, tuple(Ciphertext(group.times(2, ct.a), group.times(2, ct.b)) for ct in _stock(c)))


@attacks.at("mix", "shuffle.challenge")
def scales_one_card_after_proving(c: Cheat) -> messages.Mix:
    body = c.honest()
    stock = list(elgamal.decode(body.stock, len(_stock(c))))
    stock[3] = Ciphertext(group.times(2, stock[3].a), group.times(2, stock[3].b))
    return body.model_copy(update={"stock": elgamal.encode(stock)})


@attacks.at("mix", "shuffle.challenge")
def marks_a_card(c: Cheat) -> messages.Mix:
    body = c.honest()
    stock = list(elgamal.decode(body.stock, len(_stock(c))))
    stock[3] = Ciphertext(stock[3].a, group.total([stock[3].b, G]))
    return body.model_copy(update={"stock": elgamal.encode(stock)})


@attacks.at("mix", "shuffle.challenge")
def swaps_two_after_proving(c: Cheat) -> messages.Mix:
    body = c.honest()
    return body.model_copy(update={"stock": swapped(body.stock, CIPHERTEXT_SIZE)})


@attacks.at("mix", "shuffle.challenge")
def masks_under_its_own_key(c: Cheat) -> messages.Mix:
    return _mixed(c, key=c.key)


@attacks.at("mix", "shuffle.challenge")
def mix_for_another_table(c: Cheat) -> messages.Mix:
    return _mixed(c, context=c.elsewhere(table=bytes(32)))


@attacks.at("mix", "shuffle.challenge")
def mix_for_another_step(c: Cheat) -> messages.Mix:
    return _mixed(c, context=c.elsewhere(step=c.moment.number - 1))


@attacks.at("mix", "shuffle.challenge")
def mix_for_another_member(c: Cheat) -> messages.Mix:
    return _mixed(c, context=c.elsewhere(member=(c.member + 1) % 3))


@attacks.at("mix", "ciphertext.length")
def drops_a_card(c: Cheat) -> messages.Mix:
    return _mixed(c, tuple(_stock(c)[1:]))


@attacks.at("mix", "ciphertext.length")
def adds_a_card(c: Cheat) -> messages.Mix:
    stock = _stock(c)
    return _mixed(c, (*stock, stock[0]))


@attacks.at("mix", "ciphertext.length")
def half_a_ciphertext_more(c: Cheat) -> messages.Mix:
    body = c.honest()
    return body.model_copy(update={"stock": body.stock + body.stock[:POINT_SIZE]})


@attacks.at("mix", "shuffle.length")
def proof_truncated(c: Cheat) -> messages.Mix:
    body = c.honest()
    return body.model_copy(update={"stock_proof": body.stock_proof[:-1]})


@attacks.at("mix", "shuffle.length")
def proof_extended(c: Cheat) -> messages.Mix:
    body = c.honest()
    return body.model_copy(update={"stock_proof": body.stock_proof + b"\0"})


@attacks.at("mix", "shuffle.length")
def no_proof(c: Cheat) -> messages.Mix:
    return c.honest().model_copy(update={"stock_proof": b""})


@attacks.at("mix", "shuffle.challenge")
def proof_reordered(c: Cheat) -> messages.Mix:
    body = c.honest()
    cut = POINT_SIZE * len(_stock(c))
    proof = body.stock_proof[cut : 2 * cut] + body.stock_proof[:cut] + body.stock_proof[2 * cut :]
    return body.model_copy(update={"stock_proof": proof})


@attacks.at("mix", "scalar.range")
def scalar_out_of_range(c: Cheat) -> messages.Mix:
    body = c.honest()
    return body.model_copy(update={"stock_proof": body.stock_proof[:-32] + q.to_bytes(32, "big")})


@attacks.at("mix", "shuffle.challenge")
def scalar_spoiled(c: Cheat) -> messages.Mix:
    body = c.honest()
    return body.model_copy(update={"stock_proof": spoiled(body.stock_proof)})


@attacks.at("mix", "point.encoding")
def point_of_the_proof_at_infinity(c: Cheat) -> messages.Mix:
    body = c.honest()
    return body.model_copy(update={"stock_proof": bytes(POINT_SIZE) + body.stock_proof[POINT_SIZE:]})


@attacks.at("mix", "point.encoding")
def card_at_infinity(c: Cheat) -> messages.Mix:
    body = c.honest()
    return body.model_copy(update={"stock": bytes(POINT_SIZE) + body.stock[POINT_SIZE:]})


@attacks.at("mix", "point.encoding")
def card_off_the_curve(c: Cheat) -> messages.Mix:
    body = c.honest()
    off = b"\x02" + (5).to_bytes(32, "big")
    return body.model_copy(update={"stock": off + body.stock[POINT_SIZE:]})


@attacks.at("mix", "mix.surplus")
def proof_for_an_empty_list(c: Cheat) -> messages.Mix:
    body = c.honest()
    return body.model_copy(update={"hands_proof": body.stock_proof})


@attacks.at("mix", "ciphertext.length")
def cards_for_an_empty_list(c: Cheat) -> messages.Mix:
    body = c.honest()
    return body.model_copy(update={"hands": body.stock[:CIPHERTEXT_SIZE]})


def _bases(c: Cheat) -> tuple[Point, ...]:
    if c.moment.owed.kind == "tags":
        work = restock.making(c.layout)
        return tuple(ct.a for ct in (*work.stock, *work.hands))
    places = dealer.positions(c.ask)
    return tuple(c.layout.stock[place].a for seat, place in places if c.layout.seating[seat] != c.member)


def _shared(c: Cheat, bases: Sequence[Point], secret: int, context: Context | None = None) -> messages.Share:
    points, proof = sigma.prove_equal_logs(context or c.context, secret, group.base(secret), bases, c.randomness)
    return messages.Share(shares=group_encode(points), proof=proof)


def group_encode(points: Sequence[Point]) -> bytes:
    return b"".join(group.encode(point) for point in points)


def _both(rule: str):  # type: ignore[no-untyped-def]
    """The same attack on a deal and on the tags of a restock."""

    def add(make):  # type: ignore[no-untyped-def]
        attacks.at("share", rule)(make)
        return attacks.at("tags", rule)(make)

    return add


@_both("shares.challenge")
def shares_of_another_key(c: Cheat) -> messages.Share:
    return _shared(c, _bases(c), c.secret + 1)


@_both("shares.challenge")
def shares_of_another_key_with_the_right_proof(c: Cheat) -> messages.Share:
    return c.honest().model_copy(update={"shares": _shared(c, _bases(c), c.secret + 1).shares})


@_both("shares.challenge")
def shares_for_the_places_after(c: Cheat) -> messages.Share:
    first, *rest = _bases(c)
    return _shared(c, (*rest, first), c.secret)


@_both("shares.challenge")
def two_shares_swapped(c: Cheat) -> messages.Share:
    body = c.honest()
    return body.model_copy(update={"shares": swapped(body.shares, POINT_SIZE, 0, 2)})


@_both("shares.challenge")
def two_errors_that_cancel(c: Cheat) -> messages.Share:
    body = c.honest()
    shares = [group.times(c.secret, base) for base in _bases(c)]
    shares[0], shares[1] = group.total([shares[0], G]), group.minus(shares[1], G)
    return body.model_copy(update={"shares": group_encode(shares)})


@_both("shares.challenge")
def errors_that_cancel_under_the_honest_weights(c: Cheat) -> messages.Share:
    """Weights drawn for the honest shares would let these errors pass; but they depend on the shares sent."""
    body, bases = c.honest(), _bases(c)
    shares = [group.times(c.secret, base) for base in bases]
    _, weights = sigma._batch(c.context, c.key, bases, tuple(shares))
    shares[0] = group.total([shares[0], group.base(weights[1])])
    shares[1] = group.minus(shares[1], group.base(weights[0]))
    return body.model_copy(update={"shares": group_encode(shares)})


@_both("shares.challenge")
def shares_for_another_table(c: Cheat) -> messages.Share:
    return _shared(c, _bases(c), c.secret, c.elsewhere(table=bytes(32)))


@_both("shares.challenge")
def shares_for_another_step(c: Cheat) -> messages.Share:
    return _shared(c, _bases(c), c.secret, c.elsewhere(step=c.moment.number - 1))


@_both("shares.challenge")
def shares_for_another_member(c: Cheat) -> messages.Share:
    return _shared(c, _bases(c), c.secret, c.elsewhere(member=c.member + 1))


@_both("points.length")
def too_few_shares(c: Cheat) -> messages.Share:
    return _shared(c, _bases(c)[:-1], c.secret)


@_both("points.length")
def too_many_shares(c: Cheat) -> messages.Share:
    return _shared(c, (*_bases(c), G), c.secret)


@_both("points.length")
def no_shares(c: Cheat) -> messages.Share:
    return messages.Share(shares=b"", proof=b"")


@_both("shares.length")
def shares_without_a_proof(c: Cheat) -> messages.Share:
    return c.honest().model_copy(update={"proof": b""})


@_both("shares.length")
def shares_proof_extended(c: Cheat) -> messages.Share:
    body = c.honest()
    return body.model_copy(update={"proof": body.proof + bytes(32)})


@_both("scalar.range")
def shares_scalar_out_of_range(c: Cheat) -> messages.Share:
    return c.honest().model_copy(update={"proof": b"\xff" * 64})


@_both("point.encoding")
def share_at_infinity(c: Cheat) -> messages.Share:
    body = c.honest()
    return body.model_copy(update={"shares": bytes(POINT_SIZE) + body.shares[POINT_SIZE:]})


@attacks.at("share", "shares.challenge")
def shares_for_its_own_cards_instead(c: Cheat) -> messages.Share:
    """Shares for what it is dealt itself would be published in place of those for another's."""
    places = dealer.positions(c.ask)
    own = tuple(c.layout.stock[place].a for seat, place in places if c.layout.seating[seat] == c.member)
    bases = _bases(c)
    return _shared(c, (*own, *bases[len(own) :]), c.secret)


@attacks.at("share", "shares.challenge", nth=1)
def shares_of_the_first_deal_again(c: Cheat) -> messages.Share:
    first = messages.decode(c.player.table.logs[c.member].chain[4].body)
    assert isinstance(first, messages.Share)
    return first.model_copy(update={"shares": first.shares[: POINT_SIZE * len(_bases(c))]})


@attacks.at("remix", "shuffle.challenge")
def doubles_a_card_of_the_hands(c: Cheat) -> messages.Mix:
    work = restock.making(c.layout)
    hands = (work.hands[1], *work.hands[1:])
    mixed, proof = shuffle.shuffle(c.context, work.joint, hands, range(len(hands)), c.randomness)
    return c.honest().model_copy(update={"hands": elgamal.encode(mixed), "hands_proof": proof})


@attacks.at("remix", "shuffle.challenge")
def swaps_a_card_of_the_hands_for_one_of_the_stock(c: Cheat) -> messages.Mix:
    work = restock.making(c.layout)
    hands = (work.stock[0], *work.hands[1:])
    mixed, proof = shuffle.shuffle(c.context, work.joint, hands, range(len(hands)), c.randomness)
    return c.honest().model_copy(update={"hands": elgamal.encode(mixed), "hands_proof": proof})


@attacks.at("remix", "shuffle.challenge")
def mixes_the_hands_under_its_own_key(c: Cheat) -> messages.Mix:
    work = restock.making(c.layout)
    mixed, proof = shuffle.shuffle(c.context, c.key, work.hands, range(len(work.hands)), c.randomness)
    return c.honest().model_copy(update={"hands": elgamal.encode(mixed), "hands_proof": proof})


@attacks.at("remix", "shuffle.challenge")
def stock_as_the_hands_were_mixed(c: Cheat) -> messages.Mix:
    """A doubled card in the stock, with an honest mix of the hands."""
    stock = _stock(c)
    stock[0] = stock[1]
    return _mixed(c, tuple(stock))


@attacks.at("remix", "ciphertext.length")
def exchanges_the_lists(c: Cheat) -> messages.Mix:
    body = c.honest()
    return messages.Mix(stock=body.hands, stock_proof=body.hands_proof, hands=body.stock, hands_proof=body.stock_proof)


@attacks.at("remix", "shuffle.length")
def leaves_the_hands_unproved(c: Cheat) -> messages.Mix:
    return c.honest().model_copy(update={"hands_proof": b""})


@attacks.at("remix", "ciphertext.length")
def leaves_out_the_hands(c: Cheat) -> messages.Mix:
    return c.honest().model_copy(update={"hands": b"", "hands_proof": b""})


@attacks.at("rekey", "reencrypt.challenge")
def another_card_in_place_of_its_own(c: Cheat) -> messages.Rekey:
    """It would have a stock from which a card it wants was not taken."""
    work, own = restock.making(c.layout), restock.cards_of(c.layout, c.member)
    known = elgamal.open_encryption(elgamal.card_point(c.hand[0] + 1), c.key)
    cards, proof = sigma.reencrypt(c.context, c.secret, c.key, work.joint, (known, *own[1:]), c.randomness)
    return messages.Rekey(cards=elgamal.encode(cards), proof=proof)


@attacks.at("rekey", "reencrypt.challenge")
def two_of_its_cards_swapped(c: Cheat) -> messages.Rekey:
    body = c.honest()
    return body.model_copy(update={"cards": swapped(body.cards, CIPHERTEXT_SIZE)})


@attacks.at("rekey", "reencrypt.challenge")
def one_card_twice(c: Cheat) -> messages.Rekey:
    body = c.honest()
    return body.model_copy(update={"cards": body.cards[:CIPHERTEXT_SIZE] + body.cards[:-CIPHERTEXT_SIZE]})


def _rekeyed(c: Cheat, joint: Point, secret: int, context: Context) -> messages.Rekey:
    own = restock.cards_of(c.layout, c.member)
    cards, proof = sigma.reencrypt(context, secret, group.base(secret), joint, own, c.randomness)
    return messages.Rekey(cards=elgamal.encode(cards), proof=proof)


@attacks.at("rekey", "reencrypt.challenge")
def under_the_key_of_all_with_the_leaver(c: Cheat) -> messages.Rekey:
    return _rekeyed(c, group.total(c.layout.keys.values()), c.secret, c.context)


@attacks.at("rekey", "reencrypt.challenge")
def from_another_key(c: Cheat) -> messages.Rekey:
    return _rekeyed(c, restock.making(c.layout).joint, c.secret + 1, c.context)


@attacks.at("rekey", "reencrypt.challenge")
def rekey_for_another_table(c: Cheat) -> messages.Rekey:
    return _rekeyed(c, restock.making(c.layout).joint, c.secret, c.elsewhere(table=bytes(32)))


@attacks.at("rekey", "reencrypt.challenge")
def rekey_for_another_step(c: Cheat) -> messages.Rekey:
    return _rekeyed(c, restock.making(c.layout).joint, c.secret, c.elsewhere(step=c.moment.number + 1))


@attacks.at("rekey", "ciphertext.length")
def a_card_of_its_own_left_out(c: Cheat) -> messages.Rekey:
    body = c.honest()
    return body.model_copy(update={"cards": body.cards[CIPHERTEXT_SIZE:], "proof": body.proof[:-32]})


@attacks.at("rekey", "reencrypt.length")
def rekey_proof_truncated(c: Cheat) -> messages.Rekey:
    body = c.honest()
    return body.model_copy(update={"proof": body.proof[:-32]})


def _raised(
    c: Cheat, exponents: Sequence[int], proved: int, key: Point | None = None, context: Context | None = None
) -> messages.Blind:
    """Each point raised to an exponent of its own, with a proof that would fit if all were `proved`."""
    work = restock.making(c.layout)
    points = restock.points(work)
    key = key or group.base(proved)
    raised = tuple(group.times(e, p) for e, p in zip(exponents, points, strict=True))
    _, proof = sigma.prove_equal_logs(context or c.context, proved, key, points, c.randomness)
    data = group_encode(raised)
    cut = CIPHERTEXT_SIZE * len(work.stock)
    return messages.Blind(key=group.encode(key), stock=data[:cut], hands=data[cut:], proof=proof)


def _count(c: Cheat) -> tuple[int, int]:
    work = restock.making(c.layout)
    return 2 * len(work.stock), 2 * len(work.hands)


@attacks.at("blind", "shares.challenge")
def one_ciphertext_left_as_it_was(c: Cheat) -> messages.Blind:
    stock, hands = _count(c)
    return _raised(c, [1, 1] + [7] * (stock + hands - 2), 7)


@attacks.at("blind", "shares.challenge")
def another_exponent_for_the_hands(c: Cheat) -> messages.Blind:
    stock, hands = _count(c)
    return _raised(c, [7] * stock + [8] * hands, 7)


@attacks.at("blind", "shares.challenge")
def another_exponent_for_half_of_a_ciphertext(c: Cheat) -> messages.Blind:
    stock, hands = _count(c)
    return _raised(c, [7] * (stock + hands - 1) + [8], 7)


@attacks.at("blind", "shares.challenge")
def another_exponent_than_committed_to(c: Cheat) -> messages.Blind:
    return _raised(c, [7] * sum(_count(c)), 7, key=group.base(8))


@attacks.at("blind", "shares.challenge")
def the_other_exponent_proved(c: Cheat) -> messages.Blind:
    return _raised(c, [7] * sum(_count(c)), 8)


@attacks.at("blind", "shares.challenge")
def blinded_cards_swapped(c: Cheat) -> messages.Blind:
    body = c.honest()
    return body.model_copy(update={"hands": swapped(body.hands, CIPHERTEXT_SIZE)})


@attacks.at("blind", "shares.challenge")
def blind_for_another_step(c: Cheat) -> messages.Blind:
    return _raised(c, [7] * sum(_count(c)), 7, context=c.elsewhere(step=c.moment.number - 1))


@attacks.at("blind", "shares.challenge")
def blind_for_another_member(c: Cheat) -> messages.Blind:
    return _raised(c, [7] * sum(_count(c)), 7, context=c.elsewhere(member=c.member + 1))


@attacks.at("blind", "ciphertext.length")
def a_card_moved_to_the_other_list(c: Cheat) -> messages.Blind:
    body = c.honest()
    cut = -CIPHERTEXT_SIZE
    return body.model_copy(update={"stock": body.stock[:cut], "hands": body.stock[cut:] + body.hands})


@attacks.at("blind", "point.encoding")
def exponent_nought(c: Cheat) -> messages.Blind:
    body = c.honest()
    return body.model_copy(
        update={"key": bytes(POINT_SIZE), "stock": bytes(len(body.stock)), "hands": bytes(len(body.hands))}
    )


@attacks.at("blind", "shares.length")
def blind_without_a_proof(c: Cheat) -> messages.Blind:
    return c.honest().model_copy(update={"proof": b""})


@pytest.mark.parametrize("attack", attacks.parameters())
def test_one_member_cheats(attack: Attack) -> None:
    convict(attack, len(attack.name) % 3)


@pytest.mark.parametrize("kind", ["share", "tags"])
def test_the_game_goes_on_to_its_natural_end(kind: str) -> None:
    convict(next(a for a in attacks if a.at == kind), 1, whole=True)


@pytest.mark.slow
@pytest.mark.parametrize("attack", attacks.parameters())
def test_one_member_cheats_at_a_larger_table(attack: Attack) -> None:
    count = 4 + len(attack.name) % 2
    convict(attack, len(attack.name) % count, count)


@pytest.mark.slow
@pytest.mark.parametrize("count", [3, 4, 5])
@pytest.mark.parametrize("kind", ["mix", "share", "rekey", "remix", "blind", "tags"])
def test_every_member_cheats(kind: str, count: int) -> None:
    """Each with another attack; one of the games is played to its natural end."""
    possible = [attack for attack in attacks if attack.at == kind]
    for member in range(count):
        convict(possible[(member + count) % len(possible)], member, count, whole=member == count - 1)
