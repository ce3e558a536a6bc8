"""From values to tensors: rounded once, generated with a seed, checked against y."""

import math

import numpy
import pytest
import torch

from vjp_cli.binding import bind, cotangent, tensor
from vjp_cli.errors import InputError
from vjp_cli.settings import Settings
from vjp_cli.values import Generated, Value, parse_value

DOUBLE = Settings()


def bound(text: str, settings: Settings = DOUBLE) -> torch.Tensor:
    return tensor(parse_value(text, "--x"), settings)


@pytest.mark.parametrize(
    ("dtype", "expected"),
    [
        ("float64", 0.1),
        ("float32", 0.10000000149011612),
        ("float16", 0.0999755859375),
        ("bfloat16", 0.10009765625),
    ],
)
def test_numbers_are_rounded_to_the_dtype(dtype: str, expected: float) -> None:
    found = bound("0.1,1;2,3", Settings(dtype=dtype))
    assert found.dtype == getattr(torch, dtype)
    assert found.shape == (2, 2)
    assert found.tolist()[0][0] == expected


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
def test_numbers_are_rounded_as_torch_rounds_them(dtype: str) -> None:
    numbers = (1 + 2.0**-8 + 2.0**-30, 0.1, 1e30, 1e-30, 65519.9)
    found = tensor(Value((5,), numbers), Settings(dtype=dtype))
    assert found.tolist() == torch.tensor(numbers, dtype=getattr(torch, dtype)).tolist()


@pytest.mark.parametrize(
    ("text", "shape", "numbers"),
    [
        ("3", (), 3.0),
        ("3,", (1,), [3.0]),
        ("1,2;3,4;5,6", (3, 2), [[1, 2], [3, 4], [5, 6]]),
        ("[]", (0,), []),
        ("[[],[]]", (2, 0), [[], []]),
        ("-1,inf", (2,), [-1, math.inf]),
    ],
)
def test_shapes(text: str, shape: tuple[int, ...], numbers: object) -> None:
    found = bound(text)
    assert tuple(found.shape) == shape
    assert found.tolist() == numbers


@pytest.mark.parametrize(
    ("text", "dtype", "numbers"),
    [
        ("int64:0,2", torch.int64, [0, 2]),
        ("bool:1,0", torch.bool, [True, False]),
        ("int32:9007199254740993", torch.int32, None),
        ("int64:9007199254740993,", torch.int64, [9007199254740993]),
    ],
)
def test_constants_keep_their_dtype(text: str, dtype: torch.dtype, numbers: object) -> None:
    if numbers is None:
        with pytest.raises(InputError):
            bound(text)
        return
    found = bound(text, Settings(dtype="float16"))
    assert (found.dtype, found.tolist()) == (dtype, numbers)


def test_inputs_and_constants_are_kept_apart() -> None:
    values = {"x": parse_value("1,2", "--x"), "i": parse_value("int64:1", "--i")}
    found = bind(values, DOUBLE)
    assert list(found.inputs) == ["x"]
    assert list(found.constants) == ["i"]


def test_generated_values_follow_the_seed_and_the_order() -> None:
    values = {name: Generated("randn", (2, 3)) for name in ("a", "b")}
    first, again = bind(values, Settings(seed=7)), bind(values, Settings(seed=7))
    other = bind(values, Settings(seed=8))
    assert torch.equal(first.inputs["a"], again.inputs["a"])
    assert torch.equal(first.inputs["b"], again.inputs["b"])
    assert not torch.equal(first.inputs["a"], first.inputs["b"])
    assert not torch.equal(first.inputs["a"], other.inputs["a"])


def test_a_seed_means_the_same_numbers_in_every_dtype() -> None:
    double = bind({"x": Generated("rand", (4,))}, DOUBLE).inputs["x"]
    single = bind({"x": Generated("rand", (4,))}, Settings(dtype="float32")).inputs["x"]
    assert torch.equal(double.float(), single)
    assert bool(((double >= 0) & (double < 1)).all())


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (Generated("ones", (2, 1)), [[1], [1]]),
        (Generated("zeros", (2,)), [0, 0]),
        (Generated("basis", (2, 2), 2), [[0, 0], [1, 0]]),
        (Generated("ones", ()), 1),
    ],
)
def test_generated_kinds(value: Generated, expected: object) -> None:
    assert tensor(value, DOUBLE).tolist() == expected


def test_a_generated_value_needs_a_shape_that_fits() -> None:
    with pytest.raises(InputError, match="--x: 'randn' needs a shape") as caught:
        bind({"x": Generated("randn", None)}, DOUBLE)
    assert "randn(3)" in caught.value.hint
    with pytest.raises(InputError, match="e3 does not fit 3 elements"):
        tensor(Generated("basis", (3,), 3), DOUBLE)


def test_arrays_of_files() -> None:
    array = numpy.arange(6, dtype="float64").reshape(2, 3)[:, ::-1]
    assert tensor(Value((2, 3), array), DOUBLE).tolist() == [[2, 1, 0], [5, 4, 3]]


def test_complex_values_need_a_complex_dtype() -> None:
    with pytest.raises(InputError, match="complex dtype") as caught:
        bound("1+2j,")
    assert "complex128" in caught.value.hint
    assert bound("1+2j,", Settings(dtype="complex128")).tolist() == [1 + 2j]


Y = torch.zeros(3, 2, dtype=torch.float32)


def test_v_has_the_shape_and_dtype_of_y() -> None:
    found = cotangent(parse_value("1,2;3,4;5,0.1", "--v"), Y, DOUBLE)
    assert (found.shape, found.dtype) == (Y.shape, torch.float32)
    assert found.tolist()[2] == [5, 0.10000000149011612]
    assert cotangent(Generated("ones", None), Y, DOUBLE).tolist() == [[1, 1]] * 3
    assert cotangent(Generated("basis", None, 3), Y, DOUBLE).tolist() == [[0, 0], [0, 1], [0, 0]]


@pytest.mark.parametrize("shape", [(), (1,), (1, 1)])
def test_one_element_needs_no_v(shape: tuple[int, ...]) -> None:
    y = torch.zeros(shape, dtype=torch.float64)
    assert cotangent(None, y, DOUBLE).tolist() == torch.ones(shape).tolist()
    given = cotangent(parse_value("5", "--v"), y, DOUBLE)
    assert (given.shape, given.sum().item()) == (shape, 5)
    assert cotangent(parse_value("5,", "--v"), y, DOUBLE).shape == shape


def test_several_elements_need_a_v() -> None:
    assert cotangent(None, Y, DOUBLE) is None
    assert cotangent(None, Y[:0], DOUBLE) is None


@pytest.mark.parametrize(
    ("text", "y", "message"),
    [
        ("1,2", (3,), "v has the shape 2 and y has the shape 3"),
        ("1,2,3", (3, 1), "v has the shape 3 and y has the shape 3x1"),
        ("5", (3,), "v has the shape scalar and y has the shape 3"),
        ("1,2", (), "v has the shape 2 and y has the shape scalar"),
        ("1,2;3,4", (4,), "v has the shape 2x2 and y has the shape 4"),
    ],
)
def test_v_of_another_shape(text: str, y: tuple[int, ...], message: str) -> None:
    with pytest.raises(InputError) as caught:
        cotangent(parse_value(text, "--v"), torch.zeros(y), DOUBLE)
    assert caught.value.message == message
    assert "--v ones" in caught.value.hint
