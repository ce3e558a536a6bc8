"""What surrounds the program: folders, variables, modules beside it, libraries that are broken."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.helpers import Result, plain_environment

ROOT = Path(__file__).parent.parent
# names of modules that the program, or what it needs, imports
_SHADOWS = (
    "json torch typing sympy numpy typer rich ast signal random tests dataclasses linecache flint "
    "enum string inspect copy gc fractions decimal csv zipfile msgspec mpmath difflib textwrap"
)
SHADOWS = _SHADOWS.split()
INSPECT = ("inspect", "x**2", "--x", "1,2", "--v", "1,1", "--json")
BATCH = ("batch", "-", "--jobs", "1")
LINE = b'{"expression": "x**2", "inputs": {"x": [1, 2]}, "v": [1, 1]}\n'


def process(*command: str, folder: Path, variables: dict[str, str | None] | None = None) -> Result:
    found = {**plain_environment(), "PYTHONPATH": str(ROOT)}
    for name, value in (variables or {}).items():
        found.pop(name, None)
        if value is not None:
            found[name] = value
    done = subprocess.run(
        [sys.executable, *command],
        input=LINE,
        capture_output=True,
        cwd=folder,
        env=found,
        timeout=240,
        check=False,
    )
    return Result(done.returncode, done.stdout.decode(), done.stderr.decode())


@pytest.mark.parametrize("command", [INSPECT, BATCH])
@pytest.mark.parametrize("start", [("-m", "vjp_cli"), ("script",)])
def test_modules_in_the_current_folder_shadow_nothing(
    command: tuple[str, ...], start: tuple[str, ...], tmp_path: Path
) -> None:
    for name in SHADOWS:
        (tmp_path / f"{name}.py").write_text(f"raise SystemExit('{name} was taken from here')")
    if start == ("script",):
        # what an installer writes, in a folder of its own
        (tmp_path / "bin").mkdir()
        script = tmp_path / "bin" / "vjp"
        script.write_text("import sys\nfrom vjp_cli.__main__ import main\nsys.exit(main())\n")
        start = (str(script),)
    found = process(*start, *command, folder=tmp_path)
    assert found.exit_code == 0, found.stderr
    assert json.loads(found.stdout)["vjp"]["x"] == [2, 4]


@pytest.mark.parametrize(
    "variables",
    [
        {"HOME": None, "TMPDIR": None, "LANG": None, "TERM": None},
        {"HOME": "/nonexistent", "TMPDIR": "/nonexistent", "XDG_CACHE_HOME": "/nonexistent"},
        {"HOME": "/proc", "TMPDIR": "/proc"},
        {"PYTHONWARNINGS": "error"},
        {"PYTHONOPTIMIZE": "2"},
        {"PYTHONSAFEPATH": "1"},
        {"PYTHONUTF8": "0", "LC_ALL": "C", "PYTHONCOERCECLOCALE": "0"},
        {"PYTHONIOENCODING": "cp1252"},
        {"OMP_NUM_THREADS": "0", "CUDA_VISIBLE_DEVICES": "-1"},
        {"COLUMNS": "0", "TERMINAL_WIDTH": "abc"},
        {"SYMPY_GROUND_TYPES": "python", "SYMPY_USE_CACHE": "no"},
    ],
    ids=lambda variables: "-".join(variables),
)
def test_variables_change_no_number(variables: dict[str, str | None], tmp_path: Path) -> None:
    found = process("-m", "vjp_cli", *INSPECT, folder=tmp_path, variables=variables)
    assert found.exit_code == 0, found.stderr
    assert json.loads(found.stdout)["vjp"]["x"] == [2, 4]


def test_few_descriptors_are_enough(tmp_path: Path) -> None:
    code = (
        "import resource, sys\nresource.setrlimit(resource.RLIMIT_NOFILE, (16, 16))\n"
        "from vjp_cli.__main__ import main\nmain()"
    )
    found = process("-c", code, *INSPECT, folder=tmp_path)
    assert found.exit_code == 0, found.stderr


@pytest.mark.parametrize("library", ["torch", "sympy", "flint", "numpy"])
@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("raise ImportError('no such library')", "no such library"),
        ("import nothing_like_this", "No module named 'nothing_like_this'"),
        ("raise OSError('libfoo.so: cannot open\\nshared object')", "libfoo.so: cannot open"),
    ],
)
def test_a_broken_library_is_named(library: str, body: str, reason: str, tmp_path: Path) -> None:
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / f"{library}.py").write_text(body)
    path = os.pathsep.join([str(ROOT), str(tmp_path / "broken")])
    found = process("-m", "vjp_cli", *INSPECT, folder=tmp_path, variables={"PYTHONPATH": path})
    assert found.exit_code == 3, found.stderr
    assert found.stdout == ""
    error = json.loads(found.stderr)["error"]
    assert "cannot be imported" in error["message"]
    assert reason in error["message"]
    assert "pip install" in error["hint"]


def test_help_needs_none_of_them(tmp_path: Path) -> None:
    (tmp_path / "broken").mkdir()
    for library in ("torch", "sympy", "flint", "numpy", "msgspec", "rich"):
        (tmp_path / "broken" / f"{library}.py").write_text("raise OSError('broken')")
    path = os.pathsep.join([str(ROOT), str(tmp_path / "broken")])
    for arguments in (["--help"], ["--version"], ["inspect", "--help"]):
        found = process(
            "-m", "vjp_cli", *arguments, folder=tmp_path, variables={"PYTHONPATH": path}
        )
        assert (found.exit_code, found.stderr) == (0, "")
        assert found.stdout
    shutil.rmtree(tmp_path / "broken")
