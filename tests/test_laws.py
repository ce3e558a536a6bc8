"""Laws that tie inspections to each other: what must follow when v, x or the way of work change.

No expected number is written here: each law compares reports of two or more problems that
mathematics relates exactly, for expressions that no symmetry helps.
"""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
import torch

from tests.helpers import run
from vjp_cli import library
from vjp_cli.report import Array, Report, Verdict
from vjp_cli.settings import LIMITS, Settings

QUIET = {"remedies": False, "checks": ()}
# expressions of x (2x3) and b (3), with outputs of other shapes than x's
EXPRESSIONS = (
    "sin(x)*b + x*x.roll(1, 1)",
    "x @ x.T + b.sum()",
    "softmax(x, 1)[:, 1:]*exp(b[0])",
    "cumsum(x*b, 0).sum(1)",
    "relu(x)*b",
    "(x*b/(1 + x*x)).amax(1)",
    "x.sum()*b[0]",
)
DTYPES = ("float64", "float32", "bfloat16")
UNITS = {"float64": 2.0**-53, "float32": 2.0**-24, "bfloat16": 2.0**-8}


def numbers(seed: int, *shape: int) -> torch.Tensor:
    """Eighths from -3 to 3 without 0: exact in every dtype, no kink, and no two rows alike."""
    generator = torch.Generator().manual_seed(seed)
    found = torch.randint(1, 25, shape, generator=generator, dtype=torch.float64) / 8
    return found * (1 - 2 * torch.randint(0, 2, shape, generator=generator))


INPUTS = {"x": numbers(1, 2, 3), "b": numbers(2, 3)}


def solve(source: str, v: Any, dtype: str = "float64", **inputs: torch.Tensor) -> Report:
    settings = Settings(dtype=dtype, **QUIET)  # type: ignore[arg-type]
    return library.inspect(source, inputs or INPUTS, v, settings=settings)


def rounded(array: Array[Any]) -> torch.Tensor:
    return torch.tensor(array.values, dtype=torch.float64)


def truths(report: Report) -> dict[str, torch.Tensor]:
    assert report.judged_vjp is not None
    return {
        name: torch.tensor([float(truth.value) for truth in array.values], dtype=torch.float64)
        for name, array in report.judged_vjp.truth.items()
    }


def close(found: torch.Tensor, expected: torch.Tensor, size: float, dtype: str) -> None:
    """Within a few dozen roundings of the terms."""
    assert found.shape == expected.shape
    assert float((abs(found - expected)).max()) <= 64 * UNITS[dtype] * max(size, 1e-300)


def of_output(source: str, seed: int) -> torch.Tensor:
    return numbers(seed, *solve(source, None).output.value.shape)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("source", EXPRESSIONS)
def test_the_vjp_is_linear_in_v(source: str, dtype: str) -> None:
    first, second = of_output(source, 3), of_output(source, 4)
    reports = [solve(source, v, dtype) for v in (first, second, 2 * first - 0.5 * second)]
    for side in ("torch", "truth"):
        one, other, both = (
            truths(r) if side == "truth" else {n: rounded(a) for n, a in (r.vjp or {}).items()}
            for r in reports
        )
        for name in INPUTS:
            expected = 2 * one[name] - 0.5 * other[name]
            size = float((2 * abs(one[name]) + abs(other[name])).max()) + 16
            # the truths are exact: v and its combination are numbers of every dtype
            close(both[name], expected, size, "float64" if side == "truth" else dtype)


