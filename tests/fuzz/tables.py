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

from p2pmatryoshka.record.entry import SignedEntry, entry_hash
from p2pmatryoshka.record.strict import pack
from p2pmatryoshka.table import messages
from p2pmatryoshka.table.memo import Memo
from p2pmatryoshka.table.own import Question
from p2pmatryoshka.table.table import Accusation, Rejected, Table
from tests.fuzz.bounds import Bounds
from tests.fuzz.games import Sat, other_game, plain, without_one
from tests.fuzz.mutate import mutated_bytes, mutated_packed, parsed, written
from tests.fuzz.records import signed
from tests.fuzz.target import Target, shown
from tests.table.memory import Group, Line, checks_shared

BODIES = ("sit", "keys", "open", "mix", "share", "commit", "reveal", "turn", "choose", "seal")


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
    **{kind: _step(plain, kind) for kind in BODIES},
    **{f"matrioske {kind}": _step(other_game, kind) for kind in ("turn", "share")},
    **{f"restock {kind}": _step(without_one, kind) for kind in ("rekey", "mix", "blind", "tags", "share")},
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
    """Give the entries of a recipe to everybody else, to each in another order."""
    place, member, given = recipe(data)
    entries = [signed(member, one) for one in given]
    came_out: dict[str, str] = {}
    for number, player in enumerate(p for p in at(place).present if p.member != member):
        turned = entries[number % len(entries) :] + entries[: number % len(entries)]
        said, settled = _given(player.table, turned, member)
        came_out[settled] = said
    assert len(came_out) <= 1, f"one table says this, another that: {came_out}"
    return next(iter(came_out.values()), "nobody")


def recipe(data: bytes) -> tuple[str, int, tuple[bytes, ...]]:
    """The place, the author, the signed bytes of its entries. Of what is no recipe: some."""
    try:
        match parsed(data):
            case (str(place), int(member), tuple(given)) if place in PLACES and 0 <= member < len(at(place).players):
                if given and all(isinstance(one, bytes) for one in given):
                    return place, member, given
    except (ValueError, msgpack.exceptions.UnpackException):
        pass
    return "keys", 1, (data,)


def _given(start: Table, given: Sequence[SignedEntry], author: int) -> tuple[str, str]:
    """What a table says to these entries, in a word and as a whole; what it remembers of them is forgotten then."""
    known = {(a.member, a.rule) for a in start.accusations}
    sizes = _sizes(start.memo)
    after, said = start, "held"
    for entry in given:
        before = after
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
                    assert after is before, "changed by what was rejected"
                    said = f"link: {rule}" if said == "held" else said
                case _:
                    said = "filled" if said == "held" else said
    found = {(a.member, a.rule) for a in after.accusations}
    assert known <= found
    _forget(start.memo, sizes)
    fills = {member: str(filling.fill) for member, filling in sorted(after.places.items())}
    return said, f"{sorted({m for m, _ in found - known})} {after.moment.number} {after.moment.hash.hex()} {fills}"


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
    place, member, given = recipe(data)
    group = at(place).branch(("going on", data))
    accused_before = {accused for player in group.players for accused, _ in player.accusations()}
    group.silent.add(member)
    for player in group.present:
        group.flight.extend((player.member, signed(member, one)) for one in given)
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
    said = {tuple(sorted({a.member for a in p.table.accusations})) for p in group.present}
    assert len(said) == 1, said
    rules = tuple(sorted({a.rule for a in group.present[0].table.accusations}))
    hashes = {p.table.moment.hash for p in group.present}
    assert len(hashes) == 1 or "entry.fork" in rules, "no longer at one table"
    for player in group.present:
        # An entry that names a hash nobody knows is as good as silence; and with a vote open people must decide.
        went_on = player.table.moment.number > number or player.table.closed
        assert went_on or player.table.awaited == (member,) or place == "motion", "nobody owes anything"
    return ", ".join(rules) or "accepted"


def shared_going_on(data: bytes) -> str:
    with checks_shared():
        return going_on(data)


