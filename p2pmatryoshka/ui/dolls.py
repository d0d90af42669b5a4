"""Dolls as text: letter and size always, colour where there is any."""

from __future__ import annotations

from collections.abc import Iterable
from types import MappingProxyType

from rich.text import Text

from p2pmatryoshka.rules import dolls
from p2pmatryoshka.rules.game import Card, Cards
from p2pmatryoshka.rules.scoring import ScoreSheet
from p2pmatryoshka.ui.screen import QUIET, TITLE, Lines, cell
from p2pmatryoshka.ui.strings import counted, say

STYLES = MappingProxyType(
    {
        "A": "red",
        "B": "dark_orange",
        "C": "yellow",
        "D": "green",
        "E": "turquoise2",
        "F": "dodger_blue1",
        "G": "medium_purple",
        "H": "hot_pink",
        "I": "orange4",
        "J": "grey58",
    }
)
GRID = 24  # columns of a display's grid
GAP = 3  # columns between two displays


def doll(card: Card) -> Text:
    """ "C4" in its colour."""
    return Text(dolls.name(card), STYLES[dolls.letter(card)])


def row(cards: Iterable[Card]) -> Text:
    """ "A2 A5  C4": colour by colour, with a wider gap where the colour changes."""
    line = Text()
    last = ""
    for card in sorted(cards):
        if last:
            line.append(" " if last == dolls.letter(card) else "  ")
        last = dolls.letter(card)
        line.append_text(doll(card))
    return line


def grid(name: Text | str, cards: Cards, sheet: ScoreSheet, colours: tuple[str, ...]) -> Lines:
    """A display: a row for each of its colours, a column for each size, and its running value. GRID wide."""
    value = counted("points", sheet.total)
    title = cell(Text(name, TITLE) if isinstance(name, str) else name, GRID - len(value) - 1)
    lines = [title + Text(f" {value}", TITLE)]
    if not cards:
        return [cell(line, GRID) for line in (*lines, Text(say("m.display.none"), QUIET))]
    key = "m.split.bonus" if sheet.bonus else "m.split"
    split = say(key, columns=sheet.column_points, runs=sheet.run_points, bonus=sheet.bonus)
    lines += [Text(split, QUIET), Text("   " + "  ".join(str(size) for size in range(1, dolls.SIZES + 1)), QUIET)]
    for letter in colours:
        held = {dolls.size(card): card for card in cards if dolls.letter(card) == letter}
        if held:
            line = Text(letter, STYLES[letter])
            for size in range(1, dolls.SIZES + 1):
                line.append(" ")
                line.append_text(doll(held[size]) if size in held else Text(" .", QUIET))
            lines.append(line)
    return [cell(line, GRID) for line in lines]


def beside(blocks: Iterable[Lines], width: int, block: int = GRID) -> Lines:
    """Blocks of one width side by side, as many as fit, the rest below."""
    waiting = list(blocks)
    fit = max(1, (width + GAP) // (block + GAP))
    lines: Lines = []
    while waiting:
        here, waiting = waiting[:fit], waiting[fit:]
        if lines:
            lines.append(Text())
        for at in range(max(len(one) for one in here)):
            parts = [one[at] if at < len(one) else Text(" " * block) for one in here]
            line = Text(" " * GAP).join(parts)
            line.rstrip()
            lines.append(line)
    return lines
