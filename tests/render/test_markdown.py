"""Markdown: user text is shown, and never acts."""

import re
from dataclasses import replace

import pytest

from tests.render import reports
from vjp_cli.render import View, render
from vjp_cli.render.markdown import code
from vjp_cli.settings import Format


def markdown(report, full=False):
    return render(report, Format.MARKDOWN, View(full=full))


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("x*y", "`x*y`"),
        ("a`b", "``a`b``"),
        ("`a``", "``` `a`` ```"),
        ("a\x1b[31m\u202e", r"`a\x1b[31m\u{202e}`"),
    ],
)
def test_code_is_longer_than_its_backticks(text, written):
    assert code(text) == written


def test_every_row_of_a_table_has_the_same_cells():
    for name, make in reports.REPORTS.items():
        for table in re.findall(r"(?:^\|.*\|\n)+", markdown(make()), re.MULTILINE):
            widths = {len(re.findall(r"(?<!\\)\|", row)) for row in table.splitlines()}
            assert len(widths) == 1, (name, table)


def test_the_numbers_of_the_example():
    text = markdown(reports.example())
    assert "| `y[1]` | · | 16 | · |" in text
    assert "| `x[0]` | 1.2 | 1.2 | 0 |" in text
    assert text.startswith("# ok: `y = 2*(x + 2)**2`\n")


def test_a_note_is_text():
    report = replace(reports.example(), notes=("<script>alert(1)</script> [a](b) **c** | `d`",))
    assert r"\<script\>alert(1)\</script\> \[a\](b) \*\*c\*\* \| \`d\`" in markdown(report)


def test_a_wide_table_is_cut_and_says_so():
    text = markdown(reports.wide(30))
    assert "19 columns not shown" in text
    # a column of J has its name in the header; vᵀJ has a row for each element
    assert "| `x[28]` | `x[29]` |" not in text
    assert "| `x[28]` | `x[29]` |" in markdown(reports.wide(30), full=True)
