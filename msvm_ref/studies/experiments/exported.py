"""A study's numbers in a small file, for whoever has no store: ``results/NAME.json``, which tables, page and ledger read.

Numbers go one way: store -> entries -> results/NAME.json -> table, page, verdicts. An entry is one number of a table, value by
value, with all that is told of it. A file keeps the entries of each protocol apart: what is new replaces the entry of the same
row, protocol and column, and everything else stays. A table shows each row by one protocol, that of most columns, and of
equally many by the paper's.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from importlib.resources import files
from statistics import fmean
from typing import Any

from msvm_ref.errors import DataError
from msvm_ref.studies.experiments.plan import Choice
from msvm_ref.studies.experiments.registry import STUDIES
from msvm_ref.studies.experiments.study import Contender, Source, Study

DIGITS, TIED, UNTOLD = 6, 50.0, 1e-5
"""Of what is kept; percent of the test rows from which on ties make an accuracy (``TableEntry`` of a study's ``ties_in``), and
the gap above which certificates cannot tell: linear AMO was right on 46 and on 62 % of Segment, both within 1e-4."""
PROTOCOLS = ("paper", "quick")
"""The better one first."""


@dataclass(frozen=True)
class TableEntry:
    """One number of a table and what it rests on; None is not known."""

    row: str
    protocol: str
    column: str
    values: tuple[float | None, ...]
    """One a split or fold, one in all for a grid's seconds; None where w* = 0, or where nothing was trained."""
    gap: float
    """The widest certified relative gap behind the values."""
    train: int
    """Rows of the training part."""
    point: tuple[int, int] | None = None
    """The chosen exponents of gamma and C."""
    cells: int | None = None
    """All cells that were needed, those of the choice included; of these ..."""
    open_gaps: int | None = None
    """... so many ended above the tolerance, ..."""
    failures: int | None = None
    """... and so many have no numbers."""
    at_limit: bool | None = None
    """Did the grid end before its best point was inside?"""

    @property
    def place(self) -> tuple[str, str, str]:
        return self.row, self.protocol, self.column

    @property
    def numbers(self) -> list[float]:
        return [v for v in self.values if v is not None]


def joined(old: Iterable[TableEntry], new: Iterable[TableEntry]) -> list[TableEntry]:
    """The old entries, and the new ones in the places of those they replace. Entries of one row and protocol are paired split
    by split: another number of values or of training rows is refused.
    """
    made = {entry.place: entry for entry in (*old, *new)}
    samples: dict[tuple[str, str], tuple[int, int]] = {}
    for entry in made.values():
        mine = len(entry.values), entry.train
        row = samples.setdefault((entry.row, entry.protocol), mine)
        if mine != row:
            raise DataError(
                f"{entry.row}, {entry.column} ({entry.protocol})",
                f"have {row[0]} values of {row[1]} training rows as the rest of its row",
                f"{mine[0]} of {mine[1]}",
                "the protocol is not what it was: take the old row out of the file",
            )
    return list(made.values())


def chosen(study: Study, entries: Iterable[TableEntry]) -> list[TableEntry]:
    """One protocol a row, in the study's order."""
    rows: dict[str, dict[str, dict[str, TableEntry]]] = {}
    for e in entries:
        rows.setdefault(e.row, {}).setdefault(e.protocol, {})[e.column] = e
    told = []
    for source in study.sources:
        of = rows.get(source.label, {})
        best: dict[str, TableEntry] = max((of.get(p, {}) for p in PROTOCOLS), key=len)
        told += [best[c.label] for c in study.contenders if c.label in best]
    return told


@dataclass(frozen=True)
class Exported:
    """A table as it is shown: each row by one protocol."""

    entries: dict[tuple[str, str], TableEntry]
    """By (row, column)."""
    tied: frozenset[tuple[str, str]] = frozenset()
    """Those of them that are a solver's, and not the machine's own."""

    def rows(self, columns: Sequence[str]) -> list[str]:
        """Those that have all these columns, every value of them, and the machines' own."""
        named = dict.fromkeys(row for row, _ in self.entries)
        return [row for row in named if all(self._whole(row, c) for c in columns)]

    def _whole(self, row: str, column: str) -> bool:
        place = row, column
        there = place in self.entries and place not in self.tied
        return there and None not in self.entries[place].values

    def values(self, row: str, column: str) -> list[float]:
        return self.entries[row, column].numbers


def as_json(study: Study, entries: Iterable[TableEntry]) -> str:
    """In the study's order, a line an entry."""
    there = {entry.place: entry for entry in entries}
    blocks = []
    for source in study.sources:
        parts = []
        for protocol in PROTOCOLS:
            places = [(source.label, protocol, c.label) for c in study.contenders]
            lines = [f"    {json.dumps(p[2])}: {_told(there[p])}" for p in places if p in there]
            if lines:
                parts.append(f"   {json.dumps(protocol)}: {{\n" + ",\n".join(lines) + "\n   }")
        if parts:
            blocks.append(f"  {json.dumps(source.label)}: {{\n" + ",\n".join(parts) + "\n  }")
    head = f'{{\n "study": {json.dumps(study.kept_as)},\n "measure": {json.dumps(study.measure)},\n'
    return f'{head} "rows": {{\n' + ",\n".join(blocks) + "\n }\n}\n"


def _told(entry: TableEntry) -> str:
    facts = {k: v for k, v in asdict(entry).items() if k not in ("row", "protocol", "column")}
    facts["gap"] = None if math.isnan(entry.gap) else float(f"{entry.gap:.1e}")
    return json.dumps({k: v for k, v in facts.items() if v is not None or k == "gap"})


def parsed(study: Study, text: str) -> list[TableEntry]:
    """The entries of a file of this study; another's is refused."""
    try:
        data = json.loads(text)
        if (data["study"], data["measure"]) != (study.kept_as, study.measure):
            raise ValueError(f"those of {data['study']} ({data['measure']})")
        entries = [
            TableEntry(row, protocol, column, **_facts(cell))
            for row, protocols in data["rows"].items()
            for protocol, cells in protocols.items()
            for column, cell in cells.items()
        ]
        rows, columns = {s.label for s in study.sources}, {c.label for c in study.contenders}
        for (
            e
        ) in entries:  # what the study does not name would be lost when the file is written anew
            if e.row not in rows or e.protocol not in PROTOCOLS or e.column not in columns:
                raise ValueError(f"{e.row}, {e.protocol}, {e.column}, which it does not have")
        return entries
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise DataError(
            f"results of {study.name}", "be a file that study export wrote of it", str(error)
        ) from error


def _facts(cell: dict[str, Any]) -> dict[str, Any]:
    gap, point = cell["gap"], cell.get("point")
    made = {"values": tuple(cell["values"]), "gap": math.nan if gap is None else gap}
    return {**cell, **made, "point": None if point is None else tuple(point)}


def committed(study: Study) -> list[TableEntry]:
    """What comes along of the study; nothing where there is no file."""
    file = files("msvm_ref.studies.experiments").joinpath("results", f"{study.kept_as}.json")
    return parsed(study, file.read_text(encoding="utf-8")) if file.is_file() else []


@lru_cache
def _choices(name: str) -> dict[tuple[str, str, str], Choice]:
    entries = committed(STUDIES[name])
    return {e.place: Choice(e.point, bool(e.at_limit)) for e in entries if e.point is not None}


def choice(study: Study, source: Source, contender: Contender, protocol: str) -> Choice | None:
    """The one that was published of whoever chooses for this contender."""
    if study.chosen_in not in STUDIES:
        return None
    chooser = contender.chosen_as or contender
    return _choices(study.chosen_in).get((source.label, protocol, chooser.label))


@lru_cache
def _tied(name: str) -> frozenset[tuple[str, str, str]]:
    entries = committed(STUDIES[name])
    return frozenset(e.place for e in entries if e.numbers and (_ties(e) or _untold(e)))


def _ties(entry: TableEntry) -> bool:
    return fmean(entry.numbers) >= TIED


def _untold(entry: TableEntry) -> bool:
    """Did no fit come near enough?"""
    return entry.gap > UNTOLD and entry.open_gaps == entry.cells


def is_tied(study: Study, entry: TableEntry) -> bool:
    """Has the machine's optimum, as far as is known, no first class on so many test rows that the number is not its own?"""
    return study.ties_in in STUDIES and entry.place in _tied(study.ties_in)


@lru_cache
def published(name: str) -> Exported:
    """The table of the study of that name, as it comes along."""
    study = STUDIES[name]
    shown = {(e.row, e.column): e for e in chosen(study, committed(study))}
    return Exported(shown, frozenset(p for p, e in shown.items() if is_tied(study, e)))
