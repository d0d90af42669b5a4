"""The shape of the database file, and sentences for what can go wrong with it."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from p2pmatryoshka.errors import StorageError

APPLICATION = 0x4D617472
"""Stands in the file's header, so that another program's database is not taken for ours."""
VERSION = 1

SCHEMA = (
    """CREATE TABLE tables (
        id BLOB PRIMARY KEY NOT NULL, roster BLOB NOT NULL, me INTEGER NOT NULL,
        state TEXT NOT NULL, created TEXT NOT NULL)""",
    # Both branches of a fork have a place: the hash of the signed bytes is part of the key.
    """CREATE TABLE entries (
        number INTEGER PRIMARY KEY, table_id BLOB NOT NULL REFERENCES tables,
        author INTEGER NOT NULL, sequence INTEGER NOT NULL, hash BLOB NOT NULL,
        data BLOB NOT NULL, signature BLOB NOT NULL,
        UNIQUE (table_id, author, sequence, hash))""",
    """CREATE TABLE signed (
        table_id BLOB NOT NULL REFERENCES tables, sequence INTEGER NOT NULL, hash BLOB NOT NULL,
        PRIMARY KEY (table_id, sequence))""",
    """CREATE TABLE secrets (
        table_id BLOB NOT NULL REFERENCES tables, sequence INTEGER NOT NULL, secret BLOB NOT NULL,
        PRIMARY KEY (table_id, sequence))""",
    """CREATE TABLE notes (
        table_id BLOB NOT NULL, name TEXT NOT NULL, note BLOB NOT NULL, PRIMARY KEY (table_id, name))""",
    *(
        f"""CREATE TRIGGER {table}_{change.lower()} BEFORE {change} ON {table}
            BEGIN SELECT RAISE(ABORT, '{table} only grow'); END"""
        for table in ("entries", "signed")
        for change in ("UPDATE", "DELETE")
    ),
)


def trouble(path: Path, error: sqlite3.Error) -> StorageError:
    """What happened to the file at `path` and what to do about it, in one sentence."""
    name: str = getattr(error, "sqlite_errorname", "") or ""
    match name.split("_")[1:2]:
        case ["FULL"]:
            text = f"There is no room left for {path}: free some space on that disk and start again."
        case ["READONLY" | "CANTOPEN" | "PERM" | "AUTH"]:
            text = f"{path} cannot be written: check the permissions of the file and of its folder."
        case ["CORRUPT" | "NOTADB"]:
            text = damaged(path)
        case ["BUSY" | "LOCKED"]:
            text = f"{path} is held by another program: close it and start again."
        case ["IOERR"]:
            text = f"The disk failed while using {path} ({name}): check the disk, then start again."
        case _:
            text = f"{path} cannot be used ({error})."
    return StorageError(text)


def damaged(path: Path) -> str:
    return (
        f"{path} is damaged: move it aside (keep it, it may be repaired) and start again; "
        "the other members still hold the entries of unfinished tables."
    )
