"""Matryoshka in a terminal: what a typed line means, and what a choice would do."""

from __future__ import annotations

import re
from dataclasses import dataclass

from rich.text import Text

from p2pmatryoshka.errors import Fault, Illegal
from p2pmatryoshka.rules import dolls, scoring
from p2pmatryoshka.rules.game import Card, Cards, Choice, Pick, Play, View
from p2pmatryoshka.rules.matryoshka import MatryoshkaView
from p2pmatryoshka.rules.matryoshka_state import Phase
from p2pmatryoshka.ui import matryoshka_score, matryoshka_story, matryoshka_table
from p2pmatryoshka.ui.dolls import doll, grid, row
from p2pmatryoshka.ui.face import Misread
from p2pmatryoshka.ui.scene import Scene
from p2pmatryoshka.ui.screen import Lines
from p2pmatryoshka.ui.strings import counted, say

_EXAMPLE = "C4"


@dataclass(frozen=True, slots=True)
class MatryoshkaFace:
    """See Face."""

    def table(self, scene: Scene, width: int) -> Lines:
        return matryoshka_table.draw(_view(scene.view), scene, width)

    def prompt(self, scene: Scene) -> str:
        view = _view(scene.view)
        card = "" if view.opened is None else dolls.name(view.opened)
        name = "" if view.active is None else scene.names[view.active]
        return say(f"m.ask.{view.phase}", n=view.display_size, card=card, name=name)

    def read(self, scene: Scene, typed: str) -> Choice:
        view = _view(scene.view)
        if isinstance(view.ask, Pick):
            return _offer(view, scene.names, typed)
        if not isinstance(view.ask, Play):
            raise Fault("nothing is asked")
        return Choice((), _cards(view.hand, view.ask.ways[0].count, typed))

    def summary(self, scene: Scene, choice: Choice) -> Lines:
        view = _view(scene.view)
        if view.phase is Phase.OPEN:
            return [Text(say("m.sum.open")) + doll(choice.cards[0])]
        if view.phase is Phase.OFFER:
            return [Text(say("m.sum.offer")) + doll(choice.cards[0])]
        if view.phase is Phase.PICK:
            seat = int(choice.option[1])
            return [Text(say("m.sum.pick", name=scene.names[seat])) + doll(dict(view.offers)[seat])]
        sheet = scoring.explain(choice.cards, view.long_columns)
        kept = [card for card in view.hand if card not in choice.cards]
        shown = grid(scene.names[view.seat or 0], choice.cards, sheet, view.colours)
        return [Text(say("m.sum.display")), *shown, Text(say("m.sum.kept")) + row(kept)]

    def help(self, scene: Scene) -> Lines:
        view = _view(scene.view)
        phase = Phase.DISPLAY if view.phase is Phase.OPENING else view.phase
        some = [dolls.name(card) for card in view.hand]
        card = some[0] if some else _EXAMPLE
        if view.phase is Phase.PICK:
            card = dolls.name(view.offers[0][1])
        minus = " ".join(f"-{name}" for name in some[view.display_size :])
        text = say(
            f"m.help.{phase}", card=card, n=view.display_size, cards=" ".join(some[: view.display_size]), minus=minus
        )
        return [Text(text), Text(say("m.help.score")), *[Text(line) for line in say("help.any").splitlines()]]

    def scores(self, view: View, names: tuple[str, ...]) -> Lines:
        return matryoshka_score.explain(_view(view), names)

    def story(self, before: View | None, after: View, names: tuple[str, ...]) -> Lines:
        return matryoshka_story.tell(None if before is None else _view(before), _view(after), names)


def _view(view: View) -> MatryoshkaView:
    if not isinstance(view, MatryoshkaView):
        raise Fault("a view of another game")
    return view


def _words(typed: str) -> list[str]:
    return [word for word in re.split(r"[\s,;]+", typed) if word]


def _cards(hand: Cards, count: int, typed: str) -> Cards:
    words = _words(typed)
    minus = [word.startswith("-") for word in words]
    if any(minus) and not all(minus):
        raise Misread(say("m.wrong.mixed"))
    named = [_card(hand, word.removeprefix("-")) for word in words]
    for card in named:
        if named.count(card) > 1:
            raise Misread(say("m.wrong.twice", card=dolls.name(card)))
    chosen = [card for card in hand if card not in named] if any(minus) else named
    if len(chosen) != count:
        raise Misread(say("m.wrong.number", wanted=counted("cards", count), got=len(chosen)))
    return tuple(sorted(chosen))


def _card(hand: Cards, word: str) -> Card:
    try:
        card = dolls.index(word.upper())
    except Illegal as error:
        example = dolls.name(hand[0]) if hand else _EXAMPLE
        raise Misread(say("m.wrong.card", word=word, card=example)) from error
    if card not in hand:
        raise Misread(say("m.wrong.hand", card=word.upper()))
    return card


def _offer(view: MatryoshkaView, names: tuple[str, ...], typed: str) -> Choice:
    word = " ".join(_words(typed)).casefold()
    if word.isdecimal() and 1 <= int(word) <= len(view.offers):
        return Choice(("take", view.offers[int(word) - 1][0]))
    fits = [seat for seat, card in view.offers if word in (dolls.name(card).casefold(), names[seat].casefold())]
    fits = fits or [seat for seat, _ in view.offers if names[seat].casefold().startswith(word)]
    if len(fits) != 1:
        raise Misread(say("m.wrong.unclear" if fits else "m.wrong.offer"))
    return Choice(("take", fits[0]))
