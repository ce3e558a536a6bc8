"""The value grammar: what each text means, and how each bad one is refused."""

import math
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vjp_cli.errors import InputError, LimitError, VjpError, clean
from vjp_cli.values import Generated, Value, parse_value

INF = math.inf


@pytest.mark.parametrize(
    ("text", "shape", "numbers"),
    [
        ("3", (), (3.0,)),
        ("3,", (1,), (3.0,)),
        ("1,2,3", (3,), (1.0, 2.0, 3.0)),
        (" 1 ,\t2 ", (2,), (1.0, 2.0)),
        ("1,2,3;4,5,6", (2, 3), (1.0, 2.0, 3.0, 4.0, 5.0, 6.0)),
        ("1;2", (2, 1), (1.0, 2.0)),
        ("[[1],[2],[3]]", (3, 1), (1.0, 2.0, 3.0)),
        ("[[1, 2, 3]]", (1, 3), (1.0, 2.0, 3.0)),
        ("[[[1,2]],[[3,4]],[[5,6]]]", (3, 1, 2), (1.0, 2.0, 3.0, 4.0, 5.0, 6.0)),
        ("[]", (0,), ()),
        ("[[]]", (1, 0), ()),
        ("[[],[]]", (2, 0), ()),
        ("-1,2", (2,), (-1.0, 2.0)),
        ("−1e−4", (), (-1e-4,)),
        ("1.e24,.5,4.0e-9,1E+5,+7", (5,), (1e24, 0.5, 4e-9, 1e5, 7.0)),
        ("inf,-inf,Infinity", (3,), (INF, -INF, INF)),
        ('["inf", "-Infinity", -inf, .5]', (4,), (INF, -INF, -INF, 0.5)),
        ("5e-324,1e-400", (2,), (5e-324, 0.0)),
        ("9007199254740993", (), (9007199254740992.0,)),
        ("0.1000000000000000055511151231257827", (), (0.1,)),
    ],
)
def test_numbers(text, shape, numbers):
    value = parse_value(text, "--x")
    assert value == Value(shape, numbers)
    assert {type(entry) for entry in value.numbers} <= {float}


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("1+2j", (1 + 2j,)),
        ("2j", (2j,)),
        ("(1-2j)", (1 - 2j,)),
        ("1,-j", (1 + 0j, -1j)),
        ("[1+2j, 3]", (1 + 2j, 3 + 0j)),
    ],
)
def test_complex(text, numbers):
    value = parse_value(text, "--x")
    assert value.numbers == numbers
    assert {type(entry) for entry in value.numbers} == {complex}


