"""What decomposition methods with a cache and shrinking share: how a compiled loop ends, and when to look at everything again.

Shrinking leaves out of sight what sits at its bounds with a gradient that keeps it there by more than the largest violation
(Joachims, "Making Large-Scale SVM Learning Practical", 1998). When what is in sight is solved, the gradient is made afresh and
everything is looked at: only a rule met by all of it is met.
"""

from __future__ import annotations

from collections.abc import Callable

from msvm_ref.errors import DataError
from msvm_ref.solvers.classic.rows import KernelRows

MET, SPENT, STALLED, MISSING = 0, 1, 2, 3
"""The stopping rule holds; the iterations are spent; float64 has no better step; a kernel row has to be made."""
PERIOD = 1000
"""Iterations between two shrinkings, or as many as there are variables if that is less (LIBSVM's)."""


def period(shrinking: bool, variables: int) -> int:
    """Iterations between two shrinkings, 0 for never."""
    if not isinstance(shrinking, bool):
        raise DataError("shrinking", "be True or False", repr(shrinking))
    return min(max(variables, 1), PERIOD) if shrinking else 0


def steps(
    rows: KernelRows,
    loop: Callable[[int], tuple[int, int, int]],
    most: int,
    some_hidden: Callable[[], bool],
    refresh: Callable[[], None],
) -> tuple[int, int]:
    """(iterations, MET, SPENT or STALLED) of ``loop(most) -> (iterations, how it ended, the missing row)``."""
    taken = since = 0
    while True:
        spent, code, missing = loop(most - taken)
        taken, since = taken + spent, since + spent
        if code == MISSING:
            rows.make(missing)
        elif (code == MET and some_hidden()) or (code == STALLED and since > PERIOD):
            refresh()
            since = 0
        else:
            return taken, code
