"""A person at the terminal: the table is drawn, a line is typed, the choice is shown, and only then it is sent."""

from __future__ import annotations

import trio
from rich.text import Text

from p2pmatryoshka.errors import Fault, Illegal
from p2pmatryoshka.node.player import Controls, LeaveTable, Now
from p2pmatryoshka.rules.game import Choice, public
from p2pmatryoshka.table.own import Question
from p2pmatryoshka.table.step import Playing
from p2pmatryoshka.table.table import Event
from p2pmatryoshka.ui.beside import Beside
from p2pmatryoshka.ui.company import Company, later, open_votes
from p2pmatryoshka.ui.face import Face, Misread
from p2pmatryoshka.ui.floor import Floor
from p2pmatryoshka.ui.keyboard import InputEnded, Keyboard
from p2pmatryoshka.ui.narrator import AWAY_TOLD, Narrator
from p2pmatryoshka.ui.scene import Scene, scene_of
from p2pmatryoshka.ui.screen import LOUD, QUIET, Lines, Screen
from p2pmatryoshka.ui.strings import say, words
from p2pmatryoshka.ui.vote_desk import VoteDesk

LONG = 15.0
"""Seconds of waiting for others after which a prompt shows what can be typed meanwhile."""
TICK = 1.0


class TerminalPlayer:
    """See node.player.Player. What is no matter of urgency waits until the open question is answered."""

    def __init__(self, screen: Screen, keyboard: Keyboard) -> None:
        self._screen = screen
        self._floor = Floor(keyboard)
        self._votes = VoteDesk()
        self._beside = Beside(screen, self._votes, self._latest, self._ask, lambda: self._narration().told)
        self._narrator: Narrator | None = None
        self._seated = trio.Event()
        self._now: Now | None = None
        self._heard_at = 0.0
        self._prompt = ""
        self._asking = False  # a question stands, so that a line typed now answers it
        self._held: Lines = []
        self._left = False

    def seated(self, controls: Controls) -> None:
        """From here on `attend` takes lines."""
        self._beside.controls = controls
        self._seated.set()

    async def attend(self) -> None:
        """Run beside the table: take what is typed while nothing is asked, and look at the time. Until cancelled."""
        await self._seated.wait()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._watch_the_time)
            await self._floor.unasked(self._offer, self._unasked)

    async def choose(self, now: Now, question: Question) -> Choice:
        """Asks until a choice is confirmed. Raises InputEnded if no more lines come, LeaveTable if that is meant."""
        self._hear(now)
        async with self._floor.taken():
            self._below_the_prompt()
            shown = self._beside.face()
            self._beside.table()
            self._screen.say(say("hint"), QUIET)
            try:
                return await self._dialogue(shown, question)
            except LeaveTable:
                self._left = True
                raise
            except trio.Cancelled:
                self._screen.say()
                self._screen.say(say("withdrawn"), QUIET)
                raise
            finally:
                self._prompt, self._asking = "", False
                self._tell_held()

    async def agree(self, now: Now, absent: tuple[int, ...]) -> bool:
        """Puts the vote once, and waits for the word of the person beside whatever else is asked."""
        self._hear(now)
        if self._floor.ended:
            return False
        if self._votes.put(now, absent):
            asked = say_vote(self._beside.company(), absent, voters(now, absent))
            self._loud([Text(asked, LOUD), Text(say("vote.later"), QUIET)])
        while (answer := self._votes.answer_to(now, absent)) is None:
            await self._votes.answered.wait()
        return answer

    def news(self, now: Now, events: tuple[Event, ...]) -> None:
        """Prints at once, or keeps what can wait while a question is open."""
        self._hear(now)
        if self._left:
            return
        self._votes.settle(now)
        loud, rest = self._narration().tell(now, events)
        if self._asking:
            self._held += rest
            self._loud(loud)
            return
        if loud or rest:
            self._below_the_prompt()
            self._screen.show([*loud, *rest])
        self._offer()

    def note(self, text: str) -> None:
        """Something beside the table that cannot wait."""
        self._loud([Text(text, LOUD)])

    async def _dialogue(self, shown: Face, question: Question) -> Choice:
        line = await self._ask(shown.prompt(self._scene()))
        while True:
            choice = None if await self._beside.take(line, asked=True) else self._understood(shown, question, line)
            if choice is None:
                line = await self._ask(shown.prompt(self._scene()))
                continue
            self._screen.show(shown.summary(self._scene(), choice))
            self._screen.say(say("confirm.warning"), QUIET)
            line = await self._ask(say("confirm"))
            if line.casefold() in words("yes"):
                self._screen.say(say("confirm.sent"), QUIET)
                return choice
            if not line or line.casefold() in words("no"):
                self._screen.say(say("confirm.back"))
                line = await self._ask(shown.prompt(self._scene()))

    def _understood(self, shown: Face, question: Question, line: str) -> Choice | None:
        """The choice that a line makes; None after saying why it makes none."""
        try:
            choice = shown.read(self._scene(), line)
            self._check(question, choice)
        except Misread as error:
            self._screen.say(str(error))
            return None
        except Illegal as error:
            self._screen.say(say("not.legal", detail=error.detail or error.code))
            return None
        return choice

    def _check(self, question: Question, choice: Choice) -> None:
        """Raises Illegal as the table would, so that nobody confirms what cannot be sent."""
        stage = self._latest().table.moment.stage
        if not isinstance(stage, Playing):
            raise Fault("no game is on")
        self._latest().table.roster.game.check(stage.state, question.seat, public(choice))

    async def _ask(self, prompt: str) -> str:
        self._prompt, self._asking = prompt, True
        self._screen.prompt(prompt)
        line = await self._floor.line()
        self._prompt, self._asking = "", False
        return line

    async def _unasked(self, line: str) -> None:
        """A line that answers no question."""
        self._prompt = ""
        try:
            if not await self._beside.take(line, asked=False):
                self._screen.say(say("idle.unknown"))
        except LeaveTable:
            self._left = True
            if self._beside.controls is not None:
                self._beside.controls.leave()
        except InputEnded:
            return
        finally:
            self._prompt, self._asking = "", False
            self._tell_held()

    async def _watch_the_time(self) -> None:
        """Say who has been away for too long, and give a person who waits a prompt."""
        closed = 0
        while True:
            await trio.sleep(TICK)
            if self._now is None:
                continue
            self.news(self._latest(), ())
            closed += self._now.table.closed
            if closed == 2:
                self.note(say("over.closing"))

    def _offer(self) -> None:
        """While nothing is asked: say what is waited for, and that a line can be typed."""
        if self._now is None or self._left or self._asking or not self._floor.listens:
            return
        prompt = idle_prompt(self._beside.company(), self._votes.open)
        if prompt != self._prompt:
            self._below_the_prompt()
            if prompt:
                self._screen.prompt(prompt)
            self._prompt = prompt

    def _loud(self, lines: Lines) -> None:
        """What cannot wait; the open question is put again below it."""
        if not lines:
            return
        prompt = self._prompt
        self._below_the_prompt()
        self._screen.show(lines)
        if self._asking:
            self._screen.prompt(prompt)
            self._prompt = prompt
        else:
            self._offer()

    def _below_the_prompt(self) -> None:
        if self._prompt:
            self._screen.say()
            self._prompt = ""

    def _scene(self) -> Scene:
        scene = scene_of(self._latest())
        if scene is None:
            raise Fault("the seats are not drawn yet")
        return scene

    def _hear(self, now: Now) -> None:
        self._now, self._heard_at = now, trio.current_time()

    def _latest(self) -> Now:
        if self._now is None:
            raise Fault("nothing was shown yet")
        return later(self._now, trio.current_time() - self._heard_at)

    def _narration(self) -> Narrator:
        if self._narrator is None:
            self._narrator = Narrator(self._latest().own.member)
        return self._narrator

    def _tell_held(self) -> None:
        self._screen.show(self._held)
        self._held = []


