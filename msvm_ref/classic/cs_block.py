"""HL (18): the sub-problem of one example in the Crammer-Singer dual, by sorting and by fixed point.

    min  1/2 A ||a||^2 + <B, a>   s.t.  sum_m a_m = 0,  a_m <= bound_m          A = K_ii,  bound = C e_{y_i}

Stationarity: a_m = min(bound_m, (theta - B_m) / A) = bound_m - [D_m - theta]_+ / A with D = B + A bound, and the equality is

    sum_m [D_m - theta]_+ = A C.

Sorting D (Crammer, Singer 2001): O(k log k). Fixed point (their "ultraconservative" report, HL's [8]):
theta <- (sum_m max(theta, D_m) - A C) / k, a contraction by (number of D_m <= theta) / k, from above.
A = 0 (a zero example) leaves <B, a>: all of C on the largest B, if that beats B_{y_i}.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from msvm_ref.model.arrays import Array

ROUNDS = 100_000


@njit(cache=True)
def block_by_sorting(A: float, B: Array, own: int, C: float) -> Array:
    """The solution of (18) with theta read off the sorted D."""
    if not A > 0.0:
        return block_of_zero(B, own, C)
    D = B.copy()
    D[own] += A * C
    order = -np.sort(-D)
    total, theta = 0.0, 0.0
    for r in range(len(order)):
        total += order[r]
        theta = (total - A * C) / (r + 1)
        if r + 1 == len(order) or theta >= order[r + 1]:
            break
    return at_threshold(A, D, own, C, theta)


@njit(cache=True)
def block_by_fixed_point(A: float, B: Array, own: int, C: float) -> Array:
    """The solution of (18) with theta by fixed-point iteration, until it no longer moves in float64."""
    if not A > 0.0:
        return block_of_zero(B, own, C)
    D = B.copy()
    D[own] += A * C
    theta = D.max()
    for _ in range(ROUNDS):
        total = 0.0
        for m in range(len(D)):
            total += max(theta, D[m])
        after = (total - A * C) / len(D)
        if not after < theta:  # it falls to its limit; at rounding level it stops falling
            break
        theta = after
    return at_threshold(A, D, own, C, theta)


@njit(cache=True)
def at_threshold(A: float, D: Array, own: int, C: float, theta: float) -> Array:
    """a_m = bound_m - [D_m - theta]_+ / A, the rivals; the own one by the equality, so that it holds to rounding."""
    a = np.zeros(len(D))
    total = 0.0
    for m in range(len(D)):
        if m != own:
            a[m] = -max(D[m] - theta, 0.0) / A
            total -= a[m]
    if total > C:
        a *= C / total
        total = C
    a[own] = total
    return a


@njit(cache=True)
def block_of_zero(B: Array, own: int, C: float) -> Array:
    """A = 0: min <B, a>."""
    a = np.zeros(len(B))
    rival = B.argmax()
    if B[rival] > B[own]:
        a[own], a[rival] = C, -C
    return a
