"""What the shells ask of the program while a command is typed, and what they are answered."""

import json
from pathlib import Path

import pytest

from tests.helpers import run, run_process
from vjp_cli import completing
from vjp_cli.ops import catalog
from vjp_cli.pages import TOPICS
from vjp_cli.report import Verdict
from vjp_cli.settings import DTYPES, Check, Format

MODEL = "def loss(x, w):\n    return x * w\n\nclass Net:\n    pass\n\nlimit = 3\n"


@pytest.fixture(autouse=True)
def _in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("data.npy", "dense.csv", ".hidden.npy", "problem.txt"):
        (tmp_path / name).write_text("alpha + beta")
    (tmp_path / "model.py").write_text(MODEL)
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "inner.npy").touch()


def bash(words: list[str]) -> list[str]:
    """As bash asks: all words, each on a line, and the place of the one that is typed."""
    environment = {
        "_VJP_COMPLETE": "complete_bash",
        "COMP_WORDS": "\n".join(words),
        "COMP_CWORD": str(len(words) - 1),
    }
    return answered(environment).split()


def zsh(line: str) -> str:
    return answered({"_VJP_COMPLETE": "complete_zsh", "_TYPER_COMPLETE_ARGS": line})


def fish(line: str) -> list[str]:
    return answered(
        {
            "_VJP_COMPLETE": "complete_fish",
            "_TYPER_COMPLETE_FISH_ACTION": "get-args",
            "_TYPER_COMPLETE_ARGS": line,
        }
    ).splitlines()


def answered(environment: dict[str, str]) -> str:
    result = run(environment=environment)
    assert (result.exit_code, result.stderr) == (0, "")
    return result.stdout


KX = ["vjp", "inspect", '"k @ x"']


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        ([*KX, "--k"], ["--k"]),
        ([*KX, "--k", "1", "--x"], ["--x"]),
        ([*KX, "--wrt", ""], ["k", "x"]),
        ([*KX, "--wrt", "k,"], ["k,x"]),
        ([*KX, "--let", "k"], ["k="]),
        ([*KX, "--v", "o"], ["ones"]),
        ([*KX, "--x", '"@d'], ["@data.npy", "@dense.csv"]),
        # a file that holds the expression, and one with its function
        (["vjp", "inspect", '"@problem.txt"', "--al"], ["--allow-functions", "--alpha"]),
        (["vjp", "inspect", '"@pro'], ["@problem.txt"]),
        (["vjp", "inspect", "-f", '"model.py:lo'], ["model.py:loss"]),
        (["vjp", "inspect", "x", "--against", '"model.py:'], ["model.py:loss", "model.py:Net"]),
        # a folder that is the only one is looked into
        ([*KX, "--x", '"@s'], ["@sub/inner.npy"]),
        # words that bash has parted
        ([*KX, "--x", "@", "d"], ["@data.npy", "@dense.csv"]),
        ([*KX, "--x", "=@", "de"], ["@dense.csv"]),
        ([*KX, "--let", "x", "=@", "de"], ["@dense.csv"]),
        (["vjp", "inspect", "@", "pro"], ["@problem.txt"]),
        (["vjp", "inspect", "x", "--format", "=", "cs"], ["csv"]),
        (["vjp", "inspect", "-f", "model.py", ":"], ["loss", "Net"]),
        (["vjp", "inspect", "-f", "model.py", ":", "lo"], ["loss"]),
        (["vjp", "inspect", "-f", "model.py", ":", "loss", "--w"], ["--wrt", "--w"]),
        # what does not end a list
        (["vjp", "inspect", "x", "--fail-on", "wrong,na"], ["wrong,nan"]),
        (["vjp", "inspect", "x", "--checks", "forward"], ["forward-mode", "forward-inputs"]),
        (["vjp", "inspect", "x", "--checks", "al"], ["all"]),
        (["vjp", "inspect", "x", "--checks", "points,al"], []),
        (["vjp", "ops", "softp"], ["softplus"]),
        (["vjp", "inspect", "x", "--order", ""], ["1", "2"]),
        (["vjp", "inspect", "x", "--device", "cu"], ["cuda"]),
    ],
)  # fmt: skip
def test_what_may_stand_there(words: list[str], offered: list[str]) -> None:
    assert bash(words) == offered


