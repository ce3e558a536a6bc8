"""The section of the chain rule on a screen, from reports written by hand."""

import json
from dataclasses import replace
from math import nan

import pytest

from tests.render import reports
from vjp_cli.render import View, render
from vjp_cli.report import (
    Array,
    Chain,
    ChainStep,
    FormulaGroup,
    Identity,
    LocalJacobian,
    Mark,
    Term,
)
from vjp_cli.settings import Format


def vector(*values):
    return Array((len(values),), values)


def matrix(rows, columns, *values):
    return Array((rows, columns), values)


def section(chain, width=80, **view):
    report = replace(reports.example(), chain=chain)
    text = render(report, Format.TABLE, View(width=width, **view))
    body = text.partition("chain rule, from the output back\n")[2]
    return body.partition("\n\n")[0].splitlines()


def steps(local, *, x=(), marks=(), value=(3.0, 4.0)):
    """y, which has one local Jacobian by x."""
    return Chain(
        "y",
        (
            ChainStep("y", "f(x)", vector(*value), vector(1.0, 0.5), None, {"x": local}, marks),
            ChainStep("x", "", vector(*(x or (1.0, 2.0))), vector(7.0, 8.0)),
        ),
    )


DIAGONAL = LocalJacobian(
    (2, 2),
    matrix(2, 2, 7.0, 0.0, 0.0, 16.0),
    matrix(2, 2, 7.0, 0.0, 0.0, 16.0),
    True,
    (FormulaGroup("dy[i]/dx[i]", 2, "2*x[i] + 5", ""),),
)


def test_no_section_unless_asked_for():
    assert "chain rule" not in render(reports.example(), Format.TABLE, View())


def test_a_step_is_a_block():
    assert section(steps(DIAGONAL)) == [
        "  y = f(x) = [3, 4]",
        "    cotangent  [1, 0.5] = v",
        "    ∂y/∂x      diagonal [7, 16]   ∂y[i]/∂x[i] = 2·x[i] + 5",
        "  x = [1, 2]",
        "    cotangent  [7, 8] = the gradient by x",
    ]


def test_a_formula_without_room_goes_below():
    assert section(steps(DIAGONAL), width=44)[2:4] == [
        "    ∂y/∂x      diagonal [7, 16]",
        "               ∂y[i]/∂x[i] = 2·x[i] + 5",
    ]


def test_ascii():
    shown = section(steps(DIAGONAL), unicode=False)
    assert all(line.isascii() for line in shown)
    assert shown[2] == "    dy/dx      diagonal [7, 16]   dy[i]/dx[i] = 2*x[i] + 5"


def test_the_exact_one_stands_under_one_that_differs():
    local = replace(DIAGONAL, truth=matrix(2, 2, 9.0, 0.0, 0.0, None), agrees=False)
    assert section(steps(local))[2:5] == [
        "    ∂y/∂x      diagonal [7, 16]",
        "    exact      diagonal [9, -]   torch differs",
        "               ∂y[i]/∂x[i] = 2·x[i] + 5",
    ]


def test_a_small_matrix_is_written_out():
    local = LocalJacobian((2, 2), matrix(2, 2, 1.0, 2.0, nan, 4.0))
    assert section(steps(local))[2] == "    ∂y/∂x      [[1, 2], [nan, 4]]"


def test_a_large_one_has_a_norm():
    # √(9·100) and √(16·25)
    local = LocalJacobian((25, 4), Array((25, 4), (3.0,) * 100))
    shown = section(steps(local, value=(4.0,) * 25))
    assert shown[0] == "  y = f(x) = 25, norm 20"
    assert shown[2] == "    ∂y/∂x      25x4, norm 30"


def test_one_that_was_not_built_has_its_shape():
    assert section(steps(LocalJacobian((200, 300))))[2] == "    ∂y/∂x      200x300"


def test_a_sum_has_its_terms():
    terms = (Term("x*x", vector(3.0, 4.0)), Term("sin(x)", vector(4.0, 4.0)))
    local = replace(DIAGONAL, handed=vector(7.0, 8.0), terms=terms)
    assert section(steps(local))[-3:] == [
        "    cotangent  [7, 8] = the gradient by x, the sum of 2 paths:",
        "      [3, 4] via x*x in y",
        "      [4, 4] via sin(x) in y",
    ]


def test_marks_have_a_sign():
    marks = (Mark("nan", "NaN enters"), Mark("inf", "an overflow"), Mark("zero", "rounded away"))
    assert section(steps(DIAGONAL, marks=marks))[3:6] == [
        "    # NaN enters",
        "    # an overflow",
        "    % rounded away",
    ]


def test_notes_are_told_on_the_screen_and_in_json():
    chain = replace(steps(DIAGONAL), notes=("t is not built",))
    assert section(chain)[-1] == "  - t is not built"
    document = json.loads(render(replace(reports.example(), chain=chain), Format.JSON, View()))
    assert document["notes"][-1] == "t is not built"
    assert [step["name"] for step in document["chain"]] == ["y", "x"]
    assert document["identity"] == []


@pytest.mark.parametrize("full", [False, True])
def test_many_steps_are_cut_unless_full(full):
    many = tuple(ChainStep(f"t{k}", "f", vector(1.0), vector(1.0)) for k in range(15))
    shown = section(Chain("t0", many), full=full)
    assert ("  t14 = f = [1]" in shown) == full
    assert ("  3 more steps not shown (--full, --json)" in shown) != full


def identity(**changes):
    wide = matrix(2, 2, 7.0, 0.0, 0.0, 16.0)
    row = Identity("x", "∂y/∂x", ("∂y/∂a·∂a/∂x", "∂y/∂x"), wide, wide, wide, True)
    return replace(steps(DIAGONAL), identity=(replace(row, **changes),))


def test_identity_says_once_what_is_the_same():
    assert section(identity())[-2:] == [
        "  ∂y/∂x = ∂y/∂a·∂a/∂x + ∂y/∂x",
        "    product = J by torch = exact = diagonal [7, 16]",
    ]


def test_identity_of_numbers_that_differ():
    assert section(identity(truth=matrix(2, 2, 9.0, 0.0, 0.0, 16.0)))[-3:] == [
        "    product    diagonal [7, 16]",
        "    J by torch diagonal [7, 16]",
        "    exact      diagonal [9, 16]",
    ]


def test_identity_of_a_single_step():
    assert section(identity(paths=("∂y/∂x",)))[-1] == (
        "  ∂y/∂x is a single step: its local Jacobian is J"
    )


def test_identity_without_numbers():
    shown = section(identity(product=None, jacobian=None, truth=None))
    assert shown[-1] == "  ∂y/∂x = ∂y/∂a·∂a/∂x + ∂y/∂x"
