"""``--contributions``: v_i·J_ij, shares and conflicts, by hand."""

import pytest

from tests.helpers import refused, run
from tests.weights.asking import asked, shown

# J is (1 2; -3 5; 0 7) and v is 2, 1, -1
TASKS = ("w @ x", "--w", "1,2;-3,5;0,7", "--x", "4,9", "--wrt", "x", "--v", "2,1,-1")


def test_values_shares_and_conflicts() -> None:
    found = asked(*TASKS, "--contributions")["contributions"]["x"]
    assert found["values"] == [[2, 4], [-3, 5], [0, -7]]
    # of 2 + 3 + 0 and of 4 + 5 + 7
    assert found["shares"] == [[40, 25], [60, 31.25], [0, 43.75]]
    # the sums are -1 and 2
    assert found["against"] == [[True, False], [False, False], [False, True]]
    assert found["conflicts"] == [True, True]


def test_agreement_is_no_conflict() -> None:
    found = asked("w @ x", "--w", "1,2;3,0", "--x", "4,9", "--v", "ones", "--contributions")
    assert found["contributions"]["x"]["conflicts"] == [False, False]
    assert found["contributions"]["x"]["shares"] == [[25, 100], [75, 0]]
    # by w every element belongs to one output
    assert found["contributions"]["w"]["values"] == [[[4, 9], [0, 0]], [[0, 0], [4, 9]]]
    assert found["contributions"]["w"]["conflicts"] == [[False, False], [False, False]]


def test_what_cancels_to_nothing_is_a_conflict() -> None:
    found = asked(
        "w @ x", "--w", "1;-1;0", "--x", "4,", "--wrt", "x", "--v", "ones", "--contributions"
    )
    assert found["vjp"] == {"x": [0]}
    assert found["contributions"]["x"]["against"] == [[True], [True], [False]]
    assert found["contributions"]["x"]["shares"] == [[50], [50], [0]]


def test_no_share_of_nothing() -> None:
    found = asked(
        "w @ x", "--w", "0;0", "--x", "4,", "--wrt", "x", "--v", "ones", "--contributions"
    )
    assert found["contributions"]["x"]["shares"] == [[None], [None]]
    assert found["contributions"]["x"]["conflicts"] == [False]


def test_an_output_without_weight_contributes_nothing_not_nan() -> None:
    # by x[0] y[0] has an infinite slope, and torch a NaN in the row of y[1], which does not count
    report = asked("sqrt(x)", "--x", "0,4", "--v", "1,0", "--contributions", code=1)
    assert report["jacobian"] == {"x": [["Infinity", 0], ["NaN", 0.25]]}
    assert report["contributions"]["x"]["values"] == [["Infinity", 0], [0, 0]]
    assert report["contributions"]["x"]["shares"] == [[None, None], [None, None]]


def test_a_scalar_y_and_x() -> None:
    found = asked("x**2", "--x", "-3", "--contributions")["contributions"]["x"]
    assert found == {"values": -6, "shares": 100, "against": False, "conflicts": False}


def test_sizes_of_zero() -> None:
    found = asked("2*x", "--x", "zeros(0)", "--v", "ones", "--contributions")["contributions"]["x"]
    assert found == {"values": [], "shares": [], "against": [], "conflicts": []}


def test_of_several_v_those_of_their_sum() -> None:
    # 2, 1, -1 in two parts
    several = (*TASKS[:-1], "2,0,0", "--v", "0,1,-1")
    found = asked(*several, "--contributions")
    assert found["accumulated"] == {"x": [-1, 2]}
    assert found["contributions"]["x"]["values"] == [[2, 4], [-3, 5], [0, -7]]


def test_without_the_option_there_is_nothing() -> None:
    assert asked(*TASKS)["contributions"] is None


def test_more_entries_than_json_nests() -> None:
    assert asked(*TASKS, "--contributions", "--max-entries", "5")["contributions"] == {"x": None}


def test_the_screen() -> None:
    text = shown(*TASKS, "--contributions").splitlines()
    start = text.index("contributions to the gradient by x")
    assert text[start + 2 : start + 8] == [
        "v_i·J_ij │  x[0]   x[1]   share │ x[0]   x[1]",
        "─────────┼─────────────   ──────┼────────────",
        "y[0]     │  2 <>   4      y[0]  │  40%    25%",
        "y[1]     │ -3      5      y[1]  │  60%  31.2%",
        "y[2]     │  0     -7 <>   y[2]  │   0%  43.8%",
        "sum      │ -1      2",
    ]
    assert "  <> against the sum: the outputs pull x[0], x[1] both ways" in text


def test_denominator_layout_turns_the_tables() -> None:
    text = shown(*TASKS, "--contributions", "--layout", "denominator")
    assert "x[1]     │ 4        5  -7 <>    2   x[1]  │  25%  31.2%  43.8%" in text


@pytest.mark.parametrize(
    ("arguments", "message", "hint"),
    [
        (
            ("2*x", "--x", "1,2", "--contributions"),
            "contributions need v: they are v_i·J_ij, and y has several elements",
            "add --v ones",
        ),
        (
            ("2*x", "--x", "1,2", "--v", "1,2", "--contributions", "--no-jacobian"),
            "contributions are v_i·J_ij: they need J",
            "leave out --no-jacobian",
        ),
        (
            ("2*x", "--x", "1j,2", "--dtype", "complex128", "--v", "1,2", "--contributions"),
            "contributions need real numbers",
            "a complex v_i·J_ij has no sign",
        ),
    ],
)
def test_refused(arguments: tuple[str, ...], message: str, hint: str) -> None:
    refused(run("inspect", *arguments), message, hint)
