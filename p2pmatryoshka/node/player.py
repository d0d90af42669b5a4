"""What a seat's decider is to the node: a person's screen or a bot, told what happens and asked what to do."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from p2pmatryoshka.errors import MatryoshkaError
from p2pmatryoshka.rules.game import Choice
from p2pmatryoshka.table.own import Own, Question
from p2pmatryoshka.table.table import Event, Table


class LeaveTable(MatryoshkaError):
    """Raised by a player instead of a choice: it gives up its seat for good. The node signs that and goes."""


@dataclass(frozen=True, slots=True)
class Now:
    """A seat's situation at one moment. away: members without a link to us, and for how many seconds. open_for: seconds
    since the open step began, by this process. returning: after a restart, nothing is signed yet."""

    table: Table
    own: Own
    away: Mapping[int, float] = field(default_factory=dict)
    open_for: float = 0.0
    returning: bool = False


@dataclass(frozen=True, slots=True)
class Controls:
    """What a player may do beside answering. propose: vote that these members be put out, which takes effect once all
    the others agree; raises Illegal if that may not be asked now. leave: give up the seat for good, as soon as that can
    be signed."""

    propose: Callable[[Iterable[int]], Awaitable[None]]
    leave: Callable[[], None]


class Player(Protocol):
    """Decides for one seat, and is shown what goes on."""

    def seated(self, controls: Controls) -> None:
        """The table begins, or goes on after a restart."""

    async def choose(self, now: Now, question: Question) -> Choice:
        """A legal choice. Cancelled when the question is no longer open (somebody is gone). May raise LeaveTable."""

    async def agree(self, now: Now, absent: tuple[int, ...]) -> bool:
        """Whether to vote with others that these members be put out. Cancelled when that is settled otherwise."""

    def news(self, now: Now, events: tuple[Event, ...]) -> None:
        """Something changed. Returns at once."""
