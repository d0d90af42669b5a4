"""deck check, show and new."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import click

from p2pmatryoshka.errors import UserError
from p2pmatryoshka.rules import words
from p2pmatryoshka.table.roster import MOST_DECK_BYTES
from p2pmatryoshka.ui.failures import FAILED
from p2pmatryoshka.ui.files import read_file, write_file
from p2pmatryoshka.ui.strings import listed, say


def content(text: str) -> bytes:
    """The bytes of a deck: one of ours by name, else a file. Raises UserError."""
    if text in words.SHIPPED:
        return words.shipped(text)
    path = Path(text)
    if not path.exists():
        raise UserError(say("error.no-deck", text=text, names=listed(words.SHIPPED, "list.or")))
    return read_file(path, MOST_DECK_BYTES)


def check(file: str, as_json: bool) -> int:
    """Explains every fault and warning; the exit status."""
    report = words.check(content(file))
    if as_json:
        notes = {"faults": report.faults, "warnings": report.warnings}
        told = {kind: [asdict(note) | {"text": str(note)} for note in some] for kind, some in notes.items()}
        click.echo(json.dumps({"playable": report.deck is not None, **told}, indent=2, ensure_ascii=False))
    else:
        for fault in report.faults:
            click.echo(say("deck.fault", note=str(fault).rstrip(".")))
        for warning in report.warnings:
            click.echo(say("deck.warning", note=str(warning).rstrip(".")))
        click.echo(say("deck.good" if report.deck is not None else "deck.bad", file=file))
    return 0 if report.deck is not None else FAILED


def show(text: str) -> None:
    """Prints the words. Raises Illegal with the first fault."""
    for line in words.show(words.parse(content(text))):
        click.echo(line)


def new(file: Path) -> None:
    """Writes a deck to start from; never over a file that is there."""
    write_file(file, words.template().encode(), new=True)
    click.echo(say("deck.written", file=file))
