"""Typed bodies of entries: what a member can say at the table. Strict both ways, one encoding for each value.

A body is a MessagePack map with exactly the keys named below, "kind" among them. Lists of points are one byte string:
33 bytes a point, 66 a ciphertext. What a list must hold is known from the state, so counts are never sent.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, FailFast, Field, TypeAdapter, ValidationError

from p2pmatryoshka.errors import Refused
from p2pmatryoshka.record.strict import first_trouble, pack, unpack

MOST_BYTES = 192 * 1024
MOST_DEPTH = 4
MOST_ITEMS = 1024

Hash = Annotated[bytes, Field(min_length=32, max_length=32)]
PointBytes = Annotated[bytes, Field(min_length=33, max_length=33)]
Blob = Annotated[bytes, Field(max_length=MOST_BYTES)]
Small = Annotated[int, Field(ge=0, lt=1 << 16)]
Word = Annotated[str, Field(max_length=32)]
OptionTuple = Annotated[tuple[Word | Small, ...], FailFast(), Field(max_length=8)]
CardTuple = Annotated[tuple[Small, ...], FailFast(), Field(max_length=256)]
MemberTuple = Annotated[tuple[Small, ...], FailFast(), Field(max_length=64)]


class Body(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


class Sit(Body):
    """Entry 0 of every log: the roster, whose hash is the table id."""

    kind: Literal["sit"] = "sit"
    roster: Blob


class Keys(Body):
    """A table key with a proof of knowledge, and a commitment to 32 bytes for the joint coin."""

    kind: Literal["keys"] = "keys"
    key: PointBytes
    proof: Blob
    coin: Hash


class Commit(Body):
    """A hash commitment: to a coin's bytes, or to an exact Turn."""

    kind: Literal["commit"] = "commit"
    commitment: Hash


class Open(Body):
    """The opening of a commitment: its nonce, and the exact body committed to."""

    kind: Literal["open"] = "open"
    nonce: Hash
    body: Blob


class Turn(Body):
    """Cards taken out of a hand: the whole hand mixed anew with the chosen cards first, and shares that open them."""

    kind: Literal["turn"] = "turn"
    option: OptionTuple
    cards: CardTuple
    hidden: Small
    mixed: Blob
    mix_proof: Blob
    shares: Blob
    share_proof: Blob


class Choose(Body):
    """An open choice among options."""

    kind: Literal["choose"] = "choose"
    option: OptionTuple


class Share(Body):
    """Decryption shares for positions that the state names, with one batched proof."""

    kind: Literal["share"] = "share"
    shares: Blob
    proof: Blob


class Mix(Body):
    """A shuffle of the stock being made, and of the cards in hands where there are any."""

    kind: Literal["mix"] = "mix"
    stock: Blob
    stock_proof: Blob
    hands: Blob
    hands_proof: Blob


class Rekey(Body):
    """A member's own cards, each encrypted anew under the joint key, with proofs of equal plaintext."""

    kind: Literal["rekey"] = "rekey"
    cards: Blob
    proof: Blob


class Blind(Body):
    """Every ciphertext of both lists raised to one secret exponent, with a batched proof."""

    kind: Literal["blind"] = "blind"
    key: PointBytes
    stock: Blob
    hands: Blob
    proof: Blob


class Seal(Body):
    """The result: points by seat, and the winning seats."""

    kind: Literal["seal"] = "seal"
    points: Annotated[tuple[tuple[Small, int], ...], FailFast(), Field(max_length=64)]
    winners: MemberTuple


class Leave(Body):
    """The author gives up its place for good. It fills the next place that its author owes."""

    kind: Literal["leave"] = "leave"


class Ballot(Body):
    """For putting out the members named, in a round; see protocol/motions.md for the three kinds."""

    round: Annotated[int, Field(ge=0, lt=1 << 32)]
    absent: MemberTuple


class Vote(Ballot):
    kind: Literal["vote"] = "vote"


class Withdraw(Ballot):
    kind: Literal["withdraw"] = "withdraw"


class Confirm(Ballot):
    kind: Literal["confirm"] = "confirm"


class Stand(Body):
    """After a fork by `forker`: the table hashes that its author stands on, oldest first, the newest last."""

    kind: Literal["stand"] = "stand"
    forker: Small
    hashes: Annotated[tuple[Hash, ...], FailFast(), Field(min_length=1, max_length=64)]


AnyBody = (
    Sit | Keys | Commit | Open | Turn | Choose | Share | Mix | Rekey | Blind | Seal
    | Leave | Vote | Withdraw | Confirm | Stand
)  # fmt: skip
_ADAPTER: TypeAdapter[AnyBody] = TypeAdapter(Annotated[AnyBody, Field(discriminator="kind")])


def encode(body: AnyBody) -> bytes:
    """The one encoding of a body."""
    return pack(body.model_dump())


def decode(data: bytes) -> AnyBody:
    """Raises Refused("msgpack...." or "body....")."""
    got: Any = unpack(data, MOST_BYTES, MOST_DEPTH, max_items=MOST_ITEMS)
    try:
        return _ADAPTER.validate_python(got)
    except ValidationError as error:
        raise Refused("body.form", first_trouble(error)) from error
