"""What a command line means: every option reaches the request or the settings, or is refused."""

from pathlib import Path

import pytest

from tests.helpers import Asked, ask, run
from vjp_cli.report import Verdict
from vjp_cli.settings import Layout, Settings
from vjp_cli.values import Generated, Value


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Asked:
    """What the inspection was asked; it answers REPORT."""
    return ask(monkeypatch)


def numbers(value: Value | Generated) -> list[float]:
    assert isinstance(value, Value)
    return list(value.numbers)


def test_every_name_of_the_expression_is_an_option(asked: Asked) -> None:
    result = run("inspect", "k @ x", "--k", "1,2;3,4;5,6", "--x=-1,2", "--v", "1,0,1")
    assert (result.exit_code, result.stderr) == (0, "")
    [(request, settings)] = asked
    assert request.subject.source == "k @ x"
    assert list(request.inputs) == ["k", "x"]
    assert request.inputs["k"].shape == (3, 2)
    assert numbers(request.inputs["x"]) == [-1, 2]
    assert numbers(request.v) == [1, 0, 1]
    assert settings == Settings()


def test_every_flag_reaches_the_settings(asked: Asked) -> None:
    result = run(
        *("inspect", "a*b", "--a", "1", "--b", "2", "--wrt", "b,a", "--dtype", "float32"),
        *("--device", "cuda:1", "--layout", "denominator", "--seed", "7", "--timeout", "1.5"),
        *("--digits", "9", "--strict", "--fail-on", "kink,wrong", "--max-entries", "12"),
        *("--no-jacobian", "--full"),
    )
    assert result.exit_code == 0, result.stderr
    assert asked[0][1] == Settings(
        wrt=("b", "a"),
        dtype="float32",
        device="cuda:1",
        layout=Layout.DENOMINATOR,
        seed=7,
        timeout=1.5,
        digits=9,
        strict=True,
        fail_on=frozenset({Verdict.KINK, Verdict.WRONG}),
        max_entries=12,
        jacobian=False,
    )


@pytest.mark.parametrize("option", ["--v", "--cotangent", "--gradient"])
def test_the_cotangent_has_three_names(asked: Asked, option: str) -> None:
    assert run("inspect", "x", "--x", "1,2", option, "3,4").exit_code == 0
    assert numbers(asked[0][0].v) == [3, 4]


def test_no_cotangent_is_none(asked: Asked) -> None:
    run("inspect", "x", "--x", "1,2")
    assert asked[0][0].v is None


@pytest.mark.parametrize(
    "arguments",
    [
        ["-x**2", "--x", "-1"],
        ["--x", "-1", "-x**2"],
        ["--x", "-1", "--", "-x**2"],
        ["--x=-1", "-q", "-x**2"],
        ["--x", "-1", "--", "--x"],
        ["--(x)", "--x", "-1"],
    ],
)
def test_an_expression_may_begin_with_a_minus_sign(asked: Asked, arguments: list[str]) -> None:
    result = run("inspect", *arguments)
    assert (result.exit_code, result.stderr) == (0, "")
    assert asked[0][0].subject.source.startswith("-")
    assert numbers(asked[0][0].inputs["x"]) == [-1]


def test_options_may_come_before_the_expression(asked: Asked) -> None:
    assert run("inspect", "--k", "2", "--json", "--x", "1", "k*x").exit_code == 0
    assert numbers(asked[0][0].inputs["k"]) == [2]


@pytest.mark.parametrize("name", ["v", "json", "help", "version", "let", "quiet", "device"])
def test_let_sets_a_name_that_is_an_option_already(asked: Asked, name: str) -> None:
    result = run("inspect", f"{name}*x", "--x", "1", "--let", f"{name}=4,5", "--v", "6,7")
    assert (result.exit_code, result.stderr) == (0, "")
    assert numbers(asked[0][0].inputs[name]) == [4, 5]
    assert numbers(asked[0][0].v) == [6, 7]


@pytest.mark.parametrize("name", ["expression", "max_entries", "context", "value_of_x", "_x", "E"])
def test_a_variable_may_have_any_other_name(asked: Asked, name: str) -> None:
    result = run("inspect", f"{name} + x", f"--{name}", "4", "--x", "1", "--max-entries", "3")
    assert (result.exit_code, result.stderr) == (0, "")
    assert numbers(asked[0][0].inputs[name]) == [4]
    assert asked[0][1].max_entries == 3


def test_names_are_folded_as_python_folds_them(asked: Asked) -> None:
    # micro sign and Greek mu are one name; the ligature fi is two letters
    result = run("inspect", "µ*ﬁ*x", "--μ", "2", "--ﬁ", "3", "--let", "x=4", "--wrt", "µ")
    assert (result.exit_code, result.stderr) == (0, "")
    assert {name: numbers(value) for name, value in asked[0][0].inputs.items()} == {
        "μ": [2],
        "fi": [3],
        "x": [4],
    }
    assert asked[0][1].wrt == ("μ",)


def test_the_expression_may_come_from_standard_input(asked: Asked) -> None:
    assert run("inspect", "-", "--x", "1", stdin="\ufeffx**2\r\n").exit_code == 0
    assert asked[0][0].subject.source == "x**2"


def test_the_expression_may_come_from_a_file(asked: Asked, tmp_path: Path) -> None:
    file = tmp_path / "expression.txt"
    file.write_text("y = x + 2\ny*y\n", encoding="utf-8")
    assert run("inspect", f"@{file}", "--x", "1").exit_code == 0
    assert asked[0][0].subject.source == "y = x + 2\ny*y"


def test_a_value_may_come_from_standard_input(asked: Asked) -> None:
    assert run("inspect", "x", "--x", "-", stdin="1,2,3").exit_code == 0
    assert numbers(asked[0][0].inputs["x"]) == [1, 2, 3]
