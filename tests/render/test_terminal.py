import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.render import reports
from vjp_cli.render import View, render
from vjp_cli.render.formats import FORMATS
from vjp_cli.render.numbers import short
from vjp_cli.report import Array, Finding, FormulaGroup, Output, Symbolic, Verdict
from vjp_cli.settings import Format

SNAPSHOTS = Path(__file__).parents[1] / "snapshots"
PIPE = 10**6


def shown(report, **view):
    text = render(report, Format.TABLE, View(**view))
    assert text.endswith("\n")
    return text


@pytest.mark.parametrize(
    ("name", "view"),
    [
        ("example.80", {}),
        ("example.200", {"width": 200}),
        ("example.ascii", {"unicode": False}),
        ("example.color", {"color": True}),
        ("two_inputs.80", {}),
        ("two_inputs.200", {"width": 200}),
        ("no_v.80", {}),
        ("findings.80", {}),
        ("wide30.80", {}),
        ("wide30.full", {"full": True}),
        ("wide1000.80", {}),
        ("empty.80", {}),
        ("scalar.80", {}),
    ],
)
def test_snapshot(name, view):
    expected = (SNAPSHOTS / f"{name}.txt").read_text(encoding="utf-8")

    assert shown(reports.REPORTS[name.partition(".")[0]](), **view) == expected


def test_every_format_has_a_renderer():
    assert set(FORMATS) == set(Format)


def test_denominator_layout_says_so():
    report = reports.example()
    text = shown(replace(report, problem=replace(report.problem, layout="denominator")))

    assert "denominator layout, Jᵀ[j,i]" in text
    assert re.search(r"^Jᵀ +│ y\[0\]  y\[1\]  y\[2\] .* Jᵀv", text, re.MULTILINE)


@pytest.mark.parametrize("name", reports.REPORTS)
@pytest.mark.parametrize("width", [-3, 0, 20, 40, 80, 200, PIPE])
def test_lines_fit_the_width(name, width):
    text = shown(reports.REPORTS[name](), width=width)

    # below 40 a single column may need more than there is, and is shown all the same
    if width >= 40:
        assert max(map(len, text.splitlines())) <= width
    assert all(line == line.rstrip() for line in text.splitlines())


@pytest.mark.parametrize("name", reports.REPORTS)
def test_no_colour_unless_asked_for(name):
    assert "\x1b" not in shown(reports.REPORTS[name]())


@pytest.mark.parametrize("name", reports.REPORTS)
def test_colour_is_never_the_only_sign(name):
    coloured = shown(reports.REPORTS[name](), color=True)

    assert "\x1b[" in coloured
    plain = re.sub(r"\x1b\[[\d;]*m", "", coloured)
    assert [line.rstrip() for line in plain.splitlines()] == shown(
        reports.REPORTS[name]()
    ).splitlines()


@pytest.mark.parametrize("name", reports.REPORTS)
def test_ascii(name):
    report = reports.REPORTS[name]()
    report = replace(report, notes=(*report.notes, "θ — naïve"))

    assert "- \\u03b8 \\u2014 na\\xefve" in shown(report, unicode=False)
    assert shown(report, unicode=False).isascii()


@pytest.mark.parametrize(
    ("word", "screen"),
    [
        ("[red]x[/red]", "[red]x[/red]"),
        ("[/]", "[/]"),
        (":smile:", ":smile:"),
        ("\x1b[31mx", "\\x1b[31mx"),
        ("\x1b]52;c;aGk=\x07", "\\x1b]52;c;aGk=\\x07"),
        ("a\u202eb", "a\\u{202e}b"),
        ("a\u200db\x9b", "a\\u{200d}b\\x9b"),
        ("line\nbreak\r", "line\\x0abreak\\x0d"),
    ],
)
def test_words_of_the_user_reach_the_screen_literally(word, screen):
    report = reports.example()
    group = FormulaGroup("y", 1, word, "")
    report = replace(
        report,
        problem=replace(report.problem, expression=None, function=word),
        output=Output(word, report.output.value),
        symbolic=Symbolic(jacobian={"x": (group,)}, vjp=report.vjp),
        findings=(Finding("vjp.x[0]", Verdict.WRONG, 1.0, cause=word),),
        notes=(word,),
    )

    for view in ({}, {"color": True}, {"unicode": False}):
        text = re.sub(r"\x1b\[[\d;]*m", "", shown(report, width=300, **view))
        assert text.count(screen) >= 6
        assert not re.search(r"[^\n\x20-\uffff]", text)


