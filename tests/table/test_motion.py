"""The rules of motions one by one: what counts, what convicts, and what an honest client signs."""

from __future__ import annotations

from itertools import permutations

import pytest

from p2pmatryoshka.errors import Illegal
from p2pmatryoshka.table.motion import (
    HIGHEST_ROUND,
    Ballot,
    Due,
    Kind,
    Motion,
    Tally,
    blocks_step,
    debtors,
    may_sign,
    owed,
    propose,
    tally,
)

THREE, FOUR, FIVE = (frozenset(range(n)) for n in (3, 4, 5))
NOBODY: frozenset[int] = frozenset()
TWO = frozenset({2})
GONE, HIGHER = Motion(1, (2,)), Motion(2, (1,))


def log(*kinds: Kind, motion: Motion = GONE) -> list[Ballot]:
    return [Ballot(kind, motion) for kind in kinds]


def count(still_in: frozenset[int], *logs: list[Ballot]) -> Tally:
    return tally(still_in, dict(enumerate(logs)))


def refused(counted: Tally, me: int, ballot: Ballot, missing: frozenset[int]) -> str:
    with pytest.raises(Illegal) as illegal:
        may_sign(counted, me, ballot, missing)
    return illegal.value.code


def musts(counted: Tally, me: int, missing: frozenset[int]) -> list[Ballot]:
    return [due.ballot for due in owed(counted, me, missing) if due.must]


# counting


def test_all_confirms_pass_a_motion() -> None:
    counted = count(THREE, log("vote", "confirm"), log("vote", "confirm"))
    assert counted.outcome == GONE and counted.removed == TWO
    assert counted.passed == (GONE,) and not counted.live and not counted.dead


def test_votes_alone_do_not_pass_a_motion() -> None:
    assert count(THREE, log("vote", "confirm"), log("vote")).live == (GONE,)


def test_one_withdraw_kills_a_motion() -> None:
    counted = count(THREE, log("vote", "confirm"), log("vote", "withdraw"))
    assert counted.dead == (GONE,) and counted.outcome is None


def test_the_highest_passed_motion_is_the_outcome() -> None:
    both = log("vote", "confirm") + log("vote", "confirm", motion=HIGHER)
    counted = count(THREE, both, log("vote", "confirm"), log("vote", "confirm", motion=HIGHER))
    assert counted.passed == (GONE, HIGHER) and counted.outcome == HIGHER and counted.removed == {1}


def test_rank_is_round_then_size_then_members() -> None:
    first, second, wide = Motion(1, (0,)), Motion(1, (4,)), Motion(1, (0, 1))
    ascending = [first, second, wide, Motion(1, (0, 2)), Motion(2, (0,)), Motion(10, (0,))]
    shuffled = [ascending[n] for n in (3, 5, 0, 4, 2, 1)]
    assert sorted(shuffled, key=lambda m: m.rank) == ascending


def test_members_count_alike_in_whatever_order_they_come() -> None:
    logs = {0: log("vote", "confirm"), 1: log("vote", "withdraw"), 2: log("vote", motion=HIGHER)}
    assert len({tally(THREE, {m: logs[m] for m in order}) for order in permutations(logs)}) == 1


def test_ballots_of_those_not_in_are_void() -> None:
    assert tally(frozenset({0, 1, 2}), {3: log("vote"), 0: log("vote")}) == count(THREE, log("vote"))


# offences


