"""A data folder in use: the identity and the store in it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from platformdirs import user_data_path

from p2pmatryoshka.node.identity import Identity, open_identity
from p2pmatryoshka.node.storage import Store


@dataclass(frozen=True, slots=True)
class Home:
    """One person's (or bot's) place on this machine."""

    folder: Path
    identity: Identity
    store: Store

    @staticmethod
    @contextmanager
    def open(folder: Path | None = None, passphrase: str | None = None) -> Iterator[Home]:
        """Makes the folder and the identity on first use. Raises UserError or StorageError with one sentence."""
        place = folder if folder is not None else user_data_path("p2pmatryoshka", appauthor=False)
        with Store.open(place) as store:
            yield Home(place, open_identity(place, passphrase), store)
