"""Recorded screens. A person looked at each before it was kept; UPDATE_SNAPSHOTS=1 records anew."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from rich.text import Text

from p2pmatryoshka.ui.screen import plain

FOLDER = Path(__file__).parent / "snapshots"


def check(name: str, lines: Iterable[Text | str], width: int = 80) -> None:
    """The lines at that width are what was recorded under that name, and none is wider."""
    shown = plain(lines, width)
    path = FOLDER / f"{name}.txt"
    if os.environ.get("UPDATE_SNAPSHOTS"):
        path.write_text(shown)
    assert shown == path.read_text()
    assert max(len(line) for line in shown.splitlines()) <= width
