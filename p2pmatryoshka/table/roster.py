"""The roster: who plays what, by which rules. Its bytes stand in every first entry; their hash is the table id."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, ConfigDict, FailFast, Field, ValidationError

from p2pmatryoshka.crypto import labels, signing
from p2pmatryoshka.errors import Illegal, Refused
from p2pmatryoshka.record.entry import VERSION
from p2pmatryoshka.record.strict import first_trouble, pack, unpack
from p2pmatryoshka.rules.catalogue import GAMES
from p2pmatryoshka.rules.game import AnyGame, Value

MOST_BYTES = 64 * 1024
MOST_ITEMS = 2048
MOST_DECK_BYTES = 32 * 1024
M = TypeVar("M", bound=BaseModel)
MOST_CLOCK = 7 * 24 * 3600
Bytes32 = Annotated[bytes, Field(min_length=32, max_length=32)]
Text = Annotated[str, Field(max_length=64)]
Name = Annotated[str, Field(min_length=1, max_length=32)]


class _Strict(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


class Member(_Strict):
    """One member: Ed25519 identity key, 32 fresh bytes of its own that make the table unique, a self-chosen name."""

    key: Bytes32
    nonce: Bytes32
    name: Name


class Setup(_Strict):
    """What is played: game, house rules (complete), and the deck file's content. clock: seconds after which the others
    propose to put out whoever has not answered; 0 for none. Nothing is ever played for anyone."""

    game: Text
    rules: dict[Text, Text | int | bool | Annotated[tuple[Text, ...], Field(max_length=64)]]
    deck: Annotated[bytes, Field(max_length=MOST_DECK_BYTES)]
    seats: Annotated[int, Field(ge=2, le=16)]
    clock: Annotated[int, Field(ge=0, le=MOST_CLOCK)]


class _Roster(_Strict):
    version: int
    setup: Setup
    members: Annotated[tuple[Member, ...], FailFast(), Field(min_length=2, max_length=16)]


@dataclass(frozen=True, slots=True)
class Roster:
    """A checked roster. `table` is its id: SHA-256 over label, 0 byte, `data`."""

    data: bytes
    table: bytes
    setup: Setup
    members: tuple[Member, ...]

    @property
    def keys(self) -> tuple[bytes, ...]:
        return tuple(member.key for member in self.members)

    @property
    def game(self) -> AnyGame:
        return GAMES[self.setup.game]

    def index_of(self, key: bytes) -> int:
        """The roster index of an identity key. Raises Refused."""
        for index, member in enumerate(self.members):
            if member.key == key:
                return index
        raise Refused("roster.member", "this identity is not on the roster")


def make_setup(game: str, seats: int, rules: Mapping[str, Value], deck: bytes = b"", clock: int = 0) -> Setup:
    """A complete set-up from what a host chose. Raises Illegal naming the rule or the fault in the deck."""
    if not 0 <= clock <= MOST_CLOCK:
        raise Illegal("setup.clock", f"a clock runs for 0 (none) to {MOST_CLOCK} seconds, not {clock}")
    if game not in GAMES:
        raise Illegal("setup.game", f"no game {game!r}; there are {', '.join(sorted(GAMES))}")
    engine = GAMES[game]
    if seats not in engine.seatings:
        allowed = " or ".join(str(count) for count in engine.seatings)
        raise Illegal("setup.seats", f"{game} is for {allowed} players, not {seats}")
    complete = engine.rules(seats, rules)
    engine.start(complete, deck, seats)
    return Setup(game=game, rules=dict(complete), deck=deck, seats=seats, clock=clock)


def make_roster(setup: Setup, members: tuple[Member, ...]) -> bytes:
    """The roster's one encoding."""
    return pack(_Roster(version=VERSION, setup=setup, members=members).model_dump())


def read_setup(data: bytes) -> Setup:
    """A set-up as it travels before the roster exists, fully checked. Raises Refused."""
    return check_setup(_validate(Setup, unpack(data, MOST_BYTES, 4, max_items=MOST_ITEMS)))


def pack_setup(setup: Setup) -> bytes:
    return pack(setup.model_dump())


def check_setup(setup: Setup) -> Setup:
    """Raises Refused unless the set-up is exactly what a host's choice would be completed to."""
    try:
        complete = make_setup(setup.game, setup.seats, setup.rules, setup.deck, setup.clock)
    except Illegal as error:
        raise Refused("roster." + error.code, error.detail) from error
    if complete != setup:
        raise Refused("roster.rules", "the house rules are not complete")
    return setup


def read_roster(data: bytes) -> Roster:
    """Decode and check a roster. Raises Refused("roster....") or ("msgpack....")."""
    got = _validate(_Roster, unpack(data, MOST_BYTES, 5, max_items=MOST_ITEMS))
    if got.version != VERSION:
        raise Refused("roster.version", f"protocol version {got.version}, this program speaks {VERSION}")
    check_setup(got.setup)
    if len(got.members) != got.setup.seats:
        raise Refused("roster.seats", f"{len(got.members)} members for {got.setup.seats} seats")
    for member in got.members:
        signing.check_identity_key(member.key)
        if not member.name.isprintable() or member.name != member.name.strip():
            raise Refused("roster.name", "a name holds characters that cannot be shown")
    if len({member.key for member in got.members}) != len(got.members):
        raise Refused("roster.same-key", "one identity key stands for two members")
    return Roster(data, table_id(data), got.setup, got.members)


def table_id(roster: bytes) -> bytes:
    """32 bytes naming a table."""
    return hashlib.sha256(labels.TABLE_ID + b"\0" + roster).digest()


def _validate(model: type[M], got: Any) -> M:
    try:
        return model.model_validate(got)
    except ValidationError as error:
        raise Refused("roster.form", first_trouble(error)) from error
