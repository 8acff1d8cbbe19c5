"""UV's Table 5 prints the same numbers for several machines, and deviations of ten points and more. Are these the machines?

Equal means and deviations of a hundred splits say that the machines were right equally often on every split. Certified
optima of the machines say whether they are: HOLDS where no split differs, FAILS where some do and the means differ (95 %),
NOT SHOWN where splits differ and the means are not told apart. The same is asked of UV's own solver at the same parameters,
stopped by their rule or at their limit (-STOPPED): what neither has is a slip of the table. And a number is no accuracy of a
machine whose optimum has no first class on most rows: what a solver leaves of its error decides then.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import combinations

import numpy as np
from scipy.stats import chi2

from msvm_ref.studies.experiments.exported import TIED
from msvm_ref.studies.experiments.uv import stopped
from msvm_ref.studies.experiments.uv_printed import TABLE_5, parsed
from msvm_ref.studies.interval import interval
from msvm_ref.studies.papers.claim import Claim, Either, Evidence
from msvm_ref.studies.papers.findings import NINE, Contrast, claim, decided, made

LINEAR, STOPPED = "uv-table5", "uv-table5-stopped"
HUGE = 9.0
"""Percentage points a printed deviation is called huge from."""


def alike(form: Contrast) -> Evidence:
    """Have the columns ``more`` the same accuracy on every split of the row?"""
    table, _ = form.sources()
    tied = [c for c in form.more if (form.row, c) in table.tied]
    columns = [c for c in form.more if c not in tied]
    none = f"; {' and '.join(tied)} decided by ties" if tied else ""
    if form.row not in table.rows(columns) or not columns:
        return Evidence(None, f"{form.row} is not among the results that come along{none}")
    values = {c: np.array(table.values(form.row, c)) for c in columns}
    told, apart, differ = [], False, bool(tied)
    for a, b in combinations(columns, 2):
        gap = values[a] - values[b]
        found, splits = interval(list(gap)), int((gap != 0).sum())
        differ, apart = differ or splits > 0, apart or not found.low <= 0 <= found.high
        told.append(f"{a} less {b} {found}, {splits} of {len(gap)} splits differ")
    means = ", ".join(f"{c} {v.mean():.2f} ± {v.std(ddof=1):.2f}" for c, v in values.items())
    widest = max(table.entries[form.row, c].gap for c in columns)
    by = table.entries[form.row, columns[0]].protocol
    words = f"{by}, certified to {widest:.0e}: {means}; {'; '.join(told)}{none}"
    return decided(form, not differ if apart or not differ else None, words, {})


def spread(form: Contrast) -> Evidence:
    """Are the printed deviations of ``HUGE`` and more ours, too? By the upper end of the 95 % interval of ours (chi square)."""
    table, _ = form.sources()
    told, smaller, places = [], 0, []
    for (row, column), printed in _huge_cells(form.study == STOPPED).items():
        if (row, column) not in table.entries or (row, column) in table.tied:
            continue
        values = table.values(row, column)
        deviation = float(np.std(values, ddof=1))
        upper = deviation * np.sqrt((len(values) - 1) / chi2.ppf(0.025, len(values) - 1))
        smaller += upper < printed
        told.append(f"{row} {column} {deviation:.2f} (to {upper:.2f}) for {printed}")
        places.append((row, column))
    if not told:
        return Evidence(None, "none of these cells is among the results that come along")
    holds = True if smaller == 0 else False if smaller == len(told) else None
    by = ", ".join(sorted({table.entries[place].protocol for place in places}))
    words = f"{smaller} of {len(told)} are smaller ({by}): {'; '.join(told)}"
    return decided(form, holds, words, {}, [row for row, _ in places])


def ties(form: Contrast) -> Evidence:
    """Has each machine's optimum a first class on most test rows?"""
    table, _ = form.sources()
    shares = {place: float(np.mean(e.numbers)) for place, e in table.entries.items() if e.numbers}
    tied = {place: share for place, share in shares.items() if share >= TIED}
    if not shares:
        return Evidence(None, "none of it is among the results that come along")
    by = ", ".join(sorted({table.entries[place].protocol for place in tied or shares}))
    told = ", ".join(f"{row} {column} {share:.0f} %" for (row, column), share in tied.items())
    words = f"{len(tied)} of {len(shares)} ({by}): {told}"
    return decided(form, not tied, words, {}, [row for row, _ in tied])


