"""The stock made anew after somebody left: every card in one place, hands unchanged, nothing learned."""

from __future__ import annotations

from collections.abc import Iterator
from unittest import mock

import pytest

from p2pmatryoshka.crypto import elgamal, group
from p2pmatryoshka.rules.game import Card, Cards, Deal
from p2pmatryoshka.table import dealer, messages, restock
from p2pmatryoshka.table.audit import audit
from p2pmatryoshka.table.layout import Layout, Making
from p2pmatryoshka.table.record_file import export
from p2pmatryoshka.table.step import Closed, Playing
from tests.table.attack import open_step, restocking, whole_game
from tests.table.memory import Group


def layout_of(g: Group) -> Layout:
    stage = g.moment.stage
    assert isinstance(stage, Playing)
    return stage.layout


def secrets(g: Group) -> dict[int, int]:
    """The table secret of every member, those who left included."""
    found = {}
    for player in g.players:
        kept = [s["key"] for s in player.own.secrets.values() if "key" in s]
        found[player.member] = group.decode_scalar(kept[0])
    return found


def stock_of(g: Group) -> Cards:
    """The cards of the stock in the order in which they will be dealt, by all its holders' secrets together."""
    layout = layout_of(g)
    joint = sum(secrets(g)[member] for member in layout.holders) % group.q
    return tuple(dealer.card_of(elgamal.decrypt(joint, ct), layout.deck) for ct in layout.stock)


def hands_of(g: Group) -> dict[int, Cards]:
    """Every member's cards in the order of its list."""
    layout = layout_of(g)
    return {m: dealer.hand(layout, layout.seat(m), secrets(g)[m]) for m in layout.seating}


def everywhere(g: Group) -> list[Card]:
    hands = [card for hand in hands_of(g).values() for card in hand]
    return sorted([*stock_of(g), *hands, *layout_of(g).lying])


def until_dealt(g: Group) -> Iterator[Group]:
    """Round by round until the stock is made for those who are still in."""
    while layout_of(g).holders != layout_of(g).still_in:
        g.round()
        yield g


def restocked(g: Group) -> Group:
    for _ in until_dealt(g):
        pass
    return g


@pytest.mark.parametrize("leaver", [0, pytest.param(2, marks=pytest.mark.slow)])
def test_every_card_is_in_one_place_afterwards(leaver: int) -> None:
    g = restocking(4, leaver).find(lambda m: m.owed.kind == "rekey").branch("conserved")
    before, hands, lying = layout_of(g), hands_of(g), layout_of(g).lying
    restocked(g)
    after = layout_of(g)
    assert everywhere(g) == list(after.deck)
    assert after.hands == before.hands, "the hands themselves stay as they are"
    assert hands_of(g) == hands
    assert after.lying == lying
    assert isinstance(g.moment.stage, Playing)
    assert isinstance(g.moment.stage.ask, Deal)


def test_the_leavers_hand_is_in_the_new_stock_and_its_display_is_not() -> None:
    start = whole_game(4).find(lambda m: m.owed.kind == "share", 1).branch("leaver")
    hand = hands_of(start)[1]
    state = start.moment.stage.state  # type: ignore[union-attr]
    display = state.displays[layout_of(start).seat(1)]
    assert hand
    assert display
    start.leave(start.players[1])
    start.round()
    restocked(start)
    stock = set(stock_of(start))
    assert set(hand) <= stock
    assert not set(display) & stock
    assert set(display) <= layout_of(start).lying
    game = start.moment.roster.game
    assert len(stock) == start.moment.stage.state.stock  # type: ignore[union-attr]
    assert len(game.stock(start.moment.stage.state)) == 56  # type: ignore[union-attr]


def test_a_card_lying_open_when_its_owner_leaves_is_out_of_the_game() -> None:
    g = whole_game(4).find(lambda m: m.owed.kind == "choose").branch("open card")
    active = g.moment.owed.members[0]
    opened = g.moment.stage.state.opened  # type: ignore[union-attr]
    offers = g.moment.stage.state.offers  # type: ignore[union-attr]
    g.leave(g.players[active])
    g.round()
    while not isinstance(g.moment.stage.ask, Deal):  # type: ignore[union-attr]
        g.round()
    restocked(g)
    assert opened in layout_of(g).lying
    assert opened not in stock_of(g)
    cards = {card for hand in hands_of(g).values() for card in hand} | layout_of(g).lying
    assert {card for _, card in offers} <= cards
    assert everywhere(g) == list(layout_of(g).deck)


@pytest.mark.parametrize("kind", ["rekey", "mix", "blind", "tags"])
def test_a_restock_begins_again_when_another_member_is_lost_in_it(kind: str) -> None:
    g = restocking(4, 0).find(lambda m: m.owed.kind == kind).branch(kind)
    second = g.moment.owed.members[0]
    hand = hands_of(g)[second]
    work = restock.making(layout_of(g))
    g.leave(g.players[second])
    g.round()
    assert g.moment.owed.kind == "rekey"
    assert not isinstance(layout_of(g).doing, Making), "fresh masks and exponents"
    assert restock.making(layout_of(g)).joint != work.joint
    restocked(g)
    assert everywhere(g) == list(layout_of(g).deck)
    assert set(hand) <= set(stock_of(g))


