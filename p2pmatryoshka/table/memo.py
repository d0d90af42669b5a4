"""What was worked out once about entries and moments, so that folding a table anew costs no proof a second time.

Only results of pure functions are kept here, under hashes of all that they depend on.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from p2pmatryoshka.errors import Refused
from p2pmatryoshka.record.entry import Entry
from p2pmatryoshka.table import messages
from p2pmatryoshka.table.step import Moment


@dataclass(slots=True)
class Memo:
    """bodies: by entry hash. judged: by table hash and entry hash. moments: by table hash."""

    bodies: dict[bytes, messages.AnyBody | Refused] = field(default_factory=dict)
    judged: dict[tuple[bytes, bytes], Any] = field(default_factory=dict)
    moments: dict[bytes, Moment] = field(default_factory=dict)

    def body(self, entry: Entry) -> messages.AnyBody:
        """Raises Refused with the rule that the bytes of the entry break, if any."""
        got = self.bodies.get(entry.hash)
        if got is None:
            got = self.bodies[entry.hash] = _decode(entry)
        if isinstance(got, Refused):
            raise got
        return got

    def body_or_none(self, entry: Entry) -> messages.AnyBody | None:
        try:
            return self.body(entry)
        except Refused:
            return None

    def judge(self, moment: Moment, entry: Entry, check: Callable[[], Any]) -> Any:
        """What `check` makes of the entry at that moment. Raises Refused if it did."""
        key = moment.hash, entry.hash
        if key not in self.judged:
            try:
                self.judged[key] = check()
            except Refused as error:
                self.judged[key] = error
        got = self.judged[key]
        if isinstance(got, Refused):
            raise got
        return got


def _decode(entry: Entry) -> messages.AnyBody | Refused:
    if entry.fault is not None:
        return Refused(entry.fault, "the signed bytes break the form of an entry")
    try:
        return messages.decode(entry.body)
    except Refused as error:
        return error
