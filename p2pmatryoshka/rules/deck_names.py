"""What a name on a card may be: readable, unmistakable, and judged alike by every peer.

Characters are judged by the tables of Unicode 3.2, which Python ships unchanged beside its newest ones. So
two peers with different Pythons never disagree about a deck. For those characters case folding and NFKC are
stable.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

LONGEST_NAME = 40  # characters
LONGEST_TITLE = 80  # characters
PUNCTUATION = " '’-.,!?&()/"

# Characters that show nothing or turn the reading order. A fixed list: no Unicode version changes it.
HIDDEN = re.compile(
    "[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f"
    "\u200b-\u200f\u2028-\u202e\u2060-\u206f\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)

_MARKS_AMISS = re.compile(r"^\^|\^{3}")
_ucd = unicodedata.ucd_3_2_0
_EAST = frozenset(("CJK", "HIRAGANA", "KATAKANA", "KATAKANA-HIRAGANA", "BOPOMOFO", "HANGUL", "IDEOGRAPHIC"))
# Letters drawn alike, after Unicode Technical Standard 39, section 4: those a name could be forged with.
_DRAWN_ALIKE = {
    "a": "аαɑ", "c": "с", "d": "ԁ", "e": "е", "g": "ɡ", "h": "һ", "i": "іιı", "j": "ј", "k": "кκ",
    "l": "I1|ІΙ",
    "o": "0оο", "p": "рρ", "s": "ѕ", "u": "υ", "v": "ν", "x": "хχ", "y": "у",
    "A": "АΑ", "B": "ВΒ", "C": "С",
    "E": "ЕΕ", "H": "НΗ", "J": "Ј", "K": "КΚ", "M": "МΜ", "N": "Ν", "O": "ОΟ", "P": "РΡ", "S": "Ѕ", "T": "ТΤ",
    "X": "ХΧ", "Y": "УΥ", "Z": "Ζ",
}  # fmt: skip
_AS_DRAWN = str.maketrans({alike: letter for letter, many in _DRAWN_ALIKE.items() for alike in many})


@dataclass(frozen=True, slots=True)
class NameFault:
    """One thing wrong with a name: a stable code, what is wrong, and how to mend it."""

    code: str
    what: str
    mend: str


def tidy(text: str) -> str:
    """The composed form (NFC): an accent typed apart and an accent typed with its letter are one name."""
    return unicodedata.normalize("NFC", text)


def name_faults(name: str, longest: int = LONGEST_NAME) -> Iterator[NameFault]:
    """Every fault of one tidied name; none for a good one."""
    if not name.strip():
        yield NameFault("name.empty", "a name is missing", "write a name between the quotes")
        return
    if len(name) > longest:
        yield NameFault(
            "name.long", f"{len(name)} characters are too many", f"shorten it to at most {longest} characters"
        )
        return
    strange = next((c for c in name if not _fit_for_a_name(c)), None)
    if strange is not None:
        code = f"U+{ord(strange):04X}"
        yield NameFault(
            "name.character",
            f"the character {code} has no place in a name",
            f"use letters, digits, spaces and {PUNCTUATION.strip()} only",
        )
        return
    plain = unicodedata.normalize("NFKC", name)
    if plain != name:
        yield NameFault("name.form", "it holds a character that only imitates others", f'write "{plain}"')
    tight = " ".join(name.split())
    if name != tight:
        yield NameFault("name.space", "it has a space too many", f'write "{tight}"')
    if not any(_ucd.category(c)[0] in "LN" for c in name):
        yield NameFault("name.letters", "it has no letter", "write a word")
    if _MARKS_AMISS.search("".join("^" if _ucd.category(c)[0] == "M" else "a" for c in name)):
        yield NameFault("name.marks", "marks on no letter, or three in a row", "write plain letters")
    scripts = sorted({_script(c) for c in name if _ucd.category(c)[0] == "L"})
    if len(scripts) > 1:
        found = " and ".join(s.lower() for s in scripts)
        yield NameFault("name.scripts", f"it mixes {found} letters", "write it in one script")


def sounds(name: str) -> str:
    """The name without case, spaces and punctuation: two names with one such form are the same name twice."""
    return "".join(c for c in name.casefold() if _ucd.category(c)[0] in "LNM")


def skeleton(name: str) -> str:
    """What the eye keeps of a name: two names with one skeleton cannot be told apart on a card."""
    drawn = sounds(name.translate(_AS_DRAWN))
    return drawn.replace("rn", "m").replace("vv", "w")


def unaccented(name: str) -> str:
    """The name without accents: two names with one such form are easily confused."""
    apart = unicodedata.normalize("NFD", sounds(name))
    return "".join(c for c in apart if _ucd.category(c)[0] != "M")


def _fit_for_a_name(c: str) -> bool:
    if HIDDEN.match(c):
        return False
    return c in PUNCTUATION or _ucd.category(c) in ("Lu", "Ll", "Lt", "Lm", "Lo", "Mn", "Mc", "Nd")


def _script(letter: str) -> str:
    first = _ucd.name(letter, "unnamed").split(" ")[0]
    return "EAST ASIAN" if first in _EAST else first
