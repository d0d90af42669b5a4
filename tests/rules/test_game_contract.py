"""What any game of the catalogue must keep, whole and with departures at random moments.

Every case is one seeded game; the seed stands in the name of a failing test.
"""

from __future__ import annotations

import random
from itertools import islice, pairwise

import pytest

from p2pmatryoshka.bots.random_bot import RandomBot
from p2pmatryoshka.errors import Illegal
from p2pmatryoshka.rules.catalogue import GAMES
from p2pmatryoshka.rules.game import Answer, AnyGame, Choice, Deal, Give, Over, Pick, Play, Rules, Toss, public
from p2pmatryoshka.rules.plain_dealer import PlainTable, shuffled, step
from tests.rules.samples import SEATINGS, deck
from tests.rules.tables import asked

ENDLESS = 1000  # asks: no game is as long
SEEDS = range(4)
DEPARTURE = 0.04  # chance of a departure before each ask
MOVES = 20  # tried of each seat


def opening(game: AnyGame, seats: int, seed: int) -> PlainTable:
    """A shuffled table with the default house rules."""
    stock = game.stock(game.start({}, deck(game), seats))
    return PlainTable.start(game, {}, deck(game), seats, shuffled(stock, random.Random(seed)))


def leave(table: PlainTable, chance: random.Random) -> PlainTable:
    """Somebody is gone, and the stock is rebuilt."""
    seat = chance.choice(table.view(None).still_in)
    away = table.gone(seat, None)
    return away.restock(shuffled(away.stock, chance))


def game_of(name: str, seats: int, seed: int, departure: float) -> list[PlainTable]:
    """Every moment of a random game; before each ask somebody is gone with that probability."""
    game, chance = GAMES[name], random.Random(seed)
    table = opening(game, seats, seed)
    told = [table]
    while not isinstance(table.ask, Over):
        assert len(told) < ENDLESS
        table = leave(table, chance) if chance.random() < departure else step(table, [RandomBot()] * seats, chance)
        told.append(table)
    return told


@pytest.fixture(params=[(*seating, seed) for seating in SEATINGS for seed in SEEDS], ids=str)
def told(request: pytest.FixtureRequest) -> list[PlainTable]:
    """A game with departures, moment by moment."""
    name, seats, seed = request.param
    return game_of(name, seats, seed, DEPARTURE)


@pytest.mark.parametrize(("name", "seats"), SEATINGS)
@pytest.mark.parametrize("seed", SEEDS)
def test_a_game_without_departures_ends_and_somebody_wins(name: str, seats: int, seed: int) -> None:
    last = game_of(name, seats, seed, 0.0)[-1]
    assert isinstance(last.ask, Over)
    assert last.ask.winners
    assert last.view(None).still_in == tuple(range(seats))


def test_no_card_is_lost_or_doubled(told: list[PlainTable]) -> None:
    for table in told:
        table.check_conserved()
        assert table.game.stock(table.state) == told[0].game.stock(told[0].state)


def test_a_deal_never_asks_for_more_than_the_stock_holds(told: list[PlainTable]) -> None:
    for table in told:
        if isinstance(table.ask, Deal):
            assert sum(count for _, count in table.ask.counts) <= len(table.stock)


def test_only_seats_still_in_are_asked_or_given_anything(told: list[PlainTable]) -> None:
    for table in told:
        still_in = set(table.view(None).still_in)
        assert set(asked(table)) <= still_in
        assert tuple(sorted(set(asked(table)))) == asked(table)
        match table.ask:
            case Deal(counts):
                assert {seat for seat, _ in counts} <= still_in
            case Give(cards):
                assert {seat for _, seat in cards} <= still_in
            case Play(seats) | Pick(seats):
                assert seats
            case Toss(sides):
                assert sides > 0


def test_every_asked_seat_has_a_move_and_every_move_is_accepted(told: list[PlainTable]) -> None:
    for table in told:
        choices = {seat: next(table.moves(seat)) for seat in asked(table)}
        for seat in choices:
            for move in islice(table.moves(seat), MOVES):
                assert set(move.cards) <= set(table.hand(seat))
                table.resolve({**choices, seat: move}).check_conserved()


def test_moves_are_listed_once_each_in_a_fixed_order(told: list[PlainTable]) -> None:
    for table in told:
        for seat in range(len(table.hands)):
            moves = list(table.moves(seat))
            assert moves == list(table.moves(seat))
            assert len(set(moves)) == len(moves)
            assert seat in asked(table) or not moves


def test_answers_that_are_no_move_are_refused_and_nothing_has_changed(told: list[PlainTable]) -> None:
    odd = [
        Answer(("no such place",)),
        Answer((), (0, 1, 2, 3, 4)),
        Answer((), (1, 0)),
        Answer((), (), 5),
        Answer((), (0,), 1),
        Answer((), (), -1),
    ]
    for table in told:
        before = repr(table.state)
        for seat in range(len(table.hands)):
            for answer in odd:
                with pytest.raises(Illegal):
                    table.game.check(table.state, seat, answer)
        assert repr(table.state) == before


