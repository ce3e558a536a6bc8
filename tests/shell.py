"""The commands that README and the samples show, run as a shell would run them."""

import json
import re
import shlex
import shutil
import subprocess
import sys
from typing import Any

import pytest

from tests.helpers import Result, run

_FULL = " > /dev/full"


def answer(line: str) -> Result:
    """Run ``vjp ARGUMENT...`` on a terminal of 80 columns, or ``vjp ARGUMENT... | PROGRAM ...``.

    ``jq [-c|-r] PATH`` is done here: its versions write numbers in different ways. Other programs
    are run. The exit code is that of vjp.
    """
    line = re.sub(r"\s+# exit \d+$", "", line)
    if line.endswith(_FULL):
        return _onto_a_full_disk(shlex.split(line.removesuffix(_FULL))[1:])
    words = shlex.split(line)
    assert words[0] == "vjp"
    if "|" not in words:
        return run(*words[1:], environment={"NO_COLOR": "1"}, tty=True)
    pipe = words.index("|")
    answered = run(*words[1:pipe])
    if words[pipe + 1] != "jq":
        shown = _piped(answered.stdout, line.partition(" | ")[2])
        return Result(answered.exit_code, shown, answered.stderr)
    raw = "-r" in words[pipe + 2 : -1]
    documents = map(json.loads, answered.stdout.splitlines())
    found = [value for document in documents for value in select(document, words[-1])]
    shown = "".join(f"{_written(value, raw)}\n" for value in found)
    return Result(answered.exit_code, shown, answered.stderr)


def _piped(text: str, programs: str) -> str:
    """What ``programs`` print that are given ``text``."""
    for program in programs.split(" | "):
        if shutil.which(program.split()[0]) is None:
            pytest.skip(f"{program.split()[0]} is not installed")
    environment = {"LC_ALL": "C.UTF-8", "PATH": "/usr/bin:/bin:/usr/local/bin"}
    done = subprocess.run(
        ["bash", "-c", programs],
        input=text.encode(),
        stdout=subprocess.PIPE,
        env=environment,
        check=True,
        timeout=60,
    )
    return done.stdout.decode()


def _onto_a_full_disk(arguments: list[str]) -> Result:
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-W", "ignore", "-m", "vjp_cli", *arguments],
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
            timeout=120,
        )
    return Result(done.returncode, "", done.stderr.decode())


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
