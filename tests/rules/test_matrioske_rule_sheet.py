"""Every sentence of the Italian rule sheet of Matrioske, in its order."""

from __future__ import annotations

import pytest

from p2pmatryoshka.errors import Illegal
from p2pmatryoshka.rules import words
from p2pmatryoshka.rules.game import Deal, Over, Play, public
from p2pmatryoshka.rules.matrioske import MATRIOSKE
from p2pmatryoshka.rules.matrioske_state import Phase
from p2pmatryoshka.rules.plain_dealer import PlainTable
from tests.rules.matrioske_tables import (
    at,
    between,
    card,
    cards,
    cover,
    deck,
    look,
    moments,
    opened,
    options,
    play,
    situation,
    top,
)


def refused(table: PlainTable, choice: object, code: str) -> None:
    """The choice is refused with that code, by the game itself."""
    seat = table.state.turn
    with pytest.raises(Illegal) as caught:
        MATRIOSKE.check(table.state, seat, public(choice))  # type: ignore[arg-type]
    assert caught.value.code == code


# Giocatori - Quattro.
def test_there_are_four_players() -> None:
    assert MATRIOSKE.seatings == (4,)
    assert len(opened().hands) == 4


# Occorrente - Quarantotto cartoncini
def test_there_are_forty_eight_cards() -> None:
    assert len(words.parse(deck()).names) == 48


# otto serie di sei nomi ciascuna
def test_there_are_eight_series_of_six_names() -> None:
    assert (words.SERIES, words.DEPTH) == (8, 6)
    assert [words.parse(deck()).names[n * 6] for n in range(8)] == ["A0", "B0", "C0", "D0", "E0", "F0", "G0", "H0"]


# Le sei cose che costituiscono la stessa serie devono poter stare una dentro l'altra
def test_each_thing_of_a_series_can_lie_inside_every_larger_one() -> None:
    plain = words.parse(deck())
    for outer in cards("C0 C1 C2 C3 C4 C5"):
        for inner in cards("C0 C1 C2 C3 C4 C5"):
            assert plain.holds(outer, inner) == (outer < inner)


# ogni cosa deve poter essere collocata in due o piu serie diverse
@pytest.mark.parametrize("name", words.SHIPPED)
def test_every_thing_below_the_largest_fits_in_two_series_or_more(name: str) -> None:
    shipped = words.parse(words.shipped(name))
    assert all(len(shipped.fits(thing)) >= 2 for thing in range(48) if thing % 6)


# Gli otto cartoncini con sopra le cose piu grandi vengono posati sul tavolo
def test_the_eight_largest_lie_on_the_table() -> None:
    assert look(opened()).piles == tuple((thing,) for thing in cards("A0 B0 C0 D0 E0 F0 G0 H0"))
    assert not set(cards("A0 B0 C0 D0 E0 F0 G0 H0")) & set(MATRIOSKE.stock(opened().state))


# tutti gli altri vengono mescolati e distribuiti equamente ai quattro giocatori
def test_all_other_cards_are_dealt_equally() -> None:
    table = opened().resolve(toss=0)
    assert table.ask == Deal(((0, 10), (1, 10), (2, 10), (3, 10)))
    after = table.resolve()
    assert look(after).hands == (10, 10, 10, 10)
    assert after.stock == ()
    assert sorted(c for hand in after.hands for c in hand) == list(MATRIOSKE.stock(after.state))


# A turno, i giocatori devono posare uno dei loro cartoncini sopra uno di quelli sul tavolo
def test_players_in_turn_lay_one_card_on_a_card_of_the_table() -> None:
    table = situation("A1", "A2", "A3", "A4")
    for seat, name in enumerate(("A1", "A2", "A3", "A4")):
        assert table.ask.seats == (seat,)
        table = play(table, top(name, 0))
        assert look(table).piles[0][-1] == card(name)
        assert look(table).hands[seat] == 0


def test_exactly_one_card_leaves_the_hand_each_turn() -> None:
    for before, after in zip(list(moments(opened())), list(moments(opened()))[1:], strict=False):
        if before.state.phase is Phase.TURN:
            assert sum(look(before).hands) == sum(look(after).hands) + 1
            assert look(before).hands[before.state.turn] == look(after).hands[before.state.turn] + 1


# lasciando in vista un pezzetto del cartoncino sotto
def test_everybody_sees_every_card_of_a_pile() -> None:
    table = play(situation("A1", "A3"), top("A1", 0), top("A3", 0))
    assert all(look(table, seat).piles[0] == cards("A0 A1 A3") for seat in (None, 0, 1, 2, 3))