@pytest.mark.parametrize(
    ("words", "all_of"),
    [
        (["vjp", "inspect", "x", "--fail-on", ""], list(Verdict)),
        (["vjp", "inspect", "x", "--checks", ""], [*Check, "all", "none"]),
        (["vjp", "inspect", "x", "--format", ""], list(Format)),
        (["vjp", "ops", "--format", ""], ["table", "json"]),
        (["vjp", "inspect", "x", "--dtype", ""], list(DTYPES)),
        (["vjp", "help", ""], list(TOPICS)),
        (["vjp", "ops", ""], list(dict.fromkeys(n for row in catalog.ROWS for n in row.names))),
    ],
)
def test_all_that_may_stand_there(words: list[str], all_of: list[str]) -> None:
    assert bash(words) == all_of


@pytest.mark.parametrize(
    "words",
    [
        # an empty answer lets the shell offer files
        ["vjp", "inspect", "x", "-o", "d"],
        ["vjp", "inspect", "x", "--save", "d"],
        ["vjp", "batch", "d"],
        ["vjp", "inspect", "-f", "mod"],
        # nothing is made of what is broken, missing or long
        ["vjp", "inspect", '"2*("', "--x", "'@nowhere/d"],
        ["vjp", "inspect", "-f", "'no.py:l"],
        ["vjp", "inspect", "-f", "'data.npy:l"],
    ],
)
def test_nothing_is_offered(words: list[str]) -> None:
    assert bash(words) == []


def test_broken_python_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "model.py").write_bytes(b"def (:\0")
    assert bash(["vjp", "inspect", "-f", '"model.py:l']) == []


def test_hidden_files_are_there_for_who_asks() -> None:
    assert completing.files(".h") == [".hidden.npy"]
    assert ".hidden.npy" not in completing.files("")
    assert completing.files("nowhere/") == []


def test_a_name_with_a_blank_is_one_answer(tmp_path: Path) -> None:
    (tmp_path / "two words.npy").touch()
    assert completing.value("@tw") == ["@two words.npy"]
    assert completing.value("x=@tw") == ["x=@two words.npy"]
    assert completing.value("no@tw") == []


def test_zsh_and_fish_get_the_meaning_too() -> None:
    assert zsh('vjp inspect "k @ x" --k') == '_arguments \'*: :(("--k":"The value of k."))\'\n'
    assert zsh("vjp inspect x -o d") == "_files\n"
    assert fish('vjp inspect "k @ x" --k') == ["--k\tThe value of k."]
    assert fish("vjp inspect -f model.py:lo") == ["model.py:loss"]
    assert fish('vjp inspect "k @ x" --x @d') == ["@data.npy", "@dense.csv"]


LINES = [
    'vjp inspect "k @ x" --',
    'vjp inspect "k @ x" --x @d',
    "vjp inspect -f model.py:lo",
    "vjp inspect x --fail-on w",
    "vjp ops sof",
    "vjp help v",
]


@pytest.mark.parametrize("line", LINES)
@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_imports_neither_torch_nor_sympy(line: str, shell: str) -> None:
    environment = {
        "_VJP_COMPLETE": f"complete_{shell}",
        "COMP_WORDS": line,
        "COMP_CWORD": str(len(line.replace('"k @ x"', "E").split()) - 1),
        "_TYPER_COMPLETE_FISH_ACTION": "get-args",
        "_TYPER_COMPLETE_ARGS": line,
    }
    code = """
import json, sys
from vjp_cli.cli import run
try:
    run([])
except SystemExit:
    pass
print(json.dumps(sorted({"torch", "sympy", "numpy", "flint", "msgspec"} & set(sys.modules))))
"""
    result = run_process(code=code, environment=environment)
    *answer, heavy = result.stdout.splitlines()
    assert answer
    assert json.loads(heavy) == []
