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
"""

from __future__ import annotations

import math
from typing import Literal

import numpy as np

from msvm_ref.errors import DataError
from msvm_ref.model.arrays import Array
from msvm_ref.model.problem import Problem
from msvm_ref.solvers.classic.cs_block import solve_block
from msvm_ref.solvers.classic.drive import Run, positive_integer, sliced, until_certified
from msvm_ref.solvers.classic.kesler import Index
from msvm_ref.solvers.classic.relative import Relative
from msvm_ref.solvers.compiled import njit
from msvm_ref.solvers.deadline import Deadline
from msvm_ref.solvers.solution import Solution


def solve_cs_decomposition(
    problem: Problem,
    *,
    tolerance: float,
    block: Literal["sorting", "fixed-point"] = "sorting",
    max_iterations: int = 2_000_000,
    max_seconds: float = math.inf,
) -> Solution:
    """HL's decomposition; for a relative margin with a shared slack and linear cost (CS), bias none or penalized.

    ``work`` has the iterations and ``gap_bound``, C sum violation in the problem's own units.
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
    K, y, costs = theirs.gram, problem.y, theirs.costs
    e = 1.0 - np.eye(problem.d)[y]
    a, iterations = np.zeros((problem.n, problem.d)), 0

    def advance(precision: float) -> Run:
        nonlocal iterations
        G, bound = K @ a + e, 0.0

        def step(most: int) -> tuple[int, bool]:
            nonlocal bound
            spent, met, bound = decompose(K, y, costs, a, G, block == "sorting", precision, most)
            return spent, met

        spent, met = sliced(step, budget - iterations, deadline)
        iterations += spent
        alpha = -theirs.units * a
        alpha[np.arange(problem.n), y] = 0.0
        return Run(
            np.abs(alpha),
            {"iterations": iterations},
            met,
            not met and iterations < budget,
            {"gap_bound": theirs.objective_units * bound},
        )

    return until_certified(problem, "cs-decomposition", tolerance, deadline, advance)


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
def decompose(
    K: Array,
    y: Index,
    costs: Array,
    a: Array,
    G: Array,
    by_sorting: bool,
    epsilon: float,
    budget: int,
) -> tuple[int, bool, float]:
    """(20) and (18) until (21), in place on ``a`` and its gradient ``G``. (iterations, rule met, C sum violation)."""
    d = a.shape[1]
    B, after = np.empty(d), np.empty(d)
    iteration, met, bound = 0, False, 0.0
    while True:
        worst, i, bound = 0.0, -1, 0.0
        for j in range(len(y)):
            violation = block_violation(G, a, j, y[j], costs[j])
            bound += costs[j] * violation
            if violation > worst:
                worst, i = violation, j
        met = worst <= epsilon
        if met or iteration == budget:
            break
        for m in range(d):
            B[m] = G[i, m] - K[i, i] * a[i, m]
        solve_block(K[i, i], B, y[i], costs[i], by_sorting, after)
        moved = False
        for m in range(d):
            step = after[m] - a[i, m]
            if step != 0.0:
                moved = True
                a[i, m] = after[m]
                for j in range(len(y)):
                    G[j, m] += K[i, j] * step
        if not moved:  # the block is solved to rounding, and it is the worst one
            break
        iteration += 1
    return iteration, met, bound
