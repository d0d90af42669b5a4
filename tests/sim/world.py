"""One seeded game: the members' processes, the network between them, what goes wrong, and what must hold."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Iterable
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

from p2pmatryoshka.crypto import group
from p2pmatryoshka.record.entry import Entry, SignedEntry, entry_hash
from p2pmatryoshka.record.strict import unpack
from p2pmatryoshka.rules.catalogue import GAMES
from p2pmatryoshka.table.own import MOST_SECRET_BYTES
from p2pmatryoshka.table.roster import read_roster
from p2pmatryoshka.table.step import Moment
from p2pmatryoshka.table.table import Accusation, Event
from tests.rules.samples import deck
from tests.sim import speed
from tests.sim.agenda import Agenda
from tests.sim.checks import Violation, check_end, check_final, check_store, stored
from tests.sim.network import Network
from tests.sim.node import Node
from tests.sim.plan import Fault, Plan
from tests.table.memory import identities, roster_for

MOST_JOBS = 400_000
LONGEST = 6 * 3600.0
WORTH_WAITING = 40
"""Times somebody's patience after the last change in which people still look whether something can be done."""


@dataclass
class Result:
    seed: int
    outcome: str  # "sealed", "abandoned", "waits"
    counts: Counter[str] = field(default_factory=Counter)
    detail: str = ""


class World:
    def __init__(self, seed: int, folder: Path, *, trace: bool = False, plan: Plan | None = None) -> None:
        self.seed = seed
        self.trace = trace
        self.plan = plan or Plan.drawn(seed)
        self.random = Random(repr(("world", seed)))
        self.agenda = Agenda()
        self.count: Counter[str] = Counter()
        self.network = Network(self.agenda, self.random, self.plan.latency)
        game, members = self.plan.game, self.plan.members
        keys = identities(members, seed)
        self.roster = read_roster(roster_for(keys, game, self.plan.rules, deck(GAMES[game]), seed))
        self.cheats: set[int] = set()  # members
        self.gone: set[int] = set()  # nodes whose process will never come back
        self.secrets: dict[group.Point, int] = {}  # of all table keys ever made
        self.final: dict[int, bytes] = {}
        self.versions: dict[tuple[int, int], set[bytes]] = {}
        self.total = 0
        self.waiting: list[Fault] = sorted(self.plan.faults, key=lambda fault: fault.after)
        self.folder = folder
        for member, key in enumerate(keys):
            self.network.add(Node(self, member, member, key, folder / str(member)))

    @property
    def now(self) -> float:
        return self.agenda.now

    @property
    def nodes(self) -> list[Node]:
        return list(self.network.nodes.values())

    @property
    def honest(self) -> list[Node]:
        return [node for node in self.nodes if node.member not in self.cheats]

    def say(self, *words: Any) -> None:
        if self.trace:
            print(f"{self.now:10.3f} ", *words)

    # --- what nodes report

    def signed(self, node: Node, sequence: int, signed: SignedEntry) -> None:
        self.total += 1
        self.count["entries"] += 1
        if self.trace:
            moment = node.table.moment
            self.say(f"{node.id} signs {sequence}: {_kind(node, signed)} in step {moment.number} {moment.owed.kind}")
        while self.waiting and self.waiting[0].after <= self.total:
            fault = self.waiting.pop(0)
            self.agenda.after(fault.delay, partial(self.inject, fault))

    def inject(self, fault: Fault) -> None:
        if fault.inject(self):
            self.count["fault " + fault.kind] += 1
            self.say("FAULT", fault)

    def seen(self, node: Node, entry: Entry) -> None:
        """Somebody took in an entry."""
        if entry.author == node.member:
            return
        versions = self.versions.setdefault((entry.author, entry.sequence), set())
        versions.add(entry.hash)
        if len(versions) > 1 and entry.author not in self.cheats:
            raise Violation(f"honest member {entry.author} signed entry {entry.sequence} twice")

    def _forget(self) -> None:
        """What nobody holds any more, no file and no process, counts as never seen: nobody can be reminded of it."""
        held: set[bytes] = set()
        for node in self.nodes:
            if node.alive:
                held |= {e.hash for log in node.logs for e in (*log.chain, *log.branch, *log.early)}
            elif node.id not in self.gone:
                held |= {entry_hash(data) for data in stored(node)}
        for place, versions in self.versions.items():
            self.versions[place] = versions & held

    def learn(self, secrets: bytes) -> None:
        """Somebody made a table key, or something else that it must remember."""
        kept = unpack(secrets, MOST_SECRET_BYTES, 2) if secrets else {}
        key = kept.get("key") if isinstance(kept, dict) else None
        if isinstance(key, bytes):
            secret = group.decode_scalar(key)
            self.secrets[group.base(secret)] = secret

    def judged(self, node: Node, before: Moment, events: Iterable[Event]) -> None:
        moment = node.table.moment
        if self.trace and moment is not before:
            owed = moment.owed
            self.say(f"{node.id} stands at step {moment.number} {owed.kind} {owed.members} of {moment.still_in}")
        for event in events:
            if isinstance(event, Accusation):
                self.say(f"{node.id} accuses {event.member} of {event.rule} in step {event.step}: {event.detail}")
                node.accusations.add((event.member, event.rule))
                if event.member not in self.cheats and node.member not in self.cheats:
                    raise Violation(f"honest member {event.member} is accused of {event.rule} by {node.member}")
        if node.member not in self.cheats:
            check_final(self, node)

    def crashed(self, node: Node, *, back_after: float | None = None, restore: bool = False) -> None:
        self.count["crashes"] += 1
        self.say(f"{node.id} crashes", node.crash_at or "")
        node.crash_at = None
        if node.alive:
            node.stop()
        check_store(node)
        pause = node.random.choice((0.05, 2.0, 40.0)) * node.random.random() if back_after is None else back_after

        def back() -> None:
            if not node.alive and node.id not in self.gone:
                if restore and node.backup is not None:
                    self.count["restores"] += 1
                    node.restore_file()
                    self._forget()
                self.count["restarts"] += 1
                self.say(f"{node.id} starts", "from its backup" if restore else "")
                node.start()

        self.agenda.after(pause, back)

    def worth_waiting(self, node: Node) -> bool:
        return not node.table.closed and self.now - node.stuck_since < max(WORTH_WAITING * node.patience, 300)

    # --- the run

    def run(self) -> Result:
        with ExitStack() as stack:
            stack.enter_context(speed.shared(alone=self.plan.alone))
            try:
                for node in self.nodes:
                    node.start()
                if not self.agenda.run(MOST_JOBS, LONGEST):
                    raise Violation("the game does not end")
                outcome, detail = check_end(self)
            finally:
                for node in self.nodes:
                    if node.alive:
                        node.store.close()
        return Result(self.seed, outcome, self.count, detail)


def _kind(node: Node, signed: SignedEntry) -> str:
    entry = node.table.parse(signed)
    body = node.table.memo.body_or_none(entry)
    if body is None:
        return "garbage"
    fields = {name: getattr(body, name) for name in ("absent", "round", "forker") if hasattr(body, name)}
    return f"{body.kind} {fields or ''}"


def play(seed: int, *, trace: bool = False, plan: Plan | None = None) -> Result:
    """One seeded game. Raises Violation."""
    with tempfile.TemporaryDirectory(prefix="simulation") as folder:
        return World(seed, Path(folder), trace=trace, plan=plan).run()
