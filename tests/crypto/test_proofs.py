"""What every kind of proof must withstand: its bytes changed, its place changed, its nonces left out."""

from __future__ import annotations

import itertools

import pytest

from p2pmatryoshka.crypto import labels, shuffle
from p2pmatryoshka.crypto.group import POINT_SIZE, q
from p2pmatryoshka.crypto.transcript import Context
from tests.crypto.helpers import (
    BAD_POINTS,
    CONTEXT,
    ELSEWHERE,
    backwards,
    deck,
    key_pair,
    mutated,
    randomness,
    refused,
    watch_library,
)
from tests.crypto.proofs import KINDS, Kind, capture_secrets

every_kind = pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)


def scalar_places(kind: Kind) -> list[int]:
    start = kind.points * POINT_SIZE
    return list(range(start, start + 32 * kind.scalars, 32))


@every_kind
def test_an_honest_proof_passes(kind: Kind) -> None:
    proof, check = kind.make(CONTEXT)
    assert len(proof) == POINT_SIZE * kind.points + 32 * kind.scalars
    check(CONTEXT, proof)
    check(CONTEXT, proof, backwards)


@every_kind
@pytest.mark.parametrize("field", ELSEWHERE)
def test_replayed_elsewhere(kind: Kind, field: str) -> None:
    proof, check = kind.make(CONTEXT)
    with refused(f"{kind.rule}.challenge"):
        check(ELSEWHERE[field], proof)
    with refused(f"{kind.rule}.challenge"):
        check(ELSEWHERE[field], proof, backwards)


