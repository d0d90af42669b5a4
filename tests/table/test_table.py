"""Whole tables: honest games, members that leave, and entries in any order."""

from __future__ import annotations

from random import Random

import pytest

from p2pmatryoshka.record.entry import SignedEntry
from p2pmatryoshka.table import messages
from p2pmatryoshka.table.audit import audit
from p2pmatryoshka.table.record_file import export
from p2pmatryoshka.table.step import Abandoned, Closed, Fill
from p2pmatryoshka.table.table import Accusation, Advanced, PlaceFilled, Table
from tests.table.attack import line_for, open_step, sign, whole_game
from tests.table.memory import Group, checks_shared, identities, roster_for, seeded

STEPS = ["sit", "keys", "open", "mix", "share", "commit", "reveal", "turn", "choose", "seal"]
STEPS += ["coin", "rekey", "remix", "blind", "tags"]


def agreed(group: Group) -> Table:
    """The one table that all who are not silent have; nobody is accused, nothing was rejected."""
    first, *others = [p for p in group.present if p.member in p.table.moment.still_in] or group.present
    for player in group.present:
        assert not player.accusations()
        assert not player.rejected()
    for other in others:
        assert [m.hash for m in other.table.spine] == [m.hash for m in first.table.spine]
        assert other.table.moment == first.table.moment
        assert export(other.table) == export(first.table)
    return first.table


def fed(roster: bytes, sent: list[SignedEntry], random: Random, passes: int = 30) -> Table:
    """A table that gets these entries in a random order, again and again as from a link that asks for what lacks."""
    table = Table.open(roster)
    for _ in range(passes):
        order = list(sent)
        random.shuffle(order)
        before = table.moment.number
        for signed in order:
            table, _ = table.receive(signed)
        if table.closed or (table.moment.number == before and not any(log.early for log in table.logs)):
            break
    return table


@pytest.mark.parametrize("count", [3, pytest.param(4, marks=pytest.mark.slow), pytest.param(5, marks=pytest.mark.slow)])
def test_an_honest_game_ends_sealed_with_nobody_accused(count: int) -> None:
    group = Group(count, seed=7 + count)
    group.alone = True
    group.run()
    table = agreed(group)
    stage = table.moment.stage
    assert isinstance(stage, Closed)
    assert stage.reason == ""
    assert table.moment.still_in == tuple(range(count))
    assert stage.over.winners
    assert {seat for seat, _ in stage.over.points} == set(range(count))
    for player in group.players:
        owed = sum(1 for e in player.events if isinstance(e, Advanced))
        assert owed == table.moment.number
        fills = [e for e in player.events if isinstance(e, PlaceFilled)]
        assert {e.fill for e in fills} == {Fill.ANSWER}
        assert len(fills) == len(group.sent)
        assert player.own.due(player.table) is None


def test_every_member_sees_its_own_hand_and_the_hands_make_up_the_deck() -> None:
    group = whole_game(3).find(lambda m: m.owed.kind == "commit")
    hands = [set(p.own.hand(p.table)) for p in group.players]
    assert [len(hand) for hand in hands] == [6, 6, 6]
    assert len(set.union(*hands)) == 18
    for player in group.players:
        view = player.own.view(player.table)
        assert view is not None
        assert set(view.hand) == hands[player.member]


@pytest.mark.parametrize("kind", STEPS)
def test_a_member_leaves_when_it_owes_an_entry(kind: str) -> None:
    """The game goes on without it; nobody is accused; the record is whole."""
    member = 1 + len(kind) % 2
    group = open_step(kind, member)
    number = group.moment.number
    group.leave(group.players[member])
    group.run(lambda: all(p.table.moment.number > number + 1 for p in group.present) and not group.flight)
    last = [p for p in group.present if p.member in p.table.moment.still_in]
    for player in last[1:]:
        if not player.table.closed:
            group.send(player, sign(player, messages.Leave()))
    group.run()
    table = agreed(group)
    assert isinstance(table.moment.stage, Closed)
    assert member not in table.moment.still_in
    with checks_shared():
        report = audit(export(table))
    assert report.finding is None
    assert not report.accusations


@pytest.mark.slow
@pytest.mark.parametrize("count", [3, 4, 5])
@pytest.mark.parametrize("kind", STEPS)
def test_any_member_leaves_at_any_step(kind: str, count: int) -> None:
    """Also one that owes nothing just then: it is gone when it owes the next entry. Played to the end."""
    for member in range(count):
        wanted = "mix" if kind == "remix" else kind
        start = line_for(kind, (member + 1) % count, count).find(lambda m: m.owed.kind == wanted)  # noqa: B023
        if member not in start.moment.still_in:
            continue
        group = start.branch((kind, count, member))
        group.leave(group.players[member])
        group.run()
        table = agreed(group)
        assert isinstance(table.moment.stage, Closed)
        assert member not in table.moment.still_in
        with checks_shared():
            report = audit(export(table))
        assert report.finding is None
        assert not report.accusations


