"""A study's numbers in a small file: what the store has, one value a split, for whoever has no store.

``msvm-ref study export`` writes ``results/NAME.json`` from a store; the ledger's claims about experiments read these files,
so that a verdict is computed again in seconds and no number is typed.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any

from msvm_ref.studies.experiments.result import Result
from msvm_ref.studies.experiments.study import Study

DIGITS = 6
Values = tuple[float | None, ...]


@dataclass(frozen=True)
class Exported:
    """A study's table, value by value."""

    study: str
    cells: dict[tuple[str, str], Values]
    """(row, column) -> one value a split or fold; None where w* = 0."""
    protocols: dict[tuple[str, str], str]
    gaps: dict[tuple[str, str], float]
    """The widest certified relative gap behind a cell's values."""

    def rows(self, columns: Sequence[str]) -> list[str]:
        """Those that have all these columns by one protocol."""
        named = dict.fromkeys(row for row, _ in self.cells)
        return [
            row
            for row in named
            if all((row, c) in self.cells for c in columns)
            and len({self.protocols[row, c] for c in columns}) == 1
        ]

    def values(self, row: str, column: str) -> list[float]:
        return [v for v in self.cells[row, column] if v is not None]


def as_json(study: Study, results: Sequence[Result]) -> str:
    rows: dict[str, dict[str, Any]] = {}
    for r in results:
        records = r.outcome.records
        told: Sequence[float | None] = r.values
        if study.measure == "agreement":
            told = [record.value for record in records]
        rows.setdefault(r.outcome.source.label, {})[r.outcome.contender.label] = {
            "protocol": r.outcome.protocol.name,
            "gap": float(f"{r.worst_gap:.1e}"),
            "values": [None if v is None else float(f"{v:.{DIGITS}g}") for v in told],
        }
    lines = [
        f"  {json.dumps(row)}: {{\n"
        + ",\n".join(f"   {json.dumps(c)}: {json.dumps(cell)}" for c, cell in cells.items())
        + "\n  }"
        for row, cells in rows.items()
    ]
    head = f'{{\n "study": {json.dumps(study.name)},\n "measure": {json.dumps(study.measure)},\n'
    return f'{head} "rows": {{\n' + ",\n".join(lines) + "\n }\n}\n"


def parsed(text: str) -> Exported:
    data = json.loads(text)
    places = {
        (row, column): cell for row, cells in data["rows"].items() for column, cell in cells.items()
    }
    return Exported(
        data["study"],
        {place: tuple(cell["values"]) for place, cell in places.items()},
        {place: cell["protocol"] for place, cell in places.items()},
        {place: cell["gap"] for place, cell in places.items()},
    )


@lru_cache
def committed(name: str) -> Exported:
    """What comes along of the study of that name; empty where nothing does."""
    file = files("msvm_ref.studies.experiments").joinpath("results", f"{name}.json")
    if not file.is_file():
        return Exported(name, {}, {}, {})
    return parsed(file.read_text(encoding="utf-8"))
