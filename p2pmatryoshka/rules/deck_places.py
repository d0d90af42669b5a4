"""Where the strings of a TOML file stand, so that a fault can name its line.

The standard library's reader keeps no lines. This works on text that it has accepted; anything odd only loses
a line number.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field

_TOKEN = re.compile(
    r"""
      (?P<comment>\#[^\n]*)
    | (?P<long>\"{3}(?:\\.|[^\\])*?\"{3,5}|'{3}.*?'{3,5})
    | (?P<short>"(?:\\.|[^"\\\n])*"|'[^'\n]*')
    | (?P<bare>[A-Za-z0-9_-]+)
    """,
    re.VERBOSE | re.DOTALL,
)


@dataclass(slots=True)
class _Group:
    """A key, and the strings that follow it up to the next key."""

    key: str
    line: int
    texts: list[tuple[str, int]] = field(default_factory=list)


class Places:
    """Looks up lines (1-based) in one file; None where it cannot tell."""

    def __init__(self, text: str) -> None:
        self._groups = list(_groups(text))

    def of_key(self, key: str) -> int | None:
        """The line of a key at the top of the file."""
        return next((g.line for g in self._groups if g.key == key), None)

    def of_name(self, number: int, name: str) -> int | None:
        """The line of the n-th string under `series` (0-based), which reads `name`."""
        group = next((g for g in self._groups if g.key == "series"), None)
        if group is None or number >= len(group.texts) or group.texts[number][0] != name:
            return None
        return group.texts[number][1]

    def of_link(self, inner: str, outer: str | None = None) -> int | None:
        """The line where `inner` is said to lie inside `outer` (None: where its list begins)."""
        for group in reversed(self._groups):
            if group.key == inner:
                return next((line for text, line in group.texts if text == outer), group.line)
        return None


def _groups(text: str) -> Iterator[_Group]:
    group = None
    line, counted = 1, 0
    for token in _TOKEN.finditer(text):
        line += text.count("\n", counted, token.start())
        counted = token.start()
        if token.lastgroup == "comment":
            continue
        value = token[0] if token.lastgroup == "bare" else _unquoted(token[0])
        if text[token.end() : token.end() + 80].lstrip(" \t").startswith("="):
            if group is not None:
                yield group
            group = _Group(value, line)
        elif group is not None and token.lastgroup != "bare":
            group.texts.append((value, line))
    if group is not None:
        yield group


def _unquoted(raw: str) -> str:
    if "\\" not in raw and "\n" not in raw and not raw.startswith(('"""', "'''")):
        return raw[1:-1]
    try:
        return str(tomllib.loads("x=" + raw)["x"])
    except tomllib.TOMLDecodeError:
        return raw
