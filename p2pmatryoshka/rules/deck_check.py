"""Explains every fault of a deck file, with its place and a cure. Called through words.check.

The order matters: first what bounds the work (size, lines), then what is no text or no TOML, then the words.
"""

from __future__ import annotations

import re
import tomllib
from difflib import get_close_matches
from typing import Any, Final

from p2pmatryoshka.rules.deck import CARDS, DEPTH, SERIES, Deck, Note, Place, Report
from p2pmatryoshka.rules.deck_links import Links
from p2pmatryoshka.rules.deck_names import (
    HIDDEN,
    LONGEST_NAME,
    LONGEST_TITLE,
    name_faults,
    skeleton,
    sounds,
    tidy,
    unaccented,
)
from p2pmatryoshka.rules.deck_places import Places

LARGEST_FILE: Final = 32 * 1024  # bytes
LONGEST_LINE: Final = 1000  # characters; bounds the reader's work on dotted keys
MOST_NOTES: Final = 50  # faults, and warnings, that one report lists
KEYS: Final = ("title", "language", "series", "inside")

_LANGUAGE = re.compile(r"[a-z]{2,3}(-[A-Za-z0-9]{2,8}){0,3}\Z")
_AT_LINE = re.compile(r"at line (\d+)")


def report(content: bytes) -> Report:
    """See words.check."""
    checker = _Checker()
    deck = checker.deck(content)
    return Report(deck, tuple(checker.faults), tuple(checker.warnings))


