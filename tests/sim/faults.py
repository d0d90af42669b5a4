from __future__ import annotations
from random import Random
from tests.sim.plan import Fault
def draw(random: Random, members: int, entries: int) -> tuple[Fault, ...]:
    return ()
