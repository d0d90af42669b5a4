"""The search must find what is wrong with other rules: each rule of motions, taken away or replaced, is missed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest

from p2pmatryoshka.errors import Illegal
from p2pmatryoshka.table import motion as real
from p2pmatryoshka.table.motion import Ballot, Motion, Standing, Tally
from tests.table.motion_lattice import Lattice
from tests.table.motion_model import Found, Model, Rules, Setting

ONE = Setting(3, (2,), (Motion(1, (2,)),))
THEN_THE_VOTER = Setting(3, (2,), (Motion(1, (2,)), Motion(2, (1,))))


def search(setting: Setting, rules: Rules, expected: str) -> None:
    """The real rules pass the same setting in test_motion_search.py. Stuck ends are looked for only if expected."""
    with pytest.raises(Found) as found:
        Model(setting, rules).explore(finish=expected == "stuck")
    print(found.value)
    assert found.value.what.startswith(expected)


def restand(count: Tally, standings: list[Standing]) -> Tally:
    passed = [s.motion for s in standings if s.passed]
    return replace(count, standings=tuple(standings), outcome=passed[-1] if passed else None)


class OnePhase(Rules):
    """The Votes of all pass a motion at once; a Vote may be taken back until one has seen it pass."""

    def count(self, still_in: frozenset[int], ballots: Mapping[int, list[Ballot]]) -> Tally:
        count = real.tally(still_in, ballots)
        return restand(count, [replace(s, confirmed=s.voted - s.withdrawn) for s in count.standings])

    def may_sign(self, count: Tally, me: int, ballot: Ballot, missing: frozenset[int]) -> None:
        if ballot.kind == "confirm":
            raise Illegal("one phase")
        standing = count.standing(ballot.motion)
        open_to_me = me in standing.voted - standing.withdrawn
        if ballot.kind == "withdraw" and open_to_me and not standing.passed:
            return
        real.may_sign(count, me, ballot, missing)


class WithdrawAfterConfirm(Rules):
    def count(self, still_in: frozenset[int], ballots: Mapping[int, list[Ballot]]) -> Tally:
        count = real.tally(still_in, ballots)
        back = {(m, b.motion) for m, log in ballots.items() for b in log if b.kind == "withdraw"}
        standings = []
        for s in count.standings:
            withdrawn = frozenset(m for m in s.voted if (m, s.motion) in back)
            standings.append(replace(s, withdrawn=withdrawn, confirmed=s.confirmed - withdrawn))
        return replace(restand(count, standings), offences=())

    def may_sign(self, count: Tally, me: int, ballot: Ballot, missing: frozenset[int]) -> None:
        standing = count.standing(ballot.motion)
        if ballot.kind == "withdraw" and me in standing.confirmed and not standing.passed:
            return
        real.may_sign(count, me, ballot, missing)


class GoOnWithAnOpenVote(Rules):
    def blocks(self, count: Tally, me: int) -> bool:
        return me in count.removed


class GoOnWithAnotherOpenVote(Rules):
    """As soon as any motion has passed it is taken, whatever else I have confirmed."""

    def blocks(self, count: Tally, me: int) -> bool:
        return me in count.removed or (count.outcome is None and real.blocks_step(count, me))


class ConfirmBeforeAllVotes(Rules):
    def may_sign(self, count: Tally, me: int, ballot: Ballot, missing: frozenset[int]) -> None:
        try:
            real.may_sign(count, me, ballot, missing)
        except Illegal as illegal:
            if illegal.code != "motion.votes":
                raise


class FilledPlacesStay(Rules):
    """An entry of somebody put out stands where it is held."""

    def kept(self, count: Tally, entries: frozenset[int]) -> frozenset[int]:
        return count.removed & entries


class LargerSetsAfterConfirm(Rules):
    """After a Confirm I join only motions for more members, in whatever round, until one of the two is dead."""

    def may_sign(self, count: Tally, me: int, ballot: Ballot, missing: frozenset[int]) -> None:
        bound = [set(s.motion.absent) for s in count.standings if me in s.confirmed and s.live]
        if ballot.kind == "vote" and not all(b <= set(ballot.motion.absent) for b in bound):
            raise Illegal("larger sets only")
        real.may_sign(count, me, ballot, missing)


class NoBallotForAnOlderStep(Rules):
    older_steps = False


class NameOnlyEntriesAndConfirms(Rules):
    """Who owes no more than a Vote cannot be named."""

    def may_sign(self, count: Tally, me: int, ballot: Ballot, missing: frozenset[int]) -> None:
        owing = set(missing).union(*(s.voters - s.confirmed for s in count.pending if s.voted == s.voters))
        if ballot.kind == "vote" and not owing.issuperset(ballot.motion.absent):
            raise Illegal("owes a vote at most")
        real.may_sign(count, me, ballot, missing)


class MajorityOfThoseLeft(Rules):
    """After a motion has passed, more than half of those it leaves suffice for a larger set. Wants no majority rule."""

    def count(self, still_in: frozenset[int], ballots: Mapping[int, list[Ballot]]) -> Tally:
        count = real.tally(still_in, ballots)
        passed: list[Motion] = []
        for s in count.standings:
            electorates = [
                still_in,
                *(still_in.difference(p.absent) for p in passed if set(p.absent) < set(s.motion.absent)),
            ]
            if s.passed and any(2 * len(s.voters) > len(e) for e in electorates):
                passed.append(s.motion)
        return replace(count, outcome=passed[-1] if passed else None)


def test_one_phase_with_retraction_splits() -> None:
    search(ONE, OnePhase(), "split")


def test_withdrawing_after_the_confirm_splits() -> None:
    search(ONE, WithdrawAfterConfirm(), "split")


def test_going_on_with_an_open_vote_splits() -> None:
    search(ONE, GoOnWithAnOpenVote(), "split")


def test_confirming_before_all_votes_sticks() -> None:
    search(THEN_THE_VOTER, ConfirmBeforeAllVotes(), "stuck")


def test_keeping_filled_places_of_those_put_out_splits() -> None:
    search(ONE, FilledPlacesStay(), "split")


def test_only_larger_sets_after_a_confirm_stick() -> None:
    search(THEN_THE_VOTER, LargerSetsAfterConfirm(), "stuck")


def test_no_ballots_for_an_older_step_sticks() -> None:
    search(THEN_THE_VOTER, NoBallotForAnOlderStep(), "stuck")


def test_naming_no_one_who_owes_a_vote_sticks() -> None:
    search(Setting(5, (4,), (Motion(1, (4,)), Motion(2, (3, 4)))), NameOnlyEntriesAndConfirms(), "stuck")


def test_taking_a_passed_motion_while_bound_to_a_higher_one_splits() -> None:
    with pytest.raises(Found, match=r"^split"):
        Lattice(4, (Motion(1, (3,)), Motion(2, (2,))), rules=GoOnWithAnotherOpenVote()).explore()


def test_half_of_those_still_in_as_voters_splits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(real, "majority", lambda still_in, absent: True)
    with pytest.raises(Found, match=r"^split: two tables"):
        Lattice(4, (Motion(1, (2, 3)), Motion(2, (0, 1)))).explore()


@pytest.mark.slow
def test_a_majority_of_those_a_passed_motion_leaves_splits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(real, "majority", lambda still_in, absent: True)
    motions = Motion(1, (3, 4)), Motion(2, (2, 3, 4)), Motion(3, (0, 1))
    with pytest.raises(Found, match=r"^split: two tables"):
        Lattice(5, motions, rules=MajorityOfThoseLeft()).explore()


def test_the_limit_a_cheat_that_is_the_only_voter_of_both_makes_two_tables() -> None:
    """No rule of a majority can prevent it: the honest hear of each other only through the cheat."""
    with pytest.raises(Found, match=r"^split: two tables"):
        Lattice(3, (Motion(1, (2,)), Motion(1, (1,))), frozenset({0})).explore()
