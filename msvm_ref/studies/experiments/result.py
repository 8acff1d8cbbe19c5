"""A table's cells: ours beside the paper's, with what each rests on."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from msvm_ref.studies.experiments.cell import CellRecord
from msvm_ref.studies.experiments.engine import read
from msvm_ref.studies.experiments.exported import (
    DIGITS,
    PROTOCOLS,
    TableEntry,
    chosen,
    committed,
    is_tied,
    joined,
)
from msvm_ref.studies.experiments.plan import Ending
from msvm_ref.studies.experiments.statistics import (
    difference_in_deviations,
    mean_and_deviation,
    signed_rank_p,
)
from msvm_ref.studies.experiments.store import Store
from msvm_ref.studies.experiments.study import Measure, Printed, Study

LEVEL = 0.01
"""Of the test against the best."""
AGREES, NEAR = 0.5, 1.0
"""Difference in standard deviations up to which two numbers agree, or are near each other."""


@dataclass(frozen=True)
class Result:
    """One cell of the table."""

    entry: TableEntry
    mean: float
    deviation: float
    p: float
    """Of the signed-rank test against the row's best; 1 for the best itself, NaN where there is nothing to test."""
    printed: Printed | None
    difference: float | None
    """Ours less the paper's in standard deviations."""
    whole: bool
    """Was it trained on as many rows as theirs?"""
    tied: bool
    """Is it what a solver made of ties, and no accuracy of the machine?"""

    @property
    def place(self) -> tuple[str, str]:
        return self.entry.row, self.entry.column

    @property
    def among_the_best(self) -> bool:
        return self.p > LEVEL

    @property
    def agreement(self) -> str:
        """With the printed number; what was trained on fewer rows than theirs, or is tied, is not compared."""
        if self.difference is None:
            return "not printed"
        if not self.whole or self.tied:
            return "not compared"
        size = abs(self.difference)
        return "agrees" if size <= AGREES else "near" if size <= NEAR else "differs"

    def to_dict(self) -> dict[str, Any]:
        e, printed = self.entry, self.printed
        return {
            "data": e.row,
            "machine": e.column,
            "protocol": e.protocol,
            "mean": self.mean,
            "deviation": self.deviation,
            "among_the_best": self.among_the_best,
            "p": self.p,
            "printed": None if printed is None else printed.value,
            "printed_deviation": None if printed is None else printed.deviation,
            "printed_bold": None if printed is None else printed.bold,
            "difference": self.difference,
            "agreement": self.agreement,
            "gamma_exponent": None if e.point is None else e.point[0],
            "C_exponent": None if e.point is None else e.point[1],
            "worst_gap": e.gap,
            "training_rows": e.train,
            "cells": e.cells,
            "open_gaps": e.open_gaps,
            "failures": e.failures,
            "at_limit": e.at_limit,
            "tied": self.tied,
        }


def known(study: Study, store: Store | None = None) -> list[Result]:
    """What comes along of the study, and over it what the store has."""
    old = committed(study)
    return results(study, old if store is None else joined(old, stored(study, store)))


def stored(study: Study, store: Store) -> list[TableEntry]:
    """Of every protocol, all of which the store has every cell; but no row that only has what others are to be held against."""
    made = [entry(study, e) for name in PROTOCOLS for e in read(study, store, name)]
    held = {c.label for c in study.contenders if c.chosen_as is not None}
    rows = {(e.row, e.protocol) for e in made if not held or e.column in held}
    return [e for e in made if (e.row, e.protocol) in rows]


def entry(study: Study, ending: Ending) -> TableEntry:
    told = [r for r in ending.records if not r.error]
    return TableEntry(
        ending.source.label,
        ending.protocol.name,
        ending.contender.label,
        tuple(None if v is None else float(f"{v:.{DIGITS}g}") for v in measured(study, ending)),
        max((r.gap for r in told), default=math.nan),
        min(ending.source.train, ending.protocol.train_at_most),
        ending.point,
        ending.cells,
        ending.open_gaps,
        ending.failures,
        ending.at_limit,
    )


def results(study: Study, entries: Sequence[TableEntry]) -> list[Result]:
    """Each entry's number, and its standing in its row."""
    shown = chosen(study, entries)
    return [_result(study, e, [o for o in shown if o.row == e.row]) for e in shown]


def _known(study: Study, entry: TableEntry) -> list[float]:
    """What the number is the mean of: nothing where a cell failed, which says nothing of the splits it is compared on."""
    whole = study.measure == "agreement" or None not in entry.values
    return entry.numbers if whole else []


def _result(study: Study, mine: TableEntry, row: Sequence[TableEntry]) -> Result:
    mean, deviation = mean_and_deviation(_known(study, mine))
    p = math.nan
    tied = is_tied(study, mine)
    tested = study.measure in ("accuracy", "error") and len(mine.values) > 1 and not tied
    if tested and not math.isnan(mean):
        sign = 1 if study.measure == "accuracy" else -1
        rivals = [e for e in row if _known(study, e) and not is_tied(study, e)]
        best = max(rivals, key=lambda e: sign * mean_and_deviation(e.numbers)[0])
        scores = [[sign * v for v in e.numbers] for e in (best, mine)]
        p = 1.0 if best is mine else signed_rank_p(*scores)
    printed = study.printed.get((mine.row, mine.column))
    difference = (
        None
        if printed is None or math.isnan(mean)
        else difference_in_deviations((mean, deviation), (printed.value, printed.deviation))
    )
    theirs = next(s.train for s in study.sources if s.label == mine.row)
    return Result(mine, mean, deviation, p, printed, difference, mine.train >= theirs, tied)


def _points(study: Study, ending: Ending) -> tuple[float | None, ...]:
    """A number for each point of the grid: the seconds of its folds together, or the percent right of them."""
    made: list[float | None] = []
    for k in range(0, len(ending.records), ending.protocol.folds):
        folds = ending.records[k : k + ending.protocol.folds]
        seconds = math.fsum(r.seconds for r in folds)
        rate = 100 * math.fsum(r.accuracy for r in folds) / len(folds)
        told = seconds if study.measure == "seconds" else rate
        made.append(None if any(r.error for r in folds) else told)
    return tuple(made)


def measured(study: Study, ending: Ending) -> tuple[float | None, ...]:
    """The study's measure of each record: percent right, wrong or supporting, seconds, and so on; None of a failed cell."""
    if study.report == "grid-time":
        failed = any(r.error for r in ending.records)
        return (None if failed else math.fsum(r.seconds for r in ending.records),)
    if study.report == "grid-points":
        return _points(study, ending)
    of_each: dict[Measure, Callable[[CellRecord], float | None]] = {
        "accuracy": lambda r: 100 * r.right / r.tested,
        "error": lambda r: 100 - 100 * r.right / r.tested,
        "seconds": lambda r: r.seconds,
        "iterations": lambda r: r.iterations,
        "agreement": lambda r: r.value,
        "count": lambda r: r.value,
        "support-count": lambda r: r.support,
        "support": lambda r: 100 * r.support / r.n,
        "share": lambda r: r.value,
        "tied": lambda r: r.value,
        "per-support": lambda r: 1e6 * r.seconds / r.support,
    }
    return tuple(None if r.error else of_each[study.measure](r) for r in ending.records)
