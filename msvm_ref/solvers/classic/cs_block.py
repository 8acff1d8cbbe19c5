"""HL (18): the sub-problem of one example in the Crammer-Singer dual, by sorting and by fixed point.

    min  1/2 A ||a||^2 + <B, a>   s.t.  sum_m a_m = 0,  a_m <= bound_m          A = K_ii,  bound = C e_{y_i}

Stationarity: a_m = min(bound_m, (theta - B_m) / A) = bound_m - [D_m - theta]_+ / A with D = B + A bound, and the equality is

    sum_m [D_m - theta]_+ = A C,   that is   sum over rivals of [B_m - theta]_+ = min(theta - B_{y_i}, A C):

the second form loses no digits where A C is large. Sorting (Crammer, Singer 2001): O(k log k). Fixed point (their
"ultraconservative" report, HL's [8]): theta <- 1/k (sum_m max(theta, D_m) - A C), its own term being max(theta - A C, B_{y_i});
from above it falls to its limit. A = 0 (a zero example) leaves <B, a>: all of C on the largest B, if that beats B_{y_i}.
"""

from __future__ import annotations

import numpy as np

from msvm_ref.model.arrays import Array
from msvm_ref.solvers.compiled import njit

ROUNDS = 100_000


@njit(cache=True)
def solve_block(A: float, B: Array, own: int, C: float, by_sorting: bool, a: Array) -> None:
    """The solution of (18), into ``a``."""
    k = len(B)
    if not A > 0.0:
        solve_zero_block(B, own, C, a)
        return
    top = -np.inf
    for m in range(k):
        top = B[m] if m != own and B[m] > top else top
    low = (
        B - top
    )  # theta lies within A C of the largest rival: counted from there it keeps its digits however small A C is
    theta = (
        threshold_by_sorting(low, own, A * C)
        if by_sorting
        else threshold_by_fixed_point(low, own, A * C)
    )
    total = 0.0
    for m in range(k):
        a[m] = 0.0 if m == own else -max(low[m] - theta, 0.0) / A
        total -= a[m]
    at_bound = (
        theta - low[own] >= A * C or total > C
    )  # then a_own is C exactly: (19) must not take rounding for room
    for m in range(k):
        a[m] *= C / total if at_bound and total > 0.0 else 1.0
    a[own] = C if at_bound and total > 0.0 else total  # by the equality


@njit(cache=True)
def threshold_by_sorting(B: Array, own: int, mass: float) -> float:
    """theta with sum over rivals of [B_m - theta]_+ = min(theta - B_own, mass): the largest rivals come off a heap until theta
    reaches the next one, first as if a_own had no bound, then, where that breaks it, with a_own at its bound.
    """
    k = len(B)
    heap = B.copy()
    for bounded in range(2):
        for m in range(k):
            heap[m] = -np.inf if m == own else B[m]
        for root in range(k // 2 - 1, -1, -1):
            sift(heap, root, k)
        total = -mass if bounded else B[own]
        theta = -np.inf if bounded else B[own]
        for taken in range(1, k):
            if heap[0] <= theta:
                break
            total += heap[0]
            theta = total / (taken if bounded else taken + 1)
            heap[0] = heap[k - taken]
            heap[k - taken] = -np.inf
            sift(heap, 0, k - taken)
        if theta - B[own] <= mass:
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
def threshold_by_fixed_point(B: Array, own: int, mass: float) -> float:
    """The same theta by iteration from the largest B_m until it no longer falls in float64."""
    theta = float(B[0])
    for m in range(len(B)):
        theta = max(theta, B[m])
    for _ in range(ROUNDS):
        total = 0.0
        for m in range(len(B)):
            total += max(theta - mass, B[own]) if m == own else max(theta, B[m])
        after = total / len(B)
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
