"""Every error as one sentence and an exit status: the one place."""

from __future__ import annotations

import click

from p2pmatryoshka.errors import Fault, Illegal, LinkFault, MatryoshkaError, Refused
from p2pmatryoshka.ui.keyboard import InputEnded
from p2pmatryoshka.ui.strings import say

FAILED = 1  # what was to be checked does not hold
WRONG = 2  # it could not be done as asked
BROKEN = 3  # our own doing
LEFT = 130  # as shells count an interrupt


class LeftOpen(MatryoshkaError):
    """The person stopped in the middle of a game; the sentence says how to go on."""


def cause(error: BaseException) -> BaseException:
    """What matters in a group of errors: an interrupt, else the first of ours, else the first that is not."""
    leaves = list(_leaves(error))
    for kind in (KeyboardInterrupt, InputEnded, Fault, MatryoshkaError):
        for leaf in leaves:
            if isinstance(leaf, kind):
                return leaf
    return leaves[0]


def told(error: BaseException) -> tuple[int, str] | None:
    """Exit status and sentence; None for what no sentence is known for."""
    match error:
        case KeyboardInterrupt() | click.Abort():
            return LEFT, say("error.interrupted")
        case LeftOpen():
            return LEFT, str(error)
        case InputEnded():
            return LEFT, say("input.ended")
        case Illegal():
            return WRONG, say("error.illegal", detail=(error.detail or error.code).rstrip("."))
        case Refused():
            return WRONG, say("error.refused", rule=error.rule, detail=error.detail)
        case LinkFault():
            return WRONG, say("error.link", rule=error.rule, detail=error.detail)
        case Fault():
            return BROKEN, say("error.fault", detail=str(error))
        case MatryoshkaError():
            return WRONG, str(error)
    return None


def _leaves(error: BaseException) -> list[BaseException]:
    if isinstance(error, BaseExceptionGroup):
        return [leaf for part in error.exceptions for leaf in _leaves(part)]
    return [error]
