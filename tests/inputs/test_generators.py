"""Values that are described rather than listed."""

import pytest

from vjp_cli.errors import InputError, LimitError
from vjp_cli.values import Generated, Value, parse_value


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ones", Generated("ones")),
        ("zeros(0)", Generated("zeros", (0,))),
        ("ones(0,3)", Generated("ones", (0, 3))),
        ("rand(3,)", Generated("rand", (3,))),
        ("randn( 2, 3 )", Generated("randn", (2, 3))),
        ("randn((2,3))", Generated("randn", (2, 3))),
        ("randn()", Generated("randn", ())),
        ("e0", Generated("basis")),
        ("e12", Generated("basis", index=12)),
        ("e5(2,3)", Generated("basis", (2, 3), 5)),
        ("int64:zeros(2)", Generated("zeros", (2,), dtype="int64")),
        ("bool:ones", Generated("ones", dtype="bool")),
    ],
)
def test_generated(text, expected):
    assert parse_value(text, "--x") == expected


@pytest.mark.parametrize(
    ("text", "shape", "numbers"),
    [
        ("eye(2)", (2, 2), (1.0, 0.0, 0.0, 1.0)),
        ("eye(2,3)", (2, 3), (1.0, 0.0, 0.0, 0.0, 1.0, 0.0)),
        ("linspace(0,1,5)", (5,), (0.0, 0.25, 0.5, 0.75, 1.0)),
        ("linspace(−1,1,2)", (2,), (-1.0, 1.0)),
        ("linspace(3,7,1)", (1,), (3.0,)),
        ("linspace(0,1,0)", (0,), ()),
        ("arange(3)", (3,), (0.0, 1.0, 2.0)),
        ("arange(1,4)", (3,), (1.0, 2.0, 3.0)),
        ("arange(0,1,0.25)", (4,), (0.0, 0.25, 0.5, 0.75)),
        ("arange(3,0,-2)", (2,), (3.0, 1.0)),
        ("arange(0)", (0,), ()),
    ],
)
def test_numbers(text, shape, numbers):
    assert parse_value(text, "--x") == Value(shape, numbers)


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        ("onse(3)", "--x: unknown generator 'onse'", "did you mean 'ones'?"),
        ("one", "--x: unknown generator 'one'", "did you mean 'ones'?"),
        ("foo(3)", "--x: unknown generator 'foo'", "linspace"),
        ("eye", "--x: eye needs arguments", "eye(3)"),
        ("eye()", "--x: eye(): wrong number of arguments", "eye(3)"),
        ("ones(-1)", "--x: ones(-1): '-1' is not a size", "whole numbers"),
        ("ones(2.5)", "--x: ones(2.5): '2.5' is not a size", "whole numbers"),
        ("ones(2,,3)", "--x: ones(2,,3): '' is not a size", "whole numbers"),
        ("e3(3)", "--x: e3(3): position 3 is not among the 3 elements", "from 0"),
        ("e0(0)", "--x: e0(0): position 0 is not among the 0 elements", "from 0"),
        ("linspace(0,inf,3)", "'inf' is not finite and real", ""),
        ("linspace(0,1)", "wrong number of arguments", "linspace(0,1,5)"),
        ("linspace(0,a,3)", "linspace(0,a,3): 'a' is not a number", "numbers look like"),
        ("arange(0,1,0)", "the step is 0", "arange(0,1,0.25)"),
        ("arange(3,0)", "the step leads away from the end", "arange(3,0,-1)"),
    ],
)
def test_refused(text, message, hint):
    with pytest.raises(InputError) as caught:
        parse_value(text, "--x")
    assert message in caught.value.message
    assert hint in caught.value.hint


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("randn(100000,100000)", "randn(100000,100000) has 10,000,000,000 elements; the limit is"),
        ("ones(0,10000000000)", "elements; the limit is 10,000,000"),
        ("zeros(" + "9" * 5000 + ")", "far too many elements"),
        ("eye(100000)", "10,000,000,000 elements"),
        ("linspace(0,1,10000001)", "10,000,001 elements"),
        ("arange(1e300)", "elements"),
        ("arange(-1e308,1e308,1e-300)", "far too many elements"),
        ("e" + "9" * 5000, "elements"),
        ("ones(" + "1," * 32 + "1)", "33 dimensions"),
    ],
)
def test_limits(text, message):
    with pytest.raises(LimitError) as caught:
        parse_value(text, "--x")
    assert message in caught.value.message
