"""One member's table in this process: what is held, what has been judged, what is signed, what is on the disk.

The order is fixed: draft, store, and only then hand the entry to the table and to others. Judging and signing take
turns, so that an entry is never signed over a moment that has passed. Heavy work runs in a worker thread; what
arrives meanwhile is held at once, and can be passed on before its proofs are checked.
"""

from __future__ import annotations

import secrets
from collections.abc import Awaitable, Callable
from dataclasses import replace
from functools import partial
from typing import Protocol, TypeVar

import trio

from p2pmatryoshka.crypto.group import Randomness
from p2pmatryoshka.crypto.sums import Spread
from p2pmatryoshka.errors import Illegal
from p2pmatryoshka.node.identity import Identity
from p2pmatryoshka.node.storage import AlreadySigned, Filed, Store
from p2pmatryoshka.record.entry import Entry, SignedEntry
from p2pmatryoshka.rules.game import Choice
from p2pmatryoshka.table.own import Draft, Duty, Own, Question
from p2pmatryoshka.table.roster import Roster
from p2pmatryoshka.table.step import Abandoned, Closed
from p2pmatryoshka.table.table import Event, Table

T = TypeVar("T")
OPEN, FINISHED, OUT, ABANDONED = "open", "finished", "out", "abandoned"
"""How a table stands in the store: to be gone on with, sealed, without me, without anybody."""
SAVE_SECONDS = 1


class Worker(Protocol):
    """Runs a function off the event loop."""

    def __call__(self, job: Callable[[], T], /) -> Awaitable[T]: ...


def thread_worker() -> Worker:
    """One thread at a time, for one table."""
    limiter = trio.CapacityLimiter(1)

    async def run(job: Callable[[], T]) -> T:
        return await trio.to_thread.run_sync(job, limiter=limiter)

    return run


class Keeper:
    """Keeps the table, this member's own half of it, and the store in step."""

    def __init__(
        self,
        store: Store,
        identity: Identity,
        roster: Roster,
        *,
        worker: Worker | None = None,
        randomness: Randomness = secrets.token_bytes,
        spread: Spread | None = None,
        returning: bool = False,
        heard: Callable[[tuple[Event, ...]], None] = lambda _: None,
    ) -> None:
        self.roster = roster
        self.me = roster.index_of(identity.public)
        self.table = Table.open(roster.data, self.me, spread)
        self.own = Own(self.me, identity.key)
        self.returning = returning
        """After a restart: nothing may be signed until the others have shown what they hold of my log."""
        self.opened_at = trio.current_time()
        """When the open step began for this process."""
        self._heard = heard
        self._store = store
        self._worker = worker or thread_worker()
        self._randomness = randomness
        self._turn = trio.Lock()
        self._changed = trio.Event()
        self._news = trio.Event()
        self._unsaved: list[Filed] = []

    async def open(self, created: str) -> None:
        """File the table, and hold whatever is stored of it already."""
        store, table = self._store, self.roster.table
        await self._worker(partial(store.create_table, table, self.roster.data, self.me, created, OPEN))
        for _, secret in await self._worker(partial(store.secrets, table)):
            self.own = self.own.remember(secret)
        stored = [self.table.parse(signed) for _, _, signed in await self._worker(partial(store.entries, table))]
        while stored:
            before = len(stored)
            for entry in stored:
                self.table = self.table.hold(entry)
            # More than a table takes ahead of what was judged is taken once that is.
            stored = [
                e for e in stored if e not in (*self.table.logs[e.author].chain, *self.table.logs[e.author].branch)
            ]
            self.table, _ = await self._worker(self.table.progress)
            if len(stored) == before:
                break
        self._news.set()

    def hold(self, signed: SignedEntry) -> Entry:
        """Take an entry of anybody's; it is judged later. Raises LinkFault for one that no honest peer passes on."""
        entry = self.table.parse(signed)
        held = self.table.hold(entry)
        if held is not self.table:
            self.table = held
            self._unsaved.append((entry.author, entry.sequence, signed))
            self._news.set()
        return entry

    async def judge(self) -> None:
        """Judge what is held, for as long as the table is open."""
        while True:
            await self._news.wait()
            self._news = trio.Event()
            async with self._turn:
                judged, events = await self._worker(self.table.progress)
                if judged.moment.hash != self.table.moment.hash:
                    self.opened_at = trio.current_time()
                # Judging leaves the logs alone, and entries may have come in the meantime.
                self.table = replace(judged, logs=self.table.logs)
            self._tell(events)

    async def sign_due(self, choice: Choice | None) -> Entry | None:
        """Sign what is owed, store it, hold it. None if it is no longer owed. Raises Illegal for a bad choice."""
        table, own = self.table, self.own
        if self.due() is None:
            return None
        draft: Draft = await self._worker(partial(own.draft, table, choice, self._randomness))
        async with self._turn:
            if self.table.moment is not table.moment or draft.sequence != len(self.table.logs[self.me].chain):
                return None
            return await self._sign(draft)

    async def sign_beside(self, draft: Callable[[Own, Table], Draft]) -> Entry:
        """Sign something that fills no place (a ballot), or gives one up (Leave). Raises Illegal if it may not be."""
        if self.returning:
            raise Illegal("returning", "nothing is signed until the others have shown what they hold")
        async with self._turn:
            return await self._sign(await self._worker(partial(draft, self.own, self.table)))

    def returned(self) -> None:
        """The others have shown what they hold of my log, and I hold it all."""
        self.returning = False
        self._tell(())

    def stir(self) -> None:
        """Wake whoever waits for a change."""
        self._changed.set()
        self._changed = trio.Event()

    async def changed(self) -> None:
        """Wait until something was judged or signed."""
        await self._changed.wait()

    def due(self) -> Duty | Question | None:
        """What this member may sign now."""
        return None if self.returning else self.own.due(self.table)

    async def save(self) -> None:
        """Put what others sent on the disk."""
        if self._unsaved:
            unsaved, self._unsaved = self._unsaved, []
            await self._worker(partial(self._store.put, self.roster.table, unsaved))

    async def save_now_and_then(self) -> None:
        """Whatever is not stored with an entry of mine, within a moment."""
        while True:
            await trio.sleep(SAVE_SECONDS)
            await self.save()

    async def finish(self) -> None:
        """When nothing is to be signed any more; after the seal, nothing secret is needed either."""
        await self.save()
        stage = self.table.moment.stage
        state = FINISHED if isinstance(stage, Closed) else ABANDONED if isinstance(stage, Abandoned) else OUT
        await self._worker(partial(self._store.set_state, self.roster.table, state))
        if state == FINISHED:
            await self._worker(partial(self._store.forget_secrets, self.roster.table))

    async def _sign(self, draft: Draft) -> Entry:
        # From here on nothing may be left half done: what is stored is the entry.
        with trio.CancelScope(shield=True):
            named, self._unsaved = self._unsaved, []
            store, table, signed = self._store, self.roster.table, draft.entry
            try:
                job = partial(store.sign, table, self.me, draft.sequence, signed, secrets=draft.secrets, named=named)
                await self._worker(job)
            except AlreadySigned as error:
                signed = error.stored
                for _, stored in await self._worker(partial(store.secrets, table)):
                    self.own = self.own.remember(stored)
            else:
                self.own = self.own.remember(draft.secrets)
            entry = self.table.parse(signed)
            self.table = self.table.hold(entry)
            self._news.set()
            self._tell(())
        return entry

    def _tell(self, events: tuple[Event, ...]) -> None:
        self.stir()
        self._heard(events)
