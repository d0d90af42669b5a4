"""Write the recorded games anew, after a wanted change of the rules: python -m tests.rules.record_games

Read the difference before keeping it: every changed line is a changed rule.
"""

from __future__ import annotations

import random
from pathlib import Path

from p2pmatryoshka.bots.registry import BOTS, strategies
from p2pmatryoshka.rules.catalogue import GAMES
from p2pmatryoshka.rules.game import Cards, Choice, Rules, Seat
from p2pmatryoshka.rules.plain_dealer import PlainTable, shuffled
from tests.rules.recording import NOTHING, Setting, tell
from tests.rules.samples import deck_files

FOLDER = Path(__file__).parent / "recorded"
CHOSEN: dict[str, Rules] = {
    "matryoshka": {"colours": tuple("JACEGI"), "long_columns": "cap"},
    "matrioske": {"covered_cards": "every_capture", "judge": "table"},
}
DEPARTURES = 2


class Dice:
    """Decisions by bots of every strategy, with so many departures at random moments."""

    def __init__(self, game: str, seed: int, departures: int = 0) -> None:
        self.random = random.Random(seed)
        self.moments = sorted(self.random.randrange(60) for _ in range(departures))
        self.asks = 0
        self.bots = [BOTS[game, strategy] for strategy in strategies(game)]

    def order(self, table: PlainTable) -> Cards:
        return shuffled(table.stock, self.random)

    def departure(self, table: PlainTable) -> tuple[Seat, Cards] | None:
        self.asks += 1
        if not self.moments or self.asks < self.moments[0]:
            return None
        self.moments.pop(0)
        seat = self.random.choice(table.view(None).still_in)
        return seat, shuffled(table.gone(seat, None).stock, self.random)

    def toss(self, sides: int) -> int:
        return self.random.randrange(sides)

    def choice(self, table: PlainTable, seat: Seat) -> Choice:
        bot = self.bots[seat % len(self.bots)]
        return bot.choose(table.game, table.view(seat), table.moves(seat), self.random)


def main() -> None:
    """Write every recording."""
    FOLDER.mkdir(exist_ok=True)
    for name, game in GAMES.items():
        for seats in game.seatings:
            for deck in deck_files(game) or [NOTHING]:
                suffix = "" if deck == NOTHING else "-" + deck.removesuffix(".toml")
                setting = Setting(name, seats, deck, {})
                write(f"{name}-{seats}-seats{suffix}", setting, Dice(name, seats))
        first = Setting(name, game.seatings[-1], (deck_files(game) or [NOTHING])[0], {})
        write(f"{name}-departures", first, Dice(name, 7, DEPARTURES))
        if name in CHOSEN:
            chosen = Setting(name, game.seatings[0], first.deck, CHOSEN[name])
            write(f"{name}-house-rules", chosen, Dice(name, 11))


def write(name: str, setting: Setting, dice: Dice) -> None:
    """One recording."""
    (FOLDER / f"{name}.txt").write_text("\n".join([*tell(setting, dice), ""]), encoding="utf-8")


if __name__ == "__main__":
    main()
