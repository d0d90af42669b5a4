"""The script of a table: which step is open, and where a complete step leads.

A Moment is everything that all members agree on once a number of steps is complete. `close` is a pure function from a
moment and the fillings of its open step to the next moment, so that members, watchers and audits cannot differ.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from p2pmatryoshka.crypto import group, labels, sigma
from p2pmatryoshka.crypto.sums import Spread
from p2pmatryoshka.crypto.transcript import Context
from p2pmatryoshka.errors import Fault, Refused
from p2pmatryoshka.record.entry import VERSION
from p2pmatryoshka.record.strict import Packable, pack
from p2pmatryoshka.rules.game import Answer, Answers, Ask, Deal, Give, Over, Pick, Play, Seat, Toss
from p2pmatryoshka.table import coin, dealer, messages, restock
from p2pmatryoshka.table.coin import Coins
from p2pmatryoshka.table.layout import Judging, Layout, Owed
from p2pmatryoshka.table.roster import Roster


class Fill(StrEnum):
    """How a place of a step was filled. Everything but an answer takes the member out of the game."""

    ANSWER = "answer"
    FORFEIT = "forfeit"
    LEFT = "left"
    REMOVED = "removed"
    FORKED = "forked"


@dataclass(frozen=True, slots=True)
class Filling:
    """One filled place. entry: the hash of the entry that filled it, b"" where none did. payload: what checking the
    answer made of it. rule: the rule that a forfeit broke."""

    fill: Fill
    entry: bytes = b""
    payload: Any = None
    rule: str = ""
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Sitting:
    """Everybody signs the roster."""


@dataclass(frozen=True, slots=True)
class Keying:
    """Everybody publishes a table key and commits to a coin."""


@dataclass(frozen=True, slots=True)
class Drawing:
    """Seats are drawn by a joint coin: opened, or (coins None) committed to afresh after an opener was lost."""

    keys: Mapping[int, group.Point]
    coins: Coins | None


@dataclass(frozen=True, slots=True)
class Playing:
    """The game asks something that somebody owes."""

    state: Any
    layout: Layout
    ask: Ask


@dataclass(frozen=True, slots=True)
class Sealing:
    """Everybody still in signs the result. reason: "" after a whole game, else why it ended early."""

    state: Any
    layout: Layout
    over: Over
    reason: str


@dataclass(frozen=True, slots=True)
class Closed:
    """The record is complete."""

    state: Any
    layout: Layout
    over: Over
    reason: str


@dataclass(frozen=True, slots=True)
class Abandoned:
    """Nobody is left, or nobody ever sat down: there is no result."""


Stage = Sitting | Keying | Drawing | Playing | Sealing | Closed | Abandoned


@dataclass(frozen=True, slots=True)
class Moment:
    """What all agree on. number: of the open step. hash: the table hash up to the step before it. cursors: by roster
    index, the first log entry that has not yet filled a place."""

    roster: Roster
    number: int
    hash: bytes
    still_in: tuple[int, ...]
    cursors: tuple[int, ...]
    stage: Stage
    owed: Owed


def first(roster: Roster) -> Moment:
    """Before anybody signed anything. The table hash up to no step is the table id."""
    everyone = tuple(range(len(roster.members)))
    return Moment(roster, 0, roster.table, everyone, (0,) * len(everyone), Sitting(), Owed("sit", everyone))


def check(moment: Moment, member: int, body: messages.AnyBody, spread: Spread | None = None) -> Any:
    """Judge a member's body for the open step: what closing needs of it. Raises Refused with the rule it breaks."""
    roster, stage, kind = moment.roster, moment.stage, moment.owed.kind
    context = Context(VERSION, roster.table, moment.number, member)
    match stage, body:
        case Sitting(), messages.Sit(roster=data):
            if data != roster.data:
                raise Refused("sit.roster", "the roster signed is not the one that names this table")
            return None
        case Keying(), messages.Keys():
            key = group.decode(body.key)
            sigma.verify_log(context, key, body.proof, spread=spread)
            return key, body.coin
        case Drawing(coins=None), messages.Commit(commitment=digest):
            return digest
        case Drawing(coins=Coins() as coins), messages.Open():
            return coin.check_open(coins, roster.table, member, body)
        case Playing(state=state, layout=layout, ask=ask), _:
            game = roster.game

            def check_answer(seat: Seat, answer: Answer) -> None:
                game.check(state, seat, answer)

            return dealer.check(layout, ask, kind, Judging(context, check_answer, spread), body)
        case Sealing(over=over), messages.Seal():
            if body != seal_of(over):
                raise Refused("seal.result", "the result signed is not the result of the record")
            return None
    raise Refused("body.kind", f"a {body.kind!r} where the step asks for {kind!r}")


def seal_of(over: Over) -> messages.Seal:
    return messages.Seal(points=over.points, winners=over.winners)


