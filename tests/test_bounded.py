"""What costs memory is bounded before it is paid, also where there is little of it."""

import io
import resource
import subprocess
import sys
import tracemalloc
from pathlib import Path

import pytest

from tests.helpers import Result, plain_environment
from vjp_cli.bounded import read_at_most

GIB = 1 << 30


def within(memory: int, *arguments: str, stdin: bytes = b"", cwd: Path | None = None) -> Result:
    """One call of the program with that much address space."""
    done = subprocess.run(
        [sys.executable, "-m", "vjp_cli", *arguments],
        input=stdin,
        capture_output=True,
        env=plain_environment(),
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (memory, memory)),
        cwd=cwd,
        timeout=240,
        check=False,
    )
    return Result(done.returncode, done.stdout.decode(), done.stderr.decode())


def test_reading_takes_memory_for_what_is_there() -> None:
    tracemalloc.start()
    try:
        assert read_at_most(io.BufferedReader(io.BytesIO(b"1,2")), GIB) == b"1,2"  # type: ignore[arg-type]
        assert tracemalloc.get_traced_memory()[1] < 8 << 20
    finally:
        tracemalloc.stop()
    assert read_at_most(io.BytesIO(b"12345"), 5) == b"12345"
    assert read_at_most(io.BytesIO(b"123456"), 5) is None
    assert read_at_most(io.BytesIO(bytes(3 << 20)), 1 << 20) is None


@pytest.mark.parametrize(
    ("arguments", "stdin", "code", "words"),
    [
        (["2x", "--x", "1"], b"", 2, "cannot parse"),
        (["-", "--x", "1"], b"2x", 2, "cannot parse"),
        (["x", "--x", "-"], b"1,two", 2, "entry 2, 'two'"),
        (["x", "--x", "@deep.json"], b"", 2, "nested too deeply"),
        (["x", "--x", "@csv:deep.json"], b"", 2, "holds no numbers"),
        (["x", "--x", "[" * 100_000], b"", 2, "nested too deeply"),
        (["x", "--x", "zeros(20000000)"], b"", 4, "the limit is 10,000,000"),
        (["x", "--x", "ones(10**9)"], b"", 2, "not"),
        (["x", "--x", "-"], b"1," * 11_000_000, 4, "the limit is 10,000,000"),
        (["x", "--x", "@sparse.csv"], b"", 4, "the limit is 1,073,741,824"),
        (["@sparse.csv", "--x", "1"], b"", 4, "characters"),
        (["-f", "sparse.py:f", "--x", "1"], b"", 4, "memory|10 million"),
        (["x" * 20_000, "--x", "1"], b"", 4, "the limit is 10000"),
    ],
)
def test_input_in_one_gibibyte(
    arguments: list[str], stdin: bytes, code: int, words: str, tmp_path: Path
) -> None:
    (tmp_path / "deep.json").write_text("[" * 100_000)
    for name in ("sparse.csv", "sparse.py"):
        with (tmp_path / name).open("wb") as file:
            # no block of the disk is taken
            file.truncate(2 * GIB)
    found = within(GIB, "inspect", *arguments, stdin=stdin, cwd=tmp_path)
    assert found.exit_code == code, found.stderr
    assert found.stdout == ""
    assert found.stderr.startswith("vjp: error: ")
    assert any(word in found.stderr for word in words.split("|")), found.stderr
    assert "Traceback" not in found.stderr


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["x**2", "--x", "1,2", "--v", "ones"], 0),
        (["x.expand(10**12).sum()", "--x", "1,"], 4),
        (["x + zeros(10**12)", "--x", "1"], 4),
    ],
)
def test_torch_in_four_gibibytes(arguments: list[str], code: int) -> None:
    found = within(4 * GIB, "inspect", *arguments, "-q", "--timeout", "10")
    assert found.exit_code == code, found.stderr
    assert found.stdout == ""
    assert "Traceback" not in found.stderr
    assert "bug" not in found.stderr
    if code:
        assert found.stderr.startswith("vjp: error: ")
        assert "alloc" not in found.stderr
