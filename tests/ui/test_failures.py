"""One sentence and one status for every error, whatever it came wrapped in."""

from __future__ import annotations

import pytest

from p2pmatryoshka.errors import Fault, Illegal, LinkFault, MatryoshkaError, Refused, StorageError, UserError
from p2pmatryoshka.ui.failures import cause, told
from p2pmatryoshka.ui.keyboard import InputEnded


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (UserError("Do this."), 2),
        (StorageError("Free some room."), 2),
        (Illegal("card.hand", "a card is not in the hand"), 2),
        (Illegal("card.hand"), 2),
        (Refused("roster.form", "no map"), 2),
        (LinkFault("link.frame", "too long"), 2),
        (Fault("cards were lost"), 3),
        (KeyboardInterrupt(), 130),
        (InputEnded(), 130),
    ],
)
def test_each_error_is_one_sentence(error: BaseException, status: int) -> None:
    answer = told(error)
    assert answer is not None
    assert answer[0] == status
    assert answer[1].endswith(".")
    assert "\n" not in answer[1]


def test_what_nobody_expected_is_not_hidden() -> None:
    assert told(ValueError("what?")) is None


@pytest.mark.parametrize(
    ("leaves", "chosen"),
    [
        ((ValueError("a"), UserError("b")), 1),
        ((UserError("a"), KeyboardInterrupt()), 1),
        ((UserError("a"), Fault("b")), 1),
        ((ValueError("a"), TypeError("b")), 0),
    ],
)
def test_of_a_group_the_cause_is_told(leaves: tuple[BaseException, ...], chosen: int) -> None:
    group = BaseExceptionGroup("outer", [BaseExceptionGroup("inner", [leaf]) for leaf in leaves])
    assert cause(group) is leaves[chosen]


def test_every_error_of_ours_has_a_sentence() -> None:
    def kinds(kind: type[MatryoshkaError]) -> list[type[MatryoshkaError]]:
        return [kind, *[sub for part in kind.__subclasses__() for sub in kinds(part)]]

    for kind in kinds(MatryoshkaError):
        try:
            error = kind("one sentence")
        except TypeError:
            continue  # its own arguments; tested where it is raised
        assert told(error) is not None
