"""Tables of real processes, for tests: start, kill and resume peers, read what they tell, compare what they kept.

Every wait is bounded, and whatever goes wrong is raised with the last lines of every peer's log.
"""

from __future__ import annotations

import json
import os
import select
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from p2pmatryoshka.table.audit import Report, audit

ROOT = Path(__file__).parents[2]
LOOK_SECONDS = 0.02
LINES_SHOWN = 25


class Zygote:
    """Starts peers, kills them, and knows how they ended."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.real.zygote"],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,
        )
        self._waiting = b""
        self._count = 0
        self._ended: dict[int, int] = {}
        self._pids: dict[int, int] = {}
        self._ready = False
        self._until(lambda: self._ready, 60, "the program is loaded")

    def start(self, folder: Path, orders: list[dict[str, Any]], log: Path, netns: str | None = None) -> int:
        """A new peer's number."""
        self._count += 1
        number = self._count
        self._say(start=number, folder=str(folder), orders=orders, log=str(log), netns=netns)
        self._until(lambda: number in self._pids, 30, "a peer is started")
        return number

    def load(self, module: str) -> None:
        """Have this loaded once, for all peers started from now on."""
        self._say(load=module)

    def kill(self, number: int, how: signal.Signals = signal.SIGKILL) -> None:
        """Send a signal, if the process still runs."""
        self._say(kill=number, signal=int(how))

    def status(self, number: int) -> int | None:
        """How it ended: its exit status, or minus the signal; None while it runs."""
        self._look()
        return self._ended.get(number)

    def wait(self, number: int, seconds: float) -> int | None:
        """As `status`, after that many seconds at most."""
        until = time.monotonic() + seconds
        while self.status(number) is None and time.monotonic() < until:
            time.sleep(LOOK_SECONDS)
        return self._ended.get(number)

    def counts(self) -> tuple[int, int]:
        """Peers started so far, and those that died by SIGKILL."""
        self._look()
        return self._count, sum(status == -signal.SIGKILL for status in self._ended.values())

    def close(self) -> None:
        """Every peer that still runs is killed."""
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.close()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process.stdout.close()

    def _say(self, **command: Any) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(command).encode() + b"\n")
        self._process.stdin.flush()

    def _look(self, seconds: float = 0.0) -> None:
        assert self._process.stdout is not None
        while select.select([self._process.stdout], [], [], seconds)[0]:
            data = os.read(self._process.stdout.fileno(), 1 << 16)
            if not data:
                raise AssertionError("the process that starts peers has ended")
            *lines, self._waiting = (self._waiting + data).split(b"\n")
            for line in lines:
                said = json.loads(line)
                if "ended" in said:
                    self._ended[said["ended"]] = said["status"]
                elif "started" in said:
                    self._pids[said["started"]] = said["pid"]
                else:
                    self._ready = True
            seconds = 0.0

    def _until(self, true: Callable[[], bool], seconds: float, what: str) -> None:
        until = time.monotonic() + seconds
        while not true():
            assert time.monotonic() < until, f"not after {seconds} seconds: {what}"
            self._look(0.1)


@contextmanager
def zygote() -> Iterator[Zygote]:
    """One for many tables."""
    one = Zygote()
    try:
        yield one
    finally:
        one.close()


@dataclass
class Peer:
    """A seat of a table: its folder, its log, and the process that plays it now, if any. options: what all its orders
    hold beside the usual."""

    name: str
    folder: Path
    log: Path
    options: dict[str, Any] = field(default_factory=dict)
    netns: str | None = None
    process: int | None = None
    starts: int = 0
    _read: int = 0
    _events: list[dict[str, Any]] = field(default_factory=list)

    @property
    def record(self) -> Path:
        return self.folder.with_suffix(".record")

    @property
    def events(self) -> list[dict[str, Any]]:
        """All that its processes told so far."""
        if self.log.exists():
            with self.log.open("rb") as file:
                file.seek(self._read)
                data = file.read()
            whole = data[: data.rfind(b"\n") + 1]
            self._read += len(whole)
            for line in whole.splitlines():
                if line.startswith(b'{"at"'):
                    self._events.append(json.loads(line))
        return self._events

    def told(self, event: str, **also: Any) -> list[dict[str, Any]]:
        """Events of that name, with these values."""
        return [e for e in self.events if e["event"] == event and all(e.get(k) == v for k, v in also.items())]

    @property
    def step(self) -> int:
        """The newest step that it told of."""
        return max((e["step"] for e in self.told("step")), default=0)

    def accused(self) -> set[tuple[int, str]]:
        return {(e["member"], e["rule"]) for e in self.told("accused")}

    def finished(self) -> dict[str, Any] | None:
        return next(iter(reversed(self.told("finished"))), None)


