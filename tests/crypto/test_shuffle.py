"""A shuffle keeps every card, once; whoever does anything else is refused, by the very relation he breaks."""

from __future__ import annotations

import itertools

import pytest

from p2pmatryoshka.crypto import elgamal, group, shuffle
from p2pmatryoshka.crypto.elgamal import Ciphertext, Ciphertexts, card_point
from p2pmatryoshka.crypto.group import INFINITY, Point, base, q, times, total
from p2pmatryoshka.errors import Fault
from tests.crypto.helpers import CONTEXT, backwards, deck, key_pair, randomness, refused
from tests.crypto.proofs import (
    DECK,
    HALF,
    IDENTITY,
    KEY,
    KEY2,
    MASKS,
    Matrix,
    X,
    cheat_shuffle,
    drop_relation,
    mix,
    verify_cheat,
)


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
def test_outputs_are_the_inputs_in_that_order(order: tuple[int, ...]) -> None:
    outputs, proof = shuffle.shuffle(CONTEXT, KEY, DECK, order, randomness(order))
    shuffle.verify_shuffle(CONTEXT, KEY, DECK, outputs, proof)
    assert [elgamal.decrypt(X, ct) for ct in outputs] == [card_point(c) for c in order]
    assert not {p for ct in outputs for p in ct} & {p for ct in DECK for p in ct}


@pytest.mark.parametrize("count", [1, 2, 52])
def test_sizes(count: int) -> None:
    cards = deck(count, KEY)
    outputs, proof = shuffle.shuffle(CONTEXT, KEY, cards, range(count)[::-1], randomness(count))
    assert len(proof) == shuffle.proof_size(count) == 130 * count + 160
    shuffle.verify_shuffle(CONTEXT, KEY, cards, outputs, proof)
    shuffle.verify_shuffle(CONTEXT, KEY, cards, outputs, proof, spread=backwards)


def test_the_opening_deck_with_its_public_mask_and_equal_cards() -> None:
    opening = tuple(elgamal.open_encryption(card_point(c), KEY) for c in (4, 4, 5))
    outputs, proof = shuffle.shuffle(CONTEXT, KEY, opening, [1, 2, 0], randomness("opening"))
    shuffle.verify_shuffle(CONTEXT, KEY, opening, outputs, proof)
    assert len(set(outputs)) == 3


@pytest.mark.parametrize("order", [[], [0, 1], [0, 0, 2], [1, 2, 3], [0, 1, 2, 3], [-1, 0, 1]])
def test_our_own_order_must_be_a_permutation(order: list[int]) -> None:
    with pytest.raises(Fault):
        shuffle.shuffle(CONTEXT, KEY, DECK, order, randomness("order"))


def test_no_cards_are_no_shuffle() -> None:
    with pytest.raises(Fault):
        shuffle.shuffle(CONTEXT, KEY, (), [], randomness("none"))
    with refused("shuffle.count"):
        shuffle.verify_shuffle(CONTEXT, KEY, (), (), b"")


HONEST, HONEST_PROOF = shuffle.shuffle(CONTEXT, KEY, DECK, [2, 0, 1], randomness("honest"))


@pytest.mark.parametrize("outputs", [(), HONEST[:2], (*HONEST, HONEST[0])])
def test_too_few_or_many(outputs: Ciphertexts) -> None:
    with refused("shuffle.count"):
        shuffle.verify_shuffle(CONTEXT, KEY, DECK, outputs, HONEST_PROOF)


def test_a_proof_for_another_number_of_cards() -> None:
    with refused("shuffle.length"):
        shuffle.verify_shuffle(CONTEXT, KEY, DECK[:2], HONEST[:2], HONEST_PROOF)


def test_another_key() -> None:
    with refused("shuffle.challenge"):
        shuffle.verify_shuffle(CONTEXT, KEY2, DECK, HONEST, HONEST_PROOF)
    outputs, proof = shuffle.shuffle(CONTEXT, KEY2, DECK, [2, 0, 1], randomness("other key"))
    with refused("shuffle.challenge"):
        shuffle.verify_shuffle(CONTEXT, KEY, DECK, outputs, proof)
    remasked = mix(IDENTITY, DECK, MASKS, KEY2)  # cards only KEY2 could open, passed off as under KEY
    with refused("shuffle.challenge"):
        verify_cheat(remasked, cheat_shuffle(remasked))


