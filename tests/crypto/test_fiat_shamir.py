"""Weak Fiat-Shamir, one absorbed field at a time: a challenge that does not depend on a field is worth nothing.

For each kind of proof and each field: a prover that leaves the field out is refused, and the field moves the challenge.
Then the attacks themselves: against a verifier that forgets a field they succeed, against ours they do not.
"""

from __future__ import annotations

import pytest

from p2pmatryoshka.crypto import group, labels, shuffle, sigma
from p2pmatryoshka.crypto.elgamal import Ciphertext, card_point
from p2pmatryoshka.crypto.group import POINT_SIZE, G, base, q, times, total
from p2pmatryoshka.crypto.transcript import Context, Transcript
from tests.crypto.helpers import CONTEXT, ELSEWHERE, absorbed, randomness, refused, without
from tests.crypto.proofs import (
    BASES,
    DECK,
    IDENTITY,
    KEY,
    KEY2,
    KINDS,
    MASKS,
    Kind,
    X,
    cheat_shuffle,
    mix,
    verify_cheat,
)

FIELDS = [(name, label) for name, kind in KINDS.items() for label in kind.absorbed]
every_field = pytest.mark.parametrize(
    ("kind", "label"),
    [(KINDS[name], label) for name, label in FIELDS],
    ids=[f"{name}-{label.decode().replace(' ', '-')}" for name, label in FIELDS],
)


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_what_is_absorbed_and_when(kind: Kind, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = absorbed(monkeypatch)
    proof, check = kind.make(CONTEXT)
    proving = list(seen)
    assert [label for label, _ in proving] == kind.absorbed
    seen.clear()
    check(CONTEXT, proof)
    assert seen == proving


@every_field
def test_a_prover_that_leaves_the_field_out_is_refused(
    kind: Kind, label: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        without(patch, label)
        proof, check = kind.make(CONTEXT)
        check(CONTEXT, proof)  # the two weak ones agree with each other
    with refused(f"{kind.rule}.challenge"):
        check(CONTEXT, proof)


@every_field
def test_the_field_moves_the_challenge(kind: Kind, label: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    place = kind.points * POINT_SIZE
    honest = kind.make(CONTEXT)[0][place : place + 32]
    absorb = Transcript.absorb

    def flipped(self: Transcript, name: bytes, value: bytes) -> None:
        absorb(self, name, value[:-1] + bytes([value[-1] ^ 1]) if name == label else value)

    monkeypatch.setattr(Transcript, "absorb", flipped)
    assert kind.make(CONTEXT)[0][place : place + 32] != honest


# The attacks.

CONTEXT_FIELDS = {"version": labels.VERSION, "table": labels.TABLE, "step": labels.STEP, "member": labels.MEMBER}


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
@pytest.mark.parametrize("field", CONTEXT_FIELDS)
def test_replay_works_only_where_the_place_is_forgotten(
    kind: Kind, field: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    proof, check = kind.make(CONTEXT)
    with refused(f"{kind.rule}.challenge"):
        check(ELSEWHERE[field], proof)
    without(monkeypatch, CONTEXT_FIELDS[field])
    proof, check = kind.make(CONTEXT)
    check(ELSEWHERE[field], proof)


def challenge_without_witnesses(transcript: Transcript) -> int:
    return transcript.scalars(labels.CHALLENGE, 1)[0]


def test_without_witnesses_any_statement_is_proved(monkeypatch: pytest.MonkeyPatch) -> None:
    def forge() -> bytes:
        transcript, _ = sigma._log(CONTEXT, KEY2)  # nobody here knows the log of KEY2
        return group.encode_scalar(challenge_without_witnesses(transcript)) + group.encode_scalar(77)

    with refused("log.challenge"):
        sigma.verify_log(CONTEXT, KEY2, forge())
    without(monkeypatch, labels.WITNESSES)
    sigma.verify_log(CONTEXT, KEY2, forge())


def test_without_the_public_key_it_can_be_chosen_after_the_challenge(monkeypatch: pytest.MonkeyPatch) -> None:
    """A key made from a proof, instead of a proof from a key: P = (s G - t) / e with t of unknown log."""
    t, s = card_point(0), 77

    def forge() -> tuple[group.Point, bytes]:
        transcript = Transcript(CONTEXT, labels.PROOF_OF_LOG)
        transcript.absorb_points(labels.BASE, [G])
        transcript.absorb_points(labels.WITNESSES, [t])
        e = transcript.scalars(labels.CHALLENGE, 1)[0]
        public = times(pow(e, -1, q), group.minus(base(s), t))
        return public, group.encode_scalar(e) + group.encode_scalar(s)

    public, proof = forge()
    with refused("log.challenge"):
        sigma.verify_log(CONTEXT, public, proof)
    without(monkeypatch, labels.PUBLIC)
    sigma.verify_log(CONTEXT, public, proof)


def cancelling_shares() -> tuple[list[group.Point], bytes]:
    """Two wrong shares whose errors cancel under the weights that the right shares had."""
    shares, _ = sigma.prove_equal_logs(CONTEXT, X, KEY, BASES, randomness("cancel"))
    _, weights = sigma._batch(CONTEXT, KEY, BASES, shares)
    error = card_point(9)
    wrong = [
        total([shares[0], error]),
        group.minus(shares[1], times(weights[0] * pow(weights[1], -1, q), error)),
        shares[2],
    ]
    transcript, weights = sigma._batch(CONTEXT, KEY, BASES, wrong)
    mixed = group.combination_public(zip(weights, BASES, strict=True))
    relations = [sigma.Relation(KEY, [(0, G)]), sigma.Relation(KEY, [(0, mixed)])]
    return wrong, sigma.prove(transcript, relations, [X], randomness("cancel"))


def test_wrong_shares_that_cancel(monkeypatch: pytest.MonkeyPatch) -> None:
    wrong, proof = cancelling_shares()
    with refused("shares.challenge"):
        sigma.verify_equal_logs(CONTEXT, KEY, BASES, wrong, proof)
    batch = sigma._batch

    def weights_too_early(
        context: Context, public: group.Point, bases: list[group.Point], shares: list[group.Point]
    ) -> tuple[Transcript, list[int]]:
        with pytest.MonkeyPatch.context() as patch:
            without(patch, labels.PAIRS)
            return batch(context, public, bases, shares)

    monkeypatch.setattr(sigma, "_batch", weights_too_early)
    wrong, proof = cancelling_shares()
    sigma.verify_equal_logs(CONTEXT, KEY, BASES, wrong, proof)


def cards_that_cancel(*, inputs_forgotten: bool) -> tuple[tuple[Ciphertext, ...], tuple[Ciphertext, ...], bytes]:
    """A foreign card in one place, made good in another under u_j known beforehand."""
    honest = mix(IDENTITY, DECK, MASKS)
    commitments = []
    draw = randomness("cheat")  # as cheat_shuffle draws, so that it commits to the same points
    for i in range(3):
        commitments.append(total([base(group.random_scalar(draw)), shuffle.generator(i)]))
    _, u = shuffle._open(CONTEXT, KEY, DECK, honest, commitments)
    error = card_point(9)
    repair = times(u[0] * pow(u[1], -1, q), error)
    target = DECK if inputs_forgotten else honest
    changed = (
        Ciphertext(target[0].a, total([target[0].b, error])),
        Ciphertext(target[1].a, group.minus(target[1].b, repair)),
        target[2],
    )
    inputs, outputs = (changed, honest) if inputs_forgotten else (DECK, changed)
    return inputs, outputs, cheat_shuffle(outputs, inputs=inputs)


@pytest.mark.parametrize("inputs_forgotten", [False, True])
def test_cards_chosen_after_the_weights_of_a_shuffle(inputs_forgotten: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    inputs, outputs, proof = cards_that_cancel(inputs_forgotten=inputs_forgotten)
    with refused("shuffle.challenge"):
        shuffle.verify_shuffle(CONTEXT, KEY, inputs, outputs, proof)
    without(monkeypatch, labels.INPUTS if inputs_forgotten else labels.OUTPUTS)
    inputs, outputs, proof = cards_that_cancel(inputs_forgotten=inputs_forgotten)
    shuffle.verify_shuffle(CONTEXT, KEY, inputs, outputs, proof)


def committed_after_the_weights() -> tuple[tuple[Ciphertext, ...], bytes]:
    """Scaled cards, with a commitment chosen once u is known so that its column sums come out right.

    Needed: sum c_j = a G + sum h_i and sum u_j c_j = c G + sum u'_i h_i for u' = (2 u_1, u_2 / 2, u_3), of which the
    product is right. With u known, solve for c_1 and c_2 in each h_i.
    """
    half = pow(2, -1, q)
    outputs = mix([[half, 0, 0], [0, 2, 0], [0, 0, 1]], DECK, MASKS)
    used = [[2, 0, 0], [0, half, 0], [0, 0, 1]]
    _, u = shuffle._open(CONTEXT, KEY, DECK, outputs, [G] * 3)
    mixed = [2 * u[0] % q, half * u[1] % q, u[2]]
    # Row i: m_1 + m_2 = 1 and u_1 m_1 + u_2 m_2 = u'_i.
    over = pow(u[0] - u[1], -1, q)
    committed = []
    for value in mixed:
        m1 = (value - u[1]) * over % q
        committed.append([m1, (1 - m1) % q, 0])
    return outputs, cheat_shuffle(outputs, committed=committed, used=used)


def test_permutation_committed_after_the_weights(monkeypatch: pytest.MonkeyPatch) -> None:
    outputs, proof = committed_after_the_weights()
    with refused("shuffle.challenge"):
        verify_cheat(outputs, proof)
    without(monkeypatch, labels.PERMUTATION)
    outputs, proof = committed_after_the_weights()
    verify_cheat(outputs, proof)
