"""Every fault that a deck file can have is explained with its place and a cure."""

from __future__ import annotations

from pathlib import Path

import pytest

from p2pmatryoshka.errors import Illegal
from p2pmatryoshka.rules import words
from tests.rules.matrioske_tables import deck

GOOD = deck(B3="A2", C1="B4 D3").decode()
# Lines of GOOD: 1 title, 2 language, 3 series, 4 to 11 the series A to H, 12 ], 13 [inside], 14 B3, 15 C1.


def notes(text: str | bytes) -> list[words.Note]:
    """The faults of a file that has some."""
    report = words.check(text if isinstance(text, bytes) else text.encode())
    assert report.faults
    assert report.deck is None
    return list(report.faults)


def only(text: str | bytes) -> words.Note:
    """The one fault of a file."""
    found = notes(text)
    assert len(found) == 1, [str(note) for note in found]
    return found[0]


def changed(old: str, new: str) -> str:
    """GOOD with one thing changed."""
    assert GOOD.count(old) == 1 or old in ('"A1"', '"B3"', '"D3"')
    return GOOD.replace(old, new, 1)


def test_a_good_deck_has_no_fault() -> None:
    report = words.check(GOOD.encode())
    assert report.faults == ()
    assert report.deck == words.parse(GOOD.encode())


# code, file, line, series, item, said in what or mend
CASES = [
    ("title", GOOD.replace('title = "Plain"', ""), None, None, None, 'title = "..."'),
    ("title", changed('"Plain"', "7"), 1, None, None, "missing"),
    ("title", changed('"Plain"', '" "'), 1, None, None, "missing"),
    ("title", changed('"Plain"', f'"{"x" * 81}"'), 1, None, None, "80"),
    ("language", GOOD.replace('language = "en"', ""), None, None, None, "language"),
    ("language", changed('"en"', '"English please"'), 2, None, None, "pt-BR"),
    ("key", 'titel = "x"\n' + GOOD, 1, None, None, 'write "title"'),
    ("key", GOOD + "[zebra]\n", None, None, None, "zebra"),
    ("series.number", GOOD.replace('["H0", "H1", "H2", "H3", "H4", "H5"]', ""), 3, None, None, "7 series"),
    ("series.length", changed(', "H5"', ""), 11, 8, 1, "series of 5"),
    ("series.length", changed('"H5"', '"H5", "H6"'), 11, 8, 1, "series of 7"),
    ("name.empty", changed('"H5"', '""'), 11, 8, 6, "missing"),
    ("name.empty", changed('"H5"', '"   "'), 11, 8, 6, "missing"),
    ("name.kind", changed('"H5"', "5"), None, 8, 6, "quotes"),
    ("name.kind", changed('"H5"', '["H5"]'), None, 8, 6, "quotes"),
    ("name.long", changed('"H5"', f'"{"z" * 41}"'), 11, 8, 6, "40"),
    ("name.space", changed('"H5"', '" H5"'), 11, 8, 6, 'write "H5"'),
    ("name.space", changed('"H5"', '"H  5"'), 11, 8, 6, 'write "H 5"'),
    ("name.letters", changed('"H5"', '"?!"'), 11, 8, 6, "letter"),
    ("name.character", changed('"H5"', '"H\\u0007"'), 11, 8, 6, "U+0007"),
    ("name.character", changed('"H5"', '"H\\u200B5"'), 11, 8, 6, "U+200B"),
    ("name.character", changed('"H5"', '"H\\u202E5"'), 11, 8, 6, "U+202E"),
    ("name.character", changed('"H5"', '"H\\u3164"'), 11, 8, 6, "U+3164"),
    ("name.character", changed('"H5"', '"<b>"'), 11, 8, 6, "U+003C"),
    ("name.character", changed('"H5"', '"H\U0001f3b2"'), 11, 8, 6, "U+1F3B2"),
    ("name.form", changed('"H5"', '"\uff28\uff15"'), 11, 8, 6, 'write "H5"'),
    ("name.form", changed('"H5"', '"o\ufb03ce"'), 11, 8, 6, 'write "office"'),
    ("name.marks", changed('"H5"', '"h\u0323\u0330\u0331\u0332"'), 11, 8, 6, "marks"),
    ("name.scripts", changed('"H5"', '"whаle"'), 11, 8, 6, "cyrillic and latin"),
    ("name.scripts", changed('"H5"', '"οcean"'), 11, 8, 6, "greek and latin"),
    ("name.doubled", changed('"H5"', '"B3"'), 11, 8, 6, "series 2, item 4"),
    ("name.doubled", changed('"H5"', '"b-3"'), 11, 8, 6, "same name"),
    ("name.doubled", changed('"H5"', '"h4"'), 11, 8, 6, "same name"),
    ("name.alike", changed('"A0", "A1"', '"oce", "осе"'), 4, 1, 2, "look alike"),
    ("name.alike", changed('"A0", "A1"', '"Ice", "lce"'), 4, 1, 2, "look alike"),
    ("name.alike", changed('"A0", "A1"', '"modem", "modern"'), 4, 1, 2, "look alike"),
    ("name.alike", changed('"A1"', '"AI"').replace('"A2"', '"Al"', 1).replace('"A2"', '"Al"'), None, 1, 3, "alike"),
    ("series", 'title = "x"\nlanguage = "en"\nseries = 3', 3, None, None, "8 lists"),
    ("series", 'title = "x"\nlanguage = "en"\nseries = ["A", "B"]', 3, None, None, "8 lists"),
    ("inside", GOOD.split("[inside]")[0].replace("series", "inside = 3\nseries"), 3, None, None, "[inside]"),
    ("link.kind", changed('"B3" = ["A2"]', '"B3" = "A2"'), 14, None, None, "not a list"),
    ("link.kind", changed('"B3" = ["A2"]', '"B3" = [2]'), 14, None, None, "not a list"),
    ("link.unknown", changed('["A2"]', '["A2x"]'), 14, None, None, 'did you mean "A2"?'),
    ("link.unknown", changed('"B3" = ["A2"]', '"qqqq" = ["A2"]'), 14, None, None, "name from the series"),
    ("link.cycle", changed('"B3" = ["A2"]', '"B3" = ["B3"]'), 14, None, None, '"B3" inside "B3"'),
    ("link.cycle", changed('"B3" = ["A2"]', '"B3" = ["B4"]'), 14, None, None, '"B3" inside "B4" inside "B3"'),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case[0])
