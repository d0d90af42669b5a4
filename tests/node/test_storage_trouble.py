"""What the machine can do to a store: kill the process, fill the disk, lock the folder, spoil the file."""

from __future__ import annotations

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import p2pmatryoshka
from p2pmatryoshka.errors import StorageError, UserError
from p2pmatryoshka.node import storage
from p2pmatryoshka.node.storage import AlreadySigned, Store
from p2pmatryoshka.record.entry import SignedEntry

TABLE = b"t" * 32

PRELUDE = """
import os, resource, signal, sys
from pathlib import Path
from p2pmatryoshka.errors import StorageError
from p2pmatryoshka.node.storage import Store
from p2pmatryoshka.record.entry import SignedEntry

table = b"t" * 32
store = Store.open(Path(sys.argv[1]))
store.create_table(table, b"roster", 1)

def sign(n, size=3000):
    theirs = (0, n, SignedEntry(b"theirs %d" % n, bytes(64)))
    mine = SignedEntry(b"mine %d " % n + bytes(size), bytes(64))
    store.sign(table, 1, n, mine, secrets=b"secret %d" % n, named=[theirs])
"""


@contextmanager
def process(folder: Path, script: str) -> Iterator[subprocess.Popen[str]]:
    root = Path(p2pmatryoshka.__file__).parent.parent
    child = subprocess.Popen(
        [sys.executable, "-c", PRELUDE + script, str(folder)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(root), os.environ.get("PYTHONPATH", "")])},
        stdout=subprocess.PIPE,
        text=True,
    )
    with child:
        try:
            yield child
        finally:
            child.kill()


def check_whole(store: Store) -> int:
    """Every own entry has its secrets and what it names; returns how many there are."""
    entries = store.entries(TABLE)
    mine = [sequence for author, sequence, _ in entries if author == 1]
    named = [sequence for author, sequence, _ in entries if author == 0]
    assert mine == named == list(range(len(mine)))
    assert store.secrets(TABLE) == [(n, b"secret %d" % n) for n in mine]
    return len(mine)


def test_what_was_signed_survives_kill_9_at_any_moment(tmp_path: Path) -> None:
    first = 0
    for lines in (1, 4, 9):
        with process(tmp_path, f"for n in range({first}, 10**6): sign(n); print(n, flush=True)") as child:
            assert child.stdout is not None
            for _ in range(lines):
                child.stdout.readline()
            child.kill()
            # What was printed between the last line read and the death was signed as well.
            told = [int(line) for line in child.stdout.read().split()]
        last = max([first + lines - 1, *told])
        with Store.open(tmp_path) as store:
            first = check_whole(store)
            assert first in (last + 1, last + 2), (lines, last)
            with pytest.raises(AlreadySigned):
                store.sign(TABLE, 1, last, SignedEntry(b"other", bytes(64)), secrets=b"")


@pytest.mark.parametrize("statement", ["BEGIN", "INSERT INTO entries", "INSERT INTO secrets", "COMMIT"])
def test_killed_inside_the_transaction_nothing_of_it_is_stored(tmp_path: Path, statement: str) -> None:
    script = f"""
sign(0)
def trace(sql):
    if sql.startswith({statement!r}): os.kill(os.getpid(), signal.SIGKILL)
store._connection().set_trace_callback(trace)
sign(1)
"""
    with process(tmp_path, script) as child:
        assert child.wait() == -signal.SIGKILL
    with Store.open(tmp_path) as store:
        assert check_whole(store) == 1
        store.sign(TABLE, 1, 1, SignedEntry(b"mine 1", bytes(64)), secrets=b"secret 1")


def test_another_process_with_the_same_folder_is_refused(tmp_path: Path) -> None:
    with process(tmp_path, "print('open', flush=True); sys.stdin.read(); signal.pause()") as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "open\n"
        with pytest.raises(UserError, match=rf"process {child.pid}\): close that one"):
            Store.open(tmp_path)
    Store.open(tmp_path).close()


