"""A model of one open step: signed logs, delivery per recipient in any order, and members that stop at any time.

Every decision is taken by the rules under test on exactly what the deciding member holds. A crash needs no move
of its own: a member that has crashed is one that never moves again, and whatever of its log nobody else holds
may be lost. So the search for stuck ends asks, in every state, for every group of honest members that is more
than half of those still in: if only they go on, sharing all they hold, can they come to one end?
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations, permutations, product
from typing import NamedTuple, TypeVar

from p2pmatryoshka.errors import Illegal
from p2pmatryoshka.table import motion as real
from p2pmatryoshka.table.motion import Ballot, Due, Motion, Tally

T = TypeVar("T")
ENTRY = 0  # the item of a log that answers the step; every other item is the number of a ballot
OPEN = 0  # no end taken yet; every other end is a number too. Small numbers keep states cheap to hash.
Log = tuple[int, ...]
Logs = tuple[Log, ...]
Row = tuple[int, ...]  # how much is held of each log


class State(NamedTuple):
    logs: Logs
    know: tuple[Row, ...]
    ends: Row


@dataclass(frozen=True)
class End:
    """How a member takes the step to have ended, and by a motion of what rank."""

    removed: frozenset[int]
    kept: frozenset[int]
    rank: real.Rank

    @property
    def filling(self) -> tuple[frozenset[int], frozenset[int]]:
        """What goes into the table hash."""
        return self.removed, self.kept


class Rules:
    """The rules under test. Negative controls override one thing each."""

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
    cheat_ballots: int = 4  # the most items in the log of a cheat

    @property
    def still_in(self) -> frozenset[int]:
        return frozenset(range(self.members))

    def orders(self) -> list[tuple[int, ...]]:
        """The reorderings of the members under which the setting stays the same."""

        def part(m: int) -> tuple[bool, ...]:
            return (m in self.cheats, m in self.owing, *(m in motion.absent for motion in self.motions))

        alike = [part(m) for m in range(self.members)]
        return [
            order
            for order in permutations(range(self.members))
            if all(alike[m] == alike[place] for place, m in enumerate(order))
        ]

    @property
    def honest(self) -> tuple[int, ...]:
        return tuple(sorted(self.still_in - self.cheats))


@dataclass(frozen=True)
class Reading:
    """What a set of entries says, whoever holds it."""

    count: Tally
    missing: frozenset[int]
    end: int
    blocked: frozenset[int]


class Found(Exception):
    """The search found what must not be. Carries the moves that lead there."""

    def __init__(self, what: str, trace: list[str]) -> None:
        super().__init__("\n  ".join([what, *trace]))
        self.what, self.trace = what, trace


class Model:
    """Explores a setting under some rules. `lazy`: see `_lazy`; `symmetry`: see `_canonical`."""

    def __init__(self, setting: Setting, rules: Rules | None = None, lazy: bool = True, symmetry: bool = False) -> None:
        self.setting, self.rules, self.lazy, self.symmetry = setting, rules or Rules(), lazy, symmetry
        self.orders = setting.orders()
        self.items: list[Ballot | None] = [None]
        self.numbers: dict[Ballot, int] = {}
        self.ends: list[End | None] = [None]
        self.ballots = [self.number(Ballot(k, m)) for m in setting.motions for k in ("vote", "withdraw", "confirm")]
        self._readings: dict[Logs, Reading] = {}
        self._signs: dict[tuple[int, Logs], tuple[int, ...]] = {}
        self._leasts: dict[tuple[int, Logs, Row, int], tuple[tuple[bool, int, Row], ...]] = {}
        self._reached: dict[tuple[tuple[int, ...], Logs, tuple[int, ...]], bool] = {}
        self._checked: set[tuple[tuple[int, ...], Logs, Row, Row]] = set()
        self.groups = [
            group
            for size in range(setting.members // 2 + 1, setting.members + 1)
            for group in combinations(setting.honest, size)
        ]

    def number(self, ballot: Ballot) -> int:
        if ballot not in self.numbers:
            self.numbers[ballot] = len(self.items)
            self.items.append(ballot)
        return self.numbers[ballot]

    # what one member may do by what it holds

    def read(self, view: Logs) -> Reading:
        found = self._readings.get(view)
        if found is None:
            ballots = {m: [b for i in log if (b := self.items[i])] for m, log in enumerate(view)}
            count = self.rules.count(self.setting.still_in, ballots)
            entries = frozenset(m for m in self.setting.owing if ENTRY in view[m])
            missing = frozenset(self.setting.owing) - entries
            end = OPEN
            if missing <= count.removed:
                rank = count.outcome.rank if count.outcome else (0, 0, ())
                end = self._end(End(count.removed, self.rules.kept(count, entries), rank))
            blocked = frozenset(m for m in self.setting.still_in if self.rules.blocks(count, m))
            found = self._readings[view] = Reading(count, missing, end, blocked)
        return found

    def _end(self, end: End) -> int:
        if end not in self.ends:
            self.ends.append(end)
        return self.ends.index(end)

    def signs(self, me: int, view: Logs) -> tuple[int, ...]:
        found = self._signs.get((me, view))
        if found is None:
            read = self.read(view)
            may = [ENTRY] if me in read.missing and me not in read.blocked else []
            for item in self.ballots:
                try:
                    self.rules.may_sign(read.count, me, self._ballot(item), read.missing)
                except Illegal:
                    continue
                may.append(item)
            found = self._signs[me, view] = tuple(may)
        return found

    def _ballot(self, item: int) -> Ballot:
        ballot = self.items[item]
        assert ballot is not None
        return ballot

    def _acts(self, me: int, view: Logs, end: int) -> Iterator[tuple[bool, int]]:
        """(True, an end to take) or (False, an item to sign)."""
        read = self.read(view)
        if read.end not in (OPEN, end) and me not in read.blocked:
            yield True, read.end
        for item in self.signs(me, view):
            yield False, item

    # all that may happen next

    def moves(self, state: State) -> Iterator[tuple[int, bool, int, State]]:
        for me in range(self.setting.members):
            if me in self.setting.cheats:
                yield from self._cheat(me, state)
            elif self.rules.older_steps or state.ends[me] == OPEN:
                yield from self._lazy(me, state) if self.lazy else self._eager(me, state)

    def _eager(self, me: int, state: State) -> Iterator[tuple[int, bool, int, State]]:
        """Every receipt of one entry is a move of its own."""
        logs, know, ends = state
        row = know[me]
        for author, log in enumerate(logs):
            if author != me and row[author] < len(log):
                more = _put(row, author, row[author] + 1)
                yield me, False, -1, State(logs, _put(know, me, more), ends)
        view = tuple(log if a == me else log[: row[a]] for a, log in enumerate(logs))
        for ending, act in self._acts(me, view, ends[me]):
            yield me, ending, act, self._act(me, ending, act, row, state)

    def _lazy(self, me: int, state: State) -> Iterator[tuple[int, bool, int, State]]:
        """What is received is received just before the act that needs it, and no more than the act needs.

        A member that holds less can still receive the rest later: it has every choice that it would have had
        with more. So each act is tried with each least holding that allows it, and nothing is lost.
        """
        key = (me, state.logs, state.know[me], state.ends[me])
        found = self._leasts.get(key)
        if found is None:
            found = self._leasts[key] = tuple(self._least(*key))
        for ending, act, row in found:
            yield me, ending, act, self._act(me, ending, act, row, state)

    def _least(self, me: int, logs: Logs, row: Row, end: int) -> Iterator[tuple[bool, int, Row]]:
        spans = [(row[a],) if a == me else range(row[a], len(log) + 1) for a, log in enumerate(logs)]
        least: dict[tuple[bool, int], list[Row]] = {}
        for more in product(*spans):  # a row comes after all rows that it contains
            view = tuple(log if a == me else log[: more[a]] for a, log in enumerate(logs))
            for act in self._acts(me, view, end):
                rows = least.setdefault(act, [])
                if not any(all(x <= y for x, y in zip(r, more, strict=True)) for r in rows):
                    rows.append(more)
                    yield (*act, more)

    def _act(self, me: int, ending: bool, act: int, row: Row, state: State) -> State:
        know = _put(state.know, me, row)
        if ending:
            return State(state.logs, know, _put(state.ends, me, act))
        ballot = self.items[act]
        reopens = ballot is not None and ballot.kind == "vote"
        ends = _put(state.ends, me, OPEN) if reopens else state.ends
        return State(_put(state.logs, me, (*state.logs[me], act)), know, ends)

    def _cheat(self, me: int, state: State) -> Iterator[tuple[int, bool, int, State]]:
        """A cheat signs anything in any order, one version of each entry (two are a fork, judged elsewhere)."""
        log = state.logs[me]
        if len(log) >= self.setting.cheat_ballots:
            return
        if me in self.setting.owing and ENTRY not in log:
            yield me, False, ENTRY, state._replace(logs=_put(state.logs, me, (*log, ENTRY)))
        if not any(o.member == me for o in self.read(state.logs).count.offences):
            for item in self.ballots:
                yield me, False, item, state._replace(logs=_put(state.logs, me, (*log, item)))

    # the search

    def explore(self, finish: bool = True) -> int:
        """Visit every state. Returns how many; raises Found for a split, a false conviction or a stuck end."""
        return len(self.states(finish))

    def states(self, finish: bool = True) -> set[State]:
        n = self.setting.members
        start = State(((),) * n, ((0,) * n,) * n, (OPEN,) * n)
        came: dict[State, State | None] = {start: None}
        queue = deque([start])
        while queue:
            state = queue.popleft()
            if what := self._wrong(state, finish):
                raise Found(what, self._trace(came, state))
            for _, _, _, step in self.moves(state):
                after = self._canonical(step) if self.symmetry else step
                if after not in came:
                    came[after] = state
                    queue.append(after)
        return set(came)

    def _canonical(self, state: State) -> State:
        """One state for all that differ only in who of those alike is who."""
        logs, know, ends = state
        return min(
            State(
                tuple(logs[m] for m in order),
                tuple(tuple(know[m][a] for a in order) for m in order),
                tuple(ends[m] for m in order),
            )
            for order in self.orders
        )

    def _wrong(self, state: State, finish: bool) -> str | None:
        logs, know, ends = state
        if split := self.split(ends):
            return split
        for offence in self.read(logs).count.offences:
            if offence.member not in self.setting.cheats:
                return f"honest {offence.member} convicted of {offence.rule}"
        if finish:
            for group in self.groups:
                if stuck := self._stuck(group, logs, know, ends):
                    return stuck
        return None

    def _stuck(self, group: tuple[int, ...], logs: Logs, know: tuple[Row, ...], ends: Row) -> str | None:
        """Whatever part of the others' logs reaches the group, it must be able to end the step."""
        least = tuple(len(log) if a in group else max(know[m][a] for m in group) for a, log in enumerate(logs))
        ahead = () if self.rules.older_steps else tuple(m for m in group if ends[m] != OPEN)
        if (group, logs, least, ahead) in self._checked:
            return None
        self._checked.add((group, logs, least, ahead))
        for row in product(*(range(k, len(log) + 1) for k, log in zip(least, logs, strict=True))):
            joint = tuple(log[:k] for log, k in zip(logs, row, strict=True))
            key = (group, joint, ahead)
            if key not in self._reached:
                self._reached[key] = self.plan(*key) or self.search(*key)
            if not self._reached[key]:
                return f"stuck: {group}, more than half, hold {row} and cannot end the step"
        return None

    def split(self, ends: Row) -> str | None:
        taken = {m: end for m in self.setting.honest if (end := self.ends[ends[m]])}
        for one, two in combinations(taken, 2):
            if taken[one].filling == taken[two].filling:
                continue
            low, high = sorted((one, two), key=lambda m: taken[m].rank)
            if low not in taken[high].removed:
                return f"split: {one} takes {taken[one]}, {two} takes {taken[two]}"
        fillings = {m: end.filling for m, end in taken.items()}
        whole = {
            f for f in fillings.values() if all(fillings.get(m) == f for m in self.setting.honest if m not in f[0])
        }
        return f"split: two tables go on, {whole}" if len(whole) > 1 else None

    def _trace(self, came: Mapping[State, State | None], state: State) -> list[str]:
        steps: list[str] = []
        while (before := came[state]) is not None:
            me, ending, act = next((m, e, a) for m, e, a, s in self.moves(before) if s == state)
            what = (
                "receives"
                if act < 0
                else f"ends with {self.ends[act]}"
                if ending
                else f"signs {self.items[act] or 'entry'}"
            )
            steps.append(f"{me} {what}, holds {state.know[me]}")
            state = before
        return steps[::-1]

    # the way out: only `group` moves, and shares all it holds

    def _done(self, group: tuple[int, ...], logs: Logs, ahead: tuple[int, ...]) -> bool:
        read = self.read(logs)
        return read.end != OPEN and all(
            m not in read.blocked or m in read.count.removed for m in group if m not in ahead
        )

    def plan(self, group: tuple[int, ...], logs: Logs, ahead: tuple[int, ...]) -> bool:
        """As sensible clients would: sign what must be signed, answer, else propose those who are gone."""
        active = [m for m in group if m not in ahead]
        for _ in range(60):
            if self._done(group, logs, ahead):
                return True
            after = self._must(active, logs) or self._propose(group, active, logs)
            if after is None:
                return False
            logs = after
        return False

    def _must(self, active: list[int], logs: Logs) -> Logs | None:
        read = self.read(logs)
        for me in active:
            for due in self.rules.owed(read.count, me, read.missing):
                if due.must:
                    return _put(logs, me, (*logs[me], self.number(due.ballot)))
            if me in read.missing and me not in read.blocked:
                return _put(logs, me, (*logs[me], ENTRY))
        return None

    def _propose(self, group: tuple[int, ...], active: list[int], logs: Logs) -> Logs | None:
        count, missing = self.read(logs).count, self.read(logs).missing
        gone = self.setting.still_in.difference(group)
        owing = gone & real.debtors(count, missing)
        for absent in (gone, owing):
            if absent and (voted := self._all_vote(active, logs, real.propose(count, absent, missing))):
                return voted
        return None

    def _all_vote(self, active: list[int], logs: Logs, motion: Motion) -> Logs | None:
        read, signed = self.read(logs), logs
        for me in active:
            if me in motion.absent or me in read.count.standing(motion).voted:
                continue
            ballot = Ballot("vote", motion)
            try:
                self.rules.may_sign(read.count, me, ballot, read.missing)
            except Illegal:
                return None
            signed = _put(signed, me, (*signed[me], self.number(ballot)))
        return signed if signed != logs else None

    def search(self, group: tuple[int, ...], logs: Logs, ahead: tuple[int, ...]) -> bool:
        """Whatever the group may do with the motions of the setting, before a state is called stuck."""
        seen, queue = {logs}, deque([logs])
        while queue:
            now = queue.popleft()
            if self._done(group, now, ahead):
                return True
            for me in group:
                for item in self.signs(me, now) if me not in ahead else ():
                    after = _put(now, me, (*now[me], item))
                    if after not in seen:
                        seen.add(after)
                        queue.append(after)
        return False


def _put(row: tuple[T, ...], place: int, value: T) -> tuple[T, ...]:
    return (*row[:place], value, *row[place + 1 :])
