"""Stopping and going on, as real processes: Ctrl-C in a game against bots, resume, leaving, and a bot that dies."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.ui.people import heed_interrupts
from tests.ui.test_two_people import COMMAND, ROOT, Person

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform == "win32", reason="needs signals"),
]


class Running:
    """A process with a person at its screen, who answers every question with the first cards of the hand."""

    def __init__(self, *arguments: object) -> None:
        self.process = subprocess.Popen(
            [*COMMAND, *map(str, arguments)],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            preexec_fn=heed_interrupts,
        )
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.person = Person(self.process.stdout.fileno(), self.process.stdin.fileno())

    @property
    def seen(self) -> str:
        return self.person.seen

    def until(self, wanted: Callable[[], bool], seconds: float = 200) -> None:
        give_up = time.monotonic() + seconds
        while not wanted():
            assert self.process.poll() is None, self.seen[-2000:]
            assert time.monotonic() < give_up, self.seen[-2000:]
            time.sleep(0.05)

    def type(self, line: str) -> None:
        assert self.process.stdin is not None
        os.write(self.process.stdin.fileno(), line.encode() + b"\n")

    def ends(self, seconds: float = 200) -> tuple[int, str]:
        """Exit status and what it said last."""
        assert self.process.stderr is not None
        status = self.process.wait(timeout=seconds)
        return status, self.process.stderr.read().decode()

    def interrupted(self) -> list[str]:
        """The arguments of the command that it says to go on with."""
        self.process.send_signal(signal.SIGINT)
        status, said = self.ends(60)
        assert status == 130, said
        assert said.count("\n") == 1
        command = shlex.split(said.split("with: ")[1])
        return command[command.index("resume") :]


@contextmanager
def running(*arguments: object) -> Iterator[Running]:
    one = Running(*arguments)
    one.person.start()
    try:
        yield one
    finally:
        one.process.kill()
        one.process.wait()
        one.person.join(timeout=10)
        for stream in (one.process.stdin, one.process.stdout, one.process.stderr):
            assert stream is not None
            stream.close()


def bots_of(data: Path) -> list[int]:
    """The processes of bots whose folder lies in that one."""
    found = subprocess.run(
        ["ps", "-eww", "-o", "pid=", "-o", "args="], capture_output=True, text=True, check=True
    ).stdout
    return [int(line.split()[0]) for line in found.splitlines() if f"--data {data}" in line and " bot " in line]


def test_a_game_against_bots_goes_on_after_ctrl_c(tmp_path: Path) -> None:
    data = tmp_path / "my games"
    with running("play", "--seats", "3", "--data", data) as first:
        first.until(lambda: first.seen.count("Sent.") >= 2)
        assert len(bots_of(data)) == 2
        again = first.interrupted()
    assert bots_of(data) == []
    assert len(list((data / "bots").glob("*/*/identity.pem"))) == 2
    with running(*again) as second:
        second.until(lambda: "Nothing is signed yet" in second.seen)
        second.until(lambda: "Sent." in second.seen)
        again = second.interrupted()
    with running(*again) as third:
        status, said = third.ends()
        assert status == 0, said
        assert "The game is over" in third.seen
    assert not (data / "bots").exists()
    record = tmp_path / "game.record"
    for arguments in (["export", "last", record, "--data", data], ["audit", record]):
        done = subprocess.run([*COMMAND, *map(str, arguments)], cwd=ROOT, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
    with running("resume", "--data", data) as over:
        assert over.ends(60)[0] == 2


def test_a_watched_game_goes_on_after_ctrl_c(tmp_path: Path) -> None:
    with running("play", "--watch", "--game", "matrioske", "--data", tmp_path / "home") as first:
        first.until(lambda: "put" in first.seen)
        again = first.interrupted()
    with running(*again) as second:
        status, said = second.ends(400)
        assert status == 0, said
        assert "The game is over" in second.seen
        assert "Your hand" not in second.seen


def test_a_seat_is_given_up_after_a_restart(tmp_path: Path) -> None:
    data = tmp_path / "home"
    with running("play", "--seats", "3", "--data", data) as first:
        first.until(lambda: "Sent." in first.seen)
        again = first.interrupted()
    with running(*again, "--leave") as second:
        status, said = second.ends(60)
        assert status == 0, said
        assert "You left the table for good. The game goes on without you." in " ".join(second.seen.split())
    assert not (data / "bots").exists()
    with running("resume", "--data", data) as over:
        status, said = over.ends(60)
        assert status == 2
        assert "No table of yours can be gone on with" in said


def test_the_others_go_on_without_a_bot_that_died(tmp_path: Path) -> None:
    """The person proposes it, the other bot agrees, and the game goes on between the two."""
    data = tmp_path / "home"
    with running("play", "--seats", "3", "--data", data) as one:
        one.until(lambda: "Sent." in one.seen)
        os.kill(bots_of(data)[0], signal.SIGKILL)
        one.until(lambda: "A bot has stopped" in one.seen)
        one.until(lambda: "> " in one.seen[-3:] and "Waiting for" in one.seen.splitlines()[-1], 60)
        name = one.seen.splitlines()[-1].removeprefix("Waiting for ").split(" (")[0]
        one.type(f"out {name}")
        one.until(lambda: "Vote to go on without" in one.seen)
        one.type("y")
        one.until(lambda: f"{name} (bot) was put out by a vote." in one.seen, 60)
        status, said = one.ends()
        assert status == 0, said
        assert "The game is over" in one.seen
        assert "cheat" not in one.seen
