"""NumPy's ``.npy`` and ``.npz`` files, read without pickle and checked before memory is taken.

``numpy.load`` is not used: it takes any text for a pickle, and then tells the user how to run it.
"""

import ast
import re
import struct
import warnings
import zipfile
import zlib
from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING, Any, BinaryIO

from vjp_cli.errors import InputError, clean, shorten
from vjp_cli.inputs.literals import Value, check_size
from vjp_cli.inputs.sources import Source
from vjp_cli.lazy import numpy
from vjp_cli.settings import LIMITS

if TYPE_CHECKING:
    Flat = numpy.ndarray[Any, Any]

_MAGIC = b"\x93NUMPY"
_HEADER_BYTES = 10_000
_REFUSED = {
    "O": "Python objects",
    "U": "text",
    "S": "text",
    "a": "text",
    "M": "dates",
    "m": "time spans",
    "V": "records",
}


@dataclass(frozen=True)
class _Header:
    descr: str
    fortran: bool
    shape: tuple[int, ...]


def read_npy(source: Source) -> Value:
    """The array of an ``.npy`` file as a raw value.

    Raises:
        InputError: if it is damaged, or holds anything but plain numbers.
        LimitError: if its header promises too many elements.
    """
    header = _read_header(source)
    check_size(header.shape, f"{source.name}: {source.label}")
    dtype = _native_dtype(source, header.descr)
    needed = prod(header.shape) * dtype.itemsize
    data = source.stream.read(needed)
    if len(data) < needed:
        raise source.error(f"is cut short: {len(data):,} of {needed:,} bytes of numbers are there")
    flat = numpy.frombuffer(data, dtype)
    if header.fortran:
        flat = flat.reshape(header.shape, order="F").ravel(order="C")
    if dtype.kind in "fc" and dtype.itemsize > (8 if dtype.kind == "f" else 16):
        return Value(header.shape, _narrowed(source, flat))
    return Value(header.shape, flat.astype(dtype.newbyteorder("=")))


def _read_header(source: Source) -> _Header:
    stream = source.stream
    start = stream.read(8)
    if start[:6] != _MAGIC:
        beginning = start.decode("utf-8", "replace").strip()
        about = f"starts with '{shorten(beginning, 20)}'" if beginning else "it is empty"
        raise source.error(f"is not an .npy file ({about})")
    if len(start) < 8 or start[6] not in (1, 2, 3):
        raise source.error("is a damaged .npy file: unknown version")
    width, code = (2, "<H") if start[6] == 1 else (4, "<I")
    packed = stream.read(width)
    length = struct.unpack(code, packed)[0] if len(packed) == width else 0
    if not 0 < length <= _HEADER_BYTES:
        raise source.error("is a damaged .npy file: its header has an impossible length")
    text = stream.read(length)
    if len(text) < length:
        raise source.error("is cut short in its header")
    return _parse_header(source, text.decode("latin-1"))


def _parse_header(source: Source, text: str) -> _Header:
    try:
        with warnings.catch_warnings():
            # an odd escape in a damaged header is no news for the user
            warnings.simplefilter("ignore")
            header = ast.literal_eval(text.strip())
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        header = None
    match header:
        case {"descr": list()}:
            raise _refusal(source, "V")
        case {"descr": str(descr), "fortran_order": bool(fortran), "shape": tuple(shape)} if all(
            type(size) is int and size >= 0 for size in shape
        ):
            return _Header(descr, fortran, shape)
    raise source.error("is a damaged .npy file: its header makes no sense")


def _native_dtype(source: Source, descr: str) -> "numpy.dtype[Any]":
    kind = descr.lstrip("<>|=")[:1]
    if kind in _REFUSED:
        raise _refusal(source, kind)
    if re.fullmatch(r"[<>|=]?[biufc]\d{1,2}", descr, re.ASCII):
        try:
            return numpy.dtype(descr)
        except TypeError:
            pass
    raise source.error(f"has the dtype '{shorten(descr, 20)}', which is not known here")


def _refusal(source: Source, kind: str) -> InputError:
    return source.error(f"holds {_REFUSED[kind]}; vjp reads plain numbers only")


def _narrowed(source: Source, flat: "Flat") -> "Flat":
    narrow = flat.astype("float64" if flat.dtype.kind == "f" else "complex128")
    exact = (narrow == flat) | numpy.isnan(flat)
    if not exact.all():
        index = int(numpy.argmin(exact))
        raise source.error(
            f"holds {flat.dtype.name} numbers; entry {index + 1} does not fit a double",
            "save it as float64",
        )
    return narrow


def read_npz(source: Source) -> Value:
    """One member of an ``.npz`` file as a raw value; the only one needs no name.

    Raises:
        InputError: if there is no such member, or it is damaged.
        LimitError: if it would unpack to too many bytes.
    """
    try:
        with zipfile.ZipFile(source.stream) as archive:
            names = [name for name in archive.namelist() if name.endswith(".npy")]
            member = choose(source, [name.removesuffix(".npy") for name in names], "arrays")
            info = archive.getinfo(f"{member}.npy")
            if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                raise source.error("is packed in a way that NumPy does not use")
            if info.file_size > LIMITS.file_bytes:
                raise source.limit(f"unpacks to {info.file_size:,} bytes")
            with archive.open(info) as stream:
                return read_npy(_member(source, stream, info.file_size, member))
    # what zipfile raises for a damaged, encrypted or oddly compressed archive
    except (zipfile.BadZipFile, zlib.error, RuntimeError, EOFError, ValueError) as error:
        raise source.error(f"is not an .npz file, or damaged ({clean(str(error))})") from None


def _member(source: Source, stream: Any, size: int, member: str) -> Source:
    opened: BinaryIO = stream
    return Source(source.name, f"{source.path}:{member}", None, opened, size)


def choose(source: Source, names: list[str], what: str) -> str:
    """The name that the user chose among ``names``, or the only one.

    Raises:
        InputError: if it is not there, or none was chosen and there are several.
    """
    listed = ", ".join(shorten(name, 24) for name in names[:4]) + (", …" if len(names) > 4 else "")
    if not names:
        raise source.error(f"holds no {what}")
    if source.key is None and len(names) > 1:
        raise source.error(f"holds {len(names)} {what}: {listed}", f"add :{shorten(names[0], 30)}")
    chosen = names[0] if source.key is None else source.key
    if chosen not in names:
        raise source.error(f"has no '{shorten(chosen, 30)}'", f"it has: {listed}")
    return chosen
