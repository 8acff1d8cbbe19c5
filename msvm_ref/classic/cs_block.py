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
def solve_block(A: float, B: Array, own: int, C: float, by_sorting: bool, a: Array) -> None:
    """The solution of (18), into ``a``."""
    k = len(B)
    if not A > 0.0:
        solve_zero_block(B, own, C, a)
        return
    D = np.empty(k)
    for m in range(k):
        D[m] = B[m] + (A * C if m == own else 0.0)
    theta = threshold_by_sorting(D, A * C) if by_sorting else threshold_by_fixed_point(D, A * C)
    total = 0.0
    for m in range(k):
        a[m] = 0.0 if m == own else -max(D[m] - theta, 0.0) / A
        total -= a[m]
    at_bound = D[own] <= theta or total > C  # then a_own is C exactly: (19) must not take rounding for room
    for m in range(k):
        a[m] *= C / total if at_bound and total > 0.0 else 1.0
    a[own] = C if at_bound and total > 0.0 else total  # by the equality


@njit(cache=True)
def threshold_by_sorting(D: Array, mass: float) -> float:
    """theta with sum_m [D_m - theta]_+ = mass: the largest D_m are taken off a heap until theta exceeds the next one."""
    k = len(D)
    heap = D.copy()
    for root in range(k // 2 - 1, -1, -1):
        sift(heap, root, k)
    total, theta = 0.0, 0.0
    for taken in range(1, k + 1):
        total += heap[0]
        theta = (total - mass) / taken
        heap[0] = heap[k - taken]
        sift(heap, 0, k - taken)
        if taken == k or theta >= heap[0]:
            break
    return theta


@njit(cache=True)
def sift(heap: Array, root: int, size: int) -> None:
    """Restore the heap (largest first) below ``root``."""
    while 2 * root + 1 < size:
        child = 2 * root + 1
        if child + 1 < size and heap[child + 1] > heap[child]:
            child += 1
        if heap[root] >= heap[child]:
            return
        heap[root], heap[child] = heap[child], heap[root]
        root = child


@njit(cache=True)
def threshold_by_fixed_point(D: Array, mass: float) -> float:
    """theta with sum_m [D_m - theta]_+ = mass, by iteration from the largest D_m until it no longer falls in float64."""
    theta = float(D[0])
    for m in range(len(D)):
        theta = max(theta, D[m])
    for _ in range(ROUNDS):
        total = -mass
        for m in range(len(D)):
            total += max(theta, D[m])
        after = total / len(D)
        if not after < theta:
            break
        theta = after
    return theta


@njit(cache=True)
def solve_zero_block(B: Array, own: int, C: float, a: Array) -> None:
    """A = 0: min <B, a>."""
    rival = own
    for m in range(len(B)):
        a[m] = 0.0
        if B[m] > B[rival]:
            rival = m
    if rival != own:
        a[own], a[rival] = C, -C
