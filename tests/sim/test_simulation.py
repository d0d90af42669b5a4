"""Whole tables in virtual time; what must hold is in checks.py, what goes wrong in faults.py and cheats.py."""

from __future__ import annotations

import os
from typing import Any

import pytest

from tests.sim.run import REPLAY, run

WORKERS = os.cpu_count() or 1


def _played(first: int, count: int, **options: Any) -> dict[str, Any]:
    figures = run(range(first, first + count), workers=WORKERS, **options)
    real = " --real" if options.get("real") else ""
    assert not figures["failures"], "\n".join(
        f"{REPLAY.format(seed=seed, real=real)}: {detail}" for seed, detail in sorted(figures["failures"].items())
    )
    assert figures["seeds"] == count
    return figures


def test_some_tables() -> None:
    figures = _played(0, 28)
    assert figures["outcomes"]["sealed"] > 20
    for what in ("crashes", "restores", "votes", "leaves signed", "cheats"):
        assert figures["counts"][what] > 0, what


@pytest.mark.slow
def test_two_thousand_tables() -> None:
    figures = _played(0, 2000)
    counts = figures["counts"]
    for what in ("crashes", "restores", "votes", "leaves signed", "cheats", "links blamed", "already signed"):
        assert counts[what] > 0, what
    for fill in ("removed", "left", "forfeit", "forked"):
        assert counts[f"places {fill}"] > 10, fill


@pytest.mark.slow
def test_some_hundred_tables_with_the_real_group() -> None:
    _played(10_000, 200, real=True)


@pytest.mark.parametrize(
    ("control", "complaints"),
    [
        ("returns", ("twice", "accused of entry.fork")),
        ("votes", ("a split", "final in two ways", "has left what was final")),
        ("shuffles", ("CardsLost", "card.unknown", "lies nowhere")),
    ],
)
def test_a_rule_left_out_is_noticed(control: str, complaints: tuple[str, ...]) -> None:
    figures = run(range(8), workers=WORKERS, control=control)
    seen = [detail for detail in figures["failures"].values() if any(one in detail for one in complaints)]
    assert seen, figures
    kept = run(range(8), workers=WORKERS, control=control, leave_out=False)
    assert not kept["failures"], kept
