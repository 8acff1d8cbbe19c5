"""What a run says of an entry: only what was measured, and a fault only where a script of its own shows it too.

right    within RIGHT of the certified optimum at its tightest settings, on every data set
close    within CLOSE
off      beyond that, on some data set
breaks   a fit without an answer: an exception, an abort
slow     a fit that was ended by the time limit, which a loaded machine may be the reason of
unfinished   a data set was left out: the run's time was used up
"""

from __future__ import annotations

import statistics
from collections.abc import Iterable
from typing import Any

from msvm_ref.conformance.atlas.entry import SEVERITY

RIGHT, CLOSE = 1e-6, 1e-2
ORDER = ("off", "breaks", "close", "slow", "unfinished", "right", "not installed")


def verdict_of(record: dict[str, Any]) -> str:
    """The worst word that is true of the entry's tightest settings."""
    if not record["version"]:
        return "not installed"
    fits = [fit for cell in record["cells"] if cell["kind"] == "tight" for fit in cell["fits"]]
    worst = max(_errors(fits), default=0.0)
    if worst > CLOSE:
        return "off"
    if any("error" not in fit and "left" not in fit and not _late(fit) for fit in fits):
        return "breaks"
    if any(_late(fit) for fit in fits):
        return "slow"
    if any("left" in fit for fit in fits):
        return "unfinished"
    return "close" if worst > RIGHT else "right"


def faults_of(record: dict[str, Any]) -> list[dict[str, Any]]:
    """Findings that their script showed in this run."""
    return [f for f in record.get("findings", ()) if f["shown"]]


def faulty(record: dict[str, Any]) -> bool:
    """Is a fault shown that makes answers wrong? (Taking what should be refused is told, but does not.)"""
    return any(f["severity"] != "input" for f in faults_of(record))


def word_of(record: dict[str, Any]) -> str:
    """FAULTY, or the verdict."""
    return "FAULTY" if faulty(record) else verdict_of(record)


def worst_error(record: dict[str, Any], kind: str, data: str | None = None) -> float | None:
    """The largest certified error at default or tightest settings (on one data set); None where there is none."""
    fits = _fits(record, kind, data)
    return max(_errors(fits), default=None)


def spread(record: dict[str, Any], kind: str, data: str) -> tuple[float, float, float] | None:
    """(smallest, median, largest) certified error over the repeats."""
    errors = sorted(_errors(_fits(record, kind, data)))
    return (errors[0], statistics.median(errors), errors[-1]) if errors else None


def seconds(record: dict[str, Any], kind: str) -> float:
    """The median time of a fit, the library's import left out where there are repeats."""
    every = [
        fit["seconds"]
        for cell in record.get("cells", ())
        if cell["kind"] == kind
        for fit in (cell["fits"][1:] or cell["fits"])
        if "seconds" in fit
    ]
    return statistics.median(every) if every else 0.0


def remarks(record: dict[str, Any]) -> list[str]:
    """What was measured beside the error, a few words each."""
    cells = record.get("cells", ())
    out = [f["title"] for f in faults_of(record) if f["severity"] == "input"]
    every = [(c["data"], fit) for c in cells for fit in c["fits"]]
    broken = [fit.get("broke") or fit.get("failure") for _, fit in every if not _late(fit)]
    out += [f"no answer: {sorted(filter(None, broken))[0]}"] if any(broken) else []
    late = list(dict.fromkeys(name for name, fit in every if _late(fit)))
    out += [f"no answer within the time limit on {', '.join(late)}"] if late else []
    unlike = sum(fit.get("labels_off", 0) for c in cells for fit in c["fits"])
    out += [f"{unlike} labels are no argmax of its own scores"] if unlike else []
    if worse := worse_when_tight(record):
        out.append(f"worse at its tightest than by default on {', '.join(worse)}")
    said = any(fit.get("converged") is False for c in cells for fit in c["fits"])
    out += ["says itself that it did not converge"] if said else []
    if differing(record):
        out.append("fits of the same data differ")
    return out


def worse_when_tight(record: dict[str, Any]) -> list[str]:
    """Data on which the best tight fit is worse than the worst default fit, and beyond RIGHT."""
    out = []
    for name in dict.fromkeys(cell["data"] for cell in record.get("cells", ())):
        default, tight = (spread(record, kind, name) for kind in ("default", "tight"))
        if default and tight and tight[0] > max(RIGHT, 1.01 * default[2]):
            out.append(name)
    return out


def differing(record: dict[str, Any]) -> bool:
    """Does some cell have two fits with different objectives, by more than rounding?"""
    for cell in record.get("cells", ()):
        values = [fit["objective"] for fit in cell["fits"] if "objective" in fit]
        if values and max(values) - min(values) > 1e-13 * abs(max(values)):
            return True
    return False


def by_severity(records: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Faults that make answers wrong first, by severity; then by verdict, what it takes amiss, and the size of the error."""
    return sorted(
        records,
        key=lambda r: (
            not r["version"],
            min((s for s in _severities(r) if s < SEVERITY["input"]), default=len(SEVERITY)),
            ORDER.index(verdict_of(r)),
            min(_severities(r), default=len(SEVERITY)),
            -(worst_error(r, "tight") or 0.0),
            r["name"],
        ),
    )


def _late(fit: dict[str, Any]) -> bool:
    """Was it ended by the time limit? (The words are those of ``process``.)"""
    return "must answer within" in fit.get("broke", "")


def _severities(record: dict[str, Any]) -> list[int]:
    return [SEVERITY[f["severity"]] for f in faults_of(record)]


def _fits(record: dict[str, Any], kind: str, data: str | None) -> list[dict[str, Any]]:
    return [
        fit
        for cell in record.get("cells", ())
        if cell["kind"] == kind and data in (None, cell["data"])
        for fit in cell["fits"]
    ]


def _errors(fits: Iterable[dict[str, Any]]) -> list[float]:
    return [float(fit["error"]) for fit in fits if "error" in fit]