# --- making


def recipes() -> list[bytes]:
    return [
        pack([place, member, [honest(place, member)]])
        for place in PLACES
        for member in (1, 2)
        if member not in at(place).silent
    ]


def mutated_recipe(random: Random, data: bytes, others: Sequence[bytes]) -> bytes:
    """One to four entries of a member, which go on from each other, or contradict each other, or hang in the air."""
    place, member, given = recipe(data)
    if random.random() < 0.1:
        member = random.randrange(len(at(place).players))
    other = random.choice(recipe(random.choice(others))[2])
    made = list(given)
    if len(made) > 1 and random.random() < 0.3:
        del made[random.randrange(len(made))]
    at_ = random.randrange(len(made))
    made[at_] = changed(random, place, made[at_], other)
    while random.random() < 0.4 and len(made) < 5:
        made.append(_next_to(random, place, made[-1] if random.random() < 0.7 else random.choice(made), other))
    return pack([place, member, made])


def changed(random: Random, place: str, entry: bytes, other: bytes) -> bytes:
    """Signed bytes with something in them changed, the body mostly. other: an entry of somewhere else."""
    if random.random() < 0.12:
        return mutated_packed(random, entry) if random.random() < 0.7 else mutated_bytes(random, entry)
    try:
        values, theirs = list(parsed(entry)), parsed(other)
        match random.randrange(14):
            case 0:
                values[6] = theirs[6]
            case 1:
                field = random.choice((3, 4, 5))
                values[field] = theirs[field]
            case 2:
                values[5] = random.choice(at(place).players[0].table.spine).hash
            case 3:
                values[3] = max(0, values[3] + random.choice((-2, -1, 1, 2, 300)))
            case 4:
                values[6] = random.choice(said_beside(random, place))
            case _:
                values[6] = mutated_packed(random, values[6], [theirs[6]])
        return written(random, tuple(values))
    except (ValueError, TypeError, LookupError, msgpack.exceptions.UnpackException):
        return mutated_bytes(random, entry, [other])


def _next_to(random: Random, place: str, entry: bytes, other: bytes) -> bytes:
    """An entry behind this one, or another in its place, or one further on without what comes between."""
    try:
        values = list(parsed(entry))
        after = random.choice((0, 1, 1, 1, 1, 2, 5))
        values[3] += after
        if after == 1:
            values[4] = entry_hash(entry)
        elif after:
            values[4] = random.randbytes(32)
        if random.random() < 0.5:
            values[6] = random.choice((parsed(other)[6], *said_beside(random, place)))
        if random.random() < 0.3:
            values[5] = random.choice(at(place).players[0].table.spine).hash
        entry = written(random, tuple(values))
        return entry if random.random() < 0.5 else changed(random, place, entry, other)
    except (ValueError, TypeError, LookupError, msgpack.exceptions.UnpackException):
        return mutated_bytes(random, entry, [other])


def said_beside(random: Random, place: str) -> list[bytes]:
    """Bodies that fill no place, and one that gives it up."""
    hashes = [moment.hash for moment in at(place).players[0].table.spine]
    absent = tuple(sorted(random.sample(range(4), random.choice((1, 1, 2)))))
    number = random.choice((0, 1, 1, 1, 2, 2**32 - 1))
    stated = tuple(random.sample(hashes, random.randrange(1, len(hashes) + 1))) if random.random() < 0.3 else hashes
    return [
        messages.encode(messages.Leave()),
        messages.encode(messages.Vote(round=number, absent=absent)),
        messages.encode(messages.Confirm(round=number, absent=absent)),
        messages.encode(messages.Withdraw(round=number, absent=absent)),
        messages.encode(messages.Stand(forker=random.randrange(4), hashes=tuple(stated)[-64:])),
    ]


TABLES = (
    Target("table", table, recipes, mutated_recipe, 120, Bounds(3.0), traced=False),
    Target("table going on", shared_going_on, recipes, mutated_recipe, 10, Bounds(20.0), traced=False, sparse=7),
)
