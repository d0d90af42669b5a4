"""Who sits at a table and how they stand to it: awaited, away, voted on, gone, proven to cheat. Plain data, no clock.

All by roster index, so that it holds before the seats are drawn as well.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from rich.text import Text

from p2pmatryoshka.node.player import Now
from p2pmatryoshka.table.step import Fill
from p2pmatryoshka.table.table import Accusation, Table
from p2pmatryoshka.ui.around import since
from p2pmatryoshka.ui.scene import clean, member_names, owing, short
from p2pmatryoshka.ui.screen import LOUD, QUIET, TITLE, Lines
from p2pmatryoshka.ui.strings import TEXTS, listed, say

STEPS_WITH_VOTES = 4
"""How many of the newest steps are looked at for votes: others may be undecided about one that I have gone beyond."""
GONE = {Fill.LEFT: "gone.left", Fill.REMOVED: "gone.removed", Fill.FORKED: "gone.forked", Fill.FORFEIT: "gone.forfeit"}


@dataclass(frozen=True, slots=True)
class OpenVote:
    """A vote to go on without `absent`: who voted for it, and who still has to. failed: a voter took it back."""

    absent: tuple[int, ...]
    voted: tuple[int, ...]
    rest: tuple[int, ...]
    failed: bool = False


@dataclass(frozen=True, slots=True)
class Company:
    """names: by roster index, mine is "You". kind: of the open step, awaited: who still owes it, for open_for seconds.
    away: seconds by member. returning: I am back after a restart, and nothing is signed yet."""

    table: bytes
    names: tuple[str, ...]
    me: int | None
    still_in: tuple[int, ...]
    kind: str
    awaited: tuple[int, ...]
    open_for: int = 0
    away: tuple[tuple[int, int], ...] = ()
    votes: tuple[OpenVote, ...] = ()
    gone: tuple[tuple[int, Fill], ...] = ()
    accused: tuple[Accusation, ...] = ()
    returning: bool = False

    def named(self, members: Iterable[int]) -> str:
        """Their names as a list in words."""
        return listed([self.names[member] for member in members])

    def others(self) -> tuple[int, ...]:
        """Everybody still in but me."""
        return tuple(member for member in self.still_in if member != self.me)

    def waits_for(self) -> tuple[int, ...]:
        """The others that keep me waiting."""
        if self.returning:
            away = tuple(member for member, _ in self.away if member in self.still_in)
            return away or self.others()
        return tuple(member for member in self.awaited if member != self.me)


def later(now: Now, seconds: float) -> Now:
    """The same situation so many seconds on."""
    away = {member: since + seconds for member, since in now.away.items()}
    return replace(now, away=away, open_for=now.open_for + seconds)


def company_of(now: Now, me: int | None) -> Company:
    """me: whose screen it is, None for a watcher's."""
    table = now.table
    still_in = table.moment.still_in
    forked = bool(table.folded.open_forks)
    return Company(
        table.roster.table,
        member_names(table.roster, me),
        me,
        still_in,
        "stand" if forked else table.moment.owed.kind,
        tuple(sorted(owing(now))),
        int(now.open_for),
        tuple(sorted((member, int(seconds)) for member, seconds in now.away.items() if member in still_in)),
        open_votes(table),
        gone(table),
        table.accusations,
        now.returning,
    )


def open_votes(table: Table) -> tuple[OpenVote, ...]:
    """The votes that have not passed: of the open step, and those still undecided of the few before it."""
    if table.closed:
        return ()
    votes = []
    for moment in table.spine[-STEPS_WITH_VOTES:]:
        count = table.sides.tally(moment) if table.sides.any_ballot(moment) else None
        standings = () if count is None else count.standings if moment is table.moment else count.pending
        votes += [
            OpenVote(s.motion.absent, tuple(sorted(s.voted)), tuple(sorted(s.voters - s.voted)), s.dead)
            for s in standings
            if not s.passed and count is not None and count.above_outcome(s.motion)
        ]
    return tuple(votes)


def gone(table: Table) -> tuple[tuple[int, Fill], ...]:
    """Who is out of the game and how that came, in the order of the steps."""
    fillings = [*table.folded.closings, table.places]
    return tuple(
        (member, filling.fill)
        for closing in fillings
        for member, filling in sorted(closing.items())
        if filling.fill is not Fill.ANSWER
    )


def awaited(company: Company) -> Lines:
    """What is awaited of me, then of the others."""
    what = say(f"awaits.{company.kind}")
    lines: Lines = []
    if company.me in company.awaited:
        lines.append(Text(say("awaited.me", what=what), TITLE))
    others = [member for member in company.awaited if member != company.me]
    if others:
        lines.append(Text(say("awaited.others", what=what, names=company.named(others))))
    return lines or [Text(say("awaited.none"))]


def away(company: Company) -> Lines:
    """Who has no link to us, and since when."""
    return [Text(since(company.names[member], seconds), LOUD) for member, seconds in company.away]


def notices(company: Company) -> Lines:
    """Open votes, who is gone and how that came, and who was proven to cheat."""
    lines = [Text(cast(company, vote), LOUD) for vote in company.votes if not vote.failed]
    accused = {accusation.member for accusation in company.accused}
    lines += [
        Text(gone_line(company.names[member], fill), QUIET)
        for member, fill in company.gone
        if fill in (Fill.LEFT, Fill.REMOVED) or member not in accused
    ]
    for one in company.accused:
        name, rule = company.names[one.member], clean(one.rule)
        key = "accused.line.me" if one.member == company.me else "accused.line"
        lines.append(Text(say(key, name=name, rule=rule, step=one.step, plain=meaning(rule)), LOUD))
    if company.accused:
        lines.append(Text(say("accused.save", id=short(company.table)), QUIET))
    return lines


def gone_line(name: str, fill: Fill) -> str:
    """That a member is out of the game, and how that came."""
    return say(f"{GONE[fill]}.me" if name == say("you") else GONE[fill], name=name)


def cast(company: Company, vote: OpenVote) -> str:
    """How an open vote stands, in one sentence."""
    absent, voters, rest = (company.named(members) for members in (vote.absent, vote.voted, vote.rest))
    if vote.failed:
        return say("vote.dead", absent=absent)
    return say("vote.cast" if vote.rest else "vote.cast.all", absent=absent, voters=voters, rest=rest)


def meaning(rule: str) -> str:
    """What breaking that rule means, in plain words."""
    key = f"rule.{rule.partition('.')[0]}"
    return say(key if key in TEXTS else "rule.other")
