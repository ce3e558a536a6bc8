"""Functions of the files beside this one, inspected."""

from pathlib import Path

from vjp_cli.functions.source import find
from vjp_cli.inspection import inspect
from vjp_cli.report import Report
from vjp_cli.request import Request
from vjp_cli.settings import Settings
from vjp_cli.values import parse_value

HERE = Path(__file__).parent


def marked(file: str, name: str) -> str:
    """Where in a file the function has its mark, ``# here``."""
    lines = (HERE / file).read_text().split("\n")
    start = next(k for k, line in enumerate(lines) if line.startswith(f"def {name}("))
    at = next(k for k in range(start, len(lines)) if lines[k].endswith("# here"))
    return f"{file} line {at + 1}"


def report_of(
    file: str,
    name: str,
    v: str | None = "1,10,100",
    against: str = "",
    dtype: str = "float64",
    **inputs: str,
) -> Report:
    """The report of one function at x = (1, 2, 3), or at the given inputs."""
    values = {key: parse_value(text, key) for key, text in (inputs or {"x": "1,2,3"}).items()}
    other = find(f"{HERE / file}:{against}") if against else None
    cotangent = None if v is None else parse_value(v, "v")
    request = Request(find(f"{HERE / file}:{name}"), values, cotangent, other)
    return inspect(request, Settings(dtype=dtype))


def truth_of(report: Report, name: str = "x") -> list[str | None]:
    """The true vᵀJ, in the report's digits."""
    assert report.judged_vjp is not None
    return [entry.value for entry in report.judged_vjp.truth[name].values]
