"""What a person says to the votes of others: each is put once, and the answer can come at any time."""

from __future__ import annotations

from dataclasses import dataclass, field

import trio

from p2pmatryoshka.node.player import Now

Key = tuple[bytes, tuple[int, ...]]
"""A table hash, and the members to be put out."""


@dataclass
class VoteDesk:
    """open: the vote that waits for an answer. The node asks again and again; the person is asked once."""

    open: Key | None = None
    answers: dict[Key, bool] = field(default_factory=dict)
    answered: trio.Event = field(default_factory=trio.Event)

    def put(self, now: Now, absent: tuple[int, ...]) -> bool:
        """Open that vote; False if it was put already."""
        key = (now.table.moment.hash, absent)
        if key == self.open or key in self.answers:
            return False
        self.open = key
        return True

    def answer_to(self, now: Now, absent: tuple[int, ...]) -> bool | None:
        """What was said to that vote, None if nothing yet."""
        return self.answers.get((now.table.moment.hash, absent))

    def say(self, now: Now, agrees: bool) -> bool:
        """Answer the open vote, or else change a no into a yes; False if there is nothing to answer."""
        if self.open is not None:
            self.answers[self.open] = agrees
            self.open = None
        else:
            refused = [key for key in _joinable(now) if self.answers.get(key) is False]
            if not refused or not agrees:
                return False
            self.answers.update(dict.fromkeys(refused, True))
        self.answered.set()
        self.answered = trio.Event()
        return True

    def settle(self, now: Now) -> None:
        """Forget the open vote if it can no longer be joined."""
        if self.open is not None and self.open not in _joinable(now):
            self.open = None


def _joinable(now: Now) -> list[Key]:
    ballots = now.own.ballots(now.table)
    return [(now.table.moment.hash, due.ballot.motion.absent) for due in ballots if not due.must]
