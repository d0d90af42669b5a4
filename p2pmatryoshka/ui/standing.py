"""Who won, in one sentence."""

from __future__ import annotations

from rich.text import Text

from p2pmatryoshka.rules.game import Seat, Seats
from p2pmatryoshka.ui.screen import TITLE, Lines
from p2pmatryoshka.ui.strings import counted, listed, say


def winners(seats: Seats, points: int, names: tuple[str, ...], me: Seat | None) -> Lines:
    """The winner, the winners, or that there is none."""
    scored = counted("points", points)
    if not seats:
        return [Text(say("over.nobody"), TITLE)]
    if len(seats) > 1:
        return [Text(say("over.shared", names=listed([names[seat] for seat in seats]), points=scored), TITLE)]
    key = "over.winner.me" if seats[0] == me else "over.winner"
    return [Text(say(key, name=names[seats[0]], points=scored), TITLE)]
