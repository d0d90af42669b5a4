"""Motions: how those who remain put out a member that is gone, with no server and without ever splitting.

The rules, why each is there, and what was searched stand in protocol/motions.md. Nothing here knows a clock
or reads an entry: the table hands over the ballots that name the record up to the step, and asks.

A motion is a round and a set of members. Rounds order the motions of a step, so that of two that pass
everybody takes the same one, and a voter bound by its Confirm to one that can no longer end finds a way on.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from p2pmatryoshka.errors import Illegal, Refused

Kind = Literal["vote", "withdraw", "confirm"]
Rank = tuple[int, int, tuple[int, ...]]

HIGHEST_ROUND = 2**32 - 1
_BELOW: Rank = (0, 0, ())


@dataclass(frozen=True, slots=True)
class Motion:
    """To put out the members `absent` (roster indices, ascending) in the given round (from 1) of one step."""

    round: int
    absent: tuple[int, ...]

    @property
    def rank(self) -> Rank:
        """Its place among the motions of its step: by round, size, members. The highest passed one wins."""
        return self.round, len(self.absent), self.absent


@dataclass(frozen=True, slots=True)
class Ballot:
    """What a voter signs: the body of one entry in its log."""

    kind: Kind
    motion: Motion


@dataclass(frozen=True, slots=True)
class Standing:
    """How a motion stands by the ballots held. A voter is in at most one of `withdrawn` and `confirmed`."""

    motion: Motion
    voters: frozenset[int]
    voted: frozenset[int]
    withdrawn: frozenset[int]
    confirmed: frozenset[int]

    @property
    def passed(self) -> bool:
        """Every voter has confirmed. More ballots never change this."""
        return self.confirmed == self.voters

    @property
    def dead(self) -> bool:
        """A voter has withdrawn. More ballots never change this, and a dead motion never passes."""
        return bool(self.withdrawn)

    @property
    def live(self) -> bool:
        """Neither passed nor dead, by the ballots held: others may know more."""
        return not self.passed and not self.dead


@dataclass(frozen=True, slots=True)
class Offence:
    """The member's ballot at `index` broke `rule`, as its own log and the record it names show to anyone."""

    member: int
    index: int
    rule: str


@dataclass(frozen=True, slots=True)
class Tally:
    """What a set of ballots of one step says. `standings` ascend by rank; `outcome` is the highest passed."""

    still_in: frozenset[int]
    standings: tuple[Standing, ...]
    outcome: Motion | None
    offences: tuple[Offence, ...]

    @property
    def removed(self) -> frozenset[int]:
        """Whom the outcome puts out: their places are "removed", whatever entry of theirs is held."""
        return frozenset(self.outcome.absent) if self.outcome else frozenset()

    @property
    def passed(self) -> tuple[Motion, ...]:
        return tuple(s.motion for s in self.standings if s.passed)

    @property
    def live(self) -> tuple[Motion, ...]:
        return tuple(s.motion for s in self.standings if s.live)

    @property
    def dead(self) -> tuple[Motion, ...]:
        return tuple(s.motion for s in self.standings if s.dead)

    @property
    def pending(self) -> tuple[Standing, ...]:
        """The live motions above the outcome: those that may still change it."""
        return tuple(s for s in self.standings if s.live and self.above_outcome(s.motion))

    def above_outcome(self, motion: Motion) -> bool:
        return self.outcome is None or motion.rank > self.outcome.rank

    def standing(self, motion: Motion) -> Standing:
        """How that motion stands; nobody has voted on one that is not in the ballots."""
        nobody: frozenset[int] = frozenset()
        none = Standing(motion, self.still_in.difference(motion.absent), nobody, nobody, nobody)
        return next((s for s in self.standings if s.motion == motion), none)

    def last_vote(self, member: int) -> Motion | None:
        return next((s.motion for s in reversed(self.standings) if member in s.voted), None)


@dataclass(frozen=True, slots=True)
class Due:
    """A ballot an honest client must sign now, or one that its person may choose to sign."""

    ballot: Ballot
    must: bool


