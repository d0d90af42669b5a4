"""Every state of small tables: nobody splits, nobody honest is accused, and more than half can always end the step."""

from __future__ import annotations

import pytest

from p2pmatryoshka.table.motion import Motion
from tests.table.motion_lattice import Lattice
from tests.table.motion_model import Model, Setting

GONE = Motion(1, (2,))
SMALL = {
    "two voters, one motion": Setting(3, (2,), (GONE,)),
    "two voters, all three owe": Setting(3, (0, 1, 2), (GONE,)),
    "the absent of one is a voter of the next": Setting(3, (2,), (GONE, Motion(2, (1,)))),
    "each against the other in one round": Setting(3, (1, 2), (Motion(1, (1,)), GONE)),
    "one round, one of two owes": Setting(3, (1,), (Motion(1, (1,)), GONE)),
    "withdrawn and voted again": Setting(3, (2,), (GONE, Motion(2, (2,)))),
    "three voters, one motion": Setting(4, (3,), (Motion(1, (3,)),)),
    "three voters, one of them owes": Setting(4, (0, 3), (Motion(1, (3,)),)),
    "three voters, two gone": Setting(5, (3, 4), (Motion(1, (3, 4)),)),
    "four voters, one motion": Setting(5, (4,), (Motion(1, (4,)),)),
    "a cheat bound to both": Setting(3, (2,), (GONE, Motion(2, (1,))), frozenset({0}), 3),
    "a cheat in one and against one": Setting(3, (2,), (GONE, Motion(2, (1,))), frozenset({1}), 3),
    "a cheat among three voters": Setting(4, (3,), (Motion(1, (3,)),), frozenset({0}), 3),
}
LARGE = {
    "all three owe, two motions": Setting(3, (0, 1, 2), (GONE, Motion(2, (1,)))),
    "three voters, the next names one of them": Setting(4, (3,), (Motion(1, (3,)), Motion(2, (2,)))),
}
PAIRS = {
    3: [((2,), (1,)), ((2,), (2,))],
    4: [((3,), (2,)), ((3,), (3,))],
    5: [((4,), (3, 4)), ((4,), (2, 3)), ((3, 4), (1, 2)), ((3, 4), (2, 3)), ((3, 4), (3, 4))],
}
FOUR_VOTERS = [((4,), (3,)), ((4,), (4,))]


def explore(name: str, setting: Setting) -> None:
    print(f"{name}: {Model(setting, symmetry=True).explore()} states")


@pytest.mark.parametrize("name", SMALL)
def test_a_small_table_never_splits_nor_sticks(name: str) -> None:
    explore(name, SMALL[name])


@pytest.mark.slow
@pytest.mark.parametrize("name", LARGE)
def test_a_larger_table_never_splits_nor_sticks(name: str) -> None:
    explore(name, LARGE[name])


def pairs(members: int, one: tuple[int, ...], two: tuple[int, ...], cheats: frozenset[int]) -> None:
    for rounds in ((1, 2),) if one == two else ((1, 2), (2, 1)):  # only which of the two is higher matters here
        motions = Motion(rounds[0], one), Motion(rounds[1], two)
        print(f"{members} members, {motions}, cheats {set(cheats)}: ", end="")
        print(f"{Lattice(members, motions, cheats).explore()} states")


@pytest.mark.parametrize(("members", "one", "two"), [(n, *pair) for n, sets in PAIRS.items() for pair in sets])
def test_any_two_motions_never_split(members: int, one: tuple[int, ...], two: tuple[int, ...]) -> None:
    pairs(members, one, two, frozenset())


@pytest.mark.slow
@pytest.mark.parametrize(("one", "two"), FOUR_VOTERS)
def test_any_two_motions_of_four_voters_never_split(one: tuple[int, ...], two: tuple[int, ...]) -> None:
    pairs(5, one, two, frozenset())


@pytest.mark.parametrize(("one", "two", "cheat"), [((3,), (2,), 0), ((3,), (2,), 2), ((3,), (3,), 0)])
def test_a_cheat_among_four_splits_nobody(one: tuple[int, ...], two: tuple[int, ...], cheat: int) -> None:
    """As long as one honest member votes on both."""
    pairs(4, one, two, frozenset({cheat}))


def test_receiving_late_loses_no_state() -> None:
    """The reduced search reaches whatever logs and ends the full one does."""
    for setting in (SMALL["two voters, one motion"], Setting(3, (1, 2), (GONE,))):
        full, reduced = (Model(setting, lazy=lazy).states() for lazy in (False, True))
        print(f"{len(full)} states, reduced to {len(reduced)}")
        assert {(s.logs, s.ends) for s in full} == {(s.logs, s.ends) for s in reduced}
