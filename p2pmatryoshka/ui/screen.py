"""Where lines go: a rich console that never reads markup in what players write."""

from __future__ import annotations

import io
from collections.abc import Iterable
from typing import IO

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

Lines = list[Text]

QUIET = "dim"
LOUD = "bold red"
TITLE = "bold"
INDENT = 2  # columns by which the rest of a long line is set in


class Screen:
    """Prints lines. Colour only adds to what the letters say; NO_COLOR and plain files go without."""

    def __init__(self, file: IO[str] | None = None, width: int | None = None) -> None:
        self.console = Console(file=file, width=width, highlight=False, markup=False, emoji=False)

    @property
    def width(self) -> int:
        """Columns to draw in."""
        return max(40, self.console.width)

    def show(self, lines: Iterable[Text | str]) -> None:
        """Each on a line of its own, wrapped at words."""
        for line in lines:
            self.say(line)

    def say(self, line: Text | str = "", style: str = "") -> None:
        """One line; if it is too long, what follows is set in a little deeper."""
        text = Text(line, style) if isinstance(line, str) else line
        first, *rest = text.wrap(self.console, self.console.width)
        indent = " " * (len(text.plain) - len(text.plain.lstrip()) + INDENT)
        if rest:
            tail = text[len(first.plain) :]
            spaces = len(tail.plain) - len(tail.plain.lstrip())
            rest = [Text(indent) + part for part in tail[spaces:].wrap(self.console, self.console.width - len(indent))]
        for part in (first, *rest):
            part.rstrip()
            self.console.print(part, soft_wrap=True)

    def unbroken(self, text: str) -> None:
        """One line to be copied whole, however long."""
        self.console.print(text, soft_wrap=True)

    def prompt(self, text: str) -> None:
        """A question; the cursor stays behind it."""
        self.console.print(Text(text, TITLE), end="", soft_wrap=True)
        self.console.file.flush()


def plain(lines: Iterable[Text | str], width: int = 80) -> str:
    """The lines as a terminal without colour shows them: for tests and files."""
    out = io.StringIO()
    Screen(out, width).show(lines)
    return "".join(line.rstrip() + "\n" for line in out.getvalue().splitlines())


def cell(text: Text | str, width: int) -> Text:
    """Exactly that many columns wide: cut or padded, wide characters counted."""
    fitted = text.copy() if isinstance(text, Text) else Text(text)
    fitted.truncate(width, overflow="ellipsis" if cell_len(fitted.plain) > width else None, pad=True)
    return fitted
