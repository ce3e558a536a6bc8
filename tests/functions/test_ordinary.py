"""Ordinary code is traced to the end: every entry is judged, and right."""

import ast

import pytest

from tests.functions.helpers import HERE, report_of
from vjp_cli.report import Verdict


def functions(file: str) -> list[tuple[str, str]]:
    """The functions of a file that take x alone, or have defaults for the rest."""
    body = ast.parse((HERE / file).read_text()).body
    return [(file, node.name) for node in body if isinstance(node, ast.FunctionDef)]


@pytest.mark.parametrize(("file", "name"), functions("ordinary.py") + functions("learning.py"))
def test_ordinary_code_is_judged_in_full(file: str, name: str) -> None:
    found = report_of(file, name, None, x="1.25,0.75,2.5")
    assert found.verdict is Verdict.OK, (found.notes, found.findings)
    assert found.judged_jacobian is not None
    verdicts = found.judged_jacobian.verdicts["x"].values
    # every entry of J, and none of them by default
    assert verdicts == (Verdict.OK,) * (3 * len(found.output.value.values))
