"""The four kinds of proof, each made for a small fixed statement, and provers that cheat."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import pytest

from p2pmatryoshka.crypto import group, labels, shuffle, sigma
from p2pmatryoshka.crypto.elgamal import Ciphertext, Ciphertexts
from p2pmatryoshka.crypto.group import G, Point, base, q, times, total
from p2pmatryoshka.crypto.sums import Spread
from p2pmatryoshka.crypto.transcript import Context
from tests.crypto.helpers import CONTEXT, OPENING, deck, key_pair, randomness

Check = Callable[..., None]  # (context, proof, spread=None)

X, KEY = key_pair("own")
X2, KEY2 = key_pair("other")
JOINT = total([KEY, KEY2])


@dataclass(frozen=True)
class Kind:
    rule: str
    make: Callable[[Context], tuple[bytes, Check]]  # the proof, and its check against the same statement
    scalars: int  # in the proof, after its points
    points: int
    absorbed: list[bytes]  # labels, in order


def _log(context: Context) -> tuple[bytes, Check]:
    proof = sigma.prove_log(context, X, KEY, randomness("log"))
    return proof, lambda c, p, spread=None: sigma.verify_log(c, KEY, p, spread=spread)


BASES = [base(k) for k in (11, 12, 13)]


def _shares(context: Context) -> tuple[bytes, Check]:
    shares, proof = sigma.prove_equal_logs(context, X, KEY, BASES, randomness("shares"))
    return proof, lambda c, p, spread=None: sigma.verify_equal_logs(c, KEY, BASES, shares, p, spread=spread)


HAND = deck(2, KEY)


def _reencrypt(context: Context) -> tuple[bytes, Check]:
    new, proof = sigma.reencrypt(context, X, KEY, JOINT, HAND, randomness("reencrypt"))
    return proof, lambda c, p, spread=None: sigma.verify_reencrypt(c, KEY, JOINT, HAND, new, p, spread=spread)


DECK = deck(3, KEY)


def _shuffle(context: Context) -> tuple[bytes, Check]:
    outputs, proof = shuffle.shuffle(context, KEY, DECK, [2, 0, 1], randomness("shuffle"))
    return proof, lambda c, p, spread=None: shuffle.verify_shuffle(c, KEY, DECK, outputs, p, spread=spread)


END = [labels.WITNESSES, labels.CHALLENGE]
KINDS = {
    "log": Kind("log", _log, 2, 0, [*OPENING, labels.BASE, labels.PUBLIC, *END]),
    "shares": Kind(
        "shares",
        _shares,
        2,
        0,
        [*OPENING, labels.COUNT, labels.BASE, labels.PUBLIC, labels.PAIRS, labels.WEIGHT, *END],
    ),
    "reencrypt": Kind(
        "reencrypt",
        _reencrypt,
        4,
        0,
        [
            *OPENING,
            labels.COUNT,
            labels.BASE,
            labels.OWN_KEY,
            labels.JOINT_KEY,
            labels.INPUTS,
            labels.OUTPUTS,
            *END,
        ],
    ),
    "shuffle": Kind(
        "shuffle",
        _shuffle,
        1 + 4 + 6,
        6,
        [
            *OPENING,
            labels.COUNT,
            labels.KEY,
            labels.INPUTS,
            labels.OUTPUTS,
            labels.PERMUTATION,
            labels.WEIGHT,
            labels.CHAIN,
            *END,
        ],
    ),
}


def drop_relation(monkeypatch: pytest.MonkeyPatch, dropped: int) -> None:
    """From here on provers and verifiers forget one relation: what would a verifier without this check accept?"""
    prove, verify = sigma.prove, sigma.verify

    def fewer(relations: Iterable[sigma.Relation]) -> list[sigma.Relation]:
        return [relation for i, relation in enumerate(relations) if i != dropped]

    def weak_prove(transcript: Any, relations: Any, *rest: Any) -> bytes:
        return prove(transcript, fewer(relations), *rest)

    def weak_verify(rule: str, transcript: Any, relations: Any, *rest: Any) -> None:
        verify(rule, transcript, fewer(relations), *rest)

    for module in (sigma, shuffle):
        monkeypatch.setattr(module, "prove", weak_prove)
        monkeypatch.setattr(module, "verify", weak_verify)


def capture_secrets(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """What the next prover knows."""
    captured: list[int] = []
    prove = sigma.prove

    def watched(transcript: Any, relations: Any, secrets: Sequence[int], draw: Any) -> bytes:
        captured[:] = secrets
        return prove(transcript, relations, secrets, draw)

    for module in (sigma, shuffle):
        monkeypatch.setattr(module, "prove", watched)
    return captured


HALF = pow(2, -1, q)
Matrix = list[list[int]]
IDENTITY: Matrix = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]


def mix(matrix: Matrix, cts: Ciphertexts, masks: Sequence[int], key: Point = KEY) -> Ciphertexts:
    """Any linear combinations of ciphertexts, one for each row, re-masked."""
    return tuple(
        Ciphertext(
            total([*[times(w, ct.a) for w, ct in zip(row, cts, strict=True)], base(r)]),
            total([*[times(w, ct.b) for w, ct in zip(row, cts, strict=True)], times(r, key)]),
        )
        for row, r in zip(matrix, masks, strict=True)
    )


def apply(matrix: Matrix, vector: Sequence[int]) -> list[int]:
    return [sum(w * v for w, v in zip(row, vector, strict=True)) % q for row in matrix]


MASKS = [101, 102, 103]


def cheat_shuffle(
    outputs: Ciphertexts,
    *,
    committed: Matrix = IDENTITY,
    used: Matrix | None = None,
    broken_link: int | None = None,
    key: Point = KEY,
    inputs: Ciphertexts = DECK,
) -> bytes:
    """A proof that commits to any matrix and uses any other for u'; a broken link makes the product come out right."""
    n = len(inputs)
    used = committed if used is None else used
    draw = randomness("cheat")
    blinds = [group.random_scalar(draw) for _ in range(n)]
    links = [group.random_scalar(draw) for _ in range(n)]
    h = [shuffle.generator(i) for i in range(n)]
    commitments = [total([base(blinds[j]), *[times(committed[i][j], h[i]) for i in range(n)]]) for j in range(n)]
    transcript, u = shuffle._open(CONTEXT, key, inputs, outputs, commitments)
    mixed = apply(used, u)
    product = 1
    for value in u:
        product = product * value % q
    chain, along_g, along_h = [], 0, 1  # k_i = along_g G + along_h H
    for i in range(n):
        along_g = (links[i] + mixed[i] * along_g) % q
        along_h = mixed[i] * along_h % q
        if i == broken_link:
            along_g, along_h = links[i], product
            for later in mixed[i + 1 :]:
                along_h = along_h * pow(later, -1, q) % q
        chain.append(total([base(along_g), times(along_h, shuffle.H)]))
    transcript.absorb_points(labels.CHAIN, chain)
    secrets = [
        sum(blinds) % q,
        along_g,
        sum(r * v for r, v in zip(blinds, u, strict=True)) % q,
        -sum(r * v for r, v in zip(MASKS, mixed, strict=True)) % q,
        *links,
        *mixed,
    ]
    relations = shuffle._relations(key, outputs, chain, [G] * 5)
    proof = shuffle.prove(transcript, relations, secrets, draw)
    return sigma.encode_points([*commitments, *chain]) + proof


def verify_cheat(outputs: Ciphertexts, proof: bytes, spread: Spread | None = None) -> None:
    shuffle.verify_shuffle(CONTEXT, KEY, DECK, outputs, proof, spread=spread)


def cheat_reencrypt(new: Ciphertexts, x: int, masks: Sequence[int]) -> bytes:
    transcript, relations = sigma._reencryption(CONTEXT, KEY, JOINT, HAND, new)
    return sigma.prove(transcript, relations, [x, *masks], randomness("cheat"))
