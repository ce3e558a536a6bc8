"""Complex problems judged end to end, against answers worked out by hand."""

import json
from typing import Any

import pytest

from tests.helpers import run
from vjp_cli.errors import InputError
from vjp_cli.expression import parse
from vjp_cli.inspection import inspect
from vjp_cli.report import Report, Truth, Verdict
from vjp_cli.request import Request
from vjp_cli.settings import Settings
from vjp_cli.values import parse_value


def solve(
    expression: str, dtype: str = "complex128", v: str | None = None, **inputs: str
) -> Report:
    values = {name: parse_value(text, f"--{name}") for name, text in inputs.items()}
    cotangent = None if v is None else parse_value(v, "--v")
    settings = Settings(dtype=dtype, checks=())
    return inspect(Request(parse(expression), values, cotangent), settings)


def numbers(report: Report, name: str = "z") -> list[Any]:
    assert report.vjp is not None
    return list(report.vjp[name].values)


def truths(report: Report, name: str = "z") -> list[Truth]:
    assert report.judged_vjp is not None
    return list(report.judged_vjp.truth[name].values)


def verdicts(report: Report, name: str = "z") -> list[Verdict]:
    assert report.judged_vjp is not None
    return list(report.judged_vjp.verdicts[name].values)


@pytest.mark.parametrize(
    ("expression", "z", "torch", "truth", "verdict"),
    [
        # holomorphic: torch gives the conjugate
        ("z**2", "1+1j", 2 - 2j, "(2.0 + 2.0j)", Verdict.BY_DESIGN),
        ("1/z", "1+2j", 0.12 - 0.16j, "(0.12 + 0.16j)", Verdict.BY_DESIGN),
        ("1j*z", "3", -1j, "(0 + 1.0j)", Verdict.BY_DESIGN),
        ("sqrt(z)", "3+4j", 0.2 + 0.1j, "(0.2 - 0.1j)", Verdict.BY_DESIGN),
        (
            "exp(z)",
            "1j",
            0.5403023058681398 - 0.8414709848078965j,
            "(0.540302305868139717400936607443 + 0.841470984807896506652502321630j)",
            Verdict.BY_DESIGN,
        ),
        # its own conjugate
        ("z**2", "3", 6 + 0j, "(6.0 + 0j)", Verdict.OK),
        ("5*z", "1-1j", 5 + 0j, "(5.0 + 0j)", Verdict.OK),
        # not holomorphic: the direction of steepest ascent
        ("z*conj(z)", "3+4j", 6 + 8j, "(6.0 + 8.0j)", Verdict.OK),
        ("(z*z.conj()).real", "3+4j", 6 + 8j, "(6.0 + 8.0j)", Verdict.OK),
        ("z.imag**2", "2j", 4j, "(0 + 4.0j)", Verdict.OK),
        ("abs(z)", "3+4j", 0.6 + 0.8j, "(0.6 + 0.8j)", Verdict.OK),
        ("angle(z)", "1+1j", -0.5 + 0.5j, "(-0.5 + 0.5j)", Verdict.OK),
        ("z.conj()", "1+1j", 1 + 0j, "(1.0 + 0j)", Verdict.OK),
        ("z*0", "1+1j", 0j, "(0 + 0j)", Verdict.OK),
    ],
)
def test_one_element(expression: str, z: str, torch: complex, truth: str, verdict: Verdict) -> None:
    report = solve(expression, z=z)
    assert numbers(report) == pytest.approx([torch], rel=1e-15, abs=1e-300)
    assert verdicts(report) == [verdict]
    assert report.verdict is verdict
    assert report.exit_code == 0
    expected, found = (complex(text.replace(" ", "")) for text in (truth, truths(report)[0].value))
    assert found == expected
    assert len(truths(report)[0].value) <= len("(0." + 30 * "0" + " + 0." + 30 * "0" + "j)")


def test_thirty_digits_of_both_parts() -> None:
    truth = truths(solve("exp(z)", z="1j"))[0].value
    # cos 1 and sin 1
    assert truth == "(0.540302305868139717400936607443 + 0.84147098480789650665250232163j)"


