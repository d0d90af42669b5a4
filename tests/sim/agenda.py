"""Virtual time: what is to happen, in order. Nothing sleeps."""

from __future__ import annotations

import heapq
from collections.abc import Callable

Job = Callable[[], None]


class Agenda:
    """Jobs by time in seconds; those of one moment in the order they were put down."""

    def __init__(self) -> None:
        self.now = 0.0
        self.done = 0
        self._jobs: list[tuple[float, int, Job]] = []
        self._count = 0

    def after(self, delay: float, job: Job) -> None:
        self._count += 1
        heapq.heappush(self._jobs, (self.now + delay, self._count, job))

    def at(self, when: float, job: Job) -> None:
        self.after(max(0.0, when - self.now), job)

    def run(self, most: int, longest: float) -> bool:
        """Until nothing is left to do; False if that takes more than so many jobs or seconds."""
        while self._jobs:
            if self.done >= most or self.now > longest:
                return False
            when, _, job = heapq.heappop(self._jobs)
            self.now = max(self.now, when)
            self.done += 1
            job()
        return True
