"""Which one or two multipliers of the unified dual to change next, how, and which to leave out of sight for a while.

Box (own slacks, or the quadratic cost). violation_t = g_t where alpha_t may grow, -g_t where it may shrink, else 0.
    one     the t with the largest gain of its own clipped step (second order)
    two     a with the largest violation, then the b with the largest gain of the *unconstrained* two-variable problem (S2DO),
            among those that may move the way this wants
Simplex (shared slack, linear cost). What is left of C_i is one more multiplier, with gradient 0: then
    violation_i = max (g_ip, 0) - min {g_ip : alpha_ip > 0, and 0 where the sum is below C_i}                  as in HL (19)
    a is the p of the maximum, or that of the minimum where no g is positive; b the component of the same example with which
    the two-variable problem gains most: two multipliers of one example are the least that can move where the sum is at C_i.
Shrinking (Joachims 1998): a multiplier at a bound whose gradient keeps it there by more than the largest violation.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from msvm_ref.model.arrays import Array
from msvm_ref.solvers.classic.kesler import Index
from msvm_ref.solvers.classic.two_variables import along, gain, in_box, in_triangle, stationary
from msvm_ref.solvers.compiled import njit

FULL = 1e-13
"""A sum of multipliers within this part of C_i is at C_i: what rounding leaves is no room to move in."""


@njit(cache=True)
def violation(alpha: float, g: float, upper: float) -> float:
    """By how much a multiplier in [0, upper] misses its KKT condition."""
    if (g > 0.0 and alpha < upper) or (g < 0.0 and alpha > 0.0):
        return abs(g)
    return 0.0


@njit(cache=True)
def first_in_boxes(
    pairs: Any, alpha: Array, g: Array, active: Index, size: int, by_gain: bool
) -> tuple[int, float]:
    """(a, the largest violation); a by its own gain, or by the violation."""
    upper, root = pairs.upper, pairs.root
    a, best, worst = -1, 0.0, 0.0
    for k in range(size):
        t = active[k]
        wrong = violation(alpha[t], g[t], upper[t])
        worst = max(worst, wrong)
        value = wrong
        if by_gain and wrong > 0.0:
            curve = root[t] ** 2
            step = along(alpha[t], g[t], curve, 0.0, upper[t]) - alpha[t]
            value = step * (g[t] - curve * step / 2.0)
        if value > best:
            a, best = t, value
    return a, worst


@njit(cache=True)
def second_in_boxes(
    pairs: Any, alpha: Array, g: Array, active: Index, size: int, a: int, Q_a: Array
) -> tuple[int, float, float]:
    """(b, new alpha_a, new alpha_b); b = a where no other multiplier helps. Q_a is the column of a."""
    upper, root = pairs.upper, pairs.root
    b, best, Q_aa = a, 0.0, root[a] ** 2
    for k in range(size):
        t = active[k]
        if t != a:
            exists, _, step, value = stationary(g[a], g[t], (Q_aa, root[t] ** 2, Q_a[t]))
            moves = (step > 0.0 and alpha[t] < upper[t]) or (step < 0.0 and alpha[t] > 0.0)
            if exists and moves and value > best:
                b, best = t, value
    if b == a:
        new = along(alpha[a], g[a], Q_aa, 0.0, upper[a])
        return a, new, new
    Q = (Q_aa, root[b] ** 2, Q_a[b])
    new_a, new_b, _ = in_box(alpha[a], alpha[b], g[a], g[b], Q, upper[a], upper[b])
    return b, new_a, new_b


@njit(cache=True)
def room(upper: float, total: float) -> float:
    """C_i less the sum of the example's multipliers."""
    return upper - total if upper - total > FULL * upper else 0.0


