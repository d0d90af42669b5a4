"""A model of one open step: signed logs, delivery per recipient in any order, and members that stop at any time.

Every decision is taken by the rules under test on exactly what the deciding member holds. A crash needs no move of
its own: a member that has crashed is one that never moves again, and whatever of its log nobody else holds may
be lost. So the search for stuck ends asks, in every state, for every group of honest members that is more than
half of those still in: if only they go on, sharing all they hold, do they come to one end?
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import combinations, product
from typing import TypeVar

from p2pmatryoshka.errors import Illegal
from p2pmatryoshka.table import motion as real
from p2pmatryoshka.table.motion import Ballot, Due, Motion, Tally

T = TypeVar("T")
ENTRY = "entry"
Item = Ballot | str
Log = tuple[Item, ...]
Logs = tuple[Log, ...]


@dataclass(frozen=True)
class End:
    """How a member takes the step to have ended. Two ends are the same if the table hash would be the same."""

    removed: frozenset[int]
    kept: frozenset[int]
    rank: real.Rank = field(compare=False)


State = tuple[Logs, tuple[tuple[int, ...], ...], tuple[End | None, ...]]


class Rules:
    """The rules under test. Negative controls override one method each."""

    older_steps = True  # may somebody who has gone on to later steps still sign ballots for this one?

    def count(self, still_in: frozenset[int], ballots: Mapping[int, list[Ballot]]) -> Tally:
        return real.tally(still_in, ballots)

    def may_sign(self, count: Tally, me: int, ballot: Ballot, missing: frozenset[int]) -> None:
        real.may_sign(count, me, ballot, missing)

    def owed(self, count: Tally, me: int, missing: frozenset[int]) -> tuple[Due, ...]:
        return real.owed(count, me, missing)

    def blocks(self, count: Tally, me: int) -> bool:
        return real.blocks_step(count, me)

    def kept(self, count: Tally, entries: frozenset[int]) -> frozenset[int]:
        """Those put out whose entry nevertheless fills its place."""
        return frozenset()


@dataclass(frozen=True)
class Setting:
    members: int
    owing: tuple[int, ...]  # who owes an entry in this step
    motions: tuple[Motion, ...]  # what may be voted for in the search (the way out may use more)
    cheats: frozenset[int] = frozenset()
    cheat_ballots: int = 4  # the most ballots that a cheat signs

    @property
    def still_in(self) -> frozenset[int]:
        return frozenset(range(self.members))

    @property
    def honest(self) -> tuple[int, ...]:
        return tuple(sorted(self.still_in - self.cheats))


@dataclass(frozen=True)
class Choices:
    """What one member may do by what it holds."""

    sign: tuple[Item, ...]
    end: End | None
    count: Tally
    missing: frozenset[int]
    blocked: bool


class Found(Exception):
    """The search found what must not be. Carries the moves that lead there."""

    def __init__(self, what: str, trace: list[str]) -> None:
        super().__init__(what + "\n  " + "\n  ".join(trace))
        self.what, self.trace = what, trace


class Model:
    """Explores a setting under some rules. `explore` raises Found or returns the number of states."""

    def __init__(self, setting: Setting, rules: Rules | None = None, lazy: bool = True) -> None:
        self.setting, self.rules, self.lazy = setting, rules or Rules(), lazy
        self.ballots = [Ballot(k, m) for m in setting.motions for k in ("vote", "withdraw", "confirm")]
        self._choices: dict[tuple[int, Logs], Choices] = {}
        self._finishes: dict[tuple[tuple[int, ...], Logs, tuple[End | None, ...]], bool] = {}
        self.groups = [
            group
            for size in range(setting.members // 2 + 1, setting.members + 1)
            for group in combinations(setting.honest, size)
        ]

    # what one member may do

    def choices(self, me: int, view: Logs) -> Choices:
        key = (me, view)
        found = self._choices.get(key)
        if found is None:
            found = self._choices[key] = self._choose(me, view)
        return found

    def read(self, view: Logs) -> tuple[Tally, frozenset[int]]:
        ballots = {m: [i for i in log if isinstance(i, Ballot)] for m, log in enumerate(view)}
        return self.rules.count(self.setting.still_in, ballots), frozenset(
            m for m in self.setting.owing if ENTRY in view[m]
        )

    def _choose(self, me: int, view: Logs) -> Choices:
        count, entries = self.read(view)
        missing = frozenset(self.setting.owing) - entries
        blocked = self.rules.blocks(count, me)
        sign: list[Item] = []
        if me in missing and not blocked:
            sign.append(ENTRY)
        for ballot in self.ballots:
            try:
                self.rules.may_sign(count, me, ballot, missing)
            except Illegal:
                continue
            sign.append(ballot)
        end = None
        if not blocked and missing <= count.removed:
            rank = count.outcome.rank if count.outcome else (0, 0, ())
            end = End(count.removed, self.rules.kept(count, entries), rank)
        return Choices(tuple(sign), end, count, missing, blocked)

    # all that may happen next

    def moves(self, state: State) -> Iterator[tuple[str, State]]:
        for me in self.setting.still_in:
            if me in self.setting.cheats:
                yield from self._cheat(me, state)
            elif self.rules.older_steps or state[2][me] is None:
                yield from self._lazy(me, state) if self.lazy else self._eager(me, state)

    def _eager(self, me: int, state: State) -> Iterator[tuple[str, State]]:
        """Every receipt of one entry is a move of its own."""
        logs, know, ends = state
        for author, log in enumerate(logs):
            held = know[me][author]
            if author != me and held < len(log):
                yield f"{me} receives {author}:{held}", (logs, _put(know, me, _put(know[me], author, held + 1)), ends)
        choice = self.choices(me, self.view(state, me))
        for act in self._acts(choice, ends[me]):
            yield self._act(me, act, state)

    def _lazy(self, me: int, state: State) -> Iterator[tuple[str, State]]:
        """What is received is received just before the act that needs it, and no more than that act needs.

        A member that holds less can still receive the rest later: it has every choice that it would have with
        more, now or later. So each act is tried with the least it can be done with, and nothing is lost.
        """
        logs, know, ends = state
        spans = [
            (len(log),) if a == me else range(know[me][a], len(log) + 1) for a, log in enumerate(logs)
        ]
        least: dict[Item | End, list[tuple[int, ...]]] = {}
        for row in product(*spans):  # ascending, so a row comes after all that it contains
            choice = self.choices(me, tuple(log[:k] for log, k in zip(logs, row, strict=True)))
            for act in self._acts(choice, ends[me]):
                rows = least.setdefault(act, [])
                if not any(all(x <= y for x, y in zip(r, row, strict=True)) for r in rows):
                    rows.append(row)
                    yield self._act(me, act, (logs, _put(know, me, _put(row, me, know[me][me])), ends))

    @staticmethod
    def _acts(choice: Choices, end: End | None) -> Iterator[Item | End]:
        if choice.end is not None and choice.end != end:
            yield choice.end
        yield from choice.sign

    @staticmethod
    def _act(me: int, act: Item | End, state: State) -> tuple[str, State]:
        logs, know, ends = state
        held = "".join(str(k) for k in know[me])
        if isinstance(act, End):
            return f"{me} ends without {set(act.removed)} (holds {held})", (logs, know, _put(ends, me, act))
        if isinstance(act, Ballot) and act.kind == "vote":
            ends = _put(ends, me, None)
        return f"{me} signs {act} (holds {held})", (_put(logs, me, (*logs[me], act)), know, ends)

    def _cheat(self, me: int, state: State) -> Iterator[tuple[str, State]]:
        logs, know, ends = state
        if me in self.setting.owing and ENTRY not in logs[me]:
            yield f"{me} signs entry", (_put(logs, me, (*logs[me], ENTRY)), know, ends)
        count, _ = self.read(logs)
        if len(logs[me]) < self.setting.cheat_ballots and not any(o.member == me for o in count.offences):
            for ballot in self.ballots:
                yield f"{me} cheats {ballot}", (_put(logs, me, (*logs[me], ballot)), know, ends)

    @staticmethod
    def view(state: State, me: int) -> Logs:
        logs, know, _ = state
        return tuple(log if a == me else log[: know[me][a]] for a, log in enumerate(logs))

    # the search

    def explore(self, check_finish: bool = True) -> int:
        n = self.setting.members
        start: State = (((),) * n, ((0,) * n,) * n, (None,) * n)
        came: dict[State, tuple[State, str] | None] = {start: None}
        queue = deque([start])
        while queue:
            state = queue.popleft()
            what = self.wrong(state, check_finish)
            if what:
                raise Found(what, trace(came, state))
            for name, after in self.moves(state):
                if after not in came:
                    came[after] = (state, name)
                    queue.append(after)
        return len(came)

    def wrong(self, state: State, check_finish: bool) -> str | None:
        logs, know, ends = state
        if split := self.split(ends):
            return split
        count, _ = self.read(logs)
        for offence in count.offences:
            if offence.member not in self.setting.cheats:
                return f"honest {offence.member} convicted of {offence.rule}"
        if check_finish:
            for group in self.groups:
                spans = [
                    (len(log),) if a in group else range(max(know[m][a] for m in group), len(log) + 1)
                    for a, log in enumerate(logs)
                ]
                for row in product(*spans):
                    joint = tuple(log[:k] for log, k in zip(logs, row, strict=True))
                    if not self.finishes(group, joint, ends):
                        return f"stuck: {group} are more than half, hold {row} and cannot end the step"
        return None

    def split(self, ends: tuple[End | None, ...]) -> str | None:
        for one, two in combinations(self.setting.honest, 2):
            a, b = ends[one], ends[two]
            if a is None or b is None or a == b:
                continue
            low, high, who = (a, b, one) if a.rank <= b.rank else (b, a, two)
            if who not in high.removed:
                return f"split: {one} ends with {a}, {two} with {b}"
        if self.two_tables(ends):
            return "split: two tables go on"
        return None

    def two_tables(self, ends: tuple[End | None, ...]) -> bool:
        """Two ends, each of which all the honest who stay in by it have taken."""
        whole = [
            e
            for e in {e for e in ends if e is not None}
            if all(ends[m] == e for m in self.setting.honest if m not in e.removed)
        ]
        return len(whole) > 1

    # the way out: only `group` moves, and shares all it holds

    def finishes(self, group: tuple[int, ...], joint: Logs, ends: tuple[End | None, ...]) -> bool:
        free = self.rules.older_steps
        key = (group, joint, () if free else ends)
        if key not in self._finishes:
            gone = frozenset() if free else frozenset(m for m in group if ends[m] is not None)
            self._finishes[key] = self._plan(group, joint, gone) or self._search(group, joint, gone)
        return self._finishes[key]

    def done(self, group: tuple[int, ...], logs: Logs, ahead: frozenset[int]) -> bool:
        count, entries = self.read(logs)
        missing = frozenset(self.setting.owing) - entries - count.removed
        return not missing and not any(
            self.rules.blocks(count, m) for m in group if m not in count.removed and m not in ahead
        )

    def _plan(self, group: tuple[int, ...], logs: Logs, ahead: frozenset[int]) -> bool:
        """The way a sensible client goes: sign what must be signed, else answer, else propose those who are gone."""
        active = [m for m in group if m not in ahead]
        for _ in range(60):
            if self.done(group, logs, ahead):
                return True
            step = self._must(active, logs) or self._propose(group, active, logs)
            if step is None:
                return False
            logs = step
        return False

    def _must(self, active: list[int], logs: Logs) -> Logs | None:
        count, entries = self.read(logs)
        missing = frozenset(self.setting.owing) - entries
        for me in active:
            for due in self.rules.owed(count, me, missing):
                if due.must:
                    return _put(logs, me, (*logs[me], due.ballot))
            if me in missing and not self.rules.blocks(count, me):
                return _put(logs, me, (*logs[me], ENTRY))
        return None

    def _propose(self, group: tuple[int, ...], active: list[int], logs: Logs) -> Logs | None:
        count, entries = self.read(logs)
        missing = frozenset(self.setting.owing) - entries
        gone = self.setting.still_in.difference(group)
        owing = gone.intersection(*(real.debtors(count, m, missing) for m in active))
        for absent in (gone, owing):
            if not absent:
                continue
            motion = real.propose(count, absent)
            signed = logs
            for me in active:
                if me in motion.absent or me in count.standing(motion).voted:
                    continue
                try:
                    self.rules.may_sign(count, me, Ballot("vote", motion), missing)
                except Illegal:
                    break
                signed = _put(signed, me, (*signed[me], Ballot("vote", motion)))
            else:
                if signed != logs:
                    return signed
        return None

    def _search(self, group: tuple[int, ...], logs: Logs, ahead: frozenset[int]) -> bool:
        """Whatever the group may do with the motions of the setting, before a state is called stuck."""
        seen, queue = {logs}, deque([logs])
        while queue:
            now = queue.popleft()
            if self.done(group, now, ahead):
                return True
            for me in group:
                if me in ahead:
                    continue
                for item in self.choices(me, now).sign:
                    after = _put(now, me, (*now[me], item))
                    if after not in seen:
                        seen.add(after)
                        queue.append(after)
        return False


def trace(came: Mapping[State, tuple[State, str] | None], state: State) -> list[str]:
    steps: list[str] = []
    while (step := came[state]) is not None:
        state, name = step
        steps.append(name)
    return steps[::-1]


def _put(row: tuple[T, ...], place: int, value: T) -> tuple[T, ...]:
    return (*row[:place], value, *row[place + 1 :])
