"""Matrioske in a terminal: what a typed line means, and what a choice would do."""

from __future__ import annotations

from dataclasses import dataclass

from rich.text import Text

from p2pmatryoshka.errors import Fault
from p2pmatryoshka.rules.game import Choice, Option, Play, View
from p2pmatryoshka.rules.matrioske import MatrioskeView
from p2pmatryoshka.rules.matrioske_state import ACCEPT, REFUSE, Phase
from p2pmatryoshka.ui import matrioske_story, matrioske_table
from p2pmatryoshka.ui.face import Misread
from p2pmatryoshka.ui.matrioske_words import captures, place, spot
from p2pmatryoshka.ui.scene import Scene
from p2pmatryoshka.ui.screen import Lines
from p2pmatryoshka.ui.strings import say, words


@dataclass(frozen=True, slots=True)
class MatrioskeFace:
    """See Face."""

    def table(self, scene: Scene, width: int) -> Lines:
        return matrioske_table.draw(_view(scene.view), scene, width)

    def prompt(self, scene: Scene) -> str:
        return say("k.ask.judge" if _view(scene.view).phase is Phase.JUDGE else "k.ask.turn")

    def read(self, scene: Scene, typed: str) -> Choice:
        view = _view(scene.view)
        if view.phase is Phase.JUDGE:
            return _verdict(typed)
        return _turn(view, typed.casefold().replace(",", " ").split())

    def summary(self, scene: Scene, choice: Choice) -> Lines:
        view = _view(scene.view)
        if not choice.cards:
            return [Text(say("k.sum.accept" if choice.option == ACCEPT else "k.sum.refuse"))]
        card = view.deck.names[choice.cards[0]]
        if not choice.face_up:
            return [Text(say("k.sum.cover", card=card))]
        at = spot(view, choice.option)
        key = "k.sum.claim" if choice.option[0] == "claim" else "k.sum.place"
        return [Text(say(key, card=card, place=place(view.deck, at), captures=captures(view, at)))]

    def help(self, scene: Scene) -> Lines:
        view = _view(scene.view)
        lines: Lines = [Text(say("k.help.judge" if view.phase is Phase.JUDGE else "k.help.turn"))]
        if view.phase is not Phase.JUDGE and _may_claim(view):
            lines.append(Text(say("k.help.claim")))
        return [*lines, Text(say("k.help.score")), *[Text(line) for line in say("help.any").splitlines()]]

    def scores(self, view: View, names: tuple[str, ...]) -> Lines:
        return matrioske_story.explain(_view(view), names)

    def story(self, before: View | None, after: View, names: tuple[str, ...]) -> Lines:
        return matrioske_story.tell(None if before is None else _view(before), _view(after), names)


def _view(view: View) -> MatrioskeView:
    if not isinstance(view, MatrioskeView):
        raise Fault("a view of another game")
    return view


def _may_claim(view: MatrioskeView) -> bool:
    return view.judge == "table" and not view.barred


def _verdict(typed: str) -> Choice:
    word = typed.strip().casefold()
    if word in words("k.accept"):
        return Choice(ACCEPT)
    if word in words("k.refuse"):
        return Choice(REFUSE)
    raise Misread(say("k.wrong.judge"))


def _number(word: str) -> int:
    return int(word) if word.isdecimal() and len(word) < 4 else 0


def _turn(view: MatrioskeView, typed: list[str]) -> Choice:
    if len(typed) < 2:
        raise Misread(say("k.wrong.turn"))
    number = _number(typed[0])
    if not 1 <= number <= len(view.places):
        raise Misread(say("k.wrong.card", word=typed[0], n=len(view.places)))
    card, options = view.places[number - 1]
    if typed[1] in words("k.cover") and len(typed) == 2:
        return Choice((), (card,), face_up=False)
    if typed[1] in words("k.claimed"):
        return Choice(_claim(view, typed[2:]), (card,))
    at = _number(typed[1])
    if not 1 <= at <= len(options) or len(typed) > 2:
        raise Misread(say("k.wrong.place", card=view.deck.names[card], word=" ".join(typed[1:])))
    return Choice(options[at - 1], (card,))


def _claim(view: MatrioskeView, typed: list[str]) -> Option:
    if not _may_claim(view) or not isinstance(view.ask, Play):
        raise Misread(say("k.wrong.claim"))
    numbers = [_number(word) for word in typed]
    option: Option = ("claim", "top", numbers[0] - 1) if len(numbers) == 1 else ()
    if len(numbers) == 2:
        option = ("claim", "between", numbers[0] - 1, numbers[1])
    if not option or not any(option in way.options for way in view.ask.ways):
        raise Misread(say("k.wrong.pile"))
    return option