def test_a_fault_has_its_code_place_and_cure(
    case: tuple[str, str, int | None, int | None, int | None, str],
) -> None:
    code, text, line, series, item, said = case
    fault = next(note for note in notes(text) if note.code == code)
    assert (fault.place.series, fault.place.item) == (series, item)
    if line is not None:
        assert fault.place.line == line
    assert said in str(fault)
    assert fault.what
    assert fault.mend
    with pytest.raises(Illegal, match=r"^deck\."):
        words.parse(text.encode())


def test_a_single_mistake_is_a_single_fault() -> None:
    for old, new in (('"H5"', '"B3"'), ('"H5"', '""'), ('["A2"]', '["Q"]'), (', "H5"', ""), ('"en"', '"?"')):
        only(changed(old, new))


def test_a_cycle_is_shown_as_a_path_through_series_and_links() -> None:
    fault = only(deck(B3="A4", A2="C4", C1="B5"))
    assert fault.code == "link.cycle"
    assert fault.about[0] == fault.about[-1]
    steps = list(zip(fault.about, fault.about[1:], strict=False))
    assert fault.what.endswith(" inside ".join(f'"{name}"' for name in fault.about))
    links = {("B3", "A4"), ("A2", "C4"), ("C1", "B5")}
    assert all((a, b) in links or (a[0] == b[0] and int(a[1]) == int(b[1]) + 1) for a, b in steps)
    assert links <= set(steps)


def test_every_link_that_closes_a_cycle_is_named() -> None:
    found = notes(deck(B1="B2", C1="C2 C3"))
    assert [note.code for note in found] == ["link.cycle"] * 3


def test_several_faults_are_all_listed_in_order() -> None:
    text = changed('"en"', '"?"').replace('"C2"', '""').replace('["A2"]', '["A7"]')
    assert [note.code for note in notes(text)] == ["language", "name.empty", "link.unknown"]


def test_what_is_not_utf8_says_on_which_line() -> None:
    fault = only(GOOD.replace("D4", "D\xe9").encode("latin-1"))
    assert (fault.code, fault.place.line) == ("encoding", 7)


def test_what_is_not_toml_says_on_which_line() -> None:
    fault = only(changed('"C1", "C2"', '"C1" "C2"'))
    assert (fault.code, fault.place.line) == ("toml", 6)
    assert only(GOOD + '"B3" = ["A1"]').code == "toml"  # a key written twice
    assert only(GOOD.split("]")[0]).place.line == 4


