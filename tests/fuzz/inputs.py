"""Random texts for every way in: expressions, values, command lines and request lines.

Each maker takes a ``random.Random``: hypothesis gives one that it can shrink, the bench a fast one.
Half of what they make is well-formed or nearly so, since nonsense is refused at the first token.
"""

import json
import random
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from vjp_cli.ops.catalog import ROWS
from vjp_cli.settings import DTYPES

_CASES = Path(__file__).parents[1] / "cases"
_NAMES = ("x", "y", "k", "_a", "x1", "Größe", "µ", "v", "sin", "e0", "F", "torch", "json")
_ATOMS = ("2", "0.5", "1e-400", "1j", "0x10", "9**9", "True", "None", "torch.pi", "float('inf')")
_BAD = (
    *("__import__('os')", "().__class__", "x.__dict__", "lambda: 0", "[i for i in x]", "f'{x}'"),
    *("x if y else k", "*x", "**x", "x := 2", "'a'*9", "b'a'", "x.data.data", "eval", "open('f')"),
    *(
        "$(id)",
        "`id`",
        "x;",
        ";;",
        "=",
        "==",
        "²",
        "^",
        "−",
        "\x00",
        "\x1b[31m",
        "\u202e",
        "\ud800",
    ),
    *("é\u0301", "\u2028", "\U0001f600", "1_0", "1__0", "0777", "1e", ".", "..", "...", "'", '"'),
    *("(" * 150, "[" * 150, "-" * 120, "9" * 5000, "2**2**2**2**2", "x" * 300, "!r", "{x}", "%s"),
    *(
        "[red]x[/red]",
        "\\frac",
        "<b>",
        "=1+1",
        "\t",
        "\r\n",
        "\f",
        "#",
        "\\\n",
        "print",
        "import os",
    ),
)
_INTEGERS = ("0", "1", "-1", "2", "10", "2147483648", "9" * 20)
_NUMBERS = (
    *("0", "-0", "1", "2.5", "-3", "1e300", "1e-320", "5e-324", "1e400", "-1e400", "inf", "-inf"),
    *(
        "nan",
        "1j",
        "1+2j",
        "nan+infj",
        "0x1p-1074",
        "1_0",
        "٣",
        "１",
        "1.",
        ".5",
        "+1",
        "1e",
        "--1",
    ),
)
_GENERATED = ("ones", "zeros", "randn", "rand", "e0", "eye", "linspace", "arange", "e99", "full")


@cache
def corpus() -> tuple[str, ...]:
    """Texts that people wrote: the calls of the table, and the bad inputs of the cases."""
    samples = [sample for op in ROWS for sample in op.samples]
    given = (_CASES / "bad_inputs.jsonl").read_text(encoding="utf-8").splitlines()
    bad = [_text_of(json.loads(line)) for line in given]
    return (*samples, *(text for text in bad if text))


def _text_of(case: dict[str, Any]) -> str:
    found = case.get("expression") or case.get("value") or case.get("input") or ""
    return found if isinstance(found, str) else ""


def valid(chance: random.Random, depth: int = 4) -> str:
    """An expression of the language of x, y and k, or a list of statements of it."""
    if chance.random() < 0.15:
        return f"a = {_valid(chance, depth)}; b = a + {_valid(chance, depth)}; b*a"
    return _valid(chance, depth)


