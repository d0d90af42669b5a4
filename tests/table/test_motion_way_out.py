"""From whatever state two motions are in, more than half of the members can end the step: five members as well.

States are those of the coarse model, which holds more than can happen. For every state, every group of more than
half, and every part of the others' logs and entries that may have reached it, the group by itself must end the step.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, product

import pytest

from p2pmatryoshka.table.motion import Ballot, Motion
from tests.table.motion_lattice import CONFIRMED, KINDS, NONE, VOTED, WITHDRAWN, Lattice, State
from tests.table.motion_model import ENTRY, Logs, Model, Rules, Setting
from tests.table.test_motion_controls import NameOnlyEntriesAndConfirms

HELD = {
    NONE: (NONE,),
    VOTED: (NONE, VOTED),
    WITHDRAWN: (NONE, VOTED, WITHDRAWN),
    CONFIRMED: (NONE, VOTED, CONFIRMED),
}
Group = tuple[int, ...]


class WayOut:
    def __init__(self, setting: Setting, rules: Rules | None = None) -> None:
        self.setting, self.model = setting, Model(setting, rules)
        self.lattice = Lattice(setting.members, setting.motions)
        self.motions = self.lattice.motions
        self.alike = [(m in setting.owing, *(m in x.absent for x in self.motions)) for m in range(setting.members)]

    def stuck(self) -> tuple[int, tuple[Group, Logs] | None]:
        """How many situations were tried, and the first that has no way out."""
        tried = set()
        for state in self.lattice.states():
            for group, held, entries in self.situations(state):
                rows = zip(self.alike, held, strict=True)
                key = tuple(sorted((*row, m in group, m in entries) for m, row in enumerate(rows)))
                if key in tried:
                    continue
                tried.add(key)
                logs = self.logs(held, entries)
                if not (self.model.plan(group, logs, ()) or self.model.search(group, logs, ())):
                    return len(tried), (group, logs)
        return len(tried), None

    def situations(self, state: State) -> Iterator[tuple[Group, State, Group]]:
        parts = [tuple(product(*(HELD[s] for s in row))) for row in state]
        for group in self.model.groups:
            for held in product(*(((row,) if m in group else parts[m]) for m, row in enumerate(state))):
                if self.possible(group, held):
                    for size in range(len(self.setting.owing) + 1):
                        for entries in combinations(self.setting.owing, size):
                            yield group, held, entries

    def possible(self, group: Group, held: State) -> bool:
        """The group holds what its own ballots need: all Votes for a Confirm, a Vote in the round before."""
        for n, motion in enumerate(self.motions):
            votes = [held[m][n] != NONE for m in range(self.setting.members) if m not in motion.absent]
            if any(held[m][n] == CONFIRMED for m in group) and not all(votes):
                return False
            before = [k for k, x in enumerate(self.motions) if x.round == motion.round - 1]
            grounded = motion.round == 1 or any(row[k] != NONE for row in held for k in before)
            if any(held[m][n] != NONE for m in group) and not grounded:
                return False
        return True

    def logs(self, held: State, entries: Group) -> Logs:
        return tuple(
            ((ENTRY,) if m in entries else ())
            + tuple(self.model.number(Ballot(kind, self.motions[n])) for n, s in enumerate(row) for kind in KINDS[s])
            for m, row in enumerate(held)
        )


def check(members: int, owing: Group, one: Group, two: Group) -> None:
    tried, stuck = WayOut(Setting(members, owing, (Motion(1, one), Motion(2, two)))).stuck()
    print(f"{members} members, {owing} owe, {one} then {two}: {tried} situations")
    assert stuck is None


@pytest.mark.parametrize(
    ("members", "owing", "one", "two"),
    [
        (3, (2,), (2,), (1,)),
        (3, (1, 2), (2,), (1,)),
        (3, (2,), (2,), (2,)),
        (4, (3,), (3,), (2,)),
        (4, (3,), (3,), (3,)),
    ],
)
def test_more_than_half_end_the_step(members: int, owing: Group, one: Group, two: Group) -> None:
    check(members, owing, one, two)


@pytest.mark.slow
@pytest.mark.parametrize(("owing", "one", "two"), [((4,), (4,), (3, 4)), ((3, 4), (3, 4), (2, 3))])
def test_more_than_half_of_five_end_the_step(owing: Group, one: Group, two: Group) -> None:
    check(5, owing, one, two)


def test_a_stuck_end_is_found() -> None:
    setting = Setting(5, (4,), (Motion(1, (4,)), Motion(2, (3, 4))))
    assert WayOut(setting, NameOnlyEntriesAndConfirms()).stuck()[1] is not None