def test_another_deck() -> None:
    other = deck(4, KEY)[1:]
    with refused("shuffle.challenge"):
        shuffle.verify_shuffle(CONTEXT, KEY, other, HONEST, HONEST_PROOF)
    with refused("shuffle.challenge"):
        shuffle.verify_shuffle(CONTEXT, KEY, DECK[::-1], HONEST, HONEST_PROOF)


@pytest.mark.parametrize("order", [p for p in itertools.permutations(range(3)) if p != (0, 1, 2)])
def test_outputs_moved_after_the_proof(order: tuple[int, ...]) -> None:
    with refused("shuffle.challenge"):
        shuffle.verify_shuffle(CONTEXT, KEY, DECK, [HONEST[i] for i in order], HONEST_PROOF)


def test_halves_of_ciphertexts_exchanged() -> None:
    mixed = (Ciphertext(HONEST[0].a, HONEST[1].b), Ciphertext(HONEST[1].a, HONEST[0].b), HONEST[2])
    turned = tuple(Ciphertext(ct.b, ct.a) for ct in HONEST)
    for outputs in (mixed, turned):
        with refused("shuffle.challenge"):
            shuffle.verify_shuffle(CONTEXT, KEY, DECK, outputs, HONEST_PROOF)


def foreign(*cards: int) -> Ciphertexts:
    """Fresh encryptions of whatever cards, as the cheat likes them."""
    return tuple(Ciphertext(base(r), total((card_point(c), times(r, KEY)))) for c, r in zip(cards, MASKS, strict=True))


WRONG_DECKS: dict[str, Ciphertexts] = {
    "a card twice, another dropped": mix([[1, 0, 0], [1, 0, 0], [0, 0, 1]], DECK, MASKS),
    "all the same card": mix([[0, 1, 0]] * 3, DECK, MASKS),
    "a card of another deck": foreign(0, 1, 9),
    "three other cards": foreign(7, 8, 9),
    "a scaled card": mix([[1, 0, 0], [0, 2, 0], [0, 0, 1]], DECK, MASKS),
    "scaled cards, product 1": mix([[HALF, 0, 0], [0, 2, 0], [0, 0, 1]], DECK, MASKS),
    "all cards scaled alike": mix([[3, 0, 0], [0, 3, 0], [0, 0, 3]], DECK, MASKS),
    "a negated card": mix([[1, 0, 0], [0, q - 1, 0], [0, 0, 1]], DECK, MASKS),
    "cards added up, sum kept": mix([[2, 0, 0], [q - 1, 1, 0], [0, 0, 1]], DECK, MASKS),
    "a card added to another": mix([[0, 1, 0], [0, 0, 1], [1, 0, 1]], DECK, MASKS),
}


@pytest.mark.parametrize("name", WRONG_DECKS)
@pytest.mark.parametrize("claimed", [IDENTITY, [[0, 1, 0], [0, 0, 1], [1, 0, 0]]], ids=["identity", "rotation"])
def test_a_wrong_deck_claimed_to_be_a_permutation(name: str, claimed: Matrix) -> None:
    outputs = WRONG_DECKS[name]
    with refused("shuffle.challenge"):
        verify_cheat(outputs, cheat_shuffle(outputs, committed=claimed))


def test_the_cheating_prover_passes_when_it_does_not_cheat() -> None:
    outputs = mix([[0, 1, 0], [0, 0, 1], [1, 0, 0]], DECK, MASKS)
    verify_cheat(outputs, cheat_shuffle(outputs, committed=[[0, 1, 0], [0, 0, 1], [1, 0, 0]]))


# One relation at a time: a cheat that breaks it and keeps all the others. Each passes a verifier without that relation.

