"""Every figure in one run: proofs beside the bare library calls, whole games, restock, simulation."""

from __future__ import annotations

import argparse
import dataclasses
import json
from pathlib import Path
from typing import Any

from scripts import bench_crypto, bench_games


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", type=Path, metavar="FILE", help="write every figure into FILE as well")
    parser.add_argument("--quick", action="store_true", help="leave out the shuffles of 512 and 4096 cards")
    options = parser.parse_args()
    cards = tuple(n for n in bench_crypto.CARDS if n < 512 or not options.quick)
    figures: dict[str, Any] = {"shuffles": _shuffles(cards)}
    print("\nwhole games by separate processes over loopback, a figure a peer")
    figures["games"] = [
        _shown(bench_games.by_processes(game, seats)) for game, seats in (("matryoshka", 5), ("matrioske", 4))
    ]
    print("\nmessage delays, entries and bytes of entries by kind of step")
    figures["phases"] = {}
    for game, seats in (("matryoshka", 5), ("matrioske", 4)):
        phases = [dataclasses.asdict(phase) for phase in bench_games.phases(game, seats)]
        print(
            f"{game}, {seats} seats: "
            + ", ".join(f"{p['name']} {p['delays']}/{p['entries']}/{p['bytes']}" for p in phases)
        )
        figures["phases"][game] = phases
    print("\na stock made anew after one of five has left")
    figures["restock"] = _shown(bench_games.restock(5))
    print("\nsimulation on one core")
    figures["simulation"] = [
        _shown(bench_games.games_a_minute(game, seats, 3)) for game, seats in (("matryoshka", 4), ("matrioske", 4))
    ]
    if options.json:
        options.json.write_text(json.dumps(figures, indent=1) + "\n")


def _shuffles(cards: tuple[int, ...]) -> list[dict[str, Any]]:
    print("one shuffle; ratio: to the bare library calls it needs; last two: what a second thread gives, to both")
    print("cards  prove ms  ratio  verify ms  ratio  us a card  bytes a card  speed-up  of bare calls")
    rows = []
    for f in bench_crypto.figures(cards):
        print(
            f"{f.cards:5d} {f.prove:9.1f}  {f.prove_ratio:5.2f}  {f.verify:9.1f}  {f.verify_ratio:5.2f} "
            f"{f.verify / f.cards * 1000:10.0f}  {f.proof / f.cards:12.1f}  {f.speed_up:8.2f}  "
            f"{f.speed_up_of_calls:13.2f}"
        )
        rows.append(dataclasses.asdict(f))
    return rows


def _shown(figures: dict[str, Any]) -> dict[str, Any]:
    print("  " + ", ".join(f"{k} {v:.2f}" if isinstance(v, float) else f"{k} {v}" for k, v in figures.items()))
    return figures


if __name__ == "__main__":
    main()
