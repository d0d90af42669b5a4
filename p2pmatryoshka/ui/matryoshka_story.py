"""What happened at a Matryoshka table between two moments, in sentences."""

from __future__ import annotations

from rich.text import Text

from p2pmatryoshka.rules import dolls
from p2pmatryoshka.rules.matryoshka import MatryoshkaView
from p2pmatryoshka.rules.matryoshka_state import Phase
from p2pmatryoshka.ui.dolls import row
from p2pmatryoshka.ui.screen import LOUD, TITLE, Lines
from p2pmatryoshka.ui.strings import counted, listed, say


def tell(before: MatryoshkaView | None, after: MatryoshkaView, names: tuple[str, ...]) -> Lines:
    """In the order in which it happened."""
    if before is None:
        lines: Lines = [Text(say("seats", names=", ".join(names)))]
        if after.starter is not None:
            lines.append(Text(say("m.story.starter", name=names[after.starter])))
        return lines
    return [
        *_gone(before, after, names),
        *_start(before, after, names),
        *_trade(before, after, names),
        *_displays(before, after, names),
        *_round(before, after, names),
    ]


def _gone(before: MatryoshkaView, after: MatryoshkaView, names: tuple[str, ...]) -> Lines:
    gone = [seat for seat in before.still_in if seat not in after.still_in]
    return [Text(say("m.story.gone", name=names[seat]), LOUD) for seat in gone]


def _start(before: MatryoshkaView, after: MatryoshkaView, names: tuple[str, ...]) -> Lines:
    lines: Lines = []
    if before.starter is None and after.starter is not None:
        lines.append(Text(say("m.story.starter", name=names[after.starter])))
    if before.phase is Phase.DEAL and after.phase is Phase.OPENING:
        lines.append(Text(say("m.story.dealt")))
    if before.phase is Phase.DRAW and after.phase is Phase.OPEN:
        lines.append(Text(say("m.story.drawn")))
    return lines


def _trade(before: MatryoshkaView, after: MatryoshkaView, names: tuple[str, ...]) -> Lines:
    lines: Lines = []
    for trade in after.trades[len(before.trades) :]:
        got = dict(trade.offers)[trade.taken]
        lines.append(
            Text(
                say(
                    "m.story.trade",
                    name=names[trade.active],
                    got=dolls.name(got),
                    other=names[trade.taken],
                    gave=dolls.name(trade.opened),
                )
            )
        )
    if before.active is not None and before.active not in after.still_in:
        lines.append(Text(say("m.story.void", name=names[before.active])))
    if after.opened is not None and after.active is not None and after.opened != before.opened:
        lines.append(Text(say("m.story.opened", name=names[after.active], card=dolls.name(after.opened))))
    if after.offers and not before.offers:
        offers = [say("m.story.offer", card=dolls.name(card), name=names[seat]) for seat, card in after.offers]
        lines.append(Text(say("m.story.offers", offers=listed(offers))))
    return lines


def _displays(before: MatryoshkaView, after: MatryoshkaView, names: tuple[str, ...]) -> Lines:
    chosen = before.phase in (Phase.OPENING, Phase.DISPLAY) and after.phase in (Phase.DRAW, Phase.OVER)
    if not chosen or after.displays == before.displays:
        return []
    lines: Lines = [Text(say("m.story.displays"))]
    for seat in after.still_in:
        points = counted("points", after.sheets[seat].total)
        text = say("m.story.display", name=names[seat], cards="\0", points=points)
        first, _, last = text.partition("\0")
        lines.append(Text(first) + row(after.displays[seat]) + Text(last))
    return lines


def _round(before: MatryoshkaView, after: MatryoshkaView, names: tuple[str, ...]) -> Lines:
    if after.round == before.round or after.starter is None:
        return []
    name = names[after.starter]
    return [Text(), Text(say("m.story.round", round=after.round, rounds=after.rounds, name=name), TITLE)]
