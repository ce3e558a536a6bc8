"""A few random problems, and that the honesty bench sees what it is there to see.

``python -m tests.bench.honesty`` runs as many as asked.
"""

import warnings
from dataclasses import replace

import pytest
import torch

from tests.honesty import judging
from tests.honesty.calls import Call, call_of
from tests.honesty.confirming import confirmation
from tests.honesty.judging import outcome_of
from tests.honesty.planting import Plant, torch_side
from tests.honesty.vocabulary import words
from tests.random_problems import contradictions, random_problem, report_of
from vjp_cli.expression import parse
from vjp_cli.ops.catalog import ROWS
from vjp_cli.program import Program
from vjp_cli.report import Verdict


@pytest.mark.parametrize("seed", range(40))
def test_slopes_confirm_every_truth_and_verdict(seed: int) -> None:
    problem = random_problem(seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        report = report_of(problem)
        assert contradictions(problem, report) == []
    assert report.judged_vjp is not None
    for verdicts in report.judged_vjp.verdicts.values():
        assert Verdict.UNCHECKED not in verdicts.values


def test_a_false_report_is_contradicted() -> None:
    problem = random_problem(2)
    report = report_of(problem)
    assert report.vjp is not None
    # a report of another problem says nothing true about this one
    other = random_problem(3)
    assert contradictions(problem, report) == []
    assert contradictions(other, report_of(other)) == []
    swapped = type(problem)(f"1.0001*({problem.source})", problem.values, problem.dtype, 2)
    assert contradictions(swapped, report) != []


@pytest.mark.parametrize("seed", [3, 8, 21, 40])
@pytest.mark.parametrize("planted", [False, True])
def test_a_problem_over_the_table_is_judged_rightly(seed: int, planted: bool) -> None:
    call = call_of(seed)
    assert call is not None
    outcome = outcome_of(call, planted)
    assert outcome.missed == []
    assert [words for words, confirmation in outcome.accused if not confirmation] == []


X = torch.tensor([0.5, -1.25, 2.0], dtype=torch.float64)
SINE = Call(
    0, "sin", "sin(x)*x", {"x": X}, torch.tensor([1.0, -2.0, 3.0]), "float64", 2, "plain", False
)


def test_a_planted_error_reaches_torch_alone() -> None:
    plant = Plant("sign", "x", torch.neg, True)
    with torch_side("strided", plant):
        leaf = X.clone().requires_grad_()
        y = Program(parse("3*x"), {}, "float64")({"x": leaf})
        assert y.tolist() == [1.5, -3.75, 6.0]
        assert torch.autograd.grad(y.sum(), leaf)[0].tolist() == [-3.0, -3.0, -3.0]
    with torch_side("plain", replace(plant, hook=False)):
        y = Program(parse("3*x"), {}, "float64")({"x": leaf})
        assert torch.autograd.grad(y.sum(), leaf)[0].tolist() == [-3.0, -3.0, -3.0]
    y = Program(parse("3*x"), {}, "float64")({"x": leaf})
    assert torch.autograd.grad(y.sum(), leaf)[0].tolist() == [3.0, 3.0, 3.0]


@pytest.mark.parametrize("waiting", [False, True])
@pytest.mark.parametrize("hook", [False, True])
@pytest.mark.parametrize("size", [1e-6, 1e-10, 1e-11])
def test_one_entry_that_is_off_is_visible_and_found(waiting: bool, hook: bool, size: float) -> None:
    factor = torch.tensor([1, 1 + size, 1], dtype=torch.float64)
    plant = Plant("one entry", "x", lambda g: g * factor, hook)
    call = replace(SINE, waiting=waiting)
    visible = judging.visible(call, plant)
    assert visible == {"x": [1]}
    found = judging.of_planted(plant, visible, judging.report_of(call, plant))
    assert found.missed == []
    assert found.verdicts in (["wrong"], ["imprecise"])


def test_an_error_within_rounding_is_not_to_be_found() -> None:
    plant = Plant("one entry", "x", lambda g: g * (1 + 2**-52), True)
    assert judging.visible(SINE, plant) == {"x": []}


def test_a_missed_error_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    # a report of torch without the error stands for a program that does not see it
    right = judging.report_of(SINE, None)
    monkeypatch.setattr(judging, "report_of", lambda call, plant: right)
    plant = Plant("sign", "x", torch.neg, True)
    monkeypatch.setattr(judging, "plant_of", lambda *given: plant)
    assert outcome_of(SINE, True).missed == ["x[0]", "x[1]", "x[2]"]


def test_an_accusation_of_a_right_number_is_not_confirmed(monkeypatch: pytest.MonkeyPatch) -> None:
    plant = Plant("sign", "x", torch.neg, True)
    call = replace(SINE, seed=1)
    accusing = judging.report_of(call, plant)
    assert accusing.vjp is not None
    # torch has -(sin(x) + x·cos(x))·v in it: differences confirm that; of the right numbers not
    told = judging.of_right(call, accusing).accused
    assert [bool(confirmation) for _, confirmation in told] == [True] * len(told)
    right = judging.report_of(call, None)
    false = replace(accusing, vjp=right.vjp, jacobian=right.jacobian)
    told = judging.of_right(call, false).accused
    assert [bool(confirmation) for _, confirmation in told] == [False] * len(told)
    assert len(told) > 3


def test_problems_are_of_every_row_and_depend_on_the_seed_alone() -> None:
    assert len(words()) == len(ROWS)
    one, again = call_of(5), call_of(5)
    assert one is not None
    assert again is not None
    assert (one.source, one.row, one.dtype) == (again.source, again.row, again.dtype)
    assert torch.equal(one.v, again.v)


def test_a_number_outside_of_both_slopes_of_a_kink_is_confirmed() -> None:
    # 2x to the left of 0 and x to the right: torch's 0 is no slope of it
    x = torch.tensor([0.0], dtype=torch.float64)
    call = replace(SINE, source="relu(x) - 2*relu(-x)", inputs={"x": x}, v=torch.ones(1))
    assert confirmation(call, "x", 0, None, 0.0) == "outside of both slopes of a kink"
    assert confirmation(call, "x", 0, None, 1.5) == ""
    assert confirmation(call, "x", 0, None, 2.5) == "outside of both slopes of a kink"
