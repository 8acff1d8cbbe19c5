"""UV section 4.7: which differences are large. Between kernels, between margins and aggregations, between problems."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import combinations

import numpy as np

from msvm_ref.studies.experiments.exported import Exported
from msvm_ref.studies.interval import interval
from msvm_ref.studies.papers.bootstrap import means
from msvm_ref.studies.papers.claim import Claim, Either, Evidence
from msvm_ref.studies.papers.findings import (
    FEW,
    NINE,
    Contrast,
    above,
    all_within,
    claim,
    decided,
    invented,
    made,
    sets_of,
    verdict,
    within,
)

RBF, LINEAR, SECONDS, SUPPORT = "uv-table4", "uv-table5", "uv-fig4", "uv-fig5"
CONCEPTS = (("MMR",), ("WW", "CS"), ("LLW", "AMO", "ATS", "ATM"))
"""Self, relative and absolute margins."""
SUM_AND_MAX = (("WW", "CS"), ("LLW", "AMO"), ("ATS", "ATM"))
"""Machines that differ in the aggregation alone."""
PAGE = "Page blocks"


def _ranges(table: Exported) -> dict[str, float]:
    """Largest less smallest mean of the nine machines, by data set."""
    return {row: float(np.ptp(means(table, row))) for row in table.rows(NINE)}


def wider(form: Contrast) -> Evidence:
    """Is the range of the nine means larger in one study than in the other, on the data sets both have by one protocol?"""
    mine, other = form.sources()
    named = {row.lower(): row for row in other.rows(NINE)}  # Table 5 has capitals, Table 4 none
    pairs = [(row, named[row.lower()]) for row in mine.rows(NINE) if row.lower() in named]
    pairs = [(a, b) for a, b in pairs if sets_of(mine, [a], NINE) == sets_of(other, [b], NINE)]
    numbers = [_ranges(mine)[a] - _ranges(other)[b] for a, b in pairs]
    sets = sets_of(mine, [a for a, _ in pairs], NINE)
    return verdict(form, above, "linear less Gaussian", numbers, sets)


def margins_over_aggregation(form: Contrast) -> Evidence:
    """Do two margin concepts differ by more than sum and maximum do, by the mean of three differences each?"""
    table, _ = form.sources()
    rows, numbers = table.rows(NINE), []
    for row in rows:
        mean = dict(zip(NINE, means(table, row), strict=True))
        concepts = [np.mean([mean[c] for c in group]) for group in CONCEPTS]
        between = np.mean([abs(a - b) for a, b in combinations(concepts, 2)])
        numbers.append(float(between - np.mean([abs(mean[a] - mean[b]) for a, b in SUM_AND_MAX])))
    return verdict(form, above, "margins less aggregation", numbers, sets_of(table, rows, NINE))


def deviating(form: Contrast) -> Evidence:
    """Is the range of the nine means larger on each of the data sets ``only`` than on the others? Their mean, at 95 %."""
    table, _ = form.sources()
    ranges = _ranges(table)
    missing = [row for row in form.only if row not in ranges]
    if missing:
        return Evidence(None, f"{', '.join(missing)}: not among the results that come along")
    rest = interval([v for row, v in ranges.items() if row not in form.only])
    told = ", ".join(f"{row} {ranges[row]:.2f}" for row in form.only)
    sets = f"of {sets_of(table, list(ranges), NINE)}"
    if rest.count < FEW:
        return Evidence(None, f"{told}; only {rest.count} others {sets}")
    above_all = all(ranges[row] > rest.high for row in form.only)
    below_one = any(ranges[row] < rest.low for row in form.only)
    holds = True if above_all else False if below_one else None
    return decided(form, holds, f"{told}; the others {rest} {sets}", vars(rest))


def sparsest(form: Contrast) -> Evidence:
    """Has one problem fewer support vectors than each of the others, by the mean of the nine machines?"""
    table, _ = form.sources()
    rows = table.rows(NINE)
    if PAGE not in rows or len(rows) < FEW:
        return Evidence(None, f"{PAGE} is not among the results that come along")
    shares = {
        row: interval([float(v) for v in np.mean([table.values(row, c) for c in NINE], axis=0)])
        for row in rows
    }
    page, others = shares[PAGE], [shares[row] for row in rows if row != PAGE]
    least = min(others, key=lambda i: i.mean)
    fewer, more = all(page.high < i.low for i in others), any(page.low > i.high for i in others)
    told = f"{PAGE} {page} %, the least of the others {least} %; {sets_of(table, rows, NINE)}"
    return decided(form, True if fewer else False if more else None, told, vars(page))


def cheaper(form: Contrast) -> Evidence:
    """Are there points of a grid no more than a point of accuracy below its best that differ tenfold in seconds?"""
    seconds, rates = form.sources()
    cases = {}
    for place, entry in seconds.entries.items():
        if place in rates.entries and entry.protocol == rates.entries[place].protocol:
            right = np.array(rates.entries[place].numbers)
            taken = np.array(entry.numbers)[right >= right.max() - 1.0]
            cases[place] = float(taken.max() / taken.min())
    if not cases:
        return Evidence(None, "none of it is among the results that come along")
    most, many = max(cases, key=lambda p: cases[p]), sum(v >= 10 for v in cases.values())
    rows = list(dict.fromkeys(row for row, _ in cases))
    told = f"in {many} of {len(cases)} (data set, machine), up to {cases[most]:.0f} times ({' '.join(most)})"
    shown = f"{told}; {sets_of(seconds, rows, (most[1],))}"
    return decided(form, many > 0, shown, {" ".join(p): v for p, v in cases.items()})


def _given(form: Contrast, *tables: Exported) -> Contrast:
    """Sabotage: these tables, or this one twice."""
    return replace(form, given=(tables[0], tables[-1]))


def _times(factor: float) -> Contrast:
    """Two points of equal rates, the second of so many times the seconds."""
    place = ("A", "WW")
    return _given(_TIMES, made({place: [1.0, factor]}), made({place: [90.0, 90.0]}))


def _of_each(form: Contrast, number: Callable[[str, int], float]) -> Contrast:
    """Some data sets, the number of each by its name and place; it is OVA's, and the other machines' is half of it."""
    rows = enumerate((*form.only, PAGE, *"ABCDE"))
    wide = {(r, c): number(r, k) / (1 if c == "OVA" else 2) for k, r in rows for c in NINE}
    return _given(form, made({p: [v - 0.1, v, v + 0.1] for p, v in wide.items()}))


def _concept(id: str, study: str, words: str) -> Claim:
    form = Contrast(study, NINE)
    margins, maxima = (invented(form, c, 20.0) for c in (("MMR",), ("CS", "AMO", "ATM")))
    return claim(
        id,
        "section 4.7",
        f"{words} margin concepts make more of a difference than the aggregation",
        margins_over_aggregation,
        form,
        "mean difference between self, relative and absolute margins less that between sum and maximum, 95 %",
        Either(_given(form, margins), _given(form, maxima)),
    )


def _high(id: str, row: str) -> Claim:
    return claim(
        id,
        "section 4.7, Table 5",
        f"on {row} all linear machines are about equally accurate",
        all_within,
        Contrast(LINEAR, NINE, row=row, margin=5.0),
        "each less the mean of the other eight, split by split, 95 %, within five points",
    )


_WIDER = Contrast(LINEAR, ("OVA",), other_study=RBF)
_APART, _ALIKE = (invented(_WIDER, c, 20.0) for c in (("OVA",), ()))
_PAGE = Contrast(SUPPORT, NINE)
_LARGER = Contrast(RBF, NINE, only=("Abalone", "Vehicle"))
_TIMES = Contrast("uv-table3-points", NINE, other_study="uv-table3-rates")
CLAIMS = (
    claim(
        "UV-E5-DRASTIC",
        "section 4.7, Tables 4 and 5",
        "linear machines differ more in accuracy than those with a Gaussian kernel",
        wider,
        _WIDER,
        "range of the nine means, linear less Gaussian, data set by data set, 95 %",
        Either(_given(_WIDER, _APART, _ALIKE), _given(_WIDER, _ALIKE, _APART)),
    ),
    claim(
        "UV-E4-DEVIATIONS",
        "section 4.7, Table 4",
        "with a Gaussian kernel the machines deviate most from each other on Abalone and on Vehicle",
        deviating,
        _LARGER,
        "range of the nine means on either, above the 95 % interval of the mean range of the other data sets",
        Either(
            _of_each(_LARGER, lambda row, k: 90.0 if row in _LARGER.only else 9.0 + k),
            _of_each(_LARGER, lambda row, k: 9.0 if row in _LARGER.only else 90.0 + k),
        ),
    ),
    _concept("UV-E4-CONCEPT", RBF, "with a Gaussian kernel"),
    _concept("UV-E5-CONCEPT", LINEAR, "with a linear kernel"),
    _high("UV-E5-HIGH-NEWS", "News-20"),
    _high("UV-E5-HIGH-SECTOR", "Sector"),
    claim(
        "UV-TIME-CLOSE",
        "section 4.7, Figure 4",
        "WW and CS closely follow OVA in training time: by a factor of three at most",
        within,
        Contrast(SECONDS, ("WW", "CS"), ("OVA",), margin=float(np.log10(3)), logarithm=True),
        "logarithms of seconds, data set by data set, 95 %, within a factor of three either way",
    ),
    claim(
        "UV-TIME-SIMILAR",
        "section 4.5",
        "in some cases configurations are alike in accuracy and not in training time",
        cheaper,
        _TIMES,
        "of Table 3's 25 points those no more than a point below the best: a factor of ten in seconds somewhere",
        Either(_times(100.0), _times(3.0)),
    ),
    claim(
        "UV-SPARSE-PAGE",
        "section 4.7, Figure 5",
        "of all problems Page blocks alone has sparse solutions",
        sparsest,
        _PAGE,
        "share of support vectors, mean of the nine machines, 95 % intervals over the splits that do not meet",
        Either(
            _of_each(_PAGE, lambda row, k: 9.0 if row == PAGE else 50.0 + k),
            _of_each(_PAGE, lambda row, k: 90.0 if row == PAGE else 50.0 + k),
        ),
    ),
)
