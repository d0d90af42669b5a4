"""Clients that leave one rule out, to see that the simulation notices. See test_simulation.py."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING

from p2pmatryoshka.table.sidelines import Sidelines
from tests.sim import cheats, faults
from tests.sim.node import Node
from tests.sim.plan import Fault, Plan

if TYPE_CHECKING:
    from tests.sim.world import World


def signs_at_once_after_a_restart() -> None:
    """Nobody waits for the others to show what they hold of its log."""
    Node.wait_for_returns = False


def ignores_open_votes() -> None:
    """A vote of one's own does not hold up the step."""
    Sidelines.blocked = lambda *_: False  # type: ignore[method-assign]


def accepts_any_shuffle() -> None:
    """Proofs of shuffles are not checked."""
    from p2pmatryoshka.crypto import shuffle

    shuffle.verify_shuffle = lambda *_, **__: None


CONTROLS: dict[str, Callable[[], None]] = {
    "returns": signs_at_once_after_a_restart,
    "votes": ignores_open_votes,
    "shuffles": accepts_any_shuffle,
}


def plan_for(control: str, seed: int) -> Plan:
    """Games in which that rule matters."""
    random = Random(repr((control, seed)))
    found: list[Fault] = []
    if control == "returns":
        # Always the same member: what all have forgotten at once, nobody can remind anybody of.
        who = random.randrange(3)
        for after in range(3, 45, 6):
            backup, die = faults.restore(random, 3, who)
            found += [replace(backup, after=after), replace(die, after=after + random.randrange(1, 4), delay=0.3)]
        return Plan("matryoshka", 3, {}, (0.0, 0.1), tuple(found), paces=(0.0,))
    if control == "votes":
        for after in range(2, 30, 3):
            fault = random.choice((faults.part, faults.stall))
            found += [replace(one, after=after) for one in fault(random, 3)]
        return Plan("matryoshka", 3, {}, (0.1, 2.0), tuple(found), patience=(0.3, 1.0))
    member = random.randrange(3)

    def act(world: World) -> bool:
        world.cheats.add(member)
        cheats.turn(world.network.nodes[member], "wrong body")
        return True

    return Plan("matryoshka", 3, {}, (0.0, 0.1), (Fault("cheat: wrong body", 9, 0.0, act, str(member)),))
