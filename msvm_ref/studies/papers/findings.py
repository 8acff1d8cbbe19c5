"""What a paper says of its experiments, decided on a stated sample: the committed results of a study (``exported``).

A statement that something is larger is decided by an interval at 95 % of a difference, one number for each data set, or for
each split of one data set:

    HOLDS  the interval lies above the margin      FAILS  it lies below      NOT SHOWN  else, or fewer than four data sets

Nothing FAILS on rows that were thinned out below the paper's number of training examples: that is NOT SHOWN.

What is said of each of k cases HOLDS where all of them do, each at 95 %, and FAILS where one does at 1 - 5 % / k; what is said
of one of them the other way round (``each``, ``some``). Statements about all data sets at once are in ``bootstrap``.
Splits of one data set share its rows: their interval is about this data set, and too narrow for another sample of it.
Seconds are of our solver at a certified gap, not of theirs.

Sabotage is tables that are invented: numbers about 50 for all, the first group's raised or lowered; or spread, where it is
their spread that is compared.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from msvm_ref.studies.experiments.exported import Exported, TableEntry, published
from msvm_ref.studies.experiments.registry import STUDIES
from msvm_ref.studies.interval import SURE, Interval, interval
from msvm_ref.studies.papers.claim import Claim, Either, Evidence

FEW = 4
"""Data sets below which no interval over data sets decides; FH have four in all, and HL four large ones."""
NINE = ("OVA", "MMR", "WW", "CS", "LLW", "AMO", "ATS", "ATM", "RM")
ABSOLUTE = ("LLW", "AMO", "ATS", "ATM", "RM")
OF: dict[str, Any] = {"mean": np.mean, "min": np.min, "max": np.max, "range": np.ptp}
"""What is taken of several numbers."""


@dataclass(frozen=True)
class Contrast:
    """What is compared: the mean (or the least, or the largest) of one group of columns with that of another."""

    study: str
    more: tuple[str, ...]
    """Columns that are said to have more, or to be best."""
    less: tuple[str, ...] = ()
    """Columns that are said to have less; () where it is more than the margin alone that is said."""
    row: str = ""
    """One data set, split by split; '' for all data sets, each by its mean."""
    only: tuple[str, ...] = ()
    """The data sets the statement is about; () for all of them."""
    margin: float = 0.0
    logarithm: bool = False
    """Are logarithms to base 10 compared?"""
    of_values: Literal["mean", "range", "deviation"] = "mean"
    """What is taken of a data set's values."""
    of_more: Literal["mean", "min"] = "mean"
    of_less: Literal["mean", "max"] = "mean"
    other_study: str = ""
    """Where the columns ``less`` are read, if not in the same study."""
    given: tuple[Exported, Exported] | None = None
    """Tables in the place of those that come along."""

    @property
    def columns(self) -> tuple[str, ...]:
        return (*self.more, *self.less)

    def sources(self) -> tuple[Exported, Exported]:
        return self.given or (published(self.study), published(self.other_study or self.study))


def made(values: Mapping[tuple[str, str], Any]) -> Exported:
    """A table of these numbers, by (row, column)."""
    return Exported(
        {(r, c): TableEntry(r, "quick", c, tuple(v), 0.0, len(v)) for (r, c), v in values.items()}
    )


def invented(form: Contrast, raised: Sequence[str], tilt: float) -> Exported:
    """Ten splits of eight data sets (or of those that are meant), some columns raised (or spread) by ``tilt``."""
    random, values = np.random.default_rng(1), {}
    for row in (form.row,) if form.row else form.only or tuple("ABCDEFGH"):
        for column in dict.fromkeys((*form.columns, *NINE)):
            noise, size = random.normal(size=10), tilt * (column in raised)
            if form.of_values == "mean":
                numbers = 50 + size + noise
            else:
                numbers = 50 + noise * (1 + abs(size)) ** np.sign(size)
            values[row, column] = 10 ** (numbers / 10) if form.logarithm else numbers
    return made(values)


Rule = Callable[[Interval, float], bool | None]
"""What an interval says of a margin."""


def above(i: Interval, margin: float) -> bool | None:
    return True if i.low > margin else False if i.high < margin else None


def inside(i: Interval, margin: float) -> bool | None:
    """Within plus and minus the margin; False beyond it on either side."""
    if -margin < i.low and i.high < margin:
        return True
    return False if i.low > margin or i.high < -margin else None


def outside(i: Interval, margin: float) -> bool | None:
    found = inside(i, margin)
    return None if found is None else not found


