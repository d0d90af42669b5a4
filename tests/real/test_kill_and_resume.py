"""Peers are killed without warning at every step of a game and come back: same game, same end, nothing signed twice."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.real import hooks, kills
from tests.real.peers import Zygote

GAMES = 5
"""Over these many games every step is one at which somebody dies."""
STEPS = 70


def test_three_are_killed_in_a_short_game(peers: Zygote, tmp_path: Path) -> None:
    """A fourth, unkilled player is not needed: everybody dies once, in the deal, in a shuffle, in the first round."""
    outcome = kills.play(peers, tmp_path, [1, 4, 8], seed=1)
    assert len(outcome.deaths) >= 3


@pytest.mark.slow
@pytest.mark.parametrize("game", range(GAMES))
def test_somebody_is_killed_at_every_step(peers: Zygote, tmp_path: Path, game: int) -> None:
    outcome = kills.play(peers, tmp_path, list(range(game, STEPS, GAMES)), seed=game)
    print(f"seed {game}: {len(outcome.deaths)} killed, {dict(outcome.instants)}, {outcome.seconds:.0f} s")
    assert len(outcome.deaths) >= STEPS // GAMES * 2 // 3
    assert set(outcome.instants) & set(hooks.OWN)