def tally(still_in: frozenset[int], ballots: Mapping[int, Iterable[Ballot]]) -> Tally:
    """Count the ballots that name one record. `still_in`: who was in by that record, this step not counted.

    `ballots`: per member the ballots held, in the order of its log, without gaps. Those of anybody not in by
    the record are void. The first offence of a member ends its say: its ballots before that still count, as
    others may have acted on them, and those after never do. The rules: "motion.round", "motion.absent",
    "motion.majority", "motion.order", "motion.unvoted", "motion.withdrawn", "motion.confirmed".
    """
    votes: dict[Motion, dict[int, Kind]] = {}
    offences = []
    for voter in sorted(still_in.intersection(ballots)):
        own: dict[Motion, Kind] = {}
        for index, ballot in enumerate(ballots[voter]):
            try:
                _judge(still_in, voter, own, ballot)
            except Refused as refusal:
                offences.append(Offence(voter, index, refusal.rule))
                break
            own[ballot.motion] = ballot.kind
        for motion, kind in own.items():
            votes.setdefault(motion, {})[voter] = kind
    standings = tuple(
        Standing(
            motion,
            still_in.difference(motion.absent),
            frozenset(votes[motion]),
            frozenset(m for m, kind in votes[motion].items() if kind == "withdraw"),
            frozenset(m for m, kind in votes[motion].items() if kind == "confirm"),
        )
        for motion in sorted(votes, key=lambda m: m.rank)
    )
    outcome = next((s.motion for s in reversed(standings) if s.passed), None)
    return Tally(still_in, standings, outcome, tuple(offences))


def may_sign(count: Tally, me: int, ballot: Ballot, missing: frozenset[int]) -> None:
    """Refuse a ballot that an honest client does not sign now. Ask only for a step that is not final.

    `missing`: the members whose entry the step asks for and I do not hold, my own included until I sign it.
    Raises Illegal with the rule an offence would break (see `tally`), or with "motion.overtaken",
    "motion.dead", "motion.ceiling", "motion.revives", "motion.votes" or "motion.answered".
    """
    own: dict[Motion, Kind] = {}
    for s in count.standings:
        if me in s.voted:
            own[s.motion] = "confirm" if me in s.confirmed else "withdraw" if me in s.withdrawn else "vote"
    try:
        _judge(count.still_in, me, own, ballot)
    except Refused as refusal:
        raise Illegal(refusal.rule, refusal.detail) from refusal
    if ballot.kind == "withdraw":
        return
    motion, standing = ballot.motion, count.standing(ballot.motion)
    if not count.above_outcome(motion):
        raise Illegal("motion.overtaken", "it or a motion above it has passed")
    if standing.dead:
        raise Illegal("motion.dead", "a voter has withdrawn")
    if ballot.kind == "confirm" and standing.voted != standing.voters:
        raise Illegal("motion.votes", "not every voter has voted")
    if ballot.kind == "vote":
        if motion.round > ceiling(count):
            raise Illegal("motion.ceiling", "nobody has voted in the round before")
        everyone = count.removed.union(motion.absent)
        if everyone > set(motion.absent) and majority(count.still_in, everyone):
            raise Illegal("motion.revives", "name those already put out as well: the others suffice")
    if not justified(count, motion, missing):
        raise Illegal("motion.answered", "it names somebody who owes nothing")


def owed(count: Tally, me: int, missing: frozenset[int]) -> tuple[Due, ...]:
    """The ballots I must sign now (Withdraw before Confirm), then the Votes of others I may join.

    Sign and count one at a time and ask again, as each may change what is due. A Withdraw that is not a must
    is open to me as long as I have voted and not confirmed; `may_sign` says so.
    """
    due: dict[Kind, list[Due]] = {"withdraw": [], "confirm": [], "vote": []}
    for s in count.pending:
        if me not in s.voters or me in s.confirmed:
            continue
        if me in s.voted and not justified(count, s.motion, missing):
            due["withdraw"].append(Due(Ballot("withdraw", s.motion), must=True))
            continue
        kind: Kind = "confirm" if me in s.voted else "vote"
        try:
            may_sign(count, me, Ballot(kind, s.motion), missing)
        except Illegal:
            continue
        due[kind].append(Due(Ballot(kind, s.motion), must=kind == "confirm"))
    return (*due["withdraw"], *due["confirm"], *due["vote"])


def blocks_step(count: Tally, me: int) -> bool:
    """Whether I may sign no entry but ballots: a vote of mine is open above the outcome, or I am put out.

    It holds for the step and for all later ones: by it a member neither answers nor takes the step for complete.
    """
    return me in count.removed or any(me in s.voted for s in count.pending)


