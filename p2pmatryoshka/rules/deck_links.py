"""A growing relation "lies inside" that stays free of cycles."""

from __future__ import annotations

from collections import deque


class Links:
    """Things 0 to count - 1. Knows at any time all that follows from the links added so far."""

    def __init__(self, count: int) -> None:
        self._holders = [0] * count  # bit masks of all that hold a thing
        self._held = [0] * count  # bit masks of all that a thing holds
        self._direct: list[list[int]] = [[] for _ in range(count)]

    def add(self, inner: int, outer: int) -> bool:
        """Add "inner lies inside outer". False, with nothing changed, if that would close a cycle."""
        if inner == outer or self._holders[outer] >> inner & 1:
            return False
        self._direct[inner].append(outer)
        if self._holders[inner] >> outer & 1:
            return True
        above = self._holders[outer] | 1 << outer
        below = self._held[inner] | 1 << inner
        for thing in range(len(self._holders)):
            if below >> thing & 1:
                self._holders[thing] |= above
            if above >> thing & 1:
                self._held[thing] |= below
        return True

    def path(self, inner: int, outer: int) -> list[int]:
        """The shortest cycle that the refused link would close: inner, outer, and so on up to inner again."""
        came_from = {outer: inner}
        waiting = deque([outer])
        while waiting and inner != waiting[0]:
            thing = waiting.popleft()
            for next_thing in self._direct[thing]:
                if next_thing not in came_from:
                    came_from[next_thing] = thing
                    waiting.append(next_thing)
        steps = [inner]
        while steps[-1] != outer:
            steps.append(came_from[steps[-1]])
        return [inner, *reversed(steps)]
