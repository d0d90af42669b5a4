"""Every text a person reads, by key. One file for each language; screens never spell a sentence themselves."""

from __future__ import annotations

from collections.abc import Sequence

from p2pmatryoshka.ui.strings.english import TEXTS

__all__ = ["TEXTS", "counted", "listed", "say", "words"]


def say(key: str, /, **values: object) -> str:
    """The text of that key with the values filled in. KeyError for a key that no language has."""
    return TEXTS[key].format(**values)


def counted(key: str, number: int, /, **values: object) -> str:
    """The text `key.one` or `key.many`, as the number {n} asks."""
    return say(f"{key}.one" if number == 1 else f"{key}.many", n=number, **values)


def listed(items: Sequence[str], joint: str = "list.and") -> str:
    """ "Ada, Bob and Cleo"; with joint "list.or": "Ada, Bob or Cleo"."""
    if len(items) < 2:
        return "".join(items)
    return say(joint, first=", ".join(items[:-1]), last=items[-1])


def words(key: str) -> tuple[str, ...]:
    """The words a person may type for one thing, in small letters."""
    return tuple(TEXTS[key].split())
