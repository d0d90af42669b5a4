"""A modified client at a table of honest ones: it signs something wrong, and everybody must see who, and why.

An attack is a function from a Cheat (what a dishonest member knows when it owes an entry) to a body, or to the bytes
that stand where a body should. `convict` plays it; the rest of the game goes on without the cheat.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

import msgpack
import pytest

from p2pmatryoshka.crypto import group
from p2pmatryoshka.crypto.transcript import Context
from p2pmatryoshka.record import entry as entries
from p2pmatryoshka.record.entry import VERSION, SignedEntry
from p2pmatryoshka.record.strict import pack
from p2pmatryoshka.rules.game import Choice
from p2pmatryoshka.table import messages
from p2pmatryoshka.table.audit import Report, audit
from p2pmatryoshka.table.layout import Layout
from p2pmatryoshka.table.own import Question
from p2pmatryoshka.table.record_file import export
from p2pmatryoshka.table.step import Closed, Moment, Playing
from p2pmatryoshka.table.table import Accusation
from tests.table.memory import Group, Line, Player, checks_shared


@dataclass
class Cheat:
    """One member with a modified client, just when it owes an entry. notes: what it keeps from an earlier step."""

    group: Group
    player: Player
    notes: dict[str, Any] = field(default_factory=dict)

    @property
    def member(self) -> int:
        return self.player.member

    @property
    def moment(self) -> Moment:
        return self.player.table.moment

    @property
    def layout(self) -> Layout:
        assert isinstance(self.moment.stage, Playing)
        return self.moment.stage.layout

    @property
    def ask(self) -> Any:
        assert isinstance(self.moment.stage, Playing)
        return self.moment.stage.ask

    @property
    def context(self) -> Context:
        return Context(VERSION, self.moment.roster.table, self.moment.number, self.member)

    @property
    def table(self) -> bytes:
        return self.moment.roster.table

    @property
    def secret(self) -> int:
        """The secret of its table key."""
        for kept in self.player.own.secrets.values():
            if "key" in kept:
                return group.decode_scalar(kept["key"])
        raise AssertionError("no table key yet")

    @property
    def key(self) -> group.Point:
        return group.base(self.secret)

    @property
    def hand(self) -> tuple[int, ...]:
        return self.player.own.hand(self.player.table)

    @property
    def randomness(self) -> group.Randomness:
        return self.player.randomness

    def others(self) -> list[Player]:
        """The honest ones, still in."""
        return [p for p in self.group.present if p.member != self.member and p.member in self.moment.still_in]

    def choice(self) -> Choice | None:
        """Something that it may do."""
        due = self.player.own.due(self.player.table)
        assert due is not None
        return self.player.own.moves(self.player.table, due)[0] if isinstance(due, Question) else None

    def honest(self) -> Any:
        """The body that an honest client would sign."""
        draft = self.player.own.draft(self.player.table, self.choice(), self.randomness)
        return messages.decode(body_of(draft.entry))

    def rush(self) -> None:
        """Wait until everybody else has signed, and read that, before signing anything."""
        for other in self.others():
            self.group.act(other)
        for_me = [signed for to, signed in self.group.flight if to == self.member]
        self.group.flight = [(to, signed) for to, signed in self.group.flight if to != self.member]
        for signed in for_me:
            self.player.receive(signed)

    def seen(self, other: Player | None = None, back: int = 0) -> Any:
        """The last body that another member (or a given one) signed; `back` entries before it."""
        author = other or self.others()[0]
        return messages.decode(self.player.table.logs[author.member].chain[-1 - back].body)

    def elsewhere(self, **changed: Any) -> Context:
        """A proof's context that is not the one it belongs to."""
        return replace(self.context, **changed)

    def sign(self, body: messages.AnyBody | bytes) -> SignedEntry:
        return sign(self.player, body)


def body_of(signed: SignedEntry) -> bytes:
    """The last of an entry's seven fields."""
    body: bytes = msgpack.unpackb(signed.data)[6]
    return body


def raw(of: messages.AnyBody, **changed: Any) -> bytes:
    """A body's bytes with other values for some keys (None: without that key), whatever their types."""
    values = {**of.model_dump(), **changed}
    return pack({key: value for key, value in values.items() if value is not None})


def spoiled(data: bytes, at: int = -1, by: int = 1) -> bytes:
    """The bytes with one of them changed."""
    at %= len(data)
    return data[:at] + bytes([data[at] ^ by]) + data[at + 1 :]


def swapped(data: bytes, size: int, one: int = 0, other: int = 1) -> bytes:
    """A list of things of `size` bytes with two of them swapped."""
    parts = [data[i : i + size] for i in range(0, len(data), size)]
    parts[one], parts[other] = parts[other], parts[one]
    return b"".join(parts)


Making = Callable[[Cheat], "messages.AnyBody | bytes"]


def sign(player: Player, body: messages.AnyBody | bytes, **changed: Any) -> SignedEntry:
    """A member's next entry with any body; `changed` replaces fields of the entry."""
    log = player.table.logs[player.member]
    fields = {
        "table": player.table.roster.table,
        "author": player.member,
        "sequence": len(log.chain),
        "previous": log.head,
        "table_hash": player.table.moment.hash,
        "body": body if isinstance(body, bytes) else messages.encode(body),
        **changed,
    }
    return entries.sign(player.own.identity, **fields)


