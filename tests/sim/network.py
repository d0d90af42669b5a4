"""Links between nodes: in order and without loss while they live; when one goes down, all in flight on it is lost.

Each side notices the end of a link in its own time. What one side sends meanwhile is lost too. A one-way cut holds up
one direction; if it lasts longer than a heartbeat, the link ends.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from random import Random
from typing import TYPE_CHECKING, Any

from tests.sim.agenda import Agenda

if TYPE_CHECKING:
    from tests.sim.node import Node

HEARTBEAT = 15.0
Pair = tuple[int, int]


@dataclass
class Line:
    """One pair of nodes. epoch counts its links; arrival: when the last thing sent each way arrives."""

    epoch: int = 0
    up: bool = False
    dialling: bool = False
    arrival: dict[int, float] = field(default_factory=dict)
    held: dict[int, list[Any]] = field(default_factory=dict)  # by the sender whose direction is cut


class Network:
    def __init__(self, agenda: Agenda, random: Random, latency: tuple[float, float]) -> None:
        self.agenda = agenda
        self.random = random
        self.latency = latency
        self.nodes: dict[int, Node] = {}
        self.lines: dict[Pair, Line] = {}
        self.never: set[Pair] = set()  # pairs that cannot reach each other at all
        self.apart: dict[int, int] = {}  # by node: its side of a partition
        self.cut: set[Pair] = set()  # (from, to)
        self.base: dict[Pair, float] = {}

    def add(self, node: Node) -> None:
        for other in self.nodes:
            self.lines[pair(node.id, other)] = Line()
            for way in ((node.id, other), (other, node.id)):
                self.base[way] = self.random.uniform(*self.latency)
        self.nodes[node.id] = node

    def allowed(self, one: int, other: int) -> bool:
        a, b = self.nodes[one], self.nodes[other]
        if not (a.alive and b.alive) or a.member == b.member or pair(one, other) in self.never:
            return False
        if (one, other) in self.cut or (other, one) in self.cut:
            return False
        if (a.side is not None and other not in a.side) or (b.side is not None and one not in b.side):
            return False
        return self.apart.get(one, 0) == self.apart.get(other, 0)

    def connected(self, one: int, other: int) -> bool:
        return one != other and self.lines[pair(one, other)].up

    def dial(self, one: int, other: int, pause: float | None = None) -> None:
        """They try to reach each other a little later."""
        line = self.lines[pair(one, other)]
        if not line.dialling:
            line.dialling = True
            self.agenda.after(
                self.random.uniform(0.1, 8) if pause is None else pause, lambda: self._connect(one, other)
            )

    def dial_all(self) -> None:
        for one, other in self.lines:
            if not self.lines[one, other].up and self.allowed(one, other):
                self.dial(one, other)

    def _connect(self, one: int, other: int) -> None:
        line = self.lines[pair(one, other)]
        line.dialling = False
        if line.up or not self.allowed(one, other):
            return
        line.up, line.arrival, line.held = True, {}, {}
        line.epoch += 1
        epoch = line.epoch
        self.nodes[one].link_up(other, epoch)
        if line.epoch == epoch:
            self.nodes[other].link_up(one, epoch)

    def drop(self, one: int, other: int, *, quick: bool = False) -> None:
        line = self.lines[pair(one, other)]
        if not line.up:
            return
        line.up = False
        epoch = line.epoch
        line.epoch += 1
        for here, there in ((one, other), (other, one)):
            delay = 0.0 if quick else self.random.choice((0.0, 0.01, 1.0, HEARTBEAT)) * self.random.random()
            self.agenda.after(delay, partial(self.nodes[here].link_down, there, epoch))
        if self.allowed(one, other):
            self.dial(one, other)

    def drop_all_of(self, node: int) -> None:
        for one, other in self.lines:
            if node in (one, other):
                self.drop(one, other)

    def send(self, sender: int, to: int, epoch: int, say: Any) -> None:
        line = self.lines[pair(sender, to)]
        if line.epoch != epoch or not line.up:
            return  # the link has ended, and this side has not noticed
        if sender in line.held:
            line.held[sender].append(say)
            return
        delay = self.base[sender, to] * self.random.uniform(0.8, 1.2)
        when = max(line.arrival.get(sender, 0.0), self.agenda.now + delay)
        line.arrival[sender] = when
        self.agenda.at(when, lambda: self._deliver(sender, to, epoch, say))

    def _deliver(self, sender: int, to: int, epoch: int, say: Any) -> None:
        line = self.lines[pair(sender, to)]
        if line.epoch == epoch and line.up:
            if sender in line.held:
                line.held[sender].append(say)
            else:
                self.nodes[to].hear(sender, epoch, say)

    # --- faults

    def part(self, sides: dict[int, int], seconds: float) -> None:
        self.apart = sides
        for one, other in self.lines:
            if not self.allowed(one, other):
                self.drop(one, other)

        def heal() -> None:
            if self.apart is sides:
                self.apart = {}
                self.dial_all()

        self.agenda.after(seconds, heal)

    def stall(self, sender: int, to: int, seconds: float) -> None:
        """A one-way cut."""
        line = self.lines[pair(sender, to)]
        if not line.up or sender in line.held:
            return
        epoch = line.epoch
        line.held[sender] = []

        def release() -> None:
            if line.epoch == epoch:
                waiting = line.held.pop(sender, [])
                for say in waiting:
                    self.send(sender, to, epoch, say)

        def give_up() -> None:
            if line.epoch == epoch:
                self.drop(sender, to)

        def mend() -> None:
            self.cut.discard((sender, to))
            self.dial_all()

        if seconds < HEARTBEAT:
            self.agenda.after(seconds, release)
        else:
            self.cut.add((sender, to))
            self.agenda.after(HEARTBEAT, give_up)
            self.agenda.after(seconds, mend)


def pair(one: int, other: int) -> Pair:
    return (one, other) if one < other else (other, one)
