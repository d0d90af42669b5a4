"""Where the members of a table can be reached: as the lobby said, and as each member itself has signed since."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from p2pmatryoshka.crypto import labels, signing
from p2pmatryoshka.errors import LinkFault, Refused, UserError
from p2pmatryoshka.node.identity import Identity
from p2pmatryoshka.node.invite import split_address
from p2pmatryoshka.record.strict import pack, unpack

MOST_BYTES = 1024
Signed = tuple[int, bytes, bytes]
"""Roster index, what that member signed, its signature: as `have` carries it."""


class _Note(BaseModel):
    """number grows with every start of its author's process, so that the newest note is known."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)
    table: Annotated[bytes, Field(min_length=32, max_length=32)]
    member: Annotated[int, Field(ge=0, lt=16)]
    number: Annotated[int, Field(ge=0, lt=1 << 32)]
    at: Annotated[tuple[Annotated[str, Field(min_length=1, max_length=64)], ...], Field(max_length=12)]


def sign_note(identity: Identity, table: bytes, member: int, number: int, addresses: Sequence[str]) -> Signed:
    """This member's own addresses, for others to pass on."""
    kept = tuple(address for address in addresses if len(address) <= 64)[:12]
    data = pack(_Note(table=table, member=member, number=number, at=kept).model_dump())
    return member, data, signing.sign(identity.key, labels.SIGN_ADDRESS, data)


class AddressBook:
    """Of one table. What a member signed about itself goes before what the lobby was told."""

    def __init__(self, table: bytes, keys: Sequence[bytes], told: Sequence[tuple[str, ...]]) -> None:
        self._table = table
        self._keys = keys
        self._told = told
        self._newest: dict[int, tuple[int, Signed, tuple[str, ...]]] = {}

    @property
    def signed(self) -> tuple[Signed, ...]:
        """The newest note of each member, by roster index."""
        return tuple(self._newest[member][1] for member in sorted(self._newest))

    def of(self, member: int) -> tuple[str, ...]:
        """The likeliest first, each once."""
        newest = self._newest[member][2] if member in self._newest else ()
        told = self._told[member] if member < len(self._told) else ()
        return tuple(dict.fromkeys((*newest, *told)))

    def learn(self, note: Signed) -> bool:
        """Take a note; False if a newer one is known. Raises LinkFault for one that its member did not sign."""
        member, data, signature = note
        try:
            got = _Note.model_validate(unpack(data, MOST_BYTES, 2))
            if got.member != member or member >= len(self._keys) or got.table != self._table:
                raise LinkFault("address.member", "a note of another member or table")
            signing.verify(self._keys[member], labels.SIGN_ADDRESS, data, signature)
            for address in got.at:
                split_address(address)
        except (Refused, ValidationError, UserError) as error:
            raise LinkFault("address.form", str(error)) from error
        if member in self._newest and got.number <= self._newest[member][0]:
            return False
        self._newest[member] = got.number, note, got.at
        return True
