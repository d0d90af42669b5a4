"""After a fork: where everybody stands, and so which step the forker leaves the table at.

A fork inside what is not final may have split the honest. So every other member signs once the table hashes it stands
on, and then signs nothing until all have: the longest common prefix stands, and in the step that follows it the
forker's place is "forked". What is final, having been signed over by everybody, is in every honest list.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from p2pmatryoshka.errors import Refused
from p2pmatryoshka.record.entry import Entry
from p2pmatryoshka.table import messages

MOST_HASHES = 64


def top(stands: Iterable[Sequence[bytes]]) -> tuple[frozenset[bytes], bytes | None]:
    """What all lists have in common, and the newest of it (None if they have nothing in common)."""
    lists = [tuple(hashes) for hashes in stands]
    if not lists:
        return frozenset(), None
    common = frozenset(lists[0]).intersection(*lists[1:])
    # Hashes form a tree, so what is common to all is a stretch of each list, in the same order.
    return common, next((one for one in reversed(lists[0]) if one in common), None)


def check(chain: Sequence[tuple[Entry, messages.AnyBody | None]], place: int, known: Collection[bytes]) -> None:
    """Judge the statement at `place` of its author's chain against that chain alone (bodies None: not readable).

    known: the hashes that lead to the oldest one stated. Raises Refused("stand.twice"), ("stand.order") for a list that
    names a hash twice, or ("stand.below") when the author signed over a step above what it states.
    """
    _, body = chain[place]
    if not isinstance(body, messages.Stand):
        return
    stated = set(body.hashes)
    if len(stated) != len(body.hashes):
        raise Refused("stand.order", "a table hash is stated twice")
    for _, earlier in chain[:place]:
        if isinstance(earlier, messages.Stand) and earlier.forker == body.forker:
            raise Refused("stand.twice", "where it stands was stated before")
    for entry, earlier in reversed(chain[:place]):
        if isinstance(earlier, messages.Stand):
            break  # what was signed before that may have been undone since
        if entry.table_hash not in stated and entry.table_hash not in known:
            raise Refused("stand.below", "its author has signed over a later step")
