"""Every reader of bytes of others, with its corpus, with some mutated inputs from a fixed seed, and with many more."""

from __future__ import annotations

from random import Random, SystemRandom

import pytest

from tests.fuzz import campaign
from tests.fuzz.all import TARGETS
from tests.fuzz.bounds import Bounds, TooMuch, within
from tests.fuzz.games import MADE, game
from tests.fuzz.records import record
from tests.fuzz.target import Target

SEED = 1
SLOW_SECONDS = 90.0
"""Of processor time, for all targets together."""

each_target = pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.name.replace(" ", "-"))


@each_target
def test_inputs_that_were_of_interest(target: Target) -> None:
    said = campaign.replay(target)
    assert sum(said.values()) >= len(target.seeds[:: target.sparse])


@each_target
def test_some_mutated_inputs(target: Target) -> None:
    said = campaign.several(target, SEED, target.usual)
    assert sum(said.values()) == target.usual
    assert len(said) > 1, "the mutations never get anywhere"


@pytest.mark.slow
@each_target
def test_mutated_inputs_for_a_while(target: Target) -> None:
    seed = SystemRandom().randrange(1 << 32)
    print(f"{target.name}: seed {seed}")
    said = campaign.for_seconds(target, seed, SLOW_SECONDS / len(TARGETS))
    print(dict(said.most_common()))


def test_a_campaign_is_the_same_for_the_same_seed() -> None:
    (body,) = campaign.every(["body"], TARGETS)
    one, again, other = ([body.make(random) for _ in range(50)] for random in (Random("a"), Random("a"), Random("b")))
    assert one == again
    assert one != other


# --- the instruments themselves


@pytest.mark.parametrize("name", MADE)
def test_the_games_are_sealed_and_their_cheats_alone_accused(name: str) -> None:
    said = record(game(name).record)
    assert said.startswith("sealed with" if game(name).cheats else "sealed")


def test_a_loop_without_end_is_broken_off() -> None:
    with pytest.raises(TooMuch, match="seconds"), within(Bounds(seconds=0.02), 1):
        while True:
            pass


def test_too_much_memory_is_seen() -> None:
    with pytest.raises(TooMuch, match="bytes of memory"), within(Bounds(spare=1000, per_byte=2), 1000, memory=True):
        _ = bytes(10_000)
    with within(Bounds(spare=1000, per_byte=2), 10_000, memory=True):
        _ = bytes(10_000)


def test_a_reader_that_raises_something_else_is_reported_with_its_input() -> None:
    broken = Target("broken", lambda data: [str(len(data))][len(data) > 3 and data[3]], lambda: [b"\0" * 8], _grow)
    with pytest.raises(campaign.Broken, match=r"broken, seed 1, input \d+: IndexError"):
        campaign.several(broken, 1, 5000)


def _grow(random: Random, data: bytes, _: object) -> bytes:
    return data[:3] + bytes([random.choice((0, 0, 0, 1))]) + data[4:]


def test_inputs_are_made_smaller_as_long_as_the_same_comes_out() -> None:
    long = Target("long", lambda data: "yes" if b"x" in data else "no", lambda: [b""], _grow)
    assert campaign.smaller(long, b"abc" * 30 + b"x" + b"def" * 30, "yes") == b"x"
