"""A study's table as text: a block for each data set, ours beside the paper's."""

from __future__ import annotations

import math
from collections.abc import Sequence

from msvm_ref.studies.experiments.result import LEVEL, Result
from msvm_ref.studies.experiments.study import Source, Study

UNITS = {
    "accuracy": "accuracy %",
    "error": "error %",
    "seconds": "CPU seconds",
    "support": "support vectors %",
    "support-count": "support vectors",
    "iterations": "iterations",
    "agreement": "agreement with Bayes %",
    "count": "number",
    "share": "% of the seconds",
    "per-support": "µs a support vector",
    "tied": "% of the test rows that are ties",
    "rate": "percent right, mean and deviation over the points",
}


def table(study: Study, results: Sequence[Result]) -> str:
    """Blocks, then what the marks and protocols mean."""
    lines = [f"{study.paper} {study.place}: {study.title}", ""]
    for source in study.sources:
        block = [r for r in results if r.entry.row == source.label]
        if block:
            lines += [*_block(study, source, block), ""]
    if not results:
        return "\n".join([*lines, f"there is nothing of it: msvm-ref study run {study.name}"])
    return "\n".join([*lines, *_legend(study, results)])


def _block(study: Study, source: Source, block: Sequence[Result]) -> list[str]:
    wide = max(10, *(len(r.entry.column) for r in block))
    lines = [
        f"{source.label}  ({source.table}, {source.rows} rows, {source.train} of them train)",
        f"  {'':<{wide}} {UNITS[study.measure]:>17} {study.paper + ' prints':>16} {'diff/sd':>8} "
        f"{_width(study):>6} {'C':>6} {'gap':>7}  protocol",
    ]
    for r in block:
        e = r.entry
        theirs = (
            "-"
            if r.printed is None
            else written(r.printed.value, r.printed.deviation, study.measure)
        )
        bold = "*" if r.printed is not None and r.printed.bold else " "
        difference = "-" if r.difference is None else f"{r.difference:+.2f}"
        gamma = f"2^{e.point[0]}" if e.point and study.kernel == "rbf" else "-"
        C = f"{study.C_base}^{e.point[1]}" if e.point else "-"
        marks = ("!" if e.open_gaps else "") + ("x" if e.failures else "")
        marks += (">" if e.at_limit else "") + ("?" if r.tied else "")
        lines.append(
            f"  {e.column:<{wide}} {written(r.mean, spread(r), study.measure):>16}{'*' if r.among_the_best else ' '} "
            f"{theirs:>15}{bold} {difference:>8} {gamma:>6} {C:>6} {e.gap:>7.0e}  {e.protocol} {marks}".rstrip()
        )
    return lines


def _width(study: Study) -> str:
    return "gamma" if study.gamma_of == "gamma" else "sigma"  # ZDO's over the median distance


def written(value: float, deviation: float | None, measure: str = "") -> str:
    """Two decimals, or three significant digits (two of a deviation) of what is small; whole numbers of what is counted or
    large; - for nothing.
    """
    if math.isnan(value):
        return "-"
    if measure in ("count", "iterations", "support-count") and not deviation:
        return f"{value:.0f}"
    if value >= 1000:
        return f"{value:.0f}" if deviation is None else f"{value:.0f} ± {deviation:.0f}"
    if value >= 1 or value == 0:
        return f"{value:.2f}" if deviation is None else f"{value:.2f} ± {deviation:.2f}"
    return f"{value:.3g}" if deviation is None else f"{value:.3g} ± {deviation:.2g}"


def spread(result: Result) -> float | None:
    return result.deviation if len(result.entry.numbers) > 1 else None


def _legend(study: Study, results: Sequence[Result]) -> list[str]:
    lines = []
    if any(not math.isnan(r.p) for r in results):
        lines.append(
            f"* best, or not significantly worse (exact signed-rank test, {LEVEL:g}); "
            f"in {study.paper}'s column: printed bold"
        )
    lines.append(
        f"diff/sd: ours less {study.paper}'s over the root mean square of both deviations; gap: the widest certified "
        f"relative gap behind the number, {study.tolerance:g} asked"
    )
    names = dict.fromkeys(r.entry.protocol for r in results)
    lines += [f"{name}: {study.protocol(name).words}" for name in names]
    entries = [r.entry for r in results]
    cells, open_gaps, failures = (
        sum(getattr(e, name) or 0 for e in entries) for name in ("cells", "open_gaps", "failures")
    )
    marks = f"{cells} cells, {open_gaps} with a gap above the tolerance (!), {failures} failed (x)"
    limit = sum(bool(e.at_limit) for e in entries)
    if limit:
        marks += f"; {limit} choices at the grid's limit (>)"
    if any(r.tied for r in results):
        marks += (
            "; ? on half of the test rows and more, or as many as nobody can tell, the optimum has ties "
            f"({study.ties_in}): no accuracy of the machine"
        )
    return [*lines, marks]