class Table:
    """Peers at one table, in roster order."""

    def __init__(
        self,
        zygote: Zygote,
        folder: Path,
        seats: int = 3,
        *,
        seed: int = 0,
        netns: dict[int, str] | None = None,
        **options: Any,
    ) -> None:
        self.zygote = zygote
        self.folder = folder
        self.seed = seed
        folder.mkdir(parents=True, exist_ok=True)
        self.invite = folder / "invite"
        self.peers = [
            Peer(f"P{i}", folder / f"peer{i}", folder / f"peer{i}.log", {"seed": seed, **options}) for i in range(seats)
        ]
        for i, peer in enumerate(self.peers):
            if netns:
                peer.netns = netns[i]

    def start(self, **for_one: dict[str, Any]) -> None:
        """Everybody sits down, and is waited for. for_one: "p0", "p1", ... name the order's extras of one peer."""
        self.begin(**for_one)
        self.wait(lambda: all(p.told("started") for p in self.peers), 60, "everybody has started")

    def begin(self, **for_one: dict[str, Any]) -> None:
        """As `start`, but returns at once."""
        for i in range(len(self.peers)):
            self.order(i, **seating(i, len(self.peers), self.invite), **for_one.get(f"p{i}", {}))

    def order(self, i: int, *, do: str, **extra: Any) -> None:
        """Start a process for a seat."""
        peer = self.peers[i]
        order = {"do": do, "name": peer.name, "record": str(peer.record), **peer.options, **extra}
        peer.starts += 1
        peer.process = self.zygote.start(peer.folder, [order], peer.log, peer.netns)

    def kill(self, i: int) -> None:
        """kill -9, and wait until it is dead."""
        process = self.peers[i].process
        assert process is not None
        self.zygote.kill(process)
        self.wait(lambda: self.zygote.status(process) is not None, 20, f"P{i} is dead")

    def status(self, i: int) -> int | None:
        process = self.peers[i].process
        return None if process is None else self.zygote.status(process)

    def wait(self, true: Callable[[], Any], seconds: float, what: str) -> None:
        """Until it is so. AssertionError with all logs if it is not after that many seconds."""
        until = time.monotonic() + seconds
        while not true():
            if time.monotonic() > until:
                raise AssertionError(f"not after {seconds} seconds: {what}\n{self.logs()}")
            time.sleep(LOOK_SECONDS)

    def wait_step(self, number: int, seconds: float = 60, who: int = 0) -> None:
        self.wait(lambda: self.peers[who].step >= number, seconds, f"P{who} is at step {number}")

    def wait_ended(self, seconds: float, who: list[int] | None = None, statuses: tuple[int, ...] = (0,)) -> None:
        """Until these have ended by themselves, well."""
        seats = list(range(len(self.peers))) if who is None else who
        self.wait(lambda: all(self.status(i) is not None for i in seats), seconds, f"{seats} have ended")
        bad = {i: self.status(i) for i in seats if self.status(i) not in statuses}
        assert not bad, f"ended badly: {bad}\n{self.logs()}"

    def close(self) -> None:
        """Kill what still runs."""
        for i, peer in enumerate(self.peers):
            if peer.process is not None and self.status(i) is None:
                self.zygote.kill(peer.process)

    def __enter__(self) -> Table:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def logs(self) -> str:
        """What everybody told last."""
        parts = [f"seed {self.seed}"]
        for i, peer in enumerate(self.peers):
            lines = peer.log.read_text(errors="replace").splitlines() if peer.log.exists() else []
            parts.append(f"--- {peer.name}, status {self.status(i)}, {peer.starts} starts, {len(lines)} lines")
            parts.extend(lines[-LINES_SHOWN:])
        return "\n".join(parts)

    # --- what must be so in the end

    def record_of(self, who: list[int] | None = None) -> bytes:
        """The record that these all have, byte by byte."""
        seats = list(range(len(self.peers))) if who is None else who
        records = {self.peers[i].record.read_bytes() for i in seats}
        assert len(records) == 1, f"{len(records)} different records\n{self.logs()}"
        return records.pop()

    def check(
        self, who: list[int] | None = None, accused: set[tuple[int, str]] | frozenset[tuple[int, str]] = frozenset()
    ) -> Report:
        """Sealed by all of these alike, audited without a finding, exactly these accused, nothing signed twice by
        anybody else."""
        report = audit(self.record_of(who))
        assert report.finding is None, f"{report.finding}\n{self.logs()}"
        assert {(a.member, a.rule) for a in report.accusations} == set(accused), self.logs()
        for i in range(len(self.peers)) if who is None else who:
            got = self.peers[i].finished()
            assert got is not None and got["closed"], self.logs()
            assert {(m, rule) for m, rule in got["accusations"]} == set(accused), self.logs()
        self.check_signed_once({member for member, _ in accused})
        return report

    def check_signed_once(self, but: set[int] | frozenset[int] = frozenset()) -> None:
        """No store holds two versions of an entry, nor do two stores hold different ones."""
        known: dict[tuple[int, int], bytes] = {}
        for peer in self.peers:
            for author, sequence, digest in entries_in(peer.folder):
                if author not in but:
                    first = known.setdefault((author, sequence), digest)
                    assert first == digest, f"two versions of entry {sequence} of member {author}\n{self.logs()}"


def seating(i: int, seats: int, invite: Path) -> dict[str, Any]:
    """The part of an order by which the peers sit down in this order: who comes later waits for the one before."""
    order = {"do": "join" if i else "host", "seats": seats, "invite": str(invite)}
    return {**order, "after": f"{invite}.{i}" if i > 1 else str(invite)} if i else order


def entries_in(folder: Path) -> list[tuple[int, int, bytes]]:
    """Author, sequence number and hash of every entry in a data folder."""
    path = folder / "tables.sqlite3"
    if not path.exists():
        return []
    database = sqlite3.connect(path)
    try:
        return database.execute("SELECT author, sequence, hash FROM entries ORDER BY author, sequence").fetchall()
    finally:
        database.close()
