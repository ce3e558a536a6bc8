"""A batch as a test run, in the XML of JUnit that CI systems show: one test case a line."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from tempfile import TemporaryFile
from typing import IO
from xml.etree import ElementTree

import msgspec

from vjp_cli.batches.answering import Answer
from vjp_cli.errors import clean
from vjp_cli.requests import Id
from vjp_cli.schema.error import Explanation
from vjp_cli.schema.parts import Finding


class _Case(msgspec.Struct):
    """What is read of an answer."""

    id: Id
    line: int
    ok: bool
    verdict: str = ""
    findings: list[Finding] = []
    notes: list[str] = []
    error: Explanation | None = None


@contextmanager
def junit(write: Callable[[str], None], name: str) -> Iterator[Callable[[Answer], None]]:
    """A function that takes one answer after another; the document is written at the end.

    Args:
        write: is given the document in pieces.
        name: of the file that the lines come from.
    """
    counts = {"tests": 0, "failures": 0, "errors": 0, "skipped": 0}
    # the counts stand before the cases, of which there may be millions
    with TemporaryFile("w+", encoding="utf-8") as cases:

        def add(answer: Answer) -> None:
            case = msgspec.json.decode(answer.text, type=_Case)
            counts["tests"] += 1
            counts["errors"] += case.error is not None
            counts["failures"] += case.error is None and not case.ok
            cases.write(ElementTree.tostring(_element(case, name), encoding="unicode") + "\n")

        yield add
        for piece in _document(cases, counts, name):
            write(piece)


def _document(cases: IO[str], counts: dict[str, int], name: str) -> Iterator[str]:
    suite = ElementTree.Element("testsuite", name=clean(name))
    for word, count in counts.items():
        suite.set(word, str(count))
    suite.text = "\n"
    head, _, tail = ElementTree.tostring(suite, encoding="unicode").partition("\n")
    yield f'<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n{head}\n'
    cases.seek(0)
    yield from cases
    yield f"{tail}\n</testsuites>\n"


def _element(case: _Case, name: str) -> ElementTree.Element:
    element = ElementTree.Element("testcase", classname=clean(name))
    element.set("name", f"line {case.line}" if case.id is None else clean(str(case.id)))
    element.set("line", str(case.line))
    if case.error is not None:
        said = {"type": clean(case.error.kind), "message": clean(case.error.message)}
        ElementTree.SubElement(element, "error", said).text = clean(case.error.hint)
    elif not case.ok:
        lines = [clean(line) for line in (*map(_words, case.findings), *case.notes)]
        message = f"{case.verdict}: {lines[0]}" if lines else case.verdict
        said = {"type": case.verdict, "message": message}
        ElementTree.SubElement(element, "failure", said).text = "\n".join(lines)
    return element


def _words(finding: Finding) -> str:
    """One finding in one line."""
    slopes = finding.left is not None or finding.right is not None
    truth = f"slopes {finding.left} and {finding.right}" if slopes else f"truth {finding.truth}"
    more = f" ({finding.count} like this)" if finding.count > 1 else ""
    cause = f": {finding.cause}" if finding.cause else ""
    return f"{finding.where} {finding.verdict}: torch {finding.torch}, {truth}{more}{cause}"
