"""Tells a game as it goes: for a person between two questions, and for whoever only watches."""

from __future__ import annotations

from rich.text import Text

from p2pmatryoshka.node.player import Now
from p2pmatryoshka.rules.game import View
from p2pmatryoshka.table.table import Event
from p2pmatryoshka.ui.faces import face, public_view
from p2pmatryoshka.ui.happenings import Teller, moments
from p2pmatryoshka.ui.scene import member_names, seat_names
from p2pmatryoshka.ui.screen import LOUD, QUIET, Lines
from p2pmatryoshka.ui.strings import say


class Narrator:
    """me: my roster index, or None for a watcher. Keeps what it told last, so that it tells everything once."""

    def __init__(self, me: int | None) -> None:
        self._me = me
        self._before: View | None = None
        self._teller: Teller | None = None
        self._away: frozenset[int] = frozenset()
        self.told: Lines = []

    def tell(self, now: Now, events: tuple[Event, ...]) -> tuple[Lines, Lines]:
        """What must be heard at once, and the rest, each in its order."""
        names = member_names(now.table.roster, self._me)
        if self._teller is None:
            self._teller = Teller(names)
        loud = [*self._teller.loud(events), *self._gone_away(now, names)]
        story: Lines = []
        for moment in moments(events):
            view = public_view(moment, self._me)
            if view is not None:
                shown = face(view.game)
                story += shown.story(self._before, view, seat_names(moment, self._me))
                self._before = view
        self.told += [*loud, *story]
        return loud, [*self._teller.quiet(events), *story]

    def _gone_away(self, now: Now, names: tuple[str, ...]) -> Lines:
        still_in = frozenset(now.table.moment.still_in)
        away = frozenset(now.away) & still_in
        lines = [Text(say("away.now", name=names[member]), LOUD) for member in sorted(away - self._away)]
        lines += [Text(say("away.back", name=names[m]), QUIET) for m in sorted((self._away - away) & still_in)]
        self._away = away
        return lines
