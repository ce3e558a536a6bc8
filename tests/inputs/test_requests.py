"""Values from standard input and from decoded batch requests."""

import math

import pytest

from vjp_cli.errors import InputError
from vjp_cli.values import Generated, Value, parse_json_value, parse_value

INF = math.inf


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"1,2,3\n", Value((3,), (1.0, 2.0, 3.0))),
        (b"\xef\xbb\xbf7\r\n", Value((), (7.0,))),
        (b"1\n2\n3\n", Value((3,), (1.0, 2.0, 3.0))),
        (b"1,2\n3,4\n5,6\n", Value((3, 2), (1.0, 2.0, 3.0, 4.0, 5.0, 6.0))),
        (b"1\t2\n3\t4\n5\t6", Value((3, 2), (1.0, 2.0, 3.0, 4.0, 5.0, 6.0))),
        (b"[[1],\n[2]]\n", Value((2, 1), (1.0, 2.0))),
        (b"int64:0,2\n", Value((2,), (0, 2), "int64")),
        (b"ones(3)", Generated("ones", (3,))),
    ],
)
@pytest.mark.parametrize("text", ["-", "@-", "@/dev/stdin"])
def test_standard_input(text, data, expected):
    assert parse_value(text, "--x", lambda: data) == expected


def test_standard_input_takes_a_dtype_and_a_format():
    assert parse_value("int64:-", "--t", lambda: b"0,2") == Value((2,), (0, 2), "int64")
    assert parse_value("@csv:-", "--x", lambda: b"a,b\n1,2\n") == Value((2,), (1.0, 2.0))


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "--x: standard input is empty"),
        (b" \n", "--x: standard input is empty"),
        (b"1,\xe9", "--x: standard input is not UTF-8 (byte 3)"),
        (b"\xff\xfe1\x00", "--x: standard input is not UTF-8 (byte 1)"),
        (b"1\x00", "--x: '1\\x00' is not a number"),
        (b"@data.npy", "is not a number"),
        (b"-", "is not a number"),
        (b"1,2\n3,x\n", "--x: line 2, column 2 of standard input, 'x', is not a number"),
    ],
)
def test_standard_input_refused(data, message):
    with pytest.raises(InputError) as caught:
        parse_value("-", "--x", lambda: data)
    assert message in caught.value.message


@pytest.mark.parametrize(
    ("decoded", "expected"),
    [
        (2, Value((), (2.0,))),
        (-0.0, Value((), (-0.0,))),
        ([1, 2.5, "inf"], Value((3,), (1.0, 2.5, INF))),
        ([["-Infinity"], ["1"]], Value((2, 1), (-INF, 1.0))),
        (["1+2j", 3], Value((2,), (1 + 2j, 3 + 0j))),
        ([], Value((0,), ())),
        ([[], []], Value((2, 0), ())),
        ("Infinity", Value((), (INF,))),
        ("1,2;3,4", Value((2, 2), (1.0, 2.0, 3.0, 4.0))),
        ("int64:0,2", Value((2,), (0, 2), "int64")),
        ("ones", Generated("ones")),
        (True, Value((), (True,), "bool")),
        ([10**30], Value((1,), (1e30,))),
    ],
)
def test_json_value(decoded, expected):
    assert parse_json_value(decoded, "x") == expected


@pytest.mark.parametrize(
    ("decoded", "message"),
    [
        (None, "x: 'null' is not a number"),
        ({"a": 1}, "x: '{'a': 1}' is not a number"),
        ([1, [2]], "x: entry 2 is a list, not a number as entry 1 is"),
        ([1, "1,2"], "x: entry 2, '1,2', is not a number"),
        ([10**400], "does not fit a double"),
        ([1, {}], "x: entry 2, '{}', is not a number"),
        ("-", "x: standard input cannot be read here"),
        ("", "x has an empty value"),
    ],
)
def test_json_value_refused(decoded, message):
    with pytest.raises(InputError) as caught:
        parse_json_value(decoded, "x")
    assert message in caught.value.message
