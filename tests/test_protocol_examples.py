"""Every example in protocol/*.md is what the code computes, and the documents lead to each other."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.protocol_examples import BLOCK, EXAMPLES, SPECIFICATION, text

DOCUMENTS = sorted(SPECIFICATION.glob("*.md"))
BLOCKS = {match[1]: match[2] for path in DOCUMENTS for match in BLOCK.finditer(path.read_text(encoding="utf-8"))}


@pytest.mark.parametrize("name", sorted(BLOCKS))
def test_example(name: str) -> None:
    assert BLOCKS[name] == text(name), "run: python -m tests.protocol_examples"


def test_every_example_is_shown() -> None:
    assert BLOCKS.keys() == EXAMPLES.keys() | {"steps"}


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_links_lead_somewhere(path: Path) -> None:
    for target, _, anchor in re.findall(r"\]\(([^)#\s]*)(#?)([^)\s]*)\)", path.read_text(encoding="utf-8")):
        if target.startswith("http"):
            continue
        other = path.parent / target if target else path
        assert other.is_file(), f"{path.name} leads to {target}"
        headings = re.findall(r"^#+ (.+)$", other.read_text(encoding="utf-8"), re.MULTILINE)
        assert not anchor or anchor in {re.sub(r"[^a-z0-9 -]", "", h.lower()).replace(" ", "-") for h in headings}
