"""Every bot, by game and strategy. All are players as the plain dealer knows them (`plain_dealer.Player`)."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from p2pmatryoshka.bots.matrioske_greedy import MatrioskeGreedy
from p2pmatryoshka.bots.matryoshka_greedy import MatryoshkaGreedy
from p2pmatryoshka.bots.random_bot import RandomBot
from p2pmatryoshka.errors import UserError
from p2pmatryoshka.rules.catalogue import GAMES
from p2pmatryoshka.rules.plain_dealer import Player

Bot = Player

_SPECIAL: Mapping[tuple[str, str], Bot] = {
    ("matryoshka", "greedy"): MatryoshkaGreedy(),
    ("matrioske", "greedy"): MatrioskeGreedy(),
}
_GENERAL: Mapping[str, Bot] = {"random": RandomBot()}
BOTS: Mapping[tuple[str, str], Bot] = MappingProxyType(
    {**{(game, strategy): bot for game in GAMES for strategy, bot in _GENERAL.items()}, **_SPECIAL}
)


def strategies(game: str) -> tuple[str, ...]:
    """The strategies for that game, the best first."""
    return tuple(strategy for name, strategy in reversed(tuple(BOTS)) if name == game)


def bot(game: str, strategy: str) -> Bot:
    """The bot for that game and strategy. Raises UserError naming those there are."""
    if (game, strategy) not in BOTS:
        names = ", ".join(strategies(game)) or "none"
        raise UserError(f"There is no bot {strategy!r} for {game}; there are: {names}.")
    return BOTS[game, strategy]
