"""Names of the seventy dolls, there and back."""

from __future__ import annotations

import pytest

from p2pmatryoshka.errors import Illegal
from p2pmatryoshka.rules import dolls


def test_names_and_indices_are_one_to_one() -> None:
    for card in range(dolls.COUNT):
        assert dolls.index(dolls.name(card)) == card
        assert dolls.name(card) == f"{dolls.letter(card)}{dolls.size(card)}"


def test_a_line_of_names_gives_ascending_cards() -> None:
    assert dolls.cards("C4 A1 J7") == (0, 17, 69)
    assert dolls.cards("") == ()


@pytest.mark.parametrize("card", [-1, 70])
def test_there_is_no_other_card(card: int) -> None:
    with pytest.raises(Illegal, match=r"card\.unknown"):
        dolls.name(card)


@pytest.mark.parametrize("doll", ["K1", "A0", "A8", "a1", "A", ""])
def test_there_is_no_other_name(doll: str) -> None:
    with pytest.raises(Illegal, match=r"card\.unknown"):
        dolls.index(doll)
