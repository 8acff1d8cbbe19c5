"""Tables for a terminal: columns as wide as their cells, lines as wide as the screen at most."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Sequence

NARROWEST = 80
COLOURS = {"FAILS": "31", "UNDECIDED": "33", "ok": "32"}


def screen() -> int:
    """Columns of the terminal, at least 80; 80 in a pipe."""
    if not sys.stdout.isatty():
        return NARROWEST
    return max(shutil.get_terminal_size().columns, NARROWEST)


def cut(text: str, width: int) -> str:
    """``text`` in ``width`` columns, with … for what is left out."""
    return text if len(text) <= width else text[: max(width - 1, 0)].rstrip() + "…"


def lines_of(rows: Sequence[Sequence[str]], width: int | None = None) -> list[str]:
    """Rows with aligned columns; where ``width`` is given the last column is cut to it."""
    widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
    lines = []
    for row in rows:
        line = "  ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)).rstrip()
        lines.append(line if width is None else cut(line, width))
    return lines


def folded(text: str, width: int) -> str:
    """Longer lines go on in the next one, broken between columns (two spaces) if there are any, else between words."""
    return "\n".join(part for line in text.splitlines() for part in _folded(line, width))


def _folded(line: str, width: int) -> list[str]:
    indent = " " * min(len(line) - len(line.lstrip()) + 2, width // 2)
    parts = []
    while len(line) > width:
        start = len(line) - len(line.lstrip())
        place = max(
            line.rfind("  ", start, width + 2), line.rfind(" ", start + width // 2, width + 1)
        )
        if place <= start:
            break
        parts.append(line[:place].rstrip())
        line = indent + line[place:].lstrip()
    return [*parts, line]


def coloured(word: str) -> str:
    """A verdict in its colour, on a terminal whose owner has not set NO_COLOR."""
    if sys.stdout.isatty() and word in COLOURS and "NO_COLOR" not in os.environ:
        return f"\x1b[{COLOURS[word]}m{word}\x1b[0m"
    return word
