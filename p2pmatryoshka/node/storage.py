"""What a peer must not lose: entries, its own secrets, and a few local facts, in one SQLite file.

Entries are only ever added. An own entry is stored together with its secrets and with the fillings that its
table hash names, in one transaction that is on the disk before anybody sees the entry. So whatever happens,
an entry that was sent is found again, and no second one is signed in its place.

Everything here blocks: call it from worker threads. Any thread may call; calls take turns.
"""

from __future__ import annotations

import hashlib
import sqlite3
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from p2pmatryoshka.errors import Fault, MatryoshkaError, StorageError, UserError
from p2pmatryoshka.node.folder import FolderLock, make_folder, unusable
from p2pmatryoshka.node.schema import APPLICATION, SCHEMA, VERSION, damaged, trouble
from p2pmatryoshka.record.entry import SignedEntry

DATABASE = "tables.sqlite3"

Filed = tuple[int, int, SignedEntry]
"""An entry with its author's roster index and its sequence number."""


class AlreadySigned(MatryoshkaError):
    """An own entry with this sequence number is stored: `stored` is the entry, not the one just drafted."""

    def __init__(self, sequence: int, stored: SignedEntry) -> None:
        super().__init__(f"an own entry {sequence} is stored already")
        self.sequence = sequence
        self.stored = stored


@dataclass(frozen=True, slots=True)
class TableInfo:
    """A table this peer sits at: `me` is its roster index; `state` and `created` are the node's words."""

    id: bytes
    roster: bytes
    me: int
    state: str
    created: str


class Store:
    """The database of one data folder, which it locks until closed. StorageError where the machine fails."""

    def __init__(self, folder: Path, lock: FolderLock) -> None:
        self.path = folder / DATABASE
        self._folder_lock = lock
        self._turn = threading.RLock()
        self._database: sqlite3.Connection | None = None

    @classmethod
    def open(cls, folder: Path) -> Store:
        """Makes folder and file if need be. UserError if another process has it or a newer one made it."""
        make_folder(folder)
        lock = FolderLock.take(folder)
        store = cls(folder, lock)
        try:
            store._connection()
        except BaseException:
            lock.release()
            raise
        return store

    def close(self) -> None:
        """Closes the file and lets the folder go."""
        with self._turn:
            self._drop()
            self._folder_lock.release()

    def __enter__(self) -> Store:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # --- tables

    def create_table(self, table_id: bytes, roster: bytes, me: int, created: str = "", state: str = "open") -> None:
        """Files a new table; once more with the same roster and place changes nothing."""
        with self._writing() as database:
            database.execute(
                "INSERT INTO tables VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
                (table_id, roster, me, state, created),
            )
            if database.execute("SELECT roster, me FROM tables WHERE id = ?", (table_id,)).fetchone() != (
                roster,
                me,
            ):
                raise Fault("one table id with two rosters")

    def tables(self) -> list[TableInfo]:
        """Every table, the oldest first."""
        with self._reading() as database:
            rows = database.execute("SELECT id, roster, me, state, created FROM tables ORDER BY rowid").fetchall()
        return [TableInfo(*row) for row in rows]

    def set_state(self, table_id: bytes, state: str) -> None:
        """Replaces the node's word for how the table stands."""
        with self._writing() as database:
            if not database.execute("UPDATE tables SET state = ? WHERE id = ?", (state, table_id)).rowcount:
                raise Fault("the state of a table that is not here")

    # --- entries

    def put(self, table_id: bytes, entries: Iterable[Filed]) -> None:
        """Adds what is not here yet; both branches of a fork are kept."""
        with self._writing() as database:
            _add(database, table_id, entries)

    def entries(self, table_id: bytes) -> list[Filed]:
        """In order of author and sequence number; branches of a fork in the order of their arrival."""
        with self._reading() as database:
            rows = database.execute(
                "SELECT author, sequence, hash, data, signature FROM entries WHERE table_id = ?"
                " ORDER BY author, sequence, number",
                (table_id,),
            ).fetchall()
        if any(_hash(data) != digest for _, _, digest, data, _ in rows):
            raise StorageError(damaged(self.path))
        return [(author, sequence, SignedEntry(data, signature)) for author, sequence, _, data, signature in rows]

    # --- what I sign

    def sign(
        self,
        table_id: bytes,
        me: int,
        sequence: int,
        entry: SignedEntry,
        *,
        secrets: bytes,
        named: Iterable[Filed] = (),
    ) -> None:
        """Returns when the own entry, its secrets and the fillings it names are on the disk, all or none.

        AlreadySigned if an own entry with this number is stored: that one stands, whatever was drafted now.
        StorageError if the entry is not known to be on the disk: then it must not be sent. Should it be there
        after all, the next attempt meets AlreadySigned.
        """
        entries = [*named, (me, sequence, entry)]
        with self._turn:
            try:
                with self._writing() as database:
                    row = database.execute("SELECT me FROM tables WHERE id = ?", (table_id,)).fetchone()
                    if row != (me,):
                        raise Fault("an entry for a place that is not mine")
                    stored = self._stored(table_id, me, sequence)
                    if stored is not None:
                        raise AlreadySigned(sequence, stored)
                    _add(database, table_id, entries)
                    digest = _hash(entry.data)
                    database.execute("INSERT INTO signed VALUES (?, ?, ?)", (table_id, sequence, digest))
                    database.execute("INSERT INTO secrets VALUES (?, ?, ?)", (table_id, sequence, secrets))
            except StorageError:
                # A failed commit says nothing about what the disk holds; a fresh look does. And only what is
                # written once more, outside the journal, is sure to last: a failed sync may not fail twice.
                self._drop()
                if self._stored(table_id, me, sequence) != entry or not self._flushed():
                    raise

    def _stored(self, table_id: bytes, me: int, sequence: int) -> SignedEntry | None:
        """The own entry with that number, be it signed here or come back from others after a loss."""
        with self._reading() as database:
            row = database.execute(
                "SELECT data, signature FROM entries WHERE table_id = ? AND author = ? AND sequence = ?"
                " ORDER BY number LIMIT 1",
                (table_id, me, sequence),
            ).fetchone()
        return None if row is None else SignedEntry(*row)

    def secrets(self, table_id: bytes) -> list[tuple[int, bytes]]:
        """By ascending sequence number of the own entry that they belong to."""
        with self._reading() as database:
            return database.execute(
                "SELECT sequence, secret FROM secrets WHERE table_id = ? ORDER BY sequence", (table_id,)
            ).fetchall()

    def forget_secrets(self, table_id: bytes) -> None:
        """After the seal: erased from the file and its journal, as far as the disk lets anyone erase."""
        with self._writing() as database:
            database.execute("DELETE FROM secrets WHERE table_id = ?", (table_id,))
        self._flushed()

    # --- notes

    def note(self, table_id: bytes, name: str, note: bytes) -> None:
        """Keeps a local fact (a peer's addresses, a name) in place of the older one; b"" is no table."""
        with self._writing() as database:
            database.execute("INSERT OR REPLACE INTO notes VALUES (?, ?, ?)", (table_id, name, note))

    def notes(self, table_id: bytes) -> dict[str, bytes]:
        """Every local fact about the table, by name."""
        with self._reading() as database:
            return dict(database.execute("SELECT name, note FROM notes WHERE table_id = ? ORDER BY name", (table_id,)))

    # --- the file

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        with self._turn:
            database = self._connection()
            try:
                yield database
            except sqlite3.IntegrityError as error:
                raise Fault(f"the store refused what does not fit: {error}") from error
            except sqlite3.Error as error:
                raise trouble(self.path, error) from error

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        """One transaction: all of it on the disk at the end, or none of it."""
        with self._reading() as database:
            database.execute("BEGIN IMMEDIATE")
            try:
                yield database
                database.execute("COMMIT")
            except BaseException:
                if database.in_transaction:
                    database.execute("ROLLBACK")
                raise

    def _flushed(self) -> bool:
        """Writes the journal into the file and empties it; False if some of it had to stay."""
        with self._reading() as database:
            busy, _, _ = database.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        return not busy

    def _connection(self) -> sqlite3.Connection:
        if self._database is None:
            if not self._folder_lock.held:
                raise Fault("the store is closed")
            try:
                self.path.touch(mode=0o600)
                self._database = _connect(self.path)
            except OSError as error:
                raise unusable(self.path, error) from error
            except sqlite3.Error as error:
                raise trouble(self.path, error) from error
        return self._database

    def _drop(self) -> None:
        if self._database is not None:
            self._database.close()
            self._database = None


