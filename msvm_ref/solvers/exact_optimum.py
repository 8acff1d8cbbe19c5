"""exact_optimum(problem): the proved rational optimum, with the starting guess taken from the ground truth.

The guess saves work and decides nothing: ``exact.optimum`` finds, ``exact.check`` proves.
"""

from __future__ import annotations

import time

import numpy as np

from msvm_ref.errors import BackendError, DataError, ExactnessError
from msvm_ref.exact.optimum import ExactOptimum, Gram, prove_optimum, refuse_beyond_size
from msvm_ref.judge.candidate import Candidate
from msvm_ref.model.arrays import real_number
from msvm_ref.model.kernels import Polynomial, Rbf
from msvm_ref.model.problem import Problem
from msvm_ref.solvers.methods import solve


def exact_optimum(
    problem: Problem, seconds: float = 60.0, gram: Gram | None = None
) -> ExactOptimum:
    """value, W, b, alpha as Fractions, proved optimal; ExactnessError beyond the stated size or time (see exact.optimum).

    The problem's own kernel must be rational: linear, polynomial, or a Gram (taken by its factor). An rbf kernel is not:
    ``gram="factor"`` then solves ``problem.on_factor()``, a linear problem close by, and ``gram="kernel"`` its float64 Gram
    taken bit by bit, where that is PSD.

    ``seconds`` counts from this call, the float solution it starts from included, and is looked at inside the loops. The size
    is refused at once.
    """
    if not isinstance(problem, Problem):
        raise DataError("problem", "be a Problem", repr(problem)[:80])
    if gram not in ("factor", "kernel", None):
        raise DataError("gram", "be 'factor', 'kernel' or None", repr(gram))
    allowed = real_number(seconds)
    if allowed is None or allowed < 0:
        raise DataError("seconds", "be a finite, non-negative number", repr(seconds))
    if gram is None and isinstance(problem.kernel.function, Rbf):
        raise ExactnessError(
            "kernel",
            "be rational for an exact optimum",
            f"{problem.kernel}",
            "use certify(..., rigorous=True), or gram='factor' for the linear problem on its Gram's factor",
        )
    started = time.perf_counter()
    refuse_beyond_size(problem)
    if gram is None:
        gram = "kernel" if isinstance(problem.kernel.function, Polynomial) else "factor"
    if gram == "factor":
        problem = problem.on_factor()
    if problem.features.shape[1] == 0:
        raise ExactnessError(
            "problem", "have at least one feature of positive rank", "none", "add a column of zeros"
        )
    guess = _guess(problem, max(allowed - (time.perf_counter() - started), 1e-3))
    return prove_optimum(problem, guess, allowed, gram, started)


def _guess(problem: Problem, seconds: float) -> Candidate:
    """The ground truth's candidate; zero where no backend answers (then only the work grows)."""
    try:
        return solve(problem, tolerance=1e-11, max_seconds=seconds).candidate
    except BackendError:
        rank, d = problem.features.shape[1], problem.d
        return Candidate(np.zeros((rank, d)), np.zeros(d), np.zeros((problem.n, d)))
