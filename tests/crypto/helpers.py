"""What the tests of this room share: seeds, places, decks, and a way to watch what is absorbed and called."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import pytest

from p2pmatryoshka.crypto import elgamal, group, labels
from p2pmatryoshka.crypto.elgamal import Ciphertext, Ciphertexts
from p2pmatryoshka.crypto.group import Point
from p2pmatryoshka.crypto.transcript import Context, Transcript
from p2pmatryoshka.errors import Refused

CONTEXT = Context(1, bytes(range(32)), 7, 2)
ELSEWHERE = {
    "version": Context(2, bytes(range(32)), 7, 2),
    "table": Context(1, bytes(range(1, 33)), 7, 2),
    "step": Context(1, bytes(range(32)), 8, 2),
    "member": Context(1, bytes(range(32)), 7, 3),
}


def randomness(seed: object) -> Callable[[int], bytes]:
    """The same bytes on every run."""
    return random.Random(f"tests {seed}").randbytes


def key_pair(seed: object) -> tuple[int, Point]:
    x = group.random_scalar(randomness(seed))
    return x, group.base(x)


def deck(count: int, key: Point) -> Ciphertexts:
    """Cards 0 ... count-1 under `key`, each with its own mask."""
    draw = randomness(("deck", count))
    masks = [group.random_scalar(draw) for _ in range(count)]
    return tuple(
        Ciphertext(group.base(r), group.total((elgamal.card_point(c), group.times(r, key))))
        for c, r in enumerate(masks)
    )


@contextmanager
def refused(rule: str) -> Iterator[None]:
    """This very check refuses, no other."""
    with pytest.raises(Refused) as caught:
        yield
    assert caught.value.rule == rule


def without(monkeypatch: pytest.MonkeyPatch, *skipped: bytes) -> None:
    """From here on no transcript absorbs what stands under these labels: weak Fiat-Shamir."""
    absorb = Transcript.absorb

    def weak(self: Transcript, label: bytes, value: bytes) -> None:
        if label not in skipped:
            absorb(self, label, value)

    monkeypatch.setattr(Transcript, "absorb", weak)


def absorbed(monkeypatch: pytest.MonkeyPatch) -> list[tuple[bytes, bytes]]:
    """Every label and value absorbed from here on."""
    seen: list[tuple[bytes, bytes]] = []
    absorb = Transcript.absorb

    def watched(self: Transcript, label: bytes, value: bytes) -> None:
        seen.append((label, value))
        absorb(self, label, value)

    monkeypatch.setattr(Transcript, "absorb", watched)
    return seen


OPENING = [labels.TRANSCRIPT, labels.VERSION, labels.TABLE, labels.STEP, labels.MEMBER]


class Watched:
    """Stands before the curve library and keeps the name and arguments of every call."""

    def __init__(self, lib: Any) -> None:
        self._lib = lib
        self.calls: list[tuple[str, tuple[Any, ...]]] = []

    def __getattr__(self, name: str) -> Any:
        call = getattr(self._lib, name)
        if not name.startswith("secp256k1_"):
            return call

        def kept(*args: Any) -> Any:
            self.calls.append((name.removeprefix("secp256k1_"), args))
            return call(*args)

        return kept

    def count(self, name: str) -> int:
        return sum(called == name for called, _ in self.calls)


def watch_library(monkeypatch: pytest.MonkeyPatch) -> Watched:
    watched = Watched(group._lib)
    monkeypatch.setattr(group, "_lib", watched)
    return watched


def mutated(data: bytes, at: int, new: bytes) -> bytes:
    return data[:at] + new + data[at + len(new) :]


def backwards(work: Callable[[Any], Any], chunks: Sequence[Any]) -> list[Any]:
    """A parallel map whose last chunk is done first."""
    return [work(chunk) for chunk in reversed(chunks)][::-1]


OFF_CURVE = bytes([2]) + (5).to_bytes(32, "big")  # x^3 + 7 is no square for x = 5
P = 2**256 - 2**32 - 977
BAD_POINTS = {  # 33 bytes that are no point
    "off the curve": OFF_CURVE,
    "infinity as zeros": bytes(33),
    "prefix 01": bytes([1]) + group.encode(group.G)[1:],
    "prefix 04": bytes([4]) + group.encode(group.G)[1:],
    "prefix 05": bytes([5]) + group.encode(group.G)[1:],
    "hybrid prefix 06": bytes([6]) + group.encode(group.G)[1:],
    "hybrid prefix 07": bytes([7]) + group.encode(group.G)[1:],
    "prefix ff": bytes([255]) + group.encode(group.G)[1:],
    "x = p + 1, which is on the curve mod p": bytes([2]) + (P + 1).to_bytes(32, "big"),
    "x = 2^256 - 1": bytes([2]) + b"\xff" * 32,
}
