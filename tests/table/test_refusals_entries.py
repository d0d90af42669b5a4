"""A member cheats with its entries themselves: chain, table hash, order, encoding; and bodies of every wrong form."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgpack
import pytest

from p2pmatryoshka.crypto import labels, signing
from p2pmatryoshka.record import entry as entries
from p2pmatryoshka.record.entry import SignedEntry
from p2pmatryoshka.record.log import MOST_EARLY
from p2pmatryoshka.record.strict import pack
from p2pmatryoshka.table import messages
from p2pmatryoshka.table.table import Accusation
from tests.table.attack import Attack, Cheat, convict, open_step, settle, sign

KEY, PROOF, COIN = bytes(33), bytes(64), bytes(32)


def signed_raw(cheat: Cheat, data: bytes) -> SignedEntry:
    return SignedEntry(data, signing.sign(cheat.player.own.identity, labels.SIGN_ENTRY, data))


def cheating(kind: str, member: int = 1) -> Cheat:
    group = open_step(kind, member)
    return Cheat(group, group.players[member])


def fields(cheat: Cheat, body: bytes) -> list[Any]:
    log = cheat.player.table.logs[cheat.member]
    return [1, cheat.table, cheat.member, len(log.chain), log.head, cheat.moment.hash, body]


# --- bodies of every wrong form

FORMS: dict[str, tuple[bytes, str]] = {
    "nothing": (b"", "msgpack.truncated"),
    "a number": (b"\x01", "body.form"),
    "text": (pack("keys"), "body.form"),
    "an array": (pack(["keys"]), "body.form"),
    "an empty map": (pack({}), "body.form"),
    "no kind": (pack({"key": KEY}), "body.form"),
    "a kind nobody knows": (pack({"kind": "keyz"}), "body.form"),
    "a kind that is a number": (pack({"kind": 1}), "body.form"),
    "a kind that is a truth value": (pack({"kind": True}), "body.form"),
    "a kind in bytes": (pack({"kind": b"keys"}), "body.form"),
    "a kind that is an array": (pack({"kind": ["keys"]}), "body.form"),
    "a kind that is a map": (pack({"kind": {"keys": 1}}), "body.form"),
    "a key missing": (pack({"kind": "keys", "key": KEY, "proof": PROOF}), "body.form"),
    "a key unknown": (
        pack({"kind": "keys", "key": KEY, "proof": PROOF, "coin": COIN, "more": 1}),
        "body.form",
    ),
    "a key twice": (b"\x82" + pack("kind") + pack("leave") + pack("kind") + pack("leave"), "msgpack.order"),
    "keys in another order": (b"\x82" + pack("kind") + pack("choose") + pack("a") + pack(1), "msgpack.order"),
    "a key that is no text": (b"\x81\x01\x01", "msgpack.key"),
    "nil": (b"\xc0", "msgpack.nil"),
    "a float": (msgpack.packb(1.0), "msgpack.type"),
    "a timestamp": (msgpack.packb(msgpack.Timestamp(1)), "msgpack.type"),
    "an extension": (msgpack.packb(msgpack.ExtType(5, b"x")), "msgpack.type"),
    "a reserved byte": (b"\xc1", "msgpack.type"),
    "a longer form of a map": (b"\xde\x00\x01" + pack("kind") + pack("leave"), "msgpack.canonical"),
    "a longer form of text": (b"\x81" + pack("kind") + b"\xd9\x05leave", "msgpack.canonical"),
    "text that is no UTF-8": (b"\x81" + pack("kind") + b"\xa1\xff", "msgpack.text"),
    "a surrogate": (b"\x81" + pack("kind") + b"\xa3\xed\xa0\x80", "msgpack.text"),
    "something after it": (pack({"kind": "leave"}) + b"\0", "msgpack.trailing"),
    "the end missing": (pack({"kind": "leave"})[:-1], "msgpack.truncated"),
    "a length that is a lie": (b"\xdd\xff\xff\xff\xff", "msgpack.truncated"),
    "nested arrays": (b"\x91" * 60 + b"\x01", "msgpack.depth"),
    "endlessly nested": (b"\x91" * 100_000 + b"\x01", "msgpack.depth"),
    "nested announcements": (b"\xdc\xff\xff" * 20_000, "msgpack.truncated"),
    "too many values": (b"\xdd\x00\x01\x00\x00" + b"\x01" * 65_536, "msgpack.items"),
    "too large": (pack({"kind": "open", "nonce": COIN, "body": bytes(messages.MOST_BYTES)}), "msgpack.size"),
}


@pytest.mark.parametrize("form", FORMS, ids=str)
def test_a_body_of_a_wrong_form_convicts_its_author(form: str) -> None:
    body, rule = FORMS[form]
    kind = ("keys", "choose", "commit")[len(form) % 3]
    convict(Attack(kind, rule, lambda c: body), 1)


WRONG_TYPES = [("key", 1), ("key", "x" * 33), ("key", [1]), ("proof", True), ("coin", "x" * 32), ("coin", {"a": 1})]


@pytest.mark.parametrize(("field", "value"), WRONG_TYPES, ids=str)
def test_a_field_of_a_wrong_type_convicts_its_author(field: str, value: Any) -> None:
    body = pack({"kind": "keys", "key": KEY, "proof": PROOF, "coin": COIN, field: value})
    convict(Attack("keys", "body.form", lambda c: body), 0)


BODIES: dict[str, messages.AnyBody] = {
    "sit": messages.Sit(roster=b""),
    "keys": messages.Keys(key=KEY, proof=PROOF, coin=COIN),
    "commit": messages.Commit(commitment=COIN),
    "open": messages.Open(nonce=COIN, body=b""),
    "turn": messages.Turn(option=(), cards=(), hidden=0, mixed=b"", mix_proof=b"", shares=b"", share_proof=b""),
    "choose": messages.Choose(option=()),
    "share": messages.Share(shares=b"", proof=b""),
    "mix": messages.Mix(stock=b"", stock_proof=b"", hands=b"", hands_proof=b""),
    "rekey": messages.Rekey(cards=b"", proof=b""),
    "blind": messages.Blind(key=KEY, stock=b"", hands=b"", proof=b""),
    "seal": messages.Seal(points=(), winners=()),
}
FITTING = {"coin": "commit", "reveal": "open", "remix": "mix", "tags": "share"}
STEPS = ["sit", "keys", "coin", "open", "mix", "share", "commit", "reveal", "turn", "choose", "seal"]
STEPS += ["rekey", "remix", "blind", "tags"]


@pytest.mark.parametrize("kind", STEPS)
def test_a_body_of_a_kind_that_was_not_asked_convicts_its_author(kind: str) -> None:
    group = open_step(kind, 1)
    for name, body in BODIES.items():
        if name == FITTING.get(kind, kind):
            continue
        table, events = group.players[2].table.receive(sign(group.players[1], body))
        accused = [(e.member, e.rule) for e in events if isinstance(e, Accusation)]
        assert accused == [(1, "body.kind")], name
        assert table.accusations[-1].step == group.moment.number


# --- the entry around the body

Altering = Callable[[Cheat, list[Any]], bytes]


def _longer_number(place: int) -> Altering:
    def alter(cheat: Cheat, got: list[Any]) -> bytes:
        parts = [pack(value) for value in got]
        parts[place] = b"\xcd" + int(got[place]).to_bytes(2, "big")
        return b"\x97" + b"".join(parts)

    return alter


def _longer_bytes(place: int) -> Altering:
    def alter(cheat: Cheat, got: list[Any]) -> bytes:
        parts = [pack(value) for value in got]
        parts[place] = b"\xc6" + len(got[place]).to_bytes(4, "big") + got[place]
        return b"\x97" + b"".join(parts)

    return alter


def _longer_array(cheat: Cheat, got: list[Any]) -> bytes:
    return b"\xdc\x00\x07" + b"".join(pack(value) for value in got)


NOT_CANONICAL = {
    "version": _longer_number(0),
    "table": _longer_bytes(1),
    "author": _longer_number(2),
    "sequence": _longer_number(3),
    "previous": _longer_bytes(4),
    "table hash": _longer_bytes(5),
    "body": _longer_bytes(6),
    "array": _longer_array,
}


@pytest.mark.parametrize("field", NOT_CANONICAL)
def test_an_entry_that_is_not_in_its_one_encoding(field: str) -> None:
    cheat = cheating("commit")
    data = NOT_CANONICAL[field](cheat, fields(cheat, messages.encode(cheat.honest())))
    settle(cheat.group, 1, [signed_raw(cheat, data)], {(1, "entry.canonical")})


@pytest.mark.parametrize("length", [0, 31, 33])
def test_a_table_hash_of_a_wrong_length(length: int) -> None:
    cheat = cheating("commit")
    signed = sign(cheat.player, cheat.honest(), table_hash=bytes(length))
    settle(cheat.group, 1, [signed], {(1, "entry.hash-length")})


@pytest.mark.parametrize("previous", [bytes(32), bytes(31), b""], ids=len)
def test_a_first_entry_that_names_a_predecessor(previous: bytes) -> None:
    cheat = cheating("sit")
    signed = sign(cheat.player, cheat.honest(), previous=previous)
    settle(cheat.group, 1, [signed], {(1, "entry.previous")})


def test_an_answer_where_nothing_was_owed() -> None:
    """Its author owed nothing in the step that the entry names."""
    active = open_step("turn", 0)
    idle = next(p for p in active.players if p.member not in active.moment.owed.members)
    signed = sign(idle, messages.Choose(option=()))
    settle(active, idle.member, [signed], {(idle.member, "entry.turn")})


def test_two_answers_to_one_step() -> None:
    cheat = cheating("commit")
    body = cheat.honest()
    first = cheat.sign(body)
    named = cheat.moment.hash
    cheat.player.receive(first)
    second = sign(cheat.player, body, table_hash=named)
    settle(cheat.group, 1, [first, second], {(1, "entry.turn")})


@pytest.mark.parametrize("back", [1, 2, 5])
def test_an_answer_that_names_an_older_step(back: int) -> None:
    cheat = cheating("commit")
    older = cheat.player.table.spine[-1 - back].hash
    settle(cheat.group, 1, [sign(cheat.player, cheat.honest(), table_hash=older)], {(1, "entry.turn")})


def test_an_answer_that_names_the_table_before_its_first_step() -> None:
    cheat = cheating("commit")
    settle(cheat.group, 1, [sign(cheat.player, cheat.honest(), table_hash=cheat.table)], {(1, "entry.turn")})


@pytest.mark.parametrize("kind", ["keys", "commit", "turn", "seal"])
def test_a_wrong_previous_hash_parts_the_log(kind: str) -> None:
    """The entry before it, which everybody holds, and this one cannot belong to one log."""
    cheat = cheating(kind)
    settle(cheat.group, 1, [sign(cheat.player, cheat.honest(), previous=bytes(32))], {(1, "entry.fork")})


@pytest.mark.parametrize("place", [0, 1, 4])
def test_another_version_of_an_old_entry(place: int) -> None:
    """It puts its author out now; what everybody has signed over stays."""
    cheat = cheating("commit")
    log = cheat.player.table.logs[1]
    previous = log.chain[place - 1].hash if place else cheat.table
    signed = sign(
        cheat.player,
        messages.Choose(option=("x",)),
        sequence=place,
        previous=previous,
        table_hash=log.chain[place].table_hash,
    )
    before = [m.hash for m in cheat.player.table.spine]
    settle(cheat.group, 1, [signed], {(1, "entry.fork")})
    kept = cheat.group.players[0].table.spine[: len(before)]
    assert [m.hash for m in kept] == before


def test_one_signature_more_for_the_same_bytes_is_no_fork() -> None:
    """Forks are of signed bytes, never of signatures."""
    cheat = cheating("commit")
    log = cheat.player.table.logs[1]
    table, events = cheat.group.players[0].table.receive(log.chain[2].signed)
    assert table is cheat.group.players[0].table
    assert not events


# --- what proves nothing: held or rejected, and bounded


def test_a_gap_is_held_and_accuses_nobody() -> None:
    cheat = cheating("commit")
    first = cheat.sign(cheat.honest())
    cheat.player.receive(first)
    late = cheat.sign(messages.Leave())
    table = cheat.group.players[0].table
    held, events = table.receive(late)
    assert not events
    assert 1 in held.awaited
    filled, events = held.receive(first)
    assert 1 not in filled.awaited
    assert not filled.accusations


def test_an_unknown_table_hash_is_held_and_accuses_nobody() -> None:
    cheat = cheating("commit")
    signed = sign(cheat.player, cheat.honest(), table_hash=bytes(32))
    cheat.group.silent.add(1)
    cheat.group.post(signed, 1)
    cheat.group.run()
    for player in cheat.group.present:
        assert not player.accusations()
        assert 1 in player.table.awaited


@pytest.mark.parametrize("order", ["ascending", "descending"])
def test_a_flood_of_early_entries_is_held_within_bounds(order: str) -> None:
    cheat = cheating("commit")
    table = cheat.group.players[0].table
    log = table.logs[1]
    flood = [
        sign(cheat.player, messages.Leave(), sequence=len(log.chain) + 2 + i, previous=bytes(32))
        for i in range(5 * MOST_EARLY)
    ]
    for signed in flood if order == "ascending" else reversed(flood):
        table, events = table.receive(signed)
        assert not events
    assert len(table.logs[1].early) <= MOST_EARLY
    # The entry that is really next still counts.
    table, events = table.receive(cheat.sign(cheat.honest()))
    assert 1 not in table.awaited


def test_a_flood_of_entries_in_a_row_is_held_within_bounds() -> None:
    """None of them can be judged, since its author names a step that may still come."""
    cheat = cheating("commit")
    table, player = cheat.group.players[0].table, cheat.player
    before = len(table.logs[1].chain)
    head, body = table.logs[1].head, messages.encode(messages.Leave())
    for i in range(1500):
        signed = entries.sign(player.own.identity, cheat.table, 1, before + i, head, bytes(32), b"" if i else body)
        head = entries.entry_hash(signed.data)
        table = table.hold(table.parse(signed))
    assert len(table.logs[1].chain) - before <= 1024


def rejected(cheat: Cheat, signed: SignedEntry) -> str:
    """The rule by which an honest table rejects this, with nothing changed and nobody accused."""
    table = cheat.group.players[0].table
    after, events = table.receive(signed)
    assert after is table
    (event,) = events
    assert not isinstance(event, Accusation)
    return event.rule  # type: ignore[union-attr]


FORGED: dict[str, tuple[Callable[[Cheat, list[Any]], Any], str]] = {
    "another version": (lambda c, f: [2, *f[1:]], "entry.version"),
    "another table": (lambda c, f: [f[0], bytes(32), *f[2:]], "entry.table"),
    "an author not on the roster": (lambda c, f: [*f[:2], 3, *f[3:]], "entry.author"),
    "signed for another member": (lambda c, f: [*f[:2], 2, *f[3:]], "entry.signature"),
    "author 256": (lambda c, f: [*f[:2], 256, *f[3:]], "entry.form"),
    "author below nought": (lambda c, f: [*f[:2], -1, *f[3:]], "entry.form"),
    "sequence below nought": (lambda c, f: [*f[:3], -1, *f[4:]], "entry.form"),
    "sequence without end": (lambda c, f: [*f[:3], 1 << 63, *f[4:]], "entry.form"),
    "a truth value": (lambda c, f: [True, *f[1:]], "entry.form"),
    "text for bytes": (lambda c, f: [*f[:6], "body"], "entry.form"),
    "a map for the body": (lambda c, f: [*f[:6], {"kind": "leave"}], "entry.form"),
    "an array for the body": (lambda c, f: [*f[:6], [1]], "entry.form"),
    "six fields": (lambda c, f: f[:6], "entry.form"),
    "eight fields": (lambda c, f: [*f, 1], "entry.form"),
    "a map": (lambda c, f: {"version": 1}, "entry.form"),
    "a number": (lambda c, f: 7, "entry.form"),
}


@pytest.mark.parametrize("forgery", FORGED)
def test_what_is_no_entry_of_this_member_here_accuses_nobody(forgery: str) -> None:
    make, rule = FORGED[forgery]
    cheat = cheating("commit")
    data = pack(make(cheat, fields(cheat, b"\x80")))
    assert rejected(cheat, signed_raw(cheat, data)) == rule


BYTES: dict[str, tuple[bytes, str]] = {
    "nothing": (b"", "entry.form"),
    "a reserved byte": (b"\xc1", "entry.form"),
    "a lie about a length": (b"\xdd\xff\xff\xff\xff", "entry.form"),
    "a lie about bytes": (b"\x97\x01\xc6\xff\xff\xff\xff", "entry.form"),
    "deep nesting": (b"\x91" * 200_000, "entry.form"),
    "a timestamp": (msgpack.packb([msgpack.Timestamp(1)] * 7), "entry.form"),
    "an empty extension": (b"\x97" + b"\xc7\x00\xff" * 7, "entry.form"),
    "too large": (bytes(entries.MOST_BYTES + 1), "entry.size"),
}


@pytest.mark.parametrize("name", BYTES)
def test_bytes_that_are_no_entry_accuse_nobody(name: str) -> None:
    data, rule = BYTES[name]
    cheat = cheating("commit")
    assert rejected(cheat, signed_raw(cheat, data)) == rule


def test_an_entry_with_something_after_it_accuses_nobody() -> None:
    cheat = cheating("commit")
    data = pack(fields(cheat, b"\x80")) + b"\0"
    assert rejected(cheat, signed_raw(cheat, data)) == "entry.form"


def test_signatures_that_do_not_hold_accuse_nobody() -> None:
    cheat = cheating("commit")
    good = cheat.sign(cheat.honest())
    other = cheat.group.players[2].own.identity
    for label in (labels.SIGN_TALK, labels.SIGN_INVITE, labels.SIGN_GREETING, labels.SIGN_ADDRESS):
        wrong = SignedEntry(good.data, signing.sign(cheat.player.own.identity, label, good.data))
        assert rejected(cheat, wrong) == "entry.signature"
    order = 2**252 + 27742317777372353535851937790883648493
    s = int.from_bytes(good.signature[32:], "little") + order
    for signature in (
        b"",
        good.signature[:-1],
        good.signature + b"\0",
        bytes(64),
        good.signature[32:] + good.signature[:32],
        good.signature[:32] + s.to_bytes(32, "little"),
        signing.sign(other, labels.SIGN_ENTRY, good.data),
    ):
        assert rejected(cheat, SignedEntry(good.data, signature)) == "entry.signature"


@pytest.mark.parametrize("at", range(0, 150, 7))
def test_a_relay_that_spoils_a_byte_accuses_nobody(at: int) -> None:
    """Neither in the bytes nor in the signature; and the honest entry still counts afterwards."""
    cheat = cheating("commit")
    good = cheat.sign(cheat.honest())
    data = bytearray(good.data)
    data[at % len(data)] ^= 1 << (at % 8)
    assert rejected(cheat, SignedEntry(bytes(data), good.signature)).startswith("entry.")
    signature = bytearray(good.signature)
    signature[at % 64] ^= 1 << (at % 8)
    assert rejected(cheat, SignedEntry(good.data, bytes(signature))) == "entry.signature"
    table, _ = cheat.group.players[0].table.receive(good)
    assert 1 not in table.awaited


@pytest.mark.parametrize("kind", ["keys", "commit", "reveal"])
@pytest.mark.parametrize("other", ["answer", "leave", "wrong"])
def test_a_fork_that_splits_the_honest_convicts_its_author_alone(kind: str, other: str) -> None:
    """One version is shown to two members, the other to the third. All sign on, over different table hashes, and none
    of them is a cheat for it."""
    group = open_step(kind, 1, 4)
    cheat = Cheat(group, group.players[1])
    bodies = {"answer": cheat.honest, "leave": messages.Leave, "wrong": lambda: messages.Choose(option=("x",))}
    versions = [cheat.sign(cheat.honest()), cheat.sign(bodies[other]())]
    if versions[0] == versions[1]:
        versions[1] = sign(cheat.player, cheat.honest(), table_hash=cheat.player.table.spine[-2].hash)
    group.silent.add(1)
    others = cheat.others()
    for player, signed in zip(others, (versions[0], versions[1], versions[0]), strict=True):
        group.flight.append((player.member, signed))
    group.run()
    assert len({player.table.moment.hash for player in others}) == 2
    early = {rule for player in others for _, rule in player.accusations()}
    assert not early or (other == "wrong" or kind == "reveal")
    for signed in versions:
        group.post(signed, 1)
    group.run(lambda: all(p.table.moment.number > 11 for p in others) and not group.flight)
    for player in others:
        assert {member for member, _ in player.accusations()} == {1}
        assert (1, "entry.fork") in player.accusations()
        assert 1 not in player.table.moment.still_in
    assert len({tuple(m.hash for m in player.table.spine) for player in others}) == 1
