"""What a seat's decider is to the node: a person's screen or a bot, told what happens and asked what to do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from p2pmatryoshka.rules.game import Choice
from p2pmatryoshka.table.own import Own, Question
from p2pmatryoshka.table.table import Event, Table


@dataclass(frozen=True, slots=True)
class Now:
    """A seat's situation at one moment. away: members without a link to us, and for how many seconds."""

    table: Table
    own: Own
    away: Mapping[int, float] = field(default_factory=dict)


class Player(Protocol):
    """Decides for one seat, and is shown what goes on."""

    async def choose(self, now: Now, question: Question) -> Choice:
        """A legal choice. Cancelled when the question is no longer open (somebody is gone)."""

    def news(self, now: Now, events: tuple[Event, ...]) -> None:
        """Something changed. Returns at once."""
