"""``vjp ops``: the listing follows from the table, a page shows what torch does at a kink."""

import json
from typing import Any

import pytest

from tests.helpers import refused, run, run_process
from vjp_cli.ops.catalog import ROWS
from vjp_cli.ops.table import Kind
from vjp_cli.ops_page import listing, page


def page_of(name: str) -> dict[str, Any]:
    result = run("ops", name, "--json")
    assert (result.exit_code, result.stderr) == (0, "")
    document = json.loads(result.stdout)
    assert document["schema"] == "vjp.ops/1"
    [found] = document["operations"]
    assert isinstance(found, dict)
    return found


def test_every_row_is_listed_once_in_one_family() -> None:
    lines = listing()
    assert sorted(line.name for line in lines) == sorted(op.name for op in ROWS)
    families = [line.family for line in lines]
    assert sorted(set(families), key=families.index) == sorted(set(families))
    assert {line.name: line.family for line in lines}["cross_entropy"] == "class losses"


@pytest.mark.parametrize(
    ("name", "row"),
    [
        ("relu", "  relu  composite  traced algorithm  0"),
        ("exp", "  exp  elementwise  formula"),
        ("eigvalsh", "  eigvalsh  opaque  evaluation and slopes  where two eigenvalues are equal"),
        ("sum", "  sum  sum  formula"),
        ("sign", "  sign  step  formula  a jump at 0"),
        ("gt", "  gt  compare  no derivative"),
        ("zeros", "  zeros  constant  no derivative"),
    ],
)
def test_a_line_says_how_the_row_is_checked(name: str, row: str) -> None:
    lines = run("ops").stdout.splitlines()
    [found] = [line for line in lines if line.startswith(f"  {name} ")]
    assert found.split() == row.split()


def test_columns_are_aligned() -> None:
    lines = run("ops").stdout.splitlines()
    column = lines[0].index("checked by")
    starts = {line[column - 2 : column + 1] for line in lines if line.startswith("  ")}
    assert all(start[:2] == "  " and start[2] != " " for start in starts)


def test_the_listing_as_json() -> None:
    document = json.loads(run("ops", "--format", "json").stdout)
    assert document["operations"][0].keys() == {"name", "family", "kind", "checked", "kinks"}
    assert len(document["operations"]) == len(ROWS)


def test_a_formula_has_its_derivatives() -> None:
    found = page_of("hypot")
    assert found["signature"] == "hypot(input, other)"
    assert found["rule"] == "sqrt(x**2 + y**2)"
    assert found["derivatives"] == {"x": "x/sqrt(x**2 + y**2)", "y": "y/sqrt(x**2 + y**2)"}
    assert found["measured"] == []
    assert found["kinks"] == "where both arguments are 0"


def test_torch_is_asked_at_the_kink() -> None:
    found = page_of("relu")
    assert found["torch"] == "torch.nn.functional.relu"
    assert found["measured"] == [
        {
            "call": "relu(x)",
            "at": 0,
            "torch": 0,
            "left": "0",
            "right": "1.0",
            "verdict": "kink",
        }
    ]


@pytest.mark.parametrize(
    ("name", "kinks"),
    [
        ("relu6", [(0, 0, "0", "1.0"), (6, 0, "1.0", "0")]),
        # at 3: (2x + 3)/6 is 1.5 from the left; torch keeps the derivative of x there
        ("hardswish", [(-3, 0, "0", "-0.5"), (3, 1, "1.5", "1.0")]),
        ("abs", [(0, 0, "-1.0", "1.0")]),
        ("acos", [(-1, "-Infinity", "undefined", "-inf"), (1, "-Infinity", "-inf", "undefined")]),
        ("elu", [(0, 1, "1.0", "1.0")]),
        # several arguments: the kink is in the first one
        ("copysign", [(0, 0, "-1.0", "1.0")]),
    ],
)
def test_every_number_among_the_kinks_is_measured(
    name: str, kinks: list[tuple[float, float | str, str, str]]
) -> None:
    measured = page_of(name)["measured"]
    found = [(kink["at"], kink["torch"], kink["left"], kink["right"]) for kink in measured]
    assert found == kinks


@pytest.mark.parametrize("name", ["clamp", "floor", "maximum", "softshrink", "trunc", "quantile"])
def test_where_no_number_is_named_the_words_stay(name: str) -> None:
    found = page(name)
    assert found.line.kinks
    assert found.measured == ()


def test_torch_without_a_derivative_gives_no_number() -> None:
    [kink] = page_of("heaviside")["measured"]
    assert (kink["torch"], kink["verdict"]) == (None, "missing")
    assert "torch no number" in run("ops", "heaviside").stdout


def test_the_page_as_text() -> None:
    text = run("ops", "leaky_relu").stdout
    assert text.splitlines()[0] == "leaky_relu(input, negative_slope=0.01, inplace=False)"
    assert "checked by  traced algorithm" in text
    assert (
        "leaky_relu(x) at 0: torch 0.01, slopes 0.0100000000000000002081668171172 and 1.0" in text
    )
    assert "for example leaky_relu(x)" in text
    assert "None" not in text


def test_aliases_notes_and_departures_are_told() -> None:
    assert "aliases     arcsin" in run("ops", "asin").stdout
    assert "departure   softplus returns its input" in run("ops", "softplus").stdout
    assert "results     " in run("ops", "sort").stdout
    assert page_of("asin")["aliases"] == ["arcsin"]


@pytest.mark.parametrize(
    ("written", "name"), [("F.relu", "relu"), ("torch.linalg.norm", "linalg.norm")]
)
def test_a_name_may_have_torch_s_prefix(written: str, name: str) -> None:
    assert page_of(written)["name"] == name


@pytest.mark.parametrize("kind", list(Kind))
def test_every_kind_has_a_page_with_a_signature(kind: Kind) -> None:
    op = next(op for op in ROWS if op.kind is kind)
    found = page(op.name)
    assert found.signature.startswith(f"{op.name}(")
    assert (found.rule != "") is (kind is Kind.ELEMENTWISE)


def test_an_unknown_name_gets_a_suggestion() -> None:
    refused(run("ops", "reluu"), "no such operation: 'reluu'", "did you mean 'relu'?")
    refused(run("ops", "qqqqq"), "no such operation: 'qqqqq'", "vjp ops lists all of them")


@pytest.mark.parametrize("arguments", [["ops"], ["ops", "--json"], ["ops", "reluu"]])
def test_the_listing_imports_nothing_heavy(arguments: list[str]) -> None:
    code = f"""
import sys
from vjp_cli.cli import run
run({arguments!r})
heavy = {{"torch", "sympy", "numpy", "flint", "rich", "pydantic", "msgspec"}} & set(sys.modules)
sys.stderr.write(f"heavy: {{sorted(heavy)}}")
"""
    assert run_process(code=code).stderr.endswith("heavy: []")
