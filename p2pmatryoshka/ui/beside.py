"""Words that a person may type beside any answer: looking, leaving, and votes on whoever does not answer."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from rich.text import Text

from p2pmatryoshka.errors import Fault, Illegal
from p2pmatryoshka.node.player import Controls, LeaveTable, Now
from p2pmatryoshka.ui.company import Company, awaited, away, company_of, notices
from p2pmatryoshka.ui.face import Face
from p2pmatryoshka.ui.faces import face
from p2pmatryoshka.ui.scene import scene_of
from p2pmatryoshka.ui.screen import QUIET, TITLE, Lines, Screen
from p2pmatryoshka.ui.strings import TEXTS, listed, say, words
from p2pmatryoshka.ui.vote_desk import VoteDesk


@dataclass
class Beside:
    """now: the situation as of this second. ask: puts a question and returns the line typed. told: the story so far.
    controls is there once the table begins."""

    screen: Screen
    votes: VoteDesk
    now: Callable[[], Now]
    ask: Callable[[str], Awaitable[str]]
    told: Callable[[], Lines]
    controls: Controls | None = None

    async def take(self, line: str, *, asked: bool) -> bool:
        """Do what a line says; False if it is none of these words. asked: a question is open, so that yes and no are
        for that one. Raises LeaveTable if the person leaves for good."""
        word, _, rest = line.partition(" ")
        word = word.casefold()
        looks: tuple[tuple[str, Callable[[], None]], ...] = (
            ("word.help", lambda: self.help(asked)),
            ("word.table", self.table),
            ("word.scores", self.scores),
            ("word.story", lambda: self.screen.show(self.told())),
        )
        if not line:
            self.table()
            return True
        for key, look in looks:
            if not rest and word in words(key):
                look()
                return True
        if not rest and word in words("word.leave"):
            await self.leave()
        elif word in words("word.out"):
            await self.out(rest.strip())
        elif not rest and (word in words("word.agree") or (word in words("yes") and self._vote_is_asked(asked))):
            self.vote(True)
        elif not rest and (word in words("word.disagree") or (word in words("no") and self._vote_is_asked(asked))):
            self.vote(False)
        else:
            return False
        return True

    def table(self) -> None:
        """The table, or before the seats are drawn what is awaited; then what happened to its members."""
        self.screen.show(self.drawn())

    def drawn(self) -> Lines:
        scene, company = scene_of(self.now()), self.company()
        if scene is None:
            return [Text(say("idle.undealt"), TITLE), *away(company), *awaited(company), *notices(company)]
        return [*self.face().table(scene, self.screen.width), *notices(company)]

    def scores(self) -> None:
        scene = scene_of(self.now())
        if scene is None:
            self.screen.say(say("idle.undealt"))
        else:
            self.screen.show(self.face().scores(scene.view, scene.names))

    def help(self, asked: bool) -> None:
        scene = scene_of(self.now())
        if asked and scene is not None:
            self.screen.show(self.face().help(scene))
        else:
            self.screen.show([say("idle.help"), *say("help.any").splitlines()])

    async def leave(self) -> None:
        """Raises LeaveTable if that is meant."""
        if (await self.ask(say("leave.confirm"))).casefold() not in words("yes"):
            self.screen.say(say("leave.stays"))
            return
        self.screen.say(say("leave.signed"))
        raise LeaveTable

    async def out(self, typed: str) -> None:
        """Vote, once confirmed, that somebody be put out."""
        company = self.company()
        members = self._members(company, typed)
        if not members:
            return
        if (await self.ask(say("out.confirm", names=company.named(members)))).casefold() not in words("yes"):
            self.screen.say(say("out.not"))
            return
        if self.controls is None:
            raise Fault("a vote before the table begins")
        try:
            await self.controls.propose(members)
        except Illegal as error:
            key = f"not.{error.code}"
            detail = error.detail or error.code
            known = key in TEXTS
            self.screen.say(say(key, names=company.named(members)) if known else say("not.legal", detail=detail))
        else:
            self.screen.say(say("out.cast"), QUIET)

    def vote(self, agrees: bool) -> None:
        if not self.votes.say(self.now(), agrees):
            self.screen.say(say("vote.none"))
        else:
            self.screen.say(say("vote.agreed" if agrees else "vote.disagreed"), QUIET)

    def company(self) -> Company:
        now = self.now()
        return company_of(now, now.own.member)

    def face(self) -> Face:
        return face(self.now().table.roster.setup.game)

    def _vote_is_asked(self, asked: bool) -> bool:
        return not asked and self.votes.open is not None

    def _members(self, company: Company, typed: str) -> tuple[int, ...]:
        """Whom the names mean; () after saying what is wrong with them."""
        others = company.others()
        if not typed:
            example = (company.waits_for() or others)[:1]
            self.screen.say(say("out.who", name=company.named(example)))
            return ()
        found: list[int] = []
        for name in (part.strip().casefold() for part in typed.split(",")):
            if name == say("you").casefold():
                self.screen.say(say("out.me"))
                return ()
            fits = [m for m in others if company.names[m].casefold() == name]
            fits = fits or [m for m in others if name and company.names[m].casefold().startswith(name)]
            if len(fits) != 1:
                names = listed([company.names[m] for m in others])
                self.screen.say(say("out.unclear" if fits else "out.unknown", name=name, names=names))
                return ()
            found += fits
        return tuple(sorted(set(found)))
