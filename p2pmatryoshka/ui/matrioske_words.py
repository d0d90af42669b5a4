"""Matrioske cards and places in words."""

from __future__ import annotations

from collections.abc import Sequence

from p2pmatryoshka.rules.deck import Deck
from p2pmatryoshka.rules.game import Cards, Option
from p2pmatryoshka.rules.matrioske import MatrioskeView
from p2pmatryoshka.rules.matrioske_state import Spot
from p2pmatryoshka.ui.strings import listed, say


def quoted(deck: Deck, cards: Sequence[int]) -> str:
    """ "moth, egg and pearl"."""
    return listed([deck.names[card] for card in cards])


def spot(view: MatrioskeView, option: Option) -> Spot:
    """The place that an option names, a claimed one too. The option must be one of those asked for."""
    if option[0] == "claim":
        option = option[1:]
    pile = int(option[1])
    cards = view.piles[pile]
    if option[0] == "top":
        return Spot(pile, len(cards), cards[-1], None)
    position = int(option[2])
    return Spot(pile, position, cards[position - 1], cards[position])


def place(deck: Deck, at: Spot) -> str:
    """ "on whale (pile 3)"."""
    lower = deck.names[at.lower]
    if at.upper is None:
        return say("k.at.top", lower=lower, pile=at.pile + 1)
    return say("k.at.between", lower=lower, upper=deck.names[at.upper], pile=at.pile + 1)


def captures(view: MatrioskeView, at: Spot) -> str:
    """ ", captures 2 cards and 3 covered", or nothing."""
    cards: Cards = view.piles[at.pile][at.position :]
    if not cards:
        return ""
    text = say("k.captures", n=len(cards))
    return text + say("k.captures.with", n=view.at_stake) if view.at_stake else text
