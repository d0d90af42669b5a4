"""What whole games cost: by separate processes over loopback, phase by phase, and in simulation."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from statistics import median
from typing import Any

from p2pmatryoshka.bots.random_bot import RandomBot
from p2pmatryoshka.rules import words
from p2pmatryoshka.rules.catalogue import GAMES
from p2pmatryoshka.rules.plain_dealer import play_out
from p2pmatryoshka.table import messages
from p2pmatryoshka.table.table import Table
from tests.table.memory import Group

PEER = (sys.executable, "-m", "scripts.bench_peer")


def by_processes(game: str, seats: int) -> dict[str, Any]:
    """A whole game by that many processes: the median over the peers, and the worst stall of any."""
    hosting = subprocess.Popen([*PEER, game, str(seats)], stdout=subprocess.PIPE, text=True)
    if hosting.stdout is None:
        raise RuntimeError("no output")
    began = time.perf_counter()
    invite = hosting.stdout.readline().strip()
    joining = [
        subprocess.Popen([*PEER, game, str(seats), invite], stdout=subprocess.PIPE, text=True) for _ in range(seats - 1)
    ]
    reports = [json.loads(process.communicate(timeout=300)[0]) for process in (hosting, *joining)]
    if len({report["result"] for report in reports}) != 1:
        raise RuntimeError("the peers do not agree")
    return {
        "game": game,
        "seats": seats,
        "wall_seconds": time.perf_counter() - began,
        "processor_seconds_per_peer": median(r["processor_seconds"] for r in reports),
        "kb_sent_and_received_per_peer": median((r["bytes_sent"] + r["bytes_received"]) / 1000 for r in reports),
        "longest_stall_ms": max(r["longest_stall_ms"] for r in reports),
        "most_memory_mb": max(r["most_memory_mb"] for r in reports),
        "steps": reports[0]["steps"],
    }


@dataclass(slots=True)
class Phase:
    """A stretch of steps of one kind. delays: message delays on its critical path, one a step."""

    name: str
    delays: int = 0
    entries: int = 0
    bytes: int = 0


def phases(game: str, seats: int) -> list[Phase]:
    """Steps, entries and bytes of entries by kind, for one game in memory."""
    return by_kind(_played(game, seats).players[0].table)


def by_kind(table: Table) -> list[Phase]:
    found: dict[str, Phase] = {}
    sizes = {entry.hash: len(entry.signed.data) + 64 for log in table.logs for entry in log.chain}
    for moment, fillings in zip(table.spine, table.folded.closings, strict=False):
        phase = found.setdefault(moment.owed.kind, Phase(moment.owed.kind))
        phase.delays += 1
        phase.entries += len(fillings)
        phase.bytes += sum(sizes.get(filling.entry, 0) for filling in fillings.values())
    return list(found.values())


def restock(seats: int) -> dict[str, Any]:
    """What it costs to make the stock anew after somebody left in the middle of a game, in steps, bytes, seconds."""
    group = Group(seats, seed=1)
    leaver = group.players[0]
    group.run(lambda: leaver.table.moment.number > 30 and leaver.own.due(leaver.table) is not None)
    group.send(leaver, leaver.own.draft_body(leaver.table, messages.Leave()).entry)
    group.silent.add(0)
    began = time.process_time()
    group.run()
    spent = time.process_time() - began
    table = group.players[1].table
    kinds = [phase for phase in by_kind(table) if phase.name in ("rekey", "blind", "tags")]
    mixes = sum(1 for moment in table.spine if moment.owed.kind == "mix") - seats
    return {
        "seats": seats,
        "processor_seconds_all_peers_to_the_end": spent,
        "delays": sum(phase.delays for phase in kinds) + mixes,
        "kb_of_entries_without_mixes": sum(phase.bytes for phase in kinds) / 1000,
    }


def games_a_minute(game: str, seats: int, seconds: float) -> dict[str, Any]:
    """Whole games by the plain dealer with random bots, and with real cryptography in memory, on one core."""
    engine, deck = GAMES[game], _deck(game)
    rules = engine.rules(seats, {})
    bots = [RandomBot() for _ in range(seats)]
    plain = sum(1 for _ in _until(seconds, lambda i: play_out(engine, rules, deck, seats, bots, random.Random(i))))
    began = time.process_time()
    _played(game, seats)
    return {
        "game": game,
        "seats": seats,
        "plain_games_a_minute": plain / seconds * 60,
        "real_games_a_minute": 60 / (time.process_time() - began),
    }


def _until(seconds: float, work: Any) -> Iterator[Any]:
    began, count = time.process_time(), 0
    while time.process_time() - began < seconds:
        yield work(count)
        count += 1


def _played(game: str, seats: int) -> Group:
    group = Group(seats, game=game, deck=_deck(game), seed=seats)
    group.run()
    return group


def _deck(game: str) -> bytes:
    return words.shipped("english") if game == "matrioske" else b""