def debtors(count: Tally, missing: frozenset[int], below: Rank | None = None) -> frozenset[int]:
    """Who owes something, as far as I know; with `below`, as far as motions under that rank make it so.

    An entry of this step; and by a motion that is itself justified, or that binds somebody who has confirmed it,
    a Confirm where all have voted, else a Vote. A motion is justified by debts from below it only: two
    motions that name each other's voters do not keep each other alive once the entries have come.
    """
    owing = missing - count.removed
    for s in count.pending:
        if below is not None and s.motion.rank >= below:
            break
        if s.confirmed or _names_only(count, s.motion, owing):
            owing |= s.voters - (s.confirmed if s.voted == s.voters else s.voted)
    return owing


def justified(count: Tally, motion: Motion, missing: frozenset[int]) -> bool:
    """Whether all it names owe something by the debts below it (or are out), so that I may stand by it."""
    return _names_only(count, motion, debtors(count, missing, below=motion.rank))


def ceiling(count: Tally) -> int:
    """The highest round in which an honest client votes: one above the rounds that have Votes without a gap.

    So nobody can use up the rounds by voting in the last one.
    """
    rounds = {s.motion.round for s in count.standings}
    top = 1
    while top in rounds:
        top += 1
    return top


def propose(count: Tally, absent: Iterable[int], missing: frozenset[int]) -> Motion:
    """The motion to vote for when these members are to be put out: one that all its voters can still join.

    That is the one already open for them, or else one in the lowest round above what its voters have voted for
    and above what their debts come from. Members already put out are added where enough others stay. Ask
    `may_sign` before signing.
    """
    wanted = frozenset(absent)
    if majority(count.still_in, wanted | count.removed):
        wanted |= count.removed
    members = tuple(sorted(wanted))
    within = ceiling(count)
    lasts = {m: count.last_vote(m) for m in sorted(count.still_in - wanted)}
    ranks = {m: last.rank for m, last in lasts.items() if last and last.round <= within}
    for s in count.pending:
        joinable = all(m in s.voted or ranks.get(m, _BELOW) < s.motion.rank for m in s.voters)
        within_reach = s.motion.round <= within and joinable
        if s.motion.absent == members and within_reach and justified(count, s.motion, missing):
            return s.motion
    in_reach = [s.motion.rank for s in count.pending if s.motion.round < within]
    floor = max([_BELOW, *ranks.values(), *in_reach])
    if count.outcome:
        floor = max(floor, count.outcome.rank)
    used = {s.motion for s in count.standings}
    motion = Motion(max(1, floor[0]), members)
    while motion.rank <= floor or motion in used:
        motion = Motion(motion.round + 1, members)
    return motion


def majority(still_in: frozenset[int], absent: Iterable[int]) -> bool:
    """Whether those who would stay are more than half of those still in."""
    return 2 * len(still_in.difference(absent)) > len(still_in)


def _names_only(count: Tally, motion: Motion, owing: frozenset[int]) -> bool:
    """Whether everyone it names is among those owing or already out, and at least one owes."""
    return not owing.isdisjoint(motion.absent) and (owing | count.removed).issuperset(motion.absent)


def _judge(still_in: frozenset[int], voter: int, own: Mapping[Motion, Kind], ballot: Ballot) -> None:
    """Refuse a ballot that its voter's own log forbids. `own`: the latest kind per motion voted for."""
    motion = ballot.motion
    if not 1 <= motion.round <= HIGHEST_ROUND:
        raise Refused("motion.round", f"round {motion.round}")
    absent = frozenset(motion.absent)
    if not absent or tuple(sorted(absent)) != motion.absent or voter in absent or absent - still_in:
        raise Refused("motion.absent", f"{voter} names {motion.absent}")
    if not majority(still_in, absent):
        raise Refused("motion.majority", f"{len(still_in - absent)} voters of {len(still_in)} still in")
    before = own.get(motion)
    if ballot.kind == "vote":
        if any(motion.rank <= earlier.rank for earlier in own):
            raise Refused("motion.order", "votes in one log only rise")
    elif before is None:
        raise Refused("motion.unvoted", f"{ballot.kind} without a vote")
    elif before != "vote":
        rule = "motion.confirmed" if before == "confirm" else "motion.withdrawn"
        raise Refused(rule, f"{ballot.kind} after {before}")
