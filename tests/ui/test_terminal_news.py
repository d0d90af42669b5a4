"""What a person hears, and when: at once, or once the open question is answered; and a question withdrawn."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import trio
import trio.testing

from p2pmatryoshka.node.player import Now
from p2pmatryoshka.rules import dolls
from p2pmatryoshka.table.own import Question
from p2pmatryoshka.table.step import Fill
from p2pmatryoshka.table.table import Accusation, PlaceFilled
from p2pmatryoshka.ui.keyboard import InputEnded, Keyboard
from p2pmatryoshka.ui.screen import Screen
from p2pmatryoshka.ui.terminal import TerminalPlayer
from tests.table.memory import Group
from tests.ui.people import Person, play_first
from tests.ui.test_keyboard import Slow

ACCUSED = Accusation(1, "shuffle.chain", "a shuffle that lost a card", 7, ())


@pytest.fixture(scope="module")
def asked() -> tuple[Group, Now, Question]:
    """Member 0 is asked for its first display."""
    group = Group(3, seed=4)
    me = group.players[0]
    group.run(until=lambda: isinstance(me.own.due(me.table), Question))
    question = me.own.due(me.table)
    assert isinstance(question, Question)
    return group, Now(me.table, me.own), question


def _wait(now: Now, question: Question) -> Iterator[str]:
    names = [dolls.name(card) for card in now.own.hand(now.table)]
    yield " ".join(names[:2])
    yield "y"


async def test_an_accusation_is_heard_at_once_and_the_question_is_put_again(
    asked: tuple[Group, Now, Question],
) -> None:
    _, now, question = asked
    slow = Slow()
    person = Person(_wait)
    person.terminal = TerminalPlayer(Screen(person.out, 80), Keyboard(slow.read))
    names = " ".join(dolls.name(card) for card in now.own.hand(now.table)[:2])
    async with trio.open_nursery() as nursery:
        nursery.start_soon(person.terminal.choose, now, question)
        await slow.is_asked()
        before = len(person.seen)
        person.terminal.news(now, (PlaceFilled(7, "mix", 1, Fill.FORFEIT), ACCUSED))
        heard = person.seen[before:]
        slow.give(names.encode() + b"\n")
        await slow.is_asked()
        slow.give(b"y\n")
    assert "ACCUSED: Player 1 broke the rule shuffle.chain in step 7: a shuffle that lost a card." in " ".join(
        heard.split()
    )
    assert heard.endswith("Choose 2 cards for your first display: ")


async def test_what_can_wait_is_heard_after_the_answer(asked: tuple[Group, Now, Question]) -> None:
    group, now, question = asked
    out: list[str] = []

    def script(now: Now, question: Question) -> Iterator[str]:
        names = [dolls.name(card) for card in now.own.hand(now.table)]
        trio.from_thread.run_sync(person.terminal.news, now, events)
        out.append(person.seen)
        yield " ".join(names[:2])
        out.append(person.seen)
        yield "y"

    events = tuple(
        event for event in group.players[0].events if getattr(event, "kind", "advanced") in ("advanced", "mix")
    )
    person = Person(script)
    await person.choose(now, question)
    assert "shuffle by" not in out[0] + out[1]
    sent = person.seen.index("Sent.")
    assert person.seen.index("shuffle by You: proof valid") > sent


async def test_a_question_withdrawn_leaves_the_screen_sane(asked: tuple[Group, Now, Question]) -> None:
    _, now, question = asked
    slow = Slow()
    person = Person(_wait)
    person.terminal = TerminalPlayer(Screen(person.out, 80), Keyboard(slow.read))
    async with trio.open_nursery() as nursery:
        nursery.start_soon(person.terminal.choose, now, question)
        await slow.is_asked()
        nursery.cancel_scope.cancel()
    assert person.seen.endswith("display: \nThe question is no longer open.\n")
    names = " ".join(dolls.name(card) for card in now.own.hand(now.table)[:2])
    async with trio.open_nursery() as nursery:
        nursery.start_soon(person.terminal.choose, now, question)
        await trio.testing.wait_all_tasks_blocked()
        slow.give(names.encode() + b"\n")
        await slow.is_asked()
        slow.give(b"y\n")
    assert person.seen.rstrip().endswith("Sent. There is no undo now.")


async def test_the_end_of_the_input_ends_the_dialogue(asked: tuple[Group, Now, Question]) -> None:
    _, now, question = asked
    person = Person(_wait)
    terminal = TerminalPlayer(Screen(person.out, 80), Keyboard(lambda: b""))
    with pytest.raises(InputEnded):
        await terminal.choose(now, question)


async def test_who_is_away_is_told_once_and_that_they_are_back(asked: tuple[Group, Now, Question]) -> None:
    _, now, _ = asked
    person = Person(_wait)
    gone = Now(now.table, now.own, {2: 3.5})
    for moment in (now, gone, Now(now.table, now.own, {2: 9.0}), now):
        person.terminal.news(moment, ())
    assert person.seen.split("\n")[0].startswith("Player 2 is away.")
    assert person.seen.count("is away") == 1
    assert person.seen.count("Player 2 is back.") == 1


async def test_a_narrow_terminal_holds_every_line() -> None:
    group = Group(3, seed=4)
    person = Person(_wait, width=60)
    await play_first(group, person, until=lambda: "Sent." in person.seen)
    assert max(len(line) for line in person.seen.splitlines()) <= 60 + len("Choose 2 cards for your first display: ")
