"""Who has the keyboard: an open question before everything else, and in between whatever the person types unasked."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import trio

from p2pmatryoshka.ui.keyboard import InputEnded, Keyboard


class Floor:
    """One line goes to one reader. A question that opens ends the wait for an unasked line, but never a dialogue that
    such a line has begun: that one is finished first."""

    def __init__(self, keyboard: Keyboard) -> None:
        self._keyboard = keyboard
        self._taken = trio.Lock()
        self._wanted = 0
        self._free = trio.Event()
        self._unasked: trio.CancelScope | None = None
        self._quiet = trio.Event()  # the wait for an unasked line has ended
        self.ended = False
        """Whether no line will come any more."""

    @property
    def listens(self) -> bool:
        """Whether a line typed now would be taken although nothing is asked."""
        return self._unasked is not None and not self._wanted

    @asynccontextmanager
    async def taken(self) -> AsyncIterator[None]:
        """While a question is open: every line is for it."""
        self._wanted += 1
        try:
            if self._unasked is not None:
                self._unasked.cancel()
                await self._quiet.wait()
            async with self._taken:
                self._keyboard.begin()
                yield
        finally:
            self._wanted -= 1
            if not self._wanted:
                self._free.set()
                self._free = trio.Event()

    async def line(self) -> str:
        """The next line, for whoever has the floor. Raises InputEnded."""
        try:
            return (await self._keyboard.line()).strip()
        except InputEnded:
            self.ended = True
            raise

    async def unasked(self, ready: Callable[[], None], take: Callable[[str], Awaitable[None]]) -> None:
        """Hand every line that is typed while no question is open to `take`, until the input ends. ready: called
        whenever such a line is waited for."""
        while not self.ended:
            if self._wanted:
                await self._free.wait()
                continue
            line = None
            self._unasked, self._quiet = trio.CancelScope(), trio.Event()
            ready()
            try:
                with self._unasked:
                    line = await self.line()
            except InputEnded:
                return
            finally:
                self._unasked = None
                self._quiet.set()
            if line is not None:
                async with self._taken:
                    await take(line)
