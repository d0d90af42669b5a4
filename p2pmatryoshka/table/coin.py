"""The joint coin: everybody commits to 32 bytes, everybody opens, and the hash of all openings belongs to nobody.

The last to open can refuse after seeing the others. That is visible and signed, costs the place, and the coin is tossed
afresh by those who remain.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass

from p2pmatryoshka.crypto import commitment, labels
from p2pmatryoshka.errors import Fault, Refused
from p2pmatryoshka.record.strict import Packable, pack
from p2pmatryoshka.table.messages import Open

COIN_BYTES = 32


@dataclass(frozen=True, slots=True)
class Coins:
    """Commitments that wait to be opened, by roster index; `number` is the step they were made in."""

    number: int
    commitments: Mapping[int, bytes]


def check_open(coins: Coins, table: bytes, member: int, body: Open) -> bytes:
    """The member's 32 bytes. Raises Refused("commitment.mismatch") or ("coin.length")."""
    commitment.check(coins.commitments[member], table, coins.number, member, body.nonce, body.body)
    if len(body.body) != COIN_BYTES:
        raise Refused("coin.length", f"{len(body.body)} bytes instead of {COIN_BYTES}")
    return body.body


def join(table: bytes, number: int, values: Mapping[int, bytes]) -> bytes:
    """32 bytes: SHA-256 over label, 0 byte, and table id, step number of the openings, [member, value] in order."""
    openings: list[Packable] = [[member, values[member]] for member in sorted(values)]
    return hashlib.sha256(labels.COIN + b"\0" + pack([table, number, openings])).digest()


def number_below(coin: bytes, purpose: str, sides: int) -> int:
    """A number in [0, sides) drawn from a coin for one purpose; the bias is below 2^-440."""
    if not 0 < sides < 1 << 64:
        raise Fault(f"a coin with {sides} sides")
    digest = hashlib.sha512(labels.COIN_DRAW + b"\0" + pack([coin, purpose])).digest()
    return int.from_bytes(digest, "big") % sides


def seating(coin: bytes, members: int) -> tuple[int, ...]:
    """The roster index that sits at each seat: a Fisher-Yates shuffle of 0..members-1 by draws "seat N"."""
    order = list(range(members))
    for last in range(members - 1, 0, -1):
        other = number_below(coin, f"seat {last}", last + 1)
        order[last], order[other] = order[other], order[last]
    return tuple(order)
