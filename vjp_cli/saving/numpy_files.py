"""NumPy's files: an array, or a zip archive of arrays by name."""

from collections.abc import Iterable, Sequence
from typing import IO, Any
from zipfile import ZipFile, ZipInfo

from vjp_cli.lazy import numpy
from vjp_cli.saving.matrices import Matrix


def write_npy(file: IO[bytes], matrices: Sequence[Matrix]) -> None:
    """The only J in full, of the shape y.shape + x.shape."""
    [matrix] = matrices
    _write(file, matrix.full_shape, matrix.values.dtype, matrix.pieces())


def write_npz(file: IO[bytes], matrices: Sequence[Matrix]) -> None:
    """A J in full under the name of its input, a larger one as ``.rows .cols .values .shape``."""
    with ZipFile(file, "w") as archive:
        for matrix in matrices:
            if not matrix.sparse:
                # a time in the archive would make every file another one: ZipInfo has a fixed one
                with archive.open(ZipInfo(f"{matrix.name}.npy"), "w", force_zip64=True) as member:
                    write_npy(member, [matrix])
                continue
            parts = {
                "rows": matrix.rows,
                "cols": matrix.columns,
                "values": matrix.values,
                "shape": numpy.array(matrix.shape),
            }
            for part, array in parts.items():
                info = ZipInfo(f"{matrix.name}.{part}.npy")
                with archive.open(info, "w", force_zip64=True) as member:
                    _write(member, array.shape, array.dtype, [array])


def _write(file: IO[bytes], shape: tuple[int, ...], dtype: Any, pieces: Iterable[Any]) -> None:
    header = {
        "descr": numpy.lib.format.dtype_to_descr(dtype),
        "fortran_order": False,
        "shape": shape,
    }
    numpy.lib.format.write_array_header_1_0(file, header)
    for piece in pieces:
        file.write(piece.tobytes())