def _valid(chance: random.Random, depth: int) -> str:
    if depth <= 0:
        return chance.choice(("x", "y", "k", "x", "2", "0.5", "torch.pi", "x.shape[0]", "1e-9"))
    first, second = _valid(chance, depth - 1), _valid(chance, depth - 2)
    return chance.choice(
        (
            lambda: f"({first}*x {chance.choice('+-*/@')} {second}*x)",
            lambda: f"({first}*x {chance.choice(('<', '>=', '==', '!='))} {second}*x)*x",
            lambda: (
                f"{chance.choice(('sin', 'torch.exp', 'F.relu', 'torch.special.erf'))}({first})"
            ),
            lambda: f"({first}*x).sum({chance.choice(('', '0', '-1, keepdim=True'))})",
            lambda: (
                f"(x*{first})[{chance.choice(('0', '...', '1:', 'None', '::2, None', '[0, 1]'))}]"
            ),
            lambda: f"-({first}*x)",
            lambda: f"where(x > 0, {first}, {second})",
            lambda: f"[{first}, {second}]",
            lambda: f"(x*{first})**{chance.choice(('2', '-1', '0.5', 'y'))}",
            lambda: f"(x + {first}).T.max(0).values",
        )
    )()


def mutated(chance: random.Random, text: str) -> str:
    """The text after some careless edits."""
    for _ in range(chance.choice((1, 1, 2, 3, 6))):
        at = chance.randrange(len(text) + 1)
        to = min(len(text), at + chance.choice((0, 0, 1, 1, 2, 9)))
        kind = chance.random()
        if kind < 0.5:
            new = chance.choice((*_BAD, *_NAMES, *_ATOMS, *_NUMBERS, *"()[],;:=+-*/@.<>&|~ \n"))
        elif kind < 0.7:
            start = chance.randrange(len(text) + 1)
            new = text[start : start + chance.choice((1, 3, 20))]
        elif kind < 0.9:
            new = ""
        else:
            new = chr(chance.randrange(0x110000))
        text = text[:at] + new + text[to:]
    return text


def noise(chance: random.Random) -> str:
    """Fragments in any order, or characters."""
    if chance.random() < 0.2:
        return "".join(chr(chance.randrange(0x3000)) for _ in range(chance.randrange(60)))
    parts = (*_BAD, *_NAMES, *_ATOMS, *"()[],;:=+-*/@.<>&|~ \n", "sin(", "x.sum(", "for", "in")
    joint = chance.choice(("", " "))
    found = joint.join(chance.choice(parts) for _ in range(chance.randrange(30)))
    # up to what is allowed, where whatever is not linear shows
    return (found * chance.choice((1, 1, 1, 1, 40, 1000)))[: chance.choice((9990, 10_010))]


def expression(chance: random.Random) -> str:
    """Any text in the place of an expression."""
    kind = chance.random()
    if kind < 0.25:
        return valid(chance)
    if kind < 0.8:
        return mutated(chance, valid(chance) if kind < 0.5 else chance.choice(corpus()))
    return noise(chance)


def value(chance: random.Random) -> str:
    """Any text in the place of a value."""
    kind = chance.random()
    if kind < 0.15:
        return noise(chance)
    if kind < 0.3:
        sizes = ",".join(chance.choice(_INTEGERS) for _ in range(chance.randrange(4)))
        text = f"{chance.choice(_GENERATED)}{chance.choice(('', f'({sizes})'))}"
    elif kind < 0.55:
        text = json.dumps(nested(chance, 4))
    else:
        rows = chance.choice((1, 1, 2, 3))
        width = chance.randrange(1, 5)
        row = [",".join(chance.choice(_NUMBERS) for _ in range(width)) for _ in range(rows)]
        text = chance.choice((";", "\n")).join(row)
    if chance.random() < 0.15:
        text = f"{chance.choice((*DTYPES, 'int64', 'bool', 'uint8', 'str'))}:{text}"
    if chance.random() < 0.05:
        text = f"@{text}"
    return mutated(chance, text) if chance.random() < 0.4 else text


def nested(chance: random.Random, depth: int) -> Any:
    """A JSON value of numbers, words and other things."""
    if depth <= 0 or chance.random() < 0.3:
        pool = (1, 0.5, -0.0, 1e308, 10**30, True, None, "nan", "1+2j", "x", "", [], {}, "ones")
        return chance.choice(pool)
    if chance.random() < 0.1:
        return {chance.choice(("x", "a", "")): nested(chance, depth - 1)}
    width = chance.randrange(4)
    return [nested(chance, depth - 1) for _ in range(width)]


