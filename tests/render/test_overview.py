"""A J that is not shown in numbers: which layout it gets, its pictures, norms and worst entries."""

import re
from dataclasses import replace
from math import inf, nan

import pytest

from tests.render import reports
from vjp_cli.render import View, render
from vjp_cli.render.heat import heat
from vjp_cli.render.jacobian_entries import entries_of
from vjp_cli.render.screen import Screen
from vjp_cli.render.sizes import Size, size_of
from vjp_cli.render.spy import spy
from vjp_cli.render.summary import norms_line, sample_table, worst_lines, worst_table
from vjp_cli.report import (
    OUTSIDE,
    Array,
    CheckResult,
    Judged,
    Structure,
    Truth,
    TruthKind,
    Verdict,
    scattered,
)
from vjp_cli.settings import Format, Layout

PIPE = 10**6


def built(rows, columns, entries, truths=None, verdicts=None, pattern=True):
    """y of ``rows`` and x of ``columns`` elements; ``entries`` by (row, column)."""
    flat = {row * columns + column: value for (row, column), value in entries.items()}
    flat = dict(sorted(flat.items()))
    x, y = (Array((size,), tuple(map(float, range(size)))) for size in (columns, rows))
    values = Array((rows, columns), scattered(rows * columns, 0.0, flat))
    truth = {k: Truth(TruthKind.VALUE, repr(value)) for k, value in flat.items()}
    for (row, column), told in (truths or {}).items():
        truth[row * columns + column] = told
    verdict = {row * columns + column: told for (row, column), told in (verdicts or {}).items()}
    zero, size = Truth(TruthKind.VALUE, "0"), rows * columns
    judged = Judged(
        {"x": Array((rows, columns), scattered(size, Verdict.OK, dict(sorted(verdict.items()))))},
        {"x": Array((rows, columns), scattered(size, zero, dict(sorted(truth.items()))))},
    )
    structure = Structure((rows, columns), len(flat), "sparse", frozenset(flat))
    vjp = {"x": Array((columns,), (1.0,) * columns)}
    return replace(
        reports.plain("f(x)", {"x": x}, y, Array((rows,), (1.0,) * rows), {"x": values}, vjp),
        structure={"x": structure} if pattern else {},
        judged_jacobian=judged,
    )


def diagonal(size, **more):
    return built(size, size, {(k, k): k + 1.0 for k in range(size)}, **more)


def texts(lines):
    return ["".join(text for text, _ in line).rstrip() for line in lines]


@pytest.mark.parametrize(
    ("rows", "columns", "width", "size"),
    [
        (12, 12, 200, Size.SMALL),
        (12, 12, 40, Size.MIDDLE),
        (13, 13, 200, Size.MIDDLE),
        (3, 25, 200, Size.SMALL),
        (36, 4, 80, Size.SMALL),
        (41, 1, 80, Size.MIDDLE),
        (300, 400, 80, Size.MIDDLE),
        (1, 401, 80, Size.LARGE),
        (401, 1, 80, Size.LARGE),
        (100, 100, PIPE, Size.SMALL),
        (101, 100, PIPE, Size.MIDDLE),
        (1, 401, PIPE, Size.LARGE),
        (1000, 1000, PIPE, Size.LARGE),
        (0, 500, 80, Size.LARGE),
    ],
)
def test_the_layout_follows_the_size_and_the_width(rows, columns, width, size):
    report = built(rows, columns, {(k, k): 1.0 for k in range(min(rows, columns))})

    assert size_of(Screen(View(width=width)), report, "x") is size
    assert size_of(Screen(View(width=width, full=True)), report, "x") is Size.SMALL


def test_a_picture_has_the_sign_and_the_size_of_each_entry():
    # 4, half of it, a tenth, a thousandth and less of it; zeros of both kinds
    entries = {(0, 0): 4.0, (0, 1): -2.0, (0, 2): 0.4, (1, 0): -4e-3, (1, 1): 1e-9, (1, 2): 0.0}
    picture, legend = heat(entries_of(built(2, 4, entries), "x"), 80, "J")

    assert texts(picture) == [
        "J    │ x[0] … x[3]",
        "─────┼────────────",
        "y[0] │ +█-█+▓ ·",
        "y[1] │ -▒+░ 0 ·",
    ]
    assert legend == [
        "█ at least half, ▓ at least a tenth, ▒ at least a thousandth, ░ less of the largest "
        "|entry|, 4; 0 computed zeros"
    ]


