"""Markdown as plain text: every kind of block, wrapped, and nothing lost."""

import pytest

from vjp_cli.render.pages import render_page, render_topics


def test_headings_paragraphs_and_code() -> None:
    markdown = (
        "# topic: about `it`\n\none **two**\nthree\n\n    code  `stays` **as** is\n      so\n"
    )
    assert render_page(markdown, 80) == (
        "topic: about it\n\n  one two three\n\n    code  `stays` **as** is\n      so\n"
    )


def test_stars_within_code_are_no_marks() -> None:
    assert render_page("`x**2` and `y**2`, **bold `code`**", 80) == (
        "  x**2 and y**2, bold `code`\n"
    )


def test_a_list_has_hanging_lines() -> None:
    assert render_page("- aaa bbb\n  ccc\n- ddd", 13) == "  - aaa bbb\n    ccc\n  - ddd\n"


def test_a_minus_sign_within_an_item_begins_no_other() -> None:
    assert render_page("- a - b\n- c", 80) == "  - a - b\n  - c\n"


def test_code_is_never_broken() -> None:
    assert render_page("see `k @ x` there", 12) == "  see k @ x\n  there\n"
    assert render_page("write double-backward", 12) == "  write\n  double-backward\n"


def test_a_table_has_aligned_columns() -> None:
    markdown = "| a | b |\n|---|---|\n| `x\\|y` | 1 |\n| long | |\n"
    expected = "  a     b\n  ----  -\n  x\\|y  1\n  long\n"
    assert render_page(markdown, 80) == expected


@pytest.mark.parametrize("width", [34, 36])
def test_the_widest_column_is_wrapped(width: int) -> None:
    markdown = "| n | words | c |\n|---|---|---|\n| 1 | aaaaaaaaa bbbbbbbbb ccccccccc | 3 |\n"
    lines = render_page(markdown, width).splitlines()
    assert max(map(len, lines)) <= width
    assert [line.split() for line in lines[2:]] == [
        ["1", "aaaaaaaaa", "bbbbbbbbb", "3"],
        ["ccccccccc"],
    ]


def test_the_list_of_topics() -> None:
    text = render_topics({"one": "about one", "second": "about two"}, 80)
    assert text.startswith("Pages:\n  one     about one\n  second  about two\n")
    assert text.endswith(".\n")
