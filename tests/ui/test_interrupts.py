"""Stopping in the middle: what is said, what is kept for coming back, and what is cleared away."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from p2pmatryoshka.errors import UserError
from p2pmatryoshka.node.home import Home
from p2pmatryoshka.node.keeper import ABANDONED, FINISHED, OPEN, OUT
from p2pmatryoshka.table.roster import read_roster
from p2pmatryoshka.ui.bot_folders import SeatedBots, note_bots, noted_bots, tidied
from p2pmatryoshka.ui.cli import main
from p2pmatryoshka.ui.failures import LEFT, LeftOpen, told
from p2pmatryoshka.ui.homes import find_open_table
from p2pmatryoshka.ui.interrupts import Sitting, resumable, resume_command
from p2pmatryoshka.ui.keyboard import InputEnded
from tests.table.memory import identities, roster_for


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    with Home.open(tmp_path / "home") as opened:
        yield opened


def sat(home: Home, number: int, state: str) -> bytes:
    """A table at which this folder's member sat."""
    roster = read_roster(roster_for(identities(3, number), seed=number))
    home.store.create_table(roster.table, roster.data, 0, f"2024-05-0{number}", state)
    return roster.table


@pytest.mark.parametrize("stop", [KeyboardInterrupt(), InputEnded()])
def test_an_interrupt_at_an_open_table_says_how_to_go_on(home: Home, stop: BaseException) -> None:
    table = sat(home, 1, OPEN)
    sitting = Sitting()
    with pytest.raises(LeftOpen) as caught, resumable(home, Path("my games"), sitting):
        sitting.begun(table)
        raise BaseExceptionGroup("a nursery", [stop])
    answer = told(caught.value)
    assert answer is not None
    status, sentence = answer
    assert status == LEFT
    command = shlex.split(sentence.split("with: ")[1])
    assert command[-4:] == ["resume", table.hex()[:12], "--data", "my games"]
    assert "\n" not in sentence


@pytest.mark.parametrize("state", [None, FINISHED, OUT])
def test_an_interrupt_elsewhere_promises_nothing(home: Home, state: str | None) -> None:
    sitting = Sitting(None if state is None else sat(home, 1, state))
    with pytest.raises(KeyboardInterrupt), resumable(home, None, sitting):
        raise KeyboardInterrupt


def test_an_error_at_an_open_table_stays_that_error(home: Home) -> None:
    with pytest.raises(UserError, match="Do this"), resumable(home, None, Sitting(sat(home, 1, OPEN))):
        raise UserError("Do this.")


def test_without_a_folder_of_ones_own_the_command_names_none() -> None:
    assert resume_command(bytes(32), None).endswith(" resume 000000000000")


# --- which table


def test_the_newest_table_that_is_not_over_is_gone_on_with(home: Home) -> None:
    first, second = sat(home, 1, OPEN), sat(home, 2, OPEN)
    sat(home, 3, FINISHED)
    assert find_open_table(home, None).id == second
    assert find_open_table(home, first.hex()[:10]).id == first


@pytest.mark.parametrize(
    ("state", "said"), [(FINISHED, "is finished"), (OUT, "out of the game"), (ABANDONED, "Everybody left")]
)
def test_a_table_that_is_over_says_so(home: Home, state: str, said: str) -> None:
    table = sat(home, 1, state)
    for text in ("last", table.hex()[:8]):
        with pytest.raises(UserError, match=said):
            find_open_table(home, text)
    with pytest.raises(UserError, match="No table of yours can be gone on with"):
        find_open_table(home, None)


@pytest.mark.parametrize("arguments", [["resume"], ["bot", "--resume"]])
def test_nothing_to_go_on_with_is_one_sentence(arguments: list[str], tmp_path: Path) -> None:
    result = CliRunner().invoke(main, [*arguments, "--data", str(tmp_path)])
    assert result.exit_code == 2
    assert result.output == (
        "p2pmatryoshka: No table of yours can be gone on with: p2pmatryoshka history lists them all.\n"
    )


@pytest.mark.parametrize("arguments", [["bot"], ["bot", "p2pm1-x", "--resume"]])
def test_a_bot_has_an_invite_or_goes_on(arguments: list[str], tmp_path: Path) -> None:
    result = CliRunner().invoke(main, [*arguments, "--data", str(tmp_path)])
    assert result.exit_code == 2
    assert "either an invite or --resume" in result.output


# --- the folders of bots


def test_folders_of_bots_live_as_long_as_their_table_is_open(home: Home) -> None:
    table = sat(home, 1, OPEN)
    bots = SeatedBots(folder="f00", count=2, strategy=None, patience=120)
    with tidied(home):
        for name in ("f00", "lost"):
            (home.folder / "bots" / name / "0").mkdir(parents=True)
        note_bots(home, table, bots)
    assert noted_bots(home, table) == bots
    assert [one.name for one in (home.folder / "bots").iterdir()] == ["f00"]
    with tidied(home):
        assert bots.path(home).is_dir()
        home.store.set_state(table, FINISHED)
    assert not (home.folder / "bots").exists()
    assert noted_bots(home, table) is None


def test_a_table_without_bots_has_no_note(home: Home) -> None:
    assert noted_bots(home, sat(home, 1, OPEN)) is None


def test_a_note_that_makes_no_sense_is_no_bots(home: Home) -> None:
    table = sat(home, 1, OPEN)
    home.store.note(table, "bots", b'{"folder": "../../elsewhere"}')
    assert noted_bots(home, table) is None