def test_too_large_a_file_is_not_read() -> None:
    assert only(GOOD + "#" * 32768).code == "size"
    assert words.check((GOOD + "#\n" * ((32768 - len(GOOD)) // 2)).encode()).faults == ()


def test_too_long_a_line_is_refused() -> None:
    assert only(GOOD + "#" + "x" * 1000).code == "line"


@pytest.mark.parametrize("opening", ["[\n", "{a=", '[["x",\n', "[\n{a=["])
def test_deep_nesting_is_refused(opening: str) -> None:
    text = f'title = "x"\nlanguage = "en"\nseries = {opening * (32000 // len(opening))}'
    assert {note.code for note in notes(text)} <= {"deep", "toml", "line"}


def test_deep_but_whole_nesting_is_refused_too() -> None:
    text = GOOD.replace('"H5"', "[\n" * 8000 + "]\n" * 8000)
    assert [note.code for note in notes(text)] == ["deep"]


@pytest.mark.parametrize("hidden", ["\u200b", "\u202e", "\u2066", "\ufeff", "\x00", "\x1b", "\x85", "\u2028", "\u00ad"])
def test_hidden_characters_are_refused_even_in_comments(hidden: str) -> None:
    fault = notes(GOOD + f"# a{hidden}b\n")[0]
    assert (fault.code, fault.place.line) == ("character", 16)
    assert f"U+{ord(hidden):04X}" in fault.what


def test_a_byte_order_mark_and_windows_line_ends_are_no_fault() -> None:
    plain = words.check(GOOD.encode()).deck
    assert words.check(b"\xef\xbb\xbf" + GOOD.encode()).deck == plain
    assert words.check(GOOD.replace("\n", "\r\n").encode()).deck == plain


def test_accents_typed_apart_are_the_same_name() -> None:
    apart, whole = "cafe\u0301", "caf\u00e9"
    text = changed('"H5"', f'"{apart}"').replace('["A2"]', f'["{whole}"]').replace('"B3" =', '"A4" =')
    deck_read = words.check(text.encode()).deck
    assert deck_read is not None
    assert deck_read.names[47] == whole
    assert deck_read.links[0] == (4, 47)
    assert words.parse(changed('"Plain"', f'"{apart}"').encode()).title == whole


@pytest.mark.parametrize(
    "name", ["l'été", "Straße", "naïf", "яблоко", "μήλο", "りんごの木", "사과", "תפוח", "سمك", "a 2nd-hand hat"]
)
def test_names_of_many_languages_are_good(name: str) -> None:
    assert words.check(changed('"H5"', f'"{name}"').encode()).faults == ()


def test_a_thing_that_fits_in_one_series_only_is_a_warning_with_its_place() -> None:
    report = words.check(GOOD.encode())
    few = {note.about[0]: note for note in report.warnings if note.code == "few"}
    assert "B3" not in few  # inside A2 as well
    assert "B4" not in few  # inside B3, so inside A2
    assert "B2" in few
    assert "B0" not in few  # the largest lie on the table
    assert (few["D2"].place.line, few["D2"].place.series, few["D2"].place.item) == (7, 4, 3)


def test_accents_only_and_doubled_links_are_warnings() -> None:
    codes = [note.code for note in words.check(changed('"A0", "A1"', '"papa", "papà"').encode()).warnings]
    assert "name.accents" in codes
    doubled = words.check(deck(B3="A2 A2"))
    assert doubled.deck is not None
    assert doubled.deck.links == ((9, 2),)
    assert [note.code for note in doubled.warnings if note.code != "few"] == ["link.doubled"]


def test_a_report_lists_at_most_fifty_faults() -> None:
    links = "\n".join(f'"zz{n}" = ["yy{n}"]' for n in range(200))
    assert len(notes(GOOD + links)) == 50


def test_what_a_report_says_is_safe_to_print() -> None:
    for text in (GOOD + '"\\u001b[31m" = ["\\u202E"]', changed('"H5"', '"\\u001b[2J"'), '"\\u001b" = 1\n' + GOOD):
        for note in notes(text):
            assert str(note).isprintable()


def test_the_format_document_explains_every_code() -> None:
    document = (Path(__file__).parents[2] / "protocol" / "deck-format.md").read_text()
    for code in {case[0] for case in CASES} | {"size", "encoding", "line", "character", "toml", "deep"}:
        assert f"`{code}`" in document
    for code in ("few", "name.accents", "link.doubled"):
        assert f"`{code}`" in document
