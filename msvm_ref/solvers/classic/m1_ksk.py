"""M-1-KSK: the kernel Schlesinger-Kozinec algorithm for the single-class SVM with quadratic cost (FH section 3 and [3]).

``hull`` has the geometry. One iteration is Kozinec's: take the point that protrudes most towards the origin,

    t = argmin <v, z~_t>,    v <- the point of the segment [v, z~_t] closest to the origin
                              = (1 - lambda) v + lambda z~_t,   lambda = min(1, (||v||^2 - <v,z~_t>) / ||v - z~_t||^2),

until epsilon-optimality. It converges like 1/iterations: use a modest tolerance, or method="nearest-point".
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


def solve_m1_ksk(
    problem: Problem,
    *,
    tolerance: float,
    max_iterations: int = 1_000_000,
    max_seconds: float = math.inf,
) -> Solution:
    """FH's M-1-KSK; for every machine with own slacks, quadratic cost, positive targets, bias none or penalized."""
    budget = positive_integer("max_iterations", max_iterations)
    deadline = Deadline.of("max_seconds", max_seconds)
    return nearest_point(problem, "m1-ksk", tolerance, budget, deadline, kozinec)


@njit(cache=True)
def kozinec(
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
    """Kozinec's iterations in place on ``beta`` and ``F``. (iterations, epsilon-optimal)."""
    products = np.empty(len(beta))
    for iteration in range(budget):
        square, t = all_products(owner, rows, ridge, beta, F, products)
        if square - products[t] <= precision * square:
            return iteration, True
        length = square - 2 * products[t] + diagonal[t]
        if not length > 0.0:  # v is z~_t itself, up to rounding
            return iteration, False
        share = min(1.0, (square - products[t]) / length)
        shrink(beta, F, 1 - share)
        beta[t] += share
        add_point(K, owner[t], rows, t, share, F)
    return budget, False
