"""From one's own key to the joint key, the same cards."""

from __future__ import annotations

import pytest

from p2pmatryoshka.crypto import elgamal, sigma
from p2pmatryoshka.crypto.elgamal import Ciphertext, Ciphertexts, card_point
from p2pmatryoshka.crypto.group import base, minus, times, total
from tests.crypto.helpers import CONTEXT, backwards, deck, randomness, refused
from tests.crypto.proofs import HAND, JOINT, KEY, KEY2, X2, X, cheat_reencrypt, drop_relation

NEW, PROOF = sigma.reencrypt(CONTEXT, X, KEY, JOINT, HAND, randomness("reencrypt"))


def check(new: Ciphertexts, proof: bytes) -> None:
    sigma.verify_reencrypt(CONTEXT, KEY, JOINT, HAND, new, proof)


def moved(x: int = X, masks: tuple[int, int] = (21, 22)) -> list[Ciphertext]:
    return [
        Ciphertext(base(r), total((minus(ct.b, times(x, ct.a)), times(r, JOINT))))
        for r, ct in zip(masks, HAND, strict=True)
    ]


def test_the_same_cards_under_the_joint_key() -> None:
    assert [elgamal.decrypt(X + X2, ct) for ct in NEW] == [card_point(0), card_point(1)]
    assert len(PROOF) == 32 * 4
    check(NEW, PROOF)
    check(tuple(moved()), cheat_reencrypt(tuple(moved()), X, (21, 22)))


@pytest.mark.parametrize("count", [1, 30])
def test_any_number_in_one_proof(count: int) -> None:
    cards = deck(count, KEY)
    new, proof = sigma.reencrypt(CONTEXT, X, KEY, JOINT, cards, randomness(count))
    sigma.verify_reencrypt(CONTEXT, KEY, JOINT, cards, new, proof, spread=backwards)


def test_no_cards_no_proof() -> None:
    assert sigma.reencrypt(CONTEXT, X, KEY, JOINT, (), randomness("none")) == ((), b"")
    sigma.verify_reencrypt(CONTEXT, KEY, JOINT, (), (), b"")
    with refused("reencrypt.length"):
        sigma.verify_reencrypt(CONTEXT, KEY, JOINT, (), (), PROOF)


@pytest.mark.parametrize("new", [(), NEW[:1], (*NEW, NEW[0])])
def test_too_few_or_many(new: Ciphertexts) -> None:
    with refused("reencrypt.count"):
        check(new, PROOF)


def test_another_key_another_hand_another_order() -> None:
    for own, joint, hand, new in (
        (KEY2, JOINT, HAND, NEW),
        (KEY, KEY2, HAND, NEW),
        (KEY, JOINT, HAND[::-1], NEW),
        (KEY, JOINT, HAND, NEW[::-1]),
        (KEY, JOINT, deck(3, KEY)[1:], NEW),
    ):
        with refused("reencrypt.challenge"):
            sigma.verify_reencrypt(CONTEXT, own, joint, hand, new, PROOF)


def broken(relation: int) -> tuple[Ciphertexts, bytes]:
    """A cheat that breaks this relation and keeps all the others."""
    if relation == 0:  # a key that is not one's own: the cards become garbage nobody is blamed for
        return tuple(moved(X2)), cheat_reencrypt(tuple(moved(X2)), X2, (21, 22))
    new, card = moved(), (relation - 1) // 2
    if relation % 2:  # a mask that is not the one used: a card nobody can open
        new[card] = Ciphertext(base(5), new[card].b)
    else:  # another card
        new[card] = Ciphertext(new[card].a, total((new[card].b, card_point(9))))
    return tuple(new), cheat_reencrypt(tuple(new), X, (21, 22))


@pytest.mark.parametrize("relation", range(5))
def test_each_relation_alone_refuses_a_cheat(relation: int, monkeypatch: pytest.MonkeyPatch) -> None:
    with refused("reencrypt.challenge"):
        check(*broken(relation))
    drop_relation(monkeypatch, relation)
    check(*broken(relation))