def test_a_file_that_may_not_grow_loses_nothing_and_signs_nothing(tmp_path: Path) -> None:
    script = """
sign(0)
sign(1)
resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, 400_000))
try:
    for n in range(2, 1000): sign(n)
except StorageError as error:
    print(n, error)
"""
    with process(tmp_path, script) as child:
        assert child.stdout is not None
        number, sentence = child.stdout.read().split(" ", 1)
    assert str(tmp_path / storage.DATABASE) in sentence
    with Store.open(tmp_path) as store:
        assert check_whole(store) == int(number) > 2


def test_a_full_disk_is_said_and_what_was_stored_stays(tmp_path: Path) -> None:
    with Store.open(tmp_path) as store:
        store.create_table(TABLE, b"roster", 1)
        store.sign(TABLE, 1, 0, SignedEntry(b"mine", bytes(64)), secrets=b"secret 0")
        database = store._connection()
        pages = database.execute("PRAGMA page_count").fetchone()[0]
        database.execute(f"PRAGMA max_page_count = {pages}")
        with pytest.raises(StorageError, match=r"no room left for .*tables\.sqlite3: free some space"):
            store.sign(TABLE, 1, 1, SignedEntry(bytes(50_000), bytes(64)), secrets=b"secret 1")
        assert store.secrets(TABLE) == [(0, b"secret 0")]
        # Room again: the connection was made anew, without the limit.
        store.sign(TABLE, 1, 1, SignedEntry(bytes(50_000), bytes(64)), secrets=b"secret 1")
        assert [sequence for sequence, _ in store.secrets(TABLE)] == [0, 1]


class Failing:
    """A connection whose COMMIT reports a failed disk, before or after it happened."""

    def __init__(self, database: sqlite3.Connection, after: bool) -> None:
        self._database = database
        self._after = after

    def __getattr__(self, name: str) -> object:
        return getattr(self._database, name)

    def execute(self, sql: str, *parameters: tuple[bytes | int | str, ...]) -> sqlite3.Cursor:
        if sql != "COMMIT":
            return self._database.execute(sql, *parameters)
        if self._after:
            self._database.execute(sql)
        error = sqlite3.OperationalError("disk I/O error")
        error.sqlite_errorname = "SQLITE_IOERR_FSYNC"
        raise error


def test_a_commit_that_failed_after_all_was_written_has_happened(tmp_path: Path) -> None:
    with Store.open(tmp_path) as store:
        store.create_table(TABLE, b"roster", 1)
        store._database = Failing(store._connection(), after=True)  # type: ignore[assignment]
        store.sign(TABLE, 1, 0, SignedEntry(b"mine", bytes(64)), secrets=b"secret 0")
        assert store.entries(TABLE) == [(1, 0, SignedEntry(b"mine", bytes(64)))]
        assert store.secrets(TABLE) == [(0, b"secret 0")]
        # It lies in the file proper, where the failed journal cannot take it away again.
        shutil.copy(store.path, tmp_path / "copy")
    copy = sqlite3.connect(tmp_path / "copy")
    assert copy.execute("SELECT data FROM entries").fetchall() == [(b"mine",)]
    copy.close()


def test_a_commit_that_failed_before_is_not_signed(tmp_path: Path) -> None:
    with Store.open(tmp_path) as store:
        store.create_table(TABLE, b"roster", 1)
        store._database = Failing(store._connection(), after=False)  # type: ignore[assignment]
        with pytest.raises(StorageError, match="The disk failed"):
            store.sign(TABLE, 1, 0, SignedEntry(b"mine", bytes(64)), secrets=b"secret 0")
        assert store.entries(TABLE) == []
        store.sign(TABLE, 1, 0, SignedEntry(b"mine again", bytes(64)), secrets=b"secret 0")


