"""What people hand to each other as text: invites and deck files."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from random import Random

from p2pmatryoshka.errors import Illegal, UserError
from p2pmatryoshka.node import invite
from p2pmatryoshka.rules import words
from tests.fuzz.mutate import mutated_bytes, mutated_packed
from tests.fuzz.readers import H
from tests.fuzz.target import Target, shown
from tests.rules.test_words_fuzz import GOOD, HOSTILE, judge

# --- invites


def an_invite(data: bytes) -> str:
    try:
        got = invite.Invite.read(data.decode("utf-8", "replace"))
    except UserError as error:
        shown(str(error))
        return "address" if "is no address" in str(error) else str(error)[:20]
    assert invite.Invite.read(str(got)) == got
    return "read"


def invites() -> list[bytes]:
    made = [
        invite.Invite(("localhost:4711",), H, bytes(16)),
        invite.Invite(tuple(f"10.0.0.{n}:{n + 1}" for n in range(16)), H, bytes(16)),
        invite.Invite(("[2001:db8::1]:9", "example.org:65535"), H, b"\xff" * 16),
    ]
    return [*(str(one).encode() for one in made), b"p2pm1-", str(made[0])[:-9].encode()]


def mutated_invite(random: Random, data: bytes, others: Sequence[bytes]) -> bytes:
    if random.random() < 0.3:
        return mutated_bytes(random, data, others)
    text = data.removeprefix(b"p2pm1-")
    try:
        inside = base64.urlsafe_b64decode(text + b"=" * (-len(text) % 4))
    except ValueError:
        return mutated_bytes(random, data, others)
    return b"p2pm1-" + base64.urlsafe_b64encode(mutated_packed(random, inside)).rstrip(b"=")


# --- deck files


def a_deck(data: bytes) -> str:
    report = judge(data)
    try:
        deck = words.parse(data)
    except Illegal as error:
        assert report.deck is None
        assert error.code.startswith("deck.")
        return error.code
    assert deck == report.deck
    for line in words.show(deck):
        assert line.isprintable()
    return "read"


def mutated_deck(random: Random, data: bytes, others: Sequence[bytes]) -> bytes:
    if random.random() < 0.5:
        return mutated_bytes(random, data, others)
    lines = data.split(b"\n")
    at, to = random.randrange(len(lines)), random.randrange(len(lines))
    match random.randrange(4):
        case 0:
            lines[at], lines[to] = lines[to], lines[at]
        case 1:
            lines[at:at] = [lines[to]] * random.choice((1, 2, 300))
        case 2:
            del lines[at]
        case 3:
            some = [b"\xe2\x80\x8b", b'"', b"[[", b"]", b"''", b'"""', b"\\u0000", b"\\uD800", b"A0", b"1e999", b"\xc3"]
            place = random.randrange(len(lines[at]) + 1)
            lines[at] = lines[at][:place] + random.choice(some) + lines[at][place:]
    return b"\n".join(lines)


def decks() -> list[bytes]:
    shipped = [words.shipped(name) for name in words.SHIPPED]
    return [GOOD, *shipped, words.template().encode()]


TEXTS = (
    Target("invite", an_invite, invites, mutated_invite),
    Target("deck", a_deck, decks, mutated_deck, 40, nasty=[text.encode()[:2000] for text in HOSTILE.values()]),
)
