"""The decks that come with us, the template, and how a deck is shown."""

from __future__ import annotations

import pytest

from p2pmatryoshka.errors import Illegal
from p2pmatryoshka.rules import words
from tests.rules.matrioske_tables import card, deck


@pytest.mark.parametrize("name", words.SHIPPED)
def test_a_shipped_deck_has_no_fault_and_no_warning(name: str) -> None:
    report = words.check(words.shipped(name))
    assert report.faults == report.warnings == ()


@pytest.mark.parametrize("name", words.SHIPPED)
def test_it_is_rich(name: str) -> None:
    shipped = words.parse(words.shipped(name))
    small = [thing for thing in range(48) if thing % 6]
    assert sum(len(shipped.fits(thing)) for thing in small) / 40 > 5
    # Something can be slipped between most pairs of neighbours, so captures are to be had.
    pairs = [(outer, inner) for inner in small for outer in range(48) if shipped.holds(outer, inner)]
    assert sum(bool(shipped.held[outer] & shipped.holders[inner]) for outer, inner in pairs) > len(pairs) / 2


@pytest.mark.parametrize("name", words.SHIPPED)
def test_nothing_holds_the_largest_things(name: str) -> None:
    shipped = words.parse(words.shipped(name))
    assert all(shipped.holders[series * 6] == 0 for series in range(8))


def test_the_decks_are_in_their_languages_and_share_no_words() -> None:
    english, italian = (words.parse(words.shipped(name)) for name in ("english", "italiano"))
    assert (english.language, italian.language) == ("en", "it")
    assert not set(english.names) & set(italian.names)


def test_a_deck_that_is_not_here_is_named() -> None:
    with pytest.raises(Illegal, match=r"deck\.unknown.*'klingon'"):
        words.shipped("klingon")
    with pytest.raises(Illegal):
        words.shipped("../words")


def test_the_template_passes_the_check_and_explains_itself() -> None:
    report = words.check(words.template().encode())
    assert report.faults == ()
    assert sum(line.lstrip().startswith("#") for line in words.template().splitlines()) >= 5


def test_a_deck_is_shown_as_plain_lines() -> None:
    lines = words.show(words.parse(deck(B3="A2", C1="B4 D3")))
    assert lines[0] == "Plain [en]"
    assert lines[1] == "1. A0 > A1 > A2 > A3 > A4 > A5"
    assert lines[8] == "8. H0 > H1 > H2 > H3 > H4 > H5"
    assert lines[9:] == ("B3 also inside: A2", "C1 also inside: B4, D3")
    assert all(line.isprintable() for line in lines)


def test_fits_names_the_series_in_which_a_thing_can_lie() -> None:
    plain = words.parse(deck(B3="A2", C1="B4 D3"))
    assert plain.fits(card("C5")) == (0, 1, 2, 3)
    assert plain.fits(card("B2")) == (1,)
    assert plain.fits(card("A0")) == ()


def test_the_index_of_a_card_is_series_times_six_plus_depth() -> None:
    plain = words.parse(deck())
    assert plain.names[3 * 6 + 4] == "D4"


def test_parsing_is_a_function_of_the_bytes() -> None:
    assert words.parse(deck(B3="A2")) == words.parse(bytes(bytearray(deck(B3="A2"))))
    assert hash(words.parse(deck())) == hash(words.check(deck()).deck)
