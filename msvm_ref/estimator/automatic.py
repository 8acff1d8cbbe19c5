"""method="auto": ground truth where it is quick, the fast solver elsewhere.

Measured (CPU, tolerance 1e-6, WW, overlapping classes). rbf kernel: fast takes 5 to 17 ms at n = 15 and 16 to 70 ms at n = 200,
where the dual takes 14 to 25 ms and 50 to 380 ms. Linear kernel: with p = 5 the primal takes 11 to 27 ms up to n = 200 and
0.1 s at n = 4000, fast 18 to 84 ms and 10 s; with p = 40 and d = 5 the primal takes 0.3 to 0.4 s at n = 1000 and 1.1 to 1.5 s
at n = 4000, fast 0.08 s (bias penalized) to 10 s (free) and more. Without the fast solver the dual is the quicker truth of a
kernel up to about n d = 600 (iris 0.1 s, the primal 0.2 to 0.7 s), the primal beyond (glass: 0.2 to 1 s, the dual 0.6 to 5 s).
"""

from __future__ import annotations

from msvm_ref.errors import DataError
from msvm_ref.methods import METHODS
from msvm_ref.model.problem import Problem

TRUTH_UP_TO = 300
"""Margin components n d up to which the truth is taken: little is to be gained, and it repeats itself to the last bit."""
FEW_WEIGHTS = 300
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
