"""A person at the terminal: the table is drawn, a line is typed, the choice is shown, and only then it is sent."""

from __future__ import annotations

from collections.abc import Callable

import trio

from p2pmatryoshka.errors import Fault, Illegal
from p2pmatryoshka.node.player import Controls, Now
from p2pmatryoshka.rules.game import Choice, public
from p2pmatryoshka.table.own import Question
from p2pmatryoshka.table.step import Playing
from p2pmatryoshka.table.table import Event
from p2pmatryoshka.ui.face import Face, Misread
from p2pmatryoshka.ui.faces import face
from p2pmatryoshka.ui.keyboard import Keyboard
from p2pmatryoshka.ui.narrator import Narrator
from p2pmatryoshka.ui.scene import Scene, scene_of
from p2pmatryoshka.ui.screen import QUIET, Lines, Screen
from p2pmatryoshka.ui.strings import say, words


class TerminalPlayer:
    """See node.player.Player. What is no matter of urgency waits until the open question is answered."""

    def __init__(self, screen: Screen, keyboard: Keyboard) -> None:
        self._screen = screen
        self._keyboard = keyboard
        self._narrator: Narrator | None = None
        self._now: Now | None = None
        self._prompt = ""
        self._held: Lines = []

    def seated(self, controls: Controls) -> None:
        self._controls = controls

    async def agree(self, now: Now, absent: tuple[int, ...]) -> bool:
        del now, absent
        return False

    async def choose(self, now: Now, question: Question) -> Choice:
        """Asks until a choice is confirmed. Raises InputEnded if no more lines come."""
        self._now = now
        shown = face(now.table.roster.setup.game)
        self._show_table(shown)
        self._screen.say(say("hint"), QUIET)
        try:
            return await self._dialogue(shown, question)
        except trio.Cancelled:
            self._prompt = ""
            self._screen.say()
            self._screen.say(say("withdrawn"), QUIET)
            raise
        finally:
            self._prompt = ""
            self._tell_held()

    def news(self, now: Now, events: tuple[Event, ...]) -> None:
        """Prints at once, or keeps what can wait while a question is open."""
        self._now = now
        loud, rest = self._narration(now).tell(now, events)
        if not self._prompt:
            self._screen.show([*loud, *rest])
            return
        self._held += rest
        if loud:
            self._screen.say()
            self._screen.show(loud)
            self._screen.prompt(self._prompt)

    async def _dialogue(self, shown: Face, question: Question) -> Choice:
        line = await self._ask(shown.prompt(self._scene()))
        while True:
            choice = self._understood(shown, question, line)
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
        """The choice that a line makes; None if it was something else, which is then done or explained."""
        scene = self._scene()
        commands: tuple[tuple[str, Callable[[], None]], ...] = (
            ("word.help", lambda: self._screen.show(shown.help(scene))),
            ("word.table", lambda: self._show_table(shown)),
            ("word.scores", lambda: self._screen.show(shown.scores(scene.view, scene.names))),
            ("word.story", lambda: self._screen.show(self._narration(self._latest()).told)),
        )
        if not line:
            self._show_table(shown)
            return None
        for key, act in commands:
            if line.casefold() in words(key):
                act()
                return None
        try:
            choice = shown.read(scene, line)
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
        self._prompt = prompt
        self._screen.prompt(prompt)
        line = (await self._keyboard.line()).strip()
        self._prompt = ""
        return line

    def _show_table(self, shown: Face) -> None:
        self._screen.show(shown.table(self._scene(), self._screen.width))

    def _scene(self) -> Scene:
        scene = scene_of(self._latest())
        if scene is None:
            raise Fault("the seats are not drawn yet")
        return scene

    def _latest(self) -> Now:
        if self._now is None:
            raise Fault("nothing was shown yet")
        return self._now

    def _narration(self, now: Now) -> Narrator:
        if self._narrator is None:
            self._narrator = Narrator(now.own.member)
        return self._narrator

    def _tell_held(self) -> None:
        self._screen.show(self._held)
        self._held = []
