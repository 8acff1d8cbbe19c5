"""UV's own solver: SMO on the unified dual (``unified``), for every machine.

    until no KKT violation exceeds epsilon:
        choose one or two multipliers by second order (``working_set``)
        solve the dual in them exactly (``two_variables``)
        g <- g - step Q[., t] for each of them: a kernel row, and O(1) for each pair
        now and then shrink; when the rest is solved, look at everything again with the gradient made afresh

UV give the dual (5) and leave its solver to their supplement and to Dogan, Glasmachers, Igel, "Fast Training of Multi-Class
Support Vector Machines" (2011): working sets of size two without an equality constraint (S2DO), chosen by second order as in
Glasmachers, Igel, "Maximum-Gain Working Set Selection for SVMs", JMLR 7 (2006), with shrinking and a cache of kernel rows as
in Joachims (1998) and LIBSVM. A free bias adds the equality (6), which they reach by ``alternation``.
"""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np

from msvm_ref.errors import DataError
from msvm_ref.model.arrays import Array
from msvm_ref.model.problem import Problem
from msvm_ref.solvers.classic.drive import Run, positive_integer, sliced, until_certified
from msvm_ref.solvers.classic.kesler import Index
from msvm_ref.solvers.classic.rows import row_at
from msvm_ref.solvers.classic.shrinking import MET, MISSING, SPENT, STALLED, period, steps
from msvm_ref.solvers.classic.unified import UnifiedDual, column
from msvm_ref.solvers.classic.working_set import (
    first_in_boxes,
    first_in_simplices,
    second_in_boxes,
    second_in_simplex,
    shrink,
)
from msvm_ref.solvers.compiled import njit
from msvm_ref.solvers.deadline import Deadline
from msvm_ref.solvers.solution import Solution


def solve_uv_smo(
    problem: Problem,
    *,
    tolerance: float,
    working_set: int = 2,
    shrinking: bool = True,
    cache_mb: float = 256.0,
    max_iterations: int = 10_000_000,
    max_seconds: float = math.inf,
) -> Solution:
    """UV's SMO; every machine and cost, bias none or penalized.

    ``work`` has the iterations and the kernel evaluations; ``working_set`` is 1 or 2 (2 with shared slacks and a capped cost).
    """
    if problem.bias == "free":
        raise DataError(
            "bias",
            "be 'none' or 'penalized' for method 'uv-smo'",
            "'free'",
            "try method='alternation', which alternates it with the bias",
        )
    budget, deadline = (
        positive_integer("max_iterations", max_iterations),
        Deadline.of("max_seconds", max_seconds),
    )
    ascent = Ascent(problem, working_set, shrinking, cache_mb)

    def advance(precision: float) -> Run:
        code = ascent.solve(precision, budget, deadline)
        return Run(ascent.multipliers, ascent.work, code == MET, code == STALLED)

    return until_certified(problem, "uv-smo", tolerance, deadline, advance)