class _Checker:
    """One file's notes, collected on the way. Every method goes on as far as it usefully can."""

    def __init__(self) -> None:
        self.faults: list[Note] = []
        self.warnings: list[Note] = []
        self.places = Places("")
        self.where: dict[str, tuple[int, int]] = {}  # name -> series, item (0-based), of its first mention
        self.spoken: dict[str, str] = {}  # by their sound, their drawing, and without accents: the first such name
        self.drawn: dict[str, str] = {}
        self.bare: dict[str, str] = {}
        self.flat: dict[tuple[int, int], int] = {}  # series, item -> how many strings stand before it

    def deck(self, content: bytes) -> Deck | None:
        text = self.text(content)
        if text is None:
            return None
        try:
            data = tomllib.loads(text)
        except RecursionError:
            self.fault("deep", Place(), "brackets are nested too deep", "a deck needs lists of lists, no more")
            return None
        except ValueError as error:  # TOMLDecodeError is one; a number out of range another
            found = _AT_LINE.search(str(error))
            line = int(found[1]) if found else text.count("\n") + 1
            said = re.sub(r" \(at .*", "", str(error))[:100].splitlines()[0]
            self.fault("toml", Place(line), f"this is not TOML ({said})", "look for a missing quote or bracket")
            return None
        self.places = Places(text)
        return self.content(data)

    def text(self, content: bytes) -> str | None:
        if len(content) > LARGEST_FILE:
            self.fault("size", Place(), f"{len(content)} bytes are too many", f"keep within {LARGEST_FILE} bytes")
            return None
        try:
            text = content.decode("utf-8-sig").replace("\r\n", "\n")
        except UnicodeDecodeError as error:
            line = content.count(b"\n", 0, error.start) + 1
            self.fault("encoding", Place(line), "this is not UTF-8 text", "save the file as UTF-8")
            return None
        for number, line_text in enumerate(text.split("\n"), 1):
            hidden = HIDDEN.search(line_text)
            if hidden:
                what = f"there is an invisible or control character, U+{ord(hidden[0]):04X}"
                self.fault("character", Place(number), what, "delete it or type the line anew")
            if len(line_text) > LONGEST_LINE:
                what = f"{len(line_text)} characters are too many for a line"
                self.fault("line", Place(number), what, "break the list: a line may end after any comma")
        return None if self.faults else text

    def content(self, data: dict[str, Any]) -> Deck | None:
        for key in data:
            if key not in KEYS and len(self.faults) < MOST_NOTES:
                near = get_close_matches(key[:LONGEST_NAME], KEYS, 1)
                mend = f'write "{near[0]}"' if near else f"only {', '.join(KEYS)} are known"
                self.fault("key", self.at_key(key), f"the key {_quoted(key)} is unknown", mend)
        title = self.title(data)
        language = self.language(data)
        names = self.names(data)
        links = self.links(data, names)
        if self.faults:
            return None
        deck = Deck(title, language, tuple(names), links)
        self.few_places(deck)
        return deck

    def title(self, data: dict[str, Any]) -> str:
        if not isinstance(data.get("title"), str):
            self.fault("title", self.at_key("title"), "the title is missing", 'write title = "..." at the top')
            return ""
        title = tidy(data["title"])
        for found in name_faults(title, LONGEST_TITLE):
            self.fault("title", self.at_key("title"), f"the title: {found.what}", found.mend)
        return title

    def language(self, data: dict[str, Any]) -> str:
        language = data.get("language")
        if not isinstance(language, str) or not _LANGUAGE.match(language):
            what = "the language of the words is missing or no language tag"
            self.fault("language", self.at_key("language"), what, 'write for example language = "en" or "pt-BR"')
            return ""
        return language

    def names(self, data: dict[str, Any]) -> list[str]:
        """All names that are strings, in order: by card index if there is no fault."""
        series = data.get("series")
        if not isinstance(series, list) or not all(isinstance(one, list) for one in series):
            what = "series is missing or not a list of lists"
            self.fault("series", self.at_key("series"), what, f"write {SERIES} lists of {DEPTH} names each")
            return []
        if len(series) != SERIES:
            mend = f"a deck has exactly {SERIES}"
            self.fault("series.number", self.at_key("series"), f"there are {len(series)} series", mend)
        names: list[str] = []
        strings = 0
        for n, one in enumerate(series[: 2 * SERIES]):
            for m, name in enumerate(one):
                self.flat[n, m] = strings
                strings += isinstance(name, str)
            if len(one) != DEPTH:
                what = f"a series of {len(one)} things"
                self.fault(
                    "series.length",
                    self.at_item(n, 0, one),
                    what,
                    f"write exactly {DEPTH}, the largest first",
                )
            for m, name in enumerate(one[: 2 * DEPTH]):
                if isinstance(name, str):
                    names.append(tidy(name))
                    self.name(names[-1], n, m, self.at_item(n, m, one))
                else:
                    mend = "put the name between quotes"
                    self.fault("name.kind", self.at_item(n, m, one), "this is not a text", mend)
        return names

    def name(self, name: str, n: int, m: int, place: Place) -> None:
        found = list(name_faults(name))
        for fault in found:
            self.fault(fault.code, place, f"{_quoted(name)}: {fault.what}", fault.mend, name)
        if found:
            return
        if name in self.where:
            first = Place(None, self.where[name][0] + 1, self.where[name][1] + 1)
            self.fault("name.doubled", place, f'"{name}" is already {first}', "choose another thing", name)
            return
        self.twins(name, place)
        self.where[name] = (n, m)

    def twins(self, name: str, place: Place) -> None:
        """Say if the name cannot be told from an earlier one."""
        same = self.spoken.setdefault(sounds(name), name)
        alike = self.drawn.setdefault(skeleton(name), name)
        near = self.bare.setdefault(unaccented(name), name)
        if same != name:
            what = f'"{name}" and "{same}" are the same name'
            self.fault("name.doubled", place, what, "choose another thing", name, same)
        elif alike != name:
            what = f'"{name}" and "{alike}" look alike'
            self.fault("name.alike", place, what, "type one of them anew or choose another", name, alike)
        elif near != name:
            what = f'"{name}" and "{near}" differ in accents only'
            self.warning("name.accents", place, what, "another name is easier to tell apart", name, near)

    def links(self, data: dict[str, Any], names: list[str]) -> tuple[tuple[int, int], ...]:
        inside = data.get("inside", {})
        if not isinstance(inside, dict):
            mend = 'write [inside], then lines like "thing" = ["what holds it"]'
            self.fault("inside", self.at_key("inside"), "inside is not a table", mend)
            return ()
        index = {name: card for card, name in reversed(list(enumerate(names)))}
        links = Links(len(names))
        for start in self.starts(len(names), names):
            links.add(start + 1, start)
        found: dict[tuple[int, int], None] = {}
        for key, outers in inside.items():
            inner = tidy(key)
            here = Place(self.places.of_link(key))
            self.known(inner, index, here)
            if not isinstance(outers, list) or not all(isinstance(outer, str) for outer in outers):
                mend = f'write {_quoted(inner)} = ["what holds it", "and what else"]'
                self.fault("link.kind", here, f"what holds {_quoted(inner)} is not a list of names", mend)
                continue
            for written in outers:
                outer = tidy(written)
                place = Place(self.places.of_link(key, written))
                if not self.known(outer, index, place) or inner not in index:
                    continue
                link = index[inner], index[outer]
                if link in found:
                    what = f'"{inner}" inside "{outer}" is written twice'
                    self.warning("link.doubled", place, what, "delete one", inner, outer)
                elif not links.add(*link):
                    self.cycle(place, [names[card] for card in links.path(*link)])
                found[link] = None
                if len(self.faults) >= MOST_NOTES:
                    return ()
        return tuple(found)

    def starts(self, count: int, names: list[str]) -> list[int]:
        """Cards followed by the next smaller one of their series, as far as the names are in order."""
        places = [self.where.get(name, (-1, -1)) for name in names]
        return [
            card
            for card in range(count - 1)
            if places[card][0] >= 0 and places[card + 1] == (places[card][0], places[card][1] + 1)
        ]

    def known(self, name: str, index: dict[str, int], place: Place) -> bool:
        if name in index:
            return True
        if len(self.faults) < MOST_NOTES:
            near = get_close_matches(name[:LONGEST_NAME], list(index)[: 2 * CARDS], 1)
            mend = f'did you mean "{near[0]}"?' if near else "use a name from the series"
            self.fault("link.unknown", place, f"no series has {_quoted(name)}", mend, name)
        return False

    def cycle(self, place: Place, path: list[str]) -> None:
        what = "a thing would lie inside itself: " + " inside ".join(f'"{name}"' for name in path)
        self.fault("link.cycle", place, what, "remove one of these links", *path)

    def few_places(self, deck: Deck) -> None:
        for card, name in enumerate(deck.names):
            if card % DEPTH and len(deck.fits(card)) < 2:
                n, m = divmod(card, DEPTH)
                place = Place(self.places.of_name(card, name), n + 1, m + 1)
                mend = "link it to something in another series"
                self.warning("few", place, f'"{name}" fits in one series only', mend, name)

    def at_key(self, key: str) -> Place:
        return Place(self.places.of_key(key))

    def at_item(self, n: int, m: int, series: list[Any]) -> Place:
        written = series[m] if m < len(series) else None
        line = self.places.of_name(self.flat[n, m], written) if isinstance(written, str) else None
        return Place(line, n + 1, m + 1)

    def fault(self, code: str, place: Place, what: str, mend: str, *about: str) -> None:
        if len(self.faults) < MOST_NOTES:
            self.faults.append(Note(code, place, what, mend, tuple(map(_safe, about))))

    def warning(self, code: str, place: Place, what: str, mend: str, *about: str) -> None:
        if len(self.warnings) < MOST_NOTES:
            self.warnings.append(Note(code, place, what, mend, tuple(map(_safe, about))))


def _safe(name: str) -> str:
    """A name from the file, made short and safe for a terminal."""
    shown = "".join(c if c.isprintable() else "?" for c in name[:LONGEST_NAME])
    return shown + ("..." if len(name) > LONGEST_NAME else "")


def _quoted(name: str) -> str:
    return f'"{_safe(name)}"'
