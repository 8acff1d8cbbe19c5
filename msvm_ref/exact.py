"""exact_optimum(problem): the proved rational optimum, with the starting guess taken from the ground truth.

The guess saves work and decides nothing: ``judge.exact`` finds, ``judge.exact_check`` proves.
"""

from __future__ import annotations

import time

import numpy as np

from msvm_ref.errors import BackendError, DataError
from msvm_ref.judge.candidate import Candidate
from msvm_ref.judge.exact import ExactnessError, ExactOptimum, Gram, refuse_beyond_size
from msvm_ref.judge.exact import exact_optimum as _from_guess
from msvm_ref.methods import solve
from msvm_ref.model.arrays import real_number
from msvm_ref.model.problem import Problem

__all__ = ["ExactOptimum", "ExactnessError", "exact_optimum"]


def exact_optimum(problem: Problem, seconds: float = 60.0, gram: Gram = "factor") -> ExactOptimum:
    """value, W, b, alpha as Fractions, proved optimal; ExactnessError beyond the stated size or time (see judge.exact).

    ``seconds`` counts from this call, the float solution it starts from included. It is looked at after that solution and
    between the exact steps; neither a backend nor an exact step under way is interrupted. The size is refused at once.
    """
    if not isinstance(problem, Problem):
        raise DataError("problem", "be a Problem", repr(problem)[:80])
    if gram not in ("factor", "kernel"):
        raise DataError("gram", "be 'factor' or 'kernel'", repr(gram))
    allowed = real_number(seconds)
    if allowed is None or allowed < 0:
        raise DataError("seconds", "be a finite, non-negative number", repr(seconds))
    if problem.features.shape[1] == 0:
        raise ExactnessError("problem", "have at least one feature of positive rank", "none", "add a column of zeros")
    started = time.perf_counter()
    refuse_beyond_size(problem)
    return _from_guess(problem, _guess(problem), allowed, gram, started)


def _guess(problem: Problem) -> Candidate:
    """The ground truth's candidate; zero where no backend answers (then only the work grows)."""
    try:
        return solve(problem, tolerance=1e-11).candidate
    except BackendError:
        rank, d = problem.features.shape[1], problem.d
        return Candidate(np.zeros((rank, d)), np.zeros(d), np.zeros((problem.n, d)))
