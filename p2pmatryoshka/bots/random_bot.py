"""A bot for any game: every legal choice is equally likely."""

from __future__ import annotations

from collections.abc import Iterable

from p2pmatryoshka.rules.chance import Chance
from p2pmatryoshka.rules.game import AnyGame, Choice, View


class RandomBot:
    """Where the game can draw a choice itself (an optional method `sample(view, random)`), none are
    listed.
    """

    def choose(self, game: AnyGame, view: View, moves: Iterable[Choice], random: Chance) -> Choice:
        """One of the moves."""
        sample = getattr(game, "sample", None)
        if sample is not None:
            choice: Choice = sample(view, random)
            return choice
        return random.choice(tuple(moves))