@every_kind
def test_made_for_another_purpose(kind: Kind, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        for name in [name for name in vars(labels) if name.startswith("PROOF_")]:
            patch.setattr(labels, name, b"p2pmatryoshka/1 proof of something else")
        proof, check = kind.make(CONTEXT)
        check(CONTEXT, proof)
    with refused(f"{kind.rule}.challenge"):
        check(CONTEXT, proof)


@every_kind
def test_truncated_and_extended(kind: Kind) -> None:
    proof, check = kind.make(CONTEXT)
    for wrong in (b"", proof[:-1], proof[1:], proof[:-32], proof + b"\0", proof + bytes(32), proof * 2):
        with refused(f"{kind.rule}.length"):
            check(CONTEXT, wrong)


@every_kind
def test_lengths_are_looked_at_before_anything_is_multiplied(kind: Kind, monkeypatch: pytest.MonkeyPatch) -> None:
    proof, check = kind.make(CONTEXT)
    watched = watch_library(monkeypatch)
    for wrong in (proof[:-1], proof + b"\0"):
        with refused(f"{kind.rule}.length"):
            check(CONTEXT, wrong)
    assert watched.count("ec_pubkey_tweak_mul") + watched.count("ec_pubkey_create") + watched.count("ecdh") == 0


@every_kind
def test_scalars_out_of_range(kind: Kind) -> None:
    proof, check = kind.make(CONTEXT)
    for place in scalar_places(kind):
        for wrong in (q, 2**256 - 1):
            with refused("scalar.range"):
                check(CONTEXT, mutated(proof, place, wrong.to_bytes(32, "big")))


@every_kind
def test_each_scalar_matters(kind: Kind) -> None:
    proof, check = kind.make(CONTEXT)
    for place in scalar_places(kind):
        k = int.from_bytes(proof[place : place + 32], "big")
        with refused(f"{kind.rule}.challenge"):
            check(CONTEXT, mutated(proof, place, ((k + 1) % q).to_bytes(32, "big")))


@every_kind
def test_scalars_in_another_order(kind: Kind) -> None:
    proof, check = kind.make(CONTEXT)
    places = scalar_places(kind)
    for one, other in itertools.pairwise(places):
        swapped = mutated(mutated(proof, one, proof[other : other + 32]), other, proof[one : one + 32])
        with refused(f"{kind.rule}.challenge"):
            check(CONTEXT, swapped)


@every_kind
def test_no_nonces_at_all(kind: Kind, monkeypatch: pytest.MonkeyPatch) -> None:
    """Answers e x for a challenge of the prover's own: every t-value is infinity."""
    secrets = capture_secrets(monkeypatch)
    proof, check = kind.make(CONTEXT)
    e = 5
    answers = b"".join((k % q).to_bytes(32, "big") for k in (e, *[e * x for x in secrets]))
    with refused(f"{kind.rule}.infinity"):
        check(CONTEXT, proof[: kind.points * POINT_SIZE] + answers)


@every_kind
def test_nothing_but_zeros(kind: Kind) -> None:
    proof, check = kind.make(CONTEXT)
    with refused(f"{kind.rule}.infinity"):
        check(CONTEXT, proof[: kind.points * POINT_SIZE] + bytes(32 * kind.scalars))


@pytest.mark.parametrize("name", BAD_POINTS)
@pytest.mark.parametrize("place", range(6))
def test_a_point_of_a_shuffle_proof_that_is_no_point(name: str, place: int) -> None:
    kind = KINDS["shuffle"]
    proof, check = kind.make(CONTEXT)
    with refused("point.encoding"):
        check(CONTEXT, mutated(proof, place * POINT_SIZE, BAD_POINTS[name]))


@pytest.mark.parametrize(("one", "other"), [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (0, 3)])
def test_points_of_a_shuffle_proof_in_another_order(one: int, other: int) -> None:
    proof, check = KINDS["shuffle"].make(CONTEXT)
    points = [proof[i * POINT_SIZE : (i + 1) * POINT_SIZE] for i in range(6)]
    points[one], points[other] = points[other], points[one]
    with refused("shuffle.challenge"):
        check(CONTEXT, b"".join(points) + proof[6 * POINT_SIZE :])


@pytest.mark.parametrize("place", range(6))
def test_each_point_of_a_shuffle_proof_matters(place: int) -> None:
    proof, check = KINDS["shuffle"].make(CONTEXT)
    negated = bytes([proof[place * POINT_SIZE] ^ 1])  # 02 becomes 03: the negative of the point
    with refused("shuffle.challenge"):
        check(CONTEXT, mutated(proof, place * POINT_SIZE, negated))


def test_sections_of_a_shuffle_proof_in_another_order() -> None:
    proof, check = KINDS["shuffle"].make(CONTEXT)
    points, scalars = proof[: 6 * POINT_SIZE], proof[6 * POINT_SIZE :]
    with refused("point.encoding"):
        check(CONTEXT, scalars + points)


@every_kind
def test_provers_use_the_fast_multiplication_for_public_values_only(
    kind: Kind, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The one exception is the batch, which weighs public bases by public weights."""
    watched = watch_library(monkeypatch)
    kind.make(CONTEXT)
    assert watched.count("ecdh") + watched.count("ec_pubkey_create") > 0
    assert watched.count("ec_pubkey_tweak_mul") == (3 if kind.rule == "shares" else 0)
    assert watched.count("ec_pubkey_tweak_add") == 0


@every_kind
def test_the_same_seed_makes_the_same_proof_and_another_place_another(kind: Kind) -> None:
    assert kind.make(CONTEXT)[0] == kind.make(CONTEXT)[0]
    proofs = {kind.make(context)[0] for context in (CONTEXT, *ELSEWHERE.values())}
    assert len(proofs) == 5


def test_proofs_of_one_kind_are_no_proofs_of_another() -> None:
    log, _ = KINDS["log"].make(CONTEXT)
    _, check_shares = KINDS["shares"].make(CONTEXT)
    with refused("shares.challenge"):
        check_shares(CONTEXT, log)
    shares, _ = KINDS["shares"].make(CONTEXT)
    _, check_log = KINDS["log"].make(CONTEXT)
    with refused("log.challenge"):
        check_log(CONTEXT, shares)


@pytest.mark.parametrize("cards", [1, 2, 5, 20])
def test_calls_grow_with_the_number_of_cards_and_no_faster(cards: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Per card: 6 constant-time multiplications and 4 of the base to shuffle and prove; 5 fast ones, 3 short ones
    and 1 of the base to verify."""
    _, key = key_pair("calls")
    inputs = deck(cards, key)
    context = Context(1, bytes(32), 1, 1)
    for i in range(cards):
        shuffle.generator(i)
    watched = watch_library(monkeypatch)
    outputs, proof = shuffle.shuffle(context, key, inputs, list(range(cards))[::-1], randomness("calls"))
    assert watched.count("ecdh") == 6 * cards + 1
    assert watched.count("ec_pubkey_create") == 4 * cards + 4
    watched.calls.clear()
    shuffle.verify_shuffle(context, key, inputs, outputs, proof)
    short = sum(
        int.from_bytes(args[2], "big") < 2**128 for name, args in watched.calls if name == "ec_pubkey_tweak_mul"
    )
    assert (short, watched.count("ec_pubkey_tweak_mul") - short) == (
        3 * cards + (cards == 1),
        5 * cards + 6 + 1 - (cards == 1),
    )
    assert watched.count("ec_pubkey_create") == cards + 4
    assert watched.count("ec_pubkey_parse") == 2 * cards
    assert watched.count("ec_pubkey_combine") == cards + 12
