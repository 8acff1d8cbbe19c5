"""An Entry (a solver, its claim, what is known to fail) and its Outcome (records, certified errors): the units of a report."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from msvm_ref.conformance.suite import Record, make_trial, run_check
from msvm_ref.model.conventions.convention import Convention
from msvm_ref.solvers.solution import Solution


@dataclass(frozen=True)
class Entry:
    """A solver, its claim and what is expected to fail."""

    solver: Any
    convention: Convention | str | None
    settings: Mapping[str, Any] = field(default_factory=dict)
    expected: Mapping[str, str] = field(default_factory=dict)
    checks: tuple[str, ...] = ()
    """Only these; all of them where empty."""


@dataclass(frozen=True)
class Outcome:
    """One entry's records, with every certified error for the plot."""

    title: str
    machine: str
    convention: str
    tolerance: float
    records: tuple[Record, ...]
    gaps: tuple[dict[str, Any], ...]
    seconds: float
    rule: str = ""
    """The stopping rule the tolerances follow from, in words; empty where ``tolerance`` is one number."""

    def count(self, status: str) -> int:
        return sum(r.status == status for r in self.records)

    @property
    def passed(self) -> bool:
        return all(r.passed for r in self.records)

    @property
    def worst(self) -> float:
        """The largest certified error among fits that did not say "not converged"."""
        return max((g["error"] for g in self.gaps if g["converged"] is not False), default=0.0)

    @property
    def judged(self) -> str:
        """What the errors were held against."""
        allowed = [g["allowed"] for g in self.gaps]
        span = (
            f"{min(allowed):.1g} to {max(allowed):.1g}"
            if allowed and self.rule
            else f"{self.tolerance:g}"
        )
        return (
            f"{self.rule}; a relative gap of {span} on these problems"
            if self.rule
            else f"a relative gap of {span}"
        )

    @property
    def verdict(self) -> str:
        failed, known = self.count("failed"), self.count("expected failure")
        if failed:
            return f"FAILS {failed} of {len(self.records)}" + (
                f" ({known} more are known)" if known else ""
            )
        level = "its own rule" if self.rule else f"{self.tolerance:g}"
        if known and self.wrong_optimum:
            return f"known to FAIL {known} of {len(self.records)}; the rest passes at {level}"
        return f"passes at {level}" + (
            f", but for {known} known finding{'s' * (known > 1)}" if known else ""
        )

    @property
    def wrong_optimum(self) -> bool:
        return any(r.name == "check_optimality" and r.status != "passed" for r in self.records)


def run(
    entry: Entry,
    progress: Callable[[str], None] | None = None,
    diagnose: bool = True,
    explain_known: bool = False,
    truths: dict[Any, Solution] | None = None,
) -> Outcome:
    """Every check over an entry. ``explain_known``: diagnose what is known to fail, too; ``truths``: shared by entries."""
    from msvm_ref.conformance.checks import CHECKS

    start = time.perf_counter()
    settings = dict(entry.settings)
    trial = make_trial(
        entry.solver, settings.pop("machine", None), entry.convention, truths=truths, **settings
    )
    records = []
    for name in entry.checks or tuple(CHECKS):
        records.append(run_check(trial, name, entry.expected.get(name), diagnose, explain_known))
        if progress is not None:
            progress(trial.solver.name[:40])
    how = (
        ""
        if trial.convention.bias != "penalized" or trial.convention.intercept_scaling == 1
        else (f", intercept scaling {trial.convention.intercept_scaling:g}")
    )
    return Outcome(
        trial.solver.name,
        trial.machine.name + (" squared" if trial.machine.cost == "quadratic" else ""),
        f"{trial.convention.name}{how}",
        trial.tolerance,
        tuple(records),
        tuple(trial.gaps),
        time.perf_counter() - start,
        "" if trial.rule is None else trial.rule.words,
    )
