"""Peers are killed without warning at every step of a game and come back: same game, same end, nothing signed twice."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.real import hooks, kills
from tests.real.peers import Zygote

GAMES = 5
"""Over these many games every step is one at which somebody dies."""
STEPS = 70


Note = Callable[[str, object], None]


def noted(outcome: kills.Outcome, note: Note) -> None:
    """Figures for scripts/reliability."""
    for instant, number in outcome.instants.items():
        note(f"killed: {instant}", number)
    note("steps played to their end", outcome.steps)


def test_three_are_killed_in_one_game(peers: Zygote, tmp_path: Path, record_property: Note) -> None:
    """Everybody dies once: when keys are made, in a shuffle, and when cards are shown."""
    outcome = kills.play(peers, tmp_path, [1, 4, 8], seed=1)
    noted(outcome, record_property)
    assert len(outcome.deaths) >= 3


@pytest.mark.slow
@pytest.mark.parametrize("game", range(GAMES))
def test_somebody_is_killed_at_every_step(
    peers: Zygote, tmp_path: Path, game: int, seed: int, record_property: Note
) -> None:
    outcome = kills.play(peers, tmp_path, list(range(game, STEPS, GAMES)), seed=GAMES * seed + game)
    noted(outcome, record_property)
    assert len(outcome.deaths) >= STEPS // GAMES * 2 // 3
    assert set(outcome.instants) & set(hooks.OWN)
