"""method="auto": ground truth where it is quick, the fast solver elsewhere.

Measured (CPU seconds, tolerance 1e-6): with a linear kernel the primal takes 15 to 40 ms up to n = 400. With an rbf kernel
the dual is the quicker truth while it is small (iris, n d = 450, three machines and two biases: 0.07 to 0.15 s, the primal
0.18 to 0.66 s), and the primal later (glass, n d = 1284: 0.2 to 1.0 s, the dual 0.6 to 5 s).
"""

from __future__ import annotations

from msvm_ref.errors import DataError
from msvm_ref.methods import METHODS
from msvm_ref.model.problem import Problem

TRUTH_UP_TO = 300
"""Margin components n d up to which the truth is quick with any kernel."""
DUAL_UP_TO = 600
"""Components up to which the dual is the quicker truth of a non-linear kernel."""


def choose(method: str, problem: Problem) -> str:
    """The method's own name, or for "auto" the one that suits the problem's size."""
    if method != "auto":
        if not isinstance(method, str) or method not in METHODS:
            raise DataError("method", f"be auto, {', '.join(METHODS)}", repr(method))
        return method
    size = problem.n * problem.d
    if "fast" in METHODS and size > TRUTH_UP_TO:
        return "fast"
    return "primal" if problem.is_linear or size > DUAL_UP_TO else "dual"
