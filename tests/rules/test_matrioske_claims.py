"""The house rule judge = "table": placements that the deck does not list, claimed and judged by the others."""

from __future__ import annotations

import pytest

from p2pmatryoshka.errors import Illegal
from p2pmatryoshka.rules.game import Choice, Give, Over, Pick
from p2pmatryoshka.rules.matrioske_state import Phase
from p2pmatryoshka.rules.plain_dealer import PlainTable
from tests.rules.matrioske_tables import (
    TABLE_JUDGES,
    at,
    between,
    card,
    cards,
    claim,
    cover,
    look,
    moments,
    opened,
    options,
    play,
    situation,
    top,
    vote,
)


def claimed() -> PlainTable:
    """Seat 0 claims that B3 lies inside A1 and holds A2, which lies above."""
    table = situation("B3 B4", "C1", "D1", "E1", piles={0: "A0 A1 A2 A3"}, rules=TABLE_JUDGES)
    return play(table, claim(between("B3", 0, 2)))


def test_by_default_the_deck_judges_and_nothing_can_be_claimed() -> None:
    table = situation("B3", piles={0: "A0 A2"})
    assert not [option for option in table.ask.ways[0].options if option[0] == "claim"]
    with pytest.raises(Illegal, match=r"play\.way"):
        play(table, claim(top("B3", 0)))


def test_any_place_that_the_deck_does_not_list_can_be_claimed() -> None:
    table = situation("A1 B3", piles={0: "A0 A2"}, rules=TABLE_JUDGES)
    places = [("top", pile) for pile in range(8)] + [("between", 0, 1)]
    listed = [("top", 1)]
    unlisted = [("claim", *place) for place in places if place not in listed]
    assert options(table, 0, "B3") == listed + unlisted


def test_what_the_deck_lists_needs_no_claim() -> None:
    table = situation("B3", rules=TABLE_JUDGES)
    with pytest.raises(Illegal, match=r"claim\.needless"):
        play(table, claim(top("B3", 1)))


def test_a_claim_turns_the_card_up_with_its_place_and_the_others_are_asked_openly() -> None:
    table = claimed()
    assert table.ask == Pick((1, 2, 3), (("accept",), ("refuse",)))
    view = look(table)
    assert view.claim is not None
    assert (view.claim.seat, view.claim.card, view.claim.spot.option) == (0, card("B3"), ("between", 0, 2))
    assert view.hands == (1, 1, 1, 1)
    assert view.piles[0] == cards("A0 A1 A2 A3")  # nothing is captured yet


def test_a_vote_is_accept_or_refuse_and_the_claimant_has_none() -> None:
    table = claimed()
    with pytest.raises(Illegal, match=r"pick\.option"):
        vote(table, "accept", "abstain", "accept")
    with pytest.raises(Illegal, match="turn"):
        table.resolve({0: Choice(("accept",))})


@pytest.mark.parametrize("votes", [("accept",) * 3, ("accept", "accept", "refuse"), ("refuse", "accept", "accept")])
def test_it_stands_if_at_least_half_accept(votes: tuple[str, ...]) -> None:
    table = vote(claimed(), *votes)
    view = look(table)
    assert view.piles[0] == cards("A0 A1 B3")
    assert view.captured[0] == cards("A2 A3")
    assert (view.turn, view.claim) == (1, None)


@pytest.mark.parametrize("votes", [("refuse",) * 3, ("accept", "refuse", "refuse"), ("refuse", "refuse", "accept")])
def test_otherwise_the_card_goes_back_known_to_all(votes: tuple[str, ...]) -> None:
    table = vote(claimed(), *votes)
    assert table.ask == Give(((card("B3"), 0),))
    table = table.resolve()
    assert table.hand(0) == cards("B3 B4")
    assert look(table, 2).shown == (cards("B3"), (), (), ())
    assert look(table).piles[0] == cards("A0 A1 A2 A3")
    table.check_conserved()


def refused() -> PlainTable:
    return vote(claimed(), "refuse", "refuse", "accept").resolve()


def test_and_the_player_takes_the_turn_again_without_claiming() -> None:
    table = refused()
    assert table.ask.seats == (0,)
    assert look(table).barred
    assert all(move.option[:1] != ("claim",) for move in table.moves(0))
    with pytest.raises(Illegal, match=r"play\.way"):
        play(table, claim(top("B4", 0)))
    after = play(table, cover("B4"))
    assert look(after).turn == 1
    assert look(after).hands == (1, 1, 1, 1)


def test_claims_may_be_made_again_in_the_next_turn() -> None:
    table = play(refused(), cover("B4"))
    assert not look(table).barred
    assert any(move.option[:1] == ("claim",) for move in table.moves(1))


def test_a_returned_card_is_no_longer_shown_once_it_is_turned_up_again() -> None:
    table = play(refused(), top("B3", 1))
    assert look(table).shown == ((), (), (), ())


def test_a_card_covered_after_a_refusal_may_be_the_returned_one() -> None:
    one, other = play(refused(), cover("B3")), play(refused(), cover("B4"))
    assert look(one) == look(other)
    assert look(one).shown[0] == cards("B3")


def test_half_is_enough_when_two_votes_count() -> None:
    two = claimed().gone(3, None)
    assert two.ask == Pick((1, 2), (("accept",), ("refuse",)))
    assert look(vote(two, "accept", "refuse")).captured[0] == cards("A2 A3")
    assert isinstance(vote(two, "refuse", "refuse").ask, Give)


def test_one_vote_decides_when_one_is_left() -> None:
    one = claimed().gone(3, None).gone(1, None)
    assert one.ask == Pick((2,), (("accept",), ("refuse",)))
    assert look(vote(one, "accept")).captured[0] == cards("A2 A3")
    assert isinstance(vote(one, "refuse").ask, Give)


def test_an_accepted_claim_holds_for_that_card_at_that_place_only() -> None:
    table = situation("B3", "B3", "C2", "D1", piles={0: "A0 A1"}, rules=TABLE_JUDGES)
    table = vote(play(table, claim(top("B3", 0))), "accept", "accept", "accept")
    assert look(table).piles[0] == cards("A0 A1 B3")
    assert not table.state.deck.holds(card("A1"), card("B3"))


def test_a_claimed_capture_takes_the_covered_cards_too() -> None:
    table = situation("C1 C2", "B3", "D1", "E1", piles={0: "A0 A1 A2"}, rules=TABLE_JUDGES)
    table = vote(play(table, cover("C1"), claim(between("B3", 0, 2))), "accept", "accept", "refuse")
    assert look(table).points == (0, 2, 0, 0)
    assert look(table).won == (0, 1, 0, 0)


def test_the_last_card_of_all_may_be_claimed() -> None:
    table = situation("B3", piles={0: "A0 A2"}, rules=TABLE_JUDGES)
    table = play(table, claim(top("B3", 0)))
    assert isinstance(table.ask, Pick)
    assert isinstance(vote(table, "accept", "accept", "accept").ask, Over)
    back = vote(table, "refuse", "refuse", "refuse").resolve()
    assert look(back).turn == 0
    assert isinstance(play(back, cover("B3")).ask, Over)


def test_random_games_with_claims_come_to_every_phase_and_end() -> None:
    seen = set()
    for seed in range(5):
        for table in moments(opened(seed=seed, rules=TABLE_JUDGES), seed):
            table.check_conserved()
            seen.add(table.state.phase)
        assert isinstance(table.ask, Over)
    assert seen == set(Phase)
    assert at(Phase.RETURN, TABLE_JUDGES).state.claim is not None
