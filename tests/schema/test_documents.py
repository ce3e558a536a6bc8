"""The schema itself: its dialect, its parts, and how it is asked for."""

import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from tests.helpers import refused, run, run_process
from tests.schema.validation import objects, printed
from vjp_cli.failures import KINDS
from vjp_cli.report import SCHEMA, Verdict
from vjp_cli.schema import NAMES

DIALECT = "https://json-schema.org/draft/2020-12/schema"


@pytest.mark.parametrize("names", [(), *((name,) for name in NAMES)])
def test_a_schema_is_valid_ascii_and_whole(names: tuple[str, ...]) -> None:
    found = printed(*names)
    assert found["$schema"] == DIALECT
    Draft202012Validator.check_schema(found)
    assert run("schema", *names).stdout.isascii()
    assert set(references(found)) == {f"#/$defs/{name}" for name in found["$defs"]}


def references(found: Any) -> list[str]:
    if isinstance(found, list):
        return [each for part in found for each in references(part)]
    if not isinstance(found, dict):
        return []
    own = [found["$ref"]] if "$ref" in found else []
    return own + [each for part in found.values() for each in references(part)]


def test_without_a_name_there_are_all_of_them() -> None:
    definitions = printed()["$defs"]
    assert list(definitions)[:3] == ["Report", "RequestLine", "Error"]
    for name in NAMES:
        assert printed(name)["$defs"].items() <= definitions.items()


def test_what_a_document_does_not_need_is_left_out() -> None:
    assert "RequestLine" not in printed("report")["$defs"]
    assert list(printed("error")["$defs"]) == ["Error", "ExitCode", "Explanation"]


def test_every_key_is_described() -> None:
    definitions = printed()["$defs"]

    def described(part: dict[str, Any]) -> bool:
        if "description" in part or "enum" in part:
            return True
        return "$ref" in part and "description" in definitions[part["$ref"].rpartition("/")[2]]

    silent = [
        f"{part['title']}.{key}"
        for part in objects(printed())
        for key, declared in part["properties"].items()
        if not described(declared)
    ]
    assert silent == []


def test_keys_may_be_added_to_all_but_requests() -> None:
    closed = [part["title"] for part in objects(printed()) if "additionalProperties" in part]
    assert closed == ["RequestLine"]


def test_words_are_those_of_the_program() -> None:
    definitions = printed()["$defs"]
    assert set(definitions["Verdict"]["enum"]) == set(Verdict)
    assert definitions["Report"]["properties"]["schema"]["const"] == SCHEMA
    assert definitions["Explanation"]["properties"]["kind"]["enum"] == list(KINDS)
    assert set(KINDS) == {"input", "expression", "evaluation", "limit", "output", "bug"}
    assert definitions["ExitCode"]["enum"] == [0, 1, 2, 3, 4, 5, 70]


def test_an_unknown_name_gets_a_suggestion() -> None:
    refused(run("schema", "reprot"), "no such schema: 'reprot'", "did you mean 'report'?")
    refused(run("schema", "x"), "no such schema: 'x'", "one of report, request, error")


@pytest.mark.parametrize("arguments", [["schema"], ["schema", "report"], ["schema", "x"]])
def test_torch_and_sympy_are_not_imported(arguments: list[str]) -> None:
    code = f"""
import sys
from vjp_cli.cli import run
run({arguments!r})
heavy = {{"torch", "sympy", "numpy", "flint", "rich", "pydantic"}} & set(sys.modules)
sys.stderr.write(f"heavy: {{sorted(heavy)}}")
"""
    result = run_process(code=code)
    assert result.stderr.endswith("heavy: []")
    assert result.stdout == "" or json.loads(result.stdout)["$schema"] == DIALECT
