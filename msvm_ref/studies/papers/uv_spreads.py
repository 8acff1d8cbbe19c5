"""UV section 4.7: which differences are large. Between kernels, between margins and aggregations, between problems."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np

from msvm_ref.studies.experiments.exported import Exported
from msvm_ref.studies.papers.claim import Claim, Evidence
from msvm_ref.studies.papers.findings import (
    FEW,
    NINE,
    Contrast,
    all_within,
    claim,
    interval,
    protocols_of,
    within,
)
from msvm_ref.studies.papers.ledger import expected

RBF, LINEAR, SECONDS, SUPPORT = "uv-table4", "uv-table5", "uv-fig4", "uv-fig5"
CONCEPTS = (("MMR",), ("WW", "CS"), ("LLW", "AMO", "ATS", "ATM"))
"""Self, relative and absolute margins."""
SUM_AND_MAX = (("WW", "CS"), ("LLW", "AMO"), ("ATS", "ATM"))
"""Machines that differ in the aggregation alone."""
PAGE = "Page blocks"


def _means(table: Exported, row: str) -> dict[str, float]:
    return {c: float(np.mean(table.values(row, c))) for c in NINE}


def _decided(what: str, numbers: list[float], table: Exported, rows: list[str]) -> Evidence:
    """Is the interval of the numbers above 0?"""
    found, sets = interval(numbers), f"{len(rows)} data sets ({protocols_of(table, rows, NINE)})"
    if found.count < FEW:
        return Evidence(None, f"only {sets}", {"numbers": found.count})
    holds = True if found.low > 0 else False if found.high < 0 else None
    return Evidence(holds, f"{what}: {found} over {sets}", vars(found))


def wider(form: Contrast) -> Evidence:
    """Is the range of the nine means larger in one study than in the other, on the data sets both have by one protocol?"""
    mine, other = form.sources()
    named = {row.lower(): row for row in other.rows(NINE)}  # Table 5 has capitals, Table 4 none
    both = [(row, named[row.lower()]) for row in mine.rows(NINE) if row.lower() in named]
    pairs = [
        (a, b) for a, b in both if protocols_of(mine, [a], NINE) == protocols_of(other, [b], NINE)
    ]
    numbers = [_range(mine, a) - _range(other, b) for a, b in pairs]
    return _decided("linear less Gaussian", numbers, mine, [a for a, _ in pairs])


def _range(table: Exported, row: str) -> float:
    means = _means(table, row).values()
    return max(means) - min(means)


def margins_over_aggregation(form: Contrast) -> Evidence:
    """Do two margin concepts differ by more than sum and maximum do, by the mean of three differences each?"""
    table, _ = form.sources()
    rows, numbers = table.rows(NINE), []
    for row in rows:
        means = _means(table, row)
        concepts = [np.mean([means[c] for c in group]) for group in CONCEPTS]
        between = np.mean([abs(a - b) for a, b in combinations(concepts, 2)])
        numbers.append(float(between - np.mean([abs(means[a] - means[b]) for a, b in SUM_AND_MAX])))
    return _decided("margins less aggregation", numbers, table, rows)


def sparsest(form: Contrast) -> Evidence:
    """Has one problem fewer support vectors than each of the others, by the mean of the nine machines?"""
    table, _ = form.sources()
    rows = table.rows(NINE)
    if PAGE not in rows or len(rows) < FEW:
        return Evidence(None, f"{PAGE} is not among the results that come along")
    shares = {
        row: interval(
            [float(v) for v in np.mean([table.values(row, c) for c in NINE], axis=0)]
            if form.tilt is None
            else [50.0 + form.tilt * (row == PAGE) + k for k in range(10)]
        )
        for row in rows
    }
    page, others = shares[PAGE], [shares[row] for row in rows if row != PAGE]
    least = min(others, key=lambda i: i.mean)
    holds = (
        True
        if all(page.high < i.low for i in others)
        else False
        if any(page.low > i.high for i in others)
        else None
    )
    told = f"{PAGE} {page} %, the least of {len(others)} others {least} %"
    return Evidence(holds, f"{told} ({protocols_of(table, rows, NINE)})")


def _flipped(id: str, form: Contrast, when: Contrast) -> Contrast:
    """Sabotage: ``when`` for what holds, else ``form``."""
    return when if expected().get(id) == "HOLDS" else form


_MARGINS = Contrast(LINEAR, ("MMR",), tilt=20.0)
_MAXIMA = Contrast(LINEAR, ("CS", "AMO", "ATM"), tilt=20.0)


def _concept(id: str, study: str, words: str) -> Claim:
    return claim(
        id,
        "section 4.7",
        f"{words} margin concepts make more of a difference than the aggregation",
        margins_over_aggregation,
        Contrast(study, NINE),
        "mean difference between self, relative and absolute margins less that between sum and maximum, 95 %",
        _flipped(id, _MARGINS, _MAXIMA),
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
_PAGE = Contrast(SUPPORT, NINE)
CLAIMS = (
    claim(
        "UV-E5-DRASTIC",
        "section 4.7, Tables 4 and 5",
        "linear machines differ more in accuracy than those with a Gaussian kernel",
        wider,
        _WIDER,
        "range of the nine means, linear less Gaussian, data set by data set, 95 %",
        _flipped("UV-E5-DRASTIC", replace(_WIDER, tilt=20.0), replace(_WIDER, tilt=0.0)),
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
        "UV-SPARSE-PAGE",
        "section 4.7, Figure 5",
        "of all problems Page blocks alone has sparse solutions",
        sparsest,
        _PAGE,
        "share of support vectors, mean of the nine machines, 95 % intervals over the splits that do not meet",
        _flipped(
            "UV-SPARSE-PAGE",
            replace(_PAGE, only=(PAGE, "A", "B", "C"), tilt=-40.0),
            replace(_PAGE, only=(PAGE, "A", "B", "C"), tilt=40.0),
        ),
    ),
)
