"""Real games of the same few people at tables of their own, as far as an input for fuzzing needs them."""

from __future__ import annotations

from collections.abc import Callable, Set
from dataclasses import dataclass
from functools import cache
from random import Random

from p2pmatryoshka.record.entry import SignedEntry, fields
from p2pmatryoshka.rules import words
from p2pmatryoshka.table import messages
from p2pmatryoshka.table.own import Own
from p2pmatryoshka.table.record_file import export
from p2pmatryoshka.table.table import Table
from tests.table.attack import sign
from tests.table.memory import Group, Line, Player, identities, pick_random, roster_for, seeded

CAST = identities(4, 700)
"""The same people sit at every table, so that an entry can be carried from one to another."""


@dataclass(frozen=True)
class Game:
    """A record; the bytes that honest clients signed for it; and who cheated in it."""

    table: bytes
    record: bytes
    honest: frozenset[bytes]
    cheats: frozenset[int]


class Sat(Group):
    """Some of the cast at the nth table."""

    def __init__(self, count: int, nth: int, game: str = "matryoshka", deck: bytes = b"") -> None:
        keys = CAST[:count]
        self.roster = roster_for(keys, game, None, deck, nth)
        self.random = Random(nth)
        self.chooser = pick_random
        self.players = [
            Player(Own(i, key), Table.open(self.roster, i), seeded(("fuzz", nth, i)), Random(nth * 1000 + i))
            for i, key in enumerate(keys)
        ]
        self.silent, self.flight, self.sent, self.alone = set(), [], [], False
        self.false: set[bytes] = set()

    def until(self, kind: str, nth: int = 0) -> Sat:
        """On to the nth step of that kind (from 0), everything delivered and nobody having signed for it."""
        while self.moment.owed.kind != kind or nth:
            nth -= self.moment.owed.kind == kind
            self.round()
        return self

    def cheat(self, member: int, *bodies: messages.AnyBody | bytes) -> None:
        """A member signs versions of its next entry, shows one to each of the others in turn, and falls silent; what
        was shown gets around later."""
        versions = [sign(self.players[member], body) for body in bodies]
        self.silent.add(member)
        moment = self.moment.number
        for number, player in enumerate(self.present):
            self.flight.append((player.member, versions[number % len(versions)]))
        self.run(lambda: not self.flight and all(p.table.moment.number > moment for p in self.present))
        for signed in versions:
            self.false.add(signed.data)
            self.post(signed, member)
        self.run(lambda: not self.flight and all(member not in p.table.moment.still_in for p in self.present))

    def put_out(self, member: int) -> None:
        """A member falls silent, and the others vote it out."""
        self.silent.add(member)
        self.round()
        first, number = self.present[0], self.moment.number
        self.send(first, first.own.draft_ballot(first.table, first.own.propose(first.table, {member})).entry)
        self.deliver_all()
        while self.moment.number == number:
            for player in self.present:
                for due in player.own.ballots(player.table)[:1]:
                    self.send(player, player.own.draft_ballot(player.table, due.ballot).entry)
                    self.deliver_all()

    def end(self, *cheats: int) -> Game:
        """See `ended`."""
        return ended(self, frozenset(cheats), self.false)


def ended(group: Group, cheats: frozenset[int] = frozenset(), false: Set[bytes] = frozenset()) -> Game:
    """All but one get up; the record of what was played. false: what the cheats signed."""
    still = [p for p in group.present if p.member in p.table.moment.still_in]
    for player in still[1:]:
        if not player.table.closed:
            group.send(player, player.own.draft_body(player.table, messages.Leave()).entry)
    group.run()
    table = still[0].table
    return Game(table.roster.table, export(table), frozenset(signed.data for signed in group.sent) - false, cheats)


def body_due(player: Player) -> messages.AnyBody:
    """A body that this member could honestly sign now; each time another where chance is in it."""
    signed = player.own.draft(player.table, None, player.randomness).entry
    return messages.decode(body_of(signed))


def body_of(signed: SignedEntry) -> bytes:
    return fields(signed).body


@cache
def plain() -> Line:
    """A game of three, kept at each step."""
    return Line(Sat(3, 1))


@cache
def other_game() -> Line:
    """A game of Matrioske, kept at each step."""
    return Line(Sat(4, 2, "matrioske", words.shipped("english")))


@cache
def without_one() -> Line:
    """A game of four that one leaves when cards are due: the stock is made anew."""
    group = Sat(4, 5).until("share", 1)
    group.leave(group.players[0])
    group.round()
    return Line(group)


def _to(line: Line, kind: str) -> Game:
    return ended(line.find(lambda moment: moment.owed.kind == kind).branch("ended"))


def _short() -> Game:
    return Sat(3, 3).until("keys").end()


def _leaver() -> Game:
    group = Sat(3, 4).until("reveal")
    group.leave(group.players[1])
    group.round()
    return group.end()


def _fork() -> Game:
    group = Sat(4, 6).until("keys")
    forker = group.players[1]
    group.cheat(1, body_due(forker), body_due(forker))
    return group.end(1)


def _removal() -> Game:
    group = Sat(4, 7).until("keys")
    group.put_out(2)
    return group.end()


def _forfeit() -> Game:
    group = Sat(3, 8).until("keys")
    group.cheat(2, messages.Choose(option=("x",)))
    return group.end(2)


def _lost_opener() -> Game:
    group = Sat(4, 9).until("open")
    group.leave(group.players[3])
    group.until("open")
    return group.end()


MADE: dict[str, Callable[[], Game]] = {
    "whole": lambda: _to(plain(), ""),
    "other game": lambda: _to(other_game(), ""),
    "short": _short,
    "leaver": _leaver,
    "restock": lambda: _to(without_one(), "commit"),
    "fork": _fork,
    "removal": _removal,
    "forfeit": _forfeit,
    "lost opener": _lost_opener,
}
SMALL = ("short", "fork", "removal", "forfeit", "lost opener")
"""Those with records of a few kilobytes."""


@cache
def game(name: str) -> Game:
    return MADE[name]()
