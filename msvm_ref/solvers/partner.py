"""A dual point for a large primal candidate: the fast solver, started from what the candidate's margins suggest.

It ends when the enclosure it gives is at most twice as wide as the candidate is wrong (``fast/aim.py``). What comes out is a
proposal like anyone's: the judge repairs and evaluates it.
"""

from __future__ import annotations

from msvm_ref.judge.candidate import Candidate
from msvm_ref.model.arrays import Array
from msvm_ref.model.loss import violations
from msvm_ref.model.problem import Problem
from msvm_ref.solvers.lower_bound import suggested_alpha

LARGE = 5_000
"""Margin components n d from which a solver is worth starting; below, ``lower_bound.best_dual`` finds all digits soon."""
PRECISION, ROUGH_PRECISION, ROUGH_FROM = 1e-9, 1e-7, 50_000
"""What is left for a candidate without error; the rougher one from so many margin components on."""


def is_large(problem: Problem) -> bool:
    return problem.n * problem.d > LARGE


def partner(problem: Problem, scores: Array, b: Array, value: float) -> Candidate:
    """The solver's candidate, alpha included, for one with these scores (without bias), bias and primal value."""
    precision = ROUGH_PRECISION if problem.n * problem.d > ROUGH_FROM else PRECISION
    start = Candidate(b=b, alpha=suggested_alpha(problem, violations(problem, scores + b)))
    from msvm_ref.solvers.fast.solve import propose  # numba is loaded where it is needed

    return propose(problem, precision, start, value)
