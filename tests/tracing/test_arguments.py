"""Arguments of traced calls: how torch rounds scalars, promotes dtypes and broadcasts."""

import pytest
import torch

from tests.tracing.helpers import floats, leaf
from vjp_cli.numbers.scalar import exact
from vjp_cli.tracing.arguments import (
    as_node,
    broadcast_map,
    broadcast_shape,
    find_tape,
    result_dtype,
    round_scalar,
)
from vjp_cli.tracing.tape import Tape
from vjp_cli.tracing.tracer import Untraceable


@pytest.mark.parametrize(
    ("value", "dtype", "operation", "expected"),
    [
        (0.1, "float64", "add", 0.1),
        (0.1, "float64", "mul", 0.1),
        (0.1, "float32", "add", 0.10000000149011612),
        (0.1, "float32", "mul", 0.10000000149011612),
        # half precision: added as rounded, multiplied as float32 has it
        (0.1, "float16", "add", 0.0999755859375),
        (0.1, "float16", "mul", 0.10000000149011612),
        (0.1, "float16", "div", 0.10000000149011612),
        (0.1, "bfloat16", "sub", 0.10009765625),
        (0.1, "bfloat16", "mul", 0.10000000149011612),
        (256, "bfloat16", "add", 256),
        (257, "bfloat16", "add", 256.0),
        (16777217, "float32", "add", 16777216.0),
        (True, "float32", "add", 1),
    ],
)
def test_scalars_round_as_the_operation_rounds_them(
    value: float, dtype: str, operation: str, expected: float
) -> None:
    assert round_scalar(value, dtype, operation) == expected


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32"])
@pytest.mark.parametrize("operation", ["add", "sub", "mul", "div"])
def test_torch_rounds_scalars_so(dtype: str, operation: str) -> None:
    """Torch's own result is the exact one for the rounded scalar, rounded once."""
    kind = getattr(torch, dtype)
    x = torch.linspace(-3, 3, 41, dtype=torch.float64).to(kind)
    scalar = round_scalar(0.1, dtype, operation)
    exact_result = getattr(torch, operation)(x.double(), torch.tensor(scalar, dtype=torch.float64))
    assert torch.equal(getattr(torch, operation)(x, 0.1), exact_result.to(kind))


def test_nodes_of_scalars_tensors_and_tracers() -> None:
    tape = Tape(100)
    x = leaf(tape, "x", [1, 2])
    assert as_node(tape, x, "float64") is x.node
    scalar = as_node(tape, 0.1, "float16", "mul")
    assert (scalar.shape, scalar.values.tolist()) == ((), [exact(0.10000000149011612)])
    tensor = as_node(tape, torch.tensor([[1.5], [2.5]], dtype=torch.float32), "float64")
    assert (tensor.shape, tensor.dtype, floats(tensor)) == ((2, 1), "float32", [1.5, 2.5])
    whole = as_node(tape, torch.tensor([3]), "float64")
    assert (whole.dtype, floats(whole)) == ("float64", [3])


def test_what_is_no_operand() -> None:
    with pytest.raises(Untraceable, match="a str as an operand"):
        as_node(Tape(100), "text", "float64")


def test_result_dtypes_are_those_of_torch() -> None:
    tape = Tape(100)
    single = leaf(tape, "x", [1, 2], dtype="float32")
    double = leaf(tape, "y", [1, 2])
    scalar = leaf(tape, "s", [1], ())
    assert result_dtype((single, 2.5)) == "float32"
    assert result_dtype((single, double)) == "float64"
    assert result_dtype((single, torch.tensor([1, 2]))) == "float32"
    assert result_dtype((torch.tensor([True, False]), double)) == "float64"
    # a tensor with axes decides over one without
    assert result_dtype((single, scalar)) == "float32"
    assert result_dtype((scalar, single, scalar)) == "float32"
    assert result_dtype((2, torch.tensor([1, 2]))) == "float32"


def test_the_tape_is_found_inside_lists_and_dicts() -> None:
    tape = Tape(100)
    x = leaf(tape, "x", [1, 2])
    assert find_tape(1, [2, (3, x)]) is tape
    assert find_tape(1, {"input": x}) is tape
    with pytest.raises(LookupError):
        find_tape(1, [2], {"a": 3})


def test_broadcasting() -> None:
    tape = Tape(100)
    column = leaf(tape, "a", [1, 2, 3], (3, 1)).node
    row = leaf(tape, "b", [1, 2], (2,)).node
    assert broadcast_shape((column, row)) == (3, 2)
    assert broadcast_map((3, 1), (3, 2)).tolist() == [0, 0, 1, 1, 2, 2]
    assert broadcast_map((2,), (3, 2)).tolist() == [0, 1, 0, 1, 0, 1]
    assert broadcast_map((), (2, 1)).tolist() == [0, 0]
    assert broadcast_map((1, 0), (3, 0)).tolist() == []
