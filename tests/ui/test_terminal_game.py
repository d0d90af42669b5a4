"""A person plays at the terminal: choose, look, go back, err, confirm; against members in memory."""

from __future__ import annotations

from collections.abc import Iterator

from p2pmatryoshka.node.player import Now
from p2pmatryoshka.rules import dolls
from p2pmatryoshka.rules.game import Over, Pick, Play
from p2pmatryoshka.rules.matryoshka import MatryoshkaView
from p2pmatryoshka.table.own import Question
from p2pmatryoshka.table.step import Closed
from p2pmatryoshka.ui.ending import ending
from p2pmatryoshka.ui.screen import plain
from tests.table.memory import Group
from tests.ui.people import Person, play_first

SEED = 11


def _clumsy(now: Now, question: Question) -> Iterator[str]:
    """The highest cards of the hand or the last offer; until the second round after every kind of slip."""
    view = now.own.view(now.table)
    assert isinstance(view, MatryoshkaView)
    slips = view.round < 2
    if slips:
        yield "?"
        yield "nonsense"
        yield ""
        yield "scores"
        yield "story"
    if isinstance(question.ask, Pick):
        if slips:
            yield "99"
            yield "1"
            yield ""  # back
            yield str(len(view.offers))
            yield "n"
        yield str(len(view.offers))
    else:
        assert isinstance(question.ask, Play)
        count = question.ask.ways[0].count
        names = [dolls.name(card) for card in view.hand]
        missing = next(name for name in ("A1", "B2", "C3", "D4", "E5", "F6") if name not in names)
        if slips:
            yield " ".join([missing, *names[1:count]])
            yield " ".join([*names[:count], names[-1]])
            yield " ".join(names[:count])
            yield ""  # back
            yield " ".join(names[:count])
        yield " ".join(names[-count:])  # other cards instead of yes
    yield "y"


async def test_a_whole_game_at_the_terminal() -> None:
    group = Group(3, seed=SEED)
    person = Person(_clumsy)
    await play_first(group, person)
    moment = group.players[0].table.moment
    assert isinstance(moment.stage, Closed)
    assert [player.table.moment.hash for player in group.players] == [moment.hash] * 3
    assert not group.players[1].accusations()
    # What was confirmed was played: the highest cards each time, so the last display is all but the lowest card.
    seat = moment.stage.layout.seat(0)
    hand = group.players[0].own.hand(group.players[0].table)
    assert len(hand) == 1
    assert hand[0] < min(moment.stage.state.displays[seat])
    _seen_in_order(
        person.seen,
        "shuffle by Player 1: proof valid",
        "Choose 2 cards for your first display",
        "Taken back: nothing was sent.",
        "Once it is sent there is no undo",
        "New displays:",
        "Round 1 of 4",
        "opened",
        "Offered:",
        "gave",
        "Round 4 of 4",
        "Choose 13 cards",
    )
    result = plain(ending(group.players[0].table, 0))
    over = moment.stage.over
    assert isinstance(over, Over)
    for number, points in over.points:
        name = "You" if number == seat else f"Player {moment.stage.layout.seating[number]}"
        assert f"{name}: {points} points" in result


async def test_nothing_is_sent_before_it_is_confirmed() -> None:
    group = Group(3, seed=SEED)
    signed_before: list[int] = []

    def watchful(now: Now, question: Question) -> Iterator[str]:
        names = [dolls.name(card) for card in now.own.hand(now.table)]
        for typed in (names[:2], names[1:3], names[2:4]):
            yield " ".join(typed)
            signed_before.append(len(group.players[0].table.logs[0].chain))
            yield ""
        yield " ".join(names[:2])
        signed_before.append(len(group.players[0].table.logs[0].chain))
        yield "yes"

    person = Person(watchful)
    await play_first(group, person, until=lambda: len(signed_before) > 0)
    assert len(signed_before) == 4
    assert len(set(signed_before)) == 1
    assert person.seen.count("Taken back") == 3
    assert person.seen.count("Sent. There is no undo now.") == 1


def _seen_in_order(seen: str, *parts: str) -> None:
    at = 0
    for part in parts:
        found = seen.find(part, at)
        assert found >= 0, f"{part!r} was not seen after position {at}"
        at = found
