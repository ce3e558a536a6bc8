"""The commands that README and the samples show, run as a shell would run them."""

import json
import re
import shlex
from typing import Any

from tests.helpers import Result, run


def answer(line: str) -> Result:
    """Run ``vjp ARGUMENT...``, perhaps with ``| jq [-c|-r] PATH``, on a terminal of 80 columns."""
    words = shlex.split(line, comments=True)
    assert words[0] == "vjp"
    if "|" not in words:
        return run(*words[1:], environment={"NO_COLOR": "1"}, tty=True)
    pipe = words.index("|")
    answered = run(*words[1:pipe])
    assert words[pipe + 1] == "jq"
    raw = "-r" in words[pipe + 2 : -1]
    documents = map(json.loads, answered.stdout.splitlines())
    found = [value for document in documents for value in select(document, words[-1])]
    shown = "".join(f"{_written(value, raw)}\n" for value in found)
    return Result(answered.exit_code, shown, answered.stderr)


def exit_code(line: str) -> int:
    """The exit code that a command line promises with ``# exit 1`` at its end; else 0."""
    promised = re.search(r"# exit (\d+)$", line)
    return int(promised[1]) if promised else 0


def select(value: Any, path: str) -> list[Any]:
    """The values of a jq filter: a path of ``.name``, ``[0]`` and ``[]``, or ``[PATH,PATH]``."""
    if path.startswith("[."):
        return [[select(value, part)[0] for part in path[1:-1].split(",")]]
    assert re.fullmatch(r"(\.\w+|\[\d*\])+", path), path
    found = [value]
    for name, index in re.findall(r"\.(\w+)|\[(\d*)\]", path):
        if name:
            found = [each[name] for each in found]
        elif index:
            found = [each[int(index)] for each in found]
        else:
            found = [item for each in found for item in each]
    return found


def _written(value: Any, raw: bool) -> str:
    if raw and isinstance(value, str):
        return value
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)
