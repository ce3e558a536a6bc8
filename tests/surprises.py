"""The cases of ``tests/cases/surprises.jsonl``: what a batch is asked, and what is right."""

import json
import re
from pathlib import Path
from typing import Any

import mpmath

_DECIMAL = r"[+-]?[\d.]+(?:e[+-]?\d+)?"
_COMPLEX = re.compile(rf"(?:({_DECIMAL})(?=[+-]))?({_DECIMAL})j")

Case = dict[str, Any]
Answer = dict[str, Any]
_FILE = Path(__file__).parent / "cases" / "surprises.jsonl"
_KEYS = ("id", "expression", "function", "against", "inputs", "v", "dtype")

CASES: list[Case] = [json.loads(line) for line in _FILE.read_text(encoding="utf-8").splitlines()]


def requests(cases: list[Case]) -> str:
    """The lines of a batch: each case without what is expected of it."""
    return "".join(
        json.dumps({key: case[key] for key in _KEYS if key in case}) + "\n" for case in cases
    )


def flat(nested: Any) -> list[Any]:
    """The entries of nested lists, in row-major order."""
    if not isinstance(nested, list):
        return [nested]
    return [entry for part in nested for entry in flat(part)]


def differences(case: Case, answer: Answer) -> list[str]:
    """Where ``answer`` is not what the README of the cases asks for; empty where it is right."""
    expected = case["expect"]
    truths = expected["truth"]
    if "v missing" in truths.values():
        told = any("grad can be implicitly created only" in note for note in answer["notes"])
        return [] if answer["vjp"] is None and told else ["v is missing, and that is not said"]
    if "error" in answer:
        error = answer["error"]
        # without a truth a clear error will do where torch raises, too
        clear = expected.get("torch_raises") and _all(truths, "undefined")
        right = clear and error["exit_code"] in (2, 3)
        return [] if right else [f"{error['kind']} error: {error['message']}"]
    verdicts = expected.get("verdicts") or {
        # no path and the truth 0 is ok, too
        name: ["missing|ok" if _all(truths, "0") else "missing"] * len(flat(truth))
        for name, truth in truths.items()
    }
    found = []
    for name, truth in truths.items():
        for side, wanted, same in (
            ("truth", truth, same_truth),
            ("verdicts", verdicts[name], _one_of),
        ):
            got = answer[side]["vjp"][name]
            pairs = zip(flat(wanted), flat(got), strict=True)
            if not all(same(one, other) for one, other in pairs):
                found.append(f"{side}.{name}: {json.dumps(got)}, not {json.dumps(wanted)}")
    return found


def _all(truths: dict[str, Any], word: str) -> bool:
    return all(entry == word for truth in truths.values() for entry in flat(truth))


def _one_of(wanted: str, got: str) -> bool:
    return got in wanted.split("|")


def same_truth(wanted: Any, got: Any) -> bool:
    """Whether two truths of an entry are one: words as words, numbers to 26 digits."""
    if isinstance(wanted, dict):
        return (
            isinstance(got, dict)
            and wanted.keys() == got.keys()
            and all(same_truth(wanted[key], got[key]) for key in wanted)
        )
    if not isinstance(got, str) or "undefined" in (wanted, got):
        return bool(wanted == got)
    with mpmath.workdps(50):
        one, other = _number(wanted), _number(got)
        if not mpmath.isfinite(one):
            return bool(one == other)
        return bool(abs(one - other) <= mpmath.mpf(10) ** -26 * abs(one))


def _number(text: str) -> mpmath.mpc:
    """A real or complex number in decimal notation: ``-inf``, ``6.5``, ``(2.0 + 1.5j)``."""
    parts = _COMPLEX.fullmatch(text.strip("()").replace(" ", ""))
    if parts is None:
        return mpmath.mpc(text)
    real, imaginary = parts.groups()
    return mpmath.mpc(real or "0", imaginary)
