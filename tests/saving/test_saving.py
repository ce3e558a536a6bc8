"""J in a file: every number reads back bit for bit, and what cannot be saved is refused."""

import os
import struct
from collections.abc import Iterator
from dataclasses import replace
from io import BufferedWriter
from math import inf, nan
from pathlib import Path
from typing import Any

import numpy
import pytest

from tests.helpers import REPORT, Asked, Result, ask, refused, run
from vjp_cli import cli
from vjp_cli.report import Array
from vjp_cli.settings import LIMITS


@pytest.fixture(autouse=True)
def _there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def saved(*arguments: str) -> None:
    assert run("inspect", *arguments, "-q") == Result(0, "", "")


def bits(array: Any) -> list[bytes]:
    """The bytes of every number as two doubles."""
    return [struct.pack("<dd", z.real, z.imag) for z in numpy.asarray(array).reshape(-1).tolist()]


def market(path: str) -> tuple[str, Any]:
    """The banner of a Matrix Market file, and its matrix: a reader of the format's description."""
    banner, *lines = Path(path).read_text().splitlines()
    words = banner.split()
    assert (words[0], words[1], words[4]) == ("%%MatrixMarket", "matrix", "general")
    size, *rows = [[*line.split()] for line in lines if not line.startswith("%")]
    shape = int(size[0]), int(size[1])
    kind = complex if words[3] == "complex" else float
    full = numpy.zeros(shape, dtype=kind)

    def number(parts: list[str]) -> Any:
        return complex(*map(float, parts)) if kind is complex else float(parts[0])

    if words[2] == "coordinate":
        assert len(rows) == int(size[2])
        for row, column, *parts in rows:
            full[int(row) - 1, int(column) - 1] = number(parts)
    else:
        assert len(rows) == shape[0] * shape[1]
        for k, parts in enumerate(rows):
            full[k % shape[0], k // shape[0]] = number(parts)
    return f"{words[2]} {words[3]}", full


def test_an_array_has_the_shapes_of_output_and_input() -> None:
    saved("k @ x", "--k", "1,2,3;-4,5,6", "--x", "[[1],[2],[3]]", "--wrt", "x", "--save", "J.npy")
    found = numpy.load("J.npy")
    assert (found.shape, found.dtype) == ((2, 1, 3, 1), numpy.float64)
    assert found[:, 0, :, 0].tolist() == [[1, 2, 3], [-4, 5, 6]]


def test_every_input_has_its_array_under_its_name() -> None:
    saved("w @ x + b", "--w", "1,2,3;4,5,6", "--x", "7,8,9", "--b", "0.5", "--save", "J.npz")
    with numpy.load("J.npz") as found:
        assert set(found) == {"w", "x", "b"}
        assert found["w"].shape == (2, 2, 3)
        assert found["w"][1].tolist() == [[0, 0, 0], [7, 8, 9]]
        assert found["x"].tolist() == [[1, 2, 3], [4, 5, 6]]
        assert found["b"].tolist() == [1, 1]


def test_an_input_called_file_is_one_like_others() -> None:
    saved("2*file", "--file", "1,2", "--save", "J.npz")
    assert numpy.load("J.npz")["file"].tolist() == [[2, 0], [0, 2]]


# by hand: 0.1 and 1/3 are not what they are written as, and a negative zero has a sign
NUMBERS = "0.1,-0.0,3e-310,0.3333333333333333,-65504"
DTYPES = {
    "float64": ("float64", [0.1, -0.0, 3e-310, 0.3333333333333333, -65504.0]),
    "float32": ("float32", [0.10000000149011612, -0.0, 0.0, 0.3333333432674408, -65504.0]),
    "float16": ("float16", [0.0999755859375, -0.0, 0.0, 0.333251953125, -65504.0]),
    "bfloat16": ("float32", [0.10009765625, -0.0, 0.0, 0.333984375, -65536.0]),
}


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("ending", ["npy", "npz", "mtx"])
def test_numbers_come_back_bit_for_bit(dtype: str, ending: str) -> None:
    name, numbers = DTYPES[dtype]
    arguments = ["k * x", "--k", NUMBERS, "--x", "ones(5)", "--wrt", "x", "--dtype", dtype]
    run("inspect", *arguments, "--save", f"J.{ending}", "-q")
    if ending == "mtx":
        found = market("J.mtx")[1]
    else:
        loaded = numpy.load(f"J.{ending}")
        found = loaded if ending == "npy" else loaded["x"]
        assert found.dtype == name
    assert bits(numpy.diagonal(found)) == bits(numpy.array(numbers))


@pytest.mark.parametrize("ending", ["npy", "npz", "mtx"])
@pytest.mark.parametrize("dtype", ["float64", "float32", "complex128"])
def test_what_is_not_finite_comes_back_too(
    monkeypatch: pytest.MonkeyPatch, ending: str, dtype: str
) -> None:
    values = (inf, -inf, nan, None, -0.0, 0.0, 0.1, 2.5)
    report = replace(
        REPORT,
        problem=replace(REPORT.problem, dtype=dtype),
        inputs={"x": Array((4,), (1.0,) * 4)},
        jacobian={"x": Array((2, 4), values)},
    )
    monkeypatch.setattr(cli.inspection, "inspect", lambda request, settings: report)
    run("inspect", "x", "--x", "1", "--save", f"J.{ending}", "-q")
    loaded = market("J.mtx")[1] if ending == "mtx" else numpy.load(f"J.{ending}")
    found = loaded["x"] if ending == "npz" else loaded
    # 0.1 is no number of float32: then all of them stay doubles
    assert found.dtype == ("float64" if dtype == "float32" else dtype)
    expected = numpy.array([inf, -inf, nan, nan, -0.0, 0.0, 0.1, 2.5]).reshape(2, 4)
    assert numpy.array_equal(found, expected, equal_nan=True)
    assert numpy.signbit(found.real[1, 0])


@pytest.mark.parametrize("ending", ["npy", "npz", "mtx"])
def test_complex_numbers(ending: str) -> None:
    arguments = ["z * (1 + 2j) / 3", "--z", "1+1j,2-3j,4", "--dtype", "complex128"]
    saved(*arguments, "--save", f"J.{ending}")
    file = numpy.load(f"J.{ending}") if ending != "mtx" else market("J.mtx")
    found = {"npy": lambda: file, "npz": lambda: file["z"], "mtx": lambda: file[1]}[ending]()
    # torch's convention: the conjugate of the derivative
    expected = numpy.conj((1 + 2j) / 3) * numpy.eye(3)
    assert found.dtype == numpy.complex128
    assert numpy.allclose(found, expected, rtol=1e-15, atol=0)
    if ending == "mtx":
        assert file[0] == "coordinate complex"


def test_a_scalar_is_a_matrix_of_one_number() -> None:
    saved("x**2", "--x", "3", "--save", "J.npy")
    assert (numpy.load("J.npy").shape, float(numpy.load("J.npy"))) == ((), 6)
    saved("x**2", "--x", "3", "--save", "J.mtx")
    assert market("J.mtx")[1].tolist() == [[6]]


@pytest.mark.parametrize("ending", ["npy", "npz", "mtx"])
def test_a_jacobian_without_columns(ending: str) -> None:
    run("inspect", "x.sum() + ones(2)", "--x", "zeros(0)", "--save", f"J.{ending}", "-q")
    if ending == "mtx":
        assert market("J.mtx")[1].shape == (2, 0)
    else:
        found = numpy.load(f"J.{ending}")
        assert (found if ending == "npy" else found["x"]).shape == (2, 0)


def test_few_entries_are_listed_and_many_are_not() -> None:
    saved("x * 2", "--x", "1,2,3,4", "--save", "J.mtx")
    kind, found = market("J.mtx")
    assert (kind, found.tolist()) == ("coordinate real", (2 * numpy.eye(4)).tolist())
    saved("softmax(x, 0)", "--x", "1,2,3,4", "--save", "J.mtx")
    kind, found = market("J.mtx")
    assert kind == "array real"
    assert numpy.allclose(found.sum(0), 0, atol=1e-15)


def test_a_zero_of_the_pattern_is_listed() -> None:
    saved("x**2", "--x", "0,1,2,3", "--save", "J.mtx")
    assert "1 1 0.0" in Path("J.mtx").read_text().splitlines()


@pytest.fixture
def small() -> Iterator[None]:
    """No J is built in full."""
    before = LIMITS.dense_entries
    object.__setattr__(LIMITS, "dense_entries", 3)
    yield
    object.__setattr__(LIMITS, "dense_entries", before)


@pytest.mark.usefixtures("small")
def test_a_large_jacobian_is_saved_by_place() -> None:
    saved("a[1:]*b[:-1]", "--a", "1,2,3", "--b", "4,5,6", "--save", "J.npz")
    with numpy.load("J.npz") as found:
        assert set(found) == {
            f"{x}.{part}" for x in "ab" for part in ("rows", "cols", "values", "shape")
        }
        assert found["a.rows"].tolist() == [0, 1]
        assert found["a.cols"].tolist() == [1, 2]
        assert found["a.values"].tolist() == [4, 5]
        assert found["b.cols"].tolist() == [0, 1]
        assert found["a.shape"].tolist() == [2, 3]
    # a matrix in full is what .npy can hold
    saved("a[1:]*b[:-1]", "--a", "1,2,3", "--b", "4,5,6", "--wrt", "a", "--save", "J.npy")
    assert numpy.load("J.npy").tolist() == [[0, 4, 0], [0, 0, 5]]


def test_a_thousand_thousand_of_a_stencil() -> None:
    saved("x[1:-1]*(x[2:] - x[:-2])", "--x", "linspace(0,1,1200)", "--save", "J.npz")
    with numpy.load("J.npz") as found:
        assert found["x.shape"].tolist() == [1198, 1200]
        assert len(found["x.values"]) == 3 * 1198
        # dy[4]/dx[6] = x[5]
        place = numpy.flatnonzero((found["x.rows"] == 4) & (found["x.cols"] == 6))
        assert found["x.values"][place].tolist() == [numpy.linspace(0, 1, 1200)[5]]


@pytest.mark.usefixtures("small")
def test_too_large_for_an_array_is_refused() -> None:
    before = LIMITS.jacobian_bytes
    object.__setattr__(LIMITS, "jacobian_bytes", 100)
    result = run("inspect", "x*2", "--x", "1,2,3,4", "--save", "J.npy")
    object.__setattr__(LIMITS, "jacobian_bytes", before)
    message = "--save: J in full would take 0.0 GB"
    refused(result, message, ".npz and .mtx hold its entries by row and column", exit_code=4)
    assert os.listdir() == []


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Asked:
    """What the inspection was asked; it answers a report written by hand."""
    return ask(monkeypatch)


@pytest.mark.parametrize("path", ["J.csv", "J", "-", "npz", "J.npz.gz"])
def test_another_ending_is_refused_before_anything_runs(asked: Asked, path: str) -> None:
    result = run("inspect", "x", "--x", "1", "--save", path)
    message = f"--save: the name of {path!r} does not say a format that J is saved in"
    refused(result, message, "formats are .npz, .npy, .mtx: for example --save J.npz")
    assert asked == []


def test_no_jacobian_cannot_be_saved(asked: Asked) -> None:
    result = run("inspect", "x", "--x", "1", "--no-jacobian", "--save", "J.npy")
    refused(result, "--save saves J, and --no-jacobian leaves it out", "give one of them")


@pytest.mark.parametrize("ending", ["npy", "mtx"])
@pytest.mark.parametrize("wrt", [(), ("--wrt", "a,b")])
def test_one_matrix_a_file(ending: str, wrt: tuple[str, ...]) -> None:
    result = run("inspect", "a*b", "--a", "1", "--b", "2", *wrt, "--save", f"J.{ending}")
    message = f"--save: a .{ending} file holds one matrix, and there is a J by each of a, b"
    refused(result, message, "save to .npz, or choose one with --wrt a")
    assert os.listdir() == []


def test_a_jacobian_that_was_not_computed() -> None:
    before = LIMITS.exact_entries
    object.__setattr__(LIMITS, "exact_entries", 50)
    call = ["inspect", "softmax(x, 0)", "--x", "linspace(0,1,8)", "--v", "ones", "--save", "J.npz"]
    result = run(*call)
    object.__setattr__(LIMITS, "exact_entries", before)
    message = "--save: there is no J to save: it was too large to be computed"
    refused(result, message, "without the option vᵀJ alone is shown and compared", exit_code=4)


def test_the_old_file_stays_when_the_disk_is_full(
    asked: Asked, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("J.npz").write_text("old")

    def full(self: Any, data: bytes) -> int:
        raise OSError(28, "No space left on device")

    broken = type("Full", (BufferedWriter,), {"write": full})
    monkeypatch.setattr("vjp_cli.output.BufferedWriter", broken)
    result = run("inspect", "x", "--x", "1,2", "--save", "J.npz")
    assert (result.exit_code, result.stdout) == (5, "")
    assert Path("J.npz").read_text() == "old"
    assert os.listdir() == ["J.npz"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device here is always full")
def test_a_full_device(asked: Asked) -> None:
    link = Path("J.npy")
    link.symlink_to("/dev/full")
    result = run("inspect", "x", "--x", "1,2", "--save", "J.npy")
    refused(result, "cannot write 'J.npy': No space left on device", exit_code=5)


def test_the_report_is_shown_as_without_it(asked: Asked) -> None:
    plain = run("inspect", "x", "--x", "1,2")
    assert run("inspect", "x", "--x", "1,2", "--save", "J.npy") == plain
    assert numpy.load("J.npy").tolist() == [[3, 0], [0, 3]]


def test_the_same_problem_gives_the_same_bytes(asked: Asked) -> None:
    files = []
    for name in ("a.npz", "b.npz"):
        run("inspect", "x", "--x", "1,2", "--save", name)
        files.append(Path(name).read_bytes())
    assert files[0] == files[1]


def test_the_layout_of_the_screen_is_not_that_of_the_file() -> None:
    call = ["x[:1]*3 + x[1:]", "--x", "1,2", "--layout", "denominator", "--save", "J.npy"]
    saved(*call)
    assert numpy.load("J.npy").tolist() == [[3, 1]]
