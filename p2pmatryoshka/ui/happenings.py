"""Events at a table as lines: what was checked (quietly), who is gone, who is accused of what.

An accusation names the member by the name it chose, the rule, and the step; what proves it stands in the record.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from rich.text import Text

from p2pmatryoshka.table.step import Fill, Moment
from p2pmatryoshka.table.table import Accusation, Advanced, Event, PlaceFilled, Rejected
from p2pmatryoshka.ui.company import gone_line, meaning
from p2pmatryoshka.ui.scene import clean
from p2pmatryoshka.ui.screen import LOUD, QUIET, Lines
from p2pmatryoshka.ui.strings import TEXTS, listed, say


@dataclass
class Teller:
    """Turns events into lines. Checks are gathered until their step is complete: one line a step.

    names: by roster index.
    """

    names: tuple[str, ...]
    checked: dict[str, list[str]] = field(default_factory=dict)

    def loud(self, events: Iterable[Event]) -> Lines:
        """What a person must hear at once."""
        lines: Lines = []
        for event in events:
            match event:
                case Accusation(member=member, rule=rule, detail=detail, step=step):
                    said = f": {clean(detail)}" if detail else ""
                    text = say(
                        "accusation",
                        name=self.names[member],
                        rule=clean(rule),
                        step=step,
                        detail=said,
                        plain=meaning(rule),
                    )
                    lines.append(Text(text, LOUD))
                case PlaceFilled(member=member, fill=fill) if fill is not Fill.ANSWER:
                    lines.append(Text(gone_line(self.names[member], fill), LOUD))
        return lines

    def quiet(self, events: Iterable[Event]) -> Lines:
        """What was checked, for every step completed."""
        lines: Lines = []
        for event in events:
            match event:
                case PlaceFilled(kind=kind, member=member, fill=Fill.ANSWER):
                    self.checked.setdefault(kind, []).append(self.names[member])
                case Rejected(rule=rule):
                    lines.append(Text(say("rejected", rule=clean(rule)), QUIET))
                case Advanced():
                    lines += [Text(_checked(kind, who), QUIET) for kind, who in self.checked.items()]
                    self.checked.clear()
        return lines


def moments(events: Iterable[Event]) -> list[Moment]:
    """The moments that were reached."""
    return [event.moment for event in events if isinstance(event, Advanced)]


def _checked(kind: str, names: list[str]) -> str:
    key = f"checked.{kind}"
    return say(key if key in TEXTS else "checked.other", kind=kind, names=listed(names))
