"""Two people at two terminals and a bot, each a process: one hosts over pipes, one joins from a real terminal."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
COMMAND = (sys.executable, "-m", "p2pmatryoshka")
ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
HAND = re.compile(r"Your hand \(\d+\): ([A-J1-7\s]*?)\r?\n(?:Awaited|Type)")


class Person(threading.Thread):
    """Reads a screen and answers every question with the first cards of the hand. Stops at the end of the screen."""

    def __init__(self, screen: int, keys: int) -> None:
        super().__init__(daemon=True)
        self._screen, self._keys = screen, keys
        self.seen = ""
        self._answered = 0

    def run(self) -> None:
        while True:
            try:
                data = os.read(self._screen, 65536)
            except OSError:  # a terminal whose program has ended
                data = b""
            if not data:
                return
            self.seen += ESCAPES.sub("", data.decode("utf-8", "replace"))
            answer = self._answer(self.seen[self._answered :])
            if answer is not None:
                self._answered = len(self.seen)
                os.write(self._keys, answer.encode() + b"\n")

    def _answer(self, fresh: str) -> str | None:
        if not fresh.endswith((": ", "? ")):
            return None
        hands = HAND.findall(self.seen)
        hand = hands[-1].split() if hands else []
        last = fresh.splitlines()[-1]
        if last.startswith("Sure?") or last.startswith("Sit down?"):
            return "y"
        if last.startswith("Whose offer"):
            return "1"
        chosen = re.match(r"Choose (\d+) cards", last)
        if chosen:
            return " ".join(hand[: int(chosen[1])])
        return hand[0] if last.startswith("Which card") else None


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
def test_two_people_and_a_bot_play_a_whole_game(tmp_path: Path) -> None:
    import pty

    invite = tmp_path / "invite"
    arguments = ["--seats", "3", "--bots", "1", "--name", "Ada", "--invite-file", invite, "--data", tmp_path / "ada"]
    host = subprocess.Popen(
        [*COMMAND, "host", *map(str, arguments)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert host.stdin is not None
    assert host.stdout is not None
    ada = Person(host.stdout.fileno(), host.stdin.fileno())
    ada.start()
    while not invite.exists():  # written whole or not at all
        assert host.poll() is None
        time.sleep(0.05)
    ours, theirs = pty.openpty()
    environment = {**os.environ, "COLUMNS": "60", "TERM": "xterm-256color"}
    environment.pop("NO_COLOR", None)
    join = subprocess.Popen(
        [*COMMAND, "join", invite.read_text().strip(), "--name", "Boris", "--data", str(tmp_path / "boris")],
        cwd=ROOT,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env=environment,
        start_new_session=True,
    )
    os.close(theirs)
    boris = Person(ours, ours)
    boris.start()
    try:
        assert host.wait(timeout=400) == 0, ada.seen[-2000:]
        assert join.wait(timeout=60) == 0, boris.seen[-2000:]
    finally:
        host.kill()
        join.kill()
        for person in (ada, boris):
            person.join(timeout=10)
        os.close(ours)
        host.stdin.close()
        host.stdout.close()
        join.wait()
    assert "House rule: long_columns = extend" in boris.seen
    results = [person.seen.replace("\r", "").split("The game is over\n")[1] for person in (ada, boris)]
    scores = [sorted(re.findall(r"^[\w() ]+: (\d+) points?$", result, re.M)) for result in results]
    assert len(scores[0]) == 3, results
    assert scores[0] == scores[1]