def idle_prompt(company: Company, vote: tuple[bytes, tuple[int, ...]] | None) -> str:
    """What stands before the cursor while nothing is asked of me; "" as long as the others are quick."""
    if vote is not None:
        return say("vote.prompt", absent=company.named(vote[1]))
    waits_for = company.waits_for()
    if not waits_for:
        return ""
    if company.returning:
        return say("idle.returning", names=company.named(waits_for))
    away = {member for member, seconds in company.away if seconds >= AWAY_TOLD}
    slow = waits_for if company.open_for >= LONG else tuple(member for member in waits_for if member in away)
    if not slow:
        return ""
    return say("idle.prompt", names=company.named(slow), what=say(f"awaits.{company.kind}"))


def say_vote(company: Company, absent: tuple[int, ...], proposers: tuple[int, ...]) -> str:
    """That others would go on without somebody, as a sentence."""
    names = company.named(absent)
    key = "vote.ask.one" if len(absent) == 1 else "vote.ask.many"
    return say(key, absent=names, n=company.open_for, proposers=company.named(proposers) or say("you.unnamed"))


def voters(now: Now, absent: tuple[int, ...]) -> tuple[int, ...]:
    """Who has voted so already."""
    return next((vote.voted for vote in open_votes(now.table) if vote.absent == absent and not vote.failed), ())
