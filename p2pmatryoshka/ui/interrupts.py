"""Leaving in the middle: one sentence that says how to go on."""

from __future__ import annotations

import shlex
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from p2pmatryoshka.node.home import Home
from p2pmatryoshka.node.keeper import OPEN
from p2pmatryoshka.ui.failures import LeftOpen, cause
from p2pmatryoshka.ui.keyboard import InputEnded
from p2pmatryoshka.ui.scene import short
from p2pmatryoshka.ui.strings import say


@dataclass
class Sitting:
    """Which table this process sits at; None before everybody is seated."""

    table: bytes | None = None

    def begun(self, table: bytes) -> None:
        self.table = table


@contextmanager
def resumable(home: Home, data: Path | None, sitting: Sitting) -> Iterator[None]:
    """Raises LeftOpen in place of an interrupt at a table that can be gone on with."""
    try:
        yield
    except (KeyboardInterrupt, InputEnded, BaseExceptionGroup) as error:
        why = cause(error)
        open_tables = [table.id for table in home.store.tables() if table.state == OPEN]
        if not isinstance(why, KeyboardInterrupt | InputEnded) or sitting.table not in open_tables:
            raise
        key = "left.ended" if isinstance(why, InputEnded) else "left.interrupted"
        raise LeftOpen(say(key, command=resume_command(sitting.table, data))) from error


def resume_command(table: bytes, data: Path | None) -> str:
    """What to type in a shell, quoted where need be."""
    where = [] if data is None else ["--data", str(data)]
    return shlex.join([*program(), "resume", short(table), *where])


def program() -> list[str]:
    """This program as a shell finds it: by its name, else the script beside the interpreter, else as a module."""
    name = "p2pmatryoshka"
    if shutil.which(name) is not None:
        return [name]
    script = Path(sys.executable).with_name(name)
    if not script.exists():
        return [sys.executable, "-m", name]
    here = Path.cwd()
    return [str(script.relative_to(here) if script.is_relative_to(here) else script)]