def test_nan_and_negative_zero_survive():
    value = parse_value("nan,-0,-0.0", "--x")
    assert math.isnan(value.numbers[0])
    assert [math.copysign(1, entry) for entry in value.numbers[1:]] == [-1, -1]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("int64:0,2", Value((2,), (0, 2), "int64")),
        ("int64:9007199254740993", Value((), (9007199254740993,), "int64")),
        (
            "int64:-9223372036854775808,9223372036854775807",
            Value((2,), (-(2**63), 2**63 - 1), "int64"),
        ),
        ("int32:1e3", Value((), (1000,), "int32")),
        ("uint8:[[0],[255]]", Value((2, 1), (0, 255), "uint8")),
        ("int64:arange(3)", Value((3,), (0, 1, 2), "int64")),
        ("bool:1,0,1", Value((3,), (True, False, True), "bool")),
        ("[[true,false]]", Value((1, 2), (True, False), "bool")),
    ],
)
def test_own_dtype(text, expected):
    value = parse_value(text, "--t")
    assert value == expected
    assert {type(entry) for entry in value.numbers} == {bool if expected.dtype == "bool" else int}


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        ("", "--x has an empty value", "--x 1,2,3"),
        ("  ", "--x has an empty value", "--x 1,2,3"),
        ("int64:", "--x has an empty value", "--x 1,2,3"),
        ("1,2,", "--x: entry 3 of 3 is empty", "two commas, or one at the end?"),
        ("1,,2", "--x: entry 2 of 3 is empty", "two commas, or one at the end?"),
        (",", "--x: entry 1 of 2 is empty", "two commas"),
        ("1,2;", "--x: row 2 of 2 is empty", "[[1,2]]"),
        ("1,;2,3", "--x: row 1, entry 2 of 2 is empty", "two commas"),
        ("1,2;3", "--x: row 2 has 1 entry, row 1 has 2", "every row"),
        ("1,2;3,x", "--x: row 2, entry 2, 'x', is not a number", "numbers look like"),
        ("1,two", "--x: entry 2, 'two', is not a number", "numbers look like 1, -0.5, 1e-4"),
        ("two", "--x: 'two' is not a number", "numbers look like"),
        ("0x10", "--x: '0x10' is not a number", "decimal"),
        ("1_000", "--x: '1_000' is not a number", "without underscores"),
        ("１", "--x: '１' is not a number", "digits 0 to 9"),
        ("١", "--x: '١' is not a number", "digits 0 to 9"),
        ("1/2", "--x: '1/2' is not a number", "0.5"),
        ("1 2", "--x: '1 2' is not a number", "commas"),
        ("1\n2", "--x: '1\\x0a2' is not a number", "commas"),
        ("1+2i", "--x: '1+2i' is not a number", "j"),
        ("--1", "--x: '--1' is not a number", "numbers look like"),
        ("true", "--x: 'true' is not a number", "bool:1,0,1"),
        ("x.npy", "--x: 'x.npy' is not a number", "@"),
        ("1e400", "--x: '1e400' does not fit a double", "write inf if you mean infinity"),
        ("1,-1e99999", "--x: entry 2, '-1e99999', does not fit a double", "write inf"),
        ("inf-1e400j", "--x: 'inf-1e400j' does not fit a double", "write inf"),
        ("1,\x1b[2J", "--x: entry 2, '\\x1b[2J', is not a number", "numbers look like"),
        ("1,__import__('os')", "--x: entry 2, '__import__('os')', is not a number", ""),
        ("ones(2),1", "--x: entry 1, 'ones(2)', is not a number", "whole value"),
        ("[1 2]", "--x: not a JSON array: expecting ',' delimiter at character 4", "[1,2]"),
        ("[inf, 1", "--x: not a JSON array: expecting ',' delimiter at character 8", ""),
        ("[[1,2],\n[3 4]]", "expecting ',' delimiter at line 2, column 4", ""),
        ("[1]]", "--x: not a JSON array: extra data at character 4", ""),
        ("[1,]", "--x: not a JSON array", ""),
        ("[[1,2],[3]]", "--x: row 2 has 1 entry, row 1 has 2", "every row"),
        ("[[[1,2]],[[3]]]", "--x: [1][0] has 1 entry, [0][0] has 2", "every row"),
        ("[1,[2]]", "--x: entry 2 is a list, not a number as entry 1 is", ""),
        ("[[1],2]", "--x: entry 2 is a number, not a list as entry 1 is", ""),
        ('[[1,"a"]]', "--x: row 1, entry 2, 'a', is not a number", ""),
        ("[[[1,a]]]", "--x: [0][0][1], 'a', is not a number", ""),
        ("[1,null]", "--x: entry 2, 'null', is not a number", "lists of numbers"),
        ("[1,true]", "--x: entry 2, 'true', stands among numbers", "throughout"),
        ('{"a":1,"a":2}', "is not a number", "lists of numbers"),
        ("[1,1e400]", "--x: entry 2, '1e400', does not fit a double", "write inf"),
        ("[" * 100_000, "--x: the lists are nested too deeply", ""),
        ("int64:2.5", "--x: '2.5' is not an integer", "whole"),
        ("int64:1,nan", "--x: entry 2, 'nan', is not an integer", "whole"),
        ("int64:1j", "--x: '1j' is not an integer", "whole"),
        ("int64:9223372036854775808", "does not fit int64", "9223372036854775807"),
        ("uint8:[[1,-1]]", "--x: row 1, entry 2, '-1', does not fit uint8", "from 0 to 255"),
        ("bool:0,2", "--x: entry 2, '2', is neither 0 nor 1", "bool:1,0,1"),
        ("int64:randn(3)", "--x: randn does not make int64 numbers", ""),
        ("float32:1", "--x: float32 is not the dtype of a constant", "--dtype float32"),
        ("long:1", "--x: unknown dtype 'long'", "int64"),
        ("-", "--x: standard input cannot be read here", "@path"),
    ],
)
def test_refused(text, message, hint):
    with pytest.raises(InputError) as caught:
        parse_value(text, "--x")
    assert message in caught.value.message
    assert hint in caught.value.hint
    assert "\n" not in caught.value.message


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("," * 10_000_000, "--x has 10,000,001 elements"),
        ("[" + "," * 10_000_000 + "]", "--x has 10,000,001 elements"),
        ("[" * 33 + "1" + "]" * 33, "--x has 33 dimensions; the limit is 32"),
    ],
)
def test_limits(text, message):
    with pytest.raises(LimitError) as caught:
        parse_value(text, "--x")
    assert message in caught.value.message


@given(st.lists(st.floats(allow_nan=False), min_size=2))
def test_round_trip_is_exact(numbers):
    expected = [entry.hex() for entry in numbers]
    for text in (",".join(map(repr, numbers)), repr(numbers)):
        value = parse_value(text, "--x")
        assert value.shape == (len(numbers),)
        assert [entry.hex() for entry in value.numbers] == expected


@given(st.lists(st.complex_numbers(allow_nan=False), min_size=2))
def test_complex_round_trip_is_exact(numbers):
    value = parse_value(",".join(map(repr, numbers)), "--x")
    assert repr(list(value.numbers)) == repr(numbers)


WORDS = (
    "1 2.5 -1 1e9 inf nan 1j , ; [ ] ( ) { } : \" ' _ @ - − 0x ones eye( e1 arange( int64: bool: "
    "true null １ 1e400 @csv: .npz:a"
)
FRAGMENTS = st.sampled_from([*WORDS.split(), " ", "\n", "\t", "\x1b", "\ud800", "\u202e"])


@given(st.text() | st.lists(FRAGMENTS, max_size=12).map("".join))
def test_any_text_is_a_value_or_an_error_of_ours(text):
    outcome = outcome_of(text)
    if isinstance(outcome, VjpError):
        assert clean(outcome.message) == outcome.message
        assert clean(outcome.hint) == outcome.hint
    else:
        assert isinstance(outcome, Generated) or len(outcome.numbers) == math.prod(outcome.shape)


def outcome_of(text):
    try:
        return parse_value(text, "--x", lambda: text.encode("utf-8", "surrogatepass"))
    except VjpError as error:
        return error


def test_no_heavy_library_is_imported():
    code = (
        "import sys; from vjp_cli.values import parse_value;"
        "parse_value('1,2;3,4', '--x'); parse_value('[[1],[2]]', '--x'); parse_value('e0', '--v');"
        "print([name for name in ('torch', 'numpy', 'sympy') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
