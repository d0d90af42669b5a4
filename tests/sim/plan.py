"""What a seed chooses: the game, the network, and what goes wrong when."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from random import Random
from typing import TYPE_CHECKING

from p2pmatryoshka.rules.game import Value

if TYPE_CHECKING:
    from tests.sim.world import World

ENTRIES = {("matryoshka", 3): 132, ("matryoshka", 4): 210, ("matryoshka", 5): 300, ("matrioske", 4): 64}
"""Of a whole game, about."""


@dataclass(frozen=True)
class Fault:
    """Something that goes wrong `delay` seconds after so many entries were signed. act: what; whether it took place."""

    kind: str
    after: int
    delay: float
    act: Callable[[World], bool] = field(repr=False)
    detail: str = ""

    def inject(self, world: World) -> bool:
        return self.act(world)


@dataclass(frozen=True)
class Plan:
    game: str
    members: int
    rules: Mapping[str, Value]
    latency: tuple[float, float]
    faults: tuple[Fault, ...] = ()
    alone: bool = False
    patience: tuple[float, float] = (15, 50)
    """Seconds after which people ask to go on without somebody."""

    paces: tuple[float, ...] = (0.0, 0.3, 3.0)
    """Seconds for which somebody may think about a choice; each draws one of these."""

    @classmethod
    def drawn(cls, seed: int) -> Plan:
        from tests.sim.faults import draw

        random = Random(repr(("plan", seed)))
        game, members = random.choices([*ENTRIES], weights=(50, 9, 3, 38))[0]
        latency = random.choice(((0.0, 0.001), (0.01, 0.08), (0.02, 0.4), (0.3, 3.0)))
        rules: Mapping[str, Value] = {}
        if game == "matrioske":
            rules = {"judge": random.choice(("deck", "table"))}
        faults = draw(random, members, ENTRIES[game, members]) if seed % 10 else ()
        # Hasty people put out whoever is slow: then votes and the entries they are about cross each other all the time.
        patience = (15.0, 50.0)
        if random.random() < 0.15 and seed % 10:
            patience = random.choice(((0.3, 2.0), (1.0, 6.0)))
            latency = latency[0], min(latency[1], patience[0])
        return cls(game, members, rules, latency, faults, alone=seed % 16 == 0, patience=patience)