@pytest.mark.parametrize(
    ("rule", "ballots"),
    [
        ("motion.round", [Ballot("vote", Motion(0, (2,)))]),
        ("motion.round", [Ballot("vote", Motion(HIGHEST_ROUND + 1, (2,)))]),
        ("motion.absent", [Ballot("vote", Motion(1, ()))]),
        ("motion.absent", [Ballot("vote", Motion(1, (0,)))]),
        ("motion.absent", [Ballot("vote", Motion(1, (5,)))]),
        ("motion.absent", [Ballot("vote", Motion(1, (3, 2)))]),
        ("motion.absent", [Ballot("vote", Motion(1, (2, 2)))]),
        ("motion.majority", [Ballot("vote", Motion(1, (2, 3, 4)))]),
        ("motion.order", log("vote", "vote")),
        ("motion.order", log("vote", motion=HIGHER) + log("vote")),
        ("motion.unvoted", log("confirm")),
        ("motion.unvoted", log("withdraw")),
        ("motion.withdrawn", log("vote", "withdraw", "confirm")),
        ("motion.withdrawn", log("vote", "withdraw", "withdraw")),
        ("motion.confirmed", log("vote", "confirm", "withdraw")),
        ("motion.confirmed", log("vote", "confirm", "confirm")),
    ],
)
def test_an_offence_is_shown_by_its_authors_log(rule: str, ballots: list[Ballot]) -> None:
    (offence,) = count(FIVE, ballots, log("vote")).offences
    assert (offence.member, offence.index, offence.rule) == (0, len(ballots) - 1, rule)


def test_half_of_those_still_in_are_too_few() -> None:
    (offence,) = count(FOUR, [Ballot("vote", Motion(1, (2, 3)))]).offences
    assert offence.rule == "motion.majority"


def test_ballots_before_an_offence_count_and_those_after_do_not() -> None:
    counted = count(THREE, log("vote", "confirm", "withdraw") + log("vote", motion=HIGHER), log("vote", "confirm"))
    assert counted.outcome == GONE and counted.standing(HIGHER).voted == NOBODY


def test_a_confirm_before_all_votes_convicts_nobody() -> None:
    """What somebody else held when it signed cannot be shown."""
    assert not count(THREE, log("vote", "confirm")).offences


# what an honest client signs


def test_i_vote_only_against_somebody_who_owes() -> None:
    may_sign(count(THREE), 0, Ballot("vote", GONE), TWO)
    assert refused(count(THREE), 0, Ballot("vote", GONE), NOBODY) == "motion.answered"


def test_i_confirm_once_all_votes_are_here() -> None:
    assert refused(count(THREE, log("vote")), 0, Ballot("confirm", GONE), TWO) == "motion.votes"
    assert musts(count(THREE, log("vote"), log("vote")), 0, TWO) == log("confirm")


def test_i_withdraw_when_the_missing_entry_comes_before_my_confirm() -> None:
    counted = count(THREE, log("vote"), log("vote"))
    assert musts(counted, 0, NOBODY) == log("withdraw")
    assert refused(counted, 0, Ballot("confirm", GONE), NOBODY) == "motion.answered"


def test_i_stay_bound_when_the_missing_entry_comes_after_my_confirm() -> None:
    counted = count(THREE, log("vote", "confirm"), log("vote"))
    assert not musts(counted, 0, NOBODY) and blocks_step(counted, 0)
    assert refused(counted, 0, Ballot("withdraw", GONE), NOBODY) == "motion.confirmed"


def test_a_withdraw_frees_those_bound() -> None:
    assert not blocks_step(count(THREE, log("vote", "confirm"), log("vote", "withdraw")), 0)


def test_an_open_vote_blocks_the_step_for_its_voter_only() -> None:
    counted = count(THREE, log("vote"))
    assert [blocks_step(counted, m) for m in range(3)] == [True, False, False]


def test_a_higher_motion_i_am_bound_to_blocks_what_has_passed_below() -> None:
    both = log("vote", "confirm") + log("vote", "confirm", motion=HIGHER)
    counted = count(THREE, both, log("vote", "confirm"), log("vote", motion=HIGHER))
    assert counted.outcome == GONE and blocks_step(counted, 0) and not blocks_step(counted, 1)


def test_somebody_put_out_signs_no_step_entry() -> None:
    assert blocks_step(count(THREE, log("vote", "confirm"), log("vote", "confirm")), 2)


