"""The seventy dolls of Matryoshka: ten colours A to J, seven sizes 1 (smallest) to 7; index = colour * 7 +
size - 1.
"""

from __future__ import annotations

from types import MappingProxyType

from p2pmatryoshka.errors import Illegal
from p2pmatryoshka.rules.game import Card

SIZES = 7
NAMES = MappingProxyType(
    {
        "A": "red",
        "B": "orange",
        "C": "yellow",
        "D": "green",
        "E": "turquoise",
        "F": "blue",
        "G": "violet",
        "H": "pink",
        "I": "brown",
        "J": "grey",
    }
)
LETTERS = "".join(NAMES)
COUNT = SIZES * len(LETTERS)
_DOLLS = tuple(f"{letter}{size}" for letter in LETTERS for size in range(1, SIZES + 1))
_INDEX = {name: card for card, name in enumerate(_DOLLS)}


def letter(card: Card) -> str:
    """The colour of a doll, as the letter of its row."""
    return LETTERS[card // SIZES]


def size(card: Card) -> int:
    """The size of a doll, 1 to 7: its column."""
    return card % SIZES + 1


def name(card: Card) -> str:
    """Letter and size, "C4". Raises Illegal("card.unknown")."""
    if not 0 <= card < COUNT:
        raise Illegal("card.unknown", f"there is no card {card}")
    return _DOLLS[card]


def index(doll: str) -> Card:
    """The card named "C4". Raises Illegal("card.unknown")."""
    if doll not in _INDEX:
        raise Illegal("card.unknown", f"there is no card {doll!r}")
    return _INDEX[doll]


def cards(text: str) -> tuple[Card, ...]:
    """The cards named in a line such as "A2 A3 C7", ascending. Raises Illegal("card.unknown")."""
    return tuple(sorted(index(doll) for doll in text.split()))
