"""The operation table as text or as one line of JSON."""

import json
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

from vjp_cli.ops.facts import MeasuredKink, OpLine, OpPage
from vjp_cli.render.json_numbers import number
from vjp_cli.settings import Format

SCHEMA = "vjp.ops/1"


def render_ops(found: "tuple[OpLine, ...] | OpPage", fmt: Format) -> str:
    """The listing or a page in the format ``fmt``; the text ends with one newline."""
    if fmt is Format.JSON:
        rows = [_page(found)] if isinstance(found, OpPage) else [_line(line) for line in found]
        document = {"schema": SCHEMA, "operations": rows}
        return json.dumps(document, allow_nan=False, separators=(",", ":")) + "\n"
    lines = _page_lines(found) if isinstance(found, OpPage) else _listing_lines(found)
    return "\n".join(lines) + "\n"


def _line(line: OpLine) -> dict[str, Any]:
    return {
        "name": line.name,
        "family": line.family,
        "kind": line.kind.value,
        "checked": line.checked,
        "kinks": line.kinks or None,
    }


def _page(page: OpPage) -> dict[str, Any]:
    return _line(page.line) | {
        "torch": page.torch,
        "signature": page.signature,
        "aliases": list(page.aliases),
        "fields": list(page.fields),
        "samples": list(page.samples),
        "rule": page.rule or None,
        "derivatives": dict(page.derivatives),
        "domain": list(page.domain),
        "measured": [
            {
                "call": kink.call,
                "at": float(kink.at),
                "torch": number(kink.torch),
                "left": kink.left,
                "right": kink.right,
                "verdict": kink.verdict.value,
            }
            for kink in page.measured
        ],
        "note": page.note or None,
        "departure": page.departure or None,
    }


def _listing_lines(lines: Sequence[OpLine]) -> Iterator[str]:
    rows = [_cells(line) for line in lines]
    head = ("name", "kind", "checked by", "kinks")
    widths = [max(len(row[k]) for row in [head, *rows]) for k in range(3)]

    def aligned(row: tuple[str, ...]) -> str:
        cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=False)]
        return "  ".join(["", *cells, row[3]]).rstrip()

    yield aligned(head)
    for family, members in groupby(lines, key=lambda line: line.family):
        yield f"\n{family}"
        yield from map(aligned, map(_cells, members))


def _cells(line: OpLine) -> tuple[str, ...]:
    return line.name, line.kind.value, line.checked, line.kinks


def _page_lines(page: OpPage) -> Iterator[str]:
    line = page.line
    yield page.signature
    facts = [
        ("torch", page.torch),
        ("family", line.family),
        ("kind", line.kind.value),
        ("checked by", line.checked),
        ("aliases", ", ".join(page.aliases)),
        ("results", ", ".join(page.fields)),
        ("rule", page.rule),
        *((f"d/d{name}", formula) for name, formula in page.derivatives.items()),
        ("domain", f"tested from {page.domain[0]:g} to {page.domain[1]:g}"),
        ("kinks", line.kinks or "none"),
        *(("", _kink(kink)) for kink in page.measured),
        ("departure", page.departure),
        ("note", page.note),
        ("for example", "  ".join(page.samples)),
    ]
    for name, text in facts:
        if text:
            yield f"  {name:12}{text}"


def _kink(kink: MeasuredKink) -> str:
    chosen = "no number" if kink.torch is None else str(number(kink.torch))
    slopes = f"slopes {kink.left} and {kink.right}" if kink.left != kink.right else kink.left
    return f"{kink.call} at {kink.at}: torch {chosen}, {slopes} ({kink.verdict.value})"
