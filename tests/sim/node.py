"""One member's process, driven by events: the real Table, Own, Sync and Store, put together as node/keeper.py and
node/table_run.py put them together, but without tasks and threads.

Draft, store, hold, send, in this order. Judging takes a moment, and so does drafting: meanwhile more may arrive.
After a restart nothing is signed until the others still in have shown what they hold of this member's own log.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from p2pmatryoshka.errors import Illegal, LinkFault
from p2pmatryoshka.node.storage import DATABASE, AlreadySigned, Filed, Store
from p2pmatryoshka.record.entry import Entry, SignedEntry
from p2pmatryoshka.record.sync import Announce, Ask, Pass, Say, Sync
from p2pmatryoshka.rules.game import Choice
from p2pmatryoshka.table import messages, motion
from p2pmatryoshka.table.own import Draft, Own, Question
from p2pmatryoshka.table.step import Moment
from p2pmatryoshka.table.table import Event, Table
from tests.table.memory import seeded

if TYPE_CHECKING:
    from tests.sim.world import World

SAVE_SECONDS = 1.0


class Crash(Exception):
    """The process ends here and now."""


class Node:
    honest = True
    wait_for_returns = True

    def __init__(self, world: World, node: int, member: int, key: Ed25519PrivateKey, folder: Path) -> None:
        self.world, self.id, self.member, self.key, self.folder = world, node, member, key, folder
        self.random = Random(repr((world.seed, "node", node)))
        self.alive = False
        self.side: frozenset[int] | None = None  # the only nodes this one talks to, if not all
        self.lives = 0
        self.epochs: dict[int, int] = {}
        self.crash_at: str | None = None  # "drafted", "stored", "held" or "sent": where it dies at its next signature
        self.leaving = False
        self.off_after_leaving: float | None = None
        self.finished = False
        self.backup: Path | None = None
        self.pace = self.random.choice(world.plan.paces)
        self.patience = self.random.uniform(*world.plan.patience)
        self.accusations: set[tuple[int, str]] = set()
        self.final = 0

    # --- coming and going

    def start(self) -> None:
        """The process begins, with whatever is on its disk."""
        world = self.world
        self.store = Store.open(self.folder)
        roster = world.roster
        self.store.create_table(roster.table, roster.data, self.member, "", "open")
        self.table = Table.open(roster.data, self.member)
        self.own = Own(self.member, self.key)
        self.sync: Sync[int] = Sync()
        self.randomness = seeded((world.seed, "randomness", self.id, self.lives))
        self.unsaved: list[Filed] = []
        self.returned = self.lives == 0
        self.lives += 1
        self.alive = True
        self.epochs = {}
        self.judging = self.deciding = self.saving = False
        self.timer: float | None = None
        self.owing: dict[int, float] = {}
        self.heard_at = dict.fromkeys(range(len(roster.members)), world.now)
        self.stuck_since = world.now
        for _, stored in self.store.secrets(roster.table):
            self.own = self.own.remember(stored)
        for _, _, signed in self.store.entries(roster.table):
            self.table = self.table.hold(self.table.parse(signed))
        self.judge_soon()
        self._later(self.patience, self.glance)
        self._later(1.0, self.ask_whether_returned)
        for other in world.network.nodes:
            if other != self.id and world.network.allowed(self.id, other):
                world.network.dial(self.id, other, self.random.uniform(0.01, 0.5))

    def stop(self) -> None:
        """The process is gone: what is not on the disk is lost."""
        self.alive = False
        self.lives += 1  # whatever it still meant to do concerns it no more
        self.world.network.drop_all_of(self.id)
        self.store.close()

    def copy_file(self) -> None:
        """A backup of the data folder; sometimes just after what others sent was put there too."""
        if self.random.random() < 0.7:
            self.save()
        self.backup = self.folder / "backup"
        self.backup.mkdir(exist_ok=True)
        for name in (DATABASE, DATABASE + "-wal"):
            if (self.folder / name).exists():
                shutil.copy(self.folder / name, self.backup / name)

    def restore_file(self) -> None:
        if self.backup is None:
            return
        for name in (DATABASE, DATABASE + "-wal", DATABASE + "-shm"):
            (self.folder / name).unlink(missing_ok=True)
            if (self.backup / name).exists():
                shutil.copy(self.backup / name, self.folder / name)

    def _later(self, delay: float, job: Callable[[], None]) -> None:
        """Do it then, if this process still runs."""
        life = self.lives

        def run() -> None:
            if self.alive and self.lives == life:
                try:
                    job()
                except Crash:
                    self.world.crashed(self)

        self.world.agenda.after(delay, run)

    # --- links

    def link_up(self, other: int, epoch: int) -> None:
        self.epochs[other] = epoch
        self.world.say(f"{self.id} has a link to {other}")
        member = self.world.network.nodes[other].member
        self._say(self.sync.joined(other, self.logs, self.world.now, member=member))

    def link_down(self, other: int, epoch: int) -> None:
        if self.alive and self.epochs.get(other) == epoch:
            del self.epochs[other]
            self.world.say(f"{self.id} has lost its link to {other}")
            self._say(self.sync.left(other, self.logs, self.world.now))

    def hear(self, other: int, epoch: int, say: Say) -> None:
        if not self.alive or self.epochs.get(other) != epoch:
            return
        now = self.world.now
        match say:
            case Announce(heads=heads, hears=hears):
                self._say(self.sync.have(other, heads, self.logs, now, hears=hears))
            case Ask(ranges=ranges):
                self._say(self.sync.want(other, ranges, self.logs, now))
            case Pass(entries=entries):
                try:
                    held = [self.hold(signed) for signed in entries]
                except LinkFault:
                    self.world.count["links blamed"] += 1
                    self.world.network.drop(self.id, other, quick=True)
                    return
                self._say(self.sync.received(other, held, self.logs, now))
        if not self.returned:
            self.may_sign()

    def ask_whether_returned(self) -> None:
        if not self.may_sign() and self.world.worth_waiting(self):
            self._later(1.0, self.ask_whether_returned)

    def _say(self, says: list[tuple[int, Say]]) -> None:
        for other, say in says:
            epoch = self.epochs.get(other)
            if epoch is not None and self.may_say(other, say):
                self.world.network.send(self.id, other, epoch, say)
        due = self.sync.next_due()
        if due is not None and (self.timer is None or due < self.timer):
            self.timer = due
            self._later(max(0.0, due - self.world.now), self._timed)

    def _timed(self) -> None:
        now, due = self.world.now, self.sync.next_due()
        if self.timer is not None and self.timer <= now:
            self.timer = None
        if due is not None and due <= now:
            self._say(self.sync.due(self.logs, now))
        elif due is not None:
            self._say([])

    def may_say(self, other: int, say: Say) -> bool:
        del other, say
        return True

    def repeat(self, other: int, share: float) -> bool:
        """Pass on once more what is held of everybody."""
        epoch = self.epochs.get(other)
        held = [entry.signed for log in self.logs for entry in (*log.chain, *log.branch)]
        held = [signed for signed in held if self.random.random() < share]
        if epoch is None or not held:
            return False
        self.random.shuffle(held)
        self.world.network.send(self.id, other, epoch, Pass(tuple(held)))
        return True

    def spoil(self, other: int) -> bool:
        """Pass on an entry with a signature that does not hold."""
        epoch = self.epochs.get(other)
        held = [entry.signed for log in self.logs for entry in log.chain]
        if epoch is None or not held:
            return False
        signed = self.random.choice(held)
        bad = self.random.choice(
            (
                SignedEntry(signed.data, bytes(64)),
                SignedEntry(signed.data + b"\0", signed.signature),
                SignedEntry(b"", b""),
            )
        )
        self.world.network.send(self.id, other, epoch, Pass((bad,)))
        return True

    # --- what the keeper does

    @property
    def logs(self) -> Any:
        return self.table.logs

    def hold(self, signed: SignedEntry) -> Entry:
        entry = self.table.parse(signed)
        held = self.table.hold(entry)
        if held is not self.table:
            self.world.seen(self, entry)
            self.table = held
            self.heard_at[entry.author] = self.world.now
            self.unsaved.append((entry.author, entry.sequence, signed))
            if not self.saving:
                self.saving = True
                self._later(SAVE_SECONDS, self.save)
            self.judge_soon()
        return entry

    def save(self) -> None:
        self.saving = False
        if self.unsaved:
            unsaved, self.unsaved = self.unsaved, []
            self.store.put(self.world.roster.table, unsaved)

    def judge_soon(self) -> None:
        if not self.judging:
            self.judging = True
            self._later(self.random.choice((0.0, 0.001, 0.02)), self.judge)

    def judge(self) -> None:
        self.judging = False
        before = self.table.moment
        self.table, events = self.table.progress()
        self.world.judged(self, before, events)
        self.news(before, events)
        self.decide_soon()

    def news(self, before: Moment, events: tuple[Event, ...]) -> None:
        if events or before is not self.table.moment:
            self.stuck_since = self.world.now

    def decide_soon(self) -> None:
        if not self.deciding and not self.table.closed:
            self.deciding = True
            delay = self.pace * self.random.random() if isinstance(self.own.due(self.table), Question) else 0.0
            self._later(delay, self.decide)
        elif self.table.closed and not self.finished:
            self.finish()

    def finish(self) -> None:
        self.finished = True
        self.save()
        self.store.set_state(self.world.roster.table, "finished")
        self.store.forget_secrets(self.world.roster.table)

    def may_sign(self) -> bool:
        if not self.returned and self.wait_for_returns:
            self.returned = self.sync.has_returned(self.member, self.table.moment.still_in, self.logs, self.world.now)
            if self.returned:
                self.world.say(f"{self.id} has returned")
                self.decide_soon()
        return self.returned or not self.wait_for_returns

    def decide(self) -> None:
        self.deciding = False
        if self.table.closed or not self.may_sign():
            return
        if self.leaving and self.may_leave:
            self.leave()
            return
        due = self.own.due(self.table)
        if due is None:
            return
        table = self.table
        draft = self.draft(self.choose(due) if isinstance(due, Question) else None)
        if draft is None:
            return
        if self.crash_at == "drafted":
            raise Crash
        # Drafting is done off the event loop: by the time it is signed, the table may have gone on.
        if self.random.random() < 0.8:
            self.sign_drafted(table, draft)
        else:
            self._later(self.random.choice((0.001, 0.05)), lambda: self.sign_drafted(table, draft))

    def leave(self) -> None:
        self.world.count["leaves signed"] += 1
        self.sign(self.own.draft_body(self.table, messages.Leave()))
        if self.off_after_leaving is not None:
            self._later(self.off_after_leaving, self.go_off)

    def sign_drafted(self, table: Table, draft: Draft) -> None:
        if self.table.moment is table.moment and draft.sequence == len(self.table.logs[self.member].chain):
            self.sign(draft)
        if self.alive:
            self.decide_soon()

    def draft(self, choice: Choice | None) -> Draft | None:
        return self.own.draft(self.table, choice, self.randomness)

    def choose(self, question: Question) -> Choice:
        moves = self.own.moves(self.table, question)
        return moves[self.random.randrange(len(moves))]

    def sign(self, draft: Draft) -> Entry:
        world = self.world
        named, self.unsaved = self.unsaved, []
        signed = draft.entry
        table = world.roster.table
        try:
            self.store.sign(table, self.member, draft.sequence, signed, secrets=draft.secrets, named=named)
        except AlreadySigned as error:
            world.count["already signed"] += 1
            signed = error.stored
            for _, stored in self.store.secrets(table):
                self.own = self.own.remember(stored)
        else:
            self.own = self.own.remember(draft.secrets)
            world.learn(draft.secrets)
        world.signed(self, draft.sequence, signed)
        if self.crash_at == "stored":
            raise Crash
        entry = self.table.parse(signed)
        self.table = self.table.hold(entry)
        if self.crash_at == "held":
            raise Crash
        self.judge_soon()
        self.stuck_since = world.now
        self.publish(entry)
        if self.crash_at == "sent":
            raise Crash
        return entry

    def publish(self, entry: Entry) -> None:
        says = self.sync.authored(entry, self.logs, self.world.now)
        if self.crash_at == "half sent":
            self._say(says[: self.random.randrange(len(says) + 1)])
            raise Crash
        self._say(says)

    # --- what the person does

    @property
    def may_leave(self) -> bool:
        """Whether it has a place, and has not given it up already."""
        table = self.table
        if self.member not in table.moment.still_in or table.closed:
            return False
        chain = table.logs[self.member].chain
        return not any(isinstance(table.memo.body_or_none(entry), messages.Leave) for entry in chain)

    def go_off(self) -> None:
        self.world.count["gone after leaving"] += 1
        self.world.gone.add(self.id)
        self.stop()

    def glance(self) -> None:
        """Every now and then a person looks whether somebody is missing, and may ask the others to go on without."""
        if self.table.closed:
            return
        try:
            self.look()
        finally:
            if self.alive and self.world.worth_waiting(self):
                self._later(self.patience * self.random.uniform(0.3, 0.6), self.glance)

    def look(self) -> None:
        table, now = self.table, self.world.now
        if self.member not in table.moment.still_in or not self.may_sign():
            return
        owing = self.debtors() - {self.member}
        self.owing = {member: self.owing.get(member, now) for member in owing}
        linked = {self.world.network.nodes[other].member for other in self.epochs}
        silent = {
            member
            for member, since in self.owing.items()
            if now - max(since, self.heard_at[member]) > (3 if member in linked else 1) * self.patience
        }
        if not silent:
            return
        ballot = self.vote(silent)
        if ballot is None:
            return
        try:
            draft = self.own.draft_ballot(table, ballot)
        except Illegal:
            return
        self.world.count["votes"] += 1
        self.sign(draft)
        self.decide_soon()

    def vote(self, silent: set[int]) -> motion.Ballot | None:
        """Join a motion of others that names only such members, else propose one."""
        for due in self.own.ballots(self.table):
            if due.must:
                return None
            if set(due.ballot.motion.absent) <= silent:
                return due.ballot
        # Those who only owe a ballot on a motion of others are named if enough would still vote.
        for absent in (silent, silent & self.own.missing(self.table)):
            try:
                return self.own.propose(self.table, absent)
            except Illegal as error:
                self.world.count["not proposed: " + error.code] += 1
        return None

    def debtors(self) -> frozenset[int]:
        """Who owes an entry, a statement or a ballot, as far as this member knows."""
        subject = self.own._subject(self.table, frozenset())
        tally = self.table.sides.tally(subject)
        return motion.debtors(tally, self.own.missing(self.table))
