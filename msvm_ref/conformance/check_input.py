"""Checks of what is handed in: memory layouts and types, read-only arrays, nothing overwritten, nonsense refused."""

from __future__ import annotations

import traceback
from pathlib import Path
from typing import Any

import numpy as np

from msvm_ref.conformance.accuracy import innermost
from msvm_ref.conformance.adapters import EstimatorSolver, FunctionSolver
from msvm_ref.conformance.cases import BASE
from msvm_ref.conformance.command import CommandSolver
from msvm_ref.conformance.isolated import IsolatedSolver
from msvm_ref.conformance.process import CommandError
from msvm_ref.conformance.trial import Trial
from msvm_ref.conformance.verdicts import CheckFailed, SolverBroke, SolverStuck, ask
from msvm_ref.model.conventions.convention import INVERSE


def check_float32_input(trial: Trial) -> None:
    """BASE is exact in float32: the same numbers, the same optimum."""
    base = trial.shaped(BASE)
    trial.require_base(base)
    trial.require_optimal(
        base, trial.fit(base, X=np.asarray(base.X, dtype=np.float32)), " (float32)"
    )


def check_integer_input(trial: Trial) -> None:
    """Integers are numbers."""
    base = trial.shaped(BASE)
    case = base.with_("base doubled, in integers", X=base.X * 2, C=base.C / 4)
    trial.require_base(case)
    trial.require_optimal(case, trial.fit(case, X=np.asarray(case.X, dtype=np.int64)), " (int64)")


def check_noncontiguous_input(trial: Trial) -> None:
    """Fortran order and strided views hold the same numbers."""
    base = trial.shaped(BASE)
    trial.require_base(base)
    trial.require_optimal(base, trial.fit(base, X=np.asfortranarray(base.X)), " (Fortran order)")
    wide = np.zeros((len(base.X), 2 * base.X.shape[1]))
    wide[:, ::2] = base.X
    trial.require_optimal(base, trial.fit(base, X=wide[:, ::2]), " (strided view)")


def check_readonly_input(trial: Trial) -> None:
    """Arrays that must not be written to are enough to learn from."""
    base = trial.shaped(BASE)
    try:
        fitted = trial.fit(base, X=base.X)
    except SolverBroke as error:
        raise CheckFailed(f"refuses or writes to read-only X: {error}") from error
    trial.require_base(base)
    trial.require_optimal(base, fitted, " (read-only)")


def check_input_unchanged(trial: Trial) -> None:
    """X, y and the weights are as they were."""
    base = trial.shaped(BASE)
    X, y = np.array(base.X), np.array(base.y)
    takes = "sample_weight" in trial.solver.takes
    given = np.arange(1.0, len(y) + 1)
    weight = given.copy() if takes else None
    solver, C = trial.copied(), trial.constant(base)
    trial.timed(lambda: ask(solver.fit, X, y, C, weight))
    changed = [
        name
        for name, now, was in (("X", X, base.X), ("y", y, base.y), ("sample_weight", weight, given))
        if now is not None and not np.array_equal(now, was)
    ]
    if changed:
        raise CheckFailed(f"fit changed the caller's {' and '.join(changed)}")


def _refused(trial: Trial, what: str, X: Any, y: Any, C: float) -> str:
    """Who refused it; CheckFailed where nobody did, with who took it."""
    solver = trial.copied()
    try:
        trial.timed(lambda: ask(solver.fit, X, y, C))
    except SolverStuck as error:
        raise CheckFailed(f"neither refuses nor answers {what}: {error}") from error
    except SolverBroke as error:
        return f"{what}: refused by {refused_by(solver, error)}"
    raise CheckFailed(f"accepts {what}; {taken_by(solver)} took it")


def taken_by(solver: Any) -> str:
    """What stands between the suite and whatever learnt from the bad input."""
    inner = innermost(solver)
    if isinstance(inner, EstimatorSolver):
        return f"the library's own fit ({type(inner.estimator).__module__.partition('.')[0]})"
    if isinstance(inner, FunctionSolver):
        return "the function under test (an adapter, should a library be called in it)"
    if isinstance(inner, CommandSolver):
        return "the program (its adapter, should a library be called in it)"
    return f"the adapter {type(inner).__name__}"


def refused_by(solver: Any, error: SolverBroke) -> str:
    """The library, a program, or an adapter of this package: the innermost frame of what was raised tells."""
    cause = error.__cause__
    if isinstance(cause, CommandError):
        return "the program"
    if isinstance(solver, IsolatedSolver):  # whose traceback stays in its process
        return "the solver"
    last = traceback.extract_tb(cause.__traceback__)[-1] if cause is not None else None
    ours = last is not None and Path(last.filename).is_relative_to(Path(__file__).parent)
    return "the adapter, the library was not asked" if ours else "the library"


def check_refuses_nonfinite(trial: Trial) -> str:
    """NaN and infinity in X are refused, not learnt from."""
    base, told = trial.shaped(BASE), []
    for value in (np.nan, np.inf):
        X = np.array(base.X)
        X[1, 0] = value
        what = f"X with {value} in it"
        told.append(_refused(trial, what, X, np.array(base.y), trial.constant(base)))
    return "; ".join(told)


def check_refuses_mismatched_lengths(trial: Trial) -> str:
    """One label too few, or too many, is refused."""
    base, told = trial.shaped(BASE), []
    for what, y in (
        ("a label less than rows of X", np.array(base.y)[:-1]),
        ("a label more than rows of X", np.append(base.y, base.y[-1])),
    ):
        told.append(_refused(trial, what, np.array(base.X), y, trial.constant(base)))
    return "; ".join(told)


def check_refuses_nonpositive_C(trial: Trial) -> str:
    """A negative constant makes no problem, nor does NaN."""
    base = trial.shaped(BASE)
    name = "lambda" if trial.convention.parameter in INVERSE else "C"
    told = [
        _refused(trial, f"{name} = {value:g}", np.array(base.X), np.array(base.y), value)
        for value in (-1.0, np.nan)
    ]
    return "; ".join(told)