@pytest.mark.parametrize("first", [0, 1, 2])
def test_all_but_one_leave_before_the_keys(first: int) -> None:
    group = open_step("keys", 0)
    for member in range(3):
        if member != first:
            group.leave(group.players[member])
    group.run()
    table = agreed(group)
    assert isinstance(table.moment.stage, Closed)
    assert table.moment.stage.over.winners
    assert audit(export(table)).finding is None


@pytest.mark.parametrize("kind", ["sit", "keys", "mix", "turn", "seal"])
def test_everybody_leaves(kind: str) -> None:
    """There is no result, and the record says that it is unfinished."""
    group = open_step(kind, 0)
    for player in group.players:
        group.send(player, sign(player, messages.Leave()))
    group.run()
    tables = [p.table for p in group.players]
    for table in tables:
        assert table.closed or table.awaited
        assert not table.accusations
    if kind in ("sit", "keys", "seal"):
        assert isinstance(tables[0].moment.stage, Abandoned)
    report = audit(export(tables[0]))
    assert report.finding is not None
    assert report.finding.rule == "record.unfinished"
    assert report.finding.member is None


def test_a_leave_acts_only_when_its_author_owes_an_entry() -> None:
    group = open_step("turn", 0)
    idle = next(p for p in group.players if p.member not in group.moment.owed.members)
    group.leave(idle)
    group.deliver_all()
    assert idle.member in group.moment.still_in
    group.round()
    assert group.moment.owed.kind == "commit"
    assert idle.member in group.moment.still_in
    group.round()
    assert idle.member not in group.moment.still_in


@pytest.mark.parametrize("seed", range(3))
def test_the_order_of_arrival_does_not_matter(seed: int) -> None:
    """Some members leave, one cheats; whoever gets the entries in another order comes to the same moments."""
    group = open_step("tags", 1, seed=seed)
    cheat = group.players[2]
    group.silent.add(2)
    group.post(sign(cheat, messages.Choose(option=("nothing",))), 2)
    for player in (group.players[1], group.players[3]):
        group.send(player, sign(player, messages.Leave()))
    group.run()
    table = next(p.table for p in group.present if p.table.moment.number)
    random = Random(seed)
    with checks_shared():
        other = fed(group.roster, group.sent, random)
    assert [m.hash for m in other.spine] == [m.hash for m in table.spine]
    assert other.moment == table.moment
    assert {(a.member, a.rule) for a in other.accusations} == {(2, "body.kind")}


def test_the_order_of_arrival_does_not_matter_to_a_whole_game() -> None:
    """Every check done anew."""
    group = whole_game(3).find(lambda m: m.owed.kind == "").branch("all")
    table = fed(group.roster, group.sent, Random(3))
    assert table.moment == group.moment
    assert not table.accusations


def test_entries_that_come_twice_change_nothing() -> None:
    group = open_step("reveal", 0)
    table = group.players[0].table
    for signed in group.sent:
        after, events = table.receive(signed)
        assert after is table
        assert not events


def test_late_entries_change_nothing_and_accuse_nobody() -> None:
    """After the seal everything of the game may still arrive again, and more of it."""
    group = whole_game(3).find(lambda m: m.owed.kind == "").branch("late")
    table = group.players[0].table
    late = sign(group.players[1], messages.Choose(option=("x",)))
    for signed in (*group.sent[::7], late):
        table, events = table.receive(signed)
        assert not any(isinstance(e, Accusation | Advanced) for e in events)
    assert table.moment == group.moment
    assert export(table) == export(group.players[0].table)


def test_entries_of_another_table_accuse_nobody() -> None:
    """The same members, the same game, another nonce."""
    keys = identities(3, 3)
    other = Group(3, seed=3)
    other.roster = roster_for(keys, seed=99)
    for player in other.players:
        player.table = Table.open(other.roster)
    for _ in range(3):
        other.round()
    here = open_step("sit", 0)
    assert here.roster != other.roster
    table = here.players[0].table
    for signed in other.sent:
        after, events = table.receive(signed)
        assert after is table
        assert [event.rule for event in events if not isinstance(event, Accusation)] == ["entry.table"]
        assert not any(isinstance(event, Accusation) for event in events)


def test_the_same_chances_give_the_same_game() -> None:
    one, other = Group(3, seed=21), Group(3, seed=21)
    for group in (one, other):
        group.run(lambda: len(group.sent) == 30)  # noqa: B023
    assert export(one.players[0].table) == export(other.players[0].table)


def test_whoever_is_late_catches_up_without_a_word() -> None:
    """A member that was cut off gets everything at once."""
    start = whole_game(3).find(lambda m: m.owed.kind == "seal").branch("late")
    late = Table.open(start.roster)
    with checks_shared():
        for signed in sorted(start.sent, key=lambda s: seeded(s.data)(4)):
            late, _ = late.receive(signed)
        for signed in start.sent:
            late, _ = late.receive(signed)
    assert late.moment == start.moment