def _huge_cells(by_their_solver: bool) -> dict[tuple[str, str], float]:
    """The printed deviations of ``HUGE`` and more, by row and our column."""
    return {
        (row, stopped(label) if by_their_solver else label): cell.deviation
        for (row, label), cell in parsed(TABLE_5).items()
        if cell.deviation is not None and cell.deviation >= HUGE
    }


def _shared(id: str, row: str, columns: tuple[str, ...]) -> tuple[Claim, Claim]:
    cells = dict.fromkeys(parsed(TABLE_5)[row, c] for c in columns)
    mean = " or ".join(f"{cell.value} ± {cell.deviation}" for cell in cells)
    said = f"linear {' and '.join(columns)} have one accuracy on {row}, {mean}"
    return _twice(id, said, alike, columns, row)


def _huge() -> tuple[Claim, Claim]:
    cells = _huge_cells(False)
    rows = dict.fromkeys(row for row, _ in cells)
    said = f"linear machines vary by {HUGE:g} points and more between splits: {len(cells)} cells of {', '.join(rows)}"
    return _twice("UV-TAB5-SPREAD", said, spread, NINE)


def _twice(
    id: str,
    said: str,
    check: Callable[[Contrast], Evidence],
    columns: tuple[str, ...],
    row: str = "",
) -> tuple[Claim, Claim]:
    """Of certified optima, and of UV's solver stopped."""
    how = (
        "paired accuracies, split by split, of"
        if row
        else "deviations over the splits, upper end of the 95 % interval, of"
    )
    forms = (
        ("", "", Contrast(LINEAR, columns, row=row), "certified optima"),
        (
            "-STOPPED",
            ": by their solver and its rule",
            Contrast(STOPPED, tuple(map(stopped, columns)), row=row),
            "coordinate descent to 1e-3 or 10^5 sweeps",
        ),
    )
    mine, theirs = (
        claim(
            f"{id}{end}", "Table 5", f"{said}{more}", check, form, f"{how} {what}", _sabotage(form)
        )
        for end, more, form, what in forms
    )
    return mine, theirs


def _sabotage(form: Contrast) -> Either:
    """One machine under all names, or machines 5 points apart; deviations twice theirs, or a tenth."""
    splits = np.tile([-1.0, 1.0], 10)

    def at(step: float, share: float) -> Contrast:
        if form.row:
            values = {(form.row, c): 50 + splits + step * k for k, c in enumerate(form.more)}
        else:
            huge = _huge_cells(form.study == STOPPED)
            values = {place: 50 + share * size * splits for place, size in huge.items()}
        return replace(form, given=(made(values), made(values)))

    return Either(at(0.0, 2.0), at(5.0, 0.1))


def _tied(share: float) -> Contrast:
    """Sabotage: a machine that ties on so many rows."""
    given = made({("A", "AMO"): [share, share], ("A", "WW"): [0.0, 0.0]})
    return replace(_TIES, given=(given, given))


_TIES = Contrast("uv-table5-ties", NINE)
CLAIMS = (
    *_shared("UV-TAB5-VEHICLE-FOUR", "Vehicle", ("LLW", "AMO", "ATS", "ATM")),
    *_shared("UV-TAB5-VEHICLE-TWO", "Vehicle", ("WW", "CS")),
    *_shared("UV-TAB5-SEGMENT", "Segment", ("WW", "CS")),
    *_shared("UV-TAB5-SEGMENT-MAX", "Segment", ("AMO", "ATM")),
    *_shared("UV-TAB5-IRIS-MAX", "Iris", ("AMO", "ATM")),
    *_shared("UV-TAB5-GLASS", "Glass", ("WW", "CS")),
    *_huge(),
    claim(
        "UV-TAB5-TIES",
        "Table 5",
        "linear machines have accuracies: their optima have a first class on most test rows",
        ties,
        _TIES,
        "test rows whose first two classes may be equal and are within 0.1 at every W that certificates to 1e-10 allow, "
        "at half of them",
        Either(_tied(10.0), _tied(90.0)),
    ),
)
