"""Who is awaited, away, voted on, gone, or proven to cheat: each in its own words."""

from __future__ import annotations

from dataclasses import replace

import pytest

from p2pmatryoshka.table.step import Fill
from p2pmatryoshka.table.table import Accusation
from p2pmatryoshka.ui.company import Company, OpenVote, awaited, away, meaning, notices
from p2pmatryoshka.ui.screen import plain
from p2pmatryoshka.ui.terminal import LONG, idle_prompt
from tests.ui import snapshot

NAMES = ("You", "Boris", "Clio", "Dora", "Emil")
QUIET = Company(bytes(range(32)), NAMES, 0, (0, 1, 2, 3, 4), "turn", (1,))
CHEAT = Accusation(4, "shuffle.challenge", "the proof does not fit the statement", 12, ())


def test_a_table_with_every_kind_of_trouble() -> None:
    company = replace(
        QUIET,
        still_in=(0, 1, 2),
        kind="commit",
        awaited=(0, 1),
        away=((1, 75), (2, 400)),
        votes=(OpenVote((1,), (0,), (2,)),),
        gone=((3, Fill.REMOVED), (4, Fill.FORFEIT)),
        accused=(CHEAT,),
    )
    snapshot.check("company_in_trouble", [*away(company), *awaited(company), *notices(company)])


def test_a_quiet_table_has_nothing_to_tell() -> None:
    assert notices(QUIET) == []
    assert away(QUIET) == []


@pytest.mark.parametrize("fill", [Fill.LEFT, Fill.REMOVED])
def test_whoever_left_or_was_put_out_is_never_called_a_cheat(fill: Fill) -> None:
    said = plain(notices(replace(QUIET, gone=((3, fill),)))).casefold()
    assert "dora" in said
    assert "cheat" not in said
    assert "accus" not in said
    assert "evidence" not in said


def test_a_cheat_is_named_once_with_rule_step_and_words() -> None:
    said = plain(notices(replace(QUIET, gone=((4, Fill.FORFEIT),), accused=(CHEAT,))), 400)
    assert said.count("Emil") == 1
    for part in ("proven to cheat", "step 12", "shuffle.challenge", meaning("shuffle.challenge"), "000102030405"):
        assert part in said


def test_every_rule_has_words_known_or_not() -> None:
    assert meaning("seal.result") != meaning("novel.rule") == meaning("")


@pytest.mark.parametrize(
    ("company", "prompt"),
    [
        (QUIET, ""),
        (replace(QUIET, open_for=int(LONG)), "Waiting for Boris: a card. ? for help > "),
        (replace(QUIET, away=((1, 4),)), "Waiting for Boris: a card. ? for help > "),
        (replace(QUIET, away=((1, 0),)), ""),  # links still come up
        (replace(QUIET, away=((2, 60),)), ""),  # nobody waits for Clio
        (replace(QUIET, awaited=(0,), open_for=99), ""),  # only I am awaited
        (
            replace(QUIET, returning=True, away=((1, 0), (3, 0))),
            "Waiting for Boris and Dora before anything is signed. ? for help > ",
        ),
        (
            replace(QUIET, returning=True),
            "Waiting for Boris, Clio, Dora and Emil before anything is signed. ? for help > ",
        ),
    ],
)
def test_whoever_waits_long_has_a_prompt_that_says_for_whom(company: Company, prompt: str) -> None:
    assert idle_prompt(company, None) == prompt


def test_an_open_vote_is_the_prompt() -> None:
    assert idle_prompt(QUIET, (bytes(32), (1, 3))) == "Go on without Boris and Dora? yes or no: "
