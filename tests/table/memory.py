"""Whole tables in memory: every member a Table and an Own of its own, entries carried by hand from a seed.

What a member's table makes of a body that it accepts is kept for the other tables of the process: checking is a pure
function, and every refusal is found out anew by everyone. `Group.alone` turns that off; audits never use it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from random import Random
from typing import Any
from unittest import mock

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from p2pmatryoshka.crypto.group import Randomness
from p2pmatryoshka.record.entry import SignedEntry
from p2pmatryoshka.rules.game import Choice, Value
from p2pmatryoshka.table import messages, step
from p2pmatryoshka.table.own import Own, Question
from p2pmatryoshka.table.roster import Member, make_roster, make_setup
from p2pmatryoshka.table.table import Accusation, Event, Rejected, Table

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


_check = step.check
_accepted: dict[Any, Any] = {}


def _check_once(moment: step.Moment, member: int, body: messages.AnyBody, *rest: Any) -> Any:
    place = (moment.hash, moment.number, member, body)
    if place not in _accepted:
        if len(_accepted) > 5000:
            _accepted.clear()
        _accepted[place] = _check(moment, member, body, *rest)
    return _accepted[place]


@contextmanager
def checks_shared(shared: bool = True) -> Iterator[None]:
    """Bodies accepted by one table are not checked again by another."""
    with mock.patch.object(step, "check", _check_once if shared else _check):
        yield


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

    def rejected(self) -> list[str]:
        return [event.rule for event in self.events if isinstance(event, Rejected)]


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
            Player(Own(i, key), Table.open(self.roster, i), seeded((seed, i)), Random(seed * 1000 + i))
            for i, key in enumerate(keys)
        ]
        self.silent: set[int] = set()
        self.flight: list[tuple[int, SignedEntry]] = []  # (to, entry)
        self.sent: list[SignedEntry] = []
        self.alone = False

    def branch(self, seed: object) -> Group:
        """The same moment of the same table, going on with other chances."""
        assert not self.flight, "nothing may be on its way"
        other = Group.__new__(Group)
        other.roster, other.chooser, other.alone = self.roster, self.chooser, self.alone
        other.random = Random(repr(("group", seed)))
        other.players = [
            Player(p.own, p.table, seeded((seed, p.member)), Random(repr((seed, p.member))), list(p.events))
            for p in self.players
        ]
        other.silent, other.flight, other.sent = set(self.silent), [], list(self.sent)
        return other

    @property
    def moment(self) -> step.Moment:
        """The open step, of which all that are not silent must have the same notion."""
        (moment, *others) = [p.table.moment for p in self.players if p.member not in self.silent]
        assert all(other.hash == moment.hash and other.number == moment.number for other in others)
        return moment

    @property
    def present(self) -> list[Player]:
        return [p for p in self.players if p.member not in self.silent]

    def send(self, author: Player, signed: SignedEntry) -> None:
        """Hand an entry to its author and put it on its way to the others."""
        with checks_shared(not self.alone):
            author.receive(signed)
        self.post(signed, author.member)

    def post(self, signed: SignedEntry, author: int | None = None) -> None:
        """Put an entry on its way to everybody but its author."""
        self.sent.append(signed)
        self.flight.extend((p.member, signed) for p in self.present if p.member != author)

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

    def leave(self, player: Player) -> None:
        """Let a member sign that it leaves, and fall silent."""
        self.silent.add(player.member)
        self.send(player, player.own.draft_body(player.table, messages.Leave()).entry)

    def deliver(self) -> None:
        """One of the entries on their way arrives."""
        to, signed = self.flight.pop(self.random.randrange(len(self.flight)))
        with checks_shared(not self.alone):
            self.players[to].receive(signed)

    def deliver_all(self) -> None:
        while self.flight:
            self.deliver()

    def step(self) -> bool:
        """One delivery or one signature; False when nothing can happen any more."""
        if self.flight and self.random.random() < 0.8:
            self.deliver()
            return True
        able = self.present
        self.random.shuffle(able)
        if any(self.act(p) for p in able):
            return True
        if self.flight:
            self.deliver()
            return True
        return False

    def run(self, until: Callable[[], bool] = lambda: False, most: int = 20_000) -> None:
        for _ in range(most):
            if until() or not self.step():
                return
        raise AssertionError("the game does not end")

    def round(self, but: int | None = None) -> None:
        """Everybody (but one) signs what it owes in the open step, and everything arrives."""
        able = [p for p in self.present if p.member != but]
        self.random.shuffle(able)
        for player in able:
            self.act(player)
        self.deliver_all()


class Line:
    """A game played step by step, kept at each step: everything arrived, and nobody signed yet for the open one."""

    def __init__(self, start: Group) -> None:
        self.moments = [start]

    def find(self, fits: Callable[[step.Moment], bool], nth: int = 0) -> Group:
        """The nth moment that fits, counted from 0."""
        at = 0
        while True:
            if at == len(self.moments):
                group = self.moments[-1].branch(("line", at))
                group.round()
                assert group.moment.number > self.moments[-1].moment.number, "no such step"
                self.moments.append(group)
            if fits(self.moments[at].moment):
                if not nth:
                    return self.moments[at]
                nth -= 1
            at += 1
