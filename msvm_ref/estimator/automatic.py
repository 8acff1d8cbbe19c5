"""method="auto": ground truth where it is quick, the fast solver elsewhere.

Measured (CPU, tolerance 1e-6, d = 2, 3, 5, overlapping classes). rbf kernel: fast takes 4 to 15 ms at n = 15 and 16 to 60 ms at
n = 200 where the dual takes 13 to 28 ms and 40 to 510 ms. Linear kernel with p = 5: the primal takes 10 to 30 ms up to n = 200
and 0.1 s at n = 4000, fast 5 to 12 s there; with p = 40, d = 5 fast is the quicker one from n = 60 (12 to 94 ms, the primal
36 to 62 ms) on. Without the fast solver the dual is the quicker truth of a kernel up to about n d = 600 (iris 0.1 s, the
primal 0.2 to 0.7 s), the primal beyond (glass, n d = 1284: 0.2 to 1 s, the dual 0.6 to 5 s).
"""

from __future__ import annotations

from msvm_ref.errors import DataError
from msvm_ref.methods import METHODS
from msvm_ref.model.problem import Problem

TRUTH_UP_TO = 300
"""Margin components n d up to which the truth is taken: little is to be gained, and it repeats itself to the last bit."""
FEW_WEIGHTS = 100
"""Weights p d up to which the primal is quick for a linear kernel and any n."""
DUAL_UP_TO = 600
"""Components up to which the dual is the quicker truth of a non-linear kernel."""


def choose(method: str, problem: Problem) -> str:
    """The method's own name, or for "auto" the one that suits the problem's size."""
    if method != "auto":
        if not isinstance(method, str) or method not in METHODS:
            raise DataError("method", f"be auto, {', '.join(METHODS)}", repr(method))
        return method
    size = problem.n * problem.d
    few = problem.is_linear and problem.X.shape[1] * problem.d <= FEW_WEIGHTS
    if "fast" in METHODS and size > TRUTH_UP_TO and not few:
        return "fast"
    return "primal" if problem.is_linear or size > DUAL_UP_TO else "dual"