def test_the_convention_is_named() -> None:
    report = solve("z**2", z="1+1j")
    assert report.findings[0].where == "vjp.z"
    assert "conjugate" in report.findings[0].cause
    assert report.findings[0].truth == "(2.0 + 2.0j)"
    assert any("steepest-ascent convention" in note for note in report.notes)


def test_abs_at_zero_is_a_kink() -> None:
    report = solve("abs(z)", z="0j")
    assert verdicts(report) == [Verdict.KINK]
    assert (truths(report)[0].left, truths(report)[0].right) == ("(-1.0 - 1.0j)", "(1.0 + 1.0j)")


@pytest.mark.parametrize(
    ("expression", "verdict"),
    [("1/z", Verdict.UNDEFINED), ("log(z)", Verdict.UNDEFINED), ("z*abs(z)/abs(z)", Verdict.NAN)],
)
def test_where_torch_has_nan(expression: str, verdict: Verdict) -> None:
    assert verdicts(solve(expression, z="0j")) == [verdict]


def test_a_complex_v_weights_the_derivative() -> None:
    report = solve("z**2", v="1+2j,3", z="1+1j,2-1j")
    # (1 + 2j)·2(1 + 1j) and 3·2(2 - 1j); torch: v·conj(2z)
    assert [t.value for t in truths(report)] == ["(-2.0 + 6.0j)", "(12.0 - 6.0j)"]
    assert numbers(report) == [6 + 2j, 12 + 6j]
    assert report.jacobian is not None
    assert list(report.jacobian["z"].values) == [2 - 2j, 0, 0, 4 + 2j]
    assert report.structure["z"].positions == {0, 3}


def test_an_output_without_weight_counts_for_nothing() -> None:
    report = solve("stack((z**2, z.conj()))", v="1,0", z="1+1j")
    assert [t.value for t in truths(report)] == ["(2.0 + 2.0j)"]
    assert verdicts(report) == [Verdict.BY_DESIGN]


def test_a_complex_matrix_and_a_real_vector() -> None:
    report = solve("[[1+2j, 3, 1j], [4, 5j, 2]] @ (x + 0j)", "float64", "1,1j", x="1,2,3")
    # Re Σ conj(v_i)·A_ij
    assert numbers(report, "x") == [1, 3 + 5, 0]
    assert [t.value for t in truths(report, "x")] == ["1.0", "8.0", "0"]
    assert verdicts(report, "x") == [Verdict.OK] * 3
    assert report.jacobian is not None
    assert list(report.jacobian["x"].values) == [1, 3, 0, 4, 0, 2]


def test_a_complex_matrix_and_a_complex_vector() -> None:
    report = solve("A @ z", v="1,1j", A="1j,2,0;0,1,1-1j", z="1,2j,3")
    # Σ v_i·A_ij
    assert [t.value for t in truths(report)] == ["(0 + 1.0j)", "(2.0 + 1.0j)", "(1.0 + 1.0j)"]
    # Σ v_i·conj(A_ij)
    assert numbers(report) == [-1j, 2 + 1j, -1 + 1j]
    assert verdicts(report) == [Verdict.BY_DESIGN, Verdict.OK, Verdict.BY_DESIGN]
    # v_i·z_j, and its conjugate where z_j is not real
    assert [t.value for t in truths(report, "A")][:2] == ["(1.0 + 0j)", "(0 + 2.0j)"]


def test_real_inputs_with_complex_numbers_on_the_way() -> None:
    report = solve("(complex(x, y)**2).imag", "float64", "1,2", x="1,3", y="2,5")
    # Im (x + iy)² = 2xy
    assert numbers(report, "x") == [4, 20]
    assert numbers(report, "y") == [2, 12]
    assert verdicts(report, "x") == verdicts(report, "y") == [Verdict.OK] * 2
    assert report.notes == ()


def test_there_and_back_by_fourier() -> None:
    report = solve("ifft(fft(x)).real", "float64", "1,2,3", x="0.5,-1,2")
    assert numbers(report, "x") == pytest.approx([1, 2, 3], rel=1e-14)
    assert verdicts(report, "x") == [Verdict.OK] * 3
    assert report.judged_jacobian is not None
    assert set(report.judged_jacobian.verdicts["x"].values) == {Verdict.OK}


