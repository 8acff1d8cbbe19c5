"""What ``validate sklearn`` runs: scikit-learn's machines, the convention of each, and what is known to be wrong with them."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from msvm_ref.conformance.adapters import OneVsOnePair
from msvm_ref.conformance.cases import Case
from msvm_ref.conformance.suite import Record, make_trial, run_check
from msvm_ref.model import conventions as cv
from msvm_ref.model.arrays import frozen
from msvm_ref.model.convention import Convention


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
    def verdict(self) -> str:
        failed, known = self.count("failed"), self.count("expected failure")
        if failed:
            return f"FAILS {failed} of {len(self.records)}" + (f" ({known} more are known)" if known else "")
        return f"passes at {self.tolerance:g}" + (f", but for {known} known finding{'s' * (known > 1)}" if known else "")


def run(entry: Entry, progress: Callable[[str], None] | None = None, diagnose: bool = True) -> Outcome:
    """Every check over an entry."""
    from msvm_ref.conformance.checks import CHECKS

    start = time.perf_counter()
    settings = dict(entry.settings)
    trial = make_trial(entry.solver, settings.pop("machine", None), entry.convention, **settings)
    records = []
    for name in entry.checks or tuple(CHECKS):
        records.append(run_check(trial, name, entry.expected.get(name), diagnose))
        if progress is not None:
            progress(trial.solver.name[:40])
    how = "" if trial.convention.bias != "penalized" or trial.convention.intercept_scaling == 1 else (
        f", intercept scaling {trial.convention.intercept_scaling:g}")
    return Outcome(trial.solver.name, trial.machine.name + (" squared" if trial.machine.cost == "quadratic" else ""),
                   f"{trial.convention.name}{how}", trial.tolerance, tuple(records), tuple(trial.gaps),
                   time.perf_counter() - start)


def iris() -> Case:
    from sklearn.datasets import load_iris

    X, y = load_iris(return_X_y=True)
    return Case("iris", frozen(X), np.asarray(y), 4.0)


def scikit_learn() -> list[Entry]:
    """LinearSVC (CS, OVR, squared), SVC (two classes, and one pair of three), OneVsRestClassifier, SGDClassifier."""
    from sklearn.linear_model import SGDClassifier
    from sklearn.multiclass import OneVsRestClassifier
    from sklearn.svm import SVC, LinearSVC

    flower = (iris(),)
    early = "stops far from its optimum with a large intercept_scaling"
    about_it = ("check_optimality", "check_converged_flag", "check_scores_match_weights", "check_predict_is_argmax")
    stochastic = dict.fromkeys(
        ("check_optimality", "check_C", "check_bias_treatment", "check_converged_flag", "check_scaled_data"),
        "its stopping rule watches the training loss, not optimality")
    return [
        Entry(LinearSVC(multi_class="crammer_singer", random_state=0), cv.LIBLINEAR_CS, {"cases": flower}),
        Entry(LinearSVC(multi_class="crammer_singer", intercept_scaling=1000, random_state=0), cv.LIBLINEAR_CS,
              {"cases": flower}, {"check_optimality": early}, about_it),
        Entry(LinearSVC(loss="hinge", random_state=0), cv.LIBLINEAR_OVR),
        Entry(LinearSVC(random_state=0), cv.LIBLINEAR_OVR2),
        Entry(SVC(kernel="linear", random_state=0), cv.LIBSVM, {"tolerance": 1e-2}),
        Entry(OneVsOnePair(SVC(kernel="linear", random_state=0)), cv.LIBSVM, {"tolerance": 1e-2}),
        Entry(OneVsRestClassifier(SVC(kernel="linear", random_state=0)), cv.LIBSVM_OVR, {"tolerance": 1e-2}),
        Entry(SGDClassifier(loss="hinge", random_state=0), cv.SGD_OVA, {"tolerance": 0.1}, stochastic),
    ]
