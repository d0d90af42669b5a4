"""Modified clients over real links: a process that plays honestly up to a step, and then signs something wrong.

The attacks are those of tests/table (bodies and proofs), and those below (entries, their order, forks). An order names
one by "cheat".
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from random import Random
from types import SimpleNamespace
from typing import Any
from unittest import mock

from p2pmatryoshka.crypto import labels, signing
from p2pmatryoshka.node import table_run, wire
from p2pmatryoshka.node.keeper import Keeper
from p2pmatryoshka.node.mesh import Mesh
from p2pmatryoshka.record.entry import Entry, SignedEntry
from p2pmatryoshka.record.strict import pack
from p2pmatryoshka.rules.game import Choice
from p2pmatryoshka.table import messages
from p2pmatryoshka.table.own import Draft, Duty, Own, Question
from p2pmatryoshka.table.table import Table
from tests.table import test_refusals_dealing, test_refusals_entries, test_refusals_play, test_refusals_setup
from tests.table.attack import Attack, Cheat, sign

RESTOCKING = ("rekey", "remix", "blind", "tags")


@dataclass
class LivePlayer:
    """A member's half in this process, as the attacks know one."""

    own: Own
    table: Table
    randomness: Callable[[int], bytes]
    random: Random = field(default_factory=Random)

    @property
    def member(self) -> int:
        return self.own.member


class LiveCheat(Cheat):
    """A cheat that knows of the others only what they sent."""

    def rush(self) -> None:
        """The client below has waited already."""

    def others(self) -> list[Any]:
        return [SimpleNamespace(member=m) for m in self.moment.still_in if m != self.member]


Sending = Sequence[tuple[SignedEntry, Sequence[int] | None]]
"""Entries, and to whom each is sent; None: to everybody."""


@dataclass(frozen=True)
class EntryAttack:
    """Entries of its own making, at the nth step of a kind in which the cheat owes an entry (idle: owes none)."""

    name: str
    at: str
    rule: str
    make: Callable[[LiveCheat], Sending]
    nth: int = 0
    seats: int = 3
    idle: bool = False
    before: None = None


def _everyone(*signed: SignedEntry) -> Sending:
    return [(one, None) for one in signed]


def _raw(c: LiveCheat, data: bytes) -> SignedEntry:
    return SignedEntry(data, signing.sign(c.player.own.identity, labels.SIGN_ENTRY, data))


def _again(place: int) -> Callable[[LiveCheat], Sending]:
    def make(c: LiveCheat) -> Sending:
        chain = c.player.table.logs[c.member].chain
        previous = chain[place - 1].hash if place else c.table
        body = messages.Choose(option=("x",))
        hash_ = chain[place].table_hash
        return _everyone(sign(c.player, body, sequence=place, previous=previous, table_hash=hash_))

    return make


def _two_answers(c: LiveCheat) -> Sending:
    first = c.sign(c.honest())
    named, table = c.moment.hash, c.player.table
    c.player.table = table.hold(table.parse(first))
    return _everyone(first, sign(c.player, messages.Choose(option=()), table_hash=named))


def _split(other: str) -> Callable[[LiveCheat], Sending]:
    """One version for some, another for the rest, then both for all."""

    def make(c: LiveCheat) -> Sending:
        bodies = {"answer": c.honest, "leave": messages.Leave, "wrong": lambda: messages.Choose(option=("x",))}
        one, two = c.sign(c.honest()), c.sign(bodies[other]())
        first, *rest = (o.member for o in c.others())
        return [(one, [first]), (two, rest), (one, None), (two, None)]

    return make


def _canonical(part: str) -> Callable[[LiveCheat], Sending]:
    def make(c: LiveCheat) -> Sending:
        got = test_refusals_entries.fields(c, messages.encode(c.honest()))
        return _everyone(_raw(c, test_refusals_entries.NOT_CANONICAL[part](c, got)))

    return make


