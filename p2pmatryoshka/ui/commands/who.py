"""id and history: who I am, and where I sat."""

from __future__ import annotations

import json
from pathlib import Path

import click

from p2pmatryoshka.node.fingerprint import fingerprint_text, spoken
from p2pmatryoshka.table.roster import read_roster
from p2pmatryoshka.ui.homes import open_home
from p2pmatryoshka.ui.scene import member_names, short
from p2pmatryoshka.ui.strings import say


def show_id(data: Path | None, as_json: bool) -> None:
    """Prints the fingerprint as text and as words."""
    with open_home(data) as home:
        text, folder = fingerprint_text(home.identity.fingerprint), str(home.folder)
        words = spoken(home.identity.fingerprint)
    if as_json:
        click.echo(json.dumps({"fingerprint": text, "words": words, "folder": folder}, ensure_ascii=False))
        return
    click.echo(say("id.fingerprint", text=text))
    click.echo(say("id.words", words=words))
    click.echo(say("id.folder", folder=folder))


def history(data: Path | None, as_json: bool) -> None:
    """Prints every table, the oldest first."""
    with open_home(data) as home:
        tables = home.store.tables()
    listed = []
    for table in tables:
        roster = read_roster(table.roster)
        listed.append(
            {
                "table": table.id.hex(),
                "created": table.created,
                "game": roster.setup.game,
                "state": table.state,
                "members": list(member_names(roster, table.me)),
            }
        )
    if as_json:
        click.echo(json.dumps(listed, indent=2, ensure_ascii=False))
        return
    if not listed:
        click.echo(say("history.none"))
    for table, one in zip(tables, listed, strict=True):
        names = ", ".join(one["members"])
        values = {"created": one["created"], "game": one["game"], "state": one["state"]}
        click.echo(say("history.line", id=short(table.id), names=names, **values))
