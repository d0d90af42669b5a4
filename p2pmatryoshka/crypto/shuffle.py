"""Re-mask and permute a list of ciphertexts, and prove it: the Terelius-Wikstroem argument.

Terelius and Wikstroem, "Proofs of restricted shuffles", AFRICACRYPT 2010; Wikstroem, "A commitment-consistent
proof of a shuffle", ACISP 2009. Written after the pseudo-code of Haenni, Locher, Koenig and Dubuis,
"Pseudo-code algorithms for verifiable re-encryption mix-nets", Financial Cryptography 2017 Workshops.

For N >= 1 inputs (A_j, B_j) under key J and outputs (A'_i, B'_i), i and j from 1 to N:
    order o, a permutation:     A'_i = A_o(i) + r'_i G,  B'_i = B_o(i) + r'_i J
    permutation commitments:    c_o(i) = r_o(i) G + h_i
    challenges:                 u_j, 128 bits;  u'_i = u_o(i)
    chain commitments:          k_0 = H,  k_i = z_i G + u'_i k_(i-1)
and the relations proved, in this order and with these names:
    permutation   sum c_j - sum h_i        = a G
    product       k_N - (product u_j) H    = b G
    commitment    sum u_j c_j              = c G + sum u'_i h_i
    first         sum u_j A_j              = d G + sum u'_i A'_i
    second        sum u_j B_j              = d J + sum u'_i B'_i
    chain 1 ... N k_i                      = z_i G + u'_i k_(i-1)
The secrets, in this order: a, b, c, d, z_1 ... z_N, u'_1 ... u'_N. h_i and H are points nobody knows a log
of.

Bytes of a proof: c_1 ... c_N | k_1 ... k_N | e | the answers to the 4 + 2 N secrets: 130 N + 160 bytes
(points of 33, scalars of 32). The t-values are not sent. Absorbed: "count" N, "key" J, "inputs" A_1 | B_1 |
A_2 | ..., "outputs" likewise, "permutation" c_1 ... c_N; the u_j are squeezed under "weight" as one batch,
the first 16 bytes each; "chain" k_1 ... k_N; then the t-values and e as in sigma.py.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import chain as joined
from typing import Final

from p2pmatryoshka.crypto import labels
from p2pmatryoshka.crypto.elgamal import Ciphertext, Ciphertexts
from p2pmatryoshka.crypto.group import (
    POINT_SIZE,
    SCALAR_SIZE,
    G,
    Point,
    Randomness,
    base,
    encode_points,
    hash_to_point,
    minus,
    q,
    random_scalars,
    times,
    times_public,
    total,
)
from p2pmatryoshka.crypto.sigma import Relation, prove, verify
from p2pmatryoshka.crypto.sums import Spread, decode_points, sums
from p2pmatryoshka.crypto.transcript import Context, Transcript
from p2pmatryoshka.errors import Fault, Refused

H: Final = hash_to_point(labels.CHAIN_BASE, b"")


@cache
def generator(i: int) -> Point:
    """h_(i+1)."""
    return hash_to_point(labels.GENERATOR, i.to_bytes(4, "big"))


def proof_size(count: int) -> int:
    """Bytes of a proof for `count` ciphertexts."""
    return 2 * POINT_SIZE * count + SCALAR_SIZE * (1 + 4 + 2 * count)


def shuffle(
    context: Context, key: Point, inputs: Sequence[Ciphertext], order: Sequence[int], randomness: Randomness
) -> tuple[Ciphertexts, bytes]:
    """outputs[i] re-encrypts inputs[order[i]] under `key`, and the proof of it.

    order: each of 0 ... N-1 once. Draws from randomness, 64 bytes for each scalar: all r'_i at once, all
    r_j, all z_i, then all nonces in the order of the secrets. Raises Fault if order is no permutation or there are no
    inputs.
    """
    n = len(inputs)
    if not n or sorted(order) != list(range(n)):
        raise Fault("the order is not a permutation of one or more cards")
    masks = random_scalars(n, randomness)
    blinds = random_scalars(n, randomness)  # r_j
    links = random_scalars(n, randomness)  # z_i
    outputs = tuple(
        [
            Ciphertext(total((inputs[j].a, base(r))), total((inputs[j].b, times(r, key))))
            for j, r in zip(order, masks, strict=True)
        ]
    )
    places = [0] * n  # the inverse of order
    for i, j in enumerate(order):
        places[j] = i
    commitments = [total((base(r), generator(i))) for r, i in zip(blinds, places, strict=True)]
    transcript, weights = _open(context, key, inputs, outputs, commitments)
    mixed = [weights[j] for j in order]  # u'_i
    chain = [H]
    for z, u in zip(links, mixed, strict=True):
        chain.append(total((base(z), times(u, chain[-1]))))
    folded = 0  # the sum of z_i times all later u'
    for z, u in zip(links, mixed, strict=True):
        folded = (folded * u + z) % q
    secrets = [
        sum(blinds) % q,
        folded,
        sum([r * u for r, u in zip(blinds, weights, strict=True)]) % q,
        -sum([r * u for r, u in zip(masks, mixed, strict=True)]) % q,
        *links,
        *mixed,
    ]
    del chain[0]
    transcript.absorb_points(labels.CHAIN, chain)
    # The prover needs no images: t-values depend on the bases alone.
    relations = _relations(key, outputs, chain, [G] * 5)
    proof = prove(transcript, relations, secrets, randomness)
    return outputs, b"".join((encode_points(commitments), encode_points(chain), proof))


def verify_shuffle(
    context: Context,
    key: Point,
    inputs: Sequence[Ciphertext],
    outputs: Sequence[Ciphertext],
    proof: bytes,
    *,
    spread: Spread | None = None,
) -> None:
    """Check that the outputs are the inputs, re-masked and in some order.

    Raises Refused "shuffle.count" (none, or not as many outputs as inputs), "shuffle.length",
    "point.encoding", "scalar.range", "shuffle.infinity" (a t-value), "shuffle.challenge" (a relation does not
    hold, or the proof was made for something else).
    """
    n = len(inputs)
    if not n or len(outputs) != n:
        raise Refused("shuffle.count", f"{len(outputs)} ciphertexts out of {n}")
    if len(proof) != proof_size(n):
        raise Refused("shuffle.length", f"{len(proof)} bytes for a proof of {proof_size(n)}")
    points = decode_points(proof[: 2 * POINT_SIZE * n], 2 * n, spread=spread)
    commitments, chain = points[:n], points[n:]
    transcript, weights = _open(context, key, inputs, outputs, commitments)
    transcript.absorb_points(labels.CHAIN, chain)
    product = 1
    for u in weights:
        product = product * u % q
    images = [
        minus(total(commitments), total([generator(i) for i in range(n)])),
        minus(chain[-1], times_public(product, H)),
        *sums(
            [
                zip(weights, commitments, strict=True),
                ((u, ct.a) for u, ct in zip(weights, inputs, strict=True)),
                ((u, ct.b) for u, ct in zip(weights, inputs, strict=True)),
            ],
            spread,
        ),
    ]
    relations = _relations(key, outputs, chain, images)
    verify("shuffle", transcript, relations, 4 + 2 * n, proof[2 * POINT_SIZE * n :], spread)


def _open(
    context: Context,
    key: Point,
    inputs: Sequence[Ciphertext],
    outputs: Sequence[Ciphertext],
    commitments: Sequence[Point],
) -> tuple[Transcript, list[int]]:
    transcript = Transcript(context, labels.PROOF_OF_SHUFFLE)
    transcript.absorb_count(len(inputs))
    transcript.absorb_points(labels.KEY, [key])
    transcript.absorb_points(labels.INPUTS, [p for ct in inputs for p in ct])
    transcript.absorb_points(labels.OUTPUTS, [p for ct in outputs for p in ct])
    transcript.absorb_points(labels.PERMUTATION, commitments)
    # 128 bits are sound: a wrong list survives only if a polynomial of degree N vanishes, N in 2**128.
    return transcript, transcript.short_scalars(labels.WEIGHT, len(inputs))


def _relations(
    key: Point, outputs: Sequence[Ciphertext], chain: Sequence[Point], images: Sequence[Point]
) -> Iterator[Relation]:
    n = len(outputs)
    u = range(4 + n, 4 + 2 * n)  # the places of the secrets u'_i
    permutation, product, commitment, first, second = images
    yield Relation(permutation, ((0, G),))
    yield Relation(product, ((1, G),))
    yield Relation(commitment, joined(((2, G),), zip(u, map(generator, range(n)), strict=True)))
    yield Relation(first, joined(((3, G),), zip(u, (ct.a for ct in outputs), strict=True)))
    yield Relation(second, joined(((3, key),), zip(u, (ct.b for ct in outputs), strict=True)))
    previous = H
    for i, link in enumerate(chain):
        yield Relation(link, ((4 + i, G), (4 + n + i, previous)))
        previous = link
