"""LaTeX: every sign is spelt out, and the document compiles."""

import re
import shutil
import subprocess
from dataclasses import replace

import pytest

from tests.render import reports
from tests.render.snapshot_report import snapshot
from vjp_cli.notation import latex_element, latex_text, latex_where
from vjp_cli.render import View, render
from vjp_cli.report import Finding, Verdict
from vjp_cli.settings import Format

COMPILER = shutil.which("pdflatex")
HOSTILE = r"\input{/etc/passwd} \write18{id} $x$ # % & _ ^ ~ { } < > | \" ' ` [0] é 中 ‮ θ\\"


def latex(report, full=False):
    return render(report, Format.LATEX, View(full=full))


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("x", "x"),
        ("x[i]", "x_{i}"),
        ("x[i,j+1]", "x_{i,j+1}"),
        ("x1[0]", "{x_{1}}_{0}"),
        ("beta_2", r"\beta_{2}"),
        ("fc.weight[i,0]", r"\mathit{fc.weight}_{i,0}"),
        ("my_name", r"\mathit{my\_name}"),
        ("_", r"\_"),
        ("w[...]", r"w_{\ldots}"),
    ],
)
def test_names(name, written):
    assert latex_element(name) == written


def test_the_left_side_of_a_formula():
    assert latex_where("dy[i]/dx[i,0]") == r"\frac{\partial y_{i}}{\partial x_{i,0}}"
    assert latex_where("y[i]") == "y_{i}"


def test_no_sign_of_a_text_acts():
    text = latex_text(HOSTILE)
    # what is left of a backslash is one of our own commands
    assert set(re.findall(r"\\([a-z]+)", text)) <= {
        *("textbackslash", "textasciicircum", "textasciitilde", "textless", "textgreater"),
        *("textbar", "char"),
    }
    assert not re.search(r"(?<!\\)[$#%&_]", text)


@pytest.mark.parametrize("name", reports.REPORTS)
def test_it_is_ascii(name):
    assert latex(reports.REPORTS[name]()).isascii()


def test_a_wide_matrix_is_cut_and_says_so():
    assert "19 columns not shown" in latex(reports.wide(30))
    assert "not shown" not in latex(reports.wide(30), full=True)


def test_an_empty_matrix():
    assert "J has no entries" in latex(reports.empty())


def hostile():
    finding = Finding("vjp.x[0]", Verdict.WRONG, 1.0, "2", cause=HOSTILE, remedy=HOSTILE)
    report = replace(reports.findings(), findings=(finding,), notes=(HOSTILE, "[1] begins so"))
    return replace(report, problem=replace(report.problem, expression=HOSTILE))


COMPILED = {**reports.REPORTS, "snapshot": snapshot, "hostile": hostile}


@pytest.mark.skipif(COMPILER is None, reason="pdflatex is not installed, so nothing is compiled")
@pytest.mark.parametrize("name", COMPILED)
def test_it_compiles(name, tmp_path):
    (tmp_path / "report.tex").write_text(latex(COMPILED[name]()), encoding="ascii")
    done = subprocess.run(
        [COMPILER, "-halt-on-error", "-interaction=nonstopmode", "-no-shell-escape", "report.tex"],
        cwd=tmp_path,
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stdout.decode(errors="replace")[-2000:]
    assert (tmp_path / "report.pdf").read_bytes().startswith(b"%PDF")
