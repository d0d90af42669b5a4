"""Recorded games replayed: the same decisions must lead to the same lines. See record_games.py."""

from __future__ import annotations

from pathlib import Path

import pytest

from p2pmatryoshka.rules.catalogue import GAMES
from tests.rules.recording import Replay, tell

RECORDED = sorted((Path(__file__).parent / "recorded").glob("*.txt"))


@pytest.mark.parametrize("path", RECORDED, ids=lambda path: path.stem)
def test_the_game_goes_as_recorded(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    replay = Replay(text)
    lines = text.splitlines()
    for number, line in enumerate(tell(replay.setting, replay), start=1):
        assert line == lines[number - 1], f"{path.name}, line {number}"
    assert number == len(lines)


@pytest.mark.parametrize("name", GAMES)
def test_every_game_has_recordings_at_every_number_of_seats_and_with_departures(name: str) -> None:
    stems = [path.stem for path in RECORDED]
    for seats in GAMES[name].seatings:
        assert [stem for stem in stems if stem.startswith(f"{name}-{seats}-seats")]
    departures = Path(__file__).parent / "recorded" / f"{name}-departures.txt"
    assert "\ngone " in departures.read_text(encoding="utf-8")
