"""Many tables one after the other, each with one cheat, by the same few processes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
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


class Lane:
    """A few processes that play one table after the other. At each the cheat sits at another place, and all who are
    honest but one leave once it is caught."""

    def __init__(self, zygote: Zygote, folder: Path, names: Sequence[str], *, seats: int) -> None:
        self._table = Table(zygote, folder, seats)
        self._plans = [_plan(name, at, seats) for at, name in enumerate(names)]
        for i, peer in enumerate(self._table.peers):
            orders = [
                {
                    **seating(i, seats, folder / f"invite{at}"),
                    **{"name": f"P{i}", "seed": plan.name, "record": str(folder / f"{at}.{i}"), "limit": LIMIT},
                    **{"settle": 1.0},
                    **plan.extras[i],
                }
                for at, plan in enumerate(self._plans)
            ]
            peer.process = zygote.start(peer.folder, orders, peer.log)
            peer.starts += 1

    def verdicts(self) -> Iterator[Verdict]:
        """One for each table, as it ends."""
        for at, plan in enumerate(self._plans):
            yield _judge(self._table, at, plan)

    def close(self) -> None:
        self._table.close()


@contextmanager
def lanes(zygote: Zygote, folder: Path, names: Sequence[str], count: int) -> Iterator[Iterator[Verdict]]:
    """All these cheats, at several tables side by side: most of the time a table waits for its links to close."""
    zygote.load("tests.real.cheats")
    running: list[Lane] = []
    for seats in (3, 4):
        fitting = [name for name in names if cheats.seats_for(cheats.attacks()[name]) == seats]
        wanted = max(1, round(count * len(fitting) / max(1, len(names))))
        for lane in range(wanted):
            if fitting[lane::wanted]:
                place = folder / f"seats{seats}lane{lane}"
                running.append(Lane(zygote, place, fitting[lane::wanted], seats=seats))
    try:
        yield (verdict for lane in running for verdict in lane.verdicts())
    finally:
        for lane in running:
            lane.close()


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

    wanted = {(plan.cheat, plan.rule)}
    # What stands in the second version of a forked entry may break a rule of its own, which not everybody gets to see.
    more = plan.name.startswith("split-")

    def names_it(accused: set[tuple[int, str]]) -> bool:
        return accused == wanted or (more and wanted < accused and {member for member, _ in accused} == {plan.cheat})

    honest = [i for i in range(len(table.peers)) if i not in (plan.cheat, plan.leaver)]
    table.wait(lambda: all(over(i) for i in honest), 2 * LIMIT, f"{plan.name} is over")
    trouble = []
    for i in honest:
        accused = {(e["member"], e["rule"]) for e in events(i) if e["event"] == "accused"}
        if not names_it(accused):
            trouble.append(f"P{i} accuses {sorted(accused)}")
        failed = [e for e in events(i) if e["event"] == "failed"]
        if failed or not any(e["event"] == "finished" for e in events(i)):
            trouble.append(f"P{i} failed: {failed}")
    if not trouble:
        # The last one to stay has sealed; those who left first have a part of the same record.
        report = audit((table.folder / f"{at}.{honest[0]}").read_bytes())
        if report.finding is not None:
            trouble.append(f"audit: {report.finding}")
        if not names_it({(a.member, a.rule) for a in report.accusations}):
            trouble.append(f"audit accuses {[(a.member, a.rule) for a in report.accusations]}")
    if trouble:
        trouble.append("\n".join(str(e) for i in range(len(table.peers)) for e in [f"P{i}", *events(i)[-6:]]))
    return Verdict(plan.name, plan.cheat, plan.rule, "; ".join(trouble))


def _of_order(events: list[dict[str, Any]], at: int) -> list[dict[str, Any]]:
    begin = next((n for n, e in enumerate(events) if e["event"] == "order" and e["index"] == at), None)
    if begin is None:
        return []
    end = next((n for n, e in enumerate(events) if e["event"] == "order" and e["index"] == at + 1), len(events))
    return events[begin:end]
