"""Reading a data table from a file: CSV (last column, or a named one, is the label) or .npz (arrays X and y).

``read_points`` reads new points instead: no label, columns by name where both sides have names.
"""

from __future__ import annotations

import csv
import re
import zipfile
from pathlib import Path
from typing import Any

import numpy as np

from msvm_ref.errors import DataError
from msvm_ref.model.arrays import Array


def read_table(path: str, target: str | None = None) -> tuple[Array, list[Any]]:
    """(X, labels) of a .csv or .npz file; labels stay text unless every one of them is an integer."""
    file = Path(path)
    if not file.is_file():
        raise DataError("file", "exist", path)
    return _npz(file) if file.suffix == ".npz" else _csv(file, target)


def _npz(file: Path) -> tuple[Array, list[Any]]:
    X, y = _npz_arrays(file, "X", "y")
    return X, y.tolist()


def read_names(path: str, target: str | None = None) -> list[str] | None:
    """The names of the feature columns of a table ``read_table`` reads; None where it has no header."""
    file = Path(path)
    if file.suffix == ".npz":
        return None
    first = _rows(file)[0]
    if all(map(_is_number, first[:-1])):
        return None
    return [name for k, name in enumerate(first) if (name != target if target is not None else k < len(first) - 1)]


def read_points(path: str, width: int, names: list[str] | None = None) -> Array:
    """(n x width) points without labels; with ``names`` and a header the columns are found by name, others are left out."""
    file = Path(path)
    if not file.is_file():
        raise DataError("file", "exist", path)
    if file.suffix == ".npz":
        return _npz_arrays(file, "X")[0]
    rows = _rows(file)
    header = None if all(map(_is_number, rows[0])) else rows.pop(0)
    columns = list(range(len(header or rows[0])))
    if header is not None and names is not None:
        missing = [name for name in names if name not in header]
        if missing:
            raise DataError(str(file), f"have the model's columns {names}", f"none named {missing[0]!r}")
        columns = [header.index(name) for name in names]
    elif len(columns) != width:
        raise DataError(str(file), f"have {width} columns, the model's features", f"{len(columns)}",
                        "leave the label out, or score a labelled file with --score")
    for number, row in enumerate(rows, 2 if header else 1):
        if len(row) != len(header or rows[0]):
            raise DataError(f"{file} line {number}", f"have {len(header or rows[0])} columns", str(len(row)))
        bad = next((row[k] for k in columns if not _is_number(row[k])), None)
        if bad is not None:
            raise DataError(f"{file} line {number}", "have numeric features", repr(bad), "encode categories as numbers first")
    return np.array([[float(row[k]) for k in columns] for row in rows]).reshape(len(rows), len(columns))


def _npz_arrays(file: Path, *names: str) -> list[Array]:
    try:
        with np.load(file, allow_pickle=False) as arrays:
            if not set(names) <= set(arrays):
                raise DataError(str(file), f"hold arrays {' and '.join(names)}", ", ".join(arrays) or "none")
            return [np.asarray(arrays[name]) for name in names]
    except (zipfile.BadZipFile, ValueError, OSError, EOFError, TypeError) as error:
        if isinstance(error, DataError):
            raise
        raise DataError(str(file), "be an .npz archive without pickles", str(error)) from error


def _rows(file: Path) -> list[list[str]]:
    try:
        with file.open(newline="", encoding="utf-8-sig") as stream:
            rows = [row for row in csv.reader(stream) if row]
    except (UnicodeDecodeError, csv.Error) as error:
        raise DataError(str(file), "be a UTF-8 CSV file", str(error)) from error
    if not rows:
        raise DataError(str(file), "have at least one row", "an empty file")
    return rows


def _csv(file: Path, target: str | None) -> tuple[Array, list[Any]]:
    rows = _rows(file)
    header = None if all(map(_is_number, rows[0][:-1])) else rows.pop(0)
    width = len(header or rows[0])
    if not rows or width < 2:
        raise DataError(str(file), "have a feature and a label column and a data row", f"{len(rows)} rows, {width} columns")
    column = width - 1
    if target is not None:
        if header is None or target not in header:
            raise DataError("--target", f"be one of the header's columns {header or '(the file has no header)'}", repr(target))
        column = header.index(target)
    for number, row in enumerate(rows, 2 if header else 1):
        if len(row) != width:
            raise DataError(f"{file} line {number}", f"have {width} columns", str(len(row)))
        bad = next((cell for k, cell in enumerate(row) if k != column and not _is_number(cell)), None)
        if bad is not None:
            raise DataError(f"{file} line {number}", "have numeric features", repr(bad), "encode categories as numbers first")
    X = np.array([[float(cell) for k, cell in enumerate(row) if k != column] for row in rows])
    labels = [row[column].strip() for row in rows]
    return X, [int(v) for v in labels] if all(_is_integer(v) for v in labels) else labels


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def _is_integer(cell: str) -> bool:
    return re.fullmatch(r"[+-]?(0|[1-9][0-9]{0,17})", cell) is not None  # 01 and 1 are two labels, so 01 is text
