"""Opens a data folder for a command; asks for the passphrase only where the key has one."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click
from platformdirs import user_data_path

from p2pmatryoshka.errors import UserError
from p2pmatryoshka.node.home import Home
from p2pmatryoshka.node.identity import is_protected
from p2pmatryoshka.node.keeper import ABANDONED, FINISHED, OPEN
from p2pmatryoshka.node.storage import TableInfo
from p2pmatryoshka.ui.scene import short
from p2pmatryoshka.ui.strings import say

PASSPHRASE = "P2PMATRYOSHKA_PASSPHRASE"  # the environment variable, for scripts
LAST = "last"


@contextmanager
def open_home(data: Path | None) -> Iterator[Home]:
    """data: the folder, or None for the platform's own."""
    folder = data if data is not None else user_data_path("p2pmatryoshka", appauthor=False)
    passphrase = os.environ.get(PASSPHRASE)
    if passphrase is None and is_protected(folder):
        passphrase = click.prompt(say("ask.passphrase"), hide_input=True, err=True)
    with Home.open(folder, passphrase) as home:
        yield home


def find_table(home: Home, text: str) -> TableInfo:
    """The table whose id begins so, or the last one. Raises UserError."""
    tables = home.store.tables()
    if not tables:
        raise UserError(say("error.no-tables"))
    if text == LAST:
        return tables[-1]
    found = [table for table in tables if text and table.id.hex().startswith(text.lower())]
    if len(found) != 1:
        raise UserError(say("error.tables" if found else "error.table", text=text))
    return found[0]


def find_open_table(home: Home, text: str | None) -> TableInfo:
    """The table to go on with; None: the newest that is not over. Raises UserError, also if that one is over."""
    if text is None:
        unfinished = [table for table in home.store.tables() if table.state == OPEN]
        if not unfinished:
            raise UserError(say("error.none-open"))
        return unfinished[-1]
    table = find_table(home, text)
    if table.state == OPEN:
        return table
    known = {FINISHED: "error.finished", ABANDONED: "error.abandoned"}
    raise UserError(say(known.get(table.state, "error.out"), id=short(table.id)))
