"""Every game this package plays, by name."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from p2pmatryoshka.rules.game import AnyGame
from p2pmatryoshka.rules.matrioske import MATRIOSKE
from p2pmatryoshka.rules.matryoshka import MATRYOSHKA

GAMES: Mapping[str, AnyGame] = MappingProxyType({game.name: game for game in (MATRYOSHKA, MATRIOSKE)})
