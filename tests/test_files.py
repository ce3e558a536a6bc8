"""Values in files: text formats, what cannot be opened, and damage of every kind."""

import io
import os

import numpy as np
import pytest
import safetensors.numpy
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.inputs.helpers import FLAT, MATRIX, read, refuse
from vjp_cli.errors import LimitError, VjpError, clean
from vjp_cli.values import parse_value


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


# .csv and .tsv


@pytest.mark.parametrize(
    ("text", "shape", "numbers"),
    [
        ("1,2.5,-3\n4,5,6\n", (2, 3), FLAT),
        ("a,b,c\r\n1,2.5,-3\r\n4,5,6\r\n", (2, 3), FLAT),
        ("\ufeff\n\n a , b ,c\n1, 2.5,−3\n\n4,5,6", (2, 3), FLAT),
        ('"1","2.5","-3"\n', (3,), [1.0, 2.5, -3.0]),
        ("x\n1\n2\n3\n", (3,), [1.0, 2.0, 3.0]),
        ("7", (1,), [7.0]),
        ("inf,nan_\n1,2", None, None),
        ("inf,-inf\n1e3,.5\n", (2, 2), [np.inf, -np.inf, 1e3, 0.5]),
    ],
)
def test_csv(folder, text, shape, numbers):
    (folder / "a.csv").write_bytes(text.encode())
    if shape is None:
        assert "line 1, column 2 of a.csv, 'nan_', is not a number" in refuse("@a.csv")[0]
    else:
        assert read("@a.csv") == (shape, numbers, None)


def test_tsv_and_explicit_format(folder):
    (folder / "a.TSV").write_text("a\tb\n1\t2\n3\t4\n5\t6\n")
    (folder / "a.txt").write_text("1,2\n")
    (folder / "odd:name,v1.0").write_text("1\n2\n")
    assert read("@a.TSV") == ((3, 2), [1.0, 2.0, 3.0, 4.0, 5.0, 6.0], None)
    assert read("@csv:a.txt") == ((2,), [1.0, 2.0], None)
    assert read("@csv:odd:name,v1.0") == ((2,), [1.0, 2.0], None)
    assert read("int64:@csv:a.txt") == ((2,), [1, 2], "int64")


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        ("", "a.csv holds no numbers", ""),
        ("a,b\n", "a.csv holds no numbers", ""),
        ("1,2\n3,x\n", "line 2, column 2 of a.csv, 'x', is not a number", "numbers look like"),
        ("1;2\n3;4\n", "line 1, column 1 of a.csv, '1;2', is not a number", "semicolons"),
        ('"1,5","2"\n', "column 1 of a.csv, '1,5', is not a number", "decimal point"),
        ("1 2\n3 4\n", "line 1, column 1 of a.csv, '1 2', is not a number", "commas"),
        ("1,2\n3,\n", "line 2, column 2 of a.csv is empty", "nan"),
        (
            "1,2\n\n3\n",
            "line 3 of a.csv ends after column 1, the lines before after column 2",
            "as many",
        ),
        (",\n1,2\n", "line 1, column 1 of a.csv is empty", "nan"),
        ("a,b\nc,d\n1,2\n", "line 2, column 1 of a.csv, 'c', is not a number", ""),
        ("1e400,2\n", "line 1, column 1 of a.csv, '1e400', does not fit a double", "inf"),
        ('1,"2\n', "a.csv is damaged at line 1", ""),
        ("1," + "2" * 200_000, "a.csv is damaged at line 1: field larger", ""),
        ("1_000\n2\n", "line 1, column 1 of a.csv, '1_000', is not a number", "underscores"),
        ("x,−1\n2,3\n", "line 1, column 1 of a.csv, 'x', is not a number", ""),
        ("1,5;2,5\n", "line 1, column 2 of a.csv, '5;2', is not a number", "semicolons"),
        ("1,\x00\n", "line 1, column 2 of a.csv", ""),
    ],
)
def test_csv_refused(folder, text, message, hint):
    (folder / "a.csv").write_text(text, newline="")
    found = refuse("@a.csv")
    assert message in found[0]
    assert hint in found[1]


def test_csv_encoding_and_size(folder):
    (folder / "a.csv").write_bytes("1,2".encode("utf-16"))
    assert refuse("@a.csv") == ("--x: a.csv is not UTF-8 (byte 1)", "save it as UTF-8")
    (folder / "b.csv").write_bytes(b"," * 10_000_000)
    assert "b.csv has 10,000,001 elements" in refuse("@b.csv", LimitError)[0]


# .json


