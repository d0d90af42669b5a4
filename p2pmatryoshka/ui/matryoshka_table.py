"""The Matryoshka table as lines of text."""

from __future__ import annotations

from rich.text import Text

from p2pmatryoshka.rules.game import Seat
from p2pmatryoshka.rules.matryoshka import MatryoshkaView
from p2pmatryoshka.rules.matryoshka_state import Phase
from p2pmatryoshka.ui.around import awaited, away
from p2pmatryoshka.ui.dolls import beside, doll, grid, row
from p2pmatryoshka.ui.scene import Scene
from p2pmatryoshka.ui.screen import QUIET, TITLE, Lines
from p2pmatryoshka.ui.strings import listed, say


def draw(view: MatryoshkaView, scene: Scene, width: int) -> Lines:
    """Round and phase, whose turn, what lies open, every display with its value, the hand last."""
    lines: Lines = [
        Text("-" * width, QUIET),
        Text(title(view), TITLE),
        *_turn(view, scene.names),
        *_middle(view, scene),
    ]
    lines += [Text(_counts(view, scene)), *away(scene), Text()]
    if view.taken_up:
        lines.append(Text(say("m.display.up"), QUIET))
    blocks = [
        grid(_named(view, scene, seat), view.displays[seat], view.sheets[seat], view.colours)
        for seat in scene.seats_from_me()
    ]
    lines += [*beside(blocks, width), Text(), *hand(view), *awaited(scene)]
    return lines


def title(view: MatryoshkaView) -> str:
    """Round and phase."""
    phase = say(f"m.phase.{view.phase}", n=view.display_size)
    if view.phase is Phase.OVER:
        return say("m.title.over")
    if view.round == 0:
        return say("m.title.setup", phase=phase)
    return say("m.title", round=view.round, rounds=view.rounds, phase=phase)


def hand(view: MatryoshkaView) -> Lines:
    """My cards by colour; nothing for a watcher."""
    if view.seat is None:
        return []
    if not view.hand:
        return [Text(say("m.hand.none"))]
    return [Text(say("m.hand", n=len(view.hand)), TITLE) + row(view.hand)]


def _turn(view: MatryoshkaView, names: tuple[str, ...]) -> Lines:
    if view.starter is None or view.phase is Phase.OVER:
        return []
    if view.active is None:
        return [Text(say("m.starter", starter=names[view.starter]))]
    line = say("m.turn", name=names[view.active], starter=names[view.starter])
    if view.waiting:
        line += " " + say("m.waiting", names=listed([names[seat] for seat in view.waiting]))
    return [Text(line)]


def _middle(view: MatryoshkaView, scene: Scene) -> Lines:
    lines: Lines = []
    if view.opened is not None and view.active is not None:
        lines.append(Text(say("m.open", name=scene.names[view.active]), TITLE) + doll(view.opened))
    if view.offers:
        lines.append(Text(say("m.offers"), TITLE) + offers(view, scene.names))
    return lines


def offers(view: MatryoshkaView, names: tuple[str, ...]) -> Text:
    """ "1) Ada B2   2) Bob D7"."""
    parts = [Text(f"{number}) {names[seat]} ") + doll(card) for number, (seat, card) in enumerate(view.offers, start=1)]
    return Text("   ").join(parts)


def _counts(view: MatryoshkaView, scene: Scene) -> str:
    counts = [
        say("m.count", name=scene.names[seat], n=view.hand_counts[seat])
        for seat in scene.seats_from_me()
        if seat in view.still_in
    ]
    return say("m.counts", counts=", ".join(counts), stock=view.stock_count)


def _named(view: MatryoshkaView, scene: Scene, seat: Seat) -> str:
    name = scene.names[seat]
    return name if seat in view.still_in else f"{name} ({say('gone.mark')})"
