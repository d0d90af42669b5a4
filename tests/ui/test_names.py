"""Names are self-chosen: none may pass for another, for me, or for an order to the terminal."""

from __future__ import annotations

import io

from p2pmatryoshka.ui.scene import distinct
from p2pmatryoshka.ui.screen import Screen


def test_mine_is_you() -> None:
    assert distinct(["Ada", "Boris"], 1) == ("Ada", "You")


def test_alike_names_get_numbers() -> None:
    assert distinct(["Ada", "ada", "Boris"], None) == ("Ada #1", "ada #2", "Boris")


def test_nobody_else_is_called_you() -> None:
    assert distinct(["you", "Ada"], 1) == ("you #1", "You")
    assert distinct(["You", "Ada"], None)[0] == "You #1"


def test_my_own_name_is_no_reason_to_number_another() -> None:
    assert distinct(["Ada", "Ada"], 0) == ("You", "Ada")


def test_control_characters_are_not_printed() -> None:
    assert distinct(["A\x1b[31m", "B"], 1) == ("A?[31m", "You")


def test_markup_in_a_name_is_only_text() -> None:
    out = io.StringIO()
    Screen(out, 80).say("[bold red]Ada[/] :smile:")
    assert out.getvalue() == "[bold red]Ada[/] :smile:\n"
