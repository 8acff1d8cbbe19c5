"""method="auto": ground truth where it is quick, the fast solver elsewhere, and another one where the first falls short.

Measured (CPU, tolerance 1e-6, WW and CS, overlapping classes). rbf kernel: fast takes 5 to 17 ms at n = 15 and 16 to 70 ms at
n = 200, where the dual takes 14 to 25 ms and 50 to 380 ms. Linear kernel, p = 5, d = 3: the primal takes 0.02 to 0.04 s up to
n = 300 and 0.04 to 0.13 s at n = 2000, fast 0.03 to 0.08 s and 0.14 to 0.5 s; with p = 20, d = 5 they are even at n = 500.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from msvm_ref.errors import BackendError, DataError, ExactnessError
from msvm_ref.model.problem import Problem
from msvm_ref.solvers.deadline import Deadline
from msvm_ref.solvers.solution import Attempt, Solution
from msvm_ref.solvers.workspace import Workspace

TRUTH_UP_TO = 300
"""Margin components n d up to which the truth is taken: little is to be gained, and it repeats itself to the last bit."""
FEW_WEIGHTS = 300
"""Weights p d up to which the primal is quick for a linear kernel and any n."""
EXACT_UP_TO = 400
"""Margin components up to which rationals are tried where floats fell short, EXACT_SECONDS at most."""
EXACT_SECONDS, SECOND_SECONDS = 20.0, 20.0
TRUTH_AT_MOST = 20_000
"""Margin components up to which the truth is asked where the fast solver fell short, SECOND_SECONDS at most."""


def choose(problem: Problem) -> str:
    """The method that suits the problem's size."""
    return suited(problem.n, problem.d, problem.X.shape[1], problem.is_linear)


def suited(n: int, d: int, p: int, linear: bool) -> str:
    """``choose`` for n examples of p features in d classes."""
    few = linear and p * d <= FEW_WEIGHTS
    if n * d > TRUTH_UP_TO and not few:
        return "fast"
    return "primal" if linear else "dual"


def solve_auto(
    problem: Problem,
    *,
    tolerance: float,
    max_iter: int = 100_000,
    max_seconds: float = math.inf,
    seed: int = 0,
    cache_mb: float = 1000.0,
    workspace: Workspace | None = None,
) -> Solution:
    """By ``choose``'s method; where that misses the tolerance by others, one after the other, and the best of them all.

    ``max_iter``, ``seed`` and ``cache_mb`` are for the fast solver. ``method`` of the Solution says whose answer it is.
    """
    from msvm_ref.solvers.methods import options_of, solve  # the table that names this function

    deadline = Deadline.of("max_seconds", max_seconds)
    given = {"max_iter": max_iter, "seed": seed, "cache_mb": cache_mb}
    best: Solution | None = None
    attempts: list[Attempt] = []
    for method, seconds in _order(problem):
        if best is not None and (best.converged or deadline.passed):
            break
        known = options_of(method)
        options: dict[str, Any] = {k: v for k, v in given.items() if k in known}
        options["max_seconds"] = min(seconds, max(deadline.left, 1e-3))
        if best is not None and method == "exact":
            options["start"] = best
        began = deadline.spent
        try:
            solution = solve(problem, method, tolerance=tolerance, workspace=workspace, **options)
        except (BackendError, ExactnessError, DataError) as error:
            if best is None and isinstance(error, DataError):
                raise
            spent = deadline.spent - began
            attempts.append(Attempt(method, str(error)[:200], math.inf, spent, "no answer"))
            continue
        attempts += solution.attempts
        if best is None or solution.certificate.relative_gap < best.certificate.relative_gap:
            best = solution
    if best is None:
        raise BackendError("method 'auto'", "find an answer", "; ".join(map(str, attempts)))
    return replace(best, attempts=tuple(attempts))


def _order(problem: Problem) -> list[tuple[str, float]]:
    """(method, seconds at most) in the order in which they are asked."""
    first, size = choose(problem), problem.n * problem.d
    others = [("exact", EXACT_SECONDS)] if size <= EXACT_UP_TO else []
    if first != "fast":
        others.append(("fast", SECOND_SECONDS))
    elif size <= TRUTH_AT_MOST:
        others.append(("primal" if problem.is_linear else "dual", SECOND_SECONDS))
    return [(first, math.inf), *others]
