"""Every text that a screen asks for is there, and none is there in vain."""

from __future__ import annotations

import re
import string
from pathlib import Path

import p2pmatryoshka.ui
from p2pmatryoshka.rules.matrioske_state import Phase as MatrioskePhase
from p2pmatryoshka.rules.matryoshka_state import Phase as MatryoshkaPhase
from p2pmatryoshka.ui.strings import TEXTS, counted, listed, say

UI = Path(p2pmatryoshka.ui.__file__).parent
SOURCES = [path for path in UI.rglob("*.py") if path.parent.name != "strings"]
CODE = "\n".join(path.read_text() for path in (*SOURCES, UI / "strings" / "__init__.py"))
# Families of keys whose ends are values of the games or kinds of steps.
FAMILIES = (
    "m.phase.",
    "k.phase.",
    "m.ask.",
    "m.help.",
    "m.place.",
    "awaits.",
    "checked.",
    "rule.",
    "not.",
    "over.",
    "gone.",
)


def test_every_text_asked_for_is_there() -> None:
    asked = set(re.findall(r'\b(?:say|words)\(\s*f?"([a-z0-9_.-]+)"', CODE))
    missing = [key for key in asked if key not in TEXTS]
    asked_counted = set(re.findall(r'\bcounted\(\s*"([a-z0-9_.-]+)"', CODE))
    missing += [key for key in asked_counted if f"{key}.one" not in TEXTS or f"{key}.many" not in TEXTS]
    assert len(asked) > 100
    assert not missing


def test_no_text_is_there_in_vain() -> None:
    quoted = set(re.findall(r"""["']([a-z0-9_.-]+)["']""", CODE))
    unused = [
        key
        for key in TEXTS
        if key not in quoted and key.rpartition(".")[0] not in quoted and not key.startswith(FAMILIES)
    ]
    assert not unused


def test_every_phase_has_a_name() -> None:
    assert not [phase for phase in MatryoshkaPhase if f"m.phase.{phase}" not in TEXTS]
    assert not [phase for phase in MatrioskePhase if f"k.phase.{phase}" not in TEXTS]


def test_no_text_formats_anything_but_plain_names() -> None:
    for key, text in TEXTS.items():
        for _, name, spec, _ in string.Formatter().parse(text):
            assert name is None or name.isidentifier(), key
            assert spec in (None, ""), key


def test_lists_and_numbers_in_words() -> None:
    assert listed([]) == ""
    assert listed(["Ada"]) == "Ada"
    assert listed(["Ada", "Boris", "Clio"]) == "Ada, Boris and Clio"
    assert listed(["a", "b"], "list.or") == "a or b"
    assert counted("points", 1) == "1 point"
    assert counted("points", 0) == "0 points"


def test_a_value_is_never_read_as_a_format() -> None:
    assert say("gone.left", name="{0} {x}") == "{0} {x} left the table for good."
