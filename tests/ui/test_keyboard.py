"""Lines typed by a person: none is lost, none is taken twice, and the end of the input is an end."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable

import pytest
import trio
import trio.testing

from p2pmatryoshka.ui.keyboard import LONGEST, InputEnded, Keyboard


def _typing(*chunks: bytes) -> Callable[[], bytes]:
    waiting = list(chunks)
    return lambda: waiting.pop(0) if waiting else b""


async def test_lines_come_one_by_one_however_they_arrive() -> None:
    keyboard = Keyboard(_typing(b"on", b"e\ntwo\r\nth", b"ree"))
    assert [await keyboard.line() for _ in range(3)] == ["one", "two", "three"]
    with pytest.raises(InputEnded):
        await keyboard.line()
    with pytest.raises(InputEnded):
        await keyboard.line()


async def test_what_is_no_text_is_still_a_line() -> None:
    assert await Keyboard(_typing(b"\xff\xfe\n")).line() == "��"


async def test_a_line_without_end_is_cut() -> None:
    keyboard = Keyboard(_typing(*[b"x" * LONGEST] * 3))
    assert len(await keyboard.line()) <= 2 * LONGEST


class Slow:
    """Input that comes when the test says so."""

    def __init__(self) -> None:
        self.asked = threading.Semaphore(0)
        self._may = threading.Semaphore(0)
        self._next = b""

    def read(self) -> bytes:
        self.asked.release()
        self._may.acquire()
        return self._next

    async def is_asked(self) -> None:
        await trio.to_thread.run_sync(self.asked.acquire)

    def give(self, data: bytes) -> None:
        self._next = data
        self._may.release()


async def test_a_question_withdrawn_loses_no_line() -> None:
    slow = Slow()
    forgotten: list[str] = []
    keyboard = Keyboard(slow.read, lambda: forgotten.append("half a line"))
    async with trio.open_nursery() as nursery:
        nursery.start_soon(keyboard.line)
        await slow.is_asked()
        nursery.cancel_scope.cancel()
    assert not forgotten
    slow.give(b"first\n")
    assert await keyboard.line() == "first"
    assert forgotten == ["half a line"]  # what was typed for a question that is gone does not answer the next
    async with trio.open_nursery() as nursery:
        nursery.start_soon(keyboard.line)
        await slow.is_asked()
        nursery.cancel_scope.cancel()
    async with trio.open_nursery() as nursery:
        got: list[str] = []

        async def read_one() -> None:
            got.append(await keyboard.line())

        nursery.start_soon(read_one)
        await trio.testing.wait_all_tasks_blocked()
        slow.give(b"second\n")
    assert got == ["second"]
    assert not slow.asked.acquire(blocking=False)  # one thread reads, never two


async def test_a_pipe(monkeypatch: pytest.MonkeyPatch) -> None:
    reader, writer = os.pipe()
    with os.fdopen(reader) as stdin:
        monkeypatch.setattr("sys.stdin", stdin)
        keyboard = Keyboard.of_terminal()
        os.write(writer, b"C4\n")
        assert await keyboard.line() == "C4"
        os.close(writer)
        with pytest.raises(InputEnded):
            await keyboard.line()


async def test_no_input_at_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", None)
    with pytest.raises(InputEnded):
        await Keyboard.of_terminal().line()
