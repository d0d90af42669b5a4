"""Words beside the answers: leaving, votes, and lines typed while nothing is asked."""

from __future__ import annotations

import re
import threading
from collections.abc import AsyncIterator, Iterable, Iterator
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest
import trio
import trio.testing

from p2pmatryoshka.errors import Illegal
from p2pmatryoshka.node.player import Controls, LeaveTable, Now
from p2pmatryoshka.rules.game import Choice
from p2pmatryoshka.table.own import Question
from p2pmatryoshka.ui.keyboard import Keyboard
from p2pmatryoshka.ui.screen import Screen
from p2pmatryoshka.ui.terminal import TerminalPlayer
from tests.table.attack import whole_game
from tests.table.memory import Group, Player, checks_shared
from tests.ui.people import Typist

PROMPT = "Choose 2 cards for your first display: "


@pytest.fixture(autouse=True)
def quick() -> Iterator[None]:
    with checks_shared():
        yield


class Seat:
    """A person at the terminal with controls that note what is done."""

    def __init__(self) -> None:
        self.typist = Typist()
        self.terminal = TerminalPlayer(Screen(self.typist.out, 400), Keyboard(self.typist.read))
        self.proposed: list[tuple[int, ...]] = []
        self.left = False
        self.refusal: Illegal | None = None

    @property
    def seen(self) -> str:
        return self.typist.out.getvalue()

    async def type(self, line: str) -> str:
        """What is printed after that line until the next one is waited for."""
        before = len(self.seen)
        await self.typist.type(line)
        return self.seen[before:]

    async def _propose(self, members: Iterable[int]) -> None:
        if self.refusal is not None:
            raise self.refusal
        self.proposed.append(tuple(members))

    def _leave(self) -> None:
        self.left = True

    @asynccontextmanager
    async def seated(self) -> AsyncIterator[trio.Nursery]:
        """The terminal attended to, as beside a table."""
        self.terminal.seated(Controls(self._propose, self._leave))
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self.terminal.attend)
            yield nursery
            nursery.cancel_scope.cancel()
        self.typist.stop()


def _opening(seed: str) -> tuple[Group, Player, Question]:
    """Everybody is asked for a first display; member 0 is the person."""
    group = whole_game(4).find(lambda moment: moment.owed.kind == "commit").branch(seed)
    question = group.players[0].own.due(group.players[0].table)
    assert isinstance(question, Question)
    return group, group.players[0], question


def _waiting(seed: str) -> tuple[Group, Player]:
    """Everybody but member 3 has chosen, and member 0 waits."""
    group, me, _ = _opening(seed)
    group.round(but=3)
    assert me.own.due(me.table) is None
    return group, me


def _now(me: Player, away: float = 75.0) -> Now:
    return Now(me.table, me.own, {3: away}, away)


# --- while a question is open


async def test_leaving_is_for_good_and_asks_first() -> None:
    _, me, question = _opening("leave")
    seat = Seat()
    async with seat.seated() as nursery:
        raised = trio.Event()

        async def choose() -> None:
            with pytest.raises(LeaveTable):
                await seat.terminal.choose(Now(me.table, me.own), question)
            raised.set()

        nursery.start_soon(choose)
        await seat.typist.waited_for()
        assert "for good" in await seat.type("leave")
        assert "You stay." in await seat.type("")
        assert not raised.is_set()
        await seat.type("leave")
        await seat.typist.type("y", again=False)
        with trio.fail_after(60):
            await raised.wait()


async def test_a_vote_of_others_does_not_disturb_an_answer() -> None:
    group, me, question = _opening("vote while asked")
    proposer = group.players[1]
    for player in group.players[1:3]:
        group.act(player)
    group.deliver_all()
    ballot = proposer.own.propose(proposer.table, [3])
    group.send(proposer, proposer.own.draft_ballot(proposer.table, ballot).entry)
    group.deliver_all()
    # I owe a choice myself, so I may still join the vote or answer.
    seat = Seat()
    chosen: list[Choice] = []
    agreed: list[bool] = []
    now = _now(me)
    async with seat.seated() as nursery:

        async def choose() -> None:
            chosen.append(await seat.terminal.choose(now, question))

        async def agree() -> None:
            agreed.append(await seat.terminal.agree(now, (3,)))

        nursery.start_soon(choose)
        await seat.typist.waited_for()
        nursery.start_soon(agree)
        await trio.testing.wait_all_tasks_blocked()
        assert "Player 3 has not answered for 75 s; Player 1 would go on without." in seat.seen
        assert seat.seen.endswith(f"Type agree or disagree at any time.\n{PROMPT}")
        hand = [f"{'ABCDEFGHIJ'[card // 7]}{card % 7 + 1}" for card in me.own.hand(me.table)]
        assert "Sure?" in await seat.type(" ".join(hand[:2]))
        assert agreed == []
        assert PROMPT in await seat.type("")
        assert "You agree." in await seat.type("agree")
        assert agreed == [True]
        await seat.type(" ".join(hand[:2]))
        await seat.type("y")
    assert [len(choice.cards) for choice in chosen] == [2]


