"""Every game has bots, and a wrong name is answered with the right ones."""

from __future__ import annotations

import random

import pytest

from p2pmatryoshka.bots.registry import BOTS, bot, strategies
from p2pmatryoshka.errors import UserError
from p2pmatryoshka.rules.catalogue import GAMES
from p2pmatryoshka.rules.game import Over
from p2pmatryoshka.rules.plain_dealer import play_out
from tests.rules.samples import deck


@pytest.mark.parametrize(("name", "strategy"), sorted(BOTS))
def test_every_bot_plays_a_whole_game(name: str, strategy: str) -> None:
    game = GAMES[name]
    seats = game.seatings[0]
    table = play_out(game, {}, deck(game), seats, [bot(name, strategy)] * seats, random.Random(3))
    assert isinstance(table.ask, Over)


@pytest.mark.parametrize("name", GAMES)
def test_every_game_has_a_random_bot(name: str) -> None:
    assert "random" in strategies(name)


def test_the_best_strategy_is_named_first() -> None:
    assert strategies("matryoshka") == ("greedy", "random")


@pytest.mark.parametrize(("name", "strategy"), [("matryoshka", "genius"), ("chess", "random")])
def test_an_unknown_bot_is_refused_with_the_names_of_those_there_are(name: str, strategy: str) -> None:
    with pytest.raises(UserError) as refused:
        bot(name, strategy)
    for known in strategies(name):
        assert known in str(refused.value)