def differences(form: Contrast) -> tuple[list[float], str]:
    """The differences, and what each of them is of."""
    mine, other = form.sources()
    there = [r for r in other.rows(form.less) if not form.only or r in form.only]
    rows = [r for r in mine.rows(form.more) if r in there and _alike(form, mine, other, r)]
    raised, reduced = OF[form.of_more], OF[form.of_less]
    if form.row:
        if form.row not in rows:
            return [], f"{form.row} is not among the results that come along"
        more = _of_splits(form, mine, form.more, form.of_more)
        less = _of_splits(form, other, form.less, form.of_less)
        told = f"{len(more)} splits of {form.row} ({mine.entries[form.row, form.more[0]].protocol})"
        return list(more - less), told
    numbers = [
        float(raised([_told(form, mine, row, c) for c in form.more]))
        - float(reduced([_told(form, other, row, c) for c in form.less] or [0.0]))
        for row in rows
    ]
    return numbers, sets_of(mine, rows, form.more)


def _of_splits(form: Contrast, table: Exported, columns: Sequence[str], of: str) -> Any:
    """The mean of the columns, split by split; or the one of them whose mean is the least or the largest."""
    values = np.array([_scaled(form, table.values(form.row, c)) for c in columns])
    if of == "mean":
        return values.mean(axis=0)
    means = values.mean(axis=1)
    return values[means.argmin() if of == "min" else means.argmax()]


def _alike(form: Contrast, mine: Exported, other: Exported, row: str) -> bool:
    """Are the row's two groups by one protocol?"""
    protocols = {mine.entries[row, c].protocol for c in form.more}
    return len(protocols | {other.entries[row, c].protocol for c in form.less}) == 1


def _scaled(form: Contrast, values: Sequence[float]) -> list[float]:
    return [math.log10(max(v, 1e-9)) for v in values] if form.logarithm else list(values)


def _told(form: Contrast, table: Exported, row: str, column: str) -> float:
    values = _scaled(form, table.values(row, column))
    return float(
        np.std(values, ddof=1) if form.of_values == "deviation" else OF[form.of_values](values)
    )


def sets_of(table: Exported, rows: Sequence[str], columns: Sequence[str]) -> str:
    """How many data sets, and how many of them by which protocol."""
    if not rows:
        return "no data set has all of it among the results that come along"
    named = [table.entries[row, columns[0]].protocol for row in rows]
    protocols = ", ".join(f"{named.count(p)} {p}" for p in dict.fromkeys(named))
    return f"{len(rows)} data set{'s' if len(rows) != 1 else ''} ({protocols})"


def decided(
    form: Contrast,
    holds: bool | None,
    shown: str,
    numbers: Mapping[str, Any],
    rows: Sequence[str] | None = None,
) -> Evidence:
    """The verdict, but no FAILS on thinned rows (of ``rows``, where it is about these alone)."""
    thin = [r for r in thinned(form) if rows is None or r in rows] if holds is False else []
    if thin:
        shown = f"{shown}; against it, but on fewer training rows than theirs ({', '.join(thin)})"
    return Evidence(None if thin else holds, shown, numbers)


def thinned(form: Contrast) -> list[str]:
    """The data sets the statement is about whose rows have fewer training examples than the paper's."""
    if form.given is not None:
        return []
    fewer = []
    for name, table in zip(
        (form.study, form.other_study or form.study), form.sources(), strict=True
    ):
        study = STUDIES.get(name)
        theirs = {s.label: s.train for s in study.sources} if study else {}
        named = (form.row,) if form.row else form.only or tuple(theirs)
        entries = (e for e in table.entries.values() if e.row in named and e.column in form.columns)
        fewer += [e.row for e in entries if e.train < theirs.get(e.row, 0)]
    return list(dict.fromkeys(fewer))


def verdict(form: Contrast, rule: Rule, what: str, numbers: Sequence[float], told: str) -> Evidence:
    """What the interval of the numbers says of the form's margin."""
    found = interval(numbers)
    allowed = "" if rule is above else f", ±{form.margin:g} allowed"
    unit = " decades" if form.logarithm else ""
    words = f"{what}: {found}{unit} over {told}{allowed}"
    if found.count < _fewest(form):
        shown = told if found.count < 2 else f"{words}: too few to decide"
        return Evidence(None, shown, {"numbers": found.count})
    return decided(form, rule(found, form.margin), words, vars(found))


def larger(form: Contrast) -> Evidence:
    """Is the interval of the difference above the margin?"""
    return verdict(form, above, _compared(form), *differences(form))


def within(form: Contrast) -> Evidence:
    """Does the interval of the difference lie within plus and minus the margin (HOLDS), or beyond it (FAILS)?"""
    return verdict(form, inside, _compared(form), *differences(form))


def apart(form: Contrast) -> Evidence:
    """The contrary of ``within``: beyond the margin on either side HOLDS."""
    return verdict(form, outside, _compared(form), *differences(form))


