"""Shares: one log for all positions, each share for its own position, none missing and none too many."""

from __future__ import annotations

import itertools

import pytest

from p2pmatryoshka.crypto import sigma
from p2pmatryoshka.crypto.elgamal import card_point
from p2pmatryoshka.crypto.group import INFINITY, Point, base, combination_public, minus, times, total
from tests.crypto.helpers import CONTEXT, backwards, randomness, refused
from tests.crypto.proofs import BASES, KEY, KEY2, X2, X, drop_relation

SHARES, PROOF = sigma.prove_equal_logs(CONTEXT, X, KEY, BASES, randomness("shares"))


def check(shares: list[Point], proof: bytes = PROOF, key: Point = KEY) -> None:
    sigma.verify_equal_logs(CONTEXT, key, BASES, shares, proof)


def prove(shares: list[Point], x: int = X) -> bytes:
    """A proof for whatever shares, by somebody who follows the protocol otherwise."""
    transcript, weights = sigma._batch(CONTEXT, KEY, BASES, shares)
    mixed = combination_public(zip(weights, BASES, strict=True))
    relations = [sigma.Relation(KEY, [(0, sigma.G)]), sigma.Relation(KEY, [(0, mixed)])]
    return sigma.prove(transcript, relations, [x], randomness("cheat"))


def test_shares_are_the_multiples_of_the_bases() -> None:
    assert tuple(times(X, p) for p in BASES) == SHARES
    assert len(PROOF) == 64
    check(list(SHARES), prove(list(SHARES)))


@pytest.mark.parametrize("count", [1, 2, 100])
def test_any_number_in_one_proof(count: int) -> None:
    bases = [base(k) for k in range(1, count + 1)]
    shares, proof = sigma.prove_equal_logs(CONTEXT, X, KEY, bases, randomness(count))
    assert len(proof) == 64
    sigma.verify_equal_logs(CONTEXT, KEY, bases, shares, proof)
    sigma.verify_equal_logs(CONTEXT, KEY, bases, shares, proof, spread=backwards)
    wrong = [*shares[:-1], card_point(0)]
    with refused("shares.challenge"):
        sigma.verify_equal_logs(CONTEXT, KEY, bases, wrong, proof, spread=backwards)


def test_an_empty_list_carries_no_proof() -> None:
    assert sigma.prove_equal_logs(CONTEXT, X, KEY, [], randomness("none")) == ((), b"")
    sigma.verify_equal_logs(CONTEXT, KEY, [], [], b"")
    with refused("shares.length"):
        sigma.verify_equal_logs(CONTEXT, KEY, [], [], PROOF)
    with refused("shares.length"):
        check(list(SHARES), b"")


@pytest.mark.parametrize("shares", [[], SHARES[:1], SHARES[:2], [*SHARES, SHARES[0]]])
def test_too_few_or_many(shares: list[Point]) -> None:
    with refused("shares.count"):
        check(shares)


def test_shares_without_places() -> None:
    with refused("shares.count"):
        sigma.verify_equal_logs(CONTEXT, KEY, [], SHARES, b"")


@pytest.mark.parametrize("place", range(3))
def test_one_wrong_share(place: int) -> None:
    wrong = list(SHARES)
    wrong[place] = total((wrong[place], card_point(3)))
    with refused("shares.challenge"):
        check(wrong)
    with refused("shares.challenge"):
        check(wrong, prove(wrong))


@pytest.mark.parametrize("order", [p for p in itertools.permutations(range(3)) if p != (0, 1, 2)])
def test_shares_mixed_between_positions(order: tuple[int, ...]) -> None:
    mixed = [SHARES[i] for i in order]
    with refused("shares.challenge"):
        check(mixed)
    with refused("shares.challenge"):
        check(mixed, prove(mixed))


def test_the_share_of_another_position() -> None:
    others = [base(k) for k in (14, 15, 16)]
    shares, proof = sigma.prove_equal_logs(CONTEXT, X, KEY, others, randomness("others"))
    with refused("shares.challenge"):
        check(list(shares), proof)
    with refused("shares.challenge"):
        check(list(shares), prove(list(shares)))


def test_errors_that_cancel_in_the_plain_sum() -> None:
    """Without weights the sum of all shares would be right."""
    error = card_point(3)
    wrong = [total((SHARES[0], error)), minus(SHARES[1], error), SHARES[2]]
    assert total(wrong) == total(SHARES)
    with refused("shares.challenge"):
        check(wrong)
    with refused("shares.challenge"):
        check(wrong, prove(wrong))


def test_shares_of_another_key() -> None:
    shares, proof = sigma.prove_equal_logs(CONTEXT, X2, KEY2, BASES, randomness("other key"))
    sigma.verify_equal_logs(CONTEXT, KEY2, BASES, shares, proof)
    with refused("shares.challenge"):
        check(list(shares), proof)
    with refused("shares.challenge"):
        check(list(shares), prove(list(shares), X2))
    with refused("shares.challenge"):
        check(list(SHARES), PROOF, KEY2)


def test_one_share_of_another_key_among_right_ones() -> None:
    mixed = [SHARES[0], times(X2, BASES[1]), SHARES[2]]
    with refused("shares.challenge"):
        check(mixed, prove(mixed))


@pytest.mark.parametrize("relation", ["the key", "the shares"])
def test_each_relation_alone_refuses_a_cheat(relation: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Key and shares stay equations of their own: shares by one key, then shares by none."""
    if relation == "the key":
        x, shares = X2, [times(X2, p) for p in BASES]
    else:
        x, shares = X, [card_point(c) for c in range(3)]
    with refused("shares.challenge"):
        check(shares, prove(shares, x))
    drop_relation(monkeypatch, 0 if relation == "the key" else 1)
    check(shares, prove(shares, x))


def test_bases_that_cancel_do_not_upset_anybody() -> None:
    bases = [base(3), base(-3)]
    shares, proof = sigma.prove_equal_logs(CONTEXT, X, KEY, bases, randomness("cancel"))
    sigma.verify_equal_logs(CONTEXT, KEY, bases, shares, proof)
    assert total(shares) == INFINITY


def test_proof_of_knowledge_of_a_log() -> None:
    proof = sigma.prove_log(CONTEXT, X, KEY, randomness("log"))
    sigma.verify_log(CONTEXT, KEY, proof)
    for wrong in (KEY2, total((KEY, KEY2)), minus(INFINITY, KEY)):
        with refused("log.challenge"):
            sigma.verify_log(CONTEXT, wrong, proof)
    with refused("log.challenge"):
        sigma.verify_log(CONTEXT, KEY2, sigma.prove_log(CONTEXT, X, KEY2, randomness("log")))


def test_a_rogue_key_has_no_proof() -> None:
    """P' = R - P makes the joint key R alone; knowing R's log is not knowing that of P'."""
    rogue = minus(base(77), KEY)
    with refused("log.challenge"):
        sigma.verify_log(CONTEXT, rogue, sigma.prove_log(CONTEXT, 77, rogue, randomness("rogue")))
