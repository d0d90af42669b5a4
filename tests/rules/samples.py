"""For the suites that any game must pass: every game of the catalogue at every number of seats, with a deck."""

from __future__ import annotations

from importlib import resources

from p2pmatryoshka.rules.catalogue import GAMES
from p2pmatryoshka.rules.game import AnyGame

SEATINGS = [(name, seats) for name, game in GAMES.items() for seats in game.seatings]
DECKLESS = ("matryoshka",)


def deck_files(game: AnyGame) -> list[str]:
    """The names of the shipped decks that the game is played with; [] if it needs none."""
    if game.name in DECKLESS:
        return []
    folder = resources.files("p2pmatryoshka.rules") / "decks"
    return sorted(entry.name for entry in folder.iterdir() if entry.name.endswith(".toml"))


def deck(game: AnyGame, name: str | None = None) -> bytes:
    """The content of that shipped deck, or of the first one; b"" if the game needs none."""
    files = deck_files(game)
    if not files:
        return b""
    return (resources.files("p2pmatryoshka.rules") / "decks" / (name or files[0])).read_bytes()
