"""exact_optimum(problem): the proved rational optimum, with the starting guess taken from the ground truth.

The guess saves work and decides nothing: ``judge.exact`` finds, ``judge.exact_check`` proves.
"""

from __future__ import annotations

from msvm_ref.judge.exact import ExactnessError, ExactOptimum
from msvm_ref.judge.exact import exact_optimum as _from_guess
from msvm_ref.model.problem import Problem
from msvm_ref.truth.solve import solve

__all__ = ["ExactOptimum", "ExactnessError", "exact_optimum"]


def exact_optimum(problem: Problem, seconds: float = 60.0) -> ExactOptimum:
    """value, W, b, alpha as Fractions, proved optimal; ExactnessError beyond the stated size or time (see judge.exact)."""
    return _from_guess(problem, solve(problem, tolerance=1e-11), seconds)