# --- while nothing is asked


async def test_a_person_who_waits_is_not_left_without_a_prompt(autojump_clock: trio.testing.MockClock) -> None:
    _, me = _waiting("prompt")
    seat = Seat()
    async with seat.seated():
        seat.terminal.news(Now(me.table, me.own), ())
        await seat.typist.waited_for()
        assert seat.seen == ""
        await trio.sleep(20)
        assert seat.seen == "Waiting for Player 3: a choice. ? for help > "
        assert "Awaited: a choice by Player 3." in await seat.type("table")
        assert "gives up your seat" in await seat.type("?")
        said = await seat.type("whatever")
        assert "Nothing is asked of you now." in said
        assert said.endswith("Waiting for Player 3: a choice. ? for help > ")


async def test_somebody_is_away_is_told_without_any_other_news(autojump_clock: trio.testing.MockClock) -> None:
    _, me = _waiting("away")
    seat = Seat()
    async with seat.seated():
        seat.terminal.news(Now(me.table, me.own, {3: 0.0}), ())
        await trio.sleep(2)
        assert "away" not in seat.seen
        await trio.sleep(2)
        assert seat.seen.startswith("Player 3 is away.")
        await trio.sleep(60)
        assert seat.seen.count("is away") == 1
        said = re.search(r"Player 3 has been away for (\d+) s\.", await seat.type("table"))
        assert said is not None
        assert int(said[1]) >= 64


async def test_out_asks_first_and_then_votes() -> None:
    _, me = _waiting("out")
    seat = Seat()
    async with seat.seated():
        seat.terminal.news(_now(me), ())
        await seat.typist.waited_for()
        said = await seat.type("out player 3")
        assert "Vote to go on without Player 3?" in said
        assert "no accusation" in said
        assert "Nobody was proposed." in await seat.type("n")
        assert seat.proposed == []
        await seat.type("OUT Player 3, player 2")
        assert "You voted." in await seat.type("yes")
        assert seat.proposed == [(2, 3)]


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("out", "such as: out Player 3"),
        ("out Zoe", "Nobody called zoe is still in: there are Player 1, Player 2 and Player 3."),
        ("out player", "Several names begin with player"),
        ("out you", "type leave"),
        ("agree", "There is no vote that you could join now."),
        ("disagree", "There is no vote that you could join now."),
        ("yes", "Nothing is asked of you now."),
        ("scores", "points"),
    ],
)
async def test_words_that_ask_nothing(typed: str, said: str) -> None:
    _, me = _waiting("words")
    seat = Seat()
    async with seat.seated():
        seat.terminal.news(_now(me), ())
        await seat.typist.waited_for()
        assert said in await seat.type(typed)
    assert not seat.proposed
    assert not seat.left


async def test_a_vote_that_may_not_be_is_refused_in_a_sentence() -> None:
    _, me = _waiting("refused")
    seat = Seat()
    for code in ("motion.answered", "motion.majority", "motion.order", "motion.dead", "returning", "novel.code"):
        seat.refusal = Illegal(code, "some detail")
        async with seat.seated():
            seat.terminal.news(_now(me), ())
            await seat.typist.waited_for()
            await seat.type("out player 3")
            said = await seat.type("y")
        sentence = said.splitlines()[0]
        assert sentence.endswith(".")
        assert ("some detail" in sentence) == (code == "novel.code")
        seat = Seat()


async def test_leaving_while_nothing_is_asked() -> None:
    _, me = _waiting("leave idle")
    seat = Seat()
    async with seat.seated():
        seat.terminal.news(_now(me), ())
        await seat.typist.waited_for()
        await seat.type("leave")
        assert "You stay." in await seat.type("no")
        assert not seat.left
        await seat.type("leave")
        await seat.type("y")
        assert seat.left
        before = seat.seen
        seat.terminal.news(_now(me, away=99), tuple(me.events))
        assert seat.seen == before  # the game of the others is no matter of mine any more


