"""Statements about all data sets at once (who is best most often), decided by the bootstrap.

The data sets are drawn again, with replacement; the statement HOLDS where it is true in 95 % of the draws, FAILS where in 5 %
at most, and is NOT SHOWN by fewer than five data sets.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from msvm_ref.studies.experiments.exported import Exported
from msvm_ref.studies.experiments.result import LEVEL
from msvm_ref.studies.experiments.statistics import signed_rank_p
from msvm_ref.studies.interval import SURE
from msvm_ref.studies.papers.claim import Evidence
from msvm_ref.studies.papers.findings import NINE, Contrast, decided, sets_of

DRAWS, FEWEST = 2000, 5
Scores = NDArray[np.float64]
"""A row for each data set, a column for each of the nine machines."""


def bootstrapped(
    form: Contrast,
    score: Callable[[Exported, str], list[float]],
    number: Callable[[Scores], float],
    least: float,
    words: str,
) -> Evidence:
    """In how many draws of the data sets is the number at least so much?"""
    table, _ = form.sources()
    rows = table.rows(NINE)
    sets = sets_of(table, rows, NINE)
    if len(rows) < FEWEST:
        return Evidence(None, f"only {sets}" if rows else sets, {"data sets": len(rows)})
    scores = np.array([score(table, row) for row in rows])
    draws = np.random.default_rng(0).integers(0, len(rows), (DRAWS, len(rows)))
    drawn = np.array([number(scores[draw]) for draw in draws])
    share = float(np.mean(drawn >= least))
    holds = True if share >= SURE else False if share <= 1 - SURE else None
    low, high = np.quantile(drawn, ((1 - SURE) / 2, (1 + SURE) / 2))
    said = f"{words} {number(scores):.2f} [{low:.2f}, {high:.2f}]"
    shown = f"{said}; at least {least:g} in {100 * share:.0f} % of the draws of {sets}"
    totals = dict(zip(NINE, scores.sum(axis=0), strict=True))
    return decided(replace(form, more=NINE), holds, shown, {"share": share, **totals})


def means(table: Exported, row: str) -> list[float]:
    return [float(np.mean(table.values(row, c))) for c in NINE]


def _best(table: Exported, row: str) -> list[float]:
    """1 for the best machine of the row and those not significantly worse."""
    best = table.values(row, NINE[int(np.argmax(means(table, row)))])
    return [float(signed_rank_p(best, table.values(row, c)) > LEVEL) for c in NINE]


def _counted(form: Contrast, columns: tuple[str, ...], sign: int, words: str) -> Evidence:
    """The count of those columns that is nearest the others', beyond the nearest of those."""
    mine = np.isin(NINE, columns)

    def lead(scores: Scores) -> float:
        count = sign * scores.sum(axis=0)
        return float(count[mine].min() - count[~mine].max())

    told = _counts(form)
    return bootstrapped(form, _best, lead, 0.0, f"{told}; {words}" if told else words)


def _counts(form: Contrast) -> str:
    table, _ = form.sources()
    scores = [_best(table, row) for row in table.rows(NINE)]
    counts = dict(zip(NINE, map(sum, zip(*scores, strict=True)), strict=True)) if scores else {}
    return ", ".join(f"{c} {v:g}" for c, v in sorted(counts.items(), key=lambda x: -x[1]))


def most_often(form: Contrast) -> Evidence:
    """Are the columns ``more`` best or not significantly worse at least as often as every other?"""
    return _counted(form, form.more, 1, "ahead by")


def least_often(form: Contrast) -> Evidence:
    """Are the columns ``less`` so at most as often as every other?"""
    return _counted(form, form.less, -1, "behind by")


def problem_over_machine(form: Contrast) -> Evidence:
    """Is the spread between data sets (of their means) larger than that between machines (within a data set)?"""

    def ratio(scores: Scores) -> float:
        between, within = scores.mean(axis=1).std(), np.sqrt(scores.var(axis=1).mean())
        return float(between / max(within, 1e-12))

    words = "spread between problems over that between machines:"
    return bootstrapped(form, means, ratio, 1.0, words)
