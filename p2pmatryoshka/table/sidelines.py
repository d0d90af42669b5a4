"""What members say about the table beside it: ballots on motions, and where they stand after a fork."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from p2pmatryoshka.errors import Refused
from p2pmatryoshka.record.entry import Entry
from p2pmatryoshka.record.log import Log
from p2pmatryoshka.table import messages, motion, stands
from p2pmatryoshka.table.memo import Memo
from p2pmatryoshka.table.step import Fill, Filling, Moment

SIDE = (messages.Ballot, messages.Stand)
"""Bodies that fill no place."""

Chain = Sequence[Entry]
Ballots = dict[bytes, dict[int, list[tuple[int, motion.Ballot]]]]
"""By table hash and roster index: each ballot with its place in its author's log."""


Said = tuple[int, Entry, messages.Ballot | messages.Stand]
"""One thing said beside the table: its place in its author's log, the entry, the body."""


class Sidelines:
    """Everything said beside the table in these logs. earlier: an account of the same logs when they were shorter, so
    that only what came since is looked through."""

    def __init__(self, logs: tuple[Log, ...], memo: Memo, me: int | None, earlier: Sidelines | None = None) -> None:
        self._logs = logs
        self._memo = memo
        self._me = me
        self.forked = frozenset(member for member, log in enumerate(logs) if log.fork is not None)
        """Members whose log has two versions."""
        self.seen = tuple(len(log.chain) for log in logs)
        """How many entries of each chain this account knows of."""
        self._chains = tuple(self._said_in(member, log.chain, earlier) for member, log in enumerate(logs))
        self._ballots = self._ballots_of([self._certain(member, self._chains[member]) for member in range(len(logs))])
        self._tallies: dict[bytes, motion.Tally] = {}
        self._stands: dict[tuple[int, int], tuple[int, messages.Stand]] = {}
        for member, said in enumerate(self._chains):
            for at, _, body in self._certain(member, said):
                if isinstance(body, messages.Stand):
                    self._stands.setdefault((body.forker, member), (at, body))
        self.named = self._named_hashes() if self.forked else frozenset()
        """Table hashes that members who did not fork have signed over; empty while there is no fork."""

    @property
    def account(self) -> tuple[object, ...]:
        """Two accounts of one table with the same value say the same."""
        forks = tuple((log.fork.sequence, len(log.branch)) if log.fork is not None else None for log in self._logs)
        return forks, tuple(len(said) for said in self._chains)

    def _said_in(self, member: int, chain: Chain, earlier: Sidelines | None) -> tuple[Said, ...]:
        known = earlier._chains[member] if earlier is not None else ()
        since = earlier.seen[member] if earlier is not None else 0
        fresh = []
        for at in range(since, len(chain)):
            body = self._memo.body_or_none(chain[at])
            if isinstance(body, messages.Ballot | messages.Stand):
                fresh.append((at, chain[at], body))
        return (*known, *fresh) if fresh else known

    def _certain(self, member: int, said: Sequence[Said]) -> Sequence[Said]:
        """What stands in both versions of a member's log."""
        fork = self._logs[member].fork
        return said if fork is None else [one for one in said if one[0] < fork.sequence]

    @staticmethod
    def _ballots_of(chains: Sequence[Sequence[Said]]) -> Ballots:
        ballots: Ballots = {}
        for member, said in enumerate(chains):
            for at, entry, body in said:
                if isinstance(body, messages.Ballot):
                    ballots.setdefault(entry.table_hash, {}).setdefault(member, []).append((at, ballot_of(body)))
        return ballots

    def _named_hashes(self) -> frozenset[bytes]:
        """Every table hash that a member who did not fork has signed over."""
        honest = [log for member, log in enumerate(self._logs) if member not in self.forked]
        stated = [h for (_, author), (_, s) in self._stands.items() if author not in self.forked for h in s.hashes]
        return frozenset({entry.table_hash for log in honest for entry in log.chain}.union(stated))

    def own_among(self, index: Mapping[bytes, int]) -> int:
        """How many of these table hashes the table's own member has signed over."""
        chain = self._logs[self._me].chain if self._me is not None else ()
        return len({entry.table_hash for entry in chain}.intersection(index))

    # --- ballots

    def tally(self, moment: Moment) -> motion.Tally:
        """The ballots that name this moment, counted. Of a forked log only what stands in both versions counts."""
        if moment.hash not in self._tallies:
            self._tallies[moment.hash] = _tally(moment, self._ballots)
        return self._tallies[moment.hash]

    def any_ballot(self, moment: Moment) -> bool:
        return moment.hash in self._ballots

    def removed(self, moment: Moment) -> frozenset[int]:
        """Whom a passed motion puts out at this moment."""
        return self.tally(moment).removed if moment.hash in self._ballots else frozenset()

    def removals(self, moment: Moment) -> list[frozenset[int]]:
        """Whom a passed motion may have put out at this moment, one set for each way to read the forked logs."""
        found = {self.removed(moment)}
        whole = [*range(len(self._logs))]
        for forker in self.forked:
            for chain in (self._logs[forker].chain, self._logs[forker].second()):
                said = [self._chains[m] if m != forker else self._said_in(m, chain, None) for m in whole]
                found.add(_tally(moment, self._ballots_of(said)).removed)
        return sorted(found, key=sorted)

    def blocked(self, moment: Moment) -> bool:
        """Whether the step may not close yet because a vote of the table's own member is open."""
        if self._me is None or moment.hash not in self._ballots:
            return False
        return motion.blocks_step(self.tally(moment), self._me)

    # --- forks

    def standing(
        self, moment: Moment, forker: int, removed: frozenset[int], index: Mapping[bytes, int]
    ) -> frozenset[int]:
        """Who has to say where it stands before a forker can be put out. Of those that forked themselves, only who has
        said it in what both versions of its log have in common."""
        return frozenset(
            m
            for m in moment.still_in
            if m not in removed
            and m != forker
            and (m not in self.forked or (forker, m) in self._stands)
            and not self._leaves(m)
            and self._sound(m, index)
        )

    def settled_at(
        self, moment: Moment, forkers: frozenset[int], removed: frozenset[int], index: Mapping[bytes, int]
    ) -> tuple[frozenset[int], list[frozenset[bytes]]]:
        """The forkers that leave the table in the step open now, and for each of the others that is settled later the
        table hashes of which the next must be one."""
        here, later = set(), {}
        for forker in forkers:
            common, newest = stands.top(self._stated(moment, forker, removed, index))
            if newest == moment.hash:
                here.add(forker)
            if moment.hash in common:
                later[forker] = common
        if here:
            # With one of them the steps that follow are undone, and with these the later ones of the others.
            return frozenset(here.union(later)), []
        return frozenset(), list(later.values())

    def top(self, moment: Moment, forker: int, removed: frozenset[int], index: Mapping[bytes, int]) -> bytes | None:
        """The newest table hash that all who must say where they stand have in common; None until all have."""
        return stands.top(self._stated(moment, forker, removed, index))[1]

    def agreed(
        self, moment: Moment, forkers: frozenset[int], absent: frozenset[int], index: Mapping[bytes, int]
    ) -> bytes | None:
        """The newest table hash in common after all these forks, those in `absent` left aside."""
        lists = [self._stated(moment, forker, absent, index) for forker in sorted(forkers)]
        return stands.top([hashes for stated in lists for hashes in stated])[1] if all(lists) else None

    def lacking(self, moment: Moment, forkers: frozenset[int], index: Mapping[bytes, int]) -> frozenset[int]:
        """Members who have yet to say where they stand."""
        removed = self.removed(moment)
        return frozenset(
            m
            for forker in forkers
            for m in self.standing(moment, forker, removed, index)
            if (forker, m) not in self._stands
        )

    def _stated(
        self, moment: Moment, forker: int, removed: frozenset[int], index: Mapping[bytes, int]
    ) -> list[tuple[bytes, ...]]:
        """All the lists stated after a fork; empty while one is missing."""
        said = [self._stands.get((forker, m)) for m in sorted(self.standing(moment, forker, removed, index))]
        return [] if None in said else [one[1].hashes for one in said if one is not None]

    def has_stood(self, member: int, forker: int) -> bool:
        return (forker, member) in self._stands

    # --- offences

    def check(self, spine: Sequence[Moment], index: Mapping[bytes, int], chain: Chain, at: int) -> None:
        """Raise Refused if what is said beside the table at this place of a log convicts its author."""
        entry = chain[at]
        body = self._memo.body(entry)
        if isinstance(body, messages.Ballot):
            if entry.table_hash not in index:
                return
            tally = self.tally(spine[index[entry.table_hash]])
            cast = self._ballots.get(entry.table_hash, {}).get(entry.author, [])
            for offence in tally.offences:
                if offence.member == entry.author and cast[offence.index][0] == at:
                    raise Refused(offence.rule, "a ballot that its author's own log forbids")
        else:
            self._check_stand(index, chain, at)

    def check_still(self, moment: Moment, chain: Chain, at: int) -> None:
        """Raise Refused("stand.moved") if the author of this entry had said where it stands, and signed over a later
        moment with the forker still in it. (The moments it stands on may still be answered: one of them stays.)"""
        for entry in chain[:at]:
            body = self._memo.body_or_none(entry)
            if isinstance(body, messages.Stand) and body.forker in moment.still_in and moment.hash not in body.hashes:
                raise Refused("stand.moved", "signed a step before the fork was settled that it had stood for")

    def is_void(self, chain: Chain, at: int) -> bool:
        """Whether an entry that names an unknown hash was signed on a branch that its author has left since, by saying
        where it stands or by leaving the table."""
        left = (messages.Stand, messages.Leave) if self.forked else messages.Stand
        return any(isinstance(self._memo.body_or_none(later), left) for later in chain[at + 1 :])

    def reach(self, moment: Moment, member: int, out: Mapping[int, Filling]) -> int:
        """The first entry of a member's log behind what put others out in this step; 0 if nothing of its did."""
        reach = 0
        if any(filling.fill is Fill.REMOVED for filling in out.values()):
            outcome = self.tally(moment).outcome
            for at, ballot in self._ballots.get(moment.hash, {}).get(member, []):
                if ballot.motion == outcome:
                    reach = max(reach, at + 1)
        for forker, filling in out.items():
            if filling.fill is Fill.FORKED and (forker, member) in self._stands:
                reach = max(reach, self._stands[forker, member][0] + 1)
        return reach

    def _leaves(self, member: int) -> bool:
        return any(isinstance(self._memo.body_or_none(e), messages.Leave) for e in self._logs[member].chain)

    def _sound(self, member: int, index: Mapping[bytes, int]) -> bool:
        """Whether a member's statements hold against its own log; one that convicts its author counts for nothing."""
        chain = self._logs[member].chain
        for at, entry in enumerate(chain):
            if isinstance(self._memo.body_or_none(entry), messages.Stand):
                try:
                    self._check_stand(index, chain, at)
                except Refused:
                    return False
        return True

    def _check_stand(self, index: Mapping[bytes, int], chain: Chain, at: int) -> None:
        body = self._memo.body(chain[at])
        bottom = index.get(body.hashes[0]) if isinstance(body, messages.Stand) else None
        if bottom is not None:
            known = {one for one, place in index.items() if place < bottom}
            stands.check([(entry, self._memo.body_or_none(entry)) for entry in chain], at, known)


def _tally(moment: Moment, ballots: Ballots) -> motion.Tally:
    cast = ballots.get(moment.hash, {})
    return motion.tally(frozenset(moment.still_in), {m: [ballot for _, ballot in one] for m, one in cast.items()})


def ballot_of(body: messages.Ballot) -> motion.Ballot:
    """The ballot in a body."""
    kind: motion.Kind = "vote"
    if isinstance(body, messages.Withdraw):
        kind = "withdraw"
    elif isinstance(body, messages.Confirm):
        kind = "confirm"
    return motion.Ballot(kind, motion.Motion(body.round, body.absent))


def body_of(ballot: motion.Ballot) -> messages.Vote | messages.Withdraw | messages.Confirm:
    """The body of a ballot."""
    fields = {"round": ballot.motion.round, "absent": ballot.motion.absent}
    match ballot.kind:
        case "vote":
            return messages.Vote.model_validate(fields)
        case "withdraw":
            return messages.Withdraw.model_validate(fields)
        case "confirm":
            return messages.Confirm.model_validate(fields)
