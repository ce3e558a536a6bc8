"""A branch is that of the point, and is said; one beside the point that nobody can follow, too."""

import pytest

from tests.functions.helpers import HERE, marked, report_of
from vjp_cli.report import Report, Verdict

LINES = (HERE / "branches.py").read_text().split("\n")


def report(name: str, v: str | None = "1,10,100") -> Report:
    return report_of("branches.py", name, v)


def here(name: str) -> str:
    return marked("branches.py", name)


@pytest.mark.parametrize(
    "name",
    [
        "if_",
        "while_",
        "close",
        "any_",
        "item_of_mask",
        "largest",
        "python_max",
        "whole",
    ],
)
def test_a_branch_is_said_with_its_line(name: str) -> None:
    found = report(name)
    assert found.verdict is Verdict.OK, found.notes
    assert found.notes == (f"the branch at {here(name)} is the one of this point",)


def test_many_branches_are_counted() -> None:
    found = report("many")
    start = LINES.index("def many(x):") + 1
    lines = f"branches.py line {start + 3}, line {start + 5}, line {start + 7} and 2 more"
    assert found.notes == (f"the branches at {lines} are those of this point",)


@pytest.mark.parametrize("name", ["no_branch", "of_constants"])
def test_shapes_masks_and_constants_decide_no_branch_of_the_point(name: str) -> None:
    found = report(name)
    assert found.verdict is Verdict.OK
    assert found.notes == ()


def test_a_tie_at_a_branch_is_a_kink_as_anywhere() -> None:
    found = report("tied")
    assert found.verdict is Verdict.KINK
    assert found.judged_vjp is not None
    # 3·x0 to the left and 2·x0 to the right, and a jump of the other elements
    first = found.judged_jacobian.truth["x"].values[0] if found.judged_jacobian else None
    assert first is not None
    assert (first.left, first.right) == ("3.0", "-inf")
    assert found.notes[0].startswith("the branch at branches.py line")


@pytest.mark.parametrize(
    ("name", "cause"),
    [
        ("another_shape_beside", "a result whose shape is another there"),
        ("untraceable_beside", "torch.frexp, which has no row in the operation table"),
        ("raising_beside", "raising_beside raised ValueError: too large"),
    ],
)
def test_a_branch_beside_the_point_that_cannot_be_followed(name: str, cause: str) -> None:
    found = report(name, None)
    assert found.verdict is Verdict.UNCHECKED
    assert f"the tracer cannot follow the function beside the point: {cause}" in (
        found.findings[0].cause
    )