def _with(**changed: Any) -> Callable[[LiveCheat], Sending]:
    return lambda c: _everyone(sign(c.player, c.honest(), **changed))


def _body(data: bytes) -> Callable[[LiveCheat], Sending]:
    return lambda c: _everyone(sign(c.player, data))


def _older(back: int) -> Callable[[LiveCheat], Sending]:
    return lambda c: _everyone(sign(c.player, c.honest(), table_hash=c.player.table.spine[-1 - back].hash))


def _entry_attacks() -> Iterator[EntryAttack]:
    for name, (data, rule) in test_refusals_entries.FORMS.items():
        yield EntryAttack(f"form-{name}", "keys", rule, _body(data))
    for key, value in test_refusals_entries.WRONG_TYPES:
        plain = {"kind": "keys", "key": bytes(33), "proof": bytes(64), "coin": bytes(32), key: value}
        yield EntryAttack(f"type-{key}-{type(value).__name__}", "keys", "body.form", _body(pack(plain)))
    for name, body in test_refusals_entries.BODIES.items():
        at = "open" if name == "keys" else "keys"
        yield EntryAttack(f"kind-{name}", at, "body.kind", _body(messages.encode(body)))
    for part in test_refusals_entries.NOT_CANONICAL:
        yield EntryAttack(f"canonical-{part}", "open", "entry.canonical", _canonical(part))
    for length in (0, 31, 33):
        yield EntryAttack(f"hash-{length}", "open", "entry.hash-length", _with(table_hash=bytes(length)))
    yield EntryAttack("first-previous", "sit", "entry.previous", _with(previous=bytes(32)))
    for kind in ("keys", "commit", "turn"):
        yield EntryAttack(f"previous-{kind}", kind, "entry.fork", _with(previous=bytes(32)))
    for place in (0, 1, 4):
        yield EntryAttack(f"again-{place}", "commit", "entry.fork", _again(place))
    yield EntryAttack("two-answers", "commit", "entry.turn", _two_answers)
    for back in (1, 2, 5):
        yield EntryAttack(f"older-{back}", "commit", "entry.turn", _older(back))
    idle = _body(messages.encode(messages.Choose(option=())))
    yield EntryAttack("nothing-owed", "turn", "entry.turn", idle, idle=True)
    for other in ("answer", "leave", "wrong"):
        for kind in ("open", "commit"):
            if (other, kind) != ("answer", "open"):  # an opening can only be the one that was committed to
                yield EntryAttack(f"split-{kind}-{other}", kind, "entry.fork", _split(other), seats=4)


AnyAttack = Attack | EntryAttack


@cache
def attacks() -> dict[str, AnyAttack]:
    """All there are, by name."""
    bodies: list[AnyAttack] = [
        *test_refusals_setup.attacks,
        *test_refusals_dealing.attacks,
        *test_refusals_play.attacks,
    ]
    found: dict[str, AnyAttack] = {}
    for attack in (*bodies, *_entry_attacks()):
        name = attack.name if attack.name not in found else f"{attack.name}-{attack.nth}"
        assert name not in found, f"two attacks are named {name}"
        found[name] = attack
    return found


def kind_before(attack: AnyAttack) -> str:
    return attack.before[0] if attack.before is not None else ""


def seats_for(attack: AnyAttack) -> int:
    """A restock needs somebody who has left, a second toss as well."""
    if attack.at in RESTOCKING or "coin" in (attack.at, kind_before(attack)):
        return 4
    return attack.seats if isinstance(attack, EntryAttack) else 3


def leaver_for(attack: AnyAttack) -> dict[str, Any] | None:
    """When somebody else has to leave."""
    if "coin" in (attack.at, kind_before(attack)):
        return {"at": "open"}
    return {"at": "share", "nth": 1} if attack.at in RESTOCKING else None


