"""The end of a game at a screen: the result explained, or why there is none."""

from __future__ import annotations

from rich.text import Text

from p2pmatryoshka.table.step import Closed, Moment
from p2pmatryoshka.ui.faces import face, public_view
from p2pmatryoshka.ui.scene import seat_names
from p2pmatryoshka.ui.screen import TITLE, Lines
from p2pmatryoshka.ui.strings import say


def ending(moment: Moment, me: int | None) -> Lines:
    """me: my roster index, None for a watcher."""
    view = public_view(moment, me)
    if view is None or not isinstance(moment.stage, Closed):
        return [Text(say("over.abandoned"), TITLE)]
    lines: Lines = [Text(), Text(say("over.title"), TITLE)]
    if moment.stage.reason:
        lines.append(Text(say("over.early", reason=moment.stage.reason)))
    return [*lines, *face(view.game).scores(view, seat_names(moment, me))]
