"""Every kind of report is what the schema declares, and has no key that it does not declare."""

import contextlib
import json
import shlex
import warnings
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from tests.helpers import run
from tests.render.reports import REPORTS
from tests.schema.validation import problems, validator
from tests.surprises import CASES, requests
from tests.test_docs import EXAMPLES
from vjp_cli.render import View
from vjp_cli.render.json import document

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def _at_the_root(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)


def inspected(*arguments: str) -> dict[str, Any]:
    result = run("inspect", *arguments, "--json")
    found = json.loads(result.stdout or result.stderr)
    assert isinstance(found, dict)
    return found


def example() -> dict[str, Any]:
    found = json.loads(json.dumps(document(REPORTS["findings"](), View())))
    assert isinstance(found, dict)
    return found


@pytest.mark.parametrize("name", REPORTS)
@pytest.mark.parametrize("most", [0, 1_000_000])
def test_a_report_made_by_hand(name: str, most: int) -> None:
    made = json.loads(json.dumps(document(REPORTS[name](), View(max_entries=most))))
    assert problems(made, "report") == []


SAMPLES = sorted(
    path.name
    for path in (ROOT / "samples").iterdir()
    if path.suffix not in (".json", ".svg", ".md")
)
COMMANDS = [
    line
    for path in sorted((ROOT / "samples").glob("*.*"))
    for line in path.read_text(encoding="utf-8").splitlines()
    if line.startswith("# vjp inspect ")
]
PIPED = [line for block, _ in EXAMPLES for line in block.splitlines() if "--json" in line]


@pytest.mark.parametrize("line", [line.removeprefix("# ") for line in COMMANDS])
def test_a_sample(line: str) -> None:
    words = shlex.split(line, comments=True)
    assert problems(inspected(*words[2:]), "report") == []


def test_every_sample_is_among_them() -> None:
    text = " ".join(COMMANDS)
    assert len(COMMANDS) >= 11
    assert [name for name in SAMPLES if f"samples/{name}" not in text] == ["problems.jsonl"]


@pytest.mark.parametrize("line", PIPED)
def test_a_command_of_the_readme(line: str) -> None:
    words = shlex.split(line.partition(" | ")[0], comments=True)
    assert words[:2] == ["vjp", "inspect"]
    assert problems(inspected(*words[2:]), "report") == []


VARIED = {
    "no v": ["x*x", "--x", "1,2,3"],
    "a scalar": ["sum(x*x)", "--x", "1,2;3,4"],
    "no J": ["x*x", "--x", "1,2,3", "--v", "ones", "--no-jacobian"],
    "coordinates": ["k @ x", "--k", "1,0;2,3;0,1", "--x", "1,2", "--v", "ones", "--max-entries=3"],
    "size 0": ["x*2", "--x", "zeros(0,2)", "--v", "zeros(0,2)"],
    "float32": ["x/3", "--x", "1,2", "--v", "ones", "--dtype", "float32"],
    "bfloat16": ["exp(x)", "--x", "1,2", "--v", "ones", "--dtype", "bfloat16"],
    "complex": ["x*x*1j", "--x", "1+2j,nan,-0.5", "--v", "1,1j,2", "--dtype", "complex128"],
    "complex truths": ["abs(x)", "--x", "1+2j,0,3e-200j", "--v", "ones", "--dtype", "complex128"],
    "order 2": ["x[0]**3*x[1]", "--x", "2,3", "--order", "2"],
    "weights": ["x**3", "--x", "2,3", "--v", "1,-0.5", "--order", "2"],
    "infinite": ["1/x - sqrt(x)", "--x", "0,inf,nan", "--v", "ones"],
    "jump": ["floor(x)", "--x", "1,1.5", "--v", "ones"],
    "hole": ["sin(x)/x", "--x", "0,1", "--v", "ones"],
    "no number": ["heaviside(x, k)", "--x", "0,1", "--k", "0.5,0.5", "--v", "ones"],
    "constants": ["gather(x, 0, t)*m", "--x", "5,6,7", "--t", "int64:0,2", "--m", "bool:1,0"],
    "large": ["x + t", "--x", "1", "--t", "int64:9007199254740993"],
    "denominator": ["k*x", "--k", "2,3", "--x", "4", "--v", "ones", "--layout", "denominator"],
    "some inputs": ["k*x + sin(b)", "--k", "2,3", "--x", "4", "--b", "0", "--wrt", "b,x"],
    "all checks": ["relu(x)", "--x", "0,2", "--v", "1,2", "--checks", "all", "--points", "2"],
    "no time": ["exp(x)", "--x", "0,2", "--v", "1,2", "--timeout", "0"],
    "untraceable": ["-f", "samples/by_numpy.py:softsign", "--x", "1,2", "--v", "ones"],
    "a chain": ["y = x + 2; z = y*y*2", "--x", "1,2,3", "--v", "0.1,1,1e-4", "--chain"],
    "a chain of paths": ["y = sin(x); y*y + y*x + x", "--x", "1,2", "--v", "1,nan", "--chain"],
    "a chain with marks": ["y = sqrt(x); where(x > 0, y, 0)", "--x", "0,1", "--v=ones", "--chain"],
    "a chain without v": ["y = x*x; sin(y)", "--x", "1,2", "--chain"],
    "a chain of a module": ["-f", "samples/mlp.py:MLP", "--x", "1,2", "--chain"],
    "words": ["relu(x)", "--x", "0,2", "--v", "1,2", "--explain"],
    "a loss": ["k*x", "--k", "2,3", "--x", "4", "--loss", "sum(abs(y - 8))"],
    "several v": ["k*x", "--k", "2,3", "--x", "4", "--v", "1,2", "--v", "e0", "--contributions"],
    "many contributions": [
        *("2*x", "--x", "1,2", "--v", "1,2", "--contributions", "--max-entries=3")
    ],
    "a tangent": ["relu(x)", "--x", "0,2", "--v", "1,2", "--u", "1,-1"],
    "a tangent without v": ["relu(x)", "--x", "0,2", "--u", "1,-1"],
    "reproducible": ["relu(x)", "--x", "0,2", "--v", "1,2", "--reproduce", "--points", "2"],
    "against": [
        *("-f", "samples/by_numpy.py:softsign_wrong", "--x", "1,2", "--v", "ones"),
        *("--against", "samples/by_numpy.py:softsign"),
    ],
}


