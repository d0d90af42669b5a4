"""Peers are killed and never come back: the others put them out by their votes, and nobody is called a cheat."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.real.peers import Table, Zygote

PATIENCE = 2.0
ROUND = {"get_up": {"at": "choose", "nth": 4}}
"""Some turns later this one gets up, so that the rest of the game is short."""


def play(peers: Zygote, folder: Path, seats: int, dies: dict[int, list[Any]], stays: int, **more: Any) -> Table:
    """A table at which these die for good, and all but one of the others get up later. It has ended well."""
    extras: dict[str, dict[str, Any]] = {}
    for i in range(seats):
        extras[f"p{i}"] = {"die": [dies[i]]} if i in dies else {} if i == stays else ROUND
        extras[f"p{i}"] = {**extras[f"p{i}"], **more.get(f"p{i}", {})}
    table = Table(peers, folder, seats, seed=seats, patience=PATIENCE, agree=1.0, limit=90)
    with table:
        table.start(**extras)
        alive = [i for i in range(seats) if i not in dies]
        table.wait(lambda: all(table.status(i) is not None for i in alive), 100, "the others have ended")
        for i in range(seats):
            assert table.status(i) == (-9 if i in dies else 0), table.logs()
    return table


def put_out(table: Table, stays: int, member: int) -> None:
    """It was put out, and nobody says that it cheated."""
    assert member not in table.peers[stays].told("step")[-1]["still_in"], table.logs()
    table.check([stays])
    assert not any(peer.told("accused") for peer in table.peers)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("victim", "dies"),
    [
        (0, [3, "checking"]),
        (1, [1, "stored"]),
        (2, ["commit", "sent"]),
        (0, [11, "drafted"]),
        (1, ["turn", "checking"]),
    ],
)
def test_one_of_three_is_gone(peers: Zygote, tmp_path: Path, victim: int, dies: list[Any]) -> None:
    """Among them the host, who is nobody special once the roster is agreed on."""
    stays = (victim + 1) % 3
    put_out(play(peers, tmp_path, 3, {victim: dies}, stays), stays, victim)


@pytest.mark.slow
def test_two_of_five_are_gone_one_after_the_other(peers: Zygote, tmp_path: Path) -> None:
    table = play(peers, tmp_path, 5, {0: ["commit", "sent"], 3: ["rekey", "sent"]}, 1)
    put_out(table, 1, 0)
    put_out(table, 1, 3)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["rekey", "mix", "blind", "tags"])
def test_one_is_gone_while_the_stock_is_made_anew(peers: Zygote, tmp_path: Path, kind: str) -> None:
    """Somebody leaves before the second deal, and another dies in what follows from that."""
    step = kind if kind != "mix" else 11
    table = play(peers, tmp_path, 4, {2: [step, "sending"]}, 0, p1={"get_up": {"at": "share", "nth": 1}})
    assert any(e["kind"] == "rekey" for e in table.peers[0].told("step"))
    put_out(table, 0, 2)


@pytest.mark.slow
def test_a_minority_puts_nobody_out(peers: Zygote, tmp_path: Path) -> None:
    """Two of three are gone: the last one waits, and plays for nobody."""
    dies = {"p0": {"die": [[9, "sent"]]}, "p1": {"die": [[9, "sent"]]}}
    with Table(peers, tmp_path, 3, patience=1.0, agree=0.5, limit=12) as table:
        table.start(**dies)
        table.wait(lambda: table.status(0) == table.status(1) == -9, 60, "both are dead")
        table.wait(lambda: table.status(2) is not None, 30, "the last one has given up waiting")
        (failed,) = table.peers[2].told("failed")
        assert failed["kind"] == "TooSlowError", table.logs()
        assert table.peers[2].told("step")[-1]["still_in"] == [0, 1, 2], table.logs()
        assert not table.peers[2].accused()


@pytest.mark.slow
def test_who_was_put_out_comes_back_and_is_told(peers: Zygote, tmp_path: Path) -> None:
    """It signs nothing more, and nobody accuses it."""
    extras = {"p0": {"die": [[9, "sent"]]}, "p1": {"think": 0.3}, "p2": {"think": 0.3}}
    with Table(peers, tmp_path, 3, patience=PATIENCE, agree=1.0, limit=90) as table:
        table.start(**extras)
        one = table.peers[1]
        table.wait(lambda: any(0 not in e["still_in"] for e in one.told("step")), 60, "P0 is out")
        table.order(0, do="resume")
        table.wait_ended(90)
        table.check([1, 2])
        back = table.peers[0].finished()
        assert back is not None and 0 not in back["still_in"], table.logs()