@dataclass
class Client:
    """What one process has of its table."""

    attack: AnyAttack
    keeper: Any = None
    mesh: Any = None
    notes: dict[str, Any] = field(default_factory=dict)
    laid_at: int = -1
    done: bool = False


@contextmanager
def modified_client(order: dict[str, Any]) -> Iterator[None]:
    """The table of this order is played by a client that cheats."""
    client = Client(attacks()[order["cheat"]])
    keeper, mesh = _cheating_keeper(client, table_run.Keeper), _cheating_mesh(client, table_run.Mesh)
    with mock.patch.object(table_run, "Keeper", keeper), mock.patch.object(table_run, "Mesh", mesh):
        yield


def _cheating_mesh(client: Client, honest: type[Mesh]) -> type[Mesh]:
    class CheatingMesh(honest):  # type: ignore[valid-type,misc]
        def __init__(self, *arguments: Any) -> None:
            super().__init__(*arguments)
            client.mesh = self

    return CheatingMesh


def _cheating_keeper(client: Client, honest: type[Keeper]) -> type[Keeper]:
    class CheatingKeeper(honest):  # type: ignore[valid-type,misc]
        def due(self) -> Duty | Question | None:
            phase = self.phase()
            if not phase:
                due: Duty | Question | None = super().due()
                return due
            # Whoever cheats waits for all others first: it knows as much as anybody can.
            at_once = client.attack.at == "sit" or (isinstance(client.attack, EntryAttack) and client.attack.idle)
            return Duty(phase) if at_once or set(self.table.awaited) <= {self.me} else None

        def phase(self) -> str:
            moment, attack = self.table.moment, client.attack
            if client.done or self.returning or moment.number == client.laid_at:
                return ""
            if isinstance(attack, EntryAttack) and attack.idle:
                return "now" if moment.owed.kind == attack.at and self.me not in moment.owed.members else ""
            if super().due() is None:
                return ""
            if client.laid_at >= 0:
                return "now" if moment.number == client.laid_at + 1 else ""
            wanted = kind_before(attack) or attack.at
            if not self._comes(wanted, attack.nth):
                return ""
            return "before" if attack.before is not None else "now"

        def _comes(self, wanted: str, nth: int) -> bool:
            spine = self.table.spine
            begin = 0
            if wanted == "remix":
                begin = next((at for at, m in enumerate(spine) if m.owed.kind == "rekey"), len(spine))
                wanted = "mix"
            fits = [m.owed.kind == wanted and self.me in m.owed.members for m in spine[begin:]]
            return bool(fits) and fits[-1] and sum(fits) == nth + 1

        async def sign_due(self, choice: Choice | None) -> Entry | None:
            phase, attack = self.phase(), client.attack
            if not phase:
                entry: Entry | None = await super().sign_due(choice)
                return entry
            player = LivePlayer(self.own, self.table, self._randomness)
            cheat = LiveCheat(None, player, client.notes)  # type: ignore[arg-type]
            if phase == "before":
                assert isinstance(attack, Attack) and attack.before is not None
                client.laid_at = self.table.moment.number
                return await self._sign_any(cheat.sign(attack.before[1](cheat)), player)
            client.done = True
            if isinstance(attack, Attack):
                return await self._sign_any(cheat.sign(attack.make(cheat)), player)
            self._send_any(attack.make(cheat))
            return None

        async def _sign_any(self, signed: SignedEntry, player: LivePlayer) -> Entry:
            self.own = player.own
            sequence = len(self.table.logs[self.me].chain)
            entry: Entry = await self._sign(Draft(sequence, signed, b""))
            return entry

        def _send_any(self, sending: Sending) -> None:
            for signed, to in sending:
                message = wire.Entries(table=self.roster.table, entries=((signed.data, signed.signature),))
                for member in client.mesh.links if to is None else to:
                    client.mesh._send(member, message)
            for signed, _ in sending:
                self.hold(signed)

    return CheatingKeeper
