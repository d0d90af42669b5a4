"""The rooms depend on each other in one direction only, and the pure ones on nothing that knows time or chance."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "p2pmatryoshka"

ALLOWED = {
    "errors": set(),
    "rules": {"errors"},
    "crypto": {"errors"},
    "record": {"errors", "crypto"},
    "table": {"errors", "crypto", "record", "rules"},
    "bots": {"errors", "rules"},
    "node": {"errors", "crypto", "record", "rules", "table", "bots"},
    "ui": {"errors", "crypto", "record", "rules", "table", "bots", "node"},
}
"""What each room may import of ours, beside itself."""

PURE = ("rules", "crypto", "record", "table", "bots")
IMPURE_MODULES = {
    "time",
    "datetime",
    "random",
    "secrets",
    "socket",
    "ssl",
    "os",
    "threading",
    "trio",
    "asyncio",
    "sqlite3",
}
FILES_AS_DATA = {"importlib.resources"}
"""Decks are part of the package; reading them is no access to the machine."""

SOURCES = sorted(PACKAGE.rglob("*.py"))


def room_of(path: Path) -> str:
    """The first folder below the package, or the module itself."""
    parts = path.relative_to(PACKAGE).with_suffix("").parts
    return parts[0]


def imported(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            assert node.level == 0, f"{path}: relative imports hide the direction"
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_a_room_imports_only_those_below_it(path: Path) -> None:
    room = room_of(path)
    if room in ("__init__", "__main__"):
        return
    ours = {name.split(".")[1] for name in imported(path) if name.startswith("p2pmatryoshka.")}
    ours &= set(ALLOWED)
    assert ours <= ALLOWED[room] | {room}, f"{room} must not know {sorted(ours - ALLOWED[room] - {room})}"


@pytest.mark.parametrize("path", [p for p in SOURCES if room_of(p) in PURE], ids=lambda p: str(p.relative_to(PACKAGE)))
def test_a_pure_room_knows_no_clock_chance_file_or_socket(path: Path) -> None:
    tops = {name.split(".")[0] for name in imported(path) if name not in FILES_AS_DATA}
    assert tops.isdisjoint(IMPURE_MODULES)
    called = {
        n.func.id
        for n in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(n, ast.Call) and isinstance(n.func, ast.Name)
    }
    assert "open" not in called


def test_every_room_is_known() -> None:
    rooms = {room_of(path) for path in SOURCES} - {"__init__", "__main__"}
    assert rooms == set(ALLOWED)


def test_rules_and_cryptography_meet_only_at_the_table() -> None:
    for path in SOURCES:
        ours = {name.split(".")[1] for name in imported(path) if name.startswith("p2pmatryoshka.")}
        if room_of(path) not in ("table", "node", "ui"):
            assert not {"rules", "crypto"} <= ours | {room_of(path)}, path