def test_the_energy_of_a_spectrum() -> None:
    # Parseval: Σ|fft(x)|² = n·Σx², whose derivative is 2n·x
    report = solve("(abs(fft(x))**2).sum()", "float64", x="0.5,-1,2")
    assert [float(t.value) for t in truths(report, "x")] == pytest.approx([3, -6, 12], rel=1e-28)
    assert verdicts(report, "x") == [Verdict.OK] * 3


def test_single_precision() -> None:
    report = solve("z**2", "complex64", z="0.1+0.2j")
    # the exact double of the float32 nearest 0.1 and 0.2
    assert (
        truths(report)[0].value == "(0.20000000298023223876953125 + 0.4000000059604644775390625j)"
    )
    assert verdicts(report) == [Verdict.BY_DESIGN]


def test_rounding_of_terms_that_cancel_is_no_error() -> None:
    report = solve("sin(z)**2 + cos(z)**2", z="1+2j")
    assert numbers(report) != [0]
    assert verdicts(report) == [Verdict.OK]


def test_rounding_costs_digits() -> None:
    # the derivative of (1 + z)² - 2z is 2z, of which 1 + z keeps 5 digits
    report = solve("(1 + z)**2 - 2*z", z="1e-11+3e-11j")
    assert verdicts(report) == [Verdict.IMPRECISE]


def test_detach_is_by_design() -> None:
    report = solve("z*z.detach()", z="1+1j")
    assert truths(report)[0].value == "(2.0 + 2.0j)"
    assert verdicts(report) == [Verdict.BY_DESIGN]
    assert "detach" in report.findings[0].cause


def test_a_graph_that_is_cut() -> None:
    report = solve("z.detach()*2 + 0*w", z="1+1j", w="1j")
    assert verdicts(report) == [Verdict.MISSING]
    assert verdicts(report, "w") == [Verdict.OK]


def test_an_empty_input() -> None:
    report = solve("z.sum()", z="[]")
    assert numbers(report) == []
    assert report.verdict is Verdict.OK


def test_without_v() -> None:
    report = solve("z**2", z="1+1j,2")
    assert report.vjp is None
    assert report.judged_jacobian is not None
    assert report.judged_jacobian.verdicts["z"].values == ("by-design", "ok", "ok", "ok")


def test_a_real_y_has_a_real_v() -> None:
    with pytest.raises(InputError, match="v is complex and y is real"):
        solve("abs(z)", v="1j", z="1+1j")
    assert solve("abs(z)", v="2+0j", z="3+4j").v == solve("abs(z)", v="2", z="3+4j").v


def test_what_cannot_be_traced_is_unchecked() -> None:
    report = solve("matrix_exp(z)", v="1,1;1,1", z="1,2j;3,4")
    assert set(verdicts(report)) == {Verdict.UNCHECKED}
    assert report.notes == (
        "nothing was checked: the tracer cannot follow matrix_exp of complex numbers",
        *report.notes[1:],
    )


@pytest.mark.parametrize("v", [(), ("--v", "1")])
def test_on_the_screen(v: tuple[str, ...]) -> None:
    result = run("inspect", "z**2", "--z", "1+1j", "--dtype", "complex128", *v)
    assert result.exit_code == 0
    assert result.stderr == ""
    lines = [line.rstrip() for line in result.stdout.splitlines()]
    assert lines[0].startswith("by-design   y = z**2")
    assert any(line.endswith("z   │ 2-2j @      2+2j        0-4j") for line in lines)


def test_in_json() -> None:
    result = run("inspect", "z**2", "--z", "1+1j", "--dtype", "complex128", "--v", "1", "--json")
    report = json.loads(result.stdout)
    assert report["v"] == "1.0+0.0j"
    assert report["vjp"] == {"z": "2.0-2.0j"}
    assert report["truth"]["vjp"] == {"z": "(2.0 + 2.0j)"}
    assert report["verdicts"]["jacobian"] == {"z": "by-design"}
    assert report["symbolic"] == {"output": [], "jacobian": {}, "vjp": {"z": "2.0+2.0j"}}
