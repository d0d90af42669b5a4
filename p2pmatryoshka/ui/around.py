"""Lines that stand at any table: what is awaited of whom, and who is away."""

from __future__ import annotations

from rich.text import Text

from p2pmatryoshka.ui.scene import Scene
from p2pmatryoshka.ui.screen import LOUD, TITLE, Lines
from p2pmatryoshka.ui.strings import listed, say


def awaited(scene: Scene) -> Lines:
    """What is awaited of me, then of the others."""
    what = say(f"awaits.{scene.kind}")
    lines: Lines = []
    if scene.view.seat in scene.awaited:
        lines.append(Text(say("awaited.me", what=what), TITLE))
    others = [scene.names[seat] for seat in scene.awaited if seat != scene.view.seat]
    if others:
        lines.append(Text(say("awaited.others", what=what, names=listed(others))))
    return lines or [Text(say("awaited.none"))]


def away(scene: Scene) -> Lines:
    """Who has no link to us, and since when."""
    return [Text(since(scene.names[seat], seconds), LOUD) for seat, seconds in scene.away]


def since(name: str, seconds: int) -> str:
    """In seconds, from two minutes on in minutes."""
    if seconds < 120:
        return say("away.seconds", name=name, n=seconds) + "."
    return say("away.minutes", name=name, n=seconds // 60) + "."
