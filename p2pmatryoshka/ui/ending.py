"""The end of a game at a screen: the result explained, or why there is none."""

from __future__ import annotations

from rich.text import Text

from p2pmatryoshka.table import messages
from p2pmatryoshka.table.step import Abandoned, Closed, Fill
from p2pmatryoshka.table.table import Table
from p2pmatryoshka.ui.company import Company, gone, notices
from p2pmatryoshka.ui.faces import face, public_view
from p2pmatryoshka.ui.scene import clean, member_names, seat_names
from p2pmatryoshka.ui.screen import TITLE, Lines
from p2pmatryoshka.ui.strings import TEXTS, say


def ending(table: Table, me: int | None) -> Lines:
    """me: my roster index, None for a watcher."""
    moment, stage = table.moment, table.moment.stage
    lines: Lines = [Text()]
    view = public_view(moment, me)
    if isinstance(stage, Closed) and view is not None:
        lines.append(Text(say("over.title"), TITLE))
        if stage.reason:
            lines.append(Text(early(stage.reason)))
        lines += face(view.game).scores(view, seat_names(moment, me))
    elif isinstance(stage, Abandoned):
        lines.append(Text(say("over.abandoned"), TITLE))
    else:
        lines.append(Text(_mine(table, me), TITLE))
    others = tuple((member, fill) for member, fill in gone(table) if member != me)
    names = member_names(moment.roster, me)
    company = Company(moment.roster.table, names, me, moment.still_in, "", (), gone=others, accused=table.accusations)
    return [*lines, *notices(company)]


def early(reason: str) -> str:
    """Why a game ended before its time, as a sentence."""
    key = f"over.early.{reason}"
    return say(key if key in TEXTS else "over.early.other", reason=reason)


def fate(table: Table, me: int) -> Fill | None:
    """How a member came to be out of the game; None if it is still in."""
    signed = [table.memo.body_or_none(entry) for entry in table.logs[me].chain]
    if any(isinstance(body, messages.Leave) for body in signed):
        return Fill.LEFT
    return dict(gone(table)).get(me)


def _mine(table: Table, me: int | None) -> str:
    fill = None if me is None else fate(table, me)
    if fill is None:
        return say("over.open")
    rule = next((clean(a.rule) for a in table.accusations if a.member == me), "")
    return say(f"over.me.{fill}", rule=rule)
