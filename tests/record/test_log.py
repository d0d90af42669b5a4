"""One member's log: a chain from entries in any order, bounded, with proof of two versions."""

from __future__ import annotations

from itertools import permutations

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import given
from hypothesis import strategies as st

from p2pmatryoshka.record import entry as entries
from p2pmatryoshka.record.entry import Entry
from p2pmatryoshka.record.log import MOST_EARLY, Log

KEY = Ed25519PrivateKey.from_private_bytes(b"k" * 32)
PUBLIC = [KEY.public_key().public_bytes_raw()]
TABLE = b"t" * 32


def entry(sequence: int, previous: bytes, body: bytes = b"") -> Entry:
    return entries.parse(entries.sign(KEY, TABLE, 0, sequence, previous, bytes(32), body), TABLE, PUBLIC)


def chained(count: int, start: int = 0, previous: bytes = TABLE, body: bytes = b"") -> list[Entry]:
    made = []
    for sequence in range(start, start + count):
        made.append(entry(sequence, previous, body))
        previous = made[-1].hash
    return made


def log_of(*given_: Entry) -> Log:
    log = Log(TABLE)
    for one in given_:
        log = log.add(one)
    return log


def test_an_empty_log_names_the_table() -> None:
    assert Log(TABLE).head == TABLE


def test_entries_in_order_make_a_chain() -> None:
    made = chained(5)
    log = log_of(*made)
    assert list(log.chain) == made
    assert log.head == made[-1].hash
    assert log.fork is None
    assert not log.early


@pytest.mark.parametrize("order", list(permutations(range(4))), ids=str)
def test_entries_in_any_order_make_the_same_chain(order: tuple[int, ...]) -> None:
    made = chained(4)
    assert log_of(*(made[i] for i in order)) == log_of(*made)


@given(st.permutations(range(MOST_EARLY)))
def test_as_many_as_are_held_early_may_come_in_any_order(order: list[int]) -> None:
    made = chained(MOST_EARLY)
    assert log_of(*(made[i] for i in order)) == log_of(*made)


def test_what_is_known_changes_nothing() -> None:
    made = chained(3)
    log = log_of(*made)
    for one in made:
        assert log.add(one) is log
    early = log.add(chained(5)[4])
    assert early.add(chained(5)[4]) is early


def test_a_gap_holds_and_accuses_nobody() -> None:
    made = chained(3)
    log = log_of(made[0], made[2])
    assert list(log.chain) == made[:1]
    assert list(log.early) == made[2:]
    assert log.fork is None


def test_early_entries_are_bounded_and_the_nearest_kept() -> None:
    made = chained(3 * MOST_EARLY)
    log = log_of(*reversed(made[1:]))
    assert list(log.early) == made[1 : 1 + MOST_EARLY]
    full = log.add(made[0])
    assert list(full.chain) == made[: 1 + MOST_EARLY]


def test_two_versions_of_one_entry_are_a_fork() -> None:
    made = chained(3)
    other = entry(1, made[0].hash, b"other")
    log = log_of(*made, other)
    assert log.fork is not None
    assert log.fork.sequence == 1
    assert {log.fork.one, log.fork.other} == {made[1].signed, other.signed}
    assert list(log.chain) == made, "the first branch seen stays"


def test_two_versions_of_an_early_entry_are_a_fork() -> None:
    log = log_of(entry(5, b"a" * 32, b"one"), entry(5, b"a" * 32, b"other"))
    assert log.fork is not None
    assert log.fork.sequence == 5


def test_another_predecessor_is_a_fork_where_its_predecessor_stands() -> None:
    made = chained(2)
    wrong = entry(2, b"x" * 32)
    log = log_of(*made, wrong)
    assert log.fork is not None
    assert log.fork.sequence == 1
    assert {log.fork.one, log.fork.other} == {made[1].signed, wrong.signed}


def test_another_predecessor_of_an_early_entry_shows_when_the_gap_is_filled() -> None:
    made = chained(2)
    log = log_of(made[0], entry(2, b"x" * 32))
    assert log.fork is None
    log = log.add(made[1])
    assert log.fork is not None


def test_a_first_entry_that_names_a_predecessor_convicts_alone() -> None:
    log = log_of(entry(0, b"x" * 32))
    assert log.fork is None
    assert log.chain[0].fault == "entry.previous"


def test_another_signature_over_the_same_bytes_is_no_fork() -> None:
    made = chained(2)
    again = Entry(
        made[1].signed._replace(signature=bytes(64)),
        made[1].author,
        made[1].sequence,
        made[1].previous,
        made[1].table_hash,
        made[1].body,
        made[1].hash,
    )
    log = log_of(*made)
    assert log.add(again) is log


def test_an_earlier_fork_takes_the_place_of_a_later_one() -> None:
    made = chained(4)
    log = log_of(*made, entry(3, made[2].hash, b"late"))
    assert log.fork is not None
    assert log.fork.sequence == 3
    log = log.add(entry(1, made[0].hash, b"early"))
    assert log.fork is not None
    assert log.fork.sequence == 1
    assert log.add(entry(2, made[1].hash, b"between")).fork == log.fork


def test_a_flood_of_other_versions_is_held_within_bounds() -> None:
    made = chained(2)
    log = log_of(*made)
    for i in range(20 * MOST_EARLY):
        log = log.add(entry(1, made[0].hash, str(i).encode()))
    kept = len(log.chain) + len(log.early) + len(getattr(log, "branch", ()))
    assert kept <= 2 + 2 * MOST_EARLY
    assert log.fork is not None


def test_a_forked_log_goes_on() -> None:
    made = chained(4)
    log = log_of(*made[:2], entry(1, made[0].hash, b"other"), *made[2:])
    assert list(log.chain) == made
