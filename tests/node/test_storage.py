"""The store on real files: nothing half done, nothing signed twice, each failure one sentence."""

from __future__ import annotations

import os
import sqlite3
import threading
from pathlib import Path

import pytest

from p2pmatryoshka.errors import Fault, StorageError, UserError
from p2pmatryoshka.node.storage import DATABASE, AlreadySigned, Filed, Store, TableInfo
from p2pmatryoshka.record.entry import SignedEntry

TABLE = b"t" * 32
OTHER = b"u" * 32


def entry(text: str) -> SignedEntry:
    return SignedEntry(text.encode(), text.encode().ljust(64, b"."))


def filed(author: int, sequence: int, branch: str = "") -> Filed:
    return author, sequence, entry(f"{author}/{sequence}{branch}")


@pytest.fixture
def store(tmp_path: Path) -> Store:  # type: ignore[misc]
    with Store.open(tmp_path / "data") as opened:
        opened.create_table(TABLE, b"roster", 1, created="today")
        yield opened


def reopened(store: Store) -> Store:
    store.close()
    return Store.open(store.path.parent)


def test_tables_are_listed_in_the_order_of_their_making(store: Store) -> None:
    store.create_table(OTHER, b"another roster", 0)
    store.set_state(TABLE, "sealed")
    with reopened(store) as again:
        assert again.tables() == [
            TableInfo(TABLE, b"roster", 1, "sealed", "today"),
            TableInfo(OTHER, b"another roster", 0, "open", ""),
        ]


def test_a_table_is_made_once(store: Store) -> None:
    store.create_table(TABLE, b"roster", 1)
    assert len(store.tables()) == 1
    with pytest.raises(Fault):
        store.create_table(TABLE, b"another roster", 1)
    with pytest.raises(Fault):
        store.create_table(TABLE, b"roster", 2)


def test_entries_come_back_in_order_of_author_and_number(store: Store) -> None:
    everything = [filed(author, sequence) for author in range(3) for sequence in range(12)]
    store.put(TABLE, reversed(everything))
    with reopened(store) as again:
        assert again.entries(TABLE) == everything
        assert again.entries(OTHER) == []


def test_the_same_entry_again_changes_nothing(store: Store) -> None:
    store.put(TABLE, [filed(0, 0), filed(0, 0)])
    store.put(TABLE, [filed(0, 0), filed(0, 1)])
    assert store.entries(TABLE) == [filed(0, 0), filed(0, 1)]


def test_both_branches_of_a_fork_are_kept(store: Store) -> None:
    store.put(TABLE, [filed(0, 0), filed(0, 1, "b")])
    store.put(TABLE, [filed(0, 1, "a")])
    assert store.entries(TABLE) == [filed(0, 0), filed(0, 1, "b"), filed(0, 1, "a")]


def test_entries_of_an_unknown_table_do_not_fit(store: Store) -> None:
    with pytest.raises(Fault):
        store.put(OTHER, [filed(0, 0)])
    with pytest.raises(Fault):
        store.set_state(OTHER, "sealed")


def test_signing_stores_entry_secrets_and_what_it_names(store: Store) -> None:
    store.sign(TABLE, 1, 0, entry("mine"), secrets=b"secret", named=[filed(0, 0), filed(2, 0)])
    with reopened(store) as again:
        assert again.entries(TABLE) == [filed(0, 0), (1, 0, entry("mine")), filed(2, 0)]
        assert again.secrets(TABLE) == [(0, b"secret")]


def test_a_second_entry_with_one_number_is_not_signed(store: Store) -> None:
    store.sign(TABLE, 1, 0, entry("mine"), secrets=b"secret")
    with pytest.raises(AlreadySigned) as refusal:
        store.sign(TABLE, 1, 0, entry("other"), secrets=b"other secret", named=[filed(0, 0)])
    assert (refusal.value.sequence, refusal.value.stored) == (0, entry("mine"))
    assert store.entries(TABLE) == [(1, 0, entry("mine"))]
    assert store.secrets(TABLE) == [(0, b"secret")]


