"""A dual point for a large primal candidate: the fast solver, started from what the candidate's margins suggest.

It climbs to finer and finer tolerances, until its own P and D, and P(W) of the candidate, show that

    optimum - D  <=  (P(W) - optimum) + PRECISION P        (since D <= optimum <= P and P(W) - P <= P(W) - optimum)

so that the enclosure built on D is at most twice as wide as the candidate is wrong. What comes out is a proposal like anyone's:
the judge repairs and evaluates it.
"""

from __future__ import annotations

from msvm_ref.judge.candidate import Candidate
from msvm_ref.model.arrays import Array
from msvm_ref.model.loss import violations
from msvm_ref.model.problem import Problem
from msvm_ref.solvers.lower_bound import suggested_alpha
from msvm_ref.solvers.methods import solve
from msvm_ref.solvers.solution import Solution

LARGE = 5_000
"""Margin components n d from which a solver is worth starting; below, ``lower_bound.best_dual`` finds all digits soon."""
COARSEST, SHARE, FINER = 1e-2, 0.45, 0.5
"""The first tolerance; of the candidate's error, as far as it is known, and of the last tolerance, what the next one is."""
PRECISION, ROUGH_PRECISION, ROUGH_FROM = 1e-9, 1e-7, 50_000
"""What is left for a candidate without error; the rougher one from so many margin components on."""


def is_large(problem: Problem) -> bool:
    return problem.n * problem.d > LARGE


def partner(problem: Problem, scores: Array, b: Array, value: float) -> Candidate:
    """The solver's candidate, alpha included, for one with these scores (without bias), bias and primal value."""
    precision = ROUGH_PRECISION if problem.n * problem.d > ROUGH_FROM else PRECISION
    alpha = suggested_alpha(problem, violations(problem, scores + b))
    start: Candidate | Solution = Candidate(b=b, alpha=alpha)
    tolerance = COARSEST
    while True:
        start = solve(problem, "fast", tolerance=tolerance, start=start)
        own = start.certificate
        short = own.gap - max(value - own.upper, 0.0) - precision * own.upper
        if not short > 0 or not start.converged or tolerance <= precision:
            return start.candidate
        error = (value - own.lower) / own.upper  # at least the candidate's; half of it is enough
        tolerance = max(min(SHARE * error, FINER * tolerance), precision)
