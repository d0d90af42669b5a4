"""A coarser model than motion_model.py, for more members: who has voted, withdrawn, confirmed, and nothing else.

It allows more than can happen: what a member holds of another's log may be any part of it, in any order, may be
forgotten again, every entry of the step is there or not as suits the worst case, and anybody votes for anything.
A member may take an end as soon as what it needs for it has been signed by anybody, as it may be holding just
that; and it can put off taking it as long as it signs nothing. So no state needs to say who has taken which end.
A run of any number of motions, seen at two of them only, is a run of this model too: the others add nothing that
these two need. So two motions at a time are enough to find every split.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from itertools import combinations

from p2pmatryoshka.errors import Illegal
from p2pmatryoshka.table.motion import Ballot, Kind, Motion
from tests.table.motion_model import Found, Rules

NONE, VOTED, WITHDRAWN, CONFIRMED = range(4)
KINDS: dict[int, tuple[Kind, ...]] = {
    NONE: (),
    VOTED: ("vote",),
    WITHDRAWN: ("vote", "withdraw"),
    CONFIRMED: ("vote", "confirm"),
}
State = tuple[tuple[int, ...], ...]  # per member, per motion


class Lattice:
    def __init__(
        self,
        members: int,
        motions: tuple[Motion, ...],
        cheats: frozenset[int] = frozenset(),
        rules: Rules | None = None,
    ) -> None:
        self.members, self.cheats, self.rules = members, cheats, rules or Rules()
        self.motions = tuple(sorted(motions, key=lambda m: m.rank))
        self.still_in = frozenset(range(members))
        self.honest = [m for m in range(members) if m not in cheats]
        self._takes: dict[tuple[int, State, int], bool] = {}
        self._signs: dict[tuple[int, State, Ballot], bool] = {}

    def explore(self) -> int:
        """Visit every state. Returns how many; raises Found for a split."""
        visited = 0
        for state in self.states():
            if what := self.split(state):
                raise Found(what, [str(state)])
            visited += 1
        return visited

    def states(self) -> Iterator[State]:
        start: State = ((NONE,) * len(self.motions),) * self.members
        seen, queue = {start}, deque([start])
        while queue:
            state = queue.popleft()
            yield state
            for after in self.moves(state):
                if after not in seen:
                    seen.add(after)
                    queue.append(after)

    def moves(self, state: State) -> Iterator[State]:
        for me, row in enumerate(state):
            for number, motion in enumerate(self.motions):
                if me in motion.absent:
                    continue
                if row[number] == NONE:
                    yield self._set(state, me, number, VOTED)
                elif row[number] == VOTED:
                    yield self._set(state, me, number, WITHDRAWN)
                    if me in self.cheats or self._confirms(state, me, number):
                        yield self._set(state, me, number, CONFIRMED)

    def _confirms(self, state: State, me: int, number: int) -> bool:
        """May I, holding no more of the others than their votes for it?"""
        view = tuple(
            row if m == me else tuple(min(s, VOTED) if n == number else NONE for n, s in enumerate(row))
            for m, row in enumerate(state)
        )
        ballot = Ballot("confirm", self.motions[number])
        key = (me, view, ballot)
        if key not in self._signs:
            try:
                self.rules.may_sign(self.rules.count(self.still_in, self._logs(view)), me, ballot, self.still_in)
                self._signs[key] = True
            except Illegal:
                self._signs[key] = False
        return self._signs[key]

    def takes(self, state: State, me: int, number: int) -> bool:
        """May I take the end of that motion (-1: of none), holding all Withdraws and no higher Confirm?"""
        view = tuple(
            row
            if m == me
            else tuple(s if s == WITHDRAWN or (n <= number and s == CONFIRMED) else NONE for n, s in enumerate(row))
            for m, row in enumerate(state)
        )
        key = (me, view, number)
        if key not in self._takes:
            count = self.rules.count(self.still_in, self._logs(view))
            end = None if number < 0 else self.motions[number]
            self._takes[key] = count.outcome == end and not self.rules.blocks(count, me)
        return self._takes[key]

    def split(self, state: State) -> str | None:
        able = {n: {m for m in self.honest if self.takes(state, m, n)} for n in range(-1, len(self.motions))}
        absent = {n: frozenset(self.motions[n].absent if n >= 0 else ()) for n in able}
        for low, high in combinations(able, 2):
            if absent[low] == absent[high] or not able[high]:
                continue
            if able[low] - absent[high]:
                return f"split: {able[low]} without {absent[low]}, {able[high]} without {absent[high]}"
            stay = [set(self.honest) - absent[n] for n in (low, high)]
            if not stay[0] & stay[1] and stay[0] <= able[low] and stay[1] <= able[high]:
                return f"split: two tables go on, {stay}"
        return None

    def _logs(self, view: State) -> dict[int, list[Ballot]]:
        return {
            m: [Ballot(kind, self.motions[n]) for n, s in enumerate(row) for kind in KINDS[s]]
            for m, row in enumerate(view)
        }

    @staticmethod
    def _set(state: State, me: int, number: int, status: int) -> State:
        row = (*state[me][:number], status, *state[me][number + 1 :])
        return (*state[:me], row, *state[me + 1 :])
