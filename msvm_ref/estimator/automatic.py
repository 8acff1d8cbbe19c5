"""method="auto": ground truth where it is quick, the fast solver elsewhere.

Measured (CPU, tolerance 1e-6, WW and CS, overlapping classes). rbf kernel: fast takes 5 to 17 ms at n = 15 and 16 to 70 ms at
n = 200, where the dual takes 14 to 25 ms and 50 to 380 ms. Linear kernel, p = 5, d = 3: the primal takes 0.02 to 0.04 s up to
n = 300 and 0.04 to 0.13 s at n = 2000, fast 0.03 to 0.08 s and 0.14 to 0.5 s; with p = 20, d = 5 they are even at n = 500.
"""

from __future__ import annotations

from msvm_ref.errors import DataError
from msvm_ref.model.problem import Problem
from msvm_ref.solvers.methods import METHODS

TRUTH_UP_TO = 300
"""Margin components n d up to which the truth is taken: little is to be gained, and it repeats itself to the last bit."""
FEW_WEIGHTS = 300
"""Weights p d up to which the primal is quick for a linear kernel and any n."""


def choose(method: str, problem: Problem) -> str:
    """The method's own name, or for "auto" the one that suits the problem's size."""
    return suited(method, problem.n, problem.d, problem.X.shape[1], problem.is_linear)


def suited(method: str, n: int, d: int, p: int, linear: bool) -> str:
    """``choose`` for n examples of p features in d classes."""
    if method != "auto":
        if not isinstance(method, str) or method not in METHODS:
            raise DataError("method", f"be auto, {', '.join(METHODS)}", repr(method))
        return method
    few = linear and p * d <= FEW_WEIGHTS
    if n * d > TRUTH_UP_TO and not few:
        return "fast"
    return "primal" if linear else "dual"
