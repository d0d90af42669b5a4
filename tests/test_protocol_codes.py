"""protocol/errors.md names every code of the package, and no other."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import p2pmatryoshka

PACKAGE = Path(p2pmatryoshka.__file__).parent
ERRORS = PACKAGE.parent / "protocol" / "errors.md"
DECK_FORMAT = PACKAGE.parent / "protocol" / "deck-format.md"

RAISED = {"Refused", "LinkFault", "Illegal", "LinkLost", "Finding", "Refusal", "_ending", "_end", "close"}
"""Calls that take a code, as an argument by place or by one of these names:"""
NAMED = {"rule", "fault", "reason", "code", "CLOSED"}
CODE = re.compile(r"[a-z][a-z0-9-]*(\.[a-z0-9_-]+)+")
ALONE = {"turn", "hand", "stock", "toss", "over", "returning"}
"""Codes without a dot; only `Illegal` has them."""


def _text(node: ast.expr) -> Iterator[str]:
    """The codes in an argument; where one is composed, `*` stands for what is put in."""
    match node:
        case ast.Constant(value=str(value)):
            yield value
        case ast.IfExp(body=body, orelse=orelse):
            yield from _text(body)
            yield from _text(orelse)
        case ast.JoinedStr(values=values):
            yield "".join(part.value if isinstance(part, ast.Constant) else "*" for part in values)
        case ast.BinOp(left=left, op=ast.Add()):
            yield from (f"{text}*" for text in _text(left))


def _arguments(node: ast.AST) -> Iterator[ast.expr]:
    """Where a code stands in a call or an assignment."""
    match node:
        case ast.Call(func=func, args=args, keywords=keywords):
            name = func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", "")
            if name in RAISED:
                yield from args
            elif name == "Accusation":
                yield from args[1:2]
            yield from (keyword.value for keyword in keywords if keyword.arg in NAMED)
        case ast.Assign(targets=[ast.Name(id=name)], value=value) if name in NAMED:
            yield value
        case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value) if name in NAMED:
            yield value


@cache
def _proofs() -> frozenset[str]:
    """The names that `sigma.verify` puts before its own rules."""
    names = set()
    for path in (PACKAGE / "crypto").glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "verify":
                names.update(_text(node.args[0]))
    return frozenset(names)


@cache
def used() -> frozenset[str]:
    found: set[str] = set()
    for path in PACKAGE.rglob("*.py"):
        if "ui" in path.relative_to(PACKAGE).parts:
            continue  # it only shows what others raise
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            for argument in _arguments(node):
                for text in _text(argument):
                    if text.startswith("*."):
                        found.update(text.replace("*", proof) for proof in _proofs())
                    elif text.endswith(".*") or CODE.fullmatch(text) or text in ALONE:
                        found.add(text)
    return frozenset(found)


def documented() -> set[str]:
    return set(re.findall(r"^\| `([^`]+)` \|", ERRORS.read_text(encoding="utf-8"), re.MULTILINE))


def test_the_scan_sees_every_form() -> None:
    found = used()
    assert {"shuffle.challenge", "entry.canonical", "motion.withdrawn", "rules.*", "entry.fork", "turn"} <= found
    assert len(found) > 100


def test_every_code_is_documented() -> None:
    families = {code for code in documented() if code.endswith(".*")}
    assert not {
        code for code in used() - documented() if not any(code.startswith(f[:-1]) for f in families if f != code)
    }


def test_every_documented_code_is_used() -> None:
    assert not documented() - used()


def test_every_code_of_a_deck_stands_in_its_format() -> None:
    described = set(re.findall(r"^\| `([^`]+)` \|", DECK_FORMAT.read_text(encoding="utf-8"), re.MULTILINE))
    faults = set()
    for name in ("deck_check.py", "deck_names.py"):
        for node in ast.walk(ast.parse((PACKAGE / "rules" / name).read_text(encoding="utf-8"))):
            match node:
                case ast.Call(func=ast.Name(id="NameFault") | ast.Attribute(attr="fault" | "warning"), args=[code, *_]):
                    faults.update(_text(code))
    assert len(faults) > 20
    assert faults <= described
