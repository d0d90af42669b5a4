"""Instants at which a peer can be killed, and links that it does not make.

"die": [[step, instant], ...] kills the process by SIGKILL at the first such instant when the open step has reached
that number, or is of that kind. Instants:

    checking    while a proof of anybody's entry for the open step is being checked
    drafted     an own entry is drafted, nothing is stored
    writing     inside the transaction, between two of its statements
    committing  somewhere in the commit, or shortly before or after it
    stored      the entry is on the disk, nobody has seen it
    sending     the entry is queued on every link, perhaps sent on some
    sent        the entry has gone out
    saving      inside the transaction that stores what others signed
    returning   after a restart, before the others have shown what they hold
"""

from __future__ import annotations

import os
import random
import signal
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any
from unittest import mock

import trio

from p2pmatryoshka.node import storage, table_run
from p2pmatryoshka.node.keeper import Keeper
from p2pmatryoshka.node.mesh import Mesh
from p2pmatryoshka.node.storage import Store
from p2pmatryoshka.record.entry import Entry
from p2pmatryoshka.table import step
from p2pmatryoshka.table.own import Draft

OWN = ("drafted", "writing", "committing", "stored", "sending", "sent")
"""Those of an entry of one's own."""
INSTANTS = (*OWN, "checking", "saving")


class Deaths:
    """What is still to come for this process, the next first."""

    def __init__(self, plan: list[list[Any]], seed: object) -> None:
        self.step: int | str = plan[0][0] if plan else 1 << 30
        self.instant = str(plan[0][1]) if plan else ""
        self.random = random.Random(repr(seed))
        self.keeper: Keeper | None = None

    def due(self, instant: str, moment: step.Moment | None = None) -> bool:
        if instant != self.instant or self.keeper is None:
            return False
        now = self.keeper.table.moment if moment is None else moment
        return now.owed.kind == self.step if isinstance(self.step, str) else now.number >= self.step

    def reach(self, instant: str, moment: step.Moment | None = None) -> None:
        """The process ends here if this is the instant."""
        if self.due(instant, moment):
            self.die()

    def die(self) -> None:
        from tests.real.peer import tell

        assert self.keeper is not None
        moment = self.keeper.table.moment
        tell(event="dying", planned=self.step, step=moment.number, kind=moment.owed.kind, instant=self.instant)
        os.kill(os.getpid(), signal.SIGKILL)

    def die_soon(self) -> None:
        """From another thread, within some milliseconds."""
        threading.Timer(self.random.uniform(0, 0.004), self.die).start()


@contextmanager
def deaths(order: dict[str, Any]) -> Iterator[None]:
    """Die as the order says."""
    plan = Deaths(order.get("die", []), (order.get("seed"), order.get("name"), order.get("die")))
    with ExitStack() as stack:
        for target, name, changed in _hooked(plan):
            stack.enter_context(mock.patch.object(target, name, changed))
        yield


def _hooked(plan: Deaths) -> list[tuple[Any, str, Any]]:
    sign, put, add, check = Store.sign, Store.put, storage._add, step.check
    signing, saving = threading.local(), threading.local()

    class DyingKeeper(Keeper):
        def __init__(self, *arguments: Any, **options: Any) -> None:
            super().__init__(*arguments, **options)
            plan.keeper = self

        async def judge(self) -> None:
            if self.returning:
                plan.reach("returning")
            await super().judge()

        async def _sign(self, draft: Draft) -> Entry:
            plan.reach("drafted")
            return await super()._sign(draft)

    class DyingMesh(Mesh):
        def publish(self, entry: Entry) -> None:
            super().publish(entry)
            plan.reach("sending")
            if plan.due("sent"):
                trio.lowlevel.spawn_system_task(self._after_sending)

        @staticmethod
        async def _after_sending() -> None:
            await trio.sleep(0.1)
            plan.die()

    def dying_sign(store: Store, *arguments: Any, **options: Any) -> None:
        if plan.due("committing"):
            plan.die_soon()
        signing.now = True
        try:
            sign(store, *arguments, **options)
        finally:
            signing.now = False
        plan.reach("stored")

    def dying_put(store: Store, *arguments: Any, **options: Any) -> None:
        saving.now = True
        try:
            put(store, *arguments, **options)
        finally:
            saving.now = False

    def dying_add(*arguments: Any) -> None:
        add(*arguments)
        if getattr(signing, "now", False):
            plan.reach("writing")
        if getattr(saving, "now", False):
            plan.reach("saving")

    def dying_check(moment: step.Moment, *arguments: Any, **options: Any) -> Any:
        got = check(moment, *arguments, **options)
        plan.reach("checking", moment)
        return got

    return [
        (table_run, "Keeper", DyingKeeper),
        (table_run, "Mesh", DyingMesh),
        (Store, "sign", dying_sign),
        (Store, "put", dying_put),
        (storage, "_add", dying_add),
        (step, "check", dying_check),
    ]


@contextmanager
def no_links_to(members: list[int]) -> Iterator[None]:
    """As if no way led to these members: every link with them ends at once, whoever opened it."""
    serve, dial = Mesh._serve, Mesh._dial

    async def choosy(mesh: Mesh, member: int, link: Any, *rest: Any) -> None:
        if member in members:
            link.close("test.blocked")
            return
        await serve(mesh, member, link, *rest)

    async def idle(mesh: Mesh, member: int) -> None:
        if member not in members:
            await dial(mesh, member)

    with mock.patch.object(Mesh, "_serve", choosy), mock.patch.object(Mesh, "_dial", idle):
        yield
