"""English."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from p2pmatryoshka.ui.strings import english_commands, english_games, english_table

TEXTS: Mapping[str, str] = MappingProxyType({**english_commands.TEXTS, **english_table.TEXTS, **english_games.TEXTS})