def test_a_cell_of_several_entries_is_the_largest_of_them():
    entries = {(0, 0): 1.0, (0, 1): -0.2, (0, 39): 0.04, (39, 0): inf, (39, 39): nan}
    verdicts = {(20, 20): Verdict.WRONG, (20, 21): Verdict.KINK}
    picture, legend = heat(entries_of(built(40, 40, entries, verdicts=verdicts), "x"), 48, "J")

    # 20 lines of 2 rows; 48 - 5 - 3 columns are 20 cells of 2 columns
    lines = texts(picture)
    assert len(lines) == 22
    assert lines[2] == "y[0]  │ ±█" + " ·" * 18 + "+▒"
    assert lines[12] == "y[20] │ " + " ·" * 10 + " !" + " ·" * 9
    assert lines[21] == "y[38] │ +I" + " ·" * 18 + " N"
    assert legend[0].startswith("a cell is the largest of up to 2x2 entries; ")
    assert "± both signs; I infinite; N not a number" in legend[0]


def test_without_a_pattern_a_zero_is_a_computed_one():
    picture, _ = heat(entries_of(built(2, 3, {(0, 0): 1.0}, pattern=False), "x"), 80, "J")

    assert texts(picture)[2:] == ["y[0] │ +█ 0 0", "y[1] │  0 0 0"]


def test_a_pattern_in_dots():
    entries = {(k, k): 1.0 for k in range(8)} | {(0, 7): 2.0}
    picture, sentence = spy(entries_of(built(8, 8, entries), "x"), 80, "J")

    # by hand: 4 rows of 2 columns are a character; its dots count down the left column, 1 2 3 7,
    # and down the right one, 4 5 6 8: (0,0) and (1,1) are the dots 1 and 5, 2⁰ + 2⁴ = 0x11
    assert texts(picture)[2:] == ["y[0] │ ⠑⢄ ⠈", "y[7] │   ⠑⢄"]
    assert sentence == "a dot is an entry that can be non-zero"


def test_wrong_entries_have_a_sign_of_their_own():
    report = diagonal(1000, verdicts={(500, 500): Verdict.WRONG, (3, 900): Verdict.NAN})
    picture, sentence = spy(entries_of(report, "x"), 80, "J")

    lines = texts(picture)
    assert len(lines) == 22
    # dot 40 of 80 is the first of line 10 and of cell 20; dot 72 of 80 of cell 36
    assert lines[12].split("│ ")[1] == " " * 20 + "!⢄"
    assert lines[2].split("│ ")[1] == "⠑⢄" + " " * 34 + "#"
    assert [role for _, role in picture[12] if role] == ["name", "rule", Verdict.WRONG]
    assert sentence == "a dot is a block of up to 13x13 entries with one that can be non-zero"


@pytest.mark.parametrize(("rows", "columns"), [(1, 1000), (1000, 1), (3, 100_000), (100_000, 9)])
@pytest.mark.parametrize("width", [40, 80, 120, 200])
def test_flat_and_steep_patterns_fit(rows, columns, width):
    report = built(rows, columns, {(k % rows, k % columns): 1.0 for k in range(0, 100_000, 997)})
    picture, _ = spy(entries_of(report, "x"), width, "J")

    assert max(map(len, texts(picture))) <= width
    assert 3 <= len(picture) <= 22


def test_norms_by_hand():
    # columns sum to 3 + 12 = 15 and 4, rows to 7 and 12; the squares to 9 + 16 + 144 = 13²
    report = built(2, 2, {(0, 0): 3.0, (0, 1): -4.0, (1, 0): 12.0})

    assert norms_line(entries_of(report, "x")) == (
        "norms: Frobenius 13, largest |entry| 12 at ∂y[1]/∂x[0], 1-norm (columns) 15, "
        "inf-norm (rows) 12"
    )


def test_norms_of_huge_and_of_infinite_numbers():
    line = norms_line(entries_of(built(1, 3, {(0, 0): 3e200, (0, 1): 4e200, (0, 2): inf}), "x"))

    assert line.startswith("norms of the finite entries: Frobenius 5e200, largest |entry| 4e200")


def test_norms_of_complex_numbers():
    line = norms_line(entries_of(built(1, 2, {(0, 0): 3.0 + 4.0j, (0, 1): 12.0}), "x"))

    assert line.startswith("norms: Frobenius 13, largest |entry| 12 at ∂y[0]/∂x[1]")


def value(text):
    return Truth(TruthKind.VALUE, text)


