"""M-1-SMO: Platt's SMO for the single-class SVM, one multiplier at a time (FH section 3).

The dual FH (4) has no equality, so one multiplier is the smallest working set. For the pair t with gradient g_t and
curvature k'_tt + ridge_t,

    alpha_t <- clip(alpha_t + g_t / (k'_tt + ridge_t), 0, C_t),

the exact maximum along that coordinate. The frame is Platt's (FH keep it): a pass over all pairs, then passes over the
non-bound ones (0 < alpha < C) until none violates its KKT condition by more than the precision, then all again; the end is a
pass over all pairs that finds no violator:  alpha < C and g > precision,  or  alpha > 0 and g < -precision.
"""

from __future__ import annotations

import math

import numpy as np

from msvm_ref.model.arrays import Array
from msvm_ref.model.problem import Problem
from msvm_ref.solvers.classic.drive import Run, positive_integer, sliced, until_certified
from msvm_ref.solvers.classic.kesler import Index, single_class
from msvm_ref.solvers.compiled import njit
from msvm_ref.solvers.deadline import Deadline
from msvm_ref.solvers.solution import Solution


def solve_m1_smo(
    problem: Problem,
    *,
    tolerance: float,
    max_updates: int = 10_000_000,
    max_seconds: float = math.inf,
) -> Solution:
    """FH's M-1-SMO; for every machine with own slacks, bias none or penalized, linear or quadratic cost."""
    single, budget = single_class(problem, "m1-smo"), positive_integer("max_updates", max_updates)
    deadline = Deadline.of("max_seconds", max_seconds)
    diagonal, scale = single.diagonal(), float(abs(single.target).max(initial=0.0)) or 1.0
    alpha, updates, passes = np.zeros(len(single.owner)), 0, 0

    def advance(precision: float) -> Run:
        nonlocal updates
        F = single.scores(alpha)

        def step(most: int) -> tuple[int, bool]:
            nonlocal passes
            spent, swept, met = smo_passes(
                single.kernel.extended,
                single.owner,
                single.rows,
                single.target,
                single.upper,
                single.ridge,
                diagonal,
                alpha,
                F,
                precision * scale,
                most,
            )
            passes += swept
            return spent, met

        spent, met = sliced(step, budget - updates, deadline)
        updates += spent
        return Run(single.scatter(alpha), {"updates": updates, "passes": passes}, met)

    return until_certified(problem, "m1-smo", tolerance, deadline, advance)


@njit(cache=True)
def smo_passes(
    K: Array,
    owner: Index,
    rows: Array,
    target: Array,
    upper: Array,
    ridge: Array,
    diagonal: Array,
    alpha: Array,
    F: Array,
    precision: float,
    budget: int,
) -> tuple[int, int, bool]:
    """Platt's outer loop; ``alpha`` and ``F`` are changed in place. (updates, passes, stopping rule met)."""
    updates = passes = 0
    everything = True
    while updates < budget:
        changed = 0
        passes += 1
        for t in range(len(alpha)):
            if not everything and not 0.0 < alpha[t] < upper[t]:
                continue
            g = target[t] - ridge[t] * alpha[t] - inner(rows, t, F, owner[t])
            if (g > precision and alpha[t] < upper[t]) or (g < -precision and alpha[t] > 0.0):
                changed += move(K, owner[t], rows, t, upper[t], diagonal[t], alpha, F, g)
                if updates + changed >= budget:
                    return updates + changed, passes, False
        updates += changed
        if changed == 0 and everything:
            return updates, passes, True
        everything = changed == 0
    return updates, passes, False


@njit(cache=True)
def inner(rows: Array, t: int, F: Array, i: int) -> float:
    """<rows_t, F[:, i]>"""
    value = 0.0
    for m in range(rows.shape[1]):
        value += rows[t, m] * F[m, i]
    return value


@njit(cache=True)
def move(
    K: Array,
    i: int,
    rows: Array,
    t: int,
    upper: float,
    diagonal: float,
    alpha: Array,
    F: Array,
    g: float,
) -> int:
    """alpha_t <- clip(alpha_t + g / diagonal, 0, upper) and F <- A'K; 1 if that changed anything.

    Where the diagonal vanishes so does z_t, the dual is linear in alpha_t, and a bound is optimal.
    """
    if diagonal > 0.0:
        after = min(max(alpha[t] + g / diagonal, 0.0), upper)
    else:
        after = upper if g > 0.0 else 0.0
    step = after - alpha[t]
    if step == 0.0:
        return 0
    alpha[t] = after
    add_point(K, i, rows, t, step, F)
    return 1


@njit(cache=True)
def add_point(K: Array, i: int, rows: Array, t: int, weight: float, F: Array) -> None:
    """F <- F + weight rows_t K[i]: the multiplier of the pair t of example i gains ``weight``."""
    for m in range(rows.shape[1]):
        gain = weight * rows[t, m]
        if gain != 0.0:
            for j in range(K.shape[1]):
                F[m, j] += gain * K[i, j]
