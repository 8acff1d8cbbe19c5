"""The main job in one minute: ground truth for ten machines on iris, then scikit-learn before the judge."""

from __future__ import annotations

import json
import sys
import warnings
from typing import Any

import numpy as np

from msvm_ref.judge.certificate import Certificate
from msvm_ref.model.arrays import Array
from msvm_ref.model.catalogue import CATALOGUE, CS
from msvm_ref.model.problem import Problem
from msvm_ref.solvers.certifying import certify
from msvm_ref.solvers.methods import solve
from msvm_ref.solvers.truth.solve import ROUTES


def demo(as_json: bool = False) -> int:
    """Exit status 0 when every route is certified to 1e-9 and the routes' enclosures overlap."""
    from sklearn.datasets import load_iris

    X, y = load_iris(return_X_y=True)
    say = (lambda *_: None) if as_json else print
    say(
        "iris, C = 1, free bias, linear kernel: the optimum by three independent routes, each certified\n"
    )
    say(
        f"{'machine':<10} {'optimum in':<38} {'primal gap':>11} {'dual gap':>11} {'kesler gap':>11}  routes"
    )
    records, good = [], True
    for machine in CATALOGUE:
        problem = Problem(machine, X, y, C=1.0, bias="free")
        certificates = {route: solve(problem, method=route).certificate for route in ROUTES}
        lower = max(c.lower for c in certificates.values())
        upper = min(c.upper for c in certificates.values())
        agree = lower <= upper and all(c.optimal(1e-9) for c in certificates.values())
        good &= agree
        gaps = "  ".join(f"{c.relative_gap:>10.1e}" for c in certificates.values())
        say(
            f"{machine.name:<10} [{lower:.12f}, {upper:.12f}]".ljust(49)
            + f" {gaps}  {'agree' if agree else 'DISAGREE'}"
        )
        records.append(
            {
                "machine": machine.name,
                "lower": lower,
                "upper": upper,
                "agree": agree,
                "routes": {k: c.to_dict() for k, c in certificates.items()},
            }
        )
    verdicts = [_scikit_learn(X, y, scaling) for scaling in (1.0, 1000.0)]
    for scaling, verdict, claim in verdicts:
        say(
            f"\nscikit-learn's LinearSVC(multi_class='crammer_singer', C=1, intercept_scaling={scaling:g}): {claim}"
        )
        say("\n".join("  " + line for line in str(verdict).splitlines()))
    if as_json:
        json.dump(
            {
                "truth": records,
                "scikit_learn": [{"intercept_scaling": s, **v.to_dict()} for s, v, _ in verdicts],
            },
            sys.stdout,
            indent=1,
        )
        print()
    return 0 if good else 1


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
