from dataclasses import replace

import pytest

from tests.render import reports
from vjp_cli.render.lines import (
    check_line,
    finding_lines,
    formula_lines,
    headline,
    judgement,
    listing,
    structure_line,
)
from vjp_cli.report import Array, CheckResult, Finding, FormulaGroup, Structure, Verdict


def texts(lines):
    return [(line.label, line.text) for line in lines]


def test_headline_of_the_example():
    assert headline(reports.example()) == [
        "y = 2*(x + 2)**2",
        "x: 3",
        "y: 3",
        "float64",
        "J[i,j] = ∂y_i/∂x_j",
    ]


def test_headline_says_shapes_device_and_layout():
    report = reports.two_inputs()
    problem = replace(report.problem, device="cuda", layout="denominator")

    assert headline(replace(report, problem=problem))[1:] == [
        "w: 2x3",
        "x: 3",
        "b: scalar",
        "y: 2",
        "float64",
        "cuda",
        "denominator layout, Jᵀ[j,i] = ∂y_i/∂x_j",
    ]


@pytest.mark.parametrize(
    ("expression", "shown"),
    [
        ("x.sum(dim=0)", "y = x.sum(dim=0)"),
        ("a = x + 2\na*a", "a = x + 2; y = a*a"),
        ("a = x + 2; y = a*a", "a = x + 2; y = a*a"),
        ("y == x", "y = y == x"),
    ],
)
def test_only_the_last_statement_is_the_output(expression, shown):
    report = replace(reports.example(), problem=reports.problem(expression))

    assert headline(report)[0] == shown


def test_headline_of_a_function():
    problem = reports.problem(None, function="layers.py:swish")

    assert headline(replace(reports.two_inputs(), problem=problem))[0] == (
        "y = layers.py:swish(w, x, b)"
    )


def test_judgement_counts_the_worst_first():
    assert judgement(reports.example()) == "J 9 ok · vᵀJ 3 ok"
    assert judgement(reports.findings()).startswith("J 1 wrong, 1 nan, 1 imprecise, 1 kink, 1 pole")
    assert judgement(reports.no_v()) == "J 9 ok"
    assert judgement(reports.empty()) == "J no entries · vᵀJ no entries"


def test_listing_is_nested_where_it_fits():
    array = Array((2, 3), (1.0, 2.5, -3.0, 0.0, 1e-7, 4.0))

    # the whole takes 31 characters
    assert listing(array, 31) == "[[1, 2.5, -3], [0, 1e-7, 4]]"
    assert listing(array, 20) == "1, 2.5, -3, … 3 more"
    assert listing(array, 0) == "1, … 5 more"


def test_listing_of_a_scalar_and_of_nothing():
    assert listing(Array((), (3.0,)), 10) == "3"
    assert listing(Array((0,), ()), 10) == "[]"
    assert listing(Array((2, 0), ()), 10) == "[[], []]"


def test_structure_line():
    structure = Structure((3, 4), 5, "sparse", frozenset({0, 1, 2, 3, 4}), 2)

    assert structure_line(structure) == "J is sparse: 5 of 12 entries can be non-zero, 2 colours"


@pytest.mark.parametrize(
    ("pattern", "description", "words"),
    [
        ("block diagonal", "2 blocks of 2x3", "J is block diagonal, 2 blocks of 2x3"),
        ("selection", "", "J is a selection"),
        (
            "dense rows and columns",
            "1 dense row; the rest is zero",
            "J has 1 dense row; the rest is zero",
        ),
    ],
)
def test_the_structure_says_what_its_word_leaves_open(pattern, description, words):
    structure = Structure((4, 6), 12, pattern, description=description)

    assert structure_line(structure) == f"{words}: 12 of 24 entries can be non-zero"
    assert structure_line(replace(structure, colours=None)).endswith("non-zero")


@pytest.mark.parametrize(
    ("where", "shown"),
    [
        ("dy[i]/dx[i]", "∂y[i]/∂x[i]"),
        ("dy/dd", "∂y/∂d"),
        ("dd[0]/dx[0,1]", "∂d[0]/∂x[0,1]"),
        ("y[i]", "y[i]"),
    ],
)
def test_formulas_are_written_with_signs(where, shown):
    group = FormulaGroup(where, 1, "4*x[i]**2 + 8", "")

    assert formula_lines([group]) == [f"{shown} = 4·x[i]**2 + 8"]


def test_formulas_say_how_many_entries_and_what_their_names_are():
    group = FormulaGroup("dy[i]/dx[j]", 6, "s*x[j]", "", ("s = 2*t", "t = exp(x[0])"))

    assert formula_lines([group]) == [
        "∂y[i]/∂x[j] = s·x[j]   (6 entries)",
        "   where s = 2·t",
        "   where t = exp(x[0])",
    ]


def test_check_lines():
    ran = CheckResult("forward mode", Verdict.WRONG, 3, 2.0, 1.5, "x[1] differs")
    skipped = CheckResult("forward mode", Verdict.UNCHECKED, reason="no rule")

    assert check_line(ran).text == "3 compared, x[1] differs"
    assert check_line(skipped).text == "no rule"
    assert check_line(CheckResult("f", Verdict.OK, 3, 0.0, 0.0)).text == "3 compared, no error"
    assert check_line(CheckResult("f", Verdict.OK, 3)).text == "3 compared, no error"
    # an error without a bound, and one without ulps
    assert check_line(CheckResult("f", Verdict.OK, 3, 1.0)).text == "3 compared, 1 ulp"
    bounded = check_line(CheckResult("f", Verdict.OK, 3, None, 0.25)).text
    assert bounded == "3 compared, largest error 0.25 of its bound"


def test_a_finding_has_place_numbers_cause_and_remedy():
    finding = Finding("jacobian.w[1,0,2]", Verdict.WRONG, 0.1, "0.2", "", "", "cause", "remedy", 4)

    assert texts(finding_lines(finding, reports.two_inputs())) == [
        ("!", "∂y[1]/∂w[0,2]: wrong (4 entries alike)"),
        ("torch", "0.1"),
        ("truth", "0.2"),
        ("cause", "cause"),
        ("remedy", "remedy"),
    ]


def test_a_kink_shows_both_slopes():
    finding = Finding("vjp.b", Verdict.KINK, 0.0, left="-1", right="1")

    assert texts(finding_lines(finding, reports.two_inputs())) == [
        ("^", "vᵀJ at b: kink"),
        ("torch", "0"),
        ("slopes", "left -1, right 1"),
    ]


def test_torch_without_a_number_is_said():
    finding = Finding("somewhere else", Verdict.MISSING, None, "2")

    assert texts(finding_lines(finding, reports.scalar())) == [
        ("/", "somewhere else: missing"),
        ("torch", "gives no number"),
        ("truth", "2"),
    ]


@pytest.mark.parametrize(
    ("expression", "equation"),
    [
        ("# a story\n#\ny = x + 2\nz = y*y*2  # the output", "y = x + 2; z = y*y*2"),
        ("einsum('i#,j', x, x)  # 'a' \"#\" comment", "z = einsum('i#,j', x, x)"),
    ],
)
def test_comments_are_not_the_problem(expression, equation):
    report = reports.example()
    output = replace(report.output, name="z")
    report = replace(report, problem=reports.problem(expression), output=output)
    assert headline(report)[0] == equation