def test_bound_to_a_motion_whose_voter_is_gone_i_name_that_voter_in_a_higher_round() -> None:
    counted = count(THREE, log("vote", "confirm"), log("vote"))
    assert debtors(counted, NOBODY) == {1}
    assert propose(counted, {1}, NOBODY) == HIGHER
    for me in (0, 2):
        may_sign(counted, me, Ballot("vote", HIGHER), NOBODY)


def test_who_does_not_vote_can_be_named_too() -> None:
    counted, missing = count(FIVE, log("vote", motion=Motion(1, (4,)))), frozenset({4})
    wider = propose(counted, {3, 4}, missing)
    may_sign(counted, 0, Ballot("vote", wider), missing)
    assert refused(count(FIVE), 0, Ballot("vote", Motion(1, (3, 4))), missing) == "motion.answered"


def test_somebody_put_out_helps_to_free_those_bound_higher_up() -> None:
    """0 and 2 are gone, 1 is bound to the higher motion, {4} has passed: 4 must still find that 0 owes a Vote."""
    low, high, next_one = Motion(1, (4,)), Motion(2, (3, 4)), Motion(3, (2, 4))
    both = log("vote", motion=low) + log("vote", motion=high)
    bound = [*both, Ballot("confirm", low), Ballot("confirm", high)]
    third = log("vote", "confirm", motion=low) + log("vote", motion=next_one)
    logs = bound, [*bound, Ballot("vote", next_one)], [*both, Ballot("confirm", low)], third
    counted = count(FIVE, *logs)
    assert counted.outcome == low and propose(counted, {0, 2}, NOBODY) == Motion(4, (0, 2))
    for me in (1, 3, 4):
        may_sign(counted, me, Ballot("vote", Motion(4, (0, 2))), NOBODY)


def test_two_motions_do_not_keep_each_other_alive() -> None:
    """Each names a voter of the other; once both entries have come, neither is owed a Vote."""
    mutual = log("vote", motion=Motion(1, (1,))) + log("vote")
    assert musts(count(THREE, mutual), 0, NOBODY) == [Ballot("withdraw", Motion(1, (1,))), Ballot("withdraw", GONE)]


def test_nobody_uses_up_the_rounds() -> None:
    last = Motion(HIGHEST_ROUND, (2,))
    counted = count(THREE, [], log("vote", motion=last))
    assert refused(counted, 0, Ballot("vote", last), TWO) == "motion.ceiling"
    assert propose(counted, TWO, TWO) == GONE


def test_i_join_no_motion_that_is_dead_or_overtaken() -> None:
    dead = count(THREE, log("vote", "withdraw"))
    assert refused(dead, 1, Ballot("vote", GONE), TWO) == "motion.dead"
    assert propose(dead, TWO, TWO) == Motion(2, (2,))
    wide = Motion(2, (3, 4))
    passed = count(FIVE, *[log("vote", "confirm", motion=wide)] * 3)
    assert refused(passed, 0, Ballot("vote", Motion(1, (1,))), frozenset({1})) == "motion.order"
    assert refused(passed, 3, Ballot("vote", Motion(1, (1,))), frozenset({1})) == "motion.overtaken"


def test_a_later_motion_brings_nobody_back_where_enough_others_stay() -> None:
    first, missing = Motion(1, (4,)), frozenset({3, 4})
    counted = count(FIVE, *[log("vote", "confirm", motion=first)] * 4)
    assert propose(counted, {3}, missing) == Motion(1, (3, 4))
    assert refused(counted, 0, Ballot("vote", Motion(2, (3,))), missing) == "motion.revives"
    may_sign(counted, 0, Ballot("vote", Motion(1, (3, 4))), missing)


def test_a_vote_is_offered_and_never_demanded() -> None:
    assert owed(count(THREE, log("vote")), 1, TWO) == (Due(Ballot("vote", GONE), must=False),)
