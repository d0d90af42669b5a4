"""What makes whole games cheap enough for thousands: nothing here changes what is decided.

The disk is not waited for. What several members of one process would work out alike from the same bytes (signatures,
bodies, accepted proofs, moments) is worked out once, and a signature made here needs no check; `alone` turns that off.
Refusals of proofs are found anew by each.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from unittest import mock

from p2pmatryoshka.crypto import signing
from p2pmatryoshka.node import storage
from p2pmatryoshka.table import memo, step
from tests.table.memory import checks_shared

_prepare = storage._prepare


def _prepare_unsynced(database: sqlite3.Connection, path: Path) -> None:
    database.execute("PRAGMA synchronous = OFF")
    _prepare(_Unsynced(database), path)  # type: ignore[arg-type]


class _Unsynced:
    """A connection on which nobody turns waiting for the disk on again."""

    def __init__(self, database: sqlite3.Connection) -> None:
        self._database = database

    def execute(self, words: str) -> Any:
        if words in ("PRAGMA synchronous = FULL", "PRAGMA secure_delete = ON"):
            words = "PRAGMA synchronous = OFF"
        return self._database.execute(words)


@contextmanager
def shared(*, alone: bool = False) -> Iterator[None]:
    with ExitStack() as stack:
        stack.enter_context(mock.patch.object(storage, "_prepare", _prepare_unsynced))
        if not alone:
            stack.enter_context(checks_shared())
            stack.enter_context(mock.patch.object(memo, "_decode", _by_hash(memo._decode)))
            stack.enter_context(mock.patch.object(step, "close", _by_hash_of_result(step.close)))
            known: set[tuple[bytes, bytes, bytes, bytes]] = set()
            stack.enter_context(mock.patch.object(signing, "sign", _noted(signing.sign, known)))
            stack.enter_context(mock.patch.object(signing, "verify", _unless_known(signing.verify, known)))
        yield


def _noted(sign: Any, known: Any) -> Any:
    def signed(key: Any, label: bytes, data: bytes) -> Any:
        signature = sign(key, label, data)
        known.add((key.public_key().public_bytes_raw(), label, data, signature))
        return signature

    return signed


def _unless_known(verify: Any, known: Any) -> Any:
    def verified(public: bytes, label: bytes, data: bytes, signature: bytes) -> None:
        if (public, label, data, signature) not in known:
            verify(public, label, data, signature)

    return verified


def _by_hash(decode: Any) -> Any:
    known: dict[bytes, Any] = {}

    def decoded(entry: Any) -> Any:
        if entry.hash not in known:
            known[entry.hash] = decode(entry)
        return known[entry.hash]

    return decoded


def _by_hash_of_result(close: Any) -> Any:
    known: dict[Any, Any] = {}

    def closed(moment: Any, fillings: Any, cursors: Any) -> Any:
        place = (moment.hash, moment.cursors, cursors, step.extend_hash(moment, fillings))
        if place not in known:
            known[place] = close(moment, fillings, cursors)
        return known[place]

    return closed
