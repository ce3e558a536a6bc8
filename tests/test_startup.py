"""What a call of the program imports, and how its process ends: counted, never timed."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.helpers import Result, plain_environment, run, run_process

EXAMPLE = ["inspect", "2*(x+2)**2", "--x", "1,2,3", "--v", "0.1,1,1e-4"]
# what torch's own ways to a Jacobian load: half a second and more
NEVER = (
    "torch._dynamo",
    "torch._inductor.codecache",
    "torch.fx.experimental.symbolic_shapes",
    "vjp_cli.batch",
    "vjp_cli.schema.documents",
    "msgspec",
    "pydantic",
    "matplotlib",
    "scipy",
    "jax",
)
IMPORTED = """
import sys
from vjp_cli import cli
code = cli.run(sys.argv[1:])
sys.stderr.write("\\n".join(["", *sys.modules]))
"""


def imported(*arguments: str) -> set[str]:
    result = run_process(*arguments, code=IMPORTED)
    return set(result.stderr.split("\n"))


def test_the_example_imports_only_what_it_uses() -> None:
    names = imported(*EXAMPLE)
    assert {"torch", "sympy", "vjp_cli.inspection"} <= names
    assert not names & set(NEVER)
    # what `import torch, sympy` has not: typer, rich, this program, and SymPy's tensors
    bare = run_process(
        code="import sys, torch, sympy, flint\nsys.stderr.write('\\n'.join(sys.modules))"
    )
    more = {name for name in names - set(bare.stderr.split("\n")) if not name.startswith("vjp_cli")}
    assert len(more) < 140
    families = {name.partition(".")[0] for name in more if not name.startswith("_")}
    assert families <= {
        # csv: for files of values; torch, too, has it before Python 3.12
        "", "annotated_doc", "csv", "numpy", "rich", "shellingham", "shlex", "sympy", "sysconfig",
        "typer",
    }  # fmt: skip


def test_an_array_of_a_hundred_rows_needs_no_more() -> None:
    names = imported("inspect", "softmax(x, 0)", "--x", "linspace(0,1,100)", "--json")
    assert "torch._dynamo" not in names


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["inspect", "2*(x+"]])
def test_what_the_text_shows_imports_little(arguments: list[str]) -> None:
    code = f"""
import sys
from vjp_cli import cli
try:
    cli.run({arguments})
except SystemExit:
    pass
sys.stderr.write("\\n".join(["", *sys.modules]))
"""
    names = set(run_process(code=code).stderr.split("\n"))
    heavy = {"torch", "sympy", "numpy", "flint", "rich", "msgspec", "importlib.metadata", "email"}
    assert not names & heavy
    # nor the table of operations, which only the names of an expression need
    assert not names & {"vjp_cli.ops.catalog", "vjp_cli.tracing.tracer"}
    assert len(names) < 250


ENDING = """
import atexit, sys
from vjp_cli import ending
write = sys.stdout.write
atexit.register(write, "registered earlier\\n")
ending.prepare()
atexit.register(write, "registered later\\n")
{setup}
write("done\\n")
ending.known(3)
sys.exit(3)
"""


@pytest.mark.parametrize(
    ("setup", "more"),
    [
        ("ending.only_ours()", ""),
        ("", "registered earlier\n"),
        # a debugger has its own work to do
        (
            "ending.only_ours(); sys.settrace(lambda frame, event, arg: None)",
            "registered earlier\n",
        ),
    ],
)
def test_the_handlers_of_others_run_before_a_process_of_ours_ends(setup: str, more: str) -> None:
    found = run_process(code=ENDING.format(setup=setup))
    assert found == Result(3, f"done\nregistered later\n{more}", "")


def test_output_that_cannot_be_written_is_told_as_ever() -> None:
    code = """
import sys
from vjp_cli import ending
ending.prepare()
ending.only_ours()
sys.stdout = open("/dev/full", "w")
sys.stdout.write("text")
ending.known(0)
"""
    assert run_process(code=code).exit_code == 120


@pytest.mark.parametrize(
    ("arguments", "stdout"),
    [
        (["inspect", "-f", "function.py:f", "--x", "1,2", "-q"], "as ever"),
        (["inspect", "2*x", "--against", "function.py:f", "--x", "1,2", "-q"], "as ever"),
        (["inspect", "2*x", "--x", "1,2", "-q"], ""),
    ],
)
def test_a_process_with_code_of_the_users_ends_as_python_ends_it(
    arguments: list[str], stdout: str, tmp_path: Path
) -> None:
    (tmp_path / "function.py").write_text("def f(x):\n    return 2 * x\n")
    code = f"""
import atexit, os, sys
atexit.register(os.write, 1, b"as ever")
from vjp_cli import ending, cli
os.chdir({str(tmp_path)!r})
ending.prepare()
cli.main()
"""
    found = run_process(*arguments, code=code)
    assert (found.exit_code, found.stdout) == (0, stdout)


def test_the_program_ends_with_its_code_and_all_of_its_output() -> None:
    found = run_process(*EXAMPLE)
    assert found.exit_code == 0
    assert found.stdout == run(*EXAMPLE).stdout
    assert run_process("inspect", "relu(x)", "--x", "0", "--strict", "-q") == Result(1, "", "")


LEFT_OPEN = """
import torch

class Log:
    def __init__(self, name):
        self.itself = self
        self.file = open(name, "w")

def left_open(x):
    log = Log("log.txt")
    log.file.write("called")
    return 2 * x

class Module(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.log, self.circle = Log("log.txt"), [self]

    def forward(self, x):
        self.log.file.write("called")
        return 2 * x
"""


@pytest.mark.parametrize(
    "command",
    [
        "inspect -f log.py:left_open --x 1,2 --json",
        "inspect -f log.py:Module --x 1,2 --json",
        "inspect 2*x --against log.py:left_open --x 1,2 --json",
        "batch lines.jsonl --allow-functions",
        "batch lines.jsonl --allow-functions --jobs 1",
    ],
)
def test_what_a_function_leaves_open_is_written(command: str, tmp_path: Path) -> None:
    (tmp_path / "log.py").write_text(LEFT_OPEN)
    line = '{"function": "log.py:left_open", "inputs": {"x": [1, 2]}, "v": [1, 1]}'
    (tmp_path / "lines.jsonl").write_text(line)
    done = subprocess.run(
        [sys.executable, "-m", "vjp_cli", *command.split()],
        cwd=tmp_path,
        env=plain_environment(),
        capture_output=True,
        check=True,
        timeout=120,
    )
    assert json.loads(done.stdout)["verdict"] == "ok"
    assert (tmp_path / "log.txt").read_text().startswith("called")