def test_seats_that_are_not_asked_are_refused(told: list[PlainTable]) -> None:
    for table in told:
        some = [public(move) for seat in asked(table) for move in islice(table.moves(seat), 1)] or [Answer()]
        for seat in set(range(-1, len(table.hands) + 1)) - set(asked(table)):
            with pytest.raises(Illegal, match="turn"):
                table.game.check(table.state, seat, some[0])


def test_states_are_values_and_nothing_changes_them(told: list[PlainTable]) -> None:
    game = told[0].game
    for table, after in pairwise(told):
        assert isinstance(hash(table.state), int)
        assert table.state != after.state
        before = repr(table.state)
        game.standing(table.state)
        game.view(table.state, 0, table.hand(0))
        assert game.ask(table.state) == table.ask
        assert repr(table.state) == before


def test_a_view_shows_what_is_asked_the_own_hand_and_who_is_in(told: list[PlainTable]) -> None:
    for table in told:
        for seat in (None, *range(len(table.hands))):
            view = table.view(seat)
            assert (view.game, view.seat, view.seats) == (table.game.name, seat, len(table.hands))
            assert view.ask == table.ask
            assert view.hand == (() if seat is None else table.hand(seat))
            assert isinstance(hash(view), int)


def test_somebody_may_be_gone_at_every_moment(told: list[PlainTable]) -> None:
    for table in told:
        if isinstance(table.ask, Over):
            assert table.gone(0, None) == table
            continue
        for seat in table.view(None).still_in:
            away = table.gone(seat, None)
            away.check_conserved()
            left = away.view(None).still_in
            assert left == tuple(other for other in table.view(None).still_in if other != seat)
            assert seat not in asked(away)
            assert isinstance(away.ask, Over) or len(left) >= table.game.fewest
            assert len(left) >= table.game.fewest or isinstance(away.ask, Over)


def test_a_joint_play_asks_the_same_of_the_others_when_one_is_gone(told: list[PlainTable]) -> None:
    for table in told:
        if isinstance(table.ask, Play) and table.ask.together and len(asked(table)) > 1:
            for seat in asked(table):
                away = table.gone(seat, None)
                if not isinstance(away.ask, Over):
                    rest = tuple(other for other in asked(table) if other != seat)
                    assert away.ask == Play(rest, table.ask.ways, together=True)


def test_there_is_a_standing_at_every_moment_and_it_is_the_result_at_the_end(told: list[PlainTable]) -> None:
    for table in told:
        standing = table.game.standing(table.state)
        assert [seat for seat, _ in standing.points] == list(range(len(table.hands)))
        assert set(standing.winners) <= set(table.view(None).still_in)
        assert bool(standing.winners) == bool(table.view(None).still_in)
    assert told[-1].ask == told[-1].game.standing(told[-1].state)


@pytest.mark.parametrize(("name", "seats"), SEATINGS)
def test_house_rules_are_complete_sorted_and_checked(name: str, seats: int) -> None:
    game = GAMES[name]
    rules = game.rules(seats, {})
    assert list(rules) == sorted(rules)
    assert game.rules(seats, rules) == rules
    assert game.start(rules, deck(game), seats) == game.start({}, deck(game), seats)
    wrong: tuple[Rules, ...] = ({"no such rule": True}, *({rule: "no such value"} for rule in rules))
    for chosen in wrong:
        with pytest.raises(Illegal, match=r"^rules\."):
            game.rules(seats, chosen)
        with pytest.raises(Illegal, match=r"^rules\."):
            game.start(chosen, deck(game), seats)


@pytest.mark.parametrize("name", GAMES)
def test_other_numbers_of_seats_are_refused(name: str) -> None:
    game = GAMES[name]
    for seats in set(range(8)) - set(game.seatings):
        with pytest.raises(Illegal, match=r"^rules\."):
            game.rules(seats, {})


@pytest.mark.parametrize(("name", "seats"), SEATINGS)
def test_every_card_has_a_name_of_its_own(name: str, seats: int) -> None:
    table = opening(GAMES[name], seats, 0)
    stock = GAMES[name].stock(table.state)
    assert stock == tuple(sorted(set(stock)))
    assert len({GAMES[name].card(table.state, card) for card in stock} - {""}) == len(stock)


@pytest.mark.parametrize(("name", "seats"), SEATINGS)
def test_where_a_game_draws_choices_itself_they_are_moves(name: str, seats: int) -> None:
    sample = getattr(GAMES[name], "sample", None)
    if sample is None:
        pytest.skip(f"{name} lists its moves")
    chance = random.Random(seats)
    for table in game_of(name, seats, 1, DEPARTURE):
        for seat in asked(table):
            drawn: Choice = sample(table.view(seat), chance)
            assert drawn in set(table.moves(seat))


@pytest.mark.slow
@pytest.mark.parametrize(("name", "seats"), SEATINGS)
def test_many_games_with_departures_end_with_every_card_in_its_place(name: str, seats: int) -> None:
    for seed in range(200):
        for table in game_of(name, seats, 1000 + seed, 0.02):
            table.check_conserved()
