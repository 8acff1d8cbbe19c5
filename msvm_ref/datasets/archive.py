"""Arrays out of an .npz archive, by their headers first: no pickles, and no allocation that the header alone asks for."""

from __future__ import annotations

import io
import math
import zipfile
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from msvm_ref.errors import DataError
from msvm_ref.foreign import shown

ARRAY_LIMIT = 2**30
"""Bytes of the largest array that is unpacked."""
PLAIN = "biufUS"
"""Kinds of entries that are read: numbers and text."""


def npz_arrays(content: bytes, title: str, *names: str) -> list[NDArray[Any]]:
    """The arrays of these names; DataError for what is no archive of plain arrays, and for what would fill the memory."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            held = [name.removesuffix(".npy") for name in archive.namelist()]
            for name in names:
                if held.count(name) != 1:
                    raise DataError(
                        title,
                        f"hold arrays {' and '.join(names)}, each once",
                        shown(", ".join(held) or "none"),
                    )
            return [_array(archive, held.index(name), title, name) for name in names]
    except DataError:
        raise
    except Exception as error:  # what zipfile, zlib and numpy raise on a broken archive is no list one could write down
        raise DataError(
            title, "be an .npz archive of plain arrays", f"{type(error).__name__}: {error}"
        ) from error


def _array(archive: zipfile.ZipFile, position: int, file: str, name: str) -> NDArray[Any]:
    entry = archive.infolist()[position]
    with archive.open(entry) as stream:
        shape, dtype = _header(stream)
        size = math.prod(shape) * dtype.itemsize
        if dtype.kind not in PLAIN or dtype.hasobject:
            raise DataError(f"{name} in {file}", "hold numbers or text", f"dtype {shown(dtype)}")
        if min(shape, default=0) < 0 or size > ARRAY_LIMIT or size > entry.file_size:
            raise DataError(
                f"{name} in {file}",
                f"have at most {ARRAY_LIMIT} bytes, all of them in the archive",
                f"shape {shown(shape)}: {size:.3g} bytes, {entry.file_size} in the archive",
            )
    with archive.open(entry) as stream:
        array: NDArray[Any] = np.lib.format.read_array(stream, allow_pickle=False)
    return array


def _header(stream: IO[bytes]) -> tuple[tuple[int, ...], np.dtype[Any]]:
    version = np.lib.format.read_magic(stream)
    readers: dict[tuple[int, int], Any] = {
        (1, 0): np.lib.format.read_array_header_1_0,
        (2, 0): np.lib.format.read_array_header_2_0,
    }
    if version not in readers:
        raise ValueError(f"version {version} of the .npy format")
    shape, _, dtype = readers[version](stream)
    return shape, dtype
