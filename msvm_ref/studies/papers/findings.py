"""What a paper says of its experiments, decided on a stated sample: the committed results of a study (``exported``).

A statement that something is larger is decided by an interval at 95 % of a difference, one number for each data set, or for
each split of one data set:

    HOLDS  the interval lies above the margin      FAILS  it lies below      NOT SHOWN  else, or fewer than four data sets

Nothing FAILS on rows that were thinned out below the paper's number of training examples: that is NOT SHOWN.

A statement that something is so somewhere asks for one such interval among several, each at 1 - 5 % / their number.
A statement about all data sets at once (who is best most often) is decided by the bootstrap: the data sets are drawn
again, with replacement, and the statement HOLDS where it is true in 95 % of the draws, FAILS where in 5 % at most.
Splits of one data set share its rows: their interval is about this data set, and too narrow for another sample of it.
Seconds are of our solver at a certified gap, not of theirs.

A form with a ``tilt`` is sabotage: invented numbers about 50 for all, the first group's raised (or lowered) by it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from scipy.stats import t as student

from msvm_ref.studies.experiments.exported import Exported, TableEntry, published
from msvm_ref.studies.experiments.registry import STUDIES
from msvm_ref.studies.experiments.result import LEVEL
from msvm_ref.studies.experiments.statistics import signed_rank_p
from msvm_ref.studies.papers.claim import Claim, Evidence
from msvm_ref.studies.papers.ledger import expected

DRAWS, SURE, FEWEST = 2000, 0.95, 5
"""Of the bootstrap: how many, how often is surely, and the fewest data sets it is asked about."""
FEW = 4
"""Data sets below which no interval over data sets decides; FH have four in all, and HL four large ones."""
NINE = ("OVA", "MMR", "WW", "CS", "LLW", "AMO", "ATS", "ATM", "RM")
ABSOLUTE = ("LLW", "AMO", "ATS", "ATM", "RM")


@dataclass(frozen=True)
class Contrast:
    """What is compared: the mean (or the least, or the largest) of one group of columns with that of another."""

    study: str
    more: tuple[str, ...]
    """Columns that are said to have more, or to be best."""
    less: tuple[str, ...] = ()
    """Columns that are said to have less."""
    row: str = ""
    """One data set, split by split; '' for all data sets, each by its mean."""
    only: tuple[str, ...] = ()
    """The data sets the statement is about; () for all of them."""
    margin: float = 0.0
    logarithm: bool = False
    """Are logarithms to base 10 compared?"""
    of_more: Literal["mean", "min"] = "mean"
    of_less: Literal["mean", "max"] = "mean"
    other_study: str = ""
    """Where the columns ``less`` are read, if not in the same study."""
    tilt: float | None = None

    @property
    def columns(self) -> tuple[str, ...]:
        return (*self.more, *self.less)

    def sources(self) -> tuple[Exported, Exported]:
        if self.tilt is None:
            mine = published(self.study)
            return mine, published(self.other_study) if self.other_study else mine
        other = replace(self, more=(), tilt=0.0) if self.other_study else self
        return invented(self), invented(other)


def invented(form: Contrast) -> Exported:
    """Ten splits of eight data sets (or of the one that is meant), the columns ``more`` raised by ``tilt``."""
    random = np.random.default_rng(1)
    rows = (form.row,) if form.row else form.only or tuple("ABCDEFGH")
    entries = {}
    for row in rows:
        for column in dict.fromkeys((*form.columns, *NINE)):
            raised = (form.tilt or 0.0) * (column in form.more)
            numbers = 50 + raised + random.normal(size=10)
            values = tuple(10 ** (numbers / 10) if form.logarithm else numbers)
            entries[row, column] = TableEntry(row, "quick", column, values, 0.0, len(values))
    return Exported(entries)


@dataclass(frozen=True)
class Interval:
    """A mean and its Student interval; NaN below two numbers."""

    mean: float
    low: float
    high: float
    count: int

    def __str__(self) -> str:
        return f"{self.mean:+.2f} [{self.low:+.2f}, {self.high:+.2f}]"


def interval(numbers: Sequence[float], level: float = SURE) -> Interval:
    m = len(numbers)
    if m < 2:
        return Interval(math.nan, math.nan, math.nan, m)
    mean = float(np.mean(numbers))
    half = (
        float(student.ppf((1 + level) / 2, m - 1)) * float(np.std(numbers, ddof=1)) / math.sqrt(m)
    )
    return Interval(mean, mean - half, mean + half, m)


def differences(form: Contrast) -> tuple[list[float], str]:
    """The differences, and what each of them is of."""
    mine, other = form.sources()
    columns = form.more if form.other_study else form.columns
    rows = [row for row in mine.rows(columns) if not form.only or row in form.only]
    if form.other_study:
        rows = [row for row in rows if row in other.rows(form.less)]
        rows = [
            r
            for r in rows
            if protocols_of(mine, [r], form.more) == protocols_of(other, [r], form.less)
        ]
    raised = np.min if form.of_more == "min" else np.mean
    reduced = np.max if form.of_less == "max" else np.mean
    if form.row:
        if form.row not in rows:
            return [], f"{form.row} is not among the results that come along"
        more = np.array([_scaled(form, mine.values(form.row, c)) for c in form.more])
        less = np.array([_scaled(form, other.values(form.row, c)) for c in form.less])
        told = f"{more.shape[1]} splits of {form.row} ({mine.entries[form.row, form.more[0]].protocol})"
        return list(raised(more, axis=0) - reduced(less, axis=0)), told
    numbers = [
        float(
            raised([np.mean(_scaled(form, mine.values(row, c))) for c in form.more])
            - reduced([np.mean(_scaled(form, other.values(row, c))) for c in form.less])
        )
        for row in rows
    ]
    if not rows:
        return [], "no data set has all of it among the results that come along"
    sets = "data set" if len(rows) == 1 else "data sets"
    return numbers, f"{len(rows)} {sets} ({protocols_of(mine, rows, form.more)})"


def _scaled(form: Contrast, values: Sequence[float]) -> list[float]:
    return [math.log10(max(v, 1e-9)) for v in values] if form.logarithm else list(values)


def protocols_of(table: Exported, rows: Sequence[str], columns: Sequence[str]) -> str:
    """How many of the rows are by which protocol."""
    named = [table.entries[row, columns[0]].protocol for row in rows]
    return ", ".join(f"{named.count(p)} {p}" for p in dict.fromkeys(named)) or "none"


def larger(form: Contrast) -> Evidence:
    """Is the interval of the difference above the margin?"""
    numbers, told = differences(form)
    found = interval(numbers)
    unit = " decades" if form.logarithm else ""
    words = f"{_compared(form)}: {found}{unit} over {told}"
    if found.count < _fewest(form):
        return Evidence(None, _too_few(found, told, words), {"numbers": found.count})
    holds = True if found.low > form.margin else False if found.high < form.margin else None
    return decided(form, holds, words, vars(found))


def decided(form: Contrast, holds: bool | None, shown: str, numbers: Mapping[str, Any]) -> Evidence:
    """The verdict, but no FAILS on thinned rows."""
    rows = thinned(form) if holds is False else []
    if rows:
        shown = f"{shown}; against it, but on fewer training rows than theirs ({', '.join(rows)})"
    return Evidence(None if rows else holds, shown, numbers)


def thinned(form: Contrast) -> list[str]:
    """The data sets the statement is about whose rows have fewer training examples than the paper's."""
    if form.tilt is not None:
        return []
    study = STUDIES.get(form.study)
    theirs = {s.label: s.train for s in study.sources} if study else {}
    named = (form.row,) if form.row else form.only or tuple(theirs)
    entries = form.sources()[0].entries.values()
    fewer = [
        e.row
        for e in entries
        if e.row in named and e.column in form.columns and e.train < theirs.get(e.row, 0)
    ]
    return list(dict.fromkeys(fewer))