SCALED = mix([[HALF, 0, 0], [0, 2, 0], [0, 0, 1]], DECK, MASKS)
SCALING: Matrix = [[2, 0, 0], [0, HALF, 0], [0, 0, 1]]  # u' that scaled cards need; its product is right
ADDED = mix([[HALF, 0, 0], [HALF, 1, 0], [0, 0, 1]], DECK, MASKS)
ADDING: Matrix = [[2, q - 1, 0], [0, 1, 0], [0, 0, 1]]  # rows that sum to 1, as in a permutation; its product is wrong
PLAIN = mix(IDENTITY, DECK, MASKS)
WRONG_MASK = (Ciphertext(total((PLAIN[0].a, base(9))), PLAIN[0].b), *PLAIN[1:])
WRONG_CARD = (Ciphertext(PLAIN[0].a, total((PLAIN[0].b, card_point(9)))), *PLAIN[1:])


def broken(name: str) -> tuple[Ciphertexts, bytes]:
    match name:
        case "permutation":
            return SCALED, cheat_shuffle(SCALED, committed=SCALING)
        case "product":
            return ADDED, cheat_shuffle(ADDED, committed=ADDING)
        case "commitment":
            return SCALED, cheat_shuffle(SCALED, committed=IDENTITY, used=SCALING)
        case "first":
            return WRONG_MASK, cheat_shuffle(WRONG_MASK)
        case "second":
            return WRONG_CARD, cheat_shuffle(WRONG_CARD)
        case _:
            return ADDED, cheat_shuffle(ADDED, committed=ADDING, broken_link=int(name[-1]) - 1)


RELATIONS = ["permutation", "product", "commitment", "first", "second", "chain 1", "chain 2", "chain 3"]


@pytest.mark.parametrize("number", range(8), ids=RELATIONS)
def test_each_relation_alone_refuses_a_cheat(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    outputs, proof = broken(RELATIONS[number])
    for spread in (None, backwards):
        with refused("shuffle.challenge"):
            verify_cheat(outputs, proof, spread)
    drop_relation(monkeypatch, number)
    outputs, proof = broken(RELATIONS[number])
    verify_cheat(outputs, proof)


@pytest.mark.parametrize("number", range(8), ids=RELATIONS)
def test_no_other_relation_is_broken_by_that_cheat(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    drop_relation(monkeypatch, (number + 1) % 8)
    outputs, proof = broken(RELATIONS[number])
    with refused("shuffle.challenge"):
        verify_cheat(outputs, proof)


def test_the_chain_begins_at_h(monkeypatch: pytest.MonkeyPatch) -> None:
    """A first link from a point of the prover's choice could make any product right."""
    with monkeypatch.context() as patch:
        patch.setattr(shuffle, "H", group.G)
        outputs, proof = shuffle.shuffle(CONTEXT, KEY, DECK, [2, 0, 1], randomness("chain"))
    with refused("shuffle.challenge"):
        shuffle.verify_shuffle(CONTEXT, KEY, DECK, outputs, proof)


def test_generators_are_distinct_and_are_no_cards() -> None:
    points = [shuffle.H, group.G, *[shuffle.generator(i) for i in range(100)], *[card_point(c) for c in range(100)]]
    assert len(set(points)) == len(points)
    assert INFINITY not in points
    assert shuffle.generator(3) == group.hash_to_point(b"p2pmatryoshka/1 generator", b"\0\0\0\3")
    assert group.hash_to_point(b"p2pmatryoshka/1 chain base", b"") == shuffle.H


def test_a_hand_under_a_sum_of_keys_goes_through_several_shuffles() -> None:
    pairs = [key_pair(i) for i in range(3)]
    joint: Point = total([p for _, p in pairs])
    cards = tuple(elgamal.open_encryption(card_point(c), joint) for c in range(4))
    for i in range(3):
        outputs, proof = shuffle.shuffle(CONTEXT, joint, cards, [1, 2, 3, 0], randomness(i))
        shuffle.verify_shuffle(CONTEXT, joint, cards, outputs, proof)
        cards = outputs
    left = [elgamal.dealt(ct, [times(x, ct.a) for x, _ in pairs[1:]]) for ct in cards]
    assert [elgamal.decrypt(pairs[0][0], ct) for ct in left] == [card_point(c) for c in (3, 0, 1, 2)]
