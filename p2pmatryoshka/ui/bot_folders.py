"""Where the bots of a table live: inside the data folder of whoever seated them, until the game is over.

A bot whose key or log is gone cannot come back, and the table would wait for it. So their folders outlive this
process, and a note at the table says which they are.
"""

from __future__ import annotations

import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from p2pmatryoshka.node.home import Home
from p2pmatryoshka.node.keeper import OPEN

FOLDER = "bots"
NOTE = "bots"


class SeatedBots(BaseModel):
    """The bots of one table: count folders named 0, 1, ... in `folder`; how they play. mine: a bot has my seat."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)
    folder: str
    count: int
    strategy: str | None
    patience: int
    mine: bool = False

    def path(self, home: Home) -> Path:
        return home.folder / FOLDER / self.folder


def new_folder() -> str:
    """A name that no other table's bots have."""
    return secrets.token_hex(8)


def note_bots(home: Home, table: bytes, bots: SeatedBots) -> None:
    """Remember them for `resume`."""
    home.store.note(table, NOTE, bots.model_dump_json().encode())


def noted_bots(home: Home, table: bytes) -> SeatedBots | None:
    """The bots that were seated at that table from this folder; None if there were none, or they are gone."""
    note = home.store.notes(table).get(NOTE)
    if note is None:
        return None
    try:
        bots = SeatedBots.model_validate_json(note)
    except ValidationError:
        return None
    return bots if bots.mine or bots.path(home).is_dir() else None


@contextmanager
def tidied(home: Home) -> Iterator[None]:
    """Before and after a game: no folders of bots but of those at tables that can be gone on with."""
    tidy(home)
    try:
        yield
    finally:
        tidy(home)


def tidy(home: Home) -> None:
    """Remove what nobody comes back to."""
    found = [noted_bots(home, table.id) for table in home.store.tables() if table.state == OPEN]
    wanted = {bots.folder for bots in found if bots is not None}
    place = home.folder / FOLDER
    if not place.is_dir():
        return
    for folder in place.iterdir():
        if folder.name not in wanted:
            shutil.rmtree(folder, ignore_errors=True)
    if not any(place.iterdir()):
        place.rmdir()
