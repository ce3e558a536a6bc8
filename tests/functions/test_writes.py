"""Writes in place are traced as what they become, and refused where memory is shared."""

import pytest

from tests.functions.helpers import HERE, report_of, truth_of
from vjp_cli.report import Verdict

LINES = (HERE / "writes.py").read_text().split("\n")

# v of the functions with two rows
ROWS = "1,10,100;1,1,1"
SQUARE = "1,10,100;1,1,1;2,2,2"


@pytest.mark.parametrize(
    ("name", "v", "truth"),
    [
        # (x0·x1, 2·x0, 2·x1)
        ("items", "1,10,100", ["22.0", "201.0", "0"]),
        # x, x²
        ("empty", ROWS, ["3.0", "14.0", "106.0"]),
        # ((x² + x - 2)/2)²: (x² + x - 2)·(2x + 1)/2
        ("augmented", "1,10,100", ["0.0", "100.0", "3500.0"]),
        # x_i·x_j, twice that in column 1, and x in row 0
        ("augmented_columns", SQUARE, ["351.0", "54.0", "224.0"]),
        # (x2, x0·x2, x0·x1·x2)
        ("recurrence", "1,10,100", ["630.0", "300.0", "211.0"]),
        ("masked", "1,10,100", ["2.0", "0.0", "0.0"]),
        ("masked_values", "1,10,100", ["0", "40.0", "600.0"]),
        ("mask_filled", "1,10,100", ["2.0", "70.0", "700.0"]),
        # (x1², x0² + x2²)
        ("added_by_index", "1,10", ["20.0", "4.0", "60.0"]),
        # (x1³, 0, x2³, x0³ + Σx)
        ("scattered", "1,10,100,1000", ["4000.0", "1012.0", "3700.0"]),
        # 2x², 3x²
        ("copied", "1,10,100;1,1,1;5,5,5", ["10.0", "92.0", "1218.0"]),
        # x_i·x_j off the diagonal
        ("diagonal", SQUARE, ["328.0", "20.0", "108.0"]),
        ("other_shape", "[[1,10,100]]", ["2.0", "40.0", "600.0"]),
        # max(2x, 3) + 2x
        ("bounded", "1,10,100", ["2.0", "40.0", "400.0"]),
        # (x1·x0, x0·x1, x2²)
        ("swapped", "1,10,100", ["22.0", "11.0", "600.0"]),
        ("view_of_nothing_else", ROWS, ["2.0", "4.0", "6.0"]),
        ("into_a_copy", ROWS, ["2.0", "40.0", "600.0"]),
        ("half_a_cast", "1,10,100", ["2.0", "20.0", "200.0"]),
        # relu(x - 1.5)·x: 2x - 1.5 above 1.5
        ("relu_in_place", "1,10,100", ["0.0", "25.0", "450.0"]),
    ],
)
def test_writes_are_ok(name: str, v: str, truth: list[str]) -> None:
    found = report_of("writes.py", name, v)
    assert found.verdict is Verdict.OK, found.notes
    assert [float(digits or "nan") for digits in truth_of(found)] == [float(d) for d in truth]


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("view", "a write into a tensor that has views, or is one"),
        ("base", "a write into a tensor that has views, or is one"),
        ("item_of", "a write into a tensor that has views, or is one"),
        ("detached_alias", "a write into a tensor that has views, or is one"),
        ("item_elsewhere", "a write into a tensor that has views, or is one"),
        ("real_target", "a write into a tensor that the tracer did not make"),
        ("without_grad", "a write under no_grad into a tensor with a graph"),
    ],
)
def test_what_cannot_be_followed_is_named_with_its_line(name: str, reason: str) -> None:
    found = report_of("writes.py", name, None)
    assert found.verdict is Verdict.UNCHECKED
    start = LINES.index(f"def {name}(x):")
    line = next(k for k in range(start, len(LINES)) if LINES[k].endswith("# refused"))
    [note] = [note for note in found.notes if "no exact derivative" in note]
    assert reason in note
    assert f"(writes.py line {line + 1})" in note
