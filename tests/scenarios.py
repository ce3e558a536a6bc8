"""Problems whose Jacobian, pattern and vᵀJ were worked out by hand."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from vjp_cli.expression import parse
from vjp_cli.inspection import Request, inspect
from vjp_cli.report import Report
from vjp_cli.settings import Settings
from vjp_cli.values import parse_value


def solve(
    expression: str,
    inputs: Mapping[str, str],
    v: str | None = None,
    settings: Settings | None = None,
) -> Report:
    """The report of one problem, with values as they are written on the command line."""
    values = {name: parse_value(text, f"--{name}") for name, text in inputs.items()}
    cotangent = None if v is None else parse_value(v, "--v")
    return inspect(Request(parse(expression), values, cotangent), settings or Settings())


@dataclass(frozen=True)
class Scenario:
    """One problem and its answer.

    Attributes:
        jacobian: for each input nested lists of shape y.shape + x.shape.
        pattern: for each input one word a row of J; ``x`` for an entry that can be non-zero.
        vjp: for each input nested lists of its shape.
    """

    expression: str
    inputs: Mapping[str, str]
    v: str | None
    jacobian: Mapping[str, Any]
    pattern: Mapping[str, str]
    vjp: Mapping[str, Any]
    dtype: str = "float64"


# softmax of (0, 1, 2)
_TOTAL = 1 + math.e + math.e**2
_P = [1 / _TOTAL, math.e / _TOTAL, math.e**2 / _TOTAL]

SCENARIOS = (
    Scenario(
        "2*(x+2)**2",
        {"x": "1,2,3"},
        "0.1,1,1e-4",
        {"x": [[12, 0, 0], [0, 16, 0], [0, 0, 20]]},
        {"x": "x.. .x. ..x"},
        {"x": [1.2, 16, 0.002]},
    ),
    Scenario(
        "k @ x",
        {"k": "1,2;3,4;5,6", "x": "7,8"},
        "1,0,2",
        {
            "k": [
                [[7, 8], [0, 0], [0, 0]],
                [[0, 0], [7, 8], [0, 0]],
                [[0, 0], [0, 0], [7, 8]],
            ],
            "x": [[1, 2], [3, 4], [5, 6]],
        },
        {"k": "xx.... ..xx.. ....xx", "x": "xx xx xx"},
        {"k": [[7, 8], [0, 0], [14, 16]], "x": [11, 14]},
    ),
    Scenario(
        "sum(k @ x)",
        {"k": "1,2;3,4;5,6", "x": "7,8"},
        None,
        {"k": [[7, 8], [7, 8], [7, 8]], "x": [9, 12]},
        {"k": "xxxxxx", "x": "xx"},
        {"k": [[7, 8], [7, 8], [7, 8]], "x": [9, 12]},
    ),
    Scenario(
        "a*b",
        {"a": "[[2],[3],[4]]", "b": "[[5,7]]"},
        "1,2;3,4;5,6",
        {
            "a": [
                [[[5], [0], [0]], [[7], [0], [0]]],
                [[[0], [5], [0]], [[0], [7], [0]]],
                [[[0], [0], [5]], [[0], [0], [7]]],
            ],
            "b": [[[[2, 0]], [[0, 2]]], [[[3, 0]], [[0, 3]]], [[[4, 0]], [[0, 4]]]],
        },
        {"a": "x.. x.. .x. .x. ..x ..x", "b": "x. .x x. .x x. .x"},
        {"a": [[19], [43], [67]], "b": [[31, 40]]},
    ),
    Scenario(
        "x[2:] - 2*x[1:-1] + x[:-2]",
        {"x": "1,4,9,16,27"},
        "1,10,100",
        {"x": [[1, -2, 1, 0, 0], [0, 1, -2, 1, 0], [0, 0, 1, -2, 1]]},
        {"x": "xxx.. .xxx. ..xxx"},
        {"x": [1, 8, 81, -190, 100]},
    ),
    Scenario(
        "softmax(x, 0)[1:]",
        {"x": "0,1,2"},
        "1,3",
        {
            "x": [
                [-_P[1] * _P[0], _P[1] * (1 - _P[1]), -_P[1] * _P[2]],
                [-_P[2] * _P[0], -_P[2] * _P[1], _P[2] * (1 - _P[2])],
            ]
        },
        {"x": "xxx xxx"},
        {
            "x": [
                -_P[0] * (_P[1] + 3 * _P[2]),
                _P[1] * (1 - _P[1] - 3 * _P[2]),
                _P[2] * (3 - _P[1] - 3 * _P[2]),
            ]
        },
    ),
    Scenario(
        "cumsum(x, 0)[1:]",
        {"x": "3,5,7"},
        "1,10",
        {"x": [[1, 1, 0], [1, 1, 1]]},
        {"x": "xx. xxx"},
        {"x": [11, 11, 10]},
    ),
    Scenario(
        "flip(x, [0])[:2]",
        {"x": "3,5,7"},
        "1,10",
        {"x": [[0, 0, 1], [0, 1, 0]]},
        {"x": "..x .x."},
        {"x": [0, 10, 1]},
    ),
    Scenario(
        "where(m, x, 4*t)",
        {"m": "bool:1,0,1", "x": "1,2,3", "t": "5,6,7"},
        "1,10,100",
        {"x": [[1, 0, 0], [0, 0, 0], [0, 0, 1]], "t": [[0, 0, 0], [0, 4, 0], [0, 0, 0]]},
        {"x": "x.. ... ..x", "t": "... .x. ..."},
        {"x": [1, 0, 100], "t": [0, 40, 0]},
    ),
    Scenario("prod(x)", {"x": "2,0,3"}, None, {"x": [0, 6, 0]}, {"x": "xxx"}, {"x": [0, 6, 0]}),
    Scenario("x*x*x", {"x": "2"}, "10", {"x": 12}, {"x": "x"}, {"x": 120}),
    Scenario("x*[1, 2, 3]", {"x": "5"}, "1,10,100", {"x": [1, 2, 3]}, {"x": "x x x"}, {"x": 321}),
    Scenario("2*x", {"x": "[]"}, "[]", {"x": []}, {"x": ""}, {"x": []}),
    Scenario(
        "a + sum(x)",
        {"a": "1,2", "x": "[]"},
        "3,4",
        {"a": [[1, 0], [0, 1]], "x": [[], []]},
        {"a": "x. .x", "x": "- -"},
        {"a": [3, 4], "x": []},
    ),
    Scenario(
        "sum(x*x, 1, keepdim=True)",
        {"x": "[[1,2,3]]"},
        "[[10]]",
        {"x": [[[[2, 4, 6]]]]},
        {"x": "xxx"},
        {"x": [[20, 40, 60]]},
    ),
    Scenario(
        "a*x + b",
        {"a": "2", "x": "3,4", "b": "[5]"},
        "1,10",
        {"a": [3, 4], "x": [[2, 0], [0, 2]], "b": [[1], [1]]},
        {"a": "x x", "x": "x. .x", "b": "x x"},
        {"a": 43, "x": [2, 20], "b": [11]},
    ),
    Scenario(
        "A @ B",
        {"A": "[[2,3]]", "B": "4,5;6,7"},
        "[[1,10]]",
        {
            "A": [[[[4, 6]], [[5, 7]]]],
            "B": [[[[2, 0], [3, 0]], [[0, 2], [0, 3]]]],
        },
        {"A": "xx xx", "B": "x.x. .x.x"},
        {"A": [[54, 76]], "B": [[2, 20], [3, 30]]},
    ),
    Scenario(
        "3*x[i]",
        {"x": "5,6,7", "i": "int64:2,0,2,2"},
        "1,10,100,1000",
        {"x": [[0, 0, 3], [3, 0, 0], [0, 0, 3], [0, 0, 3]]},
        {"x": "..x x.. ..x ..x"},
        {"x": [30, 0, 3303]},
    ),
    Scenario(
        "gather(x, 1, i)",
        {"x": "1,2,3;4,5,6", "i": "int64:2;0"},
        "[[1],[10]]",
        {"x": [[[[0, 0, 1], [0, 0, 0]]], [[[0, 0, 0], [1, 0, 0]]]]},
        {"x": "..x... ...x.."},
        {"x": [[0, 0, 1], [10, 0, 0]]},
    ),
    Scenario(
        "x[m]**2",
        {"x": "1,2,3;4,5,6", "m": "bool:0,1,0;1,0,0"},
        "1,10",
        {"x": [[[0, 4, 0], [0, 0, 0]], [[0, 0, 0], [8, 0, 0]]]},
        {"x": ".x.... ...x.."},
        {"x": [[0, 4, 0], [80, 0, 0]]},
    ),
    Scenario(
        "A @ B",
        {"A": "[[[2,3]],[[4,5]]]", "B": "[[[6],[7]],[[8],[9]]]"},
        "[[[1]],[[10]]]",
        {
            "A": [[[[[[6, 7]], [[0, 0]]]]], [[[[[0, 0]], [[8, 9]]]]]],
            "B": [[[[[[2], [3]], [[0], [0]]]]], [[[[[0], [0]], [[4], [5]]]]]],
        },
        {"A": "xx.. ..xx", "B": "xx.. ..xx"},
        {"A": [[[6, 7]], [[80, 90]]], "B": [[[2], [3]], [[40], [50]]]},
    ),
    # 0.1 in float32 is 0.100000001490116…, in bfloat16 0.10009765625, in float16 0.0999755859375
    Scenario(
        "x*x",
        {"x": "0.1,3"},
        "1,10",
        {"x": [[0.20000000298023224, 0], [0, 6]]},
        {"x": "x. .x"},
        {"x": [0.20000000298023224, 60]},
        "float32",
    ),
    Scenario(
        "x*x",
        {"x": "0.1,3"},
        "1,10",
        {"x": [[0.2001953125, 0], [0, 6]]},
        {"x": "x. .x"},
        {"x": [0.2001953125, 60]},
        "bfloat16",
    ),
    Scenario(
        "x*x",
        {"x": "0.1,3"},
        "1,10",
        {"x": [[0.199951171875, 0], [0, 6]]},
        {"x": "x. .x"},
        {"x": [0.199951171875, 60]},
        "float16",
    ),
    Scenario(
        "x*sin(t)",
        {"x": "2,3", "t": "1"},
        "1,10",
        {
            "x": [[math.sin(1), 0], [0, math.sin(1)]],
            "t": [2 * math.cos(1), 3 * math.cos(1)],
        },
        {"x": "x. .x", "t": "x x"},
        {"x": [math.sin(1), 10 * math.sin(1)], "t": 32 * math.cos(1)},
    ),
    Scenario(
        "mean(x, 0)",
        {"x": "1,2;3,4;5,6;7,8"},
        "4,40",
        {
            "x": [
                [[0.25, 0], [0.25, 0], [0.25, 0], [0.25, 0]],
                [[0, 0.25], [0, 0.25], [0, 0.25], [0, 0.25]],
            ]
        },
        {"x": "x.x.x.x. .x.x.x.x"},
        {"x": [[1, 10], [1, 10], [1, 10], [1, 10]]},
    ),
    Scenario(
        "sort(x).values[:2]",
        {"x": "5,3,4"},
        "1,10",
        {"x": [[0, 1, 0], [0, 0, 1]]},
        {"x": ".x. ..x"},
        {"x": [0, 1, 10]},
    ),
    Scenario(
        "max(x, 1).values",
        {"x": "1,9,2;8,3,4"},
        "1,10",
        {"x": [[[0, 1, 0], [0, 0, 0]], [[0, 0, 0], [1, 0, 0]]]},
        {"x": ".x.... ...x.."},
        {"x": [[0, 1, 0], [10, 0, 0]]},
    ),
    Scenario(
        "y = x + 2; z = y*y*2",
        {"x": "1,2"},
        "1,10",
        {"x": [[12, 0], [0, 16]]},
        {"x": "x. .x"},
        {"x": [12, 160]},
    ),
    Scenario(
        "a/b",
        {"a": "1,3", "b": "2"},
        "1,10",
        {"a": [[0.5, 0], [0, 0.5]], "b": [-0.25, -0.75]},
        {"a": "x. .x", "b": "x x"},
        {"a": [0.5, 5], "b": -7.75},
    ),
    Scenario(
        "einsum('ij,j->i', A, b)[1:]",
        {"A": "1,2;3,4", "b": "5,7"},
        "10",
        {"A": [[[0, 0], [5, 7]]], "b": [[3, 4]]},
        {"A": "..xx", "b": "xx"},
        {"A": [[0, 0], [50, 70]], "b": [30, 40]},
    ),
    Scenario(
        "cat([a, 2*b])",
        {"a": "1,", "b": "2,3"},
        "1,10,100",
        {"a": [[1], [0], [0]], "b": [[0, 0], [2, 0], [0, 2]]},
        {"a": "x . .", "b": ".. x. .x"},
        {"a": [1], "b": [20, 200]},
    ),
)
