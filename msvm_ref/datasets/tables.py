"""Reading a data table from a file: CSV (last column, or a named one, is the label) or .npz (arrays X and y).

``read_points`` reads new points instead: no label, columns by name where both sides have names.
"""

from __future__ import annotations

import csv
import math
import re
import zipfile
from pathlib import Path
from typing import Any

import numpy as np

from msvm_ref.errors import DataError
from msvm_ref.model.arrays import Array, real_array


def read_table(path: str, target: str | None = None) -> tuple[Array, list[Any]]:
    """(X, labels) of a .csv or .npz file; labels stay text unless every one of them is an integer."""
    file = Path(path)
    if not file.is_file():
        raise DataError("file", "exist", path)
    return _npz(file) if file.suffix == ".npz" else _csv(file, target)


def _npz(file: Path) -> tuple[Array, list[Any]]:
    X, y = _npz_arrays(file, "X", "y")
    X = real_array("X", X, 2, "(examples, features)")
    if y.shape != (len(X),):
        raise DataError(
            "y", f"have one label for each of the {len(X)} rows of X", f"shape {y.shape}"
        )
    return X, y.tolist()


def read_names(path: str, target: str | None = None) -> list[str] | None:
    """The names of the feature columns of a table ``read_table`` reads; None where it has no header."""
    file = Path(path)
    if file.suffix == ".npz":
        return None
    names = _rows(file)[0]
    if all(map(_is_number, names[:-1])):
        return None
    names.pop(-1 if target is None else names.index(target))
    return names


def columns_named(path: str | Path, header: list[str], names: list[str]) -> list[int]:
    """Where each of ``names`` stands in ``header``; other columns are left out."""
    for name in names:
        if header.count(name) != 1:
            raise DataError(
                str(path),
                f"have the model's columns {names}, each once",
                f"{header.count(name) or 'none'} named {name!r}",
            )
    return [header.index(name) for name in names]


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
        columns = columns_named(file, header, names)
    elif len(columns) != width:
        raise DataError(
            str(file),
            f"have {width} columns, the model's features",
            f"{len(columns)}",
            "leave the label out, or score a labelled file with --score",
        )
    for number, row in enumerate(rows, 2 if header else 1):
        if len(row) != len(header or rows[0]):
            raise DataError(
                f"{file} line {number}", f"have {len(header or rows[0])} columns", str(len(row))
            )
        _check_numbers(file, number, [row[k] for k in columns])
    return np.array([[float(row[k]) for k in columns] for row in rows]).reshape(
        len(rows), len(columns)
    )


def _npz_arrays(file: Path, *names: str) -> list[Array]:
    try:
        with np.load(file, allow_pickle=False) as arrays:
            if not set(names) <= set(arrays):
                raise DataError(
                    str(file), f"hold arrays {' and '.join(names)}", ", ".join(arrays) or "none"
                )
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
        raise DataError(
            str(file),
            "have a feature and a label column and a data row",
            f"{len(rows)} rows, {width} columns",
        )
    column = width - 1
    if target is not None:
        if header is None or target not in header:
            raise DataError(
                "--target",
                f"be one of the header's columns {header or '(the file has no header)'}",
                repr(target),
            )
        column = header.index(target)
    for number, row in enumerate(rows, 2 if header else 1):
        if len(row) != width:
            raise DataError(f"{file} line {number}", f"have {width} columns", str(len(row)))
        _check_numbers(file, number, [cell for k, cell in enumerate(row) if k != column])
    X = np.array([[float(cell) for k, cell in enumerate(row) if k != column] for row in rows])
    labels = [row[column].strip() for row in rows]
    return X, [int(v) for v in labels] if all(_is_integer(v) for v in labels) else labels


def _check_numbers(file: Path, line: int, cells: list[str]) -> None:
    for cell in cells:
        if not _is_number(cell):
            raise DataError(
                f"{file} line {line}",
                "have numeric features",
                repr(cell),
                "encode categories as numbers first",
            )
        if not math.isfinite(float(cell)):
            raise DataError(
                f"{file} line {line}",
                "have finite features",
                repr(cell),
                "leave out or fill in what is missing",
            )


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def _is_integer(cell: str) -> bool:
    return (
        re.fullmatch(r"[+-]?(0|[1-9][0-9]{0,17})", cell) is not None
    )  # 01 and 1 are two labels, so 01 is text
