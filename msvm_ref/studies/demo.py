"""The main job in one minute: ground truth for ten machines on iris, then scikit-learn before the judge."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from msvm_ref.judge.certificate import Certificate
from msvm_ref.model.arrays import Array
from msvm_ref.model.catalogue import CATALOGUE, CS
from msvm_ref.model.problem import Problem
from msvm_ref.solvers.certifying import certify
from msvm_ref.solvers.methods import solve
from msvm_ref.solvers.truth.solve import ROUTES


@dataclass(frozen=True)
class Truth:
    """One machine: the intersection of the routes' enclosures, and each route's certificate."""

    machine: str
    lower: float
    upper: float
    certificates: Mapping[str, Certificate]

    @property
    def agree(self) -> bool:
        return self.lower <= self.upper and all(c.optimal(1e-9) for c in self.certificates.values())

    def __str__(self) -> str:
        gaps = "  ".join(f"{c.relative_gap:7.1e}" for c in self.certificates.values())
        interval = f"[{self.lower:.9f}, {self.upper:.9f}]"
        return f"{self.machine:<10} {interval:<30} {gaps}  {'agree' if self.agree else 'DISAGREE'}"

    def to_dict(self) -> dict[str, Any]:
        return {
            "machine": self.machine,
            "lower": self.lower,
            "upper": self.upper,
            "agree": self.agree,
            "routes": {k: c.to_dict() for k, c in self.certificates.items()},
        }


@dataclass(frozen=True)
class Demo:
    """What ``demo`` found, as text of 80 columns or as a dict."""

    truths: tuple[Truth, ...]
    scikit_learn: tuple[tuple[float, Certificate, str], ...]

    @property
    def agree(self) -> bool:
        return all(truth.agree for truth in self.truths)

    def __str__(self) -> str:
        lines = [
            "iris, C = 1, free bias, linear: each optimum by three independent routes,",
            "each route's answer certified by a judge that shares no line with it",
            f"{'machine':<10} {'optimum in':<30} {'primal':>7}  {'dual':>7}  {'kesler':>7}  gaps",
            *map(str, self.truths),
        ]
        for scaling, verdict, claim in self.scikit_learn:
            lines += [
                "",
                f"scikit-learn LinearSVC(multi_class='crammer_singer', intercept_scaling={scaling:g})",
                f"  {claim}",
                *(f"  {line}" for line in str(verdict).splitlines()[:4]),
            ]
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        return {
            "truth": [truth.to_dict() for truth in self.truths],
            "scikit_learn": [
                {"intercept_scaling": s, **v.to_dict()} for s, v, _ in self.scikit_learn
            ],
        }


SCALINGS = (1.0, 1000.0)


def steps() -> int:
    """How often ``demo`` calls ``progress``."""
    return len(CATALOGUE) + len(SCALINGS)


def demo(progress: Callable[[str], None] | None = None) -> Demo:
    """``agree`` when every route is certified to 1e-9 and the routes' enclosures overlap."""
    from sklearn.datasets import load_iris

    X, y = load_iris(return_X_y=True)
    report = progress or (lambda what: None)
    truths = []
    for machine in CATALOGUE:
        problem = Problem(machine, X, y, C=1.0, bias="free")
        certificates = {route: solve(problem, method=route).certificate for route in ROUTES}
        lower = max(c.lower for c in certificates.values())
        truths.append(
            Truth(machine.name, lower, min(c.upper for c in certificates.values()), certificates)
        )
        report(machine.name)
    verdicts = []
    for scaling in SCALINGS:
        verdicts.append(_scikit_learn(X, y, scaling))
        report("scikit-learn")
    return Demo(tuple(truths), tuple(verdicts))


def _scikit_learn(X: Array, y: Any, scaling: float) -> tuple[float, Certificate, str]:
    """LinearSVC's CS machine judged in its own convention.

    Its objective is 1/2 ||w||^2 + C sum xi with f_y - f_c >= 1 - xi and a constant feature ``intercept_scaling``;
    ours has 1/2 (f_y - f_c) >= 1 - xi. So C_ours = 4 C, f_ours = 2 f (docs/mathematics.md, section 2), the constant
    is a column of X, and our objective is 4 times theirs.
    """
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.svm import LinearSVC

    model = LinearSVC(
        multi_class="crammer_singer", C=1.0, intercept_scaling=scaling, random_state=0
    )
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.fit(X, y)
    warned = any(issubclass(w.category, ConvergenceWarning) for w in caught)
    columns = np.column_stack([X, np.full(len(X), scaling)])
    weights = np.vstack([model.coef_.T, model.intercept_ / scaling])
    verdict = certify(Problem(CS, columns, y, C=4.0), W=2 * weights, reference=solve)
    claim = "it warned that it had not converged" if warned else "it gave no convergence warning"
    return (
        scaling,
        verdict,
        f"objective {(verdict.primal_value or 0.0) / 4:.4f} in its own units; {claim}",
    )
