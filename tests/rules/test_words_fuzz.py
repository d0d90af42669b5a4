"""Hostile deck files: a report within bounded time, never a crash, and a deck only if it is sound."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from p2pmatryoshka.errors import Illegal
from p2pmatryoshka.rules import words
from tests.rules.matrioske_tables import deck

GOOD = deck(B3="A2", C1="B4 D3", E2="A1 B1 C0")
BOUND = 5.0  # seconds: far above what is needed, far below what a quadratic reader would take


def judge(content: bytes) -> words.Report:
    """Check a file and whatever must hold for any."""
    started = time.process_time()
    report = words.check(content)
    assert time.process_time() - started < BOUND
    assert (report.deck is None) == bool(report.faults)
    assert len(report.faults) <= 50
    assert len(report.warnings) <= 50
    for note in (*report.faults, *report.warnings):
        assert len(str(note)) < 5000
        assert str(note).isprintable()
    if report.deck is not None:
        sound(report.deck)
    return report


def sound(deck_read: words.Deck) -> None:
    """48 different printable names, and no thing inside itself."""
    assert len(set(deck_read.names)) == 48
    assert all(name.isprintable() and 0 < len(name) <= 40 for name in deck_read.names)
    assert not any(deck_read.holds(card, card) for card in range(48))
    assert all(deck_read.holds(card - 1, card) for card in range(48) if card % 6)


@settings(deadline=None)
@given(st.binary(max_size=400))
def test_arbitrary_bytes(content: bytes) -> None:
    assert judge(content).deck is None


@settings(deadline=None)
@given(st.text(max_size=200))
def test_arbitrary_text(text: str) -> None:
    assert judge(text.encode("utf-8", "surrogatepass")).deck is None


@settings(deadline=None)
@given(st.text(alphabet="[]{}=\",.'\n#\\ ab1_-", max_size=300))
def test_things_that_look_like_toml(text: str) -> None:
    judge(text.encode())


@settings(max_examples=60, deadline=None)
@given(st.integers(0, len(GOOD) - 1), st.integers(0, 30), st.binary(max_size=8))
def test_a_good_file_with_bytes_changed(start: int, length: int, put: bytes) -> None:
    judge(GOOD[:start] + put + GOOD[start + length :])


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=45))
def test_any_text_as_a_name(name: str) -> None:
    quoted = (
        '"' + "".join(c if c.isalnum() else f"\\U{ord(c):08X}" for c in name if not 0xD800 <= ord(c) < 0xE000) + '"'
    )
    judge(GOOD.replace(b'"H5"', quoted.encode()))


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 47), st.integers(0, 47)), max_size=60))
def test_any_links_either_make_a_cycle_or_a_sound_deck(links: list[tuple[int, int]]) -> None:
    def name(card: int) -> str:
        return f"{'ABCDEFGH'[card // 6]}{card % 6}"

    inside: dict[str, str] = {}
    for inner, outer in links:
        inside[name(inner)] = f"{inside.get(name(inner), '')} {name(outer)}"
    report = judge(deck(**inside))
    assert {note.code for note in report.faults} <= {"link.cycle"}
    if report.deck is None:
        for note in report.faults:
            assert note.about[0] == note.about[-1]


HEAD = 'title = "x"\nlanguage = "en"\n'
SERIES = GOOD.decode().split("[inside]")[0]
HOSTILE = {
    "brackets": "a=" + "[\n" * 16000,
    "dots": "\n".join(".".join(["a"] * 499) + f".b{n}=1" for n in range(32)),
    "one dotted line": ".".join("a" * 16000) + "=1",
    "headers": "\n".join("[" + ".".join([f"a{n}"] * 190) + "]" for n in range(32)),
    "header and keys": "[" + ".".join(["a"] * 490) + "]\n" + "\n".join(f"k{n}=1" for n in range(4500)),
    "many keys": "\n".join(f"k{n}=1" for n in range(4000)),
    "many names": HEAD + "series=[[" + "\n".join(f'"{n}",' for n in range(4000)) + "]]",
    "many series": HEAD + "series=[" + "[],\n" * 8000 + "]",
    "unknown links": SERIES + "[inside]\n" + "\n".join(f'"abcdefgh{n}"=["zyxwvut{n}"]' for n in range(900)),
    "doubled links": SERIES + '[inside]\n"B3" = [\n' + '"A2",\n' * 4500 + "]",
    "cycles": SERIES + "[inside]\n" + "\n".join(f'"{a}0"=["A5","B5","C5","D5","E5"]' for a in "ABCDEFGH"),
    "quotes": SERIES + "[inside]\n" + '""=[]\n"" = """' + '\\"' * 14000,
    "escapes": HEAD + 'series=["""' + "\\\n" * 15000 + '"""]',
    "comments": SERIES + "#\n" * 15000,
    "numbers": "a=" + "9" * 990 + "\nb=1e" + "9" * 900 + "\nc=0x" + "f" * 900,
    "dates": "a=9999-99-99\n",
    "nothing": "",
    "nul": "\0" * 32768,
    "large": "x" * 10**6,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_file_is_refused_in_bounded_time(name: str) -> None:
    report = judge(HOSTILE[name].encode())
    if name not in ("doubled links", "comments"):
        assert report.faults
        with pytest.raises(Illegal, match=r"^deck\."):
            words.parse(HOSTILE[name].encode())
