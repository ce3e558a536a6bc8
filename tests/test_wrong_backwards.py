"""The grid of planted faults: all are found at their places, and no right backward is accused."""

import pytest

from tests.test_wrong_ops import places
from tests.wrong_backwards import VISIBLE, Case, Forward
from tests.wrong_grid import CASES, FORWARDS, SIZES
from vjp_cli import inspect
from vjp_cli.errors import ExitCode
from vjp_cli.library import NOTE
from vjp_cli.report import Report, Verdict
from vjp_cli.settings import Settings


def inspected(forward: Forward, change, dtype: str) -> Report:
    inputs, v = forward.tensors(dtype)
    settings = Settings(dtype=dtype, checks=(), remedies=False)
    return inspect(forward.custom(change), inputs, v, settings=settings)


def relation(report: Report) -> str:
    """The note on the backward, without its beginning."""
    [note] = [note for note in report.notes if note.startswith(NOTE)]
    return note.partition(": ")[2]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_planted_fault_is_found_and_named(case: Case) -> None:
    report = inspected(case.forward, case.change, case.dtype)
    must, may = case.places()
    found = {place for place, verdict in places(report).items() if verdict is not Verdict.IMPRECISE}
    assert must <= found <= may
    assert (report.verdict, report.exit_code) == (Verdict.WRONG, ExitCode.WRONG)
    words = relation(report)
    whole = case.size == 1 and not case.alone
    if whole and (case.dtype != "bfloat16" or (case.fault.coarse and case.forward.coarse)):
        assert words.startswith(case.fault.by_forward.get(case.forward.name, case.fault.words))
    if case.fault.name == "factor" and not case.alone:
        assert words.startswith(f"torch's J is {1 + case.size:.12g} times the true one")
    if case.fault.name == "factor" and case.alone and case.dtype == "float64":
        # the last element: of a diagonal J one entry, of another a column
        assert words.startswith("torch's J is ")
        assert f"alone, by a relative {case.size:.2g};" in words or case.forward.name == "scalar"


@pytest.mark.parametrize("dtype", VISIBLE)
@pytest.mark.parametrize("forward", FORWARDS, ids=[forward.name for forward in FORWARDS])
def test_no_right_backward_is_accused(forward: Forward, dtype: str) -> None:
    report = inspected(forward, lambda right, v: right(v), dtype)
    assert report.verdict in (Verdict.OK, Verdict.IMPRECISE)
    assert report.exit_code == ExitCode.OK
    assert not [note for note in report.notes if note.startswith(NOTE)]


def test_the_grid_has_every_combination() -> None:
    seen = {(case.fault.name, case.size, case.alone) for case in CASES if case.dtype == "float64"}
    faults = {case.fault.name for case in CASES}
    assert len(faults) == 14
    wanted = {(f, s, a) for f in faults for s in (1.0, *SIZES) for a in (False, True)}
    # swapping two columns leaves the last element as it is
    assert seen == {case for case in wanted if case[0] != "columns" or not case[2]}
    assert {case.dtype for case in CASES} == set(VISIBLE)
    assert {case.forward.name for case in CASES} == {forward.name for forward in FORWARDS}
