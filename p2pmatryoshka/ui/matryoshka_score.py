"""The points of Matryoshka explained line by line, and who won a tie by what."""

from __future__ import annotations

from rich.text import Text

from p2pmatryoshka.rules.game import Seat
from p2pmatryoshka.rules.matryoshka import MatryoshkaView
from p2pmatryoshka.rules.scoring import Outcome, ScoreSheet
from p2pmatryoshka.ui.screen import TITLE, Lines
from p2pmatryoshka.ui.standing import winners
from p2pmatryoshka.ui.strings import counted, listed, say


def explain(view: MatryoshkaView, names: tuple[str, ...]) -> Lines:
    """Most points first; at the end also the winner, and why."""
    order = sorted(range(view.seats), key=lambda seat: (-view.sheets[seat].total, view.sheets[seat].lengths))
    lines: Lines = []
    for seat in order:
        lines += sheet(names[seat], view.sheets[seat])
    if view.outcome is not None:
        lines += [*_tie(view.outcome, names), *winners(view.outcome.winners, view.outcome.points, names, view.seat)]
    return lines


def sheet(name: str, of: ScoreSheet) -> Lines:
    """One display's points."""
    lines: Lines = [Text(say("m.score.title", name=name, points=counted("points", of.total)), TITLE)]
    for column in of.columns:
        if column.points:
            values = {"size": column.size, "letters": " ".join(column.letters), "points": column.points}
            lines.append(Text(counted("m.score.column", len(column.letters), **values)))
    for run in of.runs:
        key = "m.score.run.bonus" if run.bonus else "m.score.run"
        lines.append(
            Text(
                say(
                    key,
                    letter=run.letter,
                    first=run.first,
                    last=run.last,
                    n=run.length,
                    points=run.points,
                    bonus=run.bonus,
                )
            )
        )
    if not of.total:
        return [*lines, Text(say("m.score.none"))]
    sums = say("m.score.sum", columns=of.column_points, runs=of.run_points, bonus=of.bonus, total=of.total)
    return [*lines, Text(sums)]


def _tie(outcome: Outcome, names: tuple[str, ...]) -> Lines:
    if len(outcome.tied) < 2:
        return []

    def all_of(seats: tuple[Seat, ...]) -> str:
        return listed([names[seat] for seat in seats])

    lines: Lines = [Text(say("m.tie", names=all_of(outcome.tied), points=counted("points", outcome.points)))]
    before = outcome.tied
    for step in outcome.steps:
        lengths = [
            say("m.tie.length", name=names[seat], n=counted("cards", n) if n else say("m.tie.none"))
            for seat, n in step.lengths
        ]
        key = f"m.place.{step.place}" if step.place <= 3 else "m.place.n"
        line = say("m.tie.step", place=say(key, n=step.place), lengths=", ".join(lengths))
        if len(step.left) < len(before):
            line += say("m.tie.won", name=all_of(step.left))
        before = step.left
        lines.append(Text(line))
    if len(outcome.winners) > 1:
        lines.append(Text(say("m.tie.shared")))
    return lines
