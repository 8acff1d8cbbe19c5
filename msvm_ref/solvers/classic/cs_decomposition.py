"""Hsu and Lin's decomposition for the Crammer-Singer machine, HL (16) to (21), and with a penalized bias (24).

    (17)  min 1/2 sum_ij K_ij <a_i, a_j> + sum_i <a_i, e_i>    s.t.  sum_m a_i^m = 0,  a_i^m <= C delta(m, y_i)
          e_i^m = 1 - delta(m, y_i),   w_m = sum_i a_i^m phi(x_i)                    (margin 1: ``relative`` has the units)
    (24)  the same with K_ij + 1,  b_m = sum_i a_i^m
    gradient  G_i^m = sum_j K_ij a_j^m + e_i^m
    (19)  violation_i = max_m G_i^m - min {G_i^m : a_i^m < C delta(m, y_i)} <= 0 at the optimum
    (20)  the next block is the example with the largest violation; (18) solves it (``cs_block``)
    (21)  stop when the largest violation is at most epsilon.

The bound behind (21): with delta_i^m = C delta(m,y_i) - a_i^m >= 0 and sum_m delta_i^m = C, the duality gap at w(a) is

    sum_i sum_m delta_i^m (max G_i - G_i^m) <= C sum_i violation_i.

Rows of K are cached (``rows``). Shrinking: an example leaves where one m alone has a_i^m below its bound, so that nothing can
move, and G_i^m beats every other G_i by more than the largest violation.
"""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np

from msvm_ref.errors import DataError
from msvm_ref.model.arrays import Array
from msvm_ref.model.problem import Problem
from msvm_ref.solvers.classic.cs_block import solve_block
from msvm_ref.solvers.classic.drive import Run, own_rule, positive_integer, sliced, until_certified
from msvm_ref.solvers.classic.kesler import Index
from msvm_ref.solvers.classic.relative import Relative
from msvm_ref.solvers.classic.rows import KernelRows, row_at
from msvm_ref.solvers.classic.shrinking import MET, MISSING, SPENT, STALLED, period, steps
from msvm_ref.solvers.compiled import njit
from msvm_ref.solvers.deadline import Deadline
from msvm_ref.solvers.solution import Solution


def solve_cs_decomposition(
    problem: Problem,
    *,
    tolerance: float,
    block: Literal["sorting", "fixed-point"] = "sorting",
    shrinking: bool = True,
    cache_mb: float = 256.0,
    max_iterations: int = 2_000_000,
    max_seconds: float = math.inf,
    epsilon: float | None = None,
) -> Solution:
    """HL's decomposition; for a relative margin with a shared slack and linear cost (CS), bias none or penalized.

    ``work`` has the iterations and ``gap_bound``, C sum violation in the problem's own units.
    ``epsilon`` stops by (21) at that violation, as HL do at 1e-3, whatever the gap.
    """
    if block not in ("sorting", "fixed-point"):
        raise DataError("block", "be 'sorting' or 'fixed-point'", repr(block))
    theirs = Relative(
        problem,
        "cs-decomposition",
        "HL (16) and (24)",
        margin=1,
        shared=True,
        biases=("none", "penalized"),
    )
    budget = positive_integer("max_iterations", max_iterations)
    deadline = Deadline.of("max_seconds", max_seconds)
    y, costs, n, by_sorting = problem.y, theirs.costs, problem.n, block == "sorting"
    e = 1.0 - np.eye(problem.d)[y]
    a, iterations = np.zeros((n, problem.d)), 0
    rows, pause = KernelRows(problem, cache_mb, least=1), period(shrinking, a.size)
    G, examples, state = np.empty_like(a), np.arange(n), np.array([n, 0])

    def refresh() -> None:
        G[:], examples[:], state[:] = rows.product(a) + e, np.arange(n), (n, 0)

    def advance(precision: float) -> Run:
        nonlocal iterations
        code = SPENT

        def loop(most: int) -> tuple[int, int, int]:
            return decompose(
                rows.cache, y, costs, a, G, examples, state, by_sorting, pause, precision, most
            )

        def step(most: int) -> tuple[int, bool]:
            nonlocal code
            spent, code = steps(rows, loop, most, lambda: bool(state[0] < n), refresh)
            return spent, code == MET

        refresh()
        spent, met = sliced(step, budget - iterations, deadline)
        iterations += spent
        if state[0] < n:
            refresh()
        alpha = -theirs.units * a
        alpha[np.arange(n), y] = 0.0
        return Run(
            np.abs(alpha),
            {"iterations": iterations, "kernel_evaluations": rows.evaluations},
            met,
            code == STALLED,
            {"gap_bound": theirs.objective_units * gap_bound(G, a, y, costs)},
        )

    only = own_rule(epsilon)
    return until_certified(problem, "cs-decomposition", tolerance, deadline, advance, only)