@contextmanager
def ordinary_user() -> Iterator[Path]:
    """A folder, and no right to pass over permissions: the superuser takes another's place for the while."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    superuser = os.geteuid() == 0
    try:
        yield folder
    finally:
        if superuser:
            os.seteuid(0)
        folder.chmod(0o755)
        shutil.rmtree(folder)


def become_ordinary() -> None:
    if os.geteuid() == 0:
        os.seteuid(65534)


def test_a_folder_that_may_not_be_written_is_said() -> None:
    with ordinary_user() as folder:
        folder.chmod(0o555)
        become_ordinary()
        with pytest.raises(StorageError, match=r"lock cannot be used \(Permission denied\): check its permissions"):
            Store.open(folder)
        with pytest.raises(StorageError, match="data cannot be used"):
            Store.open(folder / "data")


def test_a_file_that_may_not_be_written_is_said() -> None:
    with ordinary_user() as folder:
        Store.open(folder).close()
        (folder / storage.DATABASE).chmod(0o444)
        (folder / "lock").chmod(0o666)
        become_ordinary()
        with pytest.raises(StorageError, match=r"tables\.sqlite3 cannot be used"):
            Store.open(folder)


def test_a_file_in_place_of_the_folder_is_said(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("x")
    for folder in (tmp_path / "data", tmp_path / "data" / "below"):
        with pytest.raises(StorageError, match="data"):
            Store.open(folder)


def test_a_folder_in_place_of_the_file_is_said(tmp_path: Path) -> None:
    (tmp_path / storage.DATABASE).mkdir()
    with pytest.raises(StorageError, match=r"tables\.sqlite3 cannot be written"):
        Store.open(tmp_path)
    # The folder is free again after the refusal.
    (tmp_path / storage.DATABASE).rmdir()
    Store.open(tmp_path).close()


def filled(folder: Path) -> Path:
    with Store.open(folder) as store:
        store.create_table(TABLE, b"roster", 1)
        for n in range(30):
            store.sign(TABLE, 1, n, SignedEntry(b"mine %d " % n + bytes(9000), bytes(64)), secrets=b"secret")
    return folder / storage.DATABASE


def test_a_file_of_something_else_is_said(tmp_path: Path) -> None:
    (tmp_path / storage.DATABASE).write_bytes(b"not a database at all" * 500)
    with pytest.raises(StorageError, match=r"tables\.sqlite3 is damaged: move it aside"):
        Store.open(tmp_path)


def test_spoilt_pages_are_said(tmp_path: Path) -> None:
    path = filled(tmp_path)
    data = bytearray(path.read_bytes())
    data[4096:] = b"\xa5" * (len(data) - 4096)
    path.write_bytes(data)
    with pytest.raises(StorageError, match=r"tables\.sqlite3 is damaged"), Store.open(tmp_path) as store:
        store.entries(TABLE)


def test_one_spoilt_byte_of_an_entry_is_found(tmp_path: Path) -> None:
    path = filled(tmp_path)
    data = path.read_bytes()
    assert data.count(b"mine 17 ") == 1
    path.write_bytes(data.replace(b"mine 17 ", b"mine 71 "))
    with Store.open(tmp_path) as store, pytest.raises(StorageError, match="is damaged"):
        store.entries(TABLE)


def test_a_file_cut_short_is_said(tmp_path: Path) -> None:
    path = filled(tmp_path)
    path.write_bytes(path.read_bytes()[: 4096 * 9])
    with pytest.raises(StorageError, match="is damaged"), Store.open(tmp_path) as store:
        store.entries(TABLE)


def test_a_file_held_by_another_program_is_said(tmp_path: Path) -> None:
    path = filled(tmp_path)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    try:
        with Store.open(tmp_path) as store:
            store._connection().execute("PRAGMA busy_timeout = 0")
            with pytest.raises(StorageError, match="held by another program"):
                store.put(TABLE, [(0, 0, SignedEntry(b"x", bytes(64)))])
    finally:
        other.close()