@pytest.mark.parametrize("source", EXPRESSIONS)
def test_a_basis_vector_gives_a_row_of_the_jacobian(source: str) -> None:
    whole = solve(source, None)
    shape = whole.output.value.shape
    count = len(whole.output.value.values)
    for row in {0, count - 1, count // 2}:
        v = torch.zeros(shape, dtype=torch.float64)
        v.view(-1)[row] = 1
        report = solve(source, v)
        for name, given in INPUTS.items():
            assert report.vjp is not None
            assert whole.jacobian is not None
            columns = given.numel()
            part = slice(row * columns, (row + 1) * columns)
            expected = rounded(Array((columns,), tuple(whole.jacobian[name].values[part])))
            close(rounded(report.vjp[name]), expected, float(abs(expected).max()), "float64")
            assert report.judged_vjp is not None
            assert whole.judged_jacobian is not None
            assert [t.value for t in report.judged_vjp.truth[name].values] == [
                t.value for t in whole.judged_jacobian.truth[name].values[part]
            ]
            verdicts = whole.judged_jacobian.verdicts[name].values[part]
            assert list(report.judged_vjp.verdicts[name].values) == list(verdicts)


@pytest.mark.parametrize("source", ["x*x.sum() + b", "softmax(x, 0)*b[:1]", "x.cumsum(0).sin()"])
def test_permuting_an_input_permutes_the_columns(source: str) -> None:
    given, order = numbers(5, 5), torch.tensor([3, 0, 4, 2, 1])
    b = numbers(6, 1)
    # x of the permuted problem is permuted back before it is used
    back = ",".join(str(int(k)) for k in torch.argsort(order))
    inverse = re.sub(r"\bx\b", f"x[[{back}]]", source)
    report = solve(source, None, x=given, b=b) if "b" in source else solve(source, None, x=given)
    inputs = {"x": given[order]} | ({"b": b} if "b" in source else {})
    other = solve(inverse, None, **inputs)
    assert report.jacobian is not None
    assert other.jacobian is not None
    ours = rounded(report.jacobian["x"]).reshape(5, 5)[:, order]
    theirs = rounded(other.jacobian["x"]).reshape(5, 5)
    assert torch.equal(ours, theirs)
    assert report.judged_jacobian is not None
    assert other.judged_jacobian is not None
    texts = [truth.value for truth in report.judged_jacobian.truth["x"].values]
    moved = [texts[5 * row + int(k)] for row in range(5) for k in order]
    assert [truth.value for truth in other.judged_jacobian.truth["x"].values] == moved


@pytest.mark.parametrize(
    ("outer", "inner"),
    [("w*w + w[0]", "x.sum(0)*b"), ("exp(w).sum(1)", "x*b"), ("w.T @ b[:2]", "sin(x)")],
)
def test_two_inspections_in_a_chain_are_one(outer: str, inner: str) -> None:
    first = solve(inner, None, **{n: t for n, t in INPUTS.items() if n in inner})
    w = torch.tensor(first.output.value.values, dtype=torch.float64)
    w = w.reshape(first.output.value.shape)
    rest = {"b": INPUTS["b"]} if "b" in outer else {}
    v = of_chain(outer, w, rest)
    last = solve(outer, v, w=w, **rest)
    assert last.vjp is not None
    middle = rounded(last.vjp["w"]).reshape(w.shape)
    pulled = solve(inner, middle, x=INPUTS["x"], **({"b": INPUTS["b"]} if "b" in inner else {}))
    whole = solve(f"w = {inner}; {outer}", v, **INPUTS if "b" in outer + inner else {"x": w})
    assert pulled.vjp is not None
    assert whole.vjp is not None
    found, expected = rounded(pulled.vjp["x"]), rounded(whole.vjp["x"])
    close(found, expected, float(abs(expected).max()), "float64")
    close(truths(pulled)["x"], truths(whole)["x"], float(abs(expected).max()) * 8, "float64")


def of_chain(outer: str, w: torch.Tensor, rest: dict[str, torch.Tensor]) -> torch.Tensor:
    return numbers(7, *solve(outer, None, w=w, **rest).output.value.shape)


def shown_matrix(layout: str) -> list[list[str]]:
    """J's table in Markdown, cells by row, without the names of its rows and columns."""
    arguments = ("x[:2]*x.sum()", "--x", "4,5,7", "--v", "1,10", "--format", "markdown")
    lines = run("inspect", *arguments, "--layout", layout).stdout.splitlines()
    head = next(k for k, line in enumerate(lines) if line.startswith("| J"))
    rows = []
    for line in lines[head + 2 :]:
        if not line:
            return rows
        rows.append([cell.strip() for cell in line.strip("|").split("|")[1:]])
    raise AssertionError(lines)


def test_the_denominator_layout_shows_the_transpose() -> None:
    numerator, denominator = shown_matrix("numerator"), shown_matrix("denominator")
    # by hand: 16 + 4 on the diagonal, x_i beside it
    assert numerator == [["20", "4", "4"], ["5", "21", "5"]]
    assert denominator == [list(row) for row in zip(*numerator, strict=True)]


@contextmanager
def waiting(elements: int) -> Iterator[None]:
    before = LIMITS.waiting_elements
    object.__setattr__(LIMITS, "waiting_elements", elements)
    try:
        yield
    finally:
        object.__setattr__(LIMITS, "waiting_elements", before)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("source", EXPRESSIONS)
def test_the_way_of_large_problems_gives_what_the_usual_one_gives(source: str, dtype: str) -> None:
    v = of_output(source, 8)
    usual = solve(source, v, dtype)
    with waiting(0):
        other = solve(source, v, dtype)
        for name in INPUTS:
            for mine, theirs in (
                (usual.judged_vjp, other.judged_vjp),
                (usual.judged_jacobian, other.judged_jacobian),
            ):
                assert mine is not None
                assert theirs is not None
                assert list(mine.verdicts[name].values) == list(theirs.verdicts[name].values)
                assert [t.value for t in mine.truth[name].values] == [
                    t.value for t in theirs.truth[name].values[:]
                ]


def test_a_batch_answers_what_single_calls_answer() -> None:
    cases = [("x*x.roll(1)", "1,2,4", "1,-1,0.5"), ("relu(x)", "0,-1", "1,1"), ("sum(x)", "3", "2")]
    lines = "".join(
        json.dumps({"expression": e, "inputs": {"x": x}, "v": v}) + "\n" for e, x, v in cases
    )
    answers = [json.loads(line) for line in run("batch", "-", stdin=lines).stdout.splitlines()]
    for (expression, x, v), answer in zip(cases, answers, strict=True):
        alone = json.loads(run("inspect", expression, "--x", x, "--v", v, "--json").stdout)
        # a batch tells which line it was, and offers nothing to write instead
        for key in ("inputs", "output", "v", "jacobian", "vjp", "truth", "verdicts", "verdict"):
            assert answer[key] == alone[key]


def test_a_kink_is_one_in_every_way() -> None:
    with waiting(0):
        report = solve(
            "relu(x)",
            torch.ones(3, dtype=torch.float64),
            x=torch.tensor([0.0, 1.0, -1.0], dtype=torch.float64),
        )
    assert report.judged_vjp is not None
    assert report.judged_vjp.verdicts["x"].values[0] is Verdict.KINK
