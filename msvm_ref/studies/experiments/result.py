"""A table's cells: ours beside the paper's, with what each rests on."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from msvm_ref.studies.experiments.engine import read
from msvm_ref.studies.experiments.plan import Ending
from msvm_ref.studies.experiments.statistics import (
    difference_in_deviations,
    mean_and_deviation,
    signed_rank_p,
)
from msvm_ref.studies.experiments.store import Store
from msvm_ref.studies.experiments.study import Printed, Study

LEVEL = 0.01
"""Of the test against the best."""
AGREES, NEAR = 0.5, 1.0
"""Difference in standard deviations up to which two numbers agree, or are near each other."""


@dataclass(frozen=True)
class Result:
    """One cell of the table."""

    outcome: Ending
    values: tuple[float, ...]
    """One number per split or fold; one in all for a grid's time."""
    mean: float
    deviation: float
    p: float
    """Of the signed-rank test against the row's best; 1 for the best itself, NaN where there is nothing to test."""
    printed: Printed | None
    difference: float | None
    """Ours less the paper's in standard deviations."""

    @property
    def among_the_best(self) -> bool:
        return self.p > LEVEL

    @property
    def agreement(self) -> str:
        """With the printed number; a machine trained on fewer rows than theirs is not compared."""
        if self.difference is None:
            return "not printed"
        if self.outcome.protocol.train_at_most < self.outcome.source.train:
            return "not compared"
        size = abs(self.difference)
        return "agrees" if size <= AGREES else "near" if size <= NEAR else "differs"

    @property
    def worst_gap(self) -> float:
        return max((r.gap for r in self.outcome.records if not r.error), default=math.nan)

    def to_dict(self) -> dict[str, Any]:
        outcome = self.outcome
        return {
            "data": outcome.source.label,
            "machine": outcome.contender.label,
            "protocol": outcome.protocol.name,
            "mean": self.mean,
            "deviation": self.deviation,
            "among_the_best": self.among_the_best,
            "p": self.p,
            "printed": None if self.printed is None else self.printed.value,
            "printed_deviation": None if self.printed is None else self.printed.deviation,
            "printed_bold": None if self.printed is None else self.printed.bold,
            "difference": self.difference,
            "agreement": self.agreement,
            "gamma_exponent": outcome.point[0],
            "C_exponent": outcome.point[1],
            "worst_gap": self.worst_gap,
            "cells": outcome.cells,
            "open_gaps": outcome.open_gaps,
            "failures": outcome.failures,
            "at_limit": outcome.at_limit,
        }


def stored(
    study: Study,
    store: Store,
    protocols: Sequence[str] = ("paper", "quick"),
    sources: Any = None,
    contenders: Any = None,
) -> list[Result]:
    """What the store has of the study; where a data set is there by several protocols, by that of most columns, or by the
    first named.
    """
    by_row: dict[str, list[list[Ending]]] = {}
    for protocol in protocols:
        rows: dict[str, list[Ending]] = {}
        for outcome in read(study, store, protocol, sources, contenders):
            rows.setdefault(outcome.source.label, []).append(outcome)
        for row, outcomes in rows.items():
            by_row.setdefault(row, []).append(outcomes)
    chosen = {
        (row, outcome.contender.label): outcome
        for row, choices in by_row.items()
        for outcome in max(choices, key=len)
    }
    order = [(s.label, c.label) for s in study.sources for c in study.contenders]
    return results(study, [chosen[place] for place in order if place in chosen])


def results(study: Study, outcomes: Sequence[Ending]) -> list[Result]:
    """Each outcome's number, and its standing in its row (among those of the same protocol)."""
    made = []
    for outcome in outcomes:
        rivals = [
            o for o in outcomes if (o.source, o.protocol) == (outcome.source, outcome.protocol)
        ]
        made.append(_result(study, outcome, rivals))
    return made


def _result(study: Study, outcome: Ending, rivals: Sequence[Ending]) -> Result:
    values = measured(study, outcome)
    mean, deviation = mean_and_deviation(values)
    p = math.nan
    if study.measure in ("accuracy", "error") and len(values) > 1:
        sign = 1 if study.measure == "accuracy" else -1
        best = max(rivals, key=lambda o: sign * mean_and_deviation(measured(study, o))[0])
        scores = [sign * v for v in values]
        p = signed_rank_p([sign * v for v in measured(study, best)], scores)
        p = 1.0 if best is outcome else p
    printed = study.printed.get((outcome.source.label, outcome.contender.label))
    difference = (
        None
        if printed is None
        else difference_in_deviations((mean, deviation), (printed.value, printed.deviation))
    )
    return Result(outcome, values, mean, deviation, p, printed, difference)


def measured(study: Study, outcome: Ending) -> tuple[float, ...]:
    """The study's measure of each record: percent right, wrong or supporting, seconds, and so on.

    A failed cell is 0 percent right; agreement with Bayes is over the samples on which w* is not 0.
    """
    records = outcome.records
    if study.report == "grid-time":
        return (math.fsum(r.seconds for r in records if not r.error),)
    if study.measure == "seconds":
        return tuple(r.seconds for r in records if not r.error) or (math.nan,)
    if study.measure == "iterations":
        return tuple(float(r.iterations) for r in records if not r.error) or (math.nan,)
    if study.measure in ("agreement", "count"):
        told = tuple(r.value for r in records if not r.error and r.value is not None)
        return told or (math.nan,)
    if study.measure == "support-count":
        return tuple(float(r.support) for r in records if not r.error) or (math.nan,)
    if study.measure == "support":
        return tuple(100 * r.support / r.n for r in records if not r.error) or (math.nan,)
    right = tuple(0.0 if r.error else 100 * r.right / r.tested for r in records)
    return right if study.measure == "accuracy" else tuple(100 - value for value in right)
