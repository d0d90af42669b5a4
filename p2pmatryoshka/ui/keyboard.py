"""Lines a person types, read in a thread so that the game goes on meanwhile.

At most one thread reads. If its question is withdrawn it stays, and the line it then gets is kept for the next one who
asks, so that no line is lost and no two threads share the input. The bytes are read straight from the descriptor:
a thread that still waits inside Python's own buffered reader when the program ends would make it crash.
"""

from __future__ import annotations

import os
import sys
from collections import deque
from collections.abc import Callable

import trio

from p2pmatryoshka.errors import MatryoshkaError

LONGEST = 4096  # bytes of one line, and of one read


class InputEnded(MatryoshkaError):
    """No line will come any more: the person closed the input."""


class Keyboard:
    """Lines from a descriptor. For a terminal, what was typed before a question opens does not answer it."""

    def __init__(self, read: Callable[[], bytes], forget: Callable[[], None] = lambda: None) -> None:
        """read: blocks for some more bytes, b"" at the end. forget: drops what was typed and not read yet."""
        self._read = read
        self._forget = forget
        self._limiter = trio.CapacityLimiter(1)
        self._lines: deque[str] = deque()
        self._rest = b""
        self._ended = False
        self._withdrawn = False

    @classmethod
    def of_terminal(cls) -> Keyboard:
        """Standard input, whatever it is."""
        try:
            descriptor = sys.stdin.fileno()
        except (AttributeError, OSError, ValueError):
            return cls(lambda: b"")

        def read() -> bytes:
            try:
                return os.read(descriptor, LONGEST)
            except OSError:  # a terminal that was hung up
                return b""

        return cls(read, _flusher(descriptor) if os.isatty(descriptor) else lambda: None)

    async def line(self) -> str:
        """The next line without its end. Raises InputEnded. Cancelled: the line typed next is not lost."""
        self.begin()
        try:
            await trio.to_thread.run_sync(self._fill, abandon_on_cancel=True, limiter=self._limiter)
        except trio.Cancelled:
            self._withdrawn = True
            raise
        if not self._lines:
            raise InputEnded
        return self._lines.popleft()

    def begin(self) -> None:
        """Before a question is put: what was half typed for one that is gone, or for none, does not answer it."""
        if self._withdrawn:
            self._withdrawn = False
            self._forget()

    def _fill(self) -> None:
        while not self._lines and not self._ended:
            data = self._read()
            self._ended = not data
            *lines, self._rest = (self._rest + data).split(b"\n")
            if self._rest and (self._ended or len(self._rest) > LONGEST):
                lines.append(self._rest)
                self._rest = b""
            self._lines.extend(line.decode("utf-8", "replace").rstrip("\r") for line in lines)


def _flusher(descriptor: int) -> Callable[[], None]:
    if sys.platform == "win32":
        return lambda: None
    import termios

    def flush() -> None:
        try:
            termios.tcflush(descriptor, termios.TCIFLUSH)
        except termios.error:
            return

    return flush
