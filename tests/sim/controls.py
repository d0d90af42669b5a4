"""Clients that leave one rule out, to see that the simulation notices. See test_simulation.py."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from p2pmatryoshka.table.sidelines import Sidelines
from tests.sim import faults
from tests.sim.node import Node
from tests.sim.plan import Fault, Plan


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
    if control == "returns":
        backup, die = faults.restore(random, 3)
        found = (backup, *(Fault(die.kind, after, 0.0, die.act, die.detail) for after in (4, 9, 15)))
        return Plan("matryoshka", 3, {}, (0.01, 0.4), tuple(found))
    if control == "votes":
        found = tuple(
            Fault(fault.kind, after, 0.0, fault.act, fault.detail)
            for after in range(2, 40, 3)
            for fault in random.choice((faults.part, faults.stall, faults.flap))(random, 5)
        )
        return Plan("matryoshka", 5, {}, (0.3, 3.0), found, patience=(0.3, 2.0))
    (turned,) = faults.cheat(random, 3)
    return Plan("matryoshka", 3, {}, (0.0, 0.1), (Fault(turned.kind, random.randrange(3, 8), 0.0, turned.act, turned.detail),))

