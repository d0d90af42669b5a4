"""The Fiat-Shamir transcript: a statement goes in, challenges come out.

Bytes
    The state is a running SHA-512 over frames. frame(label, value) is
        len(label), 4 bytes big-endian | label | len(value), 8 bytes big-endian | value.
    Opening absorbs, in this order:
        "transcript"  the proof's label (labels.PROOF_...)
        "version"     protocol version, 4 bytes big-endian
        "table"       table id, as it is (32 bytes)
        "step"        step number, 8 bytes big-endian
        "member"      the author's roster index, 4 bytes big-endian
    Squeezing n values under a label absorbs frame(label, n as 4 bytes big-endian); with D the 64 bytes of
    SHA-512 over everything absorbed so far, value i (from 0) is
        SHA-512(frame("squeeze", D | i as 4 bytes big-endian))
    read big-endian: all 64 bytes mod q for scalars(), the first 16 bytes for short_scalars(). The state goes
    on from where it stood, so all later challenges depend on all that was absorbed before.

The habit is merlin's (every value labelled and length-prefixed, the application opens the transcript); the
hash is SHA-2 so that any standard library has it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass

from p2pmatryoshka.crypto import labels
from p2pmatryoshka.crypto.framing import frame
from p2pmatryoshka.crypto.group import Point, encode_points, q
from p2pmatryoshka.errors import Fault


@dataclass(frozen=True, slots=True)
class Context:
    """Where a proof belongs. It is worth nothing anywhere else."""

    version: int  # of the protocol
    table: bytes  # the table's id, 32 bytes
    step: int  # the step whose entry carries it; in a reveal, the step of its commitment
    member: int  # the author's roster index

    def __post_init__(self) -> None:
        if not (0 <= self.version < 2**32 and 0 <= self.step < 2**64 and 0 <= self.member < 2**32):
            raise Fault("context number out of range")


class Transcript:
    """Absorb the whole statement first; then squeeze."""

    __slots__ = ("_state",)

    def __init__(self, context: Context, label: bytes) -> None:
        self._state = hashlib.sha512()
        self.absorb(labels.TRANSCRIPT, label)
        self.absorb(labels.VERSION, context.version.to_bytes(4, "big"))
        self.absorb(labels.TABLE, context.table)
        self.absorb(labels.STEP, context.step.to_bytes(8, "big"))
        self.absorb(labels.MEMBER, context.member.to_bytes(4, "big"))

    def absorb(self, label: bytes, value: bytes) -> None:
        self._state.update(frame(label, value))

    def absorb_count(self, count: int) -> None:
        """A number of things, as 4 bytes big-endian."""
        self.absorb(labels.COUNT, count.to_bytes(4, "big"))

    def absorb_points(self, label: bytes, points: Iterable[Point]) -> None:
        """All points as one value, 33 bytes each. Raises Fault on infinity, which has no bytes."""
        self.absorb(label, encode_points(points))

    def scalars(self, label: bytes, count: int) -> list[int]:
        """`count` challenges, uniform mod q."""
        return [int.from_bytes(block, "big") % q for block in self._squeeze(label, count)]

    def short_scalars(self, label: bytes, count: int) -> list[int]:
        """`count` challenges, uniform below 2**128."""
        return [int.from_bytes(block[:16], "big") for block in self._squeeze(label, count)]

    def _squeeze(self, label: bytes, count: int) -> list[bytes]:
        self.absorb(label, count.to_bytes(4, "big"))
        seed = self._state.digest()
        return [hashlib.sha512(frame(labels.SQUEEZE, seed + i.to_bytes(4, "big"))).digest() for i in range(count)]
