"""NumPy's files: read without pickle, and refused in words."""

import pickle
import struct
import zipfile

import numpy as np
import pytest

from tests.inputs.helpers import FLAT, MATRIX, npy, read, refuse
from vjp_cli.errors import LimitError
from vjp_cli.values import parse_value


@pytest.mark.parametrize("dtype", ["<f8", ">f8", "<f4", "<f2", "<i2", ">i4", "longdouble"])
def test_npy_numbers(folder, dtype):
    array = np.array([[1, 2, -3], [4, 5, 6]], dtype)
    np.save("a.npy", array)
    assert read("@a.npy") == ((2, 3), [1.0, 2.0, -3.0, 4.0, 5.0, 6.0], None)
    assert parse_value("@a.npy", "--x").numbers.dtype == np.float64


@pytest.mark.parametrize(
    ("array", "expected"),
    [
        (np.float64(7), ((), [7.0], None)),
        (np.zeros((0, 3)), ((0, 3), [], None)),
        (np.zeros((2, 1, 2), "u1"), ((2, 1, 2), [0.0] * 4, None)),
        (np.asfortranarray(MATRIX), ((2, 3), FLAT, None)),
        (np.array([1 + 2j], ">c8"), ((1,), [1 + 2j], None)),
        (np.array([1 + 2j], "clongdouble"), ((1,), [1 + 2j], None)),
        (np.array([True, False]), ((2,), [True, False], "bool")),
        (np.array([np.inf, -np.inf, -0.0]), ((3,), [np.inf, -np.inf, 0.0], None)),
    ],
)
def test_npy_kinds(folder, array, expected):
    np.save("a.npy", array)
    assert read("@a.npy") == expected


@pytest.mark.parametrize("version", [(1, 0), (2, 0), (3, 0)])
def test_npy_versions(folder, version):
    with open("a.npy", "wb") as stream:
        np.lib.format.write_array(stream, np.array(MATRIX), version)
    assert read("@npy:a.npy") == ((2, 3), FLAT, None)


def test_npy_with_a_dtype_of_its_own(folder):
    np.save("a.npy", np.array([[2**53 + 1], [-1]]))
    assert read("int64:@a.npy") == ((2, 1), [2**53 + 1, -1], "int64")
    np.save("b.npy", np.array([1.0, 2.5]))
    assert "entry 2, '2.5', is not an integer" in refuse("int64:@b.npy")[0]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "a.npy is not an .npy file (it is empty)"),
        (b"1,2,3\n", "a.npy is not an .npy file (starts with '1,2,3')"),
        (b"\x1b[31m", "a.npy is not an .npy file (starts with '\\x1b[31m')"),
        (pickle.dumps([1, 2]), "a.npy is not an .npy file (starts with"),
        (b"\x93NUMPY", "unknown version"),
        (b"\x93NUMPY\x09\x00", "unknown version"),
        (b"\x93NUMPY\x01\x00", "its header has an impossible length"),
        (b"\x93NUMPY\x02\x00\xff\xff\xff\xff{}", "its header has an impossible length"),
        (b"\x93NUMPY\x01\x00\x50\x00{'descr'", "a.npy is cut short in its header"),
        (npy(header="{"), "its header makes no sense"),
        (npy(header="(" * 9000), "its header makes no sense"),
        (npy(header="[1]"), "its header makes no sense"),
        (npy(header="__import__('os')"), "its header makes no sense"),
        (npy(shape="(-1,)"), "its header makes no sense"),
        (npy(shape="2"), "its header makes no sense"),
        (npy(shape="(True,)"), "its header makes no sense"),
        (npy(shape="(3,)"), "a.npy is cut short: 16 of 24 bytes of numbers are there"),
        (npy("'|O'"), "a.npy holds Python objects; vjp reads plain numbers only"),
        (npy("'<U3'"), "a.npy holds text"),
        (npy("'|S3'"), "a.npy holds text"),
        (npy("'<M8[ns]'"), "a.npy holds dates"),
        (npy("'<m8[s]'"), "a.npy holds time spans"),
        (npy("'|V8'"), "a.npy holds records"),
        (npy("[('a', '<f8')]"), "a.npy holds records"),
        (npy("'<f7'"), "a.npy has the dtype '<f7'"),
        (npy("'float64'"), "a.npy has the dtype 'float64'"),
    ],
)
def test_npy_refused(folder, data, message):
    (folder / "a.npy").write_bytes(data)
    assert message in refuse("@a.npy")[0]