def test_two_members_leave_one_after_another() -> None:
    g = whole_game(5).find(lambda m: m.owed.kind == "share", 1).branch("two")
    hands = hands_of(g)
    for leaver in (3, 0):
        g.leave(g.players[leaver])
        g.round()
        restocked(g)
        assert everywhere(g) == list(layout_of(g).deck)
        assert set(hands[leaver]) <= set(stock_of(g))
        g.round()  # the deal
        while not isinstance(g.moment.stage.ask, Deal):  # type: ignore[union-attr]
            g.round()
        hands = hands_of(g)


def test_two_members_leave_at_once() -> None:
    g = whole_game(4).find(lambda m: m.owed.kind == "share", 1).branch("at once")
    for leaver in (1, 2):
        g.leave(g.players[leaver])
    g.round()
    restocked(g)
    assert everywhere(g) == list(layout_of(g).deck)
    assert len(layout_of(g).still_in) == 2


@pytest.mark.parametrize("kind", ["mix", "share"])
def test_a_stock_lost_before_anybody_has_cards_is_made_without_tags(kind: str) -> None:
    g = open_step(kind, 1, 4)
    g.leave(g.players[1])
    g.round()
    kinds = []
    while g.moment.owed.kind != "commit":
        kinds.append(g.moment.owed.kind)
        g.round()
    assert kinds == ["mix", "mix", "mix", "share"]
    assert everywhere(g) == list(layout_of(g).deck)


def test_no_restock_between_a_commitment_and_its_reveal() -> None:
    """Somebody who leaves then is gone from the step, and a commitment already made is revealed as it is."""
    g = open_step("reveal", 1, 4)
    g.leave(g.players[1])
    number = g.moment.number
    g.round()
    assert g.moment.owed.kind != "reveal"
    assert g.moment.number == number + 1
    assert not any(p.accusations() for p in g.present)


def test_a_commitment_survives_a_member_that_leaves_before_the_reveal() -> None:
    g = open_step("commit", 1, 4)
    g.leave(g.players[1])
    g.round()
    assert g.moment.owed.kind == "reveal"
    assert 1 not in g.moment.owed.members
    g.round()
    assert not any(p.accusations() for p in g.present)


def test_the_new_stock_is_in_another_order_and_not_linkable_to_the_old_one() -> None:
    g = restocking(4, 0).find(lambda m: m.owed.kind == "rekey").branch("order")
    old_points = {
        point for ct in layout_of(whole_game(4).find(lambda m: m.owed.kind == "share", 1)).stock for point in ct
    }
    restocked(g)
    stock = stock_of(g)
    assert list(stock) != sorted(stock)
    assert not old_points & {point for ct in layout_of(g).stock for point in ct}


def test_tags_of_two_restocks_are_not_linkable() -> None:
    """The same cards give other tags each time: every exponent is fresh."""
    tags = []
    for seed in (1, 2):
        g = restocking(4, 0).find(lambda m: m.owed.kind == "rekey").branch(seed)
        while g.moment.owed.kind != "tags":
            g.round()
        work = restock.making(layout_of(g))
        joint = sum(secrets(g)[member] for member in work.holders) % group.q
        tags.append({elgamal.decrypt(joint, ct) for ct in work.stock})
    cards = {elgamal.card_point(card) for card in layout_of(g).deck}
    assert len(tags[0]) == len(tags[1])
    assert not tags[0] & tags[1]
    assert not tags[0] & cards


def test_tags_that_do_not_match_stop_the_game_and_accuse_nobody() -> None:
    with mock.patch.object(restock, "_left_over", side_effect=restock.Mismatch):
        g = restocking(4, 0).find(lambda m: m.owed.kind == "tags").branch("mismatch")
        g.run()
        stages = [p.table.moment.stage for p in g.present]
        for stage in stages:
            assert isinstance(stage, Closed)
            assert stage.reason == "stock.mismatch"
        assert not any(p.accusations() for p in g.present)
        report = audit(export(g.players[1].table))
        assert report.finding is None
        assert report.reason == "stock.mismatch"
        assert not report.accusations


def test_hands_that_hold_a_card_twice_are_a_mismatch() -> None:
    """No set of valid proofs leads there; if it happened all the same, the stock is not made."""
    g = restocking(4, 0).find(lambda m: m.owed.kind == "tags").branch("twice")
    work = restock.making(layout_of(g))
    x = secrets(g)
    wrong = Making(work.stage, work.holders, work.joint, work.stock, (work.hands[0], *work.hands[:-1]), work.mixed)
    shares = {m: tuple(group.times(x[m], ct.a) for ct in (*wrong.stock, *wrong.hands)) for m in work.holders}
    with pytest.raises(restock.Mismatch):
        restock._left_over(wrong, shares)
    foreign = (work.stock[0], *work.hands[1:])
    rest = restock._left_over(
        Making(work.stage, work.holders, work.joint, work.stock, work.hands, work.mixed),
        {m: tuple(group.times(x[m], ct.a) for ct in (*work.stock, *work.hands)) for m in work.holders},
    )
    assert len(rest) == len(work.stock) - len(foreign)


def test_a_leave_during_a_restock_accuses_nobody() -> None:
    g = restocking(4, 0).find(lambda m: m.owed.kind == "blind").branch("leave")
    g.send(g.players[3], g.players[3].own.draft_body(g.players[3].table, messages.Leave()).entry)
    g.run(lambda: g.players[1].table.moment.owed.kind == "turn" and not g.flight)
    assert not any(p.accusations() for p in g.present)
    assert 3 not in g.players[1].table.moment.still_in
