"""Properties of Matrioske, against definitions as slow and plain as they can be."""

from __future__ import annotations

import itertools
import random
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from p2pmatryoshka.errors import Illegal
from p2pmatryoshka.rules import words
from p2pmatryoshka.rules.game import Answer, Choice, Over, public
from p2pmatryoshka.rules.matrioske import MATRIOSKE
from p2pmatryoshka.rules.matrioske_state import Phase
from p2pmatryoshka.rules.plain_dealer import PlainTable
from tests.rules.matrioske_tables import TABLE_JUDGES, look, moments, opened, situation

seeds = st.integers(0, 10**6)
house_rules = st.fixed_dictionaries(
    {
        "covered_cards": st.sampled_from(["first_capture", "every_capture"]),
        "judge": st.sampled_from(["deck", "table"]),
    }
)


@st.composite
def games(draw: st.DrawFn) -> list[PlainTable]:
    """All moments of a random game with a shipped deck."""
    seed = draw(seeds)
    content = words.shipped(draw(st.sampled_from(words.SHIPPED)))
    return list(moments(opened(content, seed, draw(house_rules)), seed))


@st.composite
def random_moments(draw: st.DrawFn) -> PlainTable:
    """Some moment of a random game."""
    game = draw(games())
    return game[draw(st.integers(0, len(game) - 1))]


def inside(deck: words.Deck, inner: int, outer: int) -> bool:
    """The definition: outer can be reached from inner by steps that the file writes down."""
    steps = {(n, n - 1) for n in range(48) if n % 6} | set(deck.links)
    reached, waiting = set(), [inner]
    while waiting:
        here = waiting.pop()
        for there in (b for a, b in steps if a == here and b not in reached):
            reached.add(there)
            waiting.append(there)
    return outer in reached


def test_the_relation_is_what_its_definition_says() -> None:
    for name in words.SHIPPED:
        deck = words.parse(words.shipped(name))
        for inner in range(48):
            for outer in range(48):
                assert deck.holds(outer, inner) == inside(deck, inner, outer)
                assert bool(deck.held[outer] >> inner & 1) == deck.holds(outer, inner)


@settings(max_examples=15, deadline=None)
@given(games())
def test_every_card_is_always_in_exactly_one_place(game: list[PlainTable]) -> None:
    for table in game:
        view = look(table)
        table.check_conserved()
        shown = [c for cards in (*view.piles, *view.captured, view.left) for c in cards]
        shown += [view.claim.card] if view.claim else []
        assert max(Counter(shown).values()) == 1
        assert sorted(shown) == sorted({*table.lying, *(n * 6 for n in range(8))})
        assert sum(map(len, table.covered)) == sum(view.covered) + sum(view.won)
        assert view.hands == tuple(map(len, table.hands))


@settings(max_examples=15, deadline=None)
@given(games())
def test_each_card_of_a_pile_holds_the_next_if_the_deck_judges(game: list[PlainTable]) -> None:
    if game[0].state.judge == "deck":
        for table in game:
            for pile in look(table).piles:
                assert all(table.state.deck.holds(a, b) for a, b in itertools.pairwise(pile))


@settings(max_examples=15, deadline=None)
@given(games())
def test_points_only_grow_and_are_the_captured_cards(game: list[PlainTable]) -> None:
    for table, after in itertools.pairwise(game):
        assert all(a <= b for a, b in zip(look(table).points, look(after).points, strict=True))
    last = look(game[-1])
    assert last.points == tuple(len(last.captured[seat]) + last.won[seat] for seat in range(4))
    assert isinstance(last.ask, Over)
    assert last.ask.winners == tuple(s for s in range(4) if last.points[s] == max(last.points))


@settings(max_examples=15, deadline=None)
@given(games())
def test_with_first_capture_covered_cards_are_won_once(game: list[PlainTable]) -> None:
    won = [look(table).won for table in game]
    rises = sum(a != b for a, b in itertools.pairwise(won))
    first = next((table for table in game if any(look(table).captured)), None)
    if game[0].state.covered_cards == "first_capture":
        assert rises <= 1
        assert first is None or look(first).won == won[-1]
    elif first is not None:
        assert sum(look(first).covered) == 0


