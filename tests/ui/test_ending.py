"""The last screen: the result and who did not stay for it, or why there is none for me."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from p2pmatryoshka.table import messages
from p2pmatryoshka.table.step import Abandoned, Closed
from p2pmatryoshka.ui.ending import early, ending
from p2pmatryoshka.ui.screen import plain
from tests.table.attack import sign, whole_game
from tests.table.memory import Group, checks_shared


@pytest.fixture(autouse=True)
def quick() -> Iterator[None]:
    with checks_shared():
        yield


def _at(kind: str, seed: str, count: int = 3) -> Group:
    return whole_game(count).find(lambda moment: moment.owed.kind == kind).branch(seed)


def _seen(group: Group, member: int, me: int | None) -> str:
    return " ".join(plain(ending(group.players[member].table, me)).split())


def test_whoever_left_is_told_that_the_game_goes_on() -> None:
    group = _at("mix", "left")
    group.leave(group.players[1])
    group.deliver_all()
    assert _seen(group, 1, 1) == "You left the table for good. The game goes on without you."


def test_a_cheat_is_told_its_rule_and_the_others_how_to_prove_it() -> None:
    group = _at("turn", "cheat")
    cheat = next(player for player in group.players if player.member in group.moment.owed.members)
    group.send(cheat, sign(cheat, messages.Open(nonce=bytes(32), body=b"")))
    group.deliver_all()
    said = _seen(group, cheat.member, cheat.member)
    assert said.startswith("You are out: an entry signed by your key broke the rule body.kind.")
    other = next(player for player in group.players if player is not cheat)
    for player in group.players:
        if player.member not in (cheat.member, other.member):
            group.leave(player)
    group.run()
    assert isinstance(other.table.moment.stage, Closed)
    said = _seen(group, other.member, other.member)
    assert f"Player {cheat.member} was proven to cheat" in said
    assert "p2pmatryoshka evidence" in said
    assert said.count("left the table for good") == 1


def test_whoever_is_put_out_by_a_vote_is_not_accused() -> None:
    group = _at("mix", "put out")
    gone = group.players[group.moment.owed.members[0]]
    others = [player for player in group.players if player is not gone]
    for player in others:
        ballot = player.own.propose(player.table, [gone.member])
        group.send(player, player.own.draft_ballot(player.table, ballot).entry)
        group.deliver_all()
    for player in others:
        group.act(player)  # its Confirm
        group.deliver_all()
    assert gone.member not in gone.table.moment.still_in
    said = _seen(group, gone.member, gone.member)
    assert said.startswith("The others voted to go on without you")
    assert "That is no accusation" in said
    assert f"Player {gone.member} was put out by a vote." in _seen(group, others[0].member, others[0].member)


def test_a_table_that_everybody_left_has_no_result() -> None:
    group = _at("keys", "abandoned")
    for player in group.players:
        group.send(player, sign(player, messages.Leave()))
    group.deliver_all()
    assert isinstance(group.players[0].table.moment.stage, Abandoned)
    assert "Nobody is left at the table, so there is no result." in _seen(group, 0, 0)
    assert "Nobody is left" in _seen(group, 0, None)


def test_a_game_that_ended_early_says_why_and_accuses_nobody() -> None:
    for reason in ("stock.mismatch", "keys.sum"):
        assert early(reason).startswith("The game ended early: ")
        assert "Nobody is accused. The points so far stand." in early(reason)
        assert reason not in early(reason)
    assert early("stock.mismatch") != early("keys.sum")
    assert early("novel.reason") == "The game ended early (novel.reason). The points so far stand."
