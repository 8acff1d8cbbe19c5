"""A table from wherever it is: a bundled data set by name, ``-`` (standard input), an .npz (arrays X and y) or delimited text.

In a text the last column, or a named one, is the label. ``read_points`` reads new points instead: no label, and columns by
name where both sides have names.
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import numpy as np

from msvm_ref.datasets import NAMES, load
from msvm_ref.datasets.archive import npz_arrays
from msvm_ref.datasets.csv_text import parse_rows
from msvm_ref.errors import DataError
from msvm_ref.foreign import FILE_LIMIT, shown
from msvm_ref.model.arrays import Array, real_array

ZIP = b"PK\x03\x04"
STDIN = "-"


@dataclass(frozen=True, eq=False)
class Table:
    """Labels stay text unless every one of them is an integer; ``names`` are the features', None without a header."""

    title: str
    X: Array
    y: list[Any]
    names: list[str] | None = None


def read_table(source: str, target: str | None = None) -> Table:
    """The labelled table behind a bundled name, a path or ``-``."""
    if source in NAMES:
        _no_columns(source, target)
        data = load(source)
        return Table(source, np.array(data.X), data.y.tolist())
    title, content = _content(source)
    if content.startswith(ZIP):
        _no_columns(title, target)
        return Table(title, *_labelled_arrays(content, title))
    rows = parse_rows(_text(content, title), title, labelled=target is None)
    if not rows.cells or rows.width < 2:
        raise DataError(
            title,
            "have a feature and a label column and a data row",
            f"{len(rows.cells)} rows, {rows.width} columns",
        )
    column = rows.width - 1
    if target is not None:
        column = _column(target, rows.header)
    features = [k for k in range(rows.width) if k != column]
    X = np.array(rows.numbers(features))
    labels = [row[column] for row in rows.cells]
    for label, line in zip(labels, rows.lines, strict=True):
        if not label:
            raise DataError(
                f"{title} line {line}",
                "have a label",
                "an empty cell",
                "fill it in, or leave it out",
            )
    y = [int(v) for v in labels] if all(map(_is_integer, labels)) else labels
    return Table(title, X, y, None if rows.header is None else [rows.header[k] for k in features])


def read_points(source: str, width: int, names: list[str] | None = None) -> Array:
    """(n x width) points without labels; with ``names`` and a header the columns are found by name, others are left out."""
    if source in NAMES:
        return np.array(load(source).X)
    title, content = _content(source)
    if content.startswith(ZIP):
        return real_array("X", npz_arrays(content, title, "X")[0], 2, "(points, features)")
    rows = parse_rows(_text(content, title), title, labelled=False)
    columns = list(range(rows.width))
    if rows.header is not None and names is not None:
        columns = columns_named(title, list(rows.header), names)
    elif len(columns) != width:
        raise DataError(
            title,
            f"have {width} columns, the model's features",
            f"{len(columns)}",
            "leave the label out, or score a labelled file with --score",
        )
    return np.array(rows.numbers(columns)).reshape(len(rows.cells), len(columns))


def columns_named(title: str, header: list[str], names: list[str]) -> list[int]:
    """Where each of ``names`` stands in ``header``; other columns are left out."""
    for name in names:
        if header.count(name) != 1:
            raise DataError(
                title,
                f"have the model's columns {shown(names, 200)}, each once",
                f"{header.count(name) or 'none'} named {shown(name)}",
            )
    return [header.index(name) for name in names]


def _content(source: str) -> tuple[str, bytes]:
    if source == STDIN:
        return "standard input", _limited(sys.stdin.buffer, "standard input")
    path = Path(source)
    try:
        if path.is_dir():
            raise DataError("data", "be a file", f"the folder {shown(source)}", "name a file in it")
        if not path.exists():
            bundled = f"bundled are {', '.join(NAMES)}"
            raise DataError("data", "be a file that exists", shown(source, 200), bundled)
        with path.open("rb") as stream:
            return source, _limited(stream, source)
    except (OSError, ValueError) as error:  # no permission; a name too long, or with a NUL in it
        if isinstance(error, DataError):
            raise
        raise DataError("data", "be a file that can be read", shown(str(error), 200)) from error


def _limited(stream: IO[bytes], title: str) -> bytes:
    content = stream.read(FILE_LIMIT + 1)
    if len(content) > FILE_LIMIT:
        raise DataError(title, f"have at most {FILE_LIMIT} bytes", "more")
    return content


def _text(content: bytes, title: str) -> str:
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise DataError(
            title, "be UTF-8 text or an .npz archive", shown(str(error), 200)
        ) from error
    if "\0" in text:
        raise DataError(title, "be UTF-8 text or an .npz archive", "binary data")
    return text


def _no_columns(title: str, target: str | None) -> None:
    if target is not None:
        raise DataError("--target", "be given with a text table", f"{title}, which has no names")


def _column(target: str, header: tuple[str, ...] | None) -> int:
    if header is None or target not in header:
        columns = "(there is no header)" if header is None else shown(list(header), 200)
        raise DataError("--target", f"be one of the header's columns {columns}", shown(target))
    if header.count(target) > 1:
        raise DataError(
            "--target", "name one column", f"{header.count(target)} named {shown(target)}"
        )
    return header.index(target)


def _labelled_arrays(content: bytes, title: str) -> tuple[Array, list[Any]]:
    X, y = npz_arrays(content, title, "X", "y")
    X = real_array("X", X, 2, "(examples, features)")
    if y.shape != (len(X),):
        raise DataError(
            "y", f"have one label for each of the {len(X)} rows of X", f"shape {y.shape}"
        )
    labels = y.tolist()
    if any(label != label or label == "" for label in labels):
        raise DataError("y", "have a label for every row", "an empty one or NaN")
    return X, labels


def _is_integer(cell: str) -> bool:
    """01 and 1 are two labels, so 01 is text."""
    return re.fullmatch(r"[+-]?(0|[1-9][0-9]{0,17})", cell) is not None
