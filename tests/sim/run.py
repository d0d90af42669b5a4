"""Many seeded games, over both cores, and figures of what happened in them.

python -m tests.sim.run [--seeds FIRST COUNT] [--seed N [--trace]] [--workers N] [--real] [--json FILE]
"""

from __future__ import annotations

import argparse
import gc
import json
import multiprocessing
import os
import sys
import time
import traceback
from collections import Counter
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor, as_completed
from typing import Any

REPLAY = "scripts/simulate --seed {seed}{real} --trace"
BATCH = 4


def main(arguments: list[str] | None = None) -> int:
    options = _options(arguments)
    if options.seed is not None:
        return _one(options.seed, trace=options.trace, real=options.real)
    first, count = options.seeds
    figures = run(range(first, first + count), workers=options.workers, real=options.real, talk=True)
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(figures, file, indent=1, sort_keys=True)
    print(summary(figures))
    return 1 if figures["failures"] else 0


def _options(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="scripts/simulate", description=__doc__, add_help=True)
    parser.add_argument("--seeds", nargs=2, type=int, default=(0, 200), metavar=("FIRST", "COUNT"))
    parser.add_argument("--seed", type=int, help="one game only")
    parser.add_argument("--trace", action="store_true", help="print what happens in it")
    parser.add_argument("--real", action="store_true", help="with the real group instead of the cheap one")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--json", metavar="FILE", help="write the figures there")
    return parser.parse_args(arguments)


def prepare(real: bool, control: str = "") -> None:
    """Before anything of the package is imported: which group this process works in, and which rule it leaves out."""
    if not real:
        from tests.sim import small_group

        small_group.install()
    gc.disable()
    if control:
        from tests.sim.controls import CONTROLS

        CONTROLS[control]()


def _one(seed: int, *, trace: bool, real: bool) -> int:
    prepare(real)
    from tests.sim.world import play

    try:
        result = play(seed, trace=trace)
    except Exception:  # noqa: BLE001
        traceback.print_exc()
        print(f"seed {seed} fails; again: {REPLAY.format(seed=seed, real=' --real' if real else '')}")
        return 1
    print(f"seed {seed}: {result.outcome} {result.detail}")
    for name, number in sorted(result.counts.items()):
        print(f"  {number:6} {name}")
    return 0


def play_all(seeds: Iterable[int], control: str = "") -> list[tuple[int, str, dict[str, int], str, float]]:
    """In a worker: seed, outcome ("" for a failure), counts, a word about it, processor seconds of each game."""
    from tests.sim.controls import plan_for
    from tests.sim.world import play

    results = []
    for seed in seeds:
        begun = time.process_time()
        try:
            got = play(seed, plan=plan_for(control, seed) if control else None)
            row = (seed, got.outcome, dict(got.counts), got.detail)
        except Exception as error:  # noqa: BLE001
            row = (seed, "", {}, f"{type(error).__name__}: {error}")
        gc.collect()
        results.append((*row, time.process_time() - begun))
    return results


def run(
    seeds: Iterable[int],
    *,
    workers: int = 1,
    real: bool = False,
    control: str = "",
    leave_out: bool = True,
    talk: bool = False,
) -> dict[str, Any]:
    """Figures of all these games. Each worker is a process of its own that chose its group before all else. control: a
    rule that all clients leave out (see controls.py); its own games are played then, also if leave_out is False."""
    wanted = list(seeds)
    batches = [wanted[at : at + BATCH] for at in range(0, len(wanted), BATCH)]
    counts: Counter[str] = Counter()
    outcomes: Counter[str] = Counter()
    failures: dict[int, str] = {}
    waits: dict[int, str] = {}
    spent, done, begun = 0.0, 0, time.monotonic()
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(
        max(1, min(workers, len(batches))), context, prepare, (real, control if leave_out else "")
    ) as pool:
        for job in as_completed([pool.submit(play_all, batch, control) for batch in batches]):
            results = job.result()
            for seed, outcome, counted, detail, seconds in results:
                counts.update(counted)
                spent += seconds
                done += 1
                if outcome:
                    outcomes[outcome] += 1
                else:
                    failures[seed] = detail
                    if talk:
                        again = REPLAY.format(seed=seed, real=" --real" if real else "")
                        print(f"seed {seed}: {detail}\n  again: {again}", flush=True)
                if outcome == "waits":
                    waits[seed] = detail
            if talk and sys.stderr.isatty():
                print(f"\r{done} of {len(wanted)}", end="", file=sys.stderr)
    return {
        "seeds": done,
        "outcomes": dict(outcomes),
        "counts": dict(counts),
        "failures": failures,
        "waits": waits,
        "processor_seconds": round(spent, 1),
        "seconds": round(time.monotonic() - begun, 1),
    }


def summary(figures: dict[str, Any]) -> str:
    """The figures for people."""
    lines = [
        f"{figures['seeds']} games in {figures['seconds']} s ({figures['processor_seconds']} processor seconds): "
        + ", ".join(f"{number} {name}" for name, number in sorted(figures["outcomes"].items()))
        + f", {len(figures['failures'])} failed"
    ]
    lines += [f"{number:8} {name}" for name, number in sorted(figures["counts"].items())]
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
