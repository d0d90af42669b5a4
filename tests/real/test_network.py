"""Whole games between hosts of a network that delays, loses, doubles and cuts: real sockets, real kernels' TCP."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.real import lan
from tests.real.lan import Lan, Weather
from tests.real.peers import Table, Zygote

WHY_NOT = lan.missing()
pytestmark = [pytest.mark.slow, pytest.mark.skipif(bool(WHY_NOT), reason=WHY_NOT or "-")]


@pytest.fixture
def net(record_property: Callable[[str, object], None], seed: int) -> Iterator[Lan]:
    with Lan(3, seed=seed) as one:
        yield one
        for name in ("frames", "lost", "doubled", "cut"):
            record_property(
                f"network frames {name}" if name != "frames" else "network frames", getattr(one.counts, name)
            )


def table_on(net: Lan, peers: Zygote, folder: Path, **options: Any) -> Table:
    return Table(
        peers,
        folder,
        3,
        netns={i: net.namespace(i) for i in range(3)},
        **{"interface": None, "patience": None, "limit": 100, **options},
    )


def until(choices: int, stays: int = 0) -> dict[str, Any]:
    """All but one get up when that many turns are over."""
    get_up = {"get_up": {"at": "choose", "nth": choices}}
    return {f"p{i}": get_up for i in range(3) if i != stays}


def test_delay_loss_and_doubled_frames(net: Lan, peers: Zygote, tmp_path: Path) -> None:
    """Jitter reorders frames as well."""
    net.weather = Weather(delay=0.01, jitter=0.03, loss=0.05, doubled=0.1)
    with table_on(net, peers, tmp_path) as table:
        table.start(**until(4))
        table.wait_ended(100)
        table.check([0])
        assert not any(peer.told("accused") for peer in table.peers)
    assert net.counts.lost > 20 and net.counts.doubled > 20


@pytest.mark.parametrize("seconds", [5, 18])
def test_a_partition_that_heals(net: Lan, peers: Zygote, tmp_path: Path, seconds: float) -> None:
    """Shorter and longer than what ends a silent link. Nothing goes on meanwhile, and nobody is put out."""
    with table_on(net, peers, tmp_path) as table:
        table.start(**until(3))
        table.wait_step(8)
        net.partition([0], [1, 2])
        time.sleep(seconds)
        stuck = max(peer.step for peer in table.peers)
        assert stuck < 30
        net.fair()
        table.wait_step(stuck + 1, 60)
        table.wait_ended(60)
        report = table.check([0])
        assert report.steps > stuck + 1
    assert net.counts.cut


def test_frames_are_lost_in_one_direction_only(net: Lan, peers: Zygote, tmp_path: Path) -> None:
    """What 0 says does not reach 1 by itself; 2 passes it on."""
    with table_on(net, peers, tmp_path) as table:
        table.start(**until(2, stays=2))
        net.cut = frozenset({(0, 1)})
        table.wait_ended(100)
        table.check([2])


@pytest.mark.parametrize(("one", "other"), [(1, 2), (0, 2)])
def test_a_peer_that_is_reached_only_through_another(
    net: Lan, peers: Zygote, tmp_path: Path, one: int, other: int
) -> None:
    """The two joiners never meet; or the host and a joiner lose each other at once."""
    if one:
        net.part(one, other)
    with table_on(net, peers, tmp_path) as table:
        between = 3 - one - other
        table.start(**until(2, stays=between))
        net.part(one, other)
        table.wait_ended(100)
        table.check([between])


def test_who_comes_back_with_another_address_is_found(net: Lan, peers: Zygote, tmp_path: Path) -> None:
    """Even by somebody whom it cannot reach itself: 2 learns the new address from 0, and dials."""
    with table_on(net, peers, tmp_path) as table:
        extras = until(3)
        extras["p1"] = {**extras["p1"], "die": [[8, "sent"]]}
        table.start(**extras)
        table.wait(lambda: table.status(1) == -9, 60, "P1 is dead")
        new = net.readdress(1, 21)
        table.order(1, do="resume", **until(3)["p1"])
        table.wait_ended(100)
        table.check([0])
        assert new.endswith(".21")
