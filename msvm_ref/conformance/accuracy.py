"""Is it merely inaccurate? The solver is asked again with its own knobs: more iterations, a smaller tolerance, both."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from msvm_ref.conformance.adapters import EstimatorSolver, FunctionSolver, Solver
from msvm_ref.conformance.cases import Case
from msvm_ref.conformance.isolated import IsolatedSolver
from msvm_ref.conformance.trial import Trial, error_of
from msvm_ref.conformance.verdicts import CheckFailed, CheckSkipped
from msvm_ref.conformance.without import Undemanding
from msvm_ref.model.arrays import frozen

TOLERANCES = ("tol", "tolerance", "eps", "epsilon", "gap", "stopping_tolerance")
ITERATIONS = (
    "max_iter",
    "max_iterations",
    "maxiter",
    "iterations",
    "n_iter",
    "epochs",
    "max_epochs",
)
TIGHTER, LONGER = 1e-6, 100
LEAST = 1e-14
HELPS = 10.0
"""An error that a millionth of the tolerance makes not even so many times smaller does not follow the tolerance."""


@dataclass(frozen=True)
class Inaccurate:
    """What its knobs do to an error. ``trial``: the solver turned so that it is right; None where no knob makes it so."""

    words: str
    trial: Trial | None


def inaccurate(trial: Trial, case: Case | None) -> Inaccurate | None:
    """None where the solver shows no knob, or where turning them helps without making it right."""
    if case is None:
        return None
    shown = knobs(trial.solver)
    limits = {k: v for k, v in shown.items() if _last(k) in ITERATIONS}
    rules = {k: v for k, v in shown.items() if _last(k) in TOLERANCES}
    more = {k: int(v * LONGER) for k, v in limits.items()}
    finer = {k: max(v * TIGHTER, LEAST) for k, v in rules.items()}
    before = _error(trial, case)
    after = np.inf
    for changes, words in _turns(limits, more, rules, finer):
        turned = varied(trial.solver, changes)
        if turned is None:
            return None
        other = replace(trial, solver=turned, gaps=[])
        after = _error(other, case)
        if after <= trial.allowed(trial.pose(case)):
            return Inaccurate(f"{words} (error {before:.1e}, then {after:.1e})", other)
    if finer and not after * HELPS <= before:
        told = ", ".join(f"{k} = {v:g} to {finer[k]:g}" for k, v in rules.items())
        return Inaccurate(
            f"inaccurate, and does not tighten with its tolerance: {told} leaves an error of {after:.1e}",
            None,
        )
    return None


def _turns(
    limits: dict[str, Any], more: dict[str, Any], rules: dict[str, Any], finer: dict[str, Any]
) -> Iterator[tuple[dict[str, Any], str]]:
    """One knob before two."""
    stopped = ", ".join(f"{k} = {v:g}" for k, v in limits.items())
    tightened = ", ".join(f"{k} = {v:g} to {finer[k]:g}" for k, v in rules.items())
    if limits:
        yield more, f"stopped by its iteration limit, {stopped}: right with {LONGER} times as many"
    if rules:
        yield finer, f"inaccurate, and tightens with its tolerance: right with {tightened}"
    if limits and rules:
        words = f"inaccurate: right with {tightened} and {LONGER} times the iterations"
        yield {**more, **finer}, words


def float32_kernel(trial: Trial, case: Case | None, error: float) -> str:
    """Words where the error is that of kernel entries in float32, else "".

    Shown twice: it is no more than such roundings cost, u sum_ij |K_ij| |<A_i, A_j>| / P with u = 2^-24; and on the same
    rows rounded until float32 holds every entry of K exactly the solver is right.
    """
    if case is None or case.X.size == 0 or _exact_kernel(case.X):
        return ""
    problem = trial.pose(case).problem
    if not problem.is_linear:
        return ""
    truth = trial.truth(problem)
    A = truth.coef
    cost = 2.0**-24 * float((abs(problem.gram) * abs(A @ A.T)).sum()) / truth.objective
    step = 2.0 ** np.ceil(np.log2(abs(case.X).max()) - 10)
    rounded = case.with_(f"{case.name}, rounded", X=frozen(np.round(case.X / step) * step))
    if not (error <= cost and _exact_kernel(rounded.X)):
        return ""
    if not _error(replace(trial, gaps=[]), rounded) <= trial.allowed(trial.pose(rounded)):
        return ""
    return f"kernel entries in float32: they may cost {cost:.1e}, and on rows whose products float32 holds it is right"


def _exact_kernel(X: Any) -> bool:
    K = X @ X.T
    return bool(np.array_equal(K, K.astype(np.float32).astype(float)))


def _error(trial: Trial, case: Case) -> float:
    """Of a plain fit; infinite where there is none."""
    try:
        return error_of(trial.judge(case, trial.fit(case))[0])
    except (CheckFailed, CheckSkipped):
        return float(np.inf)


def _last(name: str) -> str:
    return name.rpartition("__")[2]


def knobs(solver: Solver) -> dict[str, Any]:
    """Numbers of the solver that are named like a tolerance or an iteration limit."""
    inner = innermost(solver)
    shown: dict[str, Any] = {}
    if isinstance(inner, EstimatorSolver):
        model = inner.estimator
        shown = model.get_params() if hasattr(model, "get_params") else vars(model)
    elif isinstance(inner, FunctionSolver):
        parameters = inspect.signature(inner.function).parameters.values()
        shown = {p.name: p.default for p in parameters}
    return {
        k: v
        for k, v in shown.items()
        if _last(k) in (*TOLERANCES, *ITERATIONS)
        and isinstance(v, (int, float))
        and not isinstance(v, bool)
        and v > 0
    }


def varied(solver: Solver, changes: dict[str, Any]) -> Solver | None:
    """The solver with other settings; None where it is not known how."""
    if isinstance(solver, Undemanding):
        inside = varied(solver.solver, changes)
        return None if inside is None else Undemanding(inside, solver.missing)
    if isinstance(solver, IsolatedSolver):
        inside = varied(solver.solver, changes)
        return None if inside is None else IsolatedSolver(inside, solver.timeout)
    if isinstance(solver, FunctionSolver):
        return FunctionSolver(functools.partial(solver.function, **changes), solver.name)
    if not isinstance(solver, EstimatorSolver):
        return None
    made = solver.copy()
    if hasattr(made.estimator, "set_params"):
        made.estimator.set_params(**changes)
    else:
        for name, value in changes.items():
            setattr(made.estimator, name, value)
    return made


def innermost(solver: Any) -> Any:
    """The solver inside what isolates it or declares less of it."""
    while isinstance(solver, (Undemanding, IsolatedSolver)):
        solver = solver.solver
    return solver
