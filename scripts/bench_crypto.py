"""What the cryptography costs beside the calls of the curve library that it needs. Every ratio is made in one run.

figures() returns one Figure for each number of cards. The library's calls (and the memory for their results) are
recorded while a shuffle is proved and verified once; then work and bare replay of the recorded calls take turns, and
the ratio of processor time is the median over those pairs, so that a busy moment of the machine cannot fall on one
side alone. The same is done on the clock for two threads: the replay shared between two threads tells what the machine
can give at that moment.
"""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from statistics import median
from typing import Any

from p2pmatryoshka.crypto import elgamal, group
from p2pmatryoshka.crypto.shuffle import proof_size, shuffle, verify_shuffle
from p2pmatryoshka.crypto.transcript import Context

CARDS = (8, 14, 52, 70, 512, 4096)
_CONTEXT = Context(1, b"bench" * 6 + b"..", 1, 0)

Call = tuple[Callable[..., Any], tuple[Any, ...]]


@dataclass(frozen=True, slots=True)
class Figure:
    """Times are medians, milliseconds of one thread's processor time.

    The prover's time includes making the outputs, the verifier's includes parsing them.
    """

    cards: int
    prove: float
    prove_ratio: float  # to the bare calls of the library
    verify: float
    verify_ratio: float  # to the bare calls of the library
    speed_up: float  # of verifying, by a second thread
    speed_up_of_calls: float  # of the bare calls, by a second thread: what the machine had to give
    proof: int  # bytes
    prove_calls: dict[str, int]  # how often each call of the library was made
    verify_calls: dict[str, int]


class _Recording:
    """Stands before the library and the allocator of its objects, and keeps every call."""

    def __init__(self) -> None:
        self.lib, self.new = group._lib, group._new
        self.calls: list[Call] = []

    def __getattr__(self, name: str) -> Any:
        call = getattr(self.lib, name)
        return self.recorded(call) if callable(call) and "hash_function" not in name else call

    def recorded(self, call: Callable[..., Any]) -> Callable[..., Any]:
        def keep(*args: Any) -> Any:
            self.calls.append((call, args))
            return call(*args)

        return keep


def record_calls(work: Callable[[], object]) -> list[Call]:
    """Every call of the curve library, and of its allocator, that `work` makes."""
    recording = _Recording()
    group._lib, group._new = recording, recording.recorded(recording.new)
    try:
        work()
    finally:
        group._lib, group._new = recording.lib, recording.new
    return recording.calls


def count_calls(calls: Sequence[Call]) -> dict[str, int]:
    """How many calls of each name; multiplications by less than 2**128, sums and their terms apart."""
    counts: Counter[str] = Counter()
    for call, args in calls:
        name = call.__name__.removeprefix("secp256k1_")
        if name.endswith("tweak_mul") and int.from_bytes(args[2], "big") < 2**128:
            name += " short"
        if name.endswith("combine"):
            counts["terms"] += args[3]
        counts[name] += 1
    del counts["new"]
    return dict(counts)


def replay(calls: Sequence[Call]) -> None:
    for call, args in calls:
        call(*args)


def measure(cards: int, pairs: int) -> Figure:
    """One shuffle of so many cards that somebody has shuffled before."""
    rng = random.Random(f"bench {cards}")
    x = group.random_scalar(rng.randbytes)
    key = group.base(x)
    order = rng.sample(range(cards), cards)
    opening = tuple(elgamal.open_encryption(elgamal.card_point(c), key) for c in range(cards))
    deck, _ = shuffle(_CONTEXT, key, opening, order, rng.randbytes)
    deck = elgamal.decode(elgamal.encode(deck), cards)

    def prove() -> tuple[elgamal.Ciphertexts, bytes]:
        return shuffle(_CONTEXT, key, deck, order, rng.randbytes)

    outputs, proof = prove()
    sent = elgamal.encode(outputs)

    def verify(spread: Any = None) -> None:
        verify_shuffle(_CONTEXT, key, deck, elgamal.decode(sent, cards, spread=spread), proof, spread=spread)

    proving, verifying = record_calls(prove), record_calls(verify)
    halves = [[call for i, call in enumerate(verifying) if i // 50 % 2 == half] for half in (0, 1)]
    clocks: dict[str, list[float]] = {}
    processors: dict[str, list[float]] = {}
    with ThreadPoolExecutor(2) as pool:

        def spread(work: Callable[[Any], Any], chunks: Sequence[Any]) -> list[Any]:
            return list(pool.map(work, chunks))

        def replay_by_two() -> None:
            list(pool.map(replay, halves))

        for _ in range(pairs):
            for name, work, args in (
                ("prove", prove, ()),
                ("proving", replay, (proving,)),
                ("verify", verify, ()),
                ("verifying", replay, (verifying,)),
                ("verify by two", verify, (spread,)),
                ("verifying by two", replay_by_two, ()),
            ):
                clock, processor = time.perf_counter(), time.thread_time()
                work(*args)
                processor, clock = time.thread_time() - processor, time.perf_counter() - clock
                processors.setdefault(name, []).append(processor)
                clocks.setdefault(name, []).append(clock)

    def ratio(times: dict[str, list[float]], one: str, other: str) -> float:
        return median(a / b for a, b in zip(times[one], times[other], strict=True))

    return Figure(
        cards=cards,
        prove=median(processors["prove"]) * 1000,
        prove_ratio=ratio(processors, "prove", "proving"),
        verify=median(processors["verify"]) * 1000,
        verify_ratio=ratio(processors, "verify", "verifying"),
        speed_up=ratio(clocks, "verify", "verify by two"),
        speed_up_of_calls=ratio(clocks, "verifying", "verifying by two"),
        proof=proof_size(cards),
        prove_calls=count_calls(proving),
        verify_calls=count_calls(verifying),
    )


def figures(cards: Sequence[int] = CARDS) -> list[Figure]:
    """One Figure for each number of cards."""
    return [measure(n, max(2, min(25, 1600 // n))) for n in cards]


def main() -> None:
    print("one shuffle; ratio: to the bare library calls it needs; last two columns: what a second thread gives")
    print("cards  prove ms  ratio  verify ms  ratio  us a card  proof bytes   a card  speed-up  of calls alone")
    for f in figures():
        print(
            f"{f.cards:5d} {f.prove:9.1f}  {f.prove_ratio:5.2f}  {f.verify:9.1f}  {f.verify_ratio:5.2f}  "
            f"{f.verify / f.cards * 1000:9.0f}  {f.proof:11d}  {f.proof / f.cards:7.1f}  {f.speed_up:8.2f}  "
            f"{f.speed_up_of_calls:14.2f}"
        )
        last = f
    print(f"calls to prove {last.cards}: {last.prove_calls}")
    print(f"calls to verify {last.cards}: {last.verify_calls}")


if __name__ == "__main__":
    main()
