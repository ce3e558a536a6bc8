"""What every command has: help under headings, and option values read without pydantic."""

from collections.abc import Iterable
from typing import Any

PROBLEM, VALUES, SHOWN, JUDGEMENT, OUTPUT = PANELS = (
    "Problem",
    "Values",
    "What to show",
    "Judgement",
    "Output",
)


class PlainHelp:
    """Help under one heading a panel, with an epilog whose lines stay as they are written."""

    epilog: str | None

    def format_options(self: Any, ctx: Any, formatter: Any) -> None:
        """Write the parameters, those of each panel together."""
        rows: dict[str, list[tuple[str, str]]] = {panel: [] for panel in PANELS}
        for param in self.get_params(ctx):
            record = param.get_help_record(ctx)
            if record is not None:
                rows.setdefault(param.rich_help_panel or "Completion", []).append(record)
        for panel, records in rows.items():
            if records:
                with formatter.section(panel):
                    formatter.write_dl(records)

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        """Write the epilog as it is."""
        formatter.write(f"\n{self.epilog}\n" if self.epilog else "")


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
