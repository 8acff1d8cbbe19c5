"""A nearest-point algorithm after Keerthi, Shevade, Bhattacharyya, Murthy 2000 (FH section 5, their [4]), for one hull.

``hull`` has the geometry and the stopping rule. Gilbert's step (M-1-KSK) can only add weight to a point; the step of Mitchell,
Dem'yanov and Malozemov moves weight beta_s from the support point s = argmax {<v, z~_s> : beta_s > 0} to t = argmin <v, z~_t>.
One iteration takes the point closest to the origin in the triangle that contains both steps,

    conv{ v,  z~_t,  v + beta_s (z~_t - z~_s) },

a quadratic in two variables, solved exactly.
"""

from __future__ import annotations

import math

import numpy as np

from msvm_ref.model.arrays import Array
from msvm_ref.model.problem import Problem
from msvm_ref.solvers.classic.drive import positive_integer
from msvm_ref.solvers.classic.hull import all_products, nearest_point, shrink
from msvm_ref.solvers.classic.kesler import Index
from msvm_ref.solvers.classic.m1_smo import add_point
from msvm_ref.solvers.compiled import njit
from msvm_ref.solvers.deadline import Deadline
from msvm_ref.solvers.solution import Solution


def solve_nearest_point(
    problem: Problem,
    *,
    tolerance: float,
    max_iterations: int = 1_000_000,
    max_seconds: float = math.inf,
) -> Solution:
    """For every machine with own slacks, quadratic cost, positive targets, bias none or penalized."""
    budget = positive_integer("max_iterations", max_iterations)
    deadline = Deadline.of("max_seconds", max_seconds)
    return nearest_point(problem, "nearest-point", tolerance, budget, deadline, triangles)


@njit(cache=True)
def triangles(
    K: Array,
    owner: Index,
    rows: Array,
    ridge: Array,
    diagonal: Array,
    beta: Array,
    F: Array,
    precision: float,
    budget: int,
) -> tuple[int, bool]:
    """The iterations in place on ``beta`` and ``F``. (iterations, epsilon-optimal)."""
    products = np.empty(len(beta))
    for iteration in range(budget):
        square, t = all_products(owner, rows, ridge, beta, F, products)
        if square - products[t] <= precision * square:
            return iteration, True
        s = -1
        for r in range(len(beta)):
            if beta[r] > 0.0 and r != t and (s < 0 or products[r] > products[s]):
                s = r
        if s < 0:  # v is z~_t itself, up to rounding
            return iteration, False
        cross = 0.0
        for m in range(rows.shape[1]):
            cross += rows[t, m] * rows[s, m] * K[owner[t], owner[s]]
        moved = beta[s]
        a, b = closest(
            products[t] - square,
            moved * (products[t] - products[s]),
            diagonal[t] - 2 * products[t] + square,
            moved * (diagonal[t] - cross - products[t] + products[s]),
            moved * moved * (diagonal[t] - 2 * cross + diagonal[s]),
        )
        if a <= 0.0 and b <= 0.0:
            return iteration, False
        shrink(beta, F, 1 - a)
        beta[t] += a + b * moved
        beta[s] = max(beta[s] - b * moved, 0.0)
        add_point(K, owner[t], rows, t, a + b * moved, F)
        add_point(K, owner[s], rows, s, -b * moved, F)
    return budget, False


@njit(cache=True)
def closest(g1: float, g2: float, h11: float, h12: float, h22: float) -> tuple[float, float]:
    """argmin g'x + 1/2 x'Hx over the triangle x >= 0, x_1 + x_2 <= 1: inside where that is stationary, else on an edge."""
    determinant = h11 * h22 - h12 * h12
    if determinant > 1e-14 * h11 * h22:
        a, b = (h12 * g2 - h22 * g1) / determinant, (h12 * g1 - h11 * g2) / determinant
        if a >= 0.0 and b >= 0.0 and a + b <= 1.0:
            return a, b
    best_a, best_b, best = 0.0, 0.0, 0.0
    a = min(max(-g1 / h11, 0.0), 1.0) if h11 > 0.0 else 1.0 * (g1 < 0.0)
    if g1 * a + h11 * a * a / 2 < best:
        best_a, best_b, best = a, 0.0, g1 * a + h11 * a * a / 2
    b = min(max(-g2 / h22, 0.0), 1.0) if h22 > 0.0 else 1.0 * (g2 < 0.0)
    if g2 * b + h22 * b * b / 2 < best:
        best_a, best_b, best = 0.0, b, g2 * b + h22 * b * b / 2
    slope, curve = g1 - g2 + h12 - h22, h11 - 2 * h12 + h22  # along (a, 1 - a)
    a = min(max(-slope / curve, 0.0), 1.0) if curve > 0.0 else 1.0 * (slope < 0.0)
    value = g2 + h22 / 2 + slope * a + curve * a * a / 2
    if value < best:
        best_a, best_b = a, 1.0 - a
    return best_a, best_b
