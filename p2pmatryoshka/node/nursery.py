"""A nursery whose single failure comes out as itself, so that a sentence for a person stays one."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager

import trio

from p2pmatryoshka.errors import MatryoshkaError


@asynccontextmanager
async def plain_nursery() -> AsyncIterator[trio.Nursery]:
    """As trio.open_nursery, but of a group of failures the first of our own is raised; if there is none, the only
    one. Several that are not ours stay a group."""
    try:
        async with trio.open_nursery() as nursery:
            yield nursery
    except BaseExceptionGroup as group:
        leaves = list(_leaves(group))
        ours = [leaf for leaf in leaves if isinstance(leaf, MatryoshkaError)]
        if ours or len(leaves) == 1:
            raise (ours or leaves)[0] from group
        raise


def _leaves(group: BaseExceptionGroup[BaseException]) -> Iterator[BaseException]:
    for error in group.exceptions:
        if isinstance(error, BaseExceptionGroup):
            yield from _leaves(error)
        else:
            yield error
