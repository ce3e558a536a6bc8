"""The page: head, verdict and problem, sections, and what makes it again."""

import base64
import hashlib
from collections.abc import Iterator
from importlib import resources
from itertools import chain

from vjp_cli.render import View, lines
from vjp_cli.render.html.blocks import block, jacobian
from vjp_cli.render.html.elements import scrolled
from vjp_cli.render.html.steps import steps
from vjp_cli.render.html.svg import icon, text
from vjp_cli.render.sections import CHAIN, FINDINGS, sections, summary
from vjp_cli.report import Report


def render_html(report: Report, view: View) -> str:
    """The report as a page of its own: what it needs is in it, and it may load nothing."""
    style = resources.files("vjp_cli.render.html").joinpath("page.css").read_text("utf-8")
    # only this very style sheet is allowed, and nothing else at all
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    problem = lines.headline(report)[0]
    head = (
        '<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        '<meta name="referrer" content="no-referrer">\n'
        f"<title>{report.verdict}: {text(problem)}</title>\n<style>{style}</style>"
    )
    body = "\n".join(chain(_opening(report, problem), _sections(report, view), _closing(report)))
    page = f"<head>\n{head}\n</head>\n<body>\n{body}\n</body>"
    document = f'<!DOCTYPE html>\n<html lang="en">\n{page}\n</html>\n'
    # a reference means the same sign in every encoding
    return document if view.unicode else document.encode("ascii", "xmlcharrefreplace").decode()


def _opening(report: Report, problem: str) -> Iterator[str]:
    yield f'<header><p class="badge {report.verdict}">{icon(report.verdict)}{report.verdict}</p>'
    yield f"<h1><code>{text(problem)}</code></h1>"
    shapes, *said = summary(report)
    facts = "".join(f"<li>{text(part)}</li>" for part in shapes.split(" · "))
    yield f'<ul class="facts">{facts}</ul>'
    yield "".join(f'<p class="quiet">{text(line)}</p>' for line in said)
    yield f"{_values(report)}</header>\n<main>"


def _sections(report: Report, view: View) -> Iterator[str]:
    inputs = dict(enumerate(report.problem.wrt))
    # what is wrong is read first; the sort keeps the order of the others
    for number, section in sorted(
        enumerate(sections(report)), key=lambda each: each[1].title != FINDINGS
    ):
        yield f"<section><h2>{text(section.title)}</h2>"
        if number in inputs:
            yield from jacobian(report, inputs[number], section, view)
        elif section.title == CHAIN:
            yield from steps(report)
        else:
            for part in section.blocks:
                yield from block(part, report, view)
        yield "</section>"


def _values(report: Report) -> str:
    """The inputs and the output, as far as a line goes."""
    named = {**report.inputs, report.output.name: report.output.value}
    shown = (
        f"<dt>{text(name)}</dt><dd><code>{text(lines.listing(value, 300))}</code></dd>"
        for name, value in named.items()
    )
    return scrolled("dl", "".join(shown), "inputs and output")


def _closing(report: Report) -> Iterator[str]:
    made = " · ".join(f"{name} {value}" for name, value in report.environment.items())
    yield f'</main>\n<footer><p class="quiet">{text(made)}</p></footer>'