@njit(cache=True)
def first_in_simplices(
    pairs: Any, alpha: Array, total: Array, g: Array, active: Index, size: int
) -> tuple[int, float]:
    """(a, the largest violation_i); the active pairs of an example stand together."""
    owner, upper = pairs.owner, pairs.upper
    a, worst, k = -1, 0.0, 0
    while k < size:
        i = owner[active[k]]
        high, at_high, at_low = 0.0, -1, -1
        low = 0.0 if room(upper[active[k]], total[i]) > 0.0 else np.inf
        while k < size and owner[active[k]] == i:
            t = active[k]
            if g[t] > high:
                high, at_high = g[t], t
            if alpha[t] > 0.0 and g[t] < low:
                low, at_low = g[t], t
            k += 1
        if high - low > worst:
            a, worst = at_high if at_high >= 0 else at_low, high - low
    return a, worst


@njit(cache=True)
def second_in_simplex(
    pairs: Any, alpha: Array, total: Array, g: Array, seen: Any, a: int, Q_a: Array
) -> tuple[int, float, float]:
    """(b, new alpha_a, new alpha_b), exactly the best pair of the example; b = a where a moves alone."""
    i, root = pairs.owner[a], pairs.root
    left, Q_aa = room(pairs.upper[a], total[i]), root[a] ** 2
    b, new_a = a, along(alpha[a], g[a], Q_aa, 0.0, alpha[a] + left)
    new_b, best = new_a, gain(g[a], 0.0, (Q_aa, 0.0, 0.0), new_a - alpha[a], 0.0)
    for t in range(pairs.start[i], pairs.start[i + 1]):
        if t != a and seen[t]:
            both = alpha[a] + alpha[t] + left
            Q = (Q_aa, root[t] ** 2, Q_a[t])
            z, w, value = in_triangle(alpha[a], alpha[t], g[a], g[t], Q, both)
            if value > best:
                b, new_a, new_b, best = t, z, w, value
    return b, new_a, new_b


@njit(cache=True)
def shrink_boxes(
    pairs: Any, alpha: Array, g: Array, active: Index, size: int, seen: Any, worst: float
) -> int:
    """How many stay, in ``active``'s first places."""
    kept, upper = 0, pairs.upper
    for k in range(size):
        t = active[k]
        below = alpha[t] <= 0.0 and g[t] < -worst
        above = alpha[t] >= upper[t] and g[t] > worst
        seen[t] = not (below or above)
        if seen[t]:
            active[kept] = t
            kept += 1
    return kept


@njit(cache=True)
def shrink_simplices(
    pairs: Any,
    alpha: Array,
    total: Array,
    g: Array,
    active: Index,
    size: int,
    seen: Any,
    worst: float,
) -> int:
    """How many stay: alpha_ip = 0 goes where g_ip is below the example's minimum by more than ``worst``.

    Where one multiplier is left that holds all of C_i and has g > worst, the whole example goes.
    """
    owner, upper = pairs.owner, pairs.upper
    kept, k = 0, 0
    while k < size:
        begin, i = k, owner[active[k]]
        left = room(upper[active[k]], total[i])
        low = 0.0 if left > 0.0 else np.inf
        while k < size and owner[active[k]] == i:
            t = active[k]
            if alpha[t] > 0.0:
                low = min(low, g[t])
            k += 1
        before = kept
        for at in range(begin, k):
            t = active[at]
            seen[t] = not (alpha[t] <= 0.0 and g[t] < low - worst)
            if seen[t]:
                active[kept] = t
                kept += 1
        if kept == before + 1:
            t = active[before]
            if left <= 0.0 and alpha[t] > 0.0 and g[t] > worst:
                seen[t] = False
                kept = before
    return kept


@njit(cache=True)
def shrink(
    pairs: Any,
    simplex: bool,
    alpha: Array,
    total: Array,
    g: Array,
    active: Index,
    size: int,
    seen: Any,
    worst: float,
) -> int:
    """How many stay in sight."""
    if simplex:
        return int(shrink_simplices(pairs, alpha, total, g, active, size, seen, worst))
    return int(shrink_boxes(pairs, alpha, g, active, size, seen, worst))
