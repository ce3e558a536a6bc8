"""Numbers that leave torch are by design or said, and what is refused has a line."""

import pytest

from tests.functions.helpers import HERE, marked, report_of, truth_of
from vjp_cli.report import Report, Verdict

LINES = (HERE / "leaving.py").read_text().split("\n")


def report(name: str, v: str | None = "1,10,100") -> Report:
    return report_of("leaving.py", name, v)


def here(name: str) -> str:
    return marked("leaving.py", name)


@pytest.mark.parametrize(
    ("name", "cause", "factor"),
    [
        ("item", "item() takes a number out of the graph", 1),
        ("item_of_float32", "item() takes a number out of the graph", 2),
        ("listed", "tolist() takes numbers out of the graph", 1),
        ("without_grad", "no_grad cuts the graph", 1),
        ("decorated", "no_grad cuts the graph", 1),
        ("copied", "copy cuts the graph", 1),
    ],
)
def test_a_number_taken_out_of_the_graph_is_by_design(name: str, cause: str, factor: float) -> None:
    found = report(name)
    assert found.verdict is Verdict.BY_DESIGN, found.notes
    assert {finding.cause for finding in found.findings} == {f"by design: {cause}"}
    # x·x0: torch has v·x0, and the mathematics Σ v_i·x_i more at x0
    assert found.vjp is not None
    assert found.vjp["x"].values == (factor, 10.0 * factor, 100.0 * factor)
    assert truth_of(found)[0] == f"{322.0 * factor}"


def test_a_tensor_of_computed_numbers_is_by_design() -> None:
    found = report("copied_values")
    assert found.verdict is Verdict.BY_DESIGN, found.notes
    # (x0², 2·x1, 3·x2)
    assert truth_of(found) == ["2.0", "20.0", "300.0"]
    assert "torch.tensor copies values" in found.findings[0].cause


@pytest.mark.parametrize(
    ("name", "truth"),
    [("grad_again", ["322.0", "10.0", "100.0"]), ("printed", ["2.0", "20.0", "200.0"])],
)
def test_what_takes_no_number_out_is_ok(name: str, truth: list[str]) -> None:
    found = report(name)
    assert found.verdict is Verdict.OK, found.notes
    assert truth_of(found) == truth


def test_a_custom_forward_has_no_graph_to_be_cut() -> None:
    found = report_of("leaving.py", "scaled", "1,10,100", x="1,2,2")
    assert found.verdict is Verdict.OK, found.notes
    # v/3 - x·221/27
    assert truth_of(found)[0] == f"-7.{'851' * 9}85"


def test_a_float_is_a_constant_and_is_said() -> None:
    found = report("as_float")
    assert found.verdict is Verdict.OK, found.notes
    assert truth_of(found) == ["1.0", "10.0", "100.0"]
    assert found.notes[0] == (
        f"float() at {here('as_float')} takes a number out of torch: for derivatives it counts as "
        "a constant, in torch and in the truth"
    )


# -- refused ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("no_row", "torch.frexp, which has no row in the operation table"),
        ("helper_without_a_row", "torch.frexp, which has no row in the operation table"),
        ("by_numpy", "NumPy, which takes numbers out of torch"),
        ("hooked", "a hook, which changes gradients"),
        ("forward_mode", "torch._make_dual, which has no row in the operation table"),
    ],
)
def test_what_cannot_be_followed_has_its_line(name: str, reason: str) -> None:
    found = report(name, None)
    assert found.verdict is Verdict.UNCHECKED
    assert found.exit_code == 0
    said = f"no exact derivative: the tracer cannot follow {reason} ({here(name)}). Finite differ"
    assert any(note.startswith(said) for note in found.notes)


def test_a_number_that_python_insists_on_is_not_hidden_in_a_forward() -> None:
    found = report("measured", None)
    assert found.verdict is Verdict.UNCHECKED
    start = next(k for k, line in enumerate(LINES) if "ctx.norm = float" in line)
    reason = f"float() of a tensor in a custom forward (leaving.py line {start + 1})"
    assert any(reason in note for note in found.notes)
