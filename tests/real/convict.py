"""Many tables one after the other, each with one cheat, by the same few processes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from p2pmatryoshka.table.audit import audit
from tests.real import cheats
from tests.real.peers import Table, Zygote, seating

LIMIT = 40
"""Seconds for one table."""


@dataclass(frozen=True)
class Verdict:
    """What one cheat came to. trouble: "" if everybody honest ended with this accusation, and a sealed record."""

    name: str
    member: int
    rule: str
    trouble: str = ""


def batch(zygote: Zygote, folder: Path, names: Sequence[str], *, seats: int, patience: float = 20) -> Iterator[Verdict]:
    """A table for each cheat: it sits at each place in turn, and all who are honest but one leave once it is caught."""
    with Table(zygote, folder, seats) as table:
        orders: list[list[dict[str, Any]]] = [[] for _ in range(seats)]
        plans = []
        for at, name in enumerate(names):
            plan = _plan(name, at, seats)
            plans.append(plan)
            for i in range(seats):
                order = seating(i, seats, folder / f"invite{at}")
                order |= {"name": f"P{i}", "seed": name, "record": str(folder / f"{at}.{i}"), "limit": LIMIT}
                order |= {"patience": patience, **plan.extras[i]}
                orders[i].append(order)
        for i, peer in enumerate(table.peers):
            peer.process = zygote.start(peer.folder, orders[i], peer.log)
            peer.starts += 1
        for at, plan in enumerate(plans):
            yield _judge(table, at, plan)


@dataclass(frozen=True)
class _Plan:
    name: str
    rule: str
    cheat: int
    leaver: int | None
    extras: list[dict[str, Any]]


def _plan(name: str, at: int, seats: int) -> _Plan:
    attack = cheats.attacks()[name]
    cheat = at % seats
    leaves = cheats.leaver_for(attack)
    leaver = (cheat + 1) % seats if leaves else None
    honest = [i for i in range(seats) if i not in (cheat, leaver)]
    extras: list[dict[str, Any]] = [{} for _ in range(seats)]
    extras[cheat] = {"cheat": name}
    for i in honest[1:]:
        extras[i] = {"get_up": {"at": "accusation"}}
    if leaver is not None:
        extras[leaver] = {"get_up": leaves}
    return _Plan(name, attack.rule, cheat, leaver, extras)


def _judge(table: Table, at: int, plan: _Plan) -> Verdict:
    def events(i: int) -> list[dict[str, Any]]:
        return _of_order(table.peers[i].events, at)

    def over(i: int) -> bool:
        return any(e["event"] in ("finished", "failed") for e in events(i)) or table.status(i) is not None

    honest = [i for i in range(len(table.peers)) if i not in (plan.cheat, plan.leaver)]
    table.wait(lambda: all(over(i) for i in honest), 2 * LIMIT, f"{plan.name} is over")
    trouble = []
    for i in honest:
        accused = {(e["member"], e["rule"]) for e in events(i) if e["event"] == "accused"}
        if accused != {(plan.cheat, plan.rule)}:
            trouble.append(f"P{i} accuses {sorted(accused)}")
        failed = [e for e in events(i) if e["event"] == "failed"]
        if failed or not any(e["event"] == "finished" for e in events(i)):
            trouble.append(f"P{i} failed: {failed}")
    if not trouble:
        # The last one to stay has sealed; those who left first have a part of the same record.
        report = audit((table.folder / f"{at}.{honest[0]}").read_bytes())
        if report.finding is not None:
            trouble.append(f"audit: {report.finding}")
        if {(a.member, a.rule) for a in report.accusations} != {(plan.cheat, plan.rule)}:
            trouble.append(f"audit accuses {report.accusations}")
    if trouble:
        trouble.append("\n".join(str(e) for i in range(len(table.peers)) for e in [f"P{i}", *events(i)[-6:]]))
    return Verdict(plan.name, plan.cheat, plan.rule, "; ".join(trouble))


def _of_order(events: list[dict[str, Any]], at: int) -> list[dict[str, Any]]:
    begin = next((n for n, e in enumerate(events) if e["event"] == "order" and e["index"] == at), None)
    if begin is None:
        return []
    end = next((n for n, e in enumerate(events) if e["event"] == "order" and e["index"] == at + 1), len(events))
    return events[begin:end]
