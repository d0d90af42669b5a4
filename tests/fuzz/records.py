"""Records of real games, changed in every way: the loader and the audit refuse or find what is wrong, and whatever an
audit says, it accuses nobody but authors of entries that an honest client did not sign."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from random import Random

import msgpack
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from p2pmatryoshka.crypto import labels, signing
from p2pmatryoshka.errors import LinkFault, Refused
from p2pmatryoshka.record import entry as entries
from p2pmatryoshka.record.entry import SignedEntry, entry_hash
from p2pmatryoshka.rules import words
from p2pmatryoshka.table import messages, record_file
from p2pmatryoshka.table.audit import Report, audit
from p2pmatryoshka.table.record_file import Logs, export, load, write
from tests.fuzz.bounds import Bounds
from tests.fuzz.mutate import mutated_bytes, mutated_packed, parsed, written
from tests.fuzz.target import Target, refused, shown
from tests.table.attack import sign
from tests.table.memory import Group, Player, checks_shared, identities

SEED = 700
"""Of the identities and the tables here; each game has its own, so that no two of them share a table."""
CAST = identities(4, SEED)
"""The same people sit at every table, so that an entry can be carried from one to another."""


class Sat(Group):
    """A group of these people at a table of their own."""

    def __init__(self, count: int, nth: int, game: str = "matryoshka", deck: bytes = b"") -> None:
        super().__init__(count, game=game, deck=deck, seed=SEED)
        again = Group(count, game=game, deck=deck, seed=SEED + nth)
        del again

    def until(self, kind: str, nth: int = 0) -> Sat:
        """On to the nth step of that kind, everything delivered and nobody having signed for it."""
        while self.moment.owed.kind != kind or nth:
            nth -= self.moment.owed.kind == kind
            self.round()
        return self

    def end(self) -> bytes:
        """All but one get up; the record of what was played."""
        still = [p for p in self.present if p.member in p.table.moment.still_in]
        for player in still[1:]:
            if not player.table.closed:
                self.send(player, player.own.draft_body(player.table, messages.Leave()).entry)
        self.run()
        return export(still[0].table)
