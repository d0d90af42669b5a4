"""The fold proper: from logs to moments. Its result depends on which entries are held, never on their order.

A member's entries fill the places it owes one after another, in the order of its log. An entry counts for the open
step if it names its table hash. One that names an older moment, where its author owed nothing more, is a forfeit; one
that names an unknown hash is held, and accuses nobody. Motions and forks take members out beside all this: what they
need of the logs is in sidelines.py.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import product

from p2pmatryoshka.crypto.sums import Spread
from p2pmatryoshka.errors import Refused
from p2pmatryoshka.record.entry import Entry
from p2pmatryoshka.record.log import Log
from p2pmatryoshka.table import messages, step
from p2pmatryoshka.table.memo import Memo
from p2pmatryoshka.table.sidelines import SIDE, Sidelines
from p2pmatryoshka.table.step import Abandoned, Closed, Fill, Filling, Moment, Sealing

Chain = tuple[Entry, ...]


@dataclass(frozen=True, slots=True)
class Place:
    """A filled place, and the first entry of its member's log behind what filled it."""

    filling: Filling
    cursor: int


@dataclass(frozen=True, slots=True)
class Folded:
    """How far the entries lead. spine: the moments, the open one last. index: where each table hash stands in it.
    places: those of the open step that are filled. closings: for each moment but the first, how its step before was
    filled. open_forks: members whose fork is not settled; nobody signs a step until all have said where they stand."""

    spine: tuple[Moment, ...]
    index: Mapping[bytes, int]
    places: Mapping[int, Place] = field(default_factory=dict)
    closings: tuple[Mapping[int, Filling], ...] = ()
    open_forks: frozenset[int] = frozenset()

    @property
    def moment(self) -> Moment:
        return self.spine[-1]

    @property
    def closed(self) -> bool:
        return isinstance(self.moment.stage, Closed | Abandoned)


def start(first: Moment) -> Folded:
    return Folded((first,), {first.hash: 0})


