"""One proof engine for linear relations, and the three plain proofs that use it.

A statement is a list of relations: image = sum over j of x_j B_j, with public image and bases B_j and secret
scalars x_j that several relations may share. The prover draws w_j for each secret, sends (in spirit) t = sum
w_j B_j for each relation, gets the challenge e and answers s_j = w_j + e x_j. The verifier finds t again as
sum s_j B_j - e image, and then the challenge (Maurer, "Unifying zero-knowledge proofs of knowledge",
AFRICACRYPT 2009; Schnorr's and Chaum-Pedersen's proofs are the one-relation and two-relation cases).

Bytes of a proof: e | s_1 | ... | s_k, each a scalar of 32 bytes; the t-values are not sent. Order of
absorption: what the proof below says, then under "witnesses" all t-values, 33 bytes each in the order of the
relations; then e is squeezed under "challenge", 64 bytes mod q. A t-value at infinity is refused.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import NamedTuple

from p2pmatryoshka.crypto import labels
from p2pmatryoshka.crypto.elgamal import Ciphertext, Ciphertexts
from p2pmatryoshka.crypto.group import (
    SCALAR_SIZE,
    G,
    Point,
    Randomness,
    base,
    combination,
    combination_public,
    decode_scalar,
    encode_points,
    encode_scalar,
    minus,
    negate,
    q,
    random_scalars,
    times,
    total,
)
from p2pmatryoshka.crypto.sums import Spread, decode_points, sums
from p2pmatryoshka.crypto.transcript import Context, Transcript
from p2pmatryoshka.errors import Refused

__all__ = [
    "Relation",
    "decode_points",
    "encode_points",
    "prove",
    "prove_equal_logs",
    "prove_log",
    "reencrypt",
    "verify",
    "verify_equal_logs",
    "verify_log",
    "verify_reencrypt",
]


class Relation(NamedTuple):
    """image = sum of (secret number j) times base, over all (j, base) in terms."""

    image: Point
    terms: Iterable[tuple[int, Point]]  # read once


def prove(
    transcript: Transcript, relations: Iterable[Relation], secrets: Sequence[int], randomness: Randomness
) -> bytes:
    """32 (1 + number of secrets) bytes. The statement must stand in the transcript already."""
    nonces = random_scalars(len(secrets), randomness)
    witnesses = [combination((nonces[j], p) for j, p in terms) for _, terms in relations]
    transcript.absorb_points(labels.WITNESSES, witnesses)
    (e,) = transcript.scalars(labels.CHALLENGE, 1)
    responses = [(w + e * x) % q for w, x in zip(nonces, secrets, strict=True)]
    return b"".join([encode_scalar(e), *map(encode_scalar, responses)])


def verify(
    rule: str,
    transcript: Transcript,
    relations: Iterable[Relation],
    count: int,
    proof: bytes,
    spread: Spread | None = None,
) -> None:
    """Check a proof over `count` secrets. The statement must stand in the transcript already.

    Raises Refused: rule + ".length"; "scalar.range"; rule + ".infinity", a t-value is infinity; rule +
    ".challenge", some relation does not hold, or the proof was made for something else.
    """
    if len(proof) != SCALAR_SIZE * (1 + count):
        raise Refused(f"{rule}.length", f"{len(proof)} bytes for {1 + count} scalars of {SCALAR_SIZE}")
    e, *responses = [decode_scalar(proof[i : i + SCALAR_SIZE]) for i in range(0, len(proof), SCALAR_SIZE)]
    minus_e = q - e
    # Rows are made one at a time: thousands of them at once would keep the garbage collector busy.
    rows = (chain(((minus_e, image),), ((responses[j], p) for j, p in terms)) for image, terms in relations)
    witnesses = sums(rows, spread)
    if any(t.is_infinity for t in witnesses):
        raise Refused(f"{rule}.infinity", "a t-value is infinity")
    transcript.absorb_points(labels.WITNESSES, witnesses)
    if transcript.scalars(labels.CHALLENGE, 1) != [e]:
        raise Refused(f"{rule}.challenge", "the proof does not fit the statement")


# Knowledge of a log: public = x G.


def prove_log(context: Context, x: int, public: Point, randomness: Randomness) -> bytes:
    """64 bytes: I know x with public = x G. Absorbed: "base" G, "public" public."""
    transcript, relations = _log(context, public)
    return prove(transcript, relations, [x], randomness)


def verify_log(context: Context, public: Point, proof: bytes, *, spread: Spread | None = None) -> None:
    """Raises Refused "log.length", "scalar.range", "log.infinity", "log.challenge"."""
    transcript, relations = _log(context, public)
    verify("log", transcript, relations, 1, proof, spread)


def _log(context: Context, public: Point) -> tuple[Transcript, list[Relation]]:
    transcript = Transcript(context, labels.PROOF_OF_LOG)
    transcript.absorb_points(labels.BASE, [G])
    transcript.absorb_points(labels.PUBLIC, [public])
    return transcript, [Relation(public, [(0, G)])]


# Equal logs, any number in one proof: public = x G, and share_i = x base_i for every i.


def prove_equal_logs(
    context: Context, x: int, public: Point, bases: Sequence[Point], randomness: Randomness
) -> tuple[tuple[Point, ...], bytes]:
    """The shares x base_i, and 64 bytes: they and public = x G have one log. No bases: no shares, no bytes.

    Absorbed: "count" number of bases, "base" G, "public" public, "pairs" base_1 | share_1 | base_2 | ...;
    then one weight w_i for each pair is squeezed under "weight", 64 bytes mod q. The relations are public = x
    G and (sum w_i share_i) = x (sum w_i base_i), in this order.
    """
    shares = tuple([times(x, p) for p in bases])
    if not shares:
        return (), b""
    transcript, weights = _batch(context, public, bases, shares)
    mixed = combination_public(zip(weights, bases, strict=True))
    # The prover needs no image: t-values depend on the bases alone.
    relations = [Relation(public, [(0, G)]), Relation(public, [(0, mixed)])]
    return shares, prove(transcript, relations, [x], randomness)


def verify_equal_logs(
    context: Context,
    public: Point,
    bases: Sequence[Point],
    shares: Sequence[Point],
    proof: bytes,
    *,
    spread: Spread | None = None,
) -> None:
    """Check shares of exactly these bases.

    Raises Refused "shares.count" (not one share for each base), "shares.length" (also a proof without
    shares), "scalar.range", "shares.infinity", "shares.challenge".
    """
    if len(bases) != len(shares):
        raise Refused("shares.count", f"{len(shares)} shares for {len(bases)} places")
    if not bases:
        if proof:
            raise Refused("shares.length", "a proof about nothing")
        return
    if len(proof) != 2 * SCALAR_SIZE:
        raise Refused("shares.length", f"{len(proof)} bytes for a proof of {2 * SCALAR_SIZE}")
    transcript, weights = _batch(context, public, bases, shares)
    mixed, image = sums((zip(weights, bases, strict=True), zip(weights, shares, strict=True)), spread)
    verify("shares", transcript, [Relation(public, [(0, G)]), Relation(image, [(0, mixed)])], 1, proof)


def _batch(
    context: Context, public: Point, bases: Sequence[Point], shares: Sequence[Point]
) -> tuple[Transcript, list[int]]:
    transcript = Transcript(context, labels.PROOF_OF_EQUAL_LOGS)
    transcript.absorb_count(len(bases))
    transcript.absorb_points(labels.BASE, [G])
    transcript.absorb_points(labels.PUBLIC, [public])
    transcript.absorb_points(labels.PAIRS, [p for pair in zip(bases, shares, strict=True) for p in pair])
    # Only now: weights known before all pairs are fixed would let a prover search for wrong shares that cancel.
    return transcript, transcript.scalars(labels.WEIGHT, len(bases))


# Equal plaintext under two keys: from own_key = x G to joint_key, card by card.


def reencrypt(
    context: Context,
    x: int,
    own_key: Point,
    joint_key: Point,
    cts: Sequence[Ciphertext],
    randomness: Randomness,
) -> tuple[Ciphertexts, bytes]:
    """The same cards under joint_key, each with a fresh mask, and 32 (2 + k) bytes of proof for k cards.

    (A, B) under own_key becomes (A', B') = (r G, B - x A + r joint_key). Absorbed: "count" k, "base" G, "own
    key", "joint key", "inputs" A_1 | B_1 | A_2 | ..., "outputs" A'_1 | B'_1 | A'_2 | .... The secrets are x,
    r_1 ... r_k; the relations own_key = x G, then for each card A' = r_i G and B' - B = r_i joint_key + x
    (-A). No cards: no bytes.
    """
    masks = random_scalars(len(cts), randomness)
    new = tuple(
        [
            Ciphertext(base(r), total((ct.b, times(-x, ct.a), times(r, joint_key))))
            for r, ct in zip(masks, cts, strict=True)
        ]
    )
    if not new:
        return (), b""
    transcript, relations = _reencryption(context, own_key, joint_key, cts, new)
    return new, prove(transcript, relations, [x, *masks], randomness)


def verify_reencrypt(
    context: Context,
    own_key: Point,
    joint_key: Point,
    cts: Sequence[Ciphertext],
    new: Sequence[Ciphertext],
    proof: bytes,
    *,
    spread: Spread | None = None,
) -> None:
    """Check that new_i holds the card of cts_i, for every i.

    Raises Refused "reencrypt.count", "reencrypt.length" (also a proof without cards), "scalar.range",
    "reencrypt.infinity", "reencrypt.challenge".
    """
    if len(cts) != len(new):
        raise Refused("reencrypt.count", f"{len(new)} cards for {len(cts)}")
    if not cts:
        if proof:
            raise Refused("reencrypt.length", "a proof about nothing")
        return
    transcript, relations = _reencryption(context, own_key, joint_key, cts, new)
    verify("reencrypt", transcript, relations, 1 + len(cts), proof, spread)


def _reencryption(
    context: Context, own_key: Point, joint_key: Point, cts: Sequence[Ciphertext], new: Sequence[Ciphertext]
) -> tuple[Transcript, list[Relation]]:
    transcript = Transcript(context, labels.PROOF_OF_REENCRYPTION)
    transcript.absorb_count(len(cts))
    transcript.absorb_points(labels.BASE, [G])
    transcript.absorb_points(labels.OWN_KEY, [own_key])
    transcript.absorb_points(labels.JOINT_KEY, [joint_key])
    transcript.absorb_points(labels.INPUTS, [p for ct in cts for p in ct])
    transcript.absorb_points(labels.OUTPUTS, [p for ct in new for p in ct])
    relations = [Relation(own_key, [(0, G)])]
    for i, (old, fresh) in enumerate(zip(cts, new, strict=True), 1):
        relations.append(Relation(fresh.a, [(i, G)]))
        relations.append(Relation(minus(fresh.b, old.b), [(i, joint_key), (0, negate(old.a))]))
    return transcript, relations
