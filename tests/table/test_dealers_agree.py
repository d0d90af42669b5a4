"""The plain dealer and the cryptographic one play the same game of the same deck, move by move."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import p2pmatryoshka.rules
from p2pmatryoshka.crypto import elgamal, group
from p2pmatryoshka.rules.game import AnyGame, Choice, Deal, Give, Over, Pick, Play, Seat, Toss
from p2pmatryoshka.rules.plain_dealer import PlainTable
from p2pmatryoshka.table import dealer
from p2pmatryoshka.table.own import Question
from p2pmatryoshka.table.step import Closed, Moment, Playing, Sealing
from tests.table.memory import Group, Player, pick_random

DECK = (Path(p2pmatryoshka.rules.__file__).parent / "decks" / "english.toml").read_bytes()


class Twin:
    """A group, and a plain table that is led along. chosen: what each seat chose for the ask that is open."""

    def __init__(self, count: int, game: str, rules: dict[str, Any], deck: bytes, seed: int) -> None:
        self.chosen: dict[Seat, Choice] = {}
        self.group = Group(count, game=game, rules=rules, deck=deck, seed=seed, chooser=self._choose)
        self.count, self.deck = count, deck
        self.plain: PlainTable | None = None
        self.compared = 0

    def _choose(self, player: Player, question: Question, moves: tuple[Choice, ...]) -> Choice:
        choice = pick_random(player, question, moves)
        assert self.plain is not None
        assert tuple(self.plain.moves(question.seat)) == moves
        self.chosen[question.seat] = choice
        return choice

    @property
    def game(self) -> AnyGame:
        return self.group.moment.roster.game

    def secret(self, member: int) -> int:
        kept = [s["key"] for s in self.group.players[member].own.secrets.values() if "key" in s]
        return group.decode_scalar(kept[0])

    def compare(self, moment: Moment) -> None:
        """Every card of both tables lies in the same place."""
        stage = moment.stage
        if not isinstance(stage, Playing | Sealing | Closed):
            return
        layout = stage.layout
        if isinstance(stage, Playing) and not layout.stock and not any(layout.hands) and self.plain is None:
            return
        joint = sum(self.secret(m) for m in layout.holders) % group.q
        made = layout.holders == layout.still_in
        order = tuple(dealer.card_of(elgamal.decrypt(joint, ct), layout.deck) for ct in layout.stock)
        if self.plain is None:
            rules, setup = dict(moment.roster.setup.rules), moment.roster.setup
            self.plain = PlainTable.start(self.game, rules, setup.deck, self.count, order)
        self._lead(stage)
        plain = self.plain
        assert plain.state == stage.state
        if made and isinstance(stage, Playing) and isinstance(stage.ask, Deal) and plain.stock != order:
            self.plain = plain = plain.restock(order)
        if made:
            assert plain.stock == order
        for seat, member in enumerate(layout.seating):
            if member in layout.still_in:
                assert plain.hands[seat] == tuple(sorted(dealer.hand(layout, seat, self.secret(member))))
                covered = [elgamal.decrypt(self.secret(member), ct) for ct in layout.covered[seat]]
                assert list(plain.covered[seat]) == sorted(dealer.card_of(p, layout.deck) for p in covered)
        assert set(plain.lying) == layout.lying
        plain.check_conserved()
        self.compared += 1

    def _lead(self, stage: Playing | Sealing | Closed) -> None:
        """The plain table up to the same state: tosses as they fell, everything else by its own rules."""
        plain = self.plain
        assert plain is not None
        while plain.state != stage.state:
            ask = plain.ask
            if isinstance(ask, Over):
                raise AssertionError("the plain game is over before the other")
            if isinstance(ask, Toss):
                ways = [plain.resolve(toss=number) for number in range(ask.sides)]
                plain = next(way for way in ways if way.state == stage.state)
            elif isinstance(ask, Deal | Give):
                plain = plain.resolve()
            elif isinstance(ask, Play | Pick):
                plain = plain.resolve({seat: self.chosen.pop(seat) for seat in ask.seats})
        self.plain = plain

    def play(self, leaver: int | None = None, at: str = "") -> None:
        while not isinstance(self.group.moment.stage, Closed):
            moment = self.group.moment
            if leaver is not None and moment.owed.kind == at and leaver in moment.owed.members and moment.number > 20:
                assert self.plain is not None
                seat = moment.stage.layout.seat(leaver)  # type: ignore[union-attr]
                self.group.leave(self.group.players[leaver])
                self.plain = self.plain.gone(seat, None)
                self.chosen.pop(seat, None)
                leaver = None
            self.group.round()
            self.compare(self.group.moment)


@pytest.mark.parametrize("count", [3, pytest.param(4, marks=pytest.mark.slow), pytest.param(5, marks=pytest.mark.slow)])
def test_matryoshka(count: int) -> None:
    twin = Twin(count, "matryoshka", {}, b"", 40 + count)
    twin.play()
    assert twin.compared > 60
    stage = twin.group.moment.stage
    assert isinstance(stage, Closed)
    assert twin.plain is not None
    assert twin.plain.ask == stage.over


@pytest.mark.parametrize("judge", ["deck", pytest.param("table", marks=pytest.mark.slow)])
def test_matrioske(judge: str) -> None:
    twin = Twin(4, "matrioske", {"judge": judge}, DECK, 50)
    twin.play()
    stage = twin.group.moment.stage
    assert isinstance(stage, Closed)
    assert twin.plain is not None
    assert twin.plain.ask == stage.over
    assert sum(map(len, stage.layout.covered)) > 0


@pytest.mark.parametrize("at", ["share", pytest.param("turn", marks=pytest.mark.slow)])
def test_matryoshka_when_somebody_leaves(at: str) -> None:
    twin = Twin(4, "matryoshka", {}, b"", 60)
    twin.play(leaver=2, at=at)
    assert twin.plain is not None
    assert isinstance(twin.group.moment.stage, Closed)
    assert 2 not in twin.group.moment.still_in
