"""What the tests of files share."""

import struct

import pytest

from vjp_cli.errors import InputError, clean
from vjp_cli.values import Value, parse_value

MATRIX = [[1.0, 2.5, -3.0], [4.0, 5.0, 6.0]]
FLAT = [1.0, 2.5, -3.0, 4.0, 5.0, 6.0]


def read(spec):
    """(shape, numbers, dtype) of the value that ``spec`` names."""
    value = parse_value(spec, "--x")
    assert isinstance(value, Value)
    return value.shape, list(value.numbers), value.dtype


def refuse(spec, kind=InputError):
    with pytest.raises(kind) as caught:
        parse_value(spec, "--x")
    error = caught.value
    assert error.message.startswith("--x: ")
    assert clean(error.message) == error.message
    assert "pickle" not in error.message + error.hint
    return error.message, error.hint


def npy(descr="'<f8'", shape="(2,)", data=b"\0" * 16, header=None):
    text = header or f"{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}}}"
    packed = text.encode("latin-1")
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(packed)) + packed + data
