"""The rows that work element by element, against torch's own kernels."""

import math
import re
from collections.abc import Callable
from typing import Any

import numpy
import pytest
import sympy
import torch

from tests.ops.element_rows import ROWS
from tests.ops.samples import evaluate, sample_inputs, torch_function
from vjp_cli.ops.table import Kind, Op

DIGITS = 40


def of_kind(kind: Kind) -> list[Any]:
    return [
        pytest.param(op, sample, id=sample)
        for op in ROWS
        if op.kind is kind
        for sample in op.samples
    ]


def kernel(op: Op) -> dict[str, Any]:
    return {op.name: torch_function(op.torch)}


def exact(value: Any) -> Any:
    """Tensors and numbers as arrays of SymPy numbers without rounding."""
    if isinstance(value, torch.Tensor):
        value = value.numpy()
    return numpy.vectorize(exact_number, otypes=[object])(value)


def exact_number(number: Any) -> Any:
    if isinstance(number, sympy.Basic):
        return number
    return sympy.Float(number, DIGITS) if isinstance(number, float) else sympy.Integer(number)


def elementwise(rule: Callable[..., Any]) -> Callable[..., Any]:
    def function(*values: Any, **options: Any) -> Any:
        names, extras = tuple(options), tuple(options.values())

        def one(*elements: Any) -> Any:
            count = len(elements) - len(names)
            named = dict(zip(names, elements[count:], strict=True))
            return rule(*elements[:count], **named)

        return numpy.vectorize(one, otypes=[object])(*(exact(v) for v in (*values, *extras)))

    return function


@pytest.mark.parametrize(("op", "sample"), of_kind(Kind.ELEMENTWISE))
@pytest.mark.parametrize("seed", [0, 1])
def test_elementwise_rule_is_what_torch_computes(op: Op, sample: str, seed: int) -> None:
    inputs = sample_inputs(op, seed)
    numbers = evaluate(sample, inputs, kernel(op))
    exact_inputs = {name: exact(value) for name, value in inputs.items()}
    formulas = evaluate(sample, exact_inputs, {op.name: elementwise(op.rule)})

    truth = numpy.vectorize(lambda formula: float(sympy.N(formula, 30)), otypes=[float])(formulas)

    assert truth.shape == tuple(numbers.shape)
    # torch's trigamma has ten digits
    relative = 1e-9 if "polygamma(1," in sample else 1e-12
    numpy.testing.assert_allclose(numbers.numpy(), truth, rtol=relative, atol=1e-300)


# By these inputs of its samples torch cannot differentiate a row.
REFUSED = {
    "floor_divide": "xyb",
    "heaviside": "xyb",
    "binary_cross_entropy": "b",
    "binary_cross_entropy_with_logits": "b",
    "soft_margin_loss": "y",
    "nll_loss": "b",
    "cross_entropy": "b",
}
# torch's own derivative of hardsigmoid multiplies by 1/6 rounded to single precision.
RELATIVE = {"hardsigmoid": 1e-7}


def vjp_by(
    name: str, sample: str, inputs: dict[str, torch.Tensor], rows: dict[str, Any]
) -> torch.Tensor | None:
    """Σ v_i·y_i differentiated by one input, for a v without symmetry; None for a mask."""
    leaf = inputs[name].clone().requires_grad_()
    output = evaluate(sample, {**inputs, name: leaf}, rows)
    if not output.dtype.is_floating_point:
        return None
    if not output.requires_grad:
        return torch.zeros_like(leaf)
    v = torch.linspace(0.3, 1.7, output.numel(), dtype=output.dtype).reshape(output.shape)
    (vjp,) = torch.autograd.grad(output, leaf, v, materialize_grads=True, allow_unused=True)
    return vjp


def differentiable_names(sample: str, inputs: dict[str, torch.Tensor]) -> list[str]:
    used = set(re.findall(r"\b[a-zA-Z]\b", sample))
    return sorted(name for name in used & set(inputs) if inputs[name].is_floating_point())


@pytest.mark.parametrize(("op", "sample"), of_kind(Kind.COMPOSITE))
@pytest.mark.parametrize("seed", [0, 1])
def test_composite_is_what_torch_computes(op: Op, sample: str, seed: int) -> None:
    inputs = sample_inputs(op, seed)
    rows = {op.name: op.rule}
    expected = evaluate(sample, inputs, kernel(op))
    torch.testing.assert_close(
        evaluate(sample, inputs, rows), expected, rtol=1e-12, atol=1e-14, equal_nan=True
    )

    for name in differentiable_names(sample, inputs):
        try:
            expected_vjp = vjp_by(name, sample, inputs, kernel(op))
        except (RuntimeError, NotImplementedError):
            assert name in REFUSED.get(op.name, "")
            continue
        torch.testing.assert_close(
            vjp_by(name, sample, inputs, rows),
            expected_vjp,
            rtol=RELATIVE.get(op.name, 1e-11),
            atol=1e-13,
            equal_nan=True,
        )


COMPOSITES = [op for op in ROWS if op.kind is Kind.COMPOSITE]
# a size-0 or scalar x fits these samples as it is
OF_ONE = [op for op in COMPOSITES if op.samples[0] == f"{op.name}(x)"]
OF_TWO = [op for op in COMPOSITES if op.samples[0] == f"{op.name}(x, y)" and "label" not in op.name]


@pytest.mark.parametrize("shape", [(), (0,), (2, 0), (1, 3)], ids=str)
@pytest.mark.parametrize("op", [*OF_ONE, *OF_TWO], ids=lambda op: op.name)
def test_composite_keeps_scalars_and_empty_tensors(op: Op, shape: tuple[int, ...]) -> None:
    low, high = op.domain
    x = low + (high - low) * torch.linspace(0.21, 0.87, math.prod(shape)).double().reshape(shape)
    inputs = {"x": x, "y": (x + low) / 2}

    expected = evaluate(op.samples[0], inputs, kernel(op))

    torch.testing.assert_close(
        evaluate(op.samples[0], inputs, {op.name: op.rule}), expected, equal_nan=True
    )


@pytest.mark.parametrize(
    ("op", "sample"), [*of_kind(Kind.STEP), *of_kind(Kind.COMPARE), *of_kind(Kind.MOVE)]
)
def test_rows_without_a_rule_are_known_by_name(op: Op, sample: str) -> None:
    assert op.rule is None
    result = evaluate(sample, sample_inputs(op, 0), kernel(op))
    assert tuple(result.shape) == (2, 3)
    if op.kind is Kind.COMPARE:
        assert result.dtype is torch.bool
    if op.kind is Kind.STEP:
        assert torch.equal(result, result.long().double())


def test_names_are_unique_and_paths_exist() -> None:
    names = [name for op in ROWS for name in op.names]
    assert len(names) == len(set(names))
    for op in ROWS:
        assert callable(torch_function(op.torch))
    assert not [op.name for op in ROWS if not op.samples]


HOMES = (torch, torch.special, torch.nn.functional)


@pytest.mark.parametrize("alias", [alias for op in ROWS for alias in op.aliases])
def test_alias_computes_the_same(alias: str) -> None:
    (op,) = (op for op in ROWS if alias in op.aliases)
    inputs = sample_inputs(op, 0)
    (home,) = [home for home in HOMES if hasattr(home, alias)][:1]
    called = evaluate(op.samples[0].replace(op.name, alias), inputs, {alias: getattr(home, alias)})
    torch.testing.assert_close(called, evaluate(op.samples[0], inputs, kernel(op)))
