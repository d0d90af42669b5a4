"""What a screen is drawn from: a view, the names of the seats, and who is awaited or away. Plain data, no clock."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from p2pmatryoshka.node.player import Now
from p2pmatryoshka.rules.game import Seat, Seats, View
from p2pmatryoshka.table.roster import Roster
from p2pmatryoshka.table.step import Closed, Moment, Playing, Sealing
from p2pmatryoshka.ui.strings import say


@dataclass(frozen=True, slots=True)
class Scene:
    """names: by seat, mine is "You". kind: of the open step; awaited: who still owes it. away: seconds by seat."""

    view: View
    names: tuple[str, ...]
    kind: str = ""
    awaited: Seats = ()
    away: tuple[tuple[Seat, int], ...] = ()

    def seats_from_me(self) -> Seats:
        """All seats clockwise, mine first; a watcher begins with seat 0."""
        first = self.view.seat or 0
        return tuple((first + step) % self.view.seats for step in range(self.view.seats))


def scene_of(now: Now) -> Scene | None:
    """What to draw at that moment; None before the seats are drawn."""
    view = now.own.view(now.table)
    stage = now.table.moment.stage
    if view is None or not isinstance(stage, Playing | Sealing | Closed):
        return None
    seat = stage.layout.seat
    return Scene(
        view,
        seat_names(now.table.moment, now.own.member),
        "stand" if now.table.folded.open_forks else now.table.moment.owed.kind,
        tuple(sorted(seat(member) for member in owing(now))),
        tuple(sorted((seat(m), int(seconds)) for m, seconds in now.away.items() if m in now.table.moment.still_in)),
    )


def owing(now: Now) -> frozenset[int]:
    """Members whom the table waits for: for the open step, or after a fork for where they stand."""
    return now.own.missing(now.table) if now.table.folded.open_forks else frozenset(now.table.awaited)


def seat_names(moment: Moment, me: int | None) -> tuple[str, ...]:
    """Names by seat; () before the seats are drawn."""
    if not isinstance(moment.stage, Playing | Sealing | Closed):
        return ()
    names = member_names(moment.roster, me)
    return tuple(names[member] for member in moment.stage.layout.seating)


def member_names(roster: Roster, me: int | None) -> tuple[str, ...]:
    """Names by roster index. Mine is "You"; names that could be mistaken for one another get numbers."""
    return distinct([member.name for member in roster.members], me)


def distinct(names: Sequence[str], me: int | None) -> tuple[str, ...]:
    """Safe to print, and no two alike. Names are self-chosen, so somebody may well be called You."""
    printable = [clean(name) for name in names]
    seen = Counter(name.casefold() for index, name in enumerate(printable) if index != me)
    seen[say("you").casefold()] += 1
    return tuple(
        say("you")
        if index == me
        else (say("name.numbered", name=name, number=index + 1) if seen[name.casefold()] > 1 else name)
        for index, name in enumerate(printable)
    )


def short(table: bytes) -> str:
    """Enough of an id to name a table."""
    return table.hex()[:12]


def clean(text: str) -> str:
    """Without characters that could steer a terminal."""
    return "".join(letter if letter.isprintable() else "?" for letter in text)
