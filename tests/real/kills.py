"""A whole game through which peers are killed by SIGKILL, at named instants, and resumed."""

from __future__ import annotations

import random
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.real import hooks
from tests.real.peers import Table, Zygote

AGAIN = 0.15
"""How often somebody who comes back is killed once more, before the others have shown what they hold."""


@dataclass
class Outcome:
    """What happened in one game. deaths: (step, kind of step, member, instant)."""

    seed: int
    steps: int = 0
    deaths: list[tuple[int, str, int, str]] = field(default_factory=list)
    seconds: float = 0.0

    @property
    def instants(self) -> Counter[str]:
        return Counter(instant for _, _, _, instant in self.deaths)


def plan_of(steps: list[int], seats: int, seed: int) -> dict[int, list[list[Any]]]:
    """For each member the steps at which it dies, and how: members and instants in turn, begun at random."""
    chance = random.Random(repr(("kills", seed)))
    first, instant = chance.randrange(seats), chance.randrange(len(hooks.INSTANTS))
    plan: dict[int, list[list[Any]]] = {i: [] for i in range(seats)}
    for at, number in enumerate(steps):
        plan[(first + at) % seats].append([number, hooks.INSTANTS[(instant + 3 * at) % len(hooks.INSTANTS)]])
    return plan


def play(
    zygote: Zygote, folder: Path, steps: list[int], *, seed: int, seats: int = 3, limit: float = 200, **options: Any
) -> Outcome:
    """Play a game with a death planned at each of these steps. All must end it with one record, and nobody accused."""
    chance = random.Random(repr(("again", seed)))
    outcome = Outcome(seed)
    began = time.monotonic()
    plan = plan_of(steps, seats, seed)
    again = dict.fromkeys(range(seats), False)
    with Table(zygote, folder, seats, seed=seed, limit=limit, **options) as table:
        table.start(**{f"p{i}": {"die": plan[i]} for i in range(seats)})
        while any(table.status(i) != 0 for i in range(seats)):
            if time.monotonic() - began > limit:
                raise AssertionError(f"not over after {limit} seconds, {len(outcome.deaths)} deaths\n{table.logs()}")
            for i in range(seats):
                status = table.status(i)
                if status in (None, 0):
                    continue
                assert status == -9, f"P{i} ended with {status}\n{table.logs()}"
                last = table.peers[i].told("dying")[-1]
                outcome.deaths.append((last["step"], last["kind"], i, last["instant"]))
                plan[i] = [one for one in plan[i] if one[0] > last["step"]]
                again[i] = not again[i] and chance.random() < AGAIN
                table.order(i, do="resume", die=[[0, "returning"]] if again[i] else plan[i])
            time.sleep(0.02)
        report = table.check()
        assert not report.reason and report.over is not None
        outcome.steps = report.steps
    outcome.seconds = time.monotonic() - began
    return outcome