def _connect(path: Path) -> sqlite3.Connection:
    database = sqlite3.connect(path, timeout=5, isolation_level=None, check_same_thread=False)
    try:
        _prepare(database, path)
    except BaseException:
        database.close()
        raise
    return database


def _prepare(database: sqlite3.Connection, path: Path) -> None:
    application = database.execute("PRAGMA application_id").fetchone()[0]
    version = database.execute("PRAGMA user_version").fetchone()[0]
    fresh = database.execute("SELECT count(*) FROM sqlite_master").fetchone()[0] == 0 and application == 0
    if not fresh and application != APPLICATION:
        raise StorageError(f"{path} belongs to another program: move it away or choose another folder.")
    if version > VERSION:
        raise UserError(f"{path} was made by a newer p2pmatryoshka: update this one, or choose another folder.")
    database.execute("PRAGMA journal_mode = WAL")
    database.execute("PRAGMA synchronous = FULL")
    database.execute("PRAGMA secure_delete = ON")
    database.execute("PRAGMA foreign_keys = ON")
    if fresh:
        database.execute("BEGIN IMMEDIATE")
        for statement in SCHEMA:
            database.execute(statement)
        database.execute(f"PRAGMA application_id = {APPLICATION}")
        database.execute(f"PRAGMA user_version = {VERSION}")
        database.execute("COMMIT")


def _add(database: sqlite3.Connection, table_id: bytes, entries: Iterable[Filed]) -> None:
    database.executemany(
        "INSERT INTO entries (table_id, author, sequence, hash, data, signature) VALUES (?, ?, ?, ?, ?, ?)"
        " ON CONFLICT DO NOTHING",
        [
            (table_id, author, sequence, _hash(entry.data), entry.data, entry.signature)
            for author, sequence, entry in entries
        ],
    )


def _hash(data: bytes) -> bytes:
    return hashlib.sha256(data).digest()
