"""Whole tables in memory: every member a Table and an Own of its own, entries carried by hand from a seed."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from random import Random

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from p2pmatryoshka.crypto.group import Randomness
from p2pmatryoshka.record.entry import SignedEntry
from p2pmatryoshka.rules.game import Choice, Value
from p2pmatryoshka.table.own import Own, Question
from p2pmatryoshka.table.roster import Member, make_roster, make_setup
from p2pmatryoshka.table.table import Accusation, Event, Table

Chooser = Callable[["Player", Question, tuple[Choice, ...]], Choice]


def seeded(seed: object) -> Randomness:
    """A deterministic source of bytes."""
    state = hashlib.sha256(repr(seed).encode()).digest()
    count = 0

    def draw(size: int) -> bytes:
        nonlocal count
        count += 1
        return hashlib.shake_256(state + count.to_bytes(8, "big")).digest(size)

    return draw


def identities(count: int, seed: int = 0) -> list[Ed25519PrivateKey]:
    return [Ed25519PrivateKey.from_private_bytes(seeded(("identity", seed, i))(32)) for i in range(count)]


def roster_for(
    keys: list[Ed25519PrivateKey],
    game: str = "matryoshka",
    rules: Mapping[str, Value] | None = None,
    deck: bytes = b"",
    seed: int = 0,
) -> bytes:
    setup = make_setup(game, len(keys), rules or {}, deck)
    members = tuple(
        Member(key=key.public_key().public_bytes_raw(), nonce=seeded(("nonce", seed, i))(32), name=f"Player {i}")
        for i, key in enumerate(keys)
    )
    return make_roster(setup, members)


@dataclass
class Player:
    """One member's whole half."""

    own: Own
    table: Table
    randomness: Randomness
    random: Random
    events: list[Event] = field(default_factory=list)

    @property
    def member(self) -> int:
        return self.own.member

    def receive(self, signed: SignedEntry) -> None:
        self.table, events = self.table.receive(signed)
        self.events.extend(events)

    def accusations(self) -> set[tuple[int, str]]:
        return {(event.member, event.rule) for event in self.events if isinstance(event, Accusation)}


def pick_random(player: Player, question: Question, moves: tuple[Choice, ...]) -> Choice:
    del question
    return moves[player.random.randrange(len(moves))]


class Group:
    """Members that exchange entries in an order drawn from the seed."""

    def __init__(
        self,
        count: int = 3,
        *,
        game: str = "matryoshka",
        rules: Mapping[str, Value] | None = None,
        deck: bytes = b"",
        seed: int = 0,
        chooser: Chooser = pick_random,
    ) -> None:
        keys = identities(count, seed)
        self.roster = roster_for(keys, game, rules, deck, seed)
        self.random = Random(seed)
        self.chooser = chooser
        self.players = [
            Player(Own(i, key), Table.open(self.roster), seeded((seed, i)), Random(seed * 1000 + i))
            for i, key in enumerate(keys)
        ]
        self.silent: set[int] = set()
        self.flight: list[tuple[int, SignedEntry]] = []  # (to, entry)
        self.sent: list[SignedEntry] = []

    def send(self, author: Player, signed: SignedEntry) -> None:
        """Hand an entry to its author and put it on its way to the others."""
        author.receive(signed)
        self.sent.append(signed)
        self.flight.extend((p.member, signed) for p in self.players if p is not author and p.member not in self.silent)

    def act(self, player: Player) -> bool:
        """Let a member sign what it owes, if anything."""
        due = player.own.due(player.table)
        if due is None:
            return False
        choice = None
        if isinstance(due, Question):
            choice = self.chooser(player, due, player.own.moves(player.table, due))
        draft = player.own.draft(player.table, choice, player.randomness)
        player.own = player.own.remember(draft.secrets)
        self.send(player, draft.entry)
        return True

    def step(self) -> bool:
        """One delivery or one signature; False when nothing can happen any more."""
        if self.flight and self.random.random() < 0.8:
            to, signed = self.flight.pop(self.random.randrange(len(self.flight)))
            self.players[to].receive(signed)
            return True
        able = [p for p in self.players if p.member not in self.silent]
        self.random.shuffle(able)
        if any(self.act(p) for p in able):
            return True
        if self.flight:
            to, signed = self.flight.pop(self.random.randrange(len(self.flight)))
            self.players[to].receive(signed)
            return True
        return False

    def run(self, until: Callable[[], bool] = lambda: False, most: int = 20_000) -> None:
        for _ in range(most):
            if until() or not self.step():
                return
        raise AssertionError("the game does not end")