_KEYS = (
    *("id", "expression", "function", "against", "inputs", "v", "loss", "wrt", "dtype", "layout"),
    *("checks", "output_index", "order", "Expression", "x", "", "\x1b"),
)


def request(chance: random.Random) -> bytes:
    """Any bytes in the place of a line of a batch."""
    if chance.random() < 0.3:
        return _right_request(chance)
    line: Any = {
        "id": chance.choice((1, "a", None, 1.5, [], {"a": 1})),
        "expression": expression(chance),
        "inputs": {name: chance.choice((value, _json))(chance) for name in ("x", "y", "k")},
        "v": chance.choice(("ones", 1, [1, 2], None)),
    }
    for _ in range(chance.randrange(4)):
        line[chance.choice(_KEYS)] = chance.choice((_json, value))(chance)
    if chance.random() < 0.3:
        line.pop(chance.choice(tuple(line)))
    if chance.random() < 0.05:
        line = nested(chance, 6)
    text = json.dumps(line, ensure_ascii=chance.random() < 0.5)
    if chance.random() < 0.3:
        text = mutated(chance, text)
    found = text.encode("utf-8", "surrogatepass")
    return found + bytes([chance.randrange(256)]) if chance.random() < 0.1 else found


def _right_request(chance: random.Random) -> bytes:
    numbers = (1.5, [1, -2], [[0.5, "nan"], [3, 4]], "1,2", "ones(2)", "int64:1", True)
    inputs = {name: chance.choice(numbers) for name in "xyk"}
    line = {"expression": "x + 0*y + 0*k + " + valid(chance), "inputs": inputs}
    if chance.random() < 0.5:
        line |= {"v": "ones", "dtype": chance.choice(DTYPES), "wrt": "x"}
    return json.dumps(line).encode()


def _json(chance: random.Random) -> Any:
    return nested(chance, 4)


_OPTIONS = (
    *("--v", "--u", "--loss", "--wrt", "--dtype", "--device", "--layout", "--chain", "--checks"),
    *("--contributions", "--format", "--json", "--full", "--no-jacobian", "--seed", "--digits"),
    *("--fail-on", "--strict", "--timeout", "--against", "--points", "--order", "--output-index"),
    *("--explain", "--lang", "--reproduce", "-q", "--color", "-h", "--let", "--max-entries"),
    *(
        "--x",
        "--y",
        "--k",
        "--X",
        "--",
        "-",
        "-x",
        "---",
        "--x=",
        "--nonsense",
        "-V",
        "-f",
        "--v=1",
    ),
)
_WORDS = (
    *("ones", "1,2", "-1,2", "x", "float32", "json", "cpu", "", "nan", "all", "numerator", "zh"),
    *("x=1,2", "=", "wrong,nan", "1e9", "-1", "\x1b[2J", "\ud800", "é", "9" * 400, "cuda", "e0"),
)


def arguments(chance: random.Random) -> list[str]:
    """The words of a command line of ``vjp inspect``; it writes no file and reads none."""
    found = [valid(chance, 2) if chance.random() < 0.7 else expression(chance)]
    found += ["--x", "1,2"] if chance.random() < 0.7 else []
    for _ in range(chance.randrange(6)):
        found.append(chance.choice(_OPTIONS))
        if chance.random() < 0.8:
            found.append(chance.choice((*_WORDS, value(chance))))
    if chance.random() < 0.2:
        chance.shuffle(found)
    # an operating system hands over no NUL; @ and -- alone would be files and streams
    return ["inspect", *(word.replace("\x00", "").replace("@", "") for word in found)]


MAKERS: dict[str, Callable[[random.Random], Any]] = {
    "expression": expression,
    "value": value,
    "request": request,
    "options": arguments,
}
