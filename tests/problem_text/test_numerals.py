"""Numbers as text: few digits, the same bits."""

import struct
from math import inf, nan

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from vjp_cli.binding import tensor
from vjp_cli.problem_text.numerals import constant_text, value_text
from vjp_cli.report import Array
from vjp_cli.settings import Settings
from vjp_cli.values import parse_value

BITS = {
    "float64": torch.int64,
    "float32": torch.int32,
    "float16": torch.int16,
    "bfloat16": torch.int16,
}


def read(text, dtype="float64"):
    return tensor(parse_value(text, "--x"), Settings(dtype=dtype))


@pytest.mark.parametrize(
    ("shape", "numbers", "text"),
    [
        ((), (3.0,), "3"),
        ((1,), (0.5,), "0.5,"),
        ((3,), (0.1, -1.0, 1e-4), "0.1,-1,0.0001"),
        ((2, 3), (1.0, 2.0, 3.0, 4.0, 5.0, 6.0), "1,2,3;4,5,6"),
        ((3, 1), (1.0, 2.0, 3.0), "1;2;3"),
        ((1, 2), (1.0, 2.0), "[[1,2]]"),
        ((1, 2, 1), (1.0, -0.0), "[[[1],[-0]]]"),
        ((0,), (), "zeros(0)"),
        ((2, 0), (), "zeros(2,0)"),
        ((4,), (inf, -inf, nan, 1e300), "inf,-inf,nan,1e300"),
        ((2,), (5e-324, 0.1 + 0.2), "5e-324,0.30000000000000004"),
    ],
)
def test_text_of_each_shape(shape, numbers, text):
    assert value_text(Array(shape, numbers), "float64") == text
    back = read(text)
    assert tuple(back.shape) == shape
    assert str(back.reshape(-1).tolist()) == str(list(numbers))


@pytest.mark.parametrize(
    ("dtype", "number", "text"),
    [
        ("float32", 0.10000000149011612, "0.1"),
        ("float32", 16777216.0, "16777216"),
        ("float16", 0.0999755859375, "0.1"),
        ("bfloat16", 0.10009765625, "0.1"),
        ("bfloat16", 3.3895313892515355e38, "3.39e38"),
        ("float32", 1.401298464324817e-45, "1e-45"),
    ],
)
def test_few_digits_in_a_short_dtype(dtype, number, text):
    assert value_text(Array((), (number,)), dtype) == text


@pytest.mark.parametrize(
    ("numbers", "text"),
    [
        ((1 + 2j, -0.5 - 1j), "1+2j,-0.5-1j"),
        ((1 + 0j, 2 + 0j), "1,2"),
        ((complex(1, -0.0), 2 + 0j), "1-0j,2+0j"),
        ((complex(nan, inf), complex(-0.0, -inf)), "nan+infj,-0-infj"),
    ],
)
def test_complex_numbers(numbers, text):
    assert value_text(Array((2,), numbers), "complex128") == text
    assert str(read(text, "complex128").tolist()) == str(list(numbers))


def test_complex64_has_few_digits():
    single = complex(0.10000000149011612, 0.20000000298023224)
    assert value_text(Array((), (single,)), "complex64") == "0.1+0.2j"


@pytest.mark.parametrize(
    ("shape", "numbers", "dtype", "text"),
    [
        ((2,), (0, 2), "int64", "int64:0,2"),
        ((), (9007199254740993,), "int64", "int64:9007199254740993"),
        ((2, 2), (True, False, False, True), "bool", "bool:1,0;0,1"),
        ((1, 1), (-3,), "int8", "int8:[[-3]]"),
        ((0, 3), (), "int64", "int64:zeros(0,3)"),
    ],
)
def test_constants(shape, numbers, dtype, text):
    assert constant_text(Array(shape, numbers), dtype) == text
    back = read(text)
    assert (tuple(back.shape), str(back.dtype)) == (shape, f"torch.{dtype}")
    assert back.reshape(-1).tolist() == list(numbers)


@pytest.mark.parametrize("dtype", BITS)
@given(data=st.data())
@settings(max_examples=60, deadline=None)
def test_any_bits_come_back(dtype, data):
    width = torch.tensor([], dtype=BITS[dtype]).element_size()
    raw = data.draw(st.binary(min_size=width, max_size=width * 5))
    count = len(raw) // width
    form = {2: "h", 4: "i", 8: "q"}[width]
    bits = torch.tensor(struct.unpack(f"<{count}{form}", raw[: count * width]), dtype=BITS[dtype])
    value = bits.view(getattr(torch, dtype))
    text = value_text(Array((count,), tuple(value.tolist())), dtype)
    back = read(text, dtype)
    same = (back.view(BITS[dtype]) == bits) | (back.isnan() & value.isnan())
    assert bool(same.all()), text
