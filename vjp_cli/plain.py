"""What every command has: help under headings, and option values read without pydantic."""

import re
import textwrap
from collections.abc import Iterable
from typing import Any

PROBLEM, VALUES, SHOWN, JUDGEMENT, RUNNING, OUTPUT = PANELS = (
    "Problem",
    "Values",
    "What to show",
    "Judgement",
    "Running",
    "Output",
)

# under each heading, the names of a parameter and what it means
Panels = dict[str, list[tuple[str, str]]]

# the bounds of a number, as Typer writes them: of an option x, which here is an input
_BOUNDS = re.compile(r"(?<=[\[ ])(?:(\d+)<=)?x(?:>=(\d+)|<=(\d+))(?=\]$)")
# longer names of options have a line of their own
_COLUMN = 30
_GAP = "  "


class PlainHelp:
    """Help under one heading a panel, with an epilog whose lines stay as they are written."""

    epilog: str | None

    def format_options(self: Any, ctx: Any, formatter: Any) -> None:
        """Write the parameters, those of each panel together."""
        for panel, records in self.panels(ctx).items():
            with formatter.section(panel):
                _write_records(formatter, records)

    def panels(self: Any, ctx: Any) -> Panels:
        """The names of the parameters and what they mean, by heading."""
        rows: Panels = {panel: [] for panel in PANELS}
        for param in self.get_params(ctx):
            record = param.get_help_record(ctx)
            if record is not None:
                names, text = record
                row = names.removesuffix(" <str>"), _BOUNDS.sub(_bounds, text)
                rows.setdefault(param.rich_help_panel or "Completion", []).append(row)
        return {panel: records for panel, records in rows.items() if records}

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        """Write the epilog as it is."""
        formatter.write(f"\n{self.epilog}\n" if self.epilog else "")


def _write_records(formatter: Any, rows: list[tuple[str, str]]) -> None:
    """Write names and what they mean in two columns; no word is broken at its hyphens."""
    column = min(max(len(name) for name, _ in rows), _COLUMN)
    indent = " " * formatter.current_indent
    width = formatter.width - len(indent) - column - len(_GAP)
    for name, text in rows:
        first, *others = textwrap.wrap(text, width, break_on_hyphens=False) or [""]
        lines = [f"{name:{column}}{_GAP}{first}"]
        if len(name) > column:
            lines = [name, f"{'':{column}}{_GAP}{first}"]
        lines += [f"{'':{column}}{_GAP}{line}" for line in others]
        formatter.write("".join(f"{indent}{line}".rstrip() + "\n" for line in lines))


def _bounds(match: re.Match[str]) -> str:
    low, alone, high = match.groups()
    return f"at least {alone}" if alone else f"{low} to {high}"


class _Conversion:
    """Typer's conversion of one parameter, only where there is something to convert.

    Typer would import pydantic to find that a flag which nobody gave is None, and that a text is a
    text: half of the time that a rejected call takes.
    """

    def __init__(self, param: Any) -> None:
        self._convert = param.get_runtime_param

    def __call__(self) -> "_Conversion":
        return self

    def coerce(self, value: Any, param: Any, ctx: Any) -> Any:
        if value is None:
            return () if param.multiple else None
        annotation = param.type_descriptor.annotation
        # the command line gives texts, and a default has its type already
        if annotation in (str, list[str]) or type(value) is annotation:
            return value
        return self._convert().coerce(value, param=param, ctx=ctx)


def spare_conversions(params: Iterable[Any]) -> None:
    """Let each of ``params`` convert its value only where it has to."""
    for param in params:
        if not isinstance(param.get_runtime_param, _Conversion):
            param.get_runtime_param = _Conversion(param)
