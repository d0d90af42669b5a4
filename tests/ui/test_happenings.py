"""Events in plain sentences: what was checked, who is gone, who cheated."""

from __future__ import annotations

import pytest

from p2pmatryoshka.table.step import Fill
from p2pmatryoshka.table.table import Accusation, Advanced, Event, PlaceFilled, Rejected
from p2pmatryoshka.ui.happenings import Teller
from tests.table.memory import Group

NAMES = ("You", "Boris", "Clio")


def _advanced() -> Advanced:
    return Advanced(Group(3).players[0].table.moment)


def _quiet(*events: Event) -> list[str]:
    return [line.plain for line in Teller(NAMES).quiet(events)]


def _loud(*events: Event) -> list[str]:
    return [line.plain for line in Teller(NAMES).loud(events)]


def test_a_step_is_one_quiet_line_once_it_is_complete() -> None:
    filled = [PlaceFilled(4, "share", member, Fill.ANSWER) for member in (2, 0, 1)]
    assert _quiet(*filled) == []
    assert _quiet(*filled, _advanced()) == ["  deal by Clio, You and Boris: proof valid"]


def test_a_kind_of_step_that_has_no_words_is_still_told() -> None:
    assert _quiet(PlaceFilled(4, "novel", 1, Fill.ANSWER), _advanced()) == ["  novel by Boris: valid"]


@pytest.mark.parametrize(
    ("fill", "said"),
    [
        (Fill.LEFT, "Boris left the table for good."),
        (Fill.REMOVED, "Boris was put out by a vote."),
        (Fill.FORKED, "Boris signed two different entries and is out of the game."),
        (Fill.FORFEIT, "Boris is out of the game."),
    ],
)
def test_whoever_is_gone_is_told_loudly(fill: Fill, said: str) -> None:
    assert _loud(PlaceFilled(4, "turn", 1, fill)) == [said]
    assert _quiet(PlaceFilled(4, "turn", 1, fill), _advanced()) == []


def test_an_accusation_names_member_rule_step_and_detail() -> None:
    (line,) = _loud(Accusation(2, "turn.mix", "hand not mixed", 31, ()))
    assert line.startswith("ACCUSED: Clio broke the rule turn.mix in step 31: hand not mixed.")


def test_what_a_peer_wrote_cannot_steer_the_terminal() -> None:
    (line,) = _loud(Accusation(2, "turn.mix", "\x1b[2Jgone\n", 31, ()))
    assert "\x1b" not in line
    assert "\n" not in line


def test_bytes_that_no_honest_peer_passes_on_are_a_quiet_line() -> None:
    (line,) = _quiet(Rejected("entry.signature", ""))
    assert "entry.signature" in line
    assert _loud(Rejected("entry.signature", "")) == []
