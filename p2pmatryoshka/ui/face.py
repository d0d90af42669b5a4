"""What a game looks like in a terminal: a pure half of the dialogue for each game. A third game adds a file."""

from __future__ import annotations

from typing import Protocol

from p2pmatryoshka.errors import MatryoshkaError
from p2pmatryoshka.rules.game import Choice, View
from p2pmatryoshka.ui.scene import Scene
from p2pmatryoshka.ui.screen import Lines


class Misread(MatryoshkaError):
    """What was typed means nothing here; the sentence says what would."""


class Face(Protocol):
    """Every method is a function of its arguments."""

    def table(self, scene: Scene, width: int) -> Lines:
        """All that a person at that seat must always see."""

    def prompt(self, scene: Scene) -> str:
        """The question that is open for this seat."""

    def read(self, scene: Scene, typed: str) -> Choice:
        """What that line means. Raises Misread."""

    def summary(self, scene: Scene, choice: Choice) -> Lines:
        """What would be sent, to be confirmed."""

    def help(self, scene: Scene) -> Lines:
        """How to answer the open question."""

    def scores(self, view: View, names: tuple[str, ...]) -> Lines:
        """The points, line by line; at the end, who won and how ties were parted."""

    def story(self, before: View | None, after: View, names: tuple[str, ...]) -> Lines:
        """What happened between two moments, as everybody saw it."""