async def test_a_vote_of_others_while_nothing_is_asked() -> None:
    group, me = _waiting("vote idle")
    proposer = group.players[1]
    ballot = proposer.own.propose(proposer.table, [3])
    group.send(proposer, proposer.own.draft_ballot(proposer.table, ballot).entry)
    group.deliver_all()
    seat = Seat()
    agreed: list[bool] = []
    async with seat.seated() as nursery:
        seat.terminal.news(_now(me), ())
        await seat.typist.waited_for()
        assert "Player 1 voted to go on without Player 3. Still to agree: You and Player 2." in seat.seen

        async def agree() -> None:
            agreed.append(await seat.terminal.agree(_now(me), (3,)))

        nursery.start_soon(agree)
        await trio.testing.wait_all_tasks_blocked()
        assert seat.seen.endswith("Go on without Player 3? yes or no: ")
        assert "You do not agree." in await seat.type("no")
        assert agreed == [False]
        before = seat.seen
        await agree()  # the node asks again and again
        assert agreed == [False, False]
        assert seat.seen == before
        await seat.type("agree")
        await agree()
        assert agreed == [False, False, True]


async def test_a_vote_that_is_settled_is_no_longer_asked() -> None:
    group, me = _waiting("settled")
    proposer = group.players[1]
    ballot = proposer.own.propose(proposer.table, [3])
    group.send(proposer, proposer.own.draft_ballot(proposer.table, ballot).entry)
    group.deliver_all()
    seat = Seat()
    async with seat.seated() as nursery:
        seat.terminal.news(_now(me), ())
        nursery.start_soon(seat.terminal.agree, _now(me), (3,))
        await trio.testing.wait_all_tasks_blocked()
        assert seat.seen.endswith("yes or no: ")
        group.act(group.players[3])
        group.deliver_all()
        seat.terminal.news(Now(me.table, me.own), ())
        await trio.testing.wait_all_tasks_blocked()
        assert not seat.seen.endswith("yes or no: ")
        assert "Nothing is asked" in await seat.type("yes")


async def test_a_question_ends_the_wait_for_an_unasked_line() -> None:
    _, me, question = _opening("interrupts")
    seat = Seat()
    async with seat.seated() as nursery:
        seat.terminal.news(Now(me.table, me.own), ())
        await seat.typist.waited_for()
        nursery.start_soon(seat.terminal.choose, Now(me.table, me.own), question)
        await trio.testing.wait_all_tasks_blocked()
        assert seat.seen.endswith(PROMPT)
        said = await seat.type("C")
        assert "is no card" in said
        assert said.endswith(PROMPT)


async def test_what_was_half_typed_is_dropped_before_the_question_is_put() -> None:
    """Not after it: that would swallow a quick answer."""
    _, me, question = _opening("half typed")
    seat = Seat()
    dropped: list[str] = []
    keyboard = Keyboard(seat.typist.read, lambda: dropped.append(seat.seen))
    seat.terminal = TerminalPlayer(Screen(seat.typist.out, 400), keyboard)
    async with seat.seated() as nursery:
        seat.terminal.news(Now(me.table, me.own), ())
        await seat.typist.waited_for()
        nursery.start_soon(seat.terminal.choose, Now(me.table, me.own), question)
        await trio.testing.wait_all_tasks_blocked()
        assert seat.seen.endswith(PROMPT)
        assert dropped == [""]


async def test_after_a_restart_it_says_for_whom_it_waits() -> None:
    _, me = _waiting("restart")
    seat = Seat()
    now = Now(me.table, me.own, {1: 0.0, 2: 0.0, 3: 0.0}, 0.0, True)
    async with seat.seated():
        seat.terminal.news(now, tuple(me.events))
        await seat.typist.waited_for()
        assert "Nothing is signed yet" in seat.seen
        assert "Waiting for Player 1, Player 2 and Player 3." in seat.seen
        assert "proof valid" not in seat.seen  # what was told before the restart
        seat.terminal.news(replace(now, away={3: 9.0}), ())
        assert "Waiting for Player 3." in seat.seen
        assert "is away" not in seat.seen
        assert "Six cards each were dealt." in await seat.type("story")
        before = len(seat.seen)
        seat.terminal.news(Now(me.table, me.own), ())
        assert "the game goes on where it stopped" in seat.seen[before:]
        assert "is back" not in seat.seen


def test_nothing_of_this_leaves_a_thread_behind() -> None:
    stuck = [thread.name for thread in threading.enumerate() if not thread.daemon and "trio" in thread.name.casefold()]
    assert not stuck
