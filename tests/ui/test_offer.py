"""What a joiner reads before sitting down."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from p2pmatryoshka.table.roster import make_setup
from p2pmatryoshka.ui.cli import main
from p2pmatryoshka.ui.commands.offer import described, duration


@pytest.mark.parametrize(
    ("seconds", "said"),
    [(1, "1 second"), (120, "2 minutes"), (90, "1 minute and 30 seconds"), (3601, "1 hour and 1 second")],
)
def test_a_clock_is_a_house_rule_in_words(seconds: int, said: str) -> None:
    lines = described(make_setup("matryoshka", 4, {}, b"", seconds), ("Ada",))
    (clock,) = [line for line in lines if line.startswith("Clock")]
    assert f"not answered after {said} may be put out by a vote" in clock
    assert "Nothing is ever played for anyone." in clock
    assert duration(seconds) == said


def test_no_clock_is_said_as_well() -> None:
    assert "Clock: none. Nothing is ever played for anyone." in described(make_setup("matryoshka", 3, {}), ())


def test_a_clock_that_cannot_be_is_one_sentence(tmp_path: object) -> None:
    for clock in ("-1", "99999999"):
        result = CliRunner().invoke(main, ["host", "--seats", "3", "--clock", clock, "--data", str(tmp_path)])
        assert result.exit_code == 2
        assert "a clock runs for 0 (none) to" in result.output
        assert result.output.count("\n") == 1
