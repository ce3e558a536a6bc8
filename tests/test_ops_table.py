"""Every sample of every row, inspected: torch's derivative, the tracer's, and the pattern."""

import re

import pytest
import torch

from tests.ops.samples import sample_inputs
from vjp_cli.errors import EvaluationError
from vjp_cli.expression import parse
from vjp_cli.inspection import inspect
from vjp_cli.ops.catalog import ROWS
from vjp_cli.ops.table import Kind, Op
from vjp_cli.report import Report, Verdict
from vjp_cli.request import Request
from vjp_cli.settings import Settings
from vjp_cli.values import Generated, Value

# Rows whose derivative in torch is not that of the mathematics, or is not there.
NOT_OK = {
    "hardsigmoid": (Verdict.WRONG, "torch multiplies by a float32 1/6"),
    "digamma": (Verdict.IMPRECISE, "torch's trigamma has 10 of 16 digits"),
    "bessel_j0": (Verdict.MISSING, "torch has no derivative"),
    "bessel_j1": (Verdict.MISSING, "torch has no derivative"),
    "bessel_y0": (Verdict.MISSING, "torch has no derivative"),
    "bessel_y1": (Verdict.MISSING, "torch has no derivative"),
    "modified_bessel_i0": (Verdict.MISSING, "torch has no derivative"),
    "modified_bessel_i1": (Verdict.MISSING, "torch has no derivative"),
    "modified_bessel_k0": (Verdict.MISSING, "torch has no derivative"),
    "modified_bessel_k1": (Verdict.MISSING, "torch has no derivative"),
    "spherical_bessel_j0": (Verdict.MISSING, "torch has no derivative"),
    "gammainc": (Verdict.MISSING, "torch has no derivative by the first argument"),
    "gammaincc": (Verdict.MISSING, "torch has no derivative by the first argument"),
    "detach": (Verdict.BY_DESIGN, "the program leaves its mathematics"),
    "cholesky": (Verdict.BY_DESIGN, "torch symmetrises the gradient"),
    "eigvalsh": (Verdict.BY_DESIGN, "torch symmetrises the gradient"),
    "eigh": (Verdict.BY_DESIGN, "torch symmetrises the gradient"),
}
NOT_OK_SAMPLES = {
    # torch's own backward stumbles over a write in place
    "cond(S, p='fro')": Verdict.MISSING,
    # 0.4·5 rounds to 2: the weight of the next element, 1.1e-16, is rounded away
    "quantile(x, 0.4)": Verdict.SATURATED,
    # torch multiplies the 0 of another row of J by the infinity
    "nan_to_num(x*float('inf'), posinf=1.0, neginf=2.0)": Verdict.NAN,
}
# torch has no derivative by x, and the slopes of zeta take long in thousands of bits.
WRT = {"zeta(x, y)": ("y",)}
# Arguments by which torch refuses to differentiate: the samples vary the others.
REFUSED = re.compile(r"not differentiable with respect to argument")
# the first and the last sample of a row: tests of the rules run them all
SAMPLES = [
    (op, sample) for op in ROWS for sample in dict.fromkeys(op.samples[:1] + op.samples[-1:])
]


def as_value(tensor: torch.Tensor) -> Value:
    own = {torch.int64: "int64", torch.bool: "bool"}.get(tensor.dtype)
    return Value(tuple(tensor.shape), tuple(tensor.reshape(-1).tolist()), own)


def reports(op: Op, sample: str) -> list[Report]:
    """One report for each part of the result."""
    try:
        return [one(op, sample)]
    except EvaluationError as error:
        parts = re.match(r"the result has (\d+) parts", error.message)
        if parts is None:
            raise
        return [each for k in range(int(parts[1])) for each in reports(op, f"({sample})[{k}]")]


def one(op: Op, source: str) -> Report:
    expression = parse(source)
    inputs = sample_inputs(op, 1)
    if not any(inputs[name].is_floating_point() for name in expression.names):
        # nothing to differentiate by: the result weights an input
        expression = parse(f"({source})*b[:1]")
    values = {name: as_value(inputs[name]) for name in expression.names}
    request = Request(expression, values, Generated("randn", None))
    try:
        return inspect(request, Settings(wrt=WRT.get(source, ())))
    except EvaluationError as error:
        if not REFUSED.search(error.message):
            raise
        return inspect(request, Settings(wrt=expression.names[:1]))


def expected(op: Op, sample: str) -> Verdict:
    return NOT_OK_SAMPLES.get(sample) or NOT_OK.get(op.name, (Verdict.OK, ""))[0]


@pytest.mark.parametrize(("op", "sample"), SAMPLES, ids=[sample for _, sample in SAMPLES])
def test_the_row_is_torch(op: Op, sample: str) -> None:
    for found in reports(op, sample):
        # or the tracer's value is not torch's
        assert not any(note.startswith("nothing was checked") for note in found.notes)
        assert found.verdict is expected(op, sample), found.findings[:2]
        for name, structure in found.structure.items():
            values = (found.jacobian or {}).get(name)
            nonzero = {k for k, value in enumerate(values.values if values else ()) if value}
            if found.verdict not in (Verdict.NAN, Verdict.BY_DESIGN):
                assert nonzero <= structure.positions


def test_every_row_has_a_sample() -> None:
    assert [op.name for op in ROWS if not op.samples] == []


def test_every_exception_is_a_row() -> None:
    assert set(NOT_OK) <= {op.name for op in ROWS}
    assert set(NOT_OK_SAMPLES) <= {sample for _, sample in SAMPLES}


@pytest.mark.parametrize("kind", [Kind.MOVE, Kind.SUM])
def test_the_derivatives_of_moves_and_sums_are_ones(kind: Kind) -> None:
    for op in (row for row in ROWS if row.kind is kind and row.name not in NOT_OK):
        report = reports(op, op.samples[0])[0]
        entries = {value for array in (report.jacobian or {}).values() for value in array.values}
        assert {abs(value) for value in entries} <= {0.0, 1.0}, op.name
