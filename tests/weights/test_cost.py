"""The cost line, and what denominator layout says of itself."""

import pytest

from tests.weights.asking import asked, shown


@pytest.mark.parametrize(
    ("arguments", "cost", "line"),
    [
        (
            ("w @ x", "--w", "ones(2,3)", "--x", "1,2,3", "--v", "1,2"),
            # 2 rows, 6 + 3 columns, 8 bytes
            (1, 2, 144),
            "cost: vᵀJ 1 backward pass, J 2 and 144 bytes: why frameworks use vᵀJ",
        ),
        (
            ("w @ x", "--w", "ones(2,3)", "--x", "1,2,3", "--v", "1,2", "--dtype", "float32"),
            (1, 2, 72),
            "cost: vᵀJ 1 backward pass, J 2 and 72 bytes: why frameworks use vᵀJ",
        ),
        (
            ("2*x", "--x", "ones(40)", "--v", "ones", "--v", "e0", "--no-jacobian"),
            (2, 0, 12800),
            "cost: vᵀJ 2 backward passes, J up to 40 and 12.8 kB: why frameworks use vᵀJ",
        ),
        (
            ("2*x", "--x", "1,2,3"),
            (0, 3, 72),
            "cost: J 3 backward passes and 72 bytes, vᵀJ takes 1: why frameworks use vᵀJ",
        ),
        (
            ("sum(x*x)", "--x", "1,2,3"),
            (1, 1, 24),
            "cost: vᵀJ 1 backward pass, J 1 and 24 bytes: J has one row, the gradient",
        ),
    ],
)
def test_passes_and_bytes(
    arguments: tuple[str, ...], cost: tuple[int, int, int], line: str
) -> None:
    names = ("vjp_passes", "jacobian_passes", "jacobian_bytes")
    assert asked(*arguments)["cost"] == dict(zip(names, cost, strict=True))
    assert line in " ".join(shown(*arguments).split())


def test_where_it_is_explained_at_length_there_is_no_line() -> None:
    assert "cost: " in shown("2*x", "--x", "1,2")
    assert "cost: " not in shown("2*x", "--x", "1,2", "--explain")


def test_denominator_layout_names_its_axes_and_says_how_it_relates() -> None:
    arguments = ("k @ x", "--k", "1,2,3;4,5,6", "--x", "1;2;3", "--wrt", "x", "--v", "1;-1")
    text = shown(*arguments, "--layout", "denominator")
    assert "Jᵀ     │ y[0,0]  y[1,0]   v      │      Jᵀv" in text
    assert "x[2,0] │      3       6" in text
    words = " ".join(text.split())
    assert "a row for each element of the input, a column for each of y" in words
    assert "Jᵀ is the transpose of numerator layout's J" in words
    report = asked(*arguments, "--layout", "denominator")
    assert report["problem"]["layout"] == "denominator"
    # the keys of JSON do not turn
    assert report["jacobian"] == {"x": [[[[1], [2], [3]]], [[[4], [5], [6]]]]}
    assert "numerator layout's" not in shown(*arguments)
