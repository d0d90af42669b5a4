"""Tells a game as it goes: for a person between two questions, and for whoever only watches."""

from __future__ import annotations

from rich.text import Text

from p2pmatryoshka.node.player import Now
from p2pmatryoshka.rules.game import View
from p2pmatryoshka.table.step import Moment
from p2pmatryoshka.table.table import Event
from p2pmatryoshka.ui.company import Company, OpenVote, cast, company_of
from p2pmatryoshka.ui.faces import face, public_view
from p2pmatryoshka.ui.happenings import Teller, moments
from p2pmatryoshka.ui.scene import seat_names, short
from p2pmatryoshka.ui.screen import LOUD, QUIET, TITLE, Lines
from p2pmatryoshka.ui.strings import say

AWAY_TOLD = 3
"""Seconds without a link after which somebody is said to be away: at the beginning all links still come up."""


class Narrator:
    """me: my roster index, or None for a watcher. Keeps what it told last, so that it tells everything once."""

    def __init__(self, me: int | None) -> None:
        self._me = me
        self._before: View | None = None
        self._teller: Teller | None = None
        self._away: frozenset[int] = frozenset()
        self._votes: tuple[OpenVote, ...] = ()
        self._waited: tuple[int, ...] | None = None
        self.told: Lines = []

    def tell(self, now: Now, events: tuple[Event, ...]) -> tuple[Lines, Lines]:
        """What must be heard at once, and the rest, each in its order."""
        company = company_of(now, self._me)
        reached = moments(events)
        replayed = company.returning and self._teller is None  # told before the restart
        if replayed:
            reached = list(now.table.spine[1:])
        if self._teller is None:
            self._teller = Teller(company.names)
        loud = [*self._teller.loud(events), *self._return(company), *self._gone_away(company), *self._voted(company)]
        story = [line for moment in reached for line in self._story(moment)]
        self.told += [*loud, *story]
        checked = self._teller.quiet(events)
        return loud, [] if replayed else [*checked, *story]

    def _story(self, moment: Moment) -> Lines:
        view = public_view(moment, self._me)
        if view is None:
            return []
        before, self._before = self._before, view
        return face(view.game).story(before, view, seat_names(moment, self._me))

    def _return(self, company: Company) -> Lines:
        """After a restart: whom it waits for before anything is signed, and that this is over."""
        waited, self._waited = self._waited, company.waits_for() if company.returning else None
        if self._waited is not None and self._waited != waited:
            return [Text(say("returning", id=short(company.table), names=company.named(self._waited)), TITLE)]
        if waited is not None and self._waited is None:
            return [Text(say("returned"), TITLE)]
        return []

    def _gone_away(self, company: Company) -> Lines:
        if company.returning:
            return []
        still_in = frozenset(company.still_in)
        away = frozenset(member for member, seconds in company.away if seconds >= AWAY_TOLD)
        lines = [Text(say("away.now", name=company.names[member]), LOUD) for member in sorted(away - self._away)]
        back = sorted(member for member in self._away - away if member in still_in)
        lines += [Text(say("away.back", name=company.names[member]), QUIET) for member in back]
        self._away = away
        return lines

    def _voted(self, company: Company) -> Lines:
        fresh = [vote for vote in company.votes if vote not in self._votes]
        self._votes = company.votes
        return [Text(cast(company, vote), LOUD) for vote in fresh]