@njit(cache=True)
def gap_bound(G: Array, a: Array, y: Index, costs: Array) -> float:
    """sum_i C_i violation_i"""
    bound = 0.0
    for i in range(len(y)):
        bound += costs[i] * block_violation(G, a, i, y[i], costs[i])
    return bound


@njit(cache=True)
def block_violation(G: Array, a: Array, i: int, own: int, C: float) -> float:
    """(19) of example i: max_m G_i^m - min {G_i^m : a_i^m < C delta(m, own)}, 0 for an example without weight."""
    if not C > 0.0:
        return 0.0
    lowest, highest = np.inf, -np.inf
    for m in range(G.shape[1]):
        highest = max(highest, G[i, m])
        if a[i, m] < (C if m == own else 0.0):
            lowest = min(lowest, G[i, m])
    return max(highest - lowest, 0.0)


@njit(cache=True)
def shrink(
    G: Array, a: Array, y: Index, costs: Array, examples: Index, size: int, worst: float
) -> int:
    """How many examples stay, in the first places."""
    kept = 0
    for k in range(size):
        i, loose, at = examples[k], 0, -1
        for m in range(G.shape[1]):
            if a[i, m] < (costs[i] if m == y[i] else 0.0):
                loose, at = loose + 1, m
        stays = costs[i] > 0.0
        if stays and loose == 1:
            stays = False
            for m in range(G.shape[1]):
                stays = stays or (m != at and G[i, m] >= G[i, at] - worst)
        if stays:
            examples[kept] = i
            kept += 1
    return kept


@njit(cache=True)
def decompose(
    cache: Any,
    y: Index,
    costs: Array,
    a: Array,
    G: Array,
    examples: Index,
    state: Index,
    by_sorting: bool,
    pause: int,
    epsilon: float,
    budget: int,
) -> tuple[int, int, int]:
    """(20) and (18) until (21), in place on ``a`` and its gradient ``G``. (iterations, how it ended, the missing row)."""
    d = a.shape[1]
    B, after, step = np.empty(d), np.empty(d), np.empty(d)
    iteration = 0
    while True:
        seen = examples[: state[0]]
        worst, i = 0.0, -1
        for j in seen:
            violation = block_violation(G, a, j, y[j], costs[j])
            if violation > worst:
                worst, i = violation, j
        if worst <= epsilon:
            return iteration, MET, -1
        if iteration >= budget:
            return iteration, SPENT, -1
        at = row_at(cache, i)
        if at < 0:
            return iteration, MISSING, i
        row = cache.table[at]
        for m in range(d):
            B[m] = G[i, m] - row[i] * a[i, m]
        solve_block(row[i], B, y[i], costs[i], by_sorting, after)
        for m in range(d):
            step[m] = after[m] - a[i, m]
            a[i, m] = after[m]
        if not step.any():  # the block is solved to rounding, and it is the worst one
            return iteration, STALLED, -1
        for j in seen:
            for m in range(d):
                G[j, m] += row[j] * step[m]
        iteration += 1
        state[1] += 1
        if pause > 0 and state[1] >= pause:
            state[0], state[1] = shrink(G, a, y, costs, examples, state[0], worst), 0