def joint(
    form: Contrast, what: str, cases: Mapping[str, Contrast], rule: Rule, every: bool
) -> Evidence:
    """Do all of the cases hold, or one of them? One among k is asked for at 1 - 5 % / k, all of them at 95 % each."""
    sure: list[bool | None] = []
    stricter: list[bool | None] = []
    told, numbers = [], {}
    for name, case in cases.items():
        found, sample = differences(case)
        usual, strict = interval(found), interval(found, 1 - (1 - SURE) / len(cases))
        enough = usual.count >= _fewest(case)
        sure.append(rule(usual, case.margin) if enough else None)
        stricter.append(rule(strict, case.margin) if enough else None)
        shown = str(usual if every else strict) if usual.count > 1 else "one number"
        told.append(f"{name} {shown} over {sample}" if found else f"{name}: {sample}")
        numbers[name] = vars(usual)
    if not any(i["count"] for i in numbers.values()):
        return Evidence(None, "none of it is among the results that come along")
    one, all_of = (False, True) if every else (True, False)
    holds = one if one in stricter else all_of if set(sure) == {all_of} else None
    return decided(form, holds, f"{what}: {'; '.join(told)}", numbers)


def all_within(form: Contrast) -> Evidence:
    """Is each of the columns ``more`` within the margin of the mean of the others?"""
    others = {c: tuple(o for o in form.more if o != c) for c in form.more}
    cases = {c: replace(form, more=(c,), less=less) for c, less in others.items()}
    what = f"each less the mean of the other {len(cases) - 1}, ±{form.margin:g} allowed"
    return joint(form, what, cases, inside, every=True)


def somewhere(form: Contrast) -> Evidence:
    """Is it larger on one of the data sets, split by split, or (of one data set) than one of the columns ``less``?"""
    if form.row:
        cases = {c: replace(form, less=(c,)) for c in form.less}
    else:
        cases = {row: replace(form, row=row) for row in form.sources()[0].rows(form.columns)}
    return joint(form, _compared(form), cases, above, every=False)


Check = Callable[[Contrast], Evidence]
Part = tuple[Check, Contrast]


def conjunction(parts: tuple[Part, ...]) -> Evidence:
    """Do all of these hold?"""
    each = [check(form) for check, form in parts]
    answers = {e.holds for e in each}
    holds = False if False in answers else None if None in answers else True
    return Evidence(holds, "; ".join(e.shown for e in each))


def _names(columns: Sequence[str], reduced: str = "mean") -> str:
    if len(columns) == 1:
        return columns[0]
    named = columns if len(columns) <= len(NINE) else (columns[0], "…", columns[-1])
    return f"the {reduced} of {', '.join(named)}"


def _fewest(form: Contrast) -> int:
    return 2 if form.row else FEW


def _compared(form: Contrast) -> str:
    of = "" if form.of_values == "mean" else f"{form.of_values} of "
    if form.other_study:
        return f"{of}{_names(form.more)} of {form.study} less that of {form.other_study}"
    less = f" less {_names(form.less, form.of_less)}" if form.less else ""
    return f"{of}{_names(form.more, form.of_more)}{less}"


TILTS: dict[Check, tuple[int, int]] = {within: (0, 1), all_within: (0, 1), apart: (1, 0)}
"""By which it is true, and false; of the other checks 1 and -1."""


def tilted(check: Check, form: Contrast) -> Either:
    """Invented numbers with which the statement is true, and with which it is false."""
    size = 20.0 + 2 * form.margin
    raised = form.more[:1] if check is all_within else form.more

    def at(sign: int) -> Contrast:
        mine = invented(form, raised, size * sign)
        return replace(form, given=(mine, invented(form, (), 0.0) if form.other_study else mine))

    true, false = TILTS.get(check, (1, -1))
    return Either(at(true), at(false))


def both_tilted(parts: tuple[Part, ...]) -> Either:
    each = [(check, tilted(check, form)) for check, form in parts]
    return Either(tuple((c, e.true) for c, e in each), tuple((c, e.false) for c, e in each))


def claim(
    id: str,
    where: str,
    statement: str,
    check: Callable[[Any], Evidence],
    form: Any,
    checked: str = "",
    sabotage: Either | None = None,
) -> Claim:
    """A claim about an experiment; its sabotage is numbers that are invented."""
    if not checked:
        checked = f"results of {form.study}, {'split by split' if form.row else 'data set by data set'}, 95 %"
    made = sabotage or (both_tilted(form) if check is conjunction else tilted(check, form))
    return Claim(
        id, where, statement, checked, check, form, made, "invented numbers", experiment=True
    )