# what makes the report another kind of report
MARKS = {
    "no v": '"vjp": null',
    "no J": '"jacobian": null',
    "coordinates": '"format": "coo"',
    "size 0": '"vjp": {"x": []}',
    "complex": '"nan+0.0j"',
    "weights": '"weights": [1.0, -0.5]',
    "infinite": '"-Infinity"',
    "hole": '{"removable": "0"}',
    "no number": '"x": [null, null]',
    "no time": '"unchecked"',
    "a chain with marks": '"kind": "nan"',
    "a chain of paths": '"via": ',
    "a chain without v": '"cotangent": null',
    "a loss": '"formulas": [{"where": "dloss/dy[1]"',
    "several v": '"accumulated": {"k": [8.0, 8.0]',
    "many contributions": '"contributions": {"x": null}',
    "a tangent": '"method": "forward mode"',
    "a tangent without v": '"products": null',
    "words": '"explanation": ["',
    "reproducible": '"reproduce": {"problem": "vjp inspect',
}


@pytest.mark.parametrize("name", VARIED)
def test_a_report(name: str) -> None:
    found = inspected(*VARIED[name])
    assert found["schema"] == "vjp.report/1", found
    assert MARKS.get(name, "") in json.dumps(found)
    assert problems(found, "report") == []


def test_plain_arguments_that_are_no_json_numbers(tmp_path: Path) -> None:
    code = "def f(x, scale: float = 1.0, mode: str = 'a', flag: bool = False):\n    return 2*x\n"
    (tmp_path / "f.py").write_text(code, encoding="utf-8")
    values = ["--scale", "nan", "--mode", "nan", "--flag", "yes"]
    found = inspected("-f", f"{tmp_path}/f.py:f", "--x", "1,2,3", "--v", "ones", *values)
    assert found["problem"]["arguments"] == {"scale": "NaN", "mode": "nan", "flag": True}
    assert problems(found, "report") == []


def test_surprises() -> None:
    # every third for speed: reports and errors, expressions and functions
    chosen = CASES[::3]
    with contextlib.chdir(ROOT / "tests" / "cases"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = run("batch", "-", "--allow-functions", stdin=requests(chosen))
    answers = [json.loads(line) for line in result.stdout.splitlines()]
    assert len(answers) == len(chosen) > 40
    wrong = {
        answer["id"]: found
        for answer in answers
        if (found := problems(answer, "report" if "verdict" in answer else "error"))
    }
    assert wrong == {}
    assert sum("function" in case for case in chosen) > 3


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"vjp": {"x": [1.5, [None, "NaN"]]}}, ""),
        ({"vjp": {"x": "2.0-infj"}}, ""),
        ({"vjp": {"x": ["nan"]}}, "$.vjp"),
        ({"vjp": {"x": [{}]}}, "$.vjp"),
        ({"v": [None]}, "$.v"),
        ({"truth": {"jacobian": None, "vjp": {"x": ["0.25", {"left": "0", "right": "inf"}]}}}, ""),
        ({"truth": {"jacobian": None, "vjp": {"x": ["(2.0 - 0.5e-7j)", "undefined"]}}}, ""),
        ({"truth": {"jacobian": None, "vjp": {"x": ["about 2"]}}}, "$.truth.vjp"),
        ({"truth": {"jacobian": None, "vjp": {"x": [0.25]}}}, "$.truth.vjp"),
        ({"truth": {"vjp": None}}, "$.truth: 'jacobian' is a required property"),
        ({"verdicts": {"jacobian": None, "vjp": {"x": ["fine"]}}}, "$.verdicts.vjp"),
        ({"exit_code": 6}, "$.exit_code"),
        ({"schema": "vjp.report/2"}, "$.schema"),
        ({"notes": None}, "$.notes"),
        ({"line": 3, "id": None}, ""),
    ],
)
def test_what_a_report_may_not_be(change: dict[str, Any], message: str) -> None:
    found = problems(example() | change, "report")
    assert [each.startswith(message) for each in found] == ([True] if message else [])


def test_an_undeclared_key_is_told_with_its_home() -> None:
    added = example() | {"graph": []}
    added["findings"] = [{**added["findings"][0], "place": 3}]
    assert sorted(problems(added, "report")) == [
        "$.findings[0]: the key 'place' is not declared: add it to the class Finding in "
        "vjp_cli/schema/parts.py, with a description",
        "$: the key 'graph' is not declared: add it to the class Report in "
        "vjp_cli/schema/report.py, with a description",
    ]
    # users are told nothing of it: keys may be added
    assert validator("report").is_valid(added)


@pytest.mark.parametrize("key", list(example()))
def test_no_key_may_be_left_out(key: str) -> None:
    found = deepcopy(example())
    del found[key]
    assert problems(found, "report") == [f"$: '{key}' is a required property"]
