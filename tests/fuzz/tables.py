"""A running table that gets entries with changed bodies and fields, signed with their author's own key.

An input is a recipe: the place (a step of a game that is open), the author, and the signed bytes. No table may raise;
nobody but the author may be accused; and all others must come to the same, in whatever order they hear of it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from random import Random
from typing import Any

import msgpack

from p2pmatryoshka.record.entry import SignedEntry
from p2pmatryoshka.record.strict import pack
from p2pmatryoshka.rules import words
from p2pmatryoshka.table import messages
from p2pmatryoshka.table.memo import Memo
from p2pmatryoshka.table.own import Question
from p2pmatryoshka.table.table import Accusation, Rejected, Table
from tests.fuzz.bounds import Bounds
from tests.fuzz.games import Sat
from tests.fuzz.mutate import mutated_bytes, mutated_packed, parsed, written
from tests.fuzz.records import signed
from tests.fuzz.target import Target, shown
from tests.table.memory import Group, Line, checks_shared

BODIES = ("sit", "keys", "open", "mix", "share", "commit", "reveal", "turn", "choose", "seal")


@cache
def _plain() -> Line:
    return Line(Sat(3, 11))


@cache
def _other_game() -> Line:
    return Line(Sat(4, 12, "matrioske", words.shipped("english")))


@cache
def _without_one() -> Line:
    group = Sat(4, 13).until("share", 1)
    group.leave(group.players[0])
    group.round()
    return Line(group)


def _lost_opener() -> Group:
    group = Sat(4, 14).until("open")
    group.leave(group.players[0])
    group.round()
    return group


def _motion() -> Group:
    """A vote is open; member 1 may join it."""
    group = Sat(4, 15).until("keys")
    group.silent.add(3)
    group.round()
    first = group.present[0]
    ballot = first.own.propose(first.table, {3})
    group.send(first, first.own.draft_ballot(first.table, ballot).entry)
    group.deliver_all()
    return group


def _fork() -> Group:
    """Two versions are known to all, and nobody has said yet where it stands."""
    group = Sat(4, 16).until("keys")
    forker = group.players[3]
    versions = [
        forker.own.draft(forker.table, None, forker.randomness).entry,
        forker.own.draft_body(forker.table, messages.Leave()).entry,
    ]
    group.silent.add(3)
    for entry in versions:
        group.post(entry, 3)
    group.deliver_all()
    return group


def _step(line: Callable[[], Line], kind: str) -> Callable[[], Group]:
    return lambda: line().find(lambda moment: moment.owed.kind == kind)


PLACES: dict[str, Callable[[], Group]] = {
    **{kind: _step(_plain, kind) for kind in BODIES},
    **{f"matrioske {kind}": _step(_other_game, kind) for kind in ("turn", "share")},
    **{f"restock {kind}": _step(_without_one, kind) for kind in ("rekey", "mix", "blind", "tags", "share")},
    "coin": _lost_opener,
    "motion": _motion,
    "fork": _fork,
}


@cache
def at(place: str) -> Group:
    """Everything delivered; who owes something here has not signed it."""
    return PLACES[place]()


@cache
def honest(place: str, member: int) -> bytes:
    """What this member could sign here, as signed bytes; a Leave if it owes nothing."""
    player = at(place).players[member]
    due = player.own.due(player.table)
    if place == "motion" and (ballots := player.own.ballots(player.table)):
        return player.own.draft_ballot(player.table, ballots[0].ballot).entry.data
    if due is None:
        return player.own.draft_body(player.table, messages.Leave()).entry.data
    choice = player.own.moves(player.table, due)[0] if isinstance(due, Question) else None
    return player.own.draft(player.table, choice, player.randomness).entry.data


# --- giving


def table(data: bytes) -> str:
    """Give the entry of a recipe to everybody else."""
    place, member, entry = recipe(data)
    given = signed(member, entry)
    came_out = {_given(player.table, [given], member) for player in at(place).present if player.member != member}
    assert len(came_out) <= 1, f"one table says this, another that: {came_out}"
    return came_out.pop() if came_out else "nobody"


def recipe(data: bytes) -> tuple[str, int, bytes]:
    """The place, the author, the signed bytes. Of what is no recipe: some."""
    try:
        match parsed(data):
            case (str(place), int(member), bytes(entry)) if place in PLACES and 0 <= member < len(at(place).players):
                return place, member, entry
    except (ValueError, msgpack.exceptions.UnpackException):
        pass
    return "keys", 1, data


def _given(start: Table, given: Sequence[SignedEntry], author: int) -> str:
    """What a table says to these entries. What it remembers of them is forgotten afterwards."""
    known = {(a.member, a.rule) for a in start.accusations}
    sizes = _sizes(start.memo)
    after, said = start, "held"
    for entry in given:
        after, events = after.receive(entry)
        for event in events:
            match event:
                case Accusation(member=member, rule=rule, detail=detail, evidence=evidence):
                    shown(detail)
                    assert member == author, f"{rule}: accuses {member}"
                    assert evidence
                    said = rule
                case Rejected(rule=rule, detail=detail):
                    shown(detail)
                    assert after == start, "changed by what was rejected"
                    said = f"link: {rule}"
                case _:
                    said = "filled" if said == "held" else said
    assert known <= {(a.member, a.rule) for a in after.accusations}
    _forget(start.memo, sizes)
    return said


def _sizes(memo: Memo) -> tuple[int, ...]:
    return len(memo.bodies), len(memo.judged), len(memo.moments)


def _forget(memo: Memo, sizes: tuple[int, ...]) -> None:
    kept: tuple[dict[Any, Any], ...] = (memo.bodies, memo.judged, memo.moments)
    for known, size in zip(kept, sizes, strict=True):
        while len(known) > size:
            known.popitem()


# --- going on


def going_on(data: bytes) -> str:
    """The entry comes in between what the others sign, and they play on until it is settled: they accuse nobody but
    its author, stay together, and come to an end."""
    place, member, entry = recipe(data)
    group = at(place).branch(("going on", data))
    accused_before = {accused for player in group.players for accused, _ in player.accusations()}
    group.silent.add(member)
    for player in group.present:
        group.flight.append((player.member, signed(member, entry)))
    number = max(player.table.moment.number for player in group.present)
    group.run(lambda: not group.flight and all(p.table.moment.number > number or p.table.closed for p in group.present))
    # Whatever it was, now the author leaves, as far as it still can.
    first = group.present[0]
    if member in first.table.moment.still_in:
        leave = group.players[member].own.draft_body(first.table, messages.Leave()).entry
        for player in group.present:
            group.flight.append((player.member, leave))
    group.run(lambda: not group.flight and all(p.table.moment.number > number or p.table.closed for p in group.present))
    for player in group.present:
        accused = {accused for accused, _ in player.accusations()} - accused_before
        assert accused <= {member}, f"accused: {accused}, and the author is {member}"
    said = {tuple(sorted(a.rule for a in p.table.accusations)) for p in group.present}
    assert len(said) == 1, said
    hashes = {p.table.moment.hash for p in group.present}
    assert len(hashes) == 1 or "entry.fork" in next(iter(said)), "no longer at one table"
    rules = next(iter(said))
    return ", ".join(rules) or "accepted"


def shared_going_on(data: bytes) -> str:
    with checks_shared():
        return going_on(data)


# --- making


def recipes() -> list[bytes]:
    made = []
    for place in PLACES:
        for member in (0, 1, 2):
            if member not in at(place).silent:
                made.append(pack([place, member, honest(place, member)]))
    return made


def mutated_recipe(random: Random, data: bytes, others: Sequence[bytes]) -> bytes:
    place, member, entry = recipe(data)
    if random.random() < 0.1:
        member = random.randrange(len(at(place).players))
    if random.random() < 0.15:
        entry = mutated_packed(random, entry) if random.random() < 0.7 else mutated_bytes(random, entry)
        return pack([place, member, entry])
    _, _, other = recipe(random.choice(others))
    try:
        values = list(parsed(entry))
        theirs = list(parsed(other))
        match random.randrange(12):
            case 0:
                values[6] = theirs[6]
            case 1:
                field = random.choice((3, 4, 5))
                values[field] = theirs[field]
            case 2:
                spine = at(place).players[0].table.spine
                values[5] = random.choice(spine).hash
            case 3:
                values[3] = max(0, values[3] + random.choice((-2, -1, 1, 2, 300)))
            case _:
                values[6] = mutated_packed(random, values[6], [theirs[6]])
    except (ValueError, TypeError, LookupError, msgpack.exceptions.UnpackException):
        entry = mutated_bytes(random, entry, [other])
        return pack([place, member, entry])
    return pack([place, member, written(random, tuple(values))])


TABLES = (
    Target("table", table, recipes, mutated_recipe, 150, Bounds(3.0, 600, 8 << 20), traced=False),
    Target("table going on", shared_going_on, recipes, mutated_recipe, 12, Bounds(20.0), traced=False),
)
