"""The words of Matrioske, as others use them: to read, check and show deck files, and to find ours.

The format: protocol/deck-format.md.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from importlib import resources
from typing import Final

from p2pmatryoshka.errors import Illegal
from p2pmatryoshka.rules.deck import CARDS, DEPTH, SERIES, Deck, Note, Place, Report
from p2pmatryoshka.rules.deck_check import report

__all__ = [
    "CARDS",
    "DEPTH",
    "SERIES",
    "SHIPPED",
    "Deck",
    "Note",
    "Place",
    "Report",
    "check",
    "parse",
    "shipped",
    "show",
    "template",
]

SHIPPED: Final = ("english", "italiano")


def check(content: bytes) -> Report:
    """Explain every fault of a deck file. Never raises, whatever the bytes; time and memory are bounded."""
    return report(content)


@lru_cache(maxsize=8)
def parse(content: bytes) -> Deck:
    """The deck in a file. Raises Illegal("deck....") with the place and the cure of its first fault."""
    found = check(content)
    if found.deck is None:
        first = found.faults[0]
        raise Illegal(f"deck.{first.code}", str(first))
    return found.deck


def show(deck: Deck) -> tuple[str, ...]:
    """The deck as plain lines: the title, each series with its largest thing first, then the extra links."""
    return tuple(_lines(deck))


def _lines(deck: Deck) -> Iterator[str]:
    yield f"{deck.title} [{deck.language}]"
    for n in range(SERIES):
        yield f"{n + 1}. " + " > ".join(deck.names[n * DEPTH : (n + 1) * DEPTH])
    for card in range(CARDS):
        outers = [deck.names[outer] for inner, outer in deck.links if inner == card]
        if outers:
            yield f"{deck.names[card]} also inside: {', '.join(outers)}"


def shipped(name: str) -> bytes:
    """The content of one of the SHIPPED decks. Raises Illegal("deck.unknown")."""
    if name not in SHIPPED:
        raise Illegal("deck.unknown", f"there is no deck {name!r} here, only {' and '.join(SHIPPED)}")
    return resources.files("p2pmatryoshka.rules").joinpath("decks", f"{name}.toml").read_bytes()


def template() -> str:
    """A deck file to start from: it passes the check, and its comments say what to change."""
    series = [[f'"thing {n}-{m}"' for m in range(1, DEPTH + 1)] for n in range(2, SERIES + 1)]
    return _TEMPLATE.replace("@SERIES@", "\n".join(f"  [{', '.join(names)}]," for names in series))


_TEMPLATE = """\
# A deck of words for Matrioske. Lines that begin with # are comments: delete them as you like.

title = "My words"
language = "en"  # of the words: en, it, de, pt-BR ...

# Eight series of six things, the largest first. Each thing can lie inside the one before it.
# The eight largest lie on the table from the start; the forty others are dealt.
series = [
  ["garden", "greenhouse", "flower pot", "tulip", "bumblebee", "grain of pollen"],
@SERIES@
]

# Where a thing fits outside its own series: "thing" = ["what can hold it", "and what else"].
# Whatever holds a thing also holds all that lies inside it, so one line often does for many.
# The more places a thing has the better the game: aim at two series for each.
[inside]
"bumblebee" = ["thing 2-3", "thing 5-2"]
"thing 2-5" = ["flower pot"]
"""