def test_npy_longdouble_must_be_exact(folder):
    if np.finfo(np.longdouble).nmant == 52:
        np.save("a.npy", np.array([1.0, 3.0], np.longdouble))
        assert read("@a.npy")[1] == [1.0, 3.0]
        return
    np.save("a.npy", np.array([1, np.nan, 1 + np.finfo(np.longdouble).eps], np.longdouble))
    assert "entry 3 does not fit a double" in refuse("@a.npy")[0]


def test_npy_bools_are_normalised(folder):
    (folder / "a.npy").write_bytes(npy("'|b1'", "(3,)", b"\x02\x00\xff"))
    assert parse_value("@a.npy", "--x").numbers.tobytes() == b"\x01\x00\x01"


def test_npy_size_is_checked_before_memory_is_taken(folder):
    (folder / "a.npy").write_bytes(npy(shape="(1000000000000,)"))
    assert "1,000,000,000,000 elements; the limit" in refuse("@a.npy", LimitError)[0]


def test_npz(folder):
    np.savez("one.npz", x=np.array(MATRIX))
    np.savez_compressed("two.npz", a=np.array([1, 2]), b=np.array(MATRIX))
    assert read("@one.npz") == ((2, 3), FLAT, None)
    assert read("@one.npz:x") == ((2, 3), FLAT, None)
    assert read("@two.npz:b") == ((2, 3), FLAT, None)
    assert read("@npz:two.npz:a") == ((2,), [1.0, 2.0], None)
    assert read("int64:@two.npz:a") == ((2,), [1, 2], "int64")
    assert refuse("@two.npz") == ("--x: two.npz holds 2 arrays: a, b", "add :a")
    assert refuse("@two.npz:c") == ("--x: two.npz has no 'c'", "it has: a, b")
    assert refuse("@two.npz:") == ("--x: two.npz has no ''", "it has: a, b")


def test_npz_refused(folder):
    (folder / "text.npz").write_bytes(b"1,2")
    assert "text.npz is not an .npz file, or damaged" in refuse("@text.npz")[0]
    np.savez("empty.npz")
    assert "empty.npz holds no arrays" in refuse("@empty.npz")[0]
    np.savez("object.npz", x=np.array([None]))
    assert "object.npz:x holds Python objects" in refuse("@object.npz")[0]
    np.savez("bad.npz", x=np.array(MATRIX))
    data = bytearray((folder / "bad.npz").read_bytes())
    data[data.index(np.float64(2.5).tobytes())] ^= 0xFF
    (folder / "bad.npz").write_bytes(data)
    assert "is not an .npz file, or damaged (Bad CRC-32" in refuse("@bad.npz")[0]


def test_npz_unusual_packing(folder):
    with zipfile.ZipFile("a.npz", "w", zipfile.ZIP_LZMA) as archive:
        archive.writestr("x.npy", npy())
    assert "a.npz is packed in a way that NumPy does not use" in refuse("@a.npz")[0]


def test_npz_bomb_is_not_unpacked(folder):
    with zipfile.ZipFile("bomb.npz", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("x.npy", npy(shape="(20000000,)", data=b"\0" * 20_000_000))
    assert "bomb.npz:x has 20,000,000 elements" in refuse("@bomb.npz", LimitError)[0]
    data = bytearray((folder / "bomb.npz").read_bytes())
    # the declared size in the central directory
    struct.pack_into("<I", data, data.rindex(b"PK\x01\x02") + 24, 2**31)
    (folder / "bomb.npz").write_bytes(data)
    assert "unpacks to 2,147,483,648 bytes" in refuse("@bomb.npz", LimitError)[0]
