"""protocol/limits.md says what the code does."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from p2pmatryoshka.crypto import commitment, elgamal, group, labels, shuffle, signing
from p2pmatryoshka.errors import LinkFault
from p2pmatryoshka.node import address_book, gate, invite, link, lobby, mesh, wire
from p2pmatryoshka.node.identity import Identity
from p2pmatryoshka.record import entry, log, neighbour, strict, sync
from p2pmatryoshka.record.strict import pack
from p2pmatryoshka.rules.catalogue import GAMES
from p2pmatryoshka.rules.deck_check import LARGEST_FILE
from p2pmatryoshka.table import coin, messages, motion, own, record_file, roster, stands, table

LIMITS = Path(__file__).parents[1] / "protocol" / "limits.md"


def most(model: type, field: str, what: str = "max_length") -> int:
    """The bound that a typed message puts on a field."""
    (bound,) = [getattr(m, what) for m in model.model_fields[field].metadata if hasattr(m, what)]  # type: ignore[attr-defined]
    return int(bound)


CODE: dict[str, float] = {
    "entry, signed bytes": entry.MOST_BYTES,
    "body": messages.MOST_BYTES,
    "values in a body": messages.MOST_ITEMS,
    "depth of a body": messages.MOST_DEPTH,
    "entries in one log": entry.MOST_ENTRIES,
    "early entries held of one member, and of a second branch what hangs in the air": log.MOST_EARLY,
    "entries held of one member behind the cursor": table.MOST_AHEAD,
    "bytes of these entries": table.MOST_AHEAD_BYTES,
    "entries of a second branch": log.MOST_BRANCH,
    "bytes of a second branch of more than 16 entries": log.MOST_BRANCH_BYTES,
    "table hashes in a statement": most(messages.Stand, "hashes"),
    "highest round of a motion": motion.HIGHEST_ROUND,
    "steps looked back for open motions": own.MOST_NOT_FINAL,
    "values in one MessagePack structure, where no other bound is given": strict.MAX_ITEMS,
    "roster, set-up": roster.MOST_BYTES,
    "values in a roster or set-up": roster.MOST_ITEMS,
    "longest clock": roster.MOST_CLOCK,
    "deck file": most(roster.Setup, "deck"),
    "members": most(roster.Setup, "seats", "le"),
    "fewest members": most(roster.Setup, "seats", "ge"),
    "name": most(roster.Member, "name"),
    "record file": record_file.MOST_BYTES,
    "values in a record file": record_file.MOST_ITEMS,
    "point": group.POINT_SIZE,
    "scalar": group.SCALAR_SIZE,
    "ciphertext": elgamal.CIPHERTEXT_SIZE,
    "shuffle proof of one card": shuffle.proof_size(1),
    "shuffle proof of 70 cards": shuffle.proof_size(70),
    "commitment": commitment.COMMITMENT_SIZE,
    "nonce": commitment.NONCE_SIZE,
    "coin": coin.COIN_BYTES,
    "identity key": signing.KEY_SIZE,
    "signature": signing.SIGNATURE_SIZE,
    "frame": wire.LARGEST_FRAME,
    "values in a frame": wire.MOST_ITEMS,
    "frame before one sits at a table": gate.LARGEST_STRANGER_FRAME,
    "have": wire.Have.most_bytes,
    "entries": wire.Entries.most_bytes,
    "seats": wire.Seats.most_bytes,
    "roster message": wire.RosterOffer.most_bytes,
    "any other message": wire.Message.most_bytes,
    "heads in a have": most(wire.Have, "heads"),
    "ranges in a want": most(wire.Want, "ranges"),
    "entries asked for at once": sync.MOST_ASKED,
    "entries in one answer": sync.BATCH_ENTRIES,
    "bytes in one answer": sync.BATCH_BYTES,
    "entries in one message": most(wire.Entries, "entries"),
    "entries searched below a fork": neighbour.BELOW_A_FORK,
    "bytes to one watcher": sync.WATCHER_BYTES,
    "bytes queued for a slow reader": link.MOST_QUEUED,
    "connections not yet greeted": gate.MOST_STRANGERS,
    "addresses of one member": most(wire.Join, "addresses"),
    "note of addresses": address_book.MOST_BYTES,
    "addresses in a note": most(address_book._Note, "at"),
    "invite": invite._MOST_TEXT,
    "token of an invite": invite.TOKEN_BYTES,
    "connecting": gate.CONNECT_SECONDS,
    "handshake and welcome": link.HANDSHAKE_SECONDS,
    "greeting": gate.GREETING_SECONDS,
    "between pings": link.PING_SECONDS,
    "silence after which a link is dead": link.DEAD_SECONDS,
    "goodbye": link.GOODBYE_SECONDS,
    "wish to join": lobby.JOIN_SECONDS,
    "answer to a set-up": lobby.ANSWER_SECONDS,
    "before an entry is announced, when nothing is known of the neighbour's links": neighbour.TELL_AFTER,
    "before it is announced to a neighbour linked to its author": neighbour.TELL_LATE_AFTER,
    "before a question goes to somebody else": sync.ASK_AGAIN_AFTER,
    "the higher index waits before dialling": mesh.COURTESY,
    "waiting for others after the end": mesh.LINGER_SECONDS,
    "sending what is queued then": mesh.SETTLE_SECONDS,
}
ELSEWHERE = {"depth of a roster", "depth of a record file", "address", "address in a note"}
"""Limits that stand inside a function, tested below or beside it."""


def written() -> dict[str, float]:
    rows = re.findall(r"^\| ([^|]+) \| ([0-9.]+) \|", LIMITS.read_text(encoding="utf-8"), re.MULTILINE)
    return {name: float(value) for name, value in rows}


def test_every_limit_is_compared() -> None:
    assert set(written()) == CODE.keys() | ELSEWHERE


@pytest.mark.parametrize("name", CODE)
def test_limit(name: str) -> None:
    assert written()[name] == CODE[name]


def test_limits_that_stand_twice_agree() -> None:
    assert roster.MOST_DECK_BYTES == LARGEST_FILE == CODE["deck file"]
    assert CODE["table hashes in a statement"] == stands.MOST_HASHES
    assert wire.LARGEST_ENTRY == entry.MOST_BYTES
    assert CODE["members"] == wire.MOST_MEMBERS
    assert wire.VERSION == entry.VERSION == 1
    assert most(wire.Want, "ranges") >= sync.MOST_RANGES
    assert most(wire.Entries, "entries") >= sync.BATCH_ENTRIES
    assert max(count for game in GAMES.values() for count in game.seatings) <= CODE["members"]


def test_the_longest_address_is_the_longest_that_fits() -> None:
    fields = {"token": b"", "name": "Ada", "nonce": bytes(32)}
    wire.Join.model_validate({**fields, "addresses": ("a" * int(written()["address"]),)})
    with pytest.raises(ValueError, match="at most 128"):
        wire.Join.model_validate({**fields, "addresses": ("a" * (int(written()["address"]) + 1),)})


def test_the_longest_address_in_a_note_is_the_longest_that_is_kept() -> None:
    me, most_characters = Identity(Ed25519PrivateKey.from_private_bytes(bytes(32))), int(written()["address in a note"])
    fits = "a" * (most_characters - 5) + ":4711"
    book = address_book.AddressBook(bytes(32), (me.public,), ())
    assert book.learn(address_book.sign_note(me, bytes(32), 0, 0, (fits, f"a{fits}")))
    assert book.of(0) == (fits,)
    data = pack({"at": [f"a{fits}"], "member": 0, "number": 1, "table": bytes(32)})
    with pytest.raises(LinkFault, match=r"address\.form"):
        book.learn((0, data, signing.sign(me.key, labels.SIGN_ADDRESS, data)))
