"""The random bot plays any game, and every legal choice comes up."""

from __future__ import annotations

import random
from collections import Counter

from p2pmatryoshka.bots.random_bot import RandomBot
from p2pmatryoshka.rules.matryoshka_state import Phase
from tests.rules.tables import at
from tests.rules.test_plain_dealer import toy


def test_it_chooses_among_the_moves_of_a_game_that_cannot_draw_one_itself() -> None:
    table = toy()
    moves = list(table.moves(0))
    chance = random.Random(1)
    chosen = Counter(RandomBot().choose(table.game, table.view(0), iter(moves), chance) for _ in range(600))
    assert set(chosen) == set(moves)
    assert min(chosen.values()) > 600 / len(moves) / 2


def test_it_reads_no_moves_where_the_game_draws_one_itself() -> None:
    table = at(Phase.DISPLAY, 3)
    moves = iter(table.moves(0))
    choice = RandomBot().choose(table.game, table.view(0), moves, random.Random(1))
    assert choice in list(moves)  # all of them are still there


def test_every_choice_of_a_display_and_of_a_pick_comes_up() -> None:
    for phase in (Phase.OPENING, Phase.PICK):
        table = at(phase)
        seat = table.ask.seats[0]  # type: ignore[union-attr]
        moves = list(table.moves(seat))
        chance = random.Random(2)
        chosen = Counter(RandomBot().choose(table.game, table.view(seat), (), chance) for _ in range(1500))
        assert set(chosen) == set(moves)
        assert min(chosen.values()) > 1500 / len(moves) / 2
