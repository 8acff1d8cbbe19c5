"""Reading a data table from a file: CSV (last column, or a named one, is the label) or .npz (arrays X and y).

``read_points`` reads new points instead: no label, columns by name where both sides have names.
"""

from __future__ import annotations

import csv
import io
import math
import re
from pathlib import Path
from typing import Any

import numpy as np

from msvm_ref.datasets.archive import npz_arrays
from msvm_ref.errors import DataError
from msvm_ref.foreign import is_number, read_text, shown, size_checked
from msvm_ref.model.arrays import Array, real_array


def read_table(path: str, target: str | None = None) -> tuple[Array, list[Any]]:
    """(X, labels) of a .csv or .npz file; labels stay text unless every one of them is an integer."""
    file = Path(path)
    return _npz(file) if file.suffix == ".npz" else _csv(file, target)


def _npz(file: Path) -> tuple[Array, list[Any]]:
    size_checked(file)
    X, y = npz_arrays(file, "X", "y")
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
    if all(map(is_number, names[:-1])):
        return None
    names.pop(_label_column(names, len(names), target))
    return names


def columns_named(path: str | Path, header: list[str], names: list[str]) -> list[int]:
    """Where each of ``names`` stands in ``header``; other columns are left out."""
    for name in names:
        if header.count(name) != 1:
            raise DataError(
                str(path),
                f"have the model's columns {shown(names, 200)}, each once",
                f"{header.count(name) or 'none'} named {shown(name)}",
            )
    return [header.index(name) for name in names]


def read_points(path: str, width: int, names: list[str] | None = None) -> Array:
    """(n x width) points without labels; with ``names`` and a header the columns are found by name, others are left out."""
    file = Path(path)
    if file.suffix == ".npz":
        size_checked(file)
        return real_array("X", npz_arrays(file, "X")[0], 2, "(points, features)")
    rows = _rows(file)
    header = None if all(map(is_number, rows[0])) else rows.pop(0)
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


def _rows(file: Path) -> list[list[str]]:
    text = read_text(file, encoding="utf-8-sig")
    try:
        rows = [row for row in csv.reader(io.StringIO(text, newline="")) if row]
    except csv.Error as error:
        raise DataError(str(file), "be a CSV file", str(error)) from error
    if not rows:
        raise DataError(str(file), "have at least one row", "an empty file")
    return rows


def _csv(file: Path, target: str | None) -> tuple[Array, list[Any]]:
    rows = _rows(file)
    header = None if all(map(is_number, rows[0][:-1])) else rows.pop(0)
    width = len(header or rows[0])
    if not rows or width < 2:
        raise DataError(
            str(file),
            "have a feature and a label column and a data row",
            f"{len(rows)} rows, {width} columns",
        )
    column = _label_column(header, width, target)
    for number, row in enumerate(rows, 2 if header else 1):
        if len(row) != width:
            raise DataError(f"{file} line {number}", f"have {width} columns", str(len(row)))
        _check_numbers(file, number, [cell for k, cell in enumerate(row) if k != column])
    X = np.array([[float(cell) for k, cell in enumerate(row) if k != column] for row in rows])
    labels = [row[column].strip() for row in rows]
    return X, [int(v) for v in labels] if all(_is_integer(v) for v in labels) else labels


def _label_column(header: list[str] | None, width: int, target: str | None) -> int:
    if target is None:
        return width - 1
    if header is None or header.count(target) != 1:
        known = "(the file has no header)" if header is None else shown(header, 200)
        raise DataError("--target", f"be one of the header's columns {known}", shown(target))
    return header.index(target)


def _check_numbers(file: Path, line: int, cells: list[str]) -> None:
    for cell in cells:
        if not is_number(cell):
            raise DataError(
                f"{file} line {line}",
                "have numeric features",
                shown(cell),
                "encode categories as numbers first",
            )
        if not math.isfinite(float(cell)):
            raise DataError(
                f"{file} line {line}",
                "have finite features",
                shown(cell),
                "leave out or fill in what is missing",
            )


def _is_integer(cell: str) -> bool:
    return (
        re.fullmatch(r"[+-]?(0|[1-9][0-9]{0,17})", cell) is not None
    )  # 01 and 1 are two labels, so 01 is text