def test_wide_characters_keep_the_columns_below_each_other():
    report = replace(reports.example(), output=Output("输出", reports.example().output.value))
    lines = shown(report).splitlines()
    header = next(line for line in lines if line.startswith("J "))
    row = next(line for line in lines if line.startswith("输出[0]"))

    # each of the two characters takes two columns of the screen
    assert row.index("│") + 2 == header.index("│")


@pytest.mark.parametrize("columns", [30, 1000])
def test_a_matrix_that_does_not_fit_is_a_picture(columns):
    text = shown(reports.wide(columns))

    assert re.search(rf"^J +│ x\[0\] +x\[{columns - 1}\]$", text, re.MULTILINE)
    assert "norms: Frobenius" in text
    assert "columns not shown" not in text


def test_rows_left_out_are_counted():
    text = shown(reports.wide(1000))

    assert "vᵀJ: 989 more rows not shown (--full, --json)" in text
    assert re.search(r"x\[999\] +│ +2001 +2001 +0\n", text)


@pytest.mark.parametrize("view", [{"full": True}, {"width": PIPE}])
def test_nothing_is_left_out_in_full_or_in_a_pipe(view):
    text = shown(reports.wide(300), **view)

    assert all(f"x[{column}] " in text for column in range(300))
    assert "columns not shown" not in text


def test_full_shows_every_row_formula_and_finding():
    report = reports.wide(50)
    groups = tuple(FormulaGroup(f"dy[0]/dx[{k}]", 1, f"f{k}", "") for k in range(50))
    findings = tuple(Finding(f"vjp.x[{k}]", Verdict.IMPRECISE, 1.0) for k in range(50))
    report = replace(
        report, symbolic=Symbolic(jacobian={"x": groups}, vjp=report.vjp), findings=findings
    )

    assert "38 more formulas not shown (--full, --json)" in shown(report)
    assert "38 more findings not shown (--full, --json)" in shown(report)
    full = shown(report, full=True)
    assert "not shown" not in full
    assert all(f"∂y[0]/∂x[{k}] = f{k}\n" in full for k in range(50))
    assert all(f"vᵀJ at x[{k}]: imprecise" in full for k in range(50))


@settings(max_examples=30, deadline=None)
@given(
    columns=st.integers(1, 30),
    width=st.integers(0, 250),
    scale=st.sampled_from([1.0, 1e-300, -12345.678, 1 / 3]),
    full=st.booleans(),
)
def test_every_number_of_the_jacobian_is_shown_or_in_the_picture(columns, width, scale, full):
    report = reports.wide(columns)
    values = tuple(scale * (k + 1) for k in range(2 * columns))
    # J alone: without vᵀJ every number in a row of y is one of J
    report = replace(
        report, jacobian={"x": Array((2, columns), values)}, v=None, vjp=None, judged_vjp=None
    )
    text = shown(report, width=width, full=full)

    rows = [line.partition("│")[2].split() for line in text.splitlines() if line.startswith("y[")]
    drawn = {word for row in rows for word in row}
    missing = [k for k in range(columns) if short(values[k]) not in drawn]
    pictured = "norms: Frobenius" in text
    assert len(missing) == (columns if pictured else 0)
    assert not (full and pictured)


def test_the_worst_finding_comes_first():
    text = shown(reports.findings())

    assert text.index("x[3]: wrong") < text.index("∂y/∂x[0]: nan") < text.index("x[2]: kink")


def test_without_v_the_note_stands_in_the_place_of_the_product():
    text = shown(reports.no_v())

    assert text.index("grad can be implicitly created") < text.index("checks")
    assert "symbolic " not in text[: text.index("notes")]


@pytest.mark.parametrize(
    "environment",
    [{"NO_COLOR": "1"}, {"FORCE_COLOR": "1"}, {"TERM": "dumb"}, {"COLUMNS": "0"}],
)
@pytest.mark.parametrize("color", [False, True])
def test_only_the_view_decides(monkeypatch, environment, color):
    expected = shown(reports.wide(30), width=120, color=color)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)

    assert shown(reports.wide(30), width=120, color=color) == expected