def test_json(folder):
    (folder / "a.json").write_text('\ufeff[[1, 2.5, -3],\n ["4", 5, 6]]\n')
    assert read("@a.json") == ((2, 3), FLAT, None)
    (folder / "b.json").write_text('[NaN, Infinity, "-Infinity"]')
    assert read("@b.json")[1][1:] == [np.inf, -np.inf]
    (folder / "c.json").write_text("3")
    assert read("@c.json") == ((), [3.0], None)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "a.json is empty"),
        ("[1,", "a.json: not a JSON array"),
        ("[[1,2],[3]]", "a.json: row 2 has 1 entry, row 1 has 2"),
        ('{"x": 1, "x": 2}', "is not a number"),
        ("[" * 100_000, "a.json: the lists are nested too deeply"),
        ("[1e400]", "a.json: entry 1, '1e400', does not fit a double"),
        ("[" + "9" * 5000 + "]", "does not fit a double"),
    ],
)
def test_json_refused(folder, text, message):
    (folder / "a.json").write_text(text)
    assert message in refuse("@a.json")[0]


# files that cannot be opened, whatever their format


def test_unreadable(folder):
    (folder / "folder.npy").mkdir()
    os.mkfifo("pipe.csv")
    assert refuse("@missing.npy")[0] == "--x: cannot read missing.npy: No such file or directory"
    assert refuse("@folder.npy")[0] == "--x: cannot read folder.npy: Is a directory"
    assert refuse("@pipe.csv")[0] == "--x: cannot read pipe.csv: not a regular file"
    assert refuse("@csv:/dev/zero")[0] == "--x: cannot read /dev/zero: not a regular file"
    assert refuse("@a\x1b[2J\n.npy")[0].startswith("--x: cannot read a\\x1b[2J\\x0a.npy: ")
    assert refuse("@a\0.npy")[0] == "--x: cannot read a\\x00.npy: not a file name"


def test_no_permission(folder, monkeypatch):
    # root may read everything, so the refusal of the system is played here
    def denied(path, flags):
        raise PermissionError(13, "Permission denied", path)

    monkeypatch.setattr(os, "open", denied)
    assert refuse("@a.csv")[0] == "--x: cannot read a.csv: Permission denied"


def test_format_must_be_known(folder):
    assert refuse("@")[0] == "--x: @ names no file"
    assert refuse("@csv:")[0] == "--x: @ names no file"
    message, hint = refuse("@data")
    assert message == "--x: the name of data does not say its format"
    assert "@csv:PATH" in hint
    assert "does not say its format" in refuse("@a.txt")[0]


def test_home_folder(folder, monkeypatch):
    monkeypatch.setenv("HOME", str(folder))
    (folder / "a.csv").write_text("1,2")
    assert read("@~/a.csv") == ((2,), [1.0, 2.0], None)


def test_large_file_is_not_read(folder):
    with open("a.csv", "wb") as stream:
        stream.truncate(2**30 + 1)
    expected = "a.csv has 1,073,741,825 bytes; the limit is 1,073,741,824"
    assert expected in refuse("@a.csv", LimitError)[0]


def test_binary_standard_input():
    stream = io.BytesIO()
    np.save(stream, np.array(MATRIX))
    value = parse_value("@npy:-", "--x", stream.getvalue)
    assert (value.shape, list(value.numbers)) == ((2, 3), FLAT)


def good_files():
    npy_stream, npz_stream, pt_stream = io.BytesIO(), io.BytesIO(), io.BytesIO()
    np.save(npy_stream, np.array(MATRIX))
    np.savez_compressed(npz_stream, x=np.array(MATRIX))
    torch.save({"x": torch.tensor(MATRIX)}, pt_stream)
    return {
        "npy": npy_stream.getvalue(),
        "npz": npz_stream.getvalue(),
        "pt": pt_stream.getvalue(),
        "safetensors": safetensors.numpy.save({"x": np.array(MATRIX)}),
        "json": b"[[1, 2.5, -3], [4, 5, 6]]",
        "csv": b'a,"b"\r\n1,2.5\r\n',
    }


GOOD = good_files()


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(sorted(GOOD)), st.data())
def test_damage_is_a_value_or_an_error_of_ours(form, draw):
    data = bytearray(GOOD[form])
    for _ in range(draw.draw(st.integers(1, 3))):
        position = draw.draw(st.integers(0, len(data) - 1))
        data[position] = draw.draw(st.sampled_from([0, 0xFF, data[position] ^ 1, 0x28, 0x80]))
    if draw.draw(st.booleans()):
        del data[draw.draw(st.integers(1, len(data))) :]
    outcome = outcome_of(f"@{form}:-", bytes(data))
    if isinstance(outcome, VjpError):
        assert clean(outcome.message) == outcome.message
    else:
        assert len(outcome.numbers) == np.prod(outcome.shape)


def outcome_of(spec, data):
    try:
        return parse_value(spec, "--x", lambda: data)
    except VjpError as error:
        return error