def legal(table: PlainTable, seat: int) -> set[Choice]:
    """All choices of a seat by the words of the rules, tried one by one."""
    state, view = table.state, look(table)
    if state.phase is Phase.JUDGE and state.turn != seat:
        return {Choice(("accept",)), Choice(("refuse",))}
    if state.phase is not Phase.TURN or state.turn != seat:
        return set()
    found = set()
    for held in table.hand(seat):
        found.add(Choice((), (held,), face_up=False))
        for number, pile in enumerate(view.piles):
            for position in range(1, len(pile) + 1):
                at_top = position == len(pile)
                option = ("top", number) if at_top else ("between", number, position)
                fits = inside(state.deck, held, pile[position - 1])
                fits = fits and (at_top or inside(state.deck, pile[position], held))
                if fits:
                    found.add(Choice(option, (held,)))
                elif state.judge == "table" and not state.barred:
                    found.add(Choice(("claim", *option), (held,)))
    return found


@settings(max_examples=10, deadline=None)
@given(random_moments())
def test_moves_are_exactly_the_legal_choices(table: PlainTable) -> None:
    for seat in range(4):
        moves = list(table.moves(seat))
        assert len(moves) == len(set(moves))
        assert set(moves) == legal(table, seat)
        for move in moves[:: max(1, len(moves) // 20)]:
            MATRIOSKE.check(table.state, seat, public(move))


@settings(max_examples=40, deadline=None)
@given(random_moments(), st.integers(-1, 4), st.data())
def test_every_other_answer_is_refused_and_nothing_has_changed(
    table: PlainTable, seat: int, data: st.DataObject
) -> None:
    places = st.one_of(
        st.tuples(st.just("top"), st.integers(-1, 8)),
        st.tuples(st.just("between"), st.integers(-1, 8), st.integers(-1, 9)),
    )
    option = data.draw(
        st.one_of(places, places.map(lambda place: ("claim", *place)), st.sampled_from([(), ("accept",), ("claim",)]))
    )
    cards = data.draw(st.lists(st.integers(-1, 48), max_size=2).map(tuple))
    answer = Answer(option, cards, data.draw(st.integers(-1, 2)))
    before = repr(table.state)
    expected = 0 <= seat < 4 and any(
        public(choice) == answer for choice in legal(PlainTable(*_with_hands(table, seat, cards)), seat)
    )
    try:
        MATRIOSKE.check(table.state, seat, answer)
        accepted = True
    except Illegal:
        accepted = False
    assert accepted == expected
    assert repr(table.state) == before


def _with_hands(table: PlainTable, seat: int, cards: tuple[int, ...]) -> tuple[object, ...]:
    """The table as if the seat held those cards: whether it really does is the dealer's business."""
    held = tuple(c for c in cards if 0 <= c < 48 and c % 6) or (1,)
    hands = (*table.hands[:seat], held, *table.hands[seat + 1 :]) if 0 <= seat < 4 else table.hands
    return table.game, table.state, table.stock, hands, table.lying, table.covered


@settings(max_examples=20, deadline=None)
@given(random_moments(), seeds)
def test_a_view_depends_on_nothing_that_its_seat_may_not_see(table: PlainTable, seed: int) -> None:
    for seat in range(4):
        hidden = [c for other in range(4) if other != seat for c in table.hand(other)]
        random.Random(seed).shuffle(hidden)
        rest = iter(hidden)
        hands = tuple(
            hand if other == seat else tuple(sorted(next(rest) for _ in hand)) for other, hand in enumerate(table.hands)
        )
        swapped = PlainTable(table.game, table.state, table.stock, hands, table.lying, table.covered)
        assert look(swapped, seat) == look(table, seat)


@settings(max_examples=15, deadline=None)
@given(games())
def test_the_standing_at_every_moment_names_who_leads(game: list[PlainTable]) -> None:
    for table in game:
        standing = MATRIOSKE.standing(table.state)
        points = look(table).points
        assert standing.points == tuple(enumerate(points))
        assert standing.winners == tuple(s for s in range(4) if points[s] == max(points))


@pytest.mark.parametrize("rules", [{}, TABLE_JUDGES], ids=str)
def test_a_drawn_choice_is_any_move_and_each_as_likely(rules: dict[str, str]) -> None:
    table = situation("A1 B4", "C1", piles={0: "A0 A2", 1: "B0 B3"}, rules=rules)
    moves = list(table.moves(0))
    chance = random.Random(1)
    drawn = Counter(MATRIOSKE.sample(look(table, 0), chance) for _ in range(100 * len(moves)))
    assert set(drawn) == set(moves)
    assert all(50 < count < 150 for count in drawn.values())