class Folding:
    """One run of the fold over these logs."""

    def __init__(self, logs: tuple[Log, ...], memo: Memo, sides: Sidelines, spread: Spread | None) -> None:
        self.logs = logs
        self.memo = memo
        self.spread = spread
        self.sides = sides

    def run(self, folded: Folded) -> Folded:
        """As far as it goes."""
        while not folded.closed:
            folded = replace(folded, places=self._fill(folded))
            moment = folded.moment
            removed = self.sides.removed(moment)
            if not removed and self.sides.blocked(moment):
                return folded
            forkers = self._unsettled(folded) - removed
            if forkers:
                here = self._parting(folded)
                if here is None:
                    sealed = self._sealed(folded)
                    return sealed or replace(self._furthest(folded), open_forks=forkers)
                removed = self.sides.removed(here.moment)
                forkers = self._unsettled(here) - removed
                settled, _ = self.sides.settled_at(here.moment, forkers, removed, here.index)
                out = {**_out(removed, Fill.REMOVED), **_out(settled, Fill.FORKED)}
                closed = self._closed(here, out)
                if closed is None:
                    gone = {member: Place(filling, 0) for member, filling in out.items()}
                    return replace(here, places={**self._fill(here), **gone}, open_forks=forkers - settled)
                folded = closed
            else:
                closed = self._closed(folded, _out(removed, Fill.REMOVED))
                if closed is None:
                    return folded
                folded = closed
        return folded

    # --- filling

    def _fill(self, folded: Folded) -> dict[int, Place]:
        """Every place of the open step that the entries fill without doubt."""
        moment = folded.moment
        places = dict(folded.places)
        for member in moment.owed.members:
            if member not in places:
                found = dict.fromkeys(self._candidates(folded, member))
                if len(found) == 1 and None not in found:
                    places[member] = next(place for place in found if place is not None)
        return places

    def _candidates(self, folded: Folded, member: int) -> Iterator[Place | None]:
        """What could fill a member's place: one thing, or two if its log is forked here; None where nothing yet."""
        log = self.logs[member]
        yield self._next_place(folded, member, log.chain)
        if log.fork is not None:
            yield self._next_place(folded, member, log.second())

    def _next_place(self, folded: Folded, member: int, chain: Chain) -> Place | None:
        moment = folded.moment
        for at in range(moment.cursors[member], len(chain)):
            entry = chain[at]
            try:
                body = self.memo.body(entry)
                if isinstance(body, SIDE):
                    self.sides.check(folded.spine, folded.index, chain, at)
                    continue
                if isinstance(body, messages.Leave):
                    return Place(Filling(Fill.LEFT, entry.hash), at + 1)
                if entry.table_hash != moment.hash:
                    if entry.table_hash in folded.index:
                        raise Refused("entry.turn", "nothing was owed where this entry says it stands")
                    if self.sides.is_void(chain, at):
                        continue
                    return None
                self.sides.check_still(moment, chain, at)
                payload = self.memo.judge(
                    moment,
                    entry,
                    lambda: step.check(moment, member, body, self.spread),  # noqa: B023
                )
            except Refused as error:
                return Place(Filling(Fill.FORFEIT, entry.hash, rule=error.rule, detail=error.detail), at + 1)
            return Place(Filling(Fill.ANSWER, entry.hash, payload), at + 1)
        return None

    # --- forks

    def _unsettled(self, folded: Folded) -> frozenset[int]:
        """Members whose fork still has to be settled on this branch: those in, and those that one of the two versions
        took out, until everybody who stated where it stands is found to stand behind that."""
        moment = folded.moment
        forked = self.sides.forked
        unsettled = forked.intersection(moment.still_in)
        for member in forked - unsettled:
            if self._took_itself_out(folded, member):
                removed = self.sides.removed(moment)
                top = self.sides.top(moment, member, removed, folded.index)
                if top is None or top not in folded.index:
                    unsettled |= {member}
        return unsettled

    def _took_itself_out(self, folded: Folded, member: int) -> bool:
        """Whether it is out by an entry that may stand in one version of its log only."""
        log = self.logs[member]
        if log.fork is None:
            return False
        for fillings in folded.closings:
            filling = fillings.get(member)
            if filling is not None and filling.fill in (Fill.LEFT, Fill.FORFEIT):
                # While the second version hangs in the air, nobody knows how early the two part.
                certain = log.chain[: log.fork.sequence] if log.second() != log.chain else ()
                return all(entry.hash != filling.entry for entry in certain)
        return False

    def _parting(self, folded: Folded) -> Folded | None:
        """Where the forkers leave the table, once everybody has said where it stands."""
        for branch in self._branches(folded):
            moment = branch.moment
            removed = self.sides.removed(moment)
            forkers = self._unsettled(branch) - removed
            if not forkers or self.sides.settled_at(moment, forkers, removed, branch.index)[0]:
                return replace(branch, places=self._fill(branch))
        return None

    def _sealed(self, folded: Folded) -> Folded | None:
        """Closed, if everybody still in has signed the result, the forkers too: that is final."""
        for branch in self._branches(folded):
            if isinstance(branch.moment.stage, Sealing):
                forkers = self._unsettled(branch)
                versions = [
                    replace(branch, places={**self._fill(branch), **v}) for v in self._versions(branch, forkers)
                ]
                closed = [after for after in (self._closed(version, {}) for version in versions) if after is not None]
                whole = [after for after in closed if after.moment.still_in == branch.moment.still_in]
                if whole:
                    return min(whole, key=lambda after: after.moment.hash)
        return None

    def _furthest(self, folded: Folded) -> Folded:
        """While a fork is open: the furthest moment that somebody who did not fork has signed over, first of all the
        table's own member. Its own signatures are never left behind."""

        def worth(branch: Folded) -> tuple[int, int, bytes]:
            return self.sides.own_among(branch.index), len(branch.spine), branch.moment.hash

        signed_over = [b for b in self._branches(folded) if b.moment.hash in self.sides.named]
        best = max(signed_over, key=worth, default=folded)
        while True:
            best = replace(best, places=self._fill(best))
            removed = self.sides.removed(best.moment)
            if (
                removed
                or self.sides.blocked(best.moment)
                or self._unsettled(best).intersection(best.moment.owed.members)
            ):
                return best
            # A step that no forker owes has one outcome on this branch: whoever completed it stands behind it.
            after = self._closed(best, {})
            if after is None or after.closed:
                return best
            best = after

    def _branches(self, folded: Folded) -> Iterator[Folded]:
        """Every way on from here while forkers are in: where their log has two versions, either may stand."""
        waiting = [folded]
        while waiting:
            branch = waiting.pop()
            yield branch
            moment = branch.moment
            if branch.closed or not self._unsettled(branch) - self.sides.removed(moment):
                continue
            branch = replace(branch, places=self._fill(branch))
            for removed in self.sides.removals(moment):
                waiting.extend(self._next_branches(branch, removed))

    def _next_branches(self, branch: Folded, removed: frozenset[int]) -> Iterator[Folded]:
        forkers = self._unsettled(branch) - removed
        here, bounds = self.sides.settled_at(branch.moment, forkers, removed, branch.index)
        if here:
            return
        for chosen in self._versions(branch, forkers):
            places = {**branch.places, **chosen}
            after = self._closed(replace(branch, places=places), _out(removed, Fill.REMOVED))
            if after is not None and all(after.moment.hash in bound for bound in bounds):
                yield after

    def _versions(self, folded: Folded, forkers: frozenset[int]) -> Iterator[dict[int, Place]]:
        owing = [member for member in folded.moment.owed.members if member in forkers]
        options = [
            [place for place in dict.fromkeys(self._candidates(folded, member)) if place is not None]
            for member in owing
        ]
        for choice in product(*options):
            yield dict(zip(owing, choice, strict=True))

    # --- closing

    def _closed(self, folded: Folded, out: Mapping[int, Filling]) -> Folded | None:
        moment = folded.moment
        fillings = {member: place.filling for member, place in folded.places.items() if member not in out}
        if any(member not in fillings and member not in out for member in moment.owed.members):
            return None
        fillings.update(out)
        cursors = tuple(
            max(
                folded.places[m].cursor if m in folded.places and m not in out else at, self.sides.reach(moment, m, out)
            )
            for m, at in enumerate(moment.cursors)
        )
        judged = step.judged_together(moment, fillings)
        digest = step.extend_hash(moment, judged)
        after = self.memo.moments.get(digest)
        if after is None or after.cursors != cursors:
            after = step.close(moment, judged, cursors)
            self.memo.moments[digest] = after
        return Folded(
            (*folded.spine, after),
            {**folded.index, after.hash: len(folded.spine)},
            {},
            (*folded.closings, judged),
        )


def _out(members: frozenset[int], fill: Fill) -> dict[int, Filling]:
    return {member: Filling(fill) for member in members}
