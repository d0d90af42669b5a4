"""export and audit: records as files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from p2pmatryoshka.errors import Refused, UserError
from p2pmatryoshka.node.home import Home
from p2pmatryoshka.table import record_file
from p2pmatryoshka.table.audit import Finding, Report, audit
from p2pmatryoshka.table.table import Table
from p2pmatryoshka.ui.company import meaning
from p2pmatryoshka.ui.ending import early
from p2pmatryoshka.ui.failures import FAILED
from p2pmatryoshka.ui.files import read_file, write_file
from p2pmatryoshka.ui.homes import find_table, open_home
from p2pmatryoshka.ui.scene import clean, member_names, short
from p2pmatryoshka.ui.strings import counted, listed, say


def stored_table(home: Home, table: bytes, roster: bytes) -> Table:
    """A stored table, folded anew."""
    folded = Table.open(roster)
    for _, _, signed in home.store.entries(table):
        folded, _ = folded.receive(signed)
    return folded


def export(data: Path | None, table: str, file: Path) -> None:
    """Writes the file, and says so."""
    with open_home(data) as home:
        info = find_table(home, table)
        folded = stored_table(home, info.id, info.roster)
    record = record_file.export(folded)
    write_file(file, record)
    click.echo(say("export.done", id=short(info.id), file=file, size=len(record)))
    if not folded.closed:
        click.echo(say("export.open"))


def evidence(data: Path | None, table: str, file: Path, member: str | None) -> None:
    """Writes what proves the first accusation, or the first of that member."""
    with open_home(data) as home:
        info = find_table(home, table)
        folded = stored_table(home, info.id, info.roster)
    names = member_names(folded.roster, None)
    accused = folded.accusations
    if not accused:
        raise UserError(say("error.no-cheat", id=short(info.id)))
    if member is not None:
        accused = tuple(one for one in accused if names[one.member].casefold() == member.casefold())
    if not accused:
        proven = listed(sorted({names[one.member] for one in folded.accusations}))
        raise UserError(say("error.no-cheat-of", name=member, id=short(info.id), names=proven))
    one = accused[0]
    content = record_file.evidence(folded, one)
    write_file(file, content)
    values = {"name": names[one.member], "rule": one.rule, "plain": meaning(one.rule)}
    click.echo(say("evidence.done", file=file, size=len(content), **values))


def check(file: Path, as_json: bool) -> int:
    """Audits a file; the exit status."""
    data = read_file(file, record_file.MOST_BYTES)
    console = Console(stderr=True)
    try:
        if console.is_terminal:
            with console.status(say("audit.working")):
                report = audit(data)
        else:
            report = audit(data)
    except Refused as error:
        raise UserError(say("error.no-record", file=file, rule=error.rule)) from error
    click.echo(json.dumps(_plain(report), indent=2, ensure_ascii=False) if as_json else "\n".join(_lines(report)))
    return 0 if report.finding is None else FAILED


def _names(report: Report) -> tuple[str, ...]:
    return () if report.roster is None else member_names(report.roster, None)


def _plain(report: Report) -> dict[str, Any]:
    names = _names(report)
    finding = report.finding
    over = report.over
    return {
        "table": report.table.hex(),
        "holds": finding is None,
        "game": None if report.roster is None else report.roster.setup.game,
        "members": list(names),
        "entries": report.entries,
        "steps": report.steps,
        "ended_early": report.reason or None,
        "scores": [
            {"member": report.member_at(seat), "name": names[report.member_at(seat)], "points": points}
            for seat, points in (over.points if over is not None else ())
        ],
        "winners": [report.member_at(seat) for seat in (over.winners if over is not None else ())],
        "accusations": [
            {
                "member": accusation.member,
                "name": names[accusation.member],
                "step": accusation.step,
                "rule": accusation.rule,
                "detail": accusation.detail,
            }
            for accusation in report.accusations
        ],
        "finding": None
        if finding is None
        else {"member": finding.member, "entry": finding.entry, "rule": finding.rule, "detail": finding.detail},
    }


def _lines(report: Report) -> list[str]:
    names = _names(report)
    lines: list[str] = []
    if report.finding is None:
        cheats = sorted({accused.member for accused in report.accusations})
        key = "audit.holds.cheats" if cheats else "audit.holds"
        lines.append(say(key, names=listed([names[member] for member in cheats])))
    else:
        lines.append(_failure(report.finding, names))
    if report.roster is not None:
        game = report.roster.setup.game
        counts = {"entries": report.entries, "steps": report.steps}
        lines.append(say("audit.table", id=short(report.table), game=game, **counts))
    for accused in report.accusations:
        values = {"rule": clean(accused.rule), "detail": _detail(accused.detail), "plain": meaning(accused.rule)}
        lines.append(say("audit.accused", name=names[accused.member], **values))
    if report.reason:
        lines.append(early(report.reason))
    if report.over is not None and report.finding is None:
        lines.append(say("audit.scores"))
        for seat, points in sorted(report.over.points, key=lambda scored: -scored[1]):
            name = names[report.member_at(seat)]
            lines.append(say("audit.score", name=name, points=counted("points", points)))
        lines += [line.plain for line in _won(report)]
    return lines


def _won(report: Report) -> list[Any]:
    from p2pmatryoshka.ui.standing import winners

    if report.over is None:
        return []
    points = dict(report.over.points)
    by_seat = tuple(_names(report)[member] for member in report.seating)
    best = max((points[seat] for seat in report.over.winners), default=0)
    return list(winners(report.over.winners, best, by_seat, None))


def _failure(finding: Finding, names: tuple[str, ...]) -> str:
    if finding.member is None:
        where = say("audit.nowhere")
    else:
        known = finding.member < len(names)
        name = names[finding.member] if known else say("audit.nobody", member=finding.member)
        key = "audit.member" if finding.entry is None else "audit.entry"
        where = say(key, name=name, entry=finding.entry)
    return say("audit.fails", where=where, rule=clean(finding.rule), detail=_detail(finding.detail))


def _detail(detail: str) -> str:
    return f" ({clean(detail)})" if detail else ""
