"""The program as a process: started as people start it, interrupted, and with no terminal at all."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.ui.people import heed_interrupts

ROOT = Path(__file__).parents[2]
COMMAND = (sys.executable, "-m", "p2pmatryoshka")


def run(*arguments: object, **options: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*COMMAND, *map(str, arguments)], cwd=ROOT, capture_output=True, text=True, timeout=300, check=False, **options
    )  # type: ignore[call-overload,no-any-return]


def test_the_command_starts() -> None:
    result = run("--version")
    assert result.returncode == 0
    assert result.stdout.startswith("p2pmatryoshka, version ")


def test_output_that_nobody_reads_is_no_crash() -> None:
    process = subprocess.Popen(
        [*COMMAND, "deck", "show", "english"], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdout is not None
    process.stdout.close()
    _, said = process.communicate(timeout=60)
    assert b"Traceback" not in said


def test_a_terminal_that_knows_only_ascii(tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    result = run("deck", "show", "italiano", env=environment)
    assert result.returncode == 0, result.stderr


def test_ctrl_c_is_one_sentence_and_leaves_no_process(tmp_path: Path) -> None:
    process = subprocess.Popen(
        [*COMMAND, "host", "--seats", "3", "--data", str(tmp_path / "h"), "--invite-file", str(tmp_path / "invite")],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=heed_interrupts,
    )
    assert process.stdout is not None
    while "p2pm1-" not in process.stdout.readline():
        assert process.poll() is None
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 130
    assert said.strip() == "p2pmatryoshka: Interrupted: you left, and nothing more was sent."
    assert (tmp_path / "invite").read_text().startswith("p2pm1-")


@pytest.mark.slow
def test_without_any_input_the_person_leaves(tmp_path: Path) -> None:
    result = run("play", "--seats", "3", "--data", tmp_path, stdin=subprocess.DEVNULL)
    assert result.returncode == 130
    assert "first display" in result.stdout
    assert result.stderr.startswith("p2pmatryoshka: The input has ended")


@pytest.mark.slow
@pytest.mark.parametrize("game", ["matryoshka", "matrioske"])
def test_bots_play_a_whole_game_whose_record_holds(game: str, tmp_path: Path) -> None:
    record = tmp_path / "my game.record"
    result = run("play", "--watch", "--game", game, "--data", tmp_path / "home", "--record", record)
    assert result.returncode == 0, result.stderr
    assert "proof valid" in result.stdout
    assert "The game is over" in result.stdout
    audited = run("audit", record)
    assert audited.returncode == 0, audited.stdout
    scores = audited.stdout.split("Final scores:")[1].splitlines()
    for line in scores[1:5]:
        assert line.strip() in result.stdout
    exported = tmp_path / "again.record"
    assert run("export", "last", exported, "--data", tmp_path / "home").returncode == 0
    assert exported.read_bytes() == record.read_bytes()


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is missing: install it to test the scripts")
@pytest.mark.parametrize("script", ["play", "test"])
def test_the_scripts_say_what_is_missing(script: str, tmp_path: Path) -> None:
    """In a folder with a space in its name and without a lock file."""
    scripts = tmp_path / "a folder" / "scripts"
    shutil.copytree(ROOT / "scripts", scripts)
    result = subprocess.run([scripts / script], cwd="/", capture_output=True, text=True, timeout=60, check=False)
    assert result.returncode != 0
    assert "requirements.lock is missing" in result.stderr


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is missing: install it to test the scripts")
def test_the_scripts_say_that_python_is_missing(tmp_path: Path) -> None:
    scripts, tools = tmp_path / "a folder" / "scripts", tmp_path / "tools"
    shutil.copytree(ROOT / "scripts", scripts)
    (scripts.parent / "requirements.lock").touch()
    tools.mkdir()
    for tool in ("bash", "dirname", "cat", "env"):
        found = shutil.which(tool)
        assert found is not None
        (tools / tool).symlink_to(found)
    (tools / "python3").write_text("#!/bin/sh\nexit 1\n")
    (tools / "python3").chmod(0o755)
    result = subprocess.run(
        [scripts / "play"], env={"PATH": str(tools)}, capture_output=True, text=True, timeout=60, check=False
    )
    assert result.returncode != 0
    assert "Python 3.11 or newer was not found: install it" in result.stderr
