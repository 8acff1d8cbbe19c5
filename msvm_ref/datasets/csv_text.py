"""Rows of a delimited text: the separator is found by trying, and a first row of names is told from a first row of numbers.

A separator fits when every row has the same number of cells, at least two; among those that fit the one with the most
numbers wins, then the order of SEPARATORS. "1,5;2,5;a" is therefore split at ";", and its decimal commas are refused by name.
"""

from __future__ import annotations

import csv
import math
import re
from dataclasses import dataclass

from msvm_ref.errors import DataError
from msvm_ref.foreign import is_number, shown

SEPARATORS = (",", ";", "\t", "|", " ")
DECIMAL_COMMA = re.compile(r"[+-]?\d+,\d+")


@dataclass(frozen=True)
class TextRows:
    """``cells`` without the header, and the line of ``source`` that each row stands in."""

    source: str
    header: tuple[str, ...] | None
    cells: list[list[str]]
    lines: list[int]

    @property
    def width(self) -> int:
        return len(self.header or self.cells[0])

    def numbers(self, columns: list[int]) -> list[list[float]]:
        """The features, or DataError with the line and the remedy."""
        return [
            [self._number(row[k], line) for k in columns]
            for row, line in zip(self.cells, self.lines, strict=True)
        ]

    def _number(self, cell: str, line: int) -> float:
        where = f"{self.source} line {line}"
        if not is_number(cell):
            remedy = "encode categories as numbers first"
            if DECIMAL_COMMA.fullmatch(cell.strip()):
                remedy = "write decimals with a point"
            elif not cell.strip():
                remedy = "leave out or fill in what is missing"
            raise DataError(where, "have numeric features", shown(cell), remedy)
        value = float(cell)
        if not math.isfinite(value):
            remedy = "leave out or fill in what is missing"
            raise DataError(where, "have finite features", shown(cell), remedy)
        return value


def parse_rows(text: str, source: str, labelled: bool) -> TextRows:
    """The rows of ``text``; with ``labelled`` the last column says nothing about whether there is a header."""
    lines = [k for k, line in enumerate(text.splitlines(), 1) if line.strip()]
    if not lines:
        raise DataError(source, "have at least one row", "an empty file")
    rows = _split(text, source)
    if not rows:
        raise DataError(source, "have at least one row", "empty cells only")
    width = len(rows[0])
    for number, row in enumerate(rows):
        if len(row) != width:
            line = lines[number] if len(lines) == len(rows) else number + 1
            raise DataError(f"{source} line {line}", f"have {width} columns", str(len(row)))
    if len(lines) != len(rows):  # a quoted cell runs over several lines: count rows instead
        lines = list(range(1, len(rows) + 1))
    header = _header(rows[0], source, labelled)
    return (
        TextRows(source, header, rows[1:], lines[1:])
        if header
        else TextRows(source, None, rows, lines)
    )


def _split(text: str, source: str) -> list[list[str]]:
    best: tuple[int, list[list[str]]] | None = None
    for separator in SEPARATORS:
        try:
            rows = _rows(text, separator)
        except csv.Error as error:
            raise DataError(source, "be a text table", str(error)) from error
        if not rows or len(rows[0]) < 2 or any(len(row) != len(rows[0]) for row in rows):
            continue
        numbers = sum(_counts(cell, separator) for row in rows for cell in row)
        if best is None or numbers > best[0]:
            best = numbers, rows
    if best is not None:
        return best[1]
    first = text.strip().splitlines()[0]
    return _rows(text, next((s for s in SEPARATORS if s in first.strip()), ","))


def _rows(text: str, separator: str) -> list[list[str]]:
    reader = csv.reader(
        text.splitlines(keepends=True),
        delimiter=separator,
        skipinitialspace=separator == " ",
        strict=True,
    )
    rows = [[cell.strip() for cell in row] for row in reader]
    if separator == " ":  # alignment is no empty cell
        rows = [[cell for cell in row if cell] for row in rows]
    return [row for row in rows if any(row)]


def _counts(cell: str, separator: str) -> bool:
    return is_number(cell) or (separator != "," and DECIMAL_COMMA.fullmatch(cell) is not None)


def _header(row: list[str], source: str, labelled: bool) -> tuple[str, ...] | None:
    """The first row where its features are names, None where they are numbers; half and half is refused."""
    features = row[:-1] if labelled else row
    numbers = [cell for cell in features if is_number(cell) or DECIMAL_COMMA.fullmatch(cell)]
    if len(numbers) == len(features):
        return None
    if numbers:
        other = next(cell for cell in features if cell not in numbers)
        raise DataError(
            f"{source} line 1",
            f"be names of columns or {'numbers and then a label' if labelled else 'numbers'}",
            f"{shown(other)} beside {shown(numbers[0])}",
            "put the label last, or add a row of names and pass --target"
            if labelled
            else "points have no label; add a row of names to choose columns by",
        )
    return tuple(row)