def test_an_own_entry_that_came_back_from_others_stands_too(store: Store) -> None:
    # A restored backup: the neighbours know an entry of mine that this store never signed.
    store.put(TABLE, [filed(1, 0)])
    with pytest.raises(AlreadySigned) as refusal:
        store.sign(TABLE, 1, 0, entry("other"), secrets=b"")
    assert refusal.value.stored == filed(1, 0)[2]


def test_nobody_signs_for_another_place(store: Store) -> None:
    with pytest.raises(Fault):
        store.sign(TABLE, 0, 0, entry("x"), secrets=b"")
    with pytest.raises(Fault):
        store.sign(OTHER, 1, 0, entry("x"), secrets=b"")
    assert store.entries(TABLE) == []


def test_the_file_itself_refuses_changes_to_what_only_grows(store: Store) -> None:
    store.sign(TABLE, 1, 0, entry("mine"), secrets=b"secret")
    other = sqlite3.connect(store.path)
    try:
        for change in (
            "UPDATE entries SET data = x'00'",
            "DELETE FROM entries",
            "UPDATE signed SET sequence = 9",
            "DELETE FROM signed",
        ):
            with pytest.raises(sqlite3.IntegrityError, match="only grow"):
                other.execute(change)
    finally:
        other.close()


def test_forgotten_secrets_are_nowhere_in_the_folder(store: Store) -> None:
    secret = b"the dolls nobody may see" * 200
    store.sign(TABLE, 1, 0, entry("mine"), secrets=secret)
    assert any(b"dolls nobody" in file.read_bytes() for file in store.path.parent.iterdir())
    store.forget_secrets(TABLE)
    assert store.secrets(TABLE) == []
    assert not any(b"dolls nobody" in file.read_bytes() for file in store.path.parent.iterdir())
    assert store.entries(TABLE) == [(1, 0, entry("mine"))]


def test_notes_replace_older_ones(store: Store) -> None:
    store.note(TABLE, "address", b"old")
    store.note(TABLE, "address", b"new")
    store.note(b"", "contact", b"Ada")
    with reopened(store) as again:
        assert again.notes(TABLE) == {"address": b"new"}
        assert again.notes(b"") == {"contact": b"Ada"}


def test_threads_take_turns(store: Store) -> None:
    def sign(outcomes: list[str], name: str) -> None:
        for sequence in range(20):
            try:
                store.sign(TABLE, 1, sequence, entry(f"{name}{sequence}"), secrets=name.encode())
                outcomes.append(f"{name}{sequence}")
            except AlreadySigned:
                pass

    outcomes: list[str] = []
    threads = [threading.Thread(target=sign, args=(outcomes, name)) for name in "abc"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    stored = [signed.data.decode() for _, _, signed in store.entries(TABLE)]
    assert len(stored) == 20
    assert sorted(stored) == sorted(outcomes)


def test_only_the_owner_may_read_the_files(store: Store) -> None:
    store.put(TABLE, [filed(0, 0)])
    assert store.path.parent.stat().st_mode & 0o077 == 0
    for file in store.path.parent.iterdir():
        assert file.stat().st_mode & 0o077 == 0, file


def test_the_folder_is_used_by_one_at_a_time(store: Store) -> None:
    with pytest.raises(UserError, match=rf"in use by another p2pmatryoshka \(process {os.getpid()}\)"):
        Store.open(store.path.parent)
    reopened(store).close()


def test_a_closed_store_is_not_used(store: Store) -> None:
    store.close()
    with pytest.raises(Fault):
        store.tables()


def test_a_newer_file_is_left_alone(store: Store) -> None:
    store.close()
    database = sqlite3.connect(store.path)
    database.execute("PRAGMA user_version = 99")
    database.close()
    with pytest.raises(UserError, match="newer"):
        Store.open(store.path.parent)


def test_the_file_of_another_program_is_left_alone(tmp_path: Path) -> None:
    database = sqlite3.connect(tmp_path / DATABASE)
    database.execute("CREATE TABLE songs (name TEXT)")
    database.close()
    before = (tmp_path / DATABASE).read_bytes()
    with pytest.raises(StorageError, match="another program"):
        Store.open(tmp_path)
    assert (tmp_path / DATABASE).read_bytes() == before