def test_the_worst_entries_come_by_verdict_and_then_by_error():
    report = diagonal(
        50,
        truths={
            (6, 6): value("7.0000000000000017763568394002504646778106689453125"),
            (20, 20): value("42"),
            (30, 30): value("32"),
            (40, 3): value("1e-30"),
        },
        verdicts={(20, 20): Verdict.WRONG, (40, 3): Verdict.IMPRECISE},
    )
    entries = entries_of(report, "x")
    table = worst_table(entries)
    cells = [[table.cell(row, column).text for column in range(4)] for row in range(4)]

    # y[20] is 21 where 42 is right; a 0 in the place of 1e-30 is all of it; 31 for 32; 2 ulp of 7
    assert list(table.rows) == ["∂y[20]/∂x[20]", "∂y[40]/∂x[3]", "∂y[30]/∂x[30]", "∂y[6]/∂x[6]"]
    assert cells == [
        ["21", "42", "-21", "wrong"],
        ["0", "1e-30", "-1e-30", "imprecise"],
        ["31", "32", "-1", "ok"],
        ["7", "7.000000000000002", "-1.77636e-15", "ok"],
    ]
    assert worst_lines(entries) == [
        "worst rows, by relative error: y[40] 1, y[20] 0.5, y[30] 0.03125, y[6] 2.53765e-16",
        "worst columns, by relative error: x[3] 1, x[20] 0.5, x[30] 0.03125, x[6] 2.53765e-16",
    ]


def test_ten_of_the_worst_are_listed():
    truths = {(k, k): value(repr(k + 1.5)) for k in range(30)}
    table = worst_table(entries_of(diagonal(30, truths=truths), "x"))

    # 1/2 of 1.5 is the largest relative error, then 1/2 of 2.5
    assert list(table.rows) == [f"∂y[{k}]/∂x[{k}]" for k in range(10)]


def test_where_nothing_differs_nothing_is_the_worst():
    entries = entries_of(diagonal(20), "x")

    assert worst_table(entries) is None
    assert worst_lines(entries) == []


def test_a_sample_is_spread_from_the_first_to_the_last():
    table = sample_table(entries_of(diagonal(501), "x"))

    assert list(table.rows) == [f"∂y[{k}]/∂x[{k}]" for k in (0, 100, 200, 300, 400, 500)]
    assert table.cell(1, 0).text == table.cell(1, 1).text == "101"


def test_the_transpose_has_the_rows_of_the_input():
    report = built(2, 500, {(0, 3): 1.0, (1, 7): 2.0})
    report = replace(report, problem=replace(report.problem, layout=Layout.DENOMINATOR))
    entries = entries_of(report, "x")

    assert entries.shape == (500, 2)
    assert [entries.name(k) for k in range(2)] == ["∂y[0]/∂x[3]", "∂y[1]/∂x[7]"]
    assert "Jᵀ" in render(report, Format.TABLE, View())


@pytest.mark.parametrize("unicode", [True, False])
@pytest.mark.parametrize("width", [40, 80, 120, 200, PIPE])
@pytest.mark.parametrize("size", [15, 100, 1000])
def test_reports_of_all_sizes_fit(size, width, unicode):
    report = diagonal(size, verdicts={(7, 7): Verdict.WRONG}, truths={(7, 7): value("9")})
    text = render(report, Format.TABLE, View(width=width, unicode=unicode))

    assert max(map(len, text.splitlines())) <= width
    assert unicode or text.isascii()
    if size == 1000 and width >= 80:
        assert len(text.splitlines()) < 100
        assert "structural zero: this" not in text
    if not (size < 1000 and width == PIPE):
        assert re.search(r"^ *∂?d?y\[7\]/[∂d]x\[7\] +[|│] +8 ! ", text, re.MULTILINE)


def test_what_was_not_compared_is_said_of_a_large_problem():
    report = diagonal(500)
    alone = replace(report, jacobian=None, judged_jacobian=None, structure={})

    # u = 2⁻⁵³ to the power of ¾ is 1.08e-12
    assert (
        "  every entry was compared: in an entry an error above 1.1e-12 of it is seen\n"
    ) in render(report, Format.TABLE, View())
    assert (
        "  J by x was not compared, vᵀJ was: in an entry an error above 1.1e-12 of it is seen "
        "there, and errors in J that cancel in it are not\n"
    ) in render(alone, Format.TABLE, View(width=200))
    sparse = replace(report, checks=(CheckResult(OUTSIDE, Verdict.OK, 1_000),))
    assert (
        "  compared one by one: the 500 entries that can be non-zero; in an entry an error above "
        "1.1e-12 of it is seen\n"
        "  not one by one: 249,500 structural zeros, in products and in vᵀJ of a random v; a "
        "number above 1.1e-08 of the sum of its column is seen\n"
    ) in render(sparse, Format.TABLE, View(width=200))


def test_a_pipe_gets_the_large_layout_for_what_nobody_reads():
    report = built(2, 450, {(k % 2, k): k + 0.5 for k in range(450)})

    assert "sample of J" in render(report, Format.TABLE, View(width=PIPE))
    full = render(report, Format.TABLE, View(width=PIPE, full=True))
    assert "sample of J" not in full
    assert all(f"x[{k}]" in full and f" {k}.5 " in full for k in range(449))