def close(moment: Moment, fillings: Mapping[int, Filling], cursors: tuple[int, ...]) -> Moment:
    """The moment after the open step. fillings: one for each member that owed one, and one for each member put out."""
    fillings = judged_together(moment, fillings)
    after = replace(
        moment,
        number=moment.number + 1,
        hash=extend_hash(moment, fillings),
        still_in=tuple(m for m in moment.still_in if m not in fillings or fillings[m].fill is Fill.ANSWER),
        cursors=cursors,
    )
    payloads = {m: filling.payload for m, filling in fillings.items() if filling.fill is Fill.ANSWER}
    lost = frozenset(fillings) - frozenset(payloads)
    match moment.stage:
        case _ if not after.still_in:
            return replace(after, stage=Abandoned(), owed=Owed("", ()))
        case Sitting():
            return _at(after, Keying(), "keys")
        case Keying():
            keys = {m: payload[0] for m, payload in payloads.items()}
            coins = Coins(moment.number, {m: payload[1] for m, payload in payloads.items()})
            return _at(after, Drawing(keys, coins), "open")
        case Drawing(keys=keys, coins=coins):
            if lost:
                return _at(after, Drawing(keys, None), "coin")
            if coins is None:
                return _at(after, Drawing(keys, Coins(moment.number, payloads)), "open")
            return _seated(after, keys, coin.join(moment.roster.table, moment.number, payloads))
        case Playing():
            return _played(moment, after, payloads, lost)
        case Sealing(state=state, layout=layout, over=over, reason=reason):
            return replace(after, stage=Closed(state, layout, over, reason), owed=Owed("", ()))
    raise Fault("a closed table has no open step")


def extend_hash(moment: Moment, fillings: Mapping[int, Filling]) -> bytes:
    """32 bytes: SHA-256 over label, 0 byte, and [hash so far, step, [[member, how, entry hash], ...]] by roster."""
    listed: list[Packable] = [
        [member, str(filling.fill), filling.entry] for member, filling in sorted(fillings.items())
    ]
    return hashlib.sha256(labels.TABLE_HASH + b"\0" + pack([moment.hash, moment.number, listed])).digest()


def judged_together(moment: Moment, fillings: Mapping[int, Filling]) -> Mapping[int, Filling]:
    """The fillings after what can only be judged when all are there: table keys. One that equals an earlier member's,
    or brings the sum to infinity, is its later member's forfeit. Whoever has such a key proved to know its secret, so
    no honest member is ever one of them."""
    if not isinstance(moment.stage, Keying):
        return fillings
    judged: dict[int, Filling] = {}
    seen: list[group.Point] = []
    for member, filling in sorted(fillings.items()):
        if filling.fill is Fill.ANSWER:
            key = filling.payload[0]
            if key in seen or group.total([*seen, key]) == group.INFINITY:
                filling = Filling(Fill.FORFEIT, filling.entry, rule="keys.shared", detail="another member's key")  # noqa: PLW2901
            else:
                seen.append(key)
        judged[member] = filling
    return judged


def _at(after: Moment, stage: Stage, kind: str) -> Moment:
    """Everybody still in owes the next step."""
    return replace(after, stage=stage, owed=Owed(kind, after.still_in))


def _seated(after: Moment, keys: Mapping[int, group.Point], joint_coin: bytes) -> Moment:
    roster, game = after.roster, after.roster.game
    setup = roster.setup
    seating = coin.seating(joint_coin, len(roster.members))
    state = game.start(setup.rules, setup.deck, setup.seats)
    everyone = tuple(range(len(seating)))
    layout = dealer.start(seating, dict(keys), everyone, game.stock(state), joint_coin)
    for member in everyone:
        if member not in after.still_in:
            state = game.gone(state, layout.seat(member))
            layout = layout.gone(frozenset({member}))
    return settle(after, state, layout)


def _played(moment: Moment, after: Moment, payloads: Mapping[int, Any], lost: frozenset[int]) -> Moment:
    if not isinstance(moment.stage, Playing):
        raise Fault("no game is on")
    state, layout, ask = moment.stage.state, moment.stage.layout, moment.stage.ask
    game, kind = moment.roster.game, moment.owed.kind
    if lost:
        seats = tuple(sorted(layout.seat(member) for member in lost))
        for seat in seats:
            state = game.gone(state, seat)
        layout = layout.gone(lost)
        asked_now = game.ask(state)
        if kind in dealer.DEALING or not isinstance(ask, Play | Pick) or asked_now != _without(ask, seats):
            # What was begun is asked again from its beginning, or no longer asked at all.
            return settle(after, state, dealer.void(layout))
        ask = asked_now
    try:
        layout, done = dealer.close(layout, ask, kind, moment.number, moment.roster.table, payloads)
    except (restock.Mismatch, Refused):  # a contradiction that every single proof allows: it accuses nobody
        return _ending(after, state, layout, game.standing(state), "stock.mismatch")
    if done is not None:
        state = game.apply(state, done.answers, done.toss)
    return settle(after, state, layout)


def _without(ask: Play | Pick, gone: tuple[Seat, ...]) -> Play | Pick | None:
    """The same ask of the others, None if there are none."""
    seats = tuple(seat for seat in ask.seats if seat not in gone)
    return replace(ask, seats=seats) if seats else None


def settle(after: Moment, state: Any, layout: Layout) -> Moment:
    """Go on from a settled game state until somebody owes something."""
    game = after.roster.game
    nothing: Answers = ()
    while True:
        ask = game.ask(state)
        match ask:
            case Over():
                return _ending(after, state, layout, ask, "")
            case Give():
                layout = dealer.give(layout, ask)
                state = game.apply(state, nothing)
            case Toss() if layout.coin is not None:
                layout, number = dealer.toss_at_hand(layout, ask)
                state = game.apply(state, nothing, number)
            case Deal() if restock.is_unmakeable(layout):
                return _ending(after, state, layout, game.standing(state), "keys.sum")
            case Deal() | Toss() | Play() | Pick():
                return replace(after, stage=Playing(state, layout, ask), owed=dealer.owed(layout, ask))


def _ending(after: Moment, state: Any, layout: Layout, over: Over, reason: str) -> Moment:
    return _at(after, Sealing(state, layout, over, reason), "seal")
