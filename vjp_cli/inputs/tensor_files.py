"""Tensors in ``.pt`` files (torch's loader, weights only) and in ``.safetensors`` files."""

import json
import warnings
import zipfile
from math import prod
from typing import TYPE_CHECKING, Any

from vjp_cli.errors import LimitError
from vjp_cli.inputs.array_files import choose
from vjp_cli.inputs.literals import Value, check_size
from vjp_cli.inputs.sources import Source
from vjp_cli.lazy import numpy, torch
from vjp_cli.settings import LIMITS

if TYPE_CHECKING:
    Flat = numpy.ndarray[Any, Any]


def read_pt(source: Source) -> Value:
    """The tensor of a ``.pt`` file, or one of a dict of tensors, as a raw value.

    Raises:
        InputError: if it holds anything but tensors, or there is no such tensor.
        LimitError: if it would unpack to too many bytes or elements.
    """
    try:
        _check_unpacked(source)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            loaded = torch.load(source.stream, map_location="cpu", weights_only=True)
    except LimitError:
        raise
    # a damaged file makes torch raise nearly anything, with advice that would run its code
    except Exception:
        raise source.error("is not a .pt file of tensors alone, or damaged") from None
    if isinstance(loaded, dict):
        tensors = {str(key): item for key, item in loaded.items() if torch.is_tensor(item)}
        loaded = tensors[choose(source, list(tensors), "tensors")]
    elif source.key is not None:
        raise source.error(f"holds a {type(loaded).__name__} without names", "leave out the :NAME")
    if not torch.is_tensor(loaded):
        raise source.error(f"holds a {type(loaded).__name__}, not a tensor")
    # an expanded tensor is small in the file and huge as numbers
    check_size(loaded.shape, f"{source.name}: {source.label}")
    return Value(tuple(loaded.shape), _to_numpy(source, loaded))


def _check_unpacked(source: Source) -> None:
    if zipfile.is_zipfile(source.stream):
        source.stream.seek(0)
        with zipfile.ZipFile(source.stream) as archive:
            size = sum(info.file_size for info in archive.infolist())
        if size > LIMITS.file_bytes:
            raise source.limit(f"unpacks to {size:,} bytes")
    source.stream.seek(0)


def _to_numpy(source: Source, tensor: "torch.Tensor") -> "Flat":
    if tensor.layout is not torch.strided or tensor.is_quantized:
        raise source.error("holds a sparse or quantized tensor", "save tensor.to_dense()")
    # NumPy has no bfloat16 and no 8-bit floats; a double holds them all exactly
    if tensor.is_floating_point():
        tensor = tensor.double()
    elif tensor.is_complex():
        tensor = tensor.to(torch.complex128)
    flat: Flat = tensor.detach().resolve_conj().resolve_neg().reshape(-1).numpy()
    return flat


# the format's names for what NumPy knows; BF16 is widened by hand
_DTYPES = {
    "F64": "<f8",
    "F32": "<f4",
    "F16": "<f2",
    "BF16": "<u2",
    "I64": "<i8",
    "I32": "<i4",
    "I16": "<i2",
    "I8": "|i1",
    "U8": "|u1",
    "BOOL": "|b1",
}
_HEADER_BYTES = 16_000_000


def read_safetensors(source: Source) -> Value:
    """One tensor of a ``.safetensors`` file as a raw value; the only one needs no name.

    The file is eight bytes for the header's length, a JSON header, then the numbers.

    Raises:
        InputError: if it is damaged, or there is no such tensor.
        LimitError: if the tensor has too many elements.
    """
    length = int.from_bytes(source.stream.read(8), "little")
    if not 0 < length <= min(_HEADER_BYTES, source.size - 8):
        raise source.error("is not a .safetensors file: its header has an impossible length")
    try:
        header = json.loads(source.stream.read(length))
    except (ValueError, RecursionError):
        header = None
    if not isinstance(header, dict):
        raise source.error("is not a .safetensors file: its header is not JSON")
    header.pop("__metadata__", None)
    entry = header[choose(source, list(header), "tensors")]
    code, shape, begin, end = _checked(source, entry)
    check_size(shape, f"{source.name}: {source.label}")
    dtype = numpy.dtype(_DTYPES[code])
    available = source.size - 8 - length
    if end > available:
        raise source.error(f"is cut short: {available:,} of {end:,} bytes of numbers are there")
    if end - begin != prod(shape) * dtype.itemsize:
        raise source.error(f"is damaged: {end - begin:,} bytes do not fill the shape {shape}")
    source.stream.seek(8 + length + begin)
    flat = numpy.frombuffer(source.stream.read(end - begin), dtype)
    if code == "BF16":
        # the upper half of a float32
        flat = (flat.astype("<u4") << 16).view("<f4")
    return Value(shape, flat.astype(flat.dtype.newbyteorder("=")))


def _checked(source: Source, entry: object) -> tuple[str, tuple[int, ...], int, int]:
    match entry:
        case {"dtype": str(code)} if code not in _DTYPES:
            raise source.error(f"has the dtype {code[:20]!r}, which is not known here")
        case {
            "dtype": str(code),
            "shape": list(shape),
            "data_offsets": [int(begin), int(end)],
        } if all(type(n) is int and n >= 0 for n in (*shape, begin, end)) and begin <= end:
            return code, tuple(shape), begin, end
    raise source.error("is damaged: an entry of its header makes no sense")
