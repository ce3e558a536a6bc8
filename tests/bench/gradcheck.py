"""How torch's gradcheck judges the cases of ``tests/cases/surprises.jsonl``, and how vjp does.

Run ``python tests/bench/gradcheck.py``. Compared are the cases with a finite truth everywhere
and a gradient that torch gives, be it NaN, and does not alter by design. gradcheck, in its slow
mode and with its own tolerances, is right where it passes a gradient that is right and fails one
that is not; vjp is right where all its verdicts and truths are those of the case.
"""

import contextlib
import json
import math
import sys
import warnings
from contextlib import redirect_stderr
from io import StringIO
from pathlib import Path
from typing import Any

import torch

ROOT = Path(__file__).parents[2]
CASES_FOLDER = ROOT / "tests" / "cases"
# run as a script, Python looks beside this file only
sys.path.insert(0, str(ROOT))

from tests.helpers import run
from tests.surprises import CASES, Case, differences, flat, requests
from vjp_cli.binding import bind, cotangent
from vjp_cli.expression import parse
from vjp_cli.functions.loading import load
from vjp_cli.functions.source import find
from vjp_cli.program import Program
from vjp_cli.settings import Settings
from vjp_cli.values import parse_json_value

WRONG = {"wrong", "nan", "saturated"}


def comparable(case: Case) -> bool:
    """Whether every truth is finite, and torch answers without departing from it by design."""
    expect = case["expect"]
    truths = entries(expect["truth"])
    finite = all(isinstance(truth, str) and truth[-1:].isdigit() for truth in truths)
    if not finite or expect.get("torch_raises"):
        return False
    triples = zip(entries(expect["verdicts"]), truths, entries(expect["torch_2_13"]), strict=True)
    # a departure by design is neither right nor wrong, and gradcheck cannot know of it
    return all(
        math.isclose(float(truth), float(number), rel_tol=1e-3, abs_tol=1e-5)
        for verdict, truth, number in triples
        if verdict == "by-design"
    )


def entries(by_input: dict[str, Any]) -> list[Any]:
    """The entries of all inputs, one after another."""
    return [entry for nested in by_input.values() for entry in flat(nested)]


def gradient_is_right(case: Case) -> bool:
    """What gradcheck should say: no entry is wrong, saturated or NaN."""
    verdicts = entries(case["expect"]["verdicts"])
    return not any(set(verdict.split("|")) & WRONG for verdict in verdicts)


def body(case: Case) -> Any:
    """The expression, or the function, of a case."""
    if "expression" in case:
        return parse(case["expression"])
    source = find(str(CASES_FOLDER / case["function"]))
    return load(source)


def gradcheck_passes(case: Case) -> bool:
    """Gradcheck's answer for Σ v_i·y_i, as the case's own v asks for; an exception is a failure."""
    settings = Settings(dtype=case["dtype"])
    values = {name: parse_json_value(value, name) for name, value in case["inputs"].items()}
    bound = bind(values, settings)
    program = Program(body(case), bound.constants, settings.dtype)
    v = None if case["v"] is None else parse_json_value(case["v"], "v")
    names = list(bound.inputs)

    def weighted(*leaves: torch.Tensor) -> torch.Tensor:
        output = program(dict(zip(names, leaves, strict=True)))
        return (output * cotangent(v, output, settings)).sum()

    leaves = [value.detach().clone().requires_grad_() for value in bound.inputs.values()]
    try:
        return bool(torch.autograd.gradcheck(weighted, leaves))
    except Exception:
        # its way of saying no; what it cannot run on it does not pass either
        return False


def answers() -> dict[str, Any]:
    """Vjp's answer to every case, by id."""
    with redirect_stderr(StringIO()), contextlib.chdir(CASES_FOLDER):
        lines = run("batch", "-", "--allow-functions", stdin=requests(CASES)).stdout.splitlines()
    return {answer["id"]: answer for answer in map(json.loads, lines)}


def main() -> None:
    """Write the two counts, and the cases that either judges wrongly."""
    warnings.simplefilter("ignore")
    cases = [case for case in CASES if comparable(case)]
    ours = answers()
    by_gradcheck = [case for case in cases if gradcheck_passes(case) == gradient_is_right(case)]
    by_vjp = [case for case in cases if not differences(case, ours[case["id"]])]
    every = [case for case in CASES if not differences(case, ours[case["id"]])]
    write = sys.stdout.write
    write(f"comparable cases: {len(cases)}, of which torch has wrong: ")
    write(f"{sum(not gradient_is_right(case) for case in cases)}\n")
    for name, right in (("gradcheck", by_gradcheck), ("vjp", by_vjp)):
        false_alarms = [c["id"] for c in cases if c not in right and gradient_is_right(c)]
        missed = [c["id"] for c in cases if c not in right and not gradient_is_right(c)]
        write(f"{name:10}{len(right)} of {len(cases)} right\n")
        write(f"  accuses a right gradient: {' '.join(false_alarms) or 'none'}\n")
        write(f"  passes a wrong one: {' '.join(missed) or 'none'}\n")
    write(f"vjp on all cases: {len(every)} of {len(CASES)} right\n")


if __name__ == "__main__":
    main()