# La cosa posata deve poter essere contenuta in quella sottostante
def test_the_thing_laid_must_be_able_to_lie_inside_the_one_below() -> None:
    table = situation("A1 A3 B1", piles={0: "A0 A2"})
    assert options(table, 0, "A3") == [("top", 0)]
    assert options(table, 0, "B1") == [("top", 1)]
    refused(table, top("A1", 0), "card.placement")
    refused(table, top("B1", 0), "card.placement")


def test_a_thing_of_another_series_lies_where_the_deck_says_so() -> None:
    table = situation("B3", piles={0: "A0 A2"}, B2="A2")
    assert options(table, 0, "B3") == [("top", 0), ("top", 1)]


# chi riesce a collocare uno dei propri cartoncini in mezzo a due conquista tutti i cartoncini sopra al suo
def test_a_card_between_two_captures_all_cards_above() -> None:
    table = play(situation("A2", piles={0: "A0 A1 A3 A4 A5"}), between("A2", 0, 2))
    assert look(table).captured[0] == cards("A3 A4 A5")
    assert look(table).piles[0] == cards("A0 A1 A2")
    assert look(table).points == (3, 0, 0, 0)


# bisogna che la cosa che c'e sopra possa contenere quella di uno degli altri due e essere contenuta dall'altro
def test_it_must_hold_the_upper_and_lie_inside_the_lower() -> None:
    table = situation("A2 A5 B2", piles={0: "A0 A1 A3", 1: "B0 A4"}, B3="A1", A4="B3")
    assert options(table, 0, "A2") == [("between", 0, 2)]
    refused(table, between("A5", 0, 1), "card.placement")  # it lies inside A0 but does not hold A1
    refused(table, between("A2", 0, 1), "card.placement")
    refused(table, between("B2", 0, 2), "card.placement")
    assert ("between", 1, 1) in options(table, 0, "B2")  # B0 holds B2, and B2 holds B3, which holds A4


# I cartoncini conquistati vanno tenuti in un mucchietto, separati da quelli ricevuti
def test_captured_cards_are_kept_apart_and_never_played_again() -> None:
    table = play(situation("A2 A4", "B1", piles={0: "A0 A3"}), between("A2", 0, 1), top("B1", 1))
    assert table.hand(0) == cards("A4")
    assert look(table, 0).captured[0] == cards("A3")
    with pytest.raises(Illegal, match="hand"):
        play(table, top("A3", 0))


# Chi non puo (o non vuole) giocare deve comunque lasciarne uno, coperto, in mezzo al tavolo
def test_who_cannot_play_must_leave_a_card_covered() -> None:
    table = situation("A1", "C1", piles={0: "A0 B1"}, B1="A0")
    assert list(table.moves(0)) == [cover("A1")]
    assert look(play(table, cover("A1"))).covered == (1, 0, 0, 0)


def test_who_will_not_play_may_cover_a_card_too() -> None:
    table = situation("A1 A2", "B1")
    assert options(table, 0, "A1") == [("top", 0)]
    after = play(table, cover("A1"))
    assert look(after).covered == (1, 0, 0, 0)
    assert look(after).hands == (1, 1, 0, 0)
    assert look(after).turn == 1


def test_nobody_may_pass() -> None:
    table = at(Phase.TURN)
    assert isinstance(table.ask, Play)
    assert all(len(move.cards) == 1 for move in table.moves(table.state.turn))


# Chi conquista per primo si prende anche tutti quelli che si trovano, in quel momento, coperti
def test_the_first_to_capture_takes_the_cards_covered_at_that_moment() -> None:
    table = situation("B1", "C1 C2", "A2 D1", "E1", piles={0: "A0 A3"})
    table = play(table, cover("B1"), cover("C1"), between("A2", 0, 1))
    assert look(table).points == (0, 0, 3, 0)
    assert look(table).won == (0, 0, 2, 0)
    assert look(table).captured[2] == cards("A3")
    assert look(table).covered == (0, 0, 0, 0)


# Il gioco termina quando tutti i giocatori restano a mani vuote
def test_the_game_ends_when_all_hands_are_empty() -> None:
    for table in moments(opened(words.shipped("english"), 3), 3):
        if table.state.phase not in (Phase.TOSS, Phase.DEAL):
            assert isinstance(table.ask, Over) == (not any(table.hands))
    assert isinstance(table.ask, Over)


def test_every_player_has_ten_turns() -> None:
    turns = [table.state.turn for table in moments(opened()) if table.state.phase is Phase.TURN]
    assert [turns.count(seat) for seat in range(4)] == [10, 10, 10, 10]


# Vince - Chi possiede il maggior numero di cartoncini conquistati
def test_who_captured_most_wins() -> None:
    table = situation("A2", "B2", piles={0: "A0 A3 A4", 1: "B0 B3"})
    table = play(table, between("A2", 0, 1), between("B2", 1, 1))
    assert table.ask == Over(((0, 2), (1, 1), (2, 0), (3, 0)), (0,))
