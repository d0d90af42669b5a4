"""Everything that can go wrong, made to go wrong: figures of how often, and of what came of it, in one table."""

from __future__ import annotations

import argparse
import importlib.util
import json
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, fields
from functools import partial
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

REAL = {
    "kills": ("test_kill_and_resume.py", "killed by SIGKILL and resumed"),
    "cheats": ("test_modified_clients.py", "modified clients over real links"),
    "gone": ("test_gone_for_good.py", "gone for good, put out by vote"),
    "twice": ("test_never_sign_twice.py", "backups, copies, disks, damage"),
    "network": ("test_network.py", "delay, loss, cuts between hosts"),
}

QUICK = ("kills", "cheats")
"""Those of which every run of the tests does a part."""


@dataclass
class Row:
    """What was done in one part, and what came of it. tried: how often, by kind; held: tests or games that ended as
    they must; failed: those that did not; skipped: with the reason."""

    part: str
    title: str
    held: int = 0
    failed: int = 0
    tried: Counter[str] = field(default_factory=Counter)
    skipped: list[str] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)
    seconds: float = 0.0

    def figures(self) -> dict[str, Any]:
        """For a file."""
        got = {one.name: getattr(self, one.name) for one in fields(self)}
        return {**got, "tried": dict(sorted(self.tried.items()))}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", type=Path, metavar="FILE", help="write every figure into FILE as well")
    parser.add_argument("--quick", action="store_true", help="only what every run of the tests does as well")
    parser.add_argument("--seed", type=int, default=0, help="of the kills, the simulation and the fuzzing")
    parser.add_argument("--only", nargs="+", choices=[*REAL, "simulation", "fuzz"], help="these parts only")
    options = parser.parse_args()
    rows = []
    for run in _parts(options):
        began = time.monotonic()
        row = run()
        row.seconds = round(time.monotonic() - began, 1)
        _print(row)
        rows.append(row)
        if options.json:
            options.json.write_text(json.dumps({one.part: one.figures() for one in rows}, indent=1) + "\n")
    failed = sum(row.failed for row in rows)
    print(f"\n{sum(row.held for row in rows)} held, {failed} failed")
    return 1 if failed else 0


def _parts(options: argparse.Namespace) -> Iterator[Callable[[], Row]]:
    for name, (file, title) in REAL.items():
        if options.quick and name not in QUICK:
            continue
        if not options.only or name in options.only:
            yield partial(_real, name, file, title, options)
    if (not options.only or "simulation" in options.only) and importlib.util.find_spec("tests.sim.run"):
        yield partial(_simulation, options)
    if (not options.only or "fuzz" in options.only) and importlib.util.find_spec("tests.fuzz.__main__"):
        yield partial(_fuzz, options)


def _real(name: str, file: str, title: str, options: argparse.Namespace) -> Row:
    row = Row(name, title)
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder, "report.xml")
        marks = "not slow" if options.quick else "slow or not slow"
        command = [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-m",
            marks,
            f"--junit-xml={report}",
            "-o",
            "junit_family=xunit1",
            f"tests/real/{file}",
        ]
        command += ["-p", "no:cacheprovider", f"--basetemp={folder}/tables", f"--real-seed={options.seed}"]
        subprocess.run(command, check=False, stdout=subprocess.DEVNULL)
        if not report.exists():
            row.failed, row.failures = 1, ["pytest did not run"]
            return row
        for case in ElementTree.parse(report).iter("testcase"):
            _count(row, case)
    return row


def _count(row: Row, case: ElementTree.Element) -> None:
    for said in case.iter("property"):
        row.tried[said.get("name", "")] += int(float(said.get("value", "0")))
    skipped = case.find("skipped")
    trouble = case.find("failure")
    if trouble is None:
        trouble = case.find("error")
    if skipped is not None:
        row.skipped.append(f"{case.get('name')}: {skipped.get('message')}")
    elif trouble is not None:
        row.failed += 1
        row.failures.append(f"{case.get('name')}: {(trouble.get('message') or '')[:300]}")
    else:
        row.held += 1


def _simulation(options: argparse.Namespace) -> Row:
    row = Row("simulation", "whole tables in virtual time")
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder, "figures.json")
        count = 40 if options.quick else 400
        command = [sys.executable, "-m", "tests.sim.run", "--seeds", str(options.seed), str(count)]
        subprocess.run([*command, "--json", str(report)], check=False, stdout=subprocess.DEVNULL)
        if not report.exists():
            row.failed, row.failures = 1, ["the simulation did not run"]
            return row
        figures: dict[str, Any] = json.loads(report.read_text())
    row.tried.update({name: int(number) for name, number in figures["counts"].items()})
    row.failed = len(figures["failures"])
    row.held = int(figures["seeds"]) - row.failed
    row.failures = [str(one)[:300] for one in figures["failures"]]
    return row


def _fuzz(options: argparse.Namespace) -> Row:
    row = Row("fuzz", "mutated inputs to whatever reads bytes of others")
    seconds = "0.5" if options.quick else "4"
    command = [sys.executable, "-m", "tests.fuzz", "--seconds", seconds, "--seed", str(options.seed)]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    for name, number in re.findall(r"^(.+): (\d+) inputs;", done.stdout, re.MULTILINE):
        row.tried[f"inputs to {name}"] += int(number)
        row.held += 1
    row.failures = [line[:300] for line in done.stderr.splitlines() if ": BROKEN" in line]
    row.failed = max(len(row.failures), 1 if done.returncode else 0)
    return row


def _print(row: Row) -> None:
    print(f"\n{row.title}: {row.held} held, {row.failed} failed, {row.seconds} s", flush=True)
    for name, number in sorted(row.tried.items()):
        print(f"{number:8d}  {name}")
    for line in row.skipped:
        print(f"     skipped: {line}")
    for line in row.failures:
        print(f"     FAILED: {line}")


if __name__ == "__main__":
    sys.exit(main())
