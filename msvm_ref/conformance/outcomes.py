"""An Entry (a solver and its claim) and its Outcome (records, causes, certified errors): what a report tells."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from msvm_ref.conformance.causes import Cause, causes_of, known_causes
from msvm_ref.conformance.repeats import Repeats, repeated
from msvm_ref.conformance.suite import Record, attempt, make_trial, record_of, run_check
from msvm_ref.conformance.trial import Trial
from msvm_ref.model.conventions.convention import Convention
from msvm_ref.solvers.solution import Solution

OK, FAILS, UNDECIDED = "ok", "FAILS", "UNDECIDED"


@dataclass(frozen=True)
class Entry:
    """A solver, its claim and what is expected to fail."""

    solver: Any
    convention: Convention | str | None
    settings: Mapping[str, Any] = field(default_factory=dict)
    expected: Mapping[str, str] = field(default_factory=dict)
    """Check -> reason; the words before its first colon are what a terminal has room for."""
    checks: tuple[str, ...] = ()
    """Only these; all of them where empty."""
    label: str = ""
    """A short name, for one line of a terminal; the solver's own where empty."""
    repeats: int = 0
    """So many fits of a few cases, beside the checks."""


@dataclass(frozen=True)
class Outcome:
    """One entry's records, the causes of its failures, and every certified error for the plot."""

    title: str
    label: str
    machine: str
    convention: str
    tolerance: float
    records: tuple[Record, ...]
    causes: tuple[Cause, ...]
    gaps: tuple[dict[str, Any], ...]
    seconds: float
    repeats: tuple[Repeats, ...] = ()
    """The same fits many times over, where that was asked for."""
    rule: str = ""
    """The stopping rule the tolerances follow from, in words; empty where ``tolerance`` is one number."""

    def count(self, status: str) -> int:
        return sum(r.status == status for r in self.records)

    @property
    def passed(self) -> bool:
        """Did nothing fail but what is known to?"""
        return all(r.passed for r in self.records)

    @property
    def verdict(self) -> str:
        """ok, FAILS (also where that is known), or UNDECIDED: every check was skipped, or the enclosures of
        the optima were too wide for check_optimality, or for every fit."""
        if self.causes:
            return FAILS
        wide = [r.name for r in self.records if "truth_gap" in r.details]
        if "check_optimality" in wide or (wide and not self.gaps):
            return UNDECIDED
        return OK if self.count("passed") else UNDECIDED

    @property
    def truth_gap(self) -> float:
        """The widest enclosure of an optimum that could not tell at this tolerance; 0 where each could."""
        return max((r.details.get("truth_gap", 0.0) for r in self.records), default=0.0)

    @property
    def worst(self) -> float:
        """The largest certified error among fits that did not say "not converged"; among all where every one did."""
        claimed = [g["error"] for g in self.gaps if g["converged"] is not False]
        return max(claimed or (g["error"] for g in self.gaps), default=0.0)

    @property
    def admitted(self) -> float:
        """The largest certified error where the solver said itself that it had not converged."""
        return max((g["error"] for g in self.gaps if g["converged"] is False), default=0.0)

    @property
    def judged(self) -> str:
        """What the errors were held against."""
        allowed = [g["allowed"] for g in self.gaps]
        if self.rule and allowed:
            span = f"{min(allowed):.1g} to {max(allowed):.1g}"
            return f"{self.rule}; a relative gap of {span} on these problems"
        return f"a relative gap of {self.tolerance:g}"

    @property
    def remark(self) -> str:
        """The verdict's reason in a few words; it never claims more than the checks have shown."""
        if self.verdict == UNDECIDED:
            wide = f"optima are enclosed to {self.truth_gap:.0e} only"
            return wide if self.truth_gap else "no check could be decided"
        if self.verdict == OK:
            undecided = sum("truth_gap" in r.details for r in self.records)
            more = f", {undecided} checks undecided" if undecided else ""
            return (
                "keeps what its tol promises" if self.rule else f"within {self.tolerance:g}"
            ) + more
        if all(c.known for c in self.causes):
            main = max(self.causes, key=lambda c: len(c.checks))
            more = f" +{len(self.causes) - 1}" if len(self.causes) > 1 else ""
            first = main.checks[0].removeprefix("check_").replace("_", " ")
            about = f"{first}: " if len(main.checks) == 1 and first != "optimality" else ""
            return f"{about}{main.title}{more}"
        failed = self.count("failed")
        if len(self.causes) == 1 and failed > 1 and self.causes[0].explains:
            return f"one cause explains {failed} checks"
        if failed == 1:
            return f"fails {next(r.name for r in self.records if r.status == 'failed')}"
        return f"fails {failed} checks"


def run(
    entry: Entry,
    progress: Callable[[str], None] | None = None,
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
    records, failed = [], []
    for name in entry.checks or tuple(CHECKS):
        reason = entry.expected.get(name)
        if reason is not None:
            records.append(run_check(trial, name, reason, explain_known=explain_known))
        else:
            tried = attempt(trial, name)
            if tried.status == "failed":
                failed.append(tried)
                trial.asked.failed()
            records.append(record_of(tried))
        if progress is not None:
            progress(entry.label or trial.solver.name)
    gaps = tuple(trial.gaps)
    new = causes_of(trial, failed)
    broken = tuple(
        Cause("was expected to fail", r.message, (r.name,))
        for r in records
        if r.status == "failed" and r.name in entry.expected
    )
    return Outcome(
        trial.solver.name,
        entry.label or trial.solver.name,
        _machine(trial),
        _convention(trial),
        trial.tolerance,
        tuple(records),
        (*new, *broken, *known_causes(records)),
        gaps,
        time.perf_counter() - start,
        repeated(trial, entry.repeats) if entry.repeats else (),
        "" if trial.rule is None else trial.rule.words,
    )


def _machine(trial: Trial) -> str:
    if trial.convention.binary:
        return "binary"
    return trial.machine.name + ("²" if trial.machine.cost == "quadratic" else "")


def _convention(trial: Trial) -> str:
    scaling = trial.convention.intercept_scaling
    if trial.convention.bias != "penalized" or scaling == 1:
        return trial.convention.name
    return f"{trial.convention.name}, intercept scaling {scaling:g}"
