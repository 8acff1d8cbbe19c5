"""Where proposals come from: the package's solvers, which decide nothing here. The only file that knows them."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np

import msvm_ref as mr
from msvm_ref.exact.optimum import prove_optimum
from msvm_ref.judge.candidate import Candidate
from tests.adversary.evaluator import Exact
from tests.adversary.scaled import Scaled, scaled

ATTEMPTS = (("primal", 1e-7), ("primal", 1e-11), ("fast", 1e-11))
SECONDS = 1.0


@lru_cache(maxsize=8)
def solution(problem: mr.Problem, method: str = "primal", tolerance: float = 1e-7) -> Any:
    """A Solution, or None where the package gives a typed refusal."""
    with contextlib.suppress(mr.MsvmError), np.errstate(all="ignore"):
        options: Any = {"max_seconds": SECONDS} if method == "fast" else {}
        return mr.solve(problem, method, tolerance=tolerance, **options)
    return None


def float_guesses(problem: mr.Problem, small: Exact, which: list[int]) -> Iterator[tuple[Any, Any]]:
    """(alpha, b) of the problem with equal examples merged, better and dearer with every attempt."""
    reduced = merged_problem(problem, small, which)
    gap = np.inf
    for method, tolerance in ATTEMPTS:
        answer = solution(reduced, method, tolerance) if reduced and gap > tolerance else None
        if answer is not None:
            gap = min(gap, answer.certificate.relative_gap)
            yield np.asarray(answer.alpha), np.asarray(answer.b)


def merged_problem(problem: mr.Problem, small: Exact, which: list[int]) -> mr.Problem | None:
    """The problem over the merged examples, their joint costs rounded to floats; None where that is refused."""
    if small.n == problem.n:
        return problem
    first = [which.index(k) for k in range(small.n)]
    X = problem.X[np.ix_(first, first)] if problem.kernel == mr.precomputed else problem.X[first]
    weight = [float(cost / Fraction(problem.C)) for cost in small.costs]
    with contextlib.suppress(mr.MsvmError):
        return mr.Problem(
            problem.machine,
            X,
            problem.y[first],
            problem.C,
            problem.kernel,
            problem.bias,
            weight,
            n_classes=problem.d,
        )
    return None


def exact_guess(problem: mr.Problem, alpha: Any, b: Any) -> Iterator[tuple[Scaled, Scaled]]:
    """(alpha, b) in rationals from the package's own exact search, started at a float point."""
    linear = problem.kernel == mr.linear
    start = Candidate(np.zeros((problem.features.shape[1], problem.d)), b, alpha)
    with contextlib.suppress(mr.MsvmError):
        point = prove_optimum(problem, start, SECONDS, "factor" if linear else "kernel")
        yield scaled(point.alpha), scaled(point.b)
