"""What a host offers, from its options; and what a joiner reads of it."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from getpass import getuser
from pathlib import Path

from p2pmatryoshka.errors import UserError
from p2pmatryoshka.rules import words as decks
from p2pmatryoshka.rules.game import Value
from p2pmatryoshka.table.roster import Setup, make_setup
from p2pmatryoshka.ui.bots import Manner
from p2pmatryoshka.ui.commands.decks import content
from p2pmatryoshka.ui.scene import clean
from p2pmatryoshka.ui.strings import counted, listed, say

LONGEST_NAME = 32


@dataclass(frozen=True, slots=True)
class Table:
    """What a host asked for. bots: how many seats they take. clock: seconds, 0 for none."""

    game: str
    seats: int
    rules: Sequence[str]
    deck: str | None
    port: int
    bots: int
    manner: Manner = field(default_factory=Manner)
    clock: int = 0
    invite_file: Path | None = None
    interface: str | None = None  # None: reachable from other machines

    def setup(self) -> Setup:
        """Raises Illegal or UserError."""
        return make_setup(self.game, self.seats, house_rules(self.rules), self._deck(), self.clock)

    def _deck(self) -> bytes:
        if self.game == "matrioske":
            return content(self.deck or decks.SHIPPED[0])
        if self.deck is not None:
            raise UserError(say("error.deck-needless"))
        return b""


def house_rules(texts: Sequence[str]) -> dict[str, Value]:
    """ "NAME=VALUE", where a comma makes a list. Raises UserError."""
    rules: dict[str, Value] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name.strip() or not value.strip():
            raise UserError(say("error.rule", text=text))
        parts = tuple(part.strip() for part in value.split(","))
        rules[name.strip()] = parts if len(parts) > 1 else parts[0]
    return rules


def checked_name(name: str | None) -> str:
    """A name that others can see; by default what the system calls the person."""
    if name is None:
        try:
            name = "".join(letter for letter in getuser() if letter.isprintable()).strip()[:LONGEST_NAME].strip()
        except (OSError, KeyError, ImportError):
            name = ""
        return name or say("you.unnamed")
    if not 1 <= len(name) <= LONGEST_NAME or not name.isprintable() or name != name.strip():
        raise UserError(say("error.name"))
    return name


def described(setup: Setup, people: tuple[str, ...]) -> list[str]:
    """What one agrees to by sitting down."""
    lines = [say("join.game", game=setup.game, seats=setup.seats)]
    for name, value in setup.rules.items():
        lines.append(say("join.rule", name=name, value=", ".join(value) if isinstance(value, tuple) else value))
    lines.append(clock_rule(setup.clock))
    if setup.deck:
        deck, digest = decks.parse(setup.deck), hashlib.sha256(setup.deck).hexdigest()[:16]
        lines.append(say("join.deck", title=deck.title, language=deck.language, digest=digest))
    else:
        lines.append(say("join.nodeck"))
    if people:
        return [*lines, say("join.members", names=listed([clean(one) for one in people]))]
    return [*lines, say("join.nobody")]


def clock_rule(seconds: int) -> str:
    """The clock as a house rule in words."""
    return say("join.clock", time=duration(seconds)) if seconds else say("join.noclock")


def duration(seconds: int) -> str:
    """Hours, minutes and seconds, those that are not 0."""
    hours, rest = divmod(seconds, 3600)
    minutes, rest = divmod(rest, 60)
    parts = [("hours", hours), ("minutes", minutes), ("seconds", rest)]
    return listed([counted(unit, number) for unit, number in parts if number])