class Ascent:
    """Where SMO stands: multipliers of the pairs, their gradient at a bias b, and the pairs in sight."""

    def __init__(
        self, problem: Problem, working_set: int, shrinking: bool, cache_mb: float
    ) -> None:
        self.dual = UnifiedDual(problem, cache_mb)
        if working_set not in (1, 2) or isinstance(working_set, bool):
            raise DataError("working_set", "be 1 or 2", repr(working_set))
        if self.dual.simplex and working_set == 1:
            raise DataError(
                "working_set",
                "be 2 for a machine whose components share a slack",
                "1",
                "one multiplier cannot move where their sum is at its bound",
            )
        size = len(self.dual.pairs.owner)
        self.pair, self.iterations = working_set == 2, 0
        self.period = period(shrinking, size)
        self.b = np.zeros(problem.d)
        self.alpha, self.g, self.total = np.zeros(size), np.zeros(size), np.zeros(problem.n)
        self.active, self.seen = np.arange(size), np.ones(size, dtype=bool)
        self.state = np.zeros(2, dtype=np.int64)
        """How many pairs are in sight, and the iterations since they were last chosen."""

    @property
    def multipliers(self) -> Array:
        return self.dual.scatter(self.alpha)

    @property
    def work(self) -> dict[str, float]:
        return {"iterations": self.iterations, "kernel_evaluations": self.dual.rows.evaluations}

    def solve(self, precision: float, budget: int, deadline: Deadline) -> int:
        """From where it stands to KKT violations of at most precision x the largest target. MET, SPENT or STALLED."""
        code, loop = SPENT, partial(self.loop, precision * self.dual.scale)
        self.refresh()

        def step(most: int) -> tuple[int, bool]:
            nonlocal code
            spent, code = steps(self.dual.rows, loop, most, self.some_hidden, self.refresh)
            return spent, code == MET

        spent, _ = sliced(step, budget - self.iterations, deadline)
        self.iterations += spent
        return code

    def refresh(self) -> None:
        """Everything in sight, and the gradient afresh: what a run of updates has lost to rounding is regained."""
        pairs = self.dual.pairs
        self.g = self.dual.gradient(self.alpha, self.b)
        self.total[:] = np.bincount(pairs.owner, self.alpha, minlength=len(self.total))
        self.active, self.seen[:] = np.arange(len(self.alpha)), True
        self.state[:] = len(self.alpha), 0

    def some_hidden(self) -> bool:
        return bool(self.state[0] < len(self.alpha))

    def loop(self, epsilon: float, most: int) -> tuple[int, int, int]:
        return ascend(
            self.dual.pairs,
            self.dual.simplex,
            self.dual.rows.cache,
            self.alpha,
            self.total,
            self.g,
            self.active,
            self.seen,
            self.state,
            self.pair,
            self.period,
            epsilon,
            most,
        )


@njit(cache=True)
def ascend(
    pairs: Any,
    simplex: bool,
    cache: Any,
    alpha: Array,
    total: Array,
    g: Array,
    active: Index,
    seen: Any,
    state: Index,
    two: bool,
    pause: int,
    epsilon: float,
    budget: int,
) -> tuple[int, int, int]:
    """(iterations, how it ended, the kernel row that is missing or -1), in place on the pairs in sight."""
    d = pairs.nu.shape[0]
    M, Q_a, Q_b = np.empty((d, d)), np.empty(len(alpha)), np.empty(len(alpha))
    iteration = 0
    while True:
        size = state[0]
        if simplex:
            a, worst = first_in_simplices(pairs, alpha, total, g, active, size)
        else:
            a, worst = first_in_boxes(pairs, alpha, g, active, size, not two)
        if worst <= epsilon:
            return iteration, MET, -1
        if iteration >= budget:
            return iteration, SPENT, -1
        if a < 0:
            return iteration, STALLED, -1
        i = pairs.owner[a]
        at = row_at(cache, i)
        if at < 0:
            return iteration, MISSING, i
        column(pairs, a, cache.table[at], active, size, M, Q_a)
        if simplex:
            b, new_a, new_b = second_in_simplex(pairs, alpha, total, g, seen, a, Q_a)
        else:
            partners = size if two else 0
            b, new_a, new_b = second_in_boxes(pairs, alpha, g, active, partners, a, Q_a)
        j = pairs.owner[b]
        at = row_at(cache, j)
        if at < 0:
            return iteration, MISSING, j
        step_a, step_b = new_a - alpha[a], new_b - alpha[b] if b != a else 0.0
        if step_a == 0.0 and step_b == 0.0:
            return iteration, STALLED, -1
        if b != a:
            column(pairs, b, cache.table[at], active, size, M, Q_b)
        for k in range(size):
            t = active[k]
            g[t] -= step_a * Q_a[t] + (step_b * Q_b[t] if b != a else 0.0)
        alpha[a], alpha[b] = new_a, new_b
        if simplex:
            total[i] = alpha[pairs.start[i] : pairs.start[i + 1]].sum()
        iteration += 1
        state[1] += 1
        if pause > 0 and state[1] >= pause:
            state[1] = 0
            state[0] = shrink(pairs, simplex, alpha, total, g, active, size, seen, worst)