def within(form: Contrast) -> Evidence:
    """Does the interval of the difference lie within plus and minus the margin (HOLDS), or beyond 0 by more (FAILS)?"""
    told = _within(form)
    return decided(form, told.holds, told.shown, told.numbers)


def _within(form: Contrast) -> Evidence:
    numbers, told = differences(form)
    found = interval(numbers)
    words = f"{_compared(form)}: {found} over {told}, ±{form.margin:g} allowed"
    if found.count < _fewest(form):
        return Evidence(None, _too_few(found, told, words), {"numbers": found.count})
    inside = -form.margin < found.low and found.high < form.margin
    apart = found.low > form.margin or found.high < -form.margin
    return Evidence(True if inside else False if apart else None, words, vars(found))


def apart(form: Contrast) -> Evidence:
    """The contrary of ``within``: beyond the margin on either side HOLDS."""
    told = _within(form)
    return decided(form, None if told.holds is None else not told.holds, told.shown, told.numbers)


def all_within(form: Contrast) -> Evidence:
    """Is each of the columns ``more`` within the margin of the mean of the others?"""
    each = {
        c: within(replace(form, more=(c,), less=tuple(o for o in form.more if o != c)))
        for c in form.more
    }
    answers = {e.holds for e in each.values()}
    holds = False if False in answers else None if None in answers else True
    told = "; ".join(dict.fromkeys(e.shown for e in each.values()))
    return Evidence(holds, told, {c: e.numbers for c, e in each.items()})


