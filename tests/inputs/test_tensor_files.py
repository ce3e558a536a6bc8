"""Tensors in ``.pt`` and ``.safetensors`` files."""

import json
import os
import struct

import numpy as np
import pytest
import safetensors.numpy
import safetensors.torch
import torch

from tests.inputs.helpers import FLAT, MATRIX, read, refuse
from vjp_cli.errors import LimitError


@pytest.mark.parametrize(
    ("tensor", "expected"),
    [
        (torch.tensor(MATRIX), ((2, 3), FLAT, None)),
        (torch.tensor(MATRIX, dtype=torch.bfloat16).requires_grad_(), ((2, 3), FLAT, None)),
        (torch.nn.Parameter(torch.tensor(MATRIX).T), ((3, 2), [1, 4, 2.5, 5, -3, 6], None)),
        (torch.tensor(7), ((), [7.0], None)),
        (torch.zeros(0, 3), ((0, 3), [], None)),
        (torch.tensor([1 + 2j]).conj(), ((1,), [1 - 2j], None)),
        (torch.tensor([True, False]), ((2,), [True, False], "bool")),
    ],
)
def test_pt(folder, tensor, expected):
    torch.save(tensor, "a.pt")
    assert read("@a.pt") == expected


def test_pt_dict(folder):
    torch.save({"w": torch.tensor([1, 2]), "layer.b": torch.tensor(MATRIX), "epoch": 3}, "a.pt")
    assert read("@a.pt:layer.b") == ((2, 3), FLAT, None)
    assert read("int64:@a.pt:w") == ((2,), [1, 2], "int64")
    assert refuse("@a.pt") == ("--x: a.pt holds 2 tensors: w, layer.b", "add :w")
    assert refuse("@a.pt:c") == ("--x: a.pt has no 'c'", "it has: w, layer.b")


class Planted:
    def __reduce__(self):
        return os.mkdir, ("planted",)


def test_pt_refused(folder):
    torch.save(Planted(), "code.pt")
    assert "code.pt is not a .pt file of tensors alone, or damaged" in refuse("@code.pt")[0]
    assert not (folder / "planted").exists()
    (folder / "text.pt").write_bytes(b"1,2")
    assert "text.pt is not a .pt file" in refuse("@text.pt")[0]
    torch.save([1, 2], "list.pt")
    assert "list.pt holds a list, not a tensor" in refuse("@list.pt")[0]
    torch.save(torch.zeros(2), "a.pt")
    assert "a.pt holds a Tensor without names" in refuse("@a.pt:w")[0]
    torch.save(torch.eye(2).to_sparse(), "sparse.pt")
    assert "sparse.pt holds a sparse or quantized tensor" in refuse("@sparse.pt")[0]
    torch.save(torch.zeros(1).expand(10**12), "wide.pt")
    assert "wide.pt has 1,000,000,000,000 elements" in refuse("@wide.pt", LimitError)[0]


@pytest.mark.parametrize(
    "dtype", ["float64", "float32", "float16", "int64", "int32", "int16", "int8"]
)
def test_safetensors_numbers(folder, dtype):
    array = np.array([[1, 2, -3], [4, 5, 6]], dtype)
    safetensors.numpy.save_file({"x": array, "y": array[:1]}, "a.safetensors", {"by": "test"})
    assert read("@a.safetensors:x") == ((2, 3), [1.0, 2.0, -3.0, 4.0, 5.0, 6.0], None)
    assert read("@a.safetensors:y") == ((1, 3), [1.0, 2.0, -3.0], None)
    assert refuse("@a.safetensors:z")[0] == "--x: a.safetensors has no 'z'"


def test_safetensors_other_dtypes(folder):
    tensors = {
        "bf16": torch.tensor(MATRIX, dtype=torch.bfloat16),
        "bool": torch.tensor([True, False]),
        "u8": torch.tensor(255, dtype=torch.uint8),
        "empty": torch.zeros(0, 3),
        "f8": torch.tensor([1.0], dtype=torch.float8_e5m2),
    }
    safetensors.torch.save_file(tensors, "a.safetensors")
    assert read("@a.safetensors:bf16") == ((2, 3), FLAT, None)
    assert read("@a.safetensors:bool") == ((2,), [True, False], "bool")
    assert read("@a.safetensors:u8") == ((), [255.0], None)
    assert read("@a.safetensors:empty") == ((0, 3), [], None)
    assert "has the dtype 'F8_E5M2'" in refuse("@a.safetensors:f8")[0]


def tensors_file(entry, data=b"\0" * 16, header=None):
    packed = (header or json.dumps({"x": entry})).encode()
    return struct.pack("<Q", len(packed)) + packed + data


def entry(dtype="F64", shape=(2,), offsets=(0, 16)):
    return {"dtype": dtype, "shape": list(shape), "data_offsets": list(offsets)}


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "its header has an impossible length"),
        (b"\xff" * 8, "its header has an impossible length"),
        (struct.pack("<Q", 50) + b"{}", "its header has an impossible length"),
        (tensors_file({}, header="[1]"), "its header is not JSON"),
        (tensors_file({}, header="[" * 100_000), "its header is not JSON"),
        (tensors_file({}, header='{"__metadata__":{}}'), "holds no tensors"),
        (tensors_file(3), "an entry of its header makes no sense"),
        (tensors_file(entry(shape=(-2,))), "an entry of its header makes no sense"),
        (tensors_file(entry(shape=(True,))), "an entry of its header makes no sense"),
        (tensors_file(entry(offsets=(-8, 8))), "an entry of its header makes no sense"),
        (tensors_file(entry(offsets=(16, 0))), "an entry of its header makes no sense"),
        (tensors_file(entry(offsets=(0, True))), "an entry of its header makes no sense"),
        (tensors_file(entry(offsets=(8, 24))), "cut short: 16 of 24 bytes of numbers are there"),
        (tensors_file(entry(offsets=(0, 8))), "8 bytes do not fill the shape (2,)"),
        (tensors_file(entry(dtype="\x1bX")), "has the dtype '\\x1bX'"),
    ],
)
def test_safetensors_refused(folder, data, message):
    (folder / "a.safetensors").write_bytes(data)
    assert message in refuse("@a.safetensors")[0]


def test_safetensors_size_is_checked_before_memory_is_taken(folder):
    data = tensors_file(entry(shape=(2**62, 4), offsets=(0, 16)))
    (folder / "a.safetensors").write_bytes(data)
    assert "18,446,744,073,709,551,616 elements" in refuse("@a.safetensors", LimitError)[0]