@dataclass(frozen=True)
class Attack:
    """What is signed in the first open step of kind `at`, and the rule that it breaks. before: what the same member
    signs in the step before (a commitment that it will not be able to open)."""

    at: str
    rule: str
    make: Making
    before: tuple[str, Making] | None = None
    nth: int = 0

    @property
    def name(self) -> str:
        return f"{self.at}-{self.make.__name__.strip('_')}"


class Attacks(list[Attack]):
    """The attacks of one test file."""

    def at(
        self, kind: str, rule: str, *, before: tuple[str, Making] | None = None, nth: int = 0
    ) -> Callable[[Making], Making]:
        def add(make: Making) -> Making:
            self.append(Attack(kind, rule, make, before, nth))
            return make

        return add

    def parameters(self) -> list[Any]:
        return [pytest.param(attack, id=attack.name) for attack in self]


@cache
def whole_game(count: int = 3) -> Line:
    """An honest game."""
    return Line(Group(count, seed=count))


@cache
def lost_opener(count: int = 3, leaver: int = 0) -> Line:
    """Somebody leaves instead of opening its coin: the coin is tossed afresh."""
    start = whole_game(count).find(lambda m: m.owed.kind == "open").branch("lost opener")
    start.leave(start.players[leaver])
    start.round()
    return Line(start)


@cache
def restocking(count: int = 4, leaver: int = 0) -> Line:
    """Somebody leaves when cards are due that must not be dealt twice: the stock is made anew."""
    start = whole_game(count).find(lambda m: m.owed.kind == "share", 1).branch("restocking")
    start.leave(start.players[leaver])
    start.round()
    assert start.moment.owed.kind == "rekey"
    return Line(start)


def line_for(kind: str, member: int, count: int) -> Line:
    """A game with an open step of that kind."""
    match kind:
        case "coin":
            return lost_opener(count, 0 if member else 1)
        case "rekey" | "blind" | "tags" | "remix":
            return restocking(max(count, 4), 0 if member else 1)
    return whole_game(count)


def open_step(kind: str, member: int, count: int = 3, nth: int = 0, seed: object = 0) -> Group:
    """A group just when that member owes an entry of that kind and nobody has signed one yet. "remix" is a mix with
    cards in hands."""
    wanted = "mix" if kind == "remix" else kind
    found = line_for(kind, member, count).find(lambda m: m.owed.kind == wanted and member in m.owed.members, nth)
    return found.branch((kind, member, count, seed))


def convict(attack: Attack, member: int, count: int = 3, *, whole: bool = False, seed: object = 0) -> None:
    """Play the attack: everybody else must name this member and this rule, and go on without it."""
    notes: dict[str, Any] = {}
    where = (attack.name, member, count, seed)
    if attack.before is None:
        group_ = open_step(attack.at, member, count, attack.nth, where)
    else:
        kind, make = attack.before
        group_ = open_step(kind, member, count, attack.nth, where)
        cheat = Cheat(group_, group_.players[member], notes)
        group_.round(but=member)
        body = make(cheat)
        group_.send(cheat.player, cheat.sign(body))
        group_.deliver_all()
        assert group_.moment.owed.kind == attack.at
        assert not group_.players[member].accusations()
    cheat = Cheat(group_, group_.players[member], notes)
    signed = cheat.sign(attack.make(cheat))
    settle(group_, member, [signed], {(member, attack.rule)}, whole=whole)


def settle(
    group_: Group,
    cheat: int | None,
    signed: Sequence[SignedEntry],
    expected: set[tuple[int, str]],
    *,
    whole: bool = False,
) -> Report:
    """Deliver entries of a cheat, which then falls silent, among those of the others; play on, seal and audit."""
    known = {p.member: len(p.events) for p in group_.players}
    number = max(p.table.moment.number for p in group_.present)

    def seen(player: Player) -> set[tuple[int, str]]:
        return {(e.member, e.rule) for e in player.events[known[player.member] :] if isinstance(e, Accusation)}

    if cheat is not None:
        group_.silent.add(cheat)
    for entry in signed:
        group_.post(entry, cheat)
    honest = [p for p in group_.present if p.member in p.table.moment.still_in]
    group_.run(
        lambda: (
            not whole
            and not group_.flight
            and all(p.table.moment.number > number and len(seen(p)) >= len(expected) for p in honest)
        )
    )
    for player in honest:
        assert seen(player) == expected, (player.member, seen(player), expected)
    if not whole:
        # Everybody but one gets up: the rest of the game is short.
        for player in honest[1:]:
            if not player.table.closed:
                group_.send(player, sign(player, messages.Leave()))
        group_.run()
    first, *others = honest
    assert isinstance(first.table.moment.stage, Closed), first.table.moment.owed
    assert cheat is None or cheat not in first.table.moment.still_in
    for player in honest:
        assert not player.rejected()
        assert player.accusations() == expected
    for other in others:
        assert [m.hash for m in other.table.spine] == [m.hash for m in first.table.spine]
        assert other.table.moment == first.table.moment
    record = export(first.table)
    assert all(export(p.table) == record for p in others)
    with checks_shared(not whole):
        report = audit(record)
    assert report.finding is None, report.finding
    assert {(a.member, a.rule) for a in report.accusations} == expected
    return report