def somewhere(form: Contrast) -> Evidence:
    """Is it larger on one of the data sets, split by split, or (of one data set) than one of the columns ``less``?"""
    if form.row:
        cases = {c: replace(form, less=(c,)) for c in form.less}
    else:
        cases = {row: replace(form, row=row) for row in form.sources()[0].rows(form.columns)}
    found, protocols = {}, {}
    for name, case in cases.items():
        numbers, protocols[name] = differences(case)
        found[name] = interval(numbers, 1 - (1 - SURE) / len(cases))
    known = [i for i in found.values() if i.count > 1]
    if not known:
        return Evidence(None, "none of it is among the results that come along")
    some = any(i.low > form.margin for i in known)
    none = len(known) == len(cases) and all(i.high < form.margin for i in known)
    told = "; ".join(f"{name} {i} over {protocols[name]}" for name, i in found.items())
    return decided(
        form,
        True if some else False if none else None,
        f"{_compared(form)}: {told}",
        {name: vars(i) for name, i in found.items()},
    )


def bootstrapped(form: Contrast, statement: Callable[[list[dict[str, float]]], bool]) -> Evidence:
    """In how many draws of the data sets is the statement true? It is told of each set the mean of each machine's score."""
    table, _ = form.sources()
    rows = table.rows(NINE)
    scores = [_scores(table, row, form) for row in rows]
    told = f"{len(rows)} data sets ({protocols_of(table, rows, NINE)})"
    if len(rows) < FEWEST:
        return Evidence(None, f"only {told}", {"data sets": len(rows)})
    random = np.random.default_rng(0)
    draws = random.integers(0, len(rows), (DRAWS, len(rows)))
    share = float(np.mean([statement([scores[k] for k in draw]) for draw in draws]))
    totals = {c: round(sum(s[c] for s in scores), 3) for c in NINE}
    ranked = ", ".join(f"{c} {v:g}" for c, v in sorted(totals.items(), key=lambda x: -x[1]))
    holds = True if share >= SURE else False if share <= 1 - SURE else None
    return decided(
        replace(form, more=NINE),
        holds,
        f"true in {100 * share:.0f} % of the draws of {told}; in all {ranked}",
        totals,
    )


def _scores(table: Exported, row: str, form: Contrast) -> dict[str, float]:
    """1 for the best machine of the row and those not significantly worse."""
    means = {c: float(np.mean(table.values(row, c))) for c in NINE}
    best = table.values(row, max(NINE, key=lambda c: means[c]))
    return {c: float(signed_rank_p(best, table.values(row, c)) > LEVEL) for c in NINE}


def most_often(form: Contrast) -> Evidence:
    """Are the columns ``more`` best or not significantly worse at least as often as every other?"""

    def statement(scores: list[dict[str, float]]) -> bool:
        count = {c: sum(s[c] for s in scores) for c in NINE}
        least = min(count[c] for c in form.more)
        return all(count[c] <= least for c in NINE if c not in form.more)

    return bootstrapped(form, statement)


def least_often(form: Contrast) -> Evidence:
    """Are the columns ``less`` so at most as often as every other?"""

    def statement(scores: list[dict[str, float]]) -> bool:
        count = {c: sum(s[c] for s in scores) for c in NINE}
        most = max(count[c] for c in form.less)
        return all(count[c] >= most for c in NINE if c not in form.less)

    return bootstrapped(form, statement)


def _names(columns: Sequence[str], reduced: str = "mean") -> str:
    if len(columns) == 1:
        return columns[0]
    named = columns if len(columns) <= len(NINE) else (columns[0], "…", columns[-1])
    return f"the {reduced} of {', '.join(named)}"


def _fewest(form: Contrast) -> int:
    return 2 if form.row else FEW


def _too_few(found: Interval, told: str, words: str) -> str:
    return told if found.count < 2 else f"{words}: too few to decide"


def _compared(form: Contrast) -> str:
    if form.other_study:
        return f"{_names(form.more)} of {form.study} less that of {form.other_study}"
    return f"{_names(form.more, form.of_more)} less {_names(form.less, form.of_less)}"


def claim(
    id: str,
    where: str,
    statement: str,
    check: Callable[[Contrast], Evidence],
    form: Contrast,
    checked: str = "",
    sabotage: Contrast | None = None,
) -> Claim:
    """A claim about an experiment. Its sabotage is invented so that the agreed verdict must change: what holds is made to
    fail, and everything else to hold.
    """
    size = 20.0 + 2 * form.margin
    holds = expected().get(id) == "HOLDS"
    if check in (within, all_within):
        tilt = size if holds else 0.0
    elif check is apart:
        tilt = 0.0 if holds else size
    else:
        tilt = -size if holds else size
    words = f"results of {form.study}, {'split by split' if form.row else 'data set by data set'}"
    return Claim(
        id,
        where,
        statement,
        checked or f"{words}, 95 %",
        check,
        form,
        sabotage or replace(form, tilt=tilt),
        f"invented numbers, {_names(form.more or form.less)} tilted by {tilt:+g}",
        experiment=True,
    )
