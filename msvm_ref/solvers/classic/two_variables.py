"""The dual restricted to one or two multipliers, solved exactly (S2DO: sequential two-dimensional optimization).

    max  g_a s_a + g_b s_b - 1/2 (Q_aa s_a^2 + 2 Q_ab s_a s_b + Q_bb s_b^2)      s = the change of (x_a, x_b)

over a box 0 <= x + s <= u, or over a triangle 0 <= x + s, sum (x + s) <= total. The optimum is the stationary point where that
is inside, else it lies on an edge, where it is a clipped parabola. With roots r = sqrt(Q), h = g / r and rho = Q_ab / (r_a r_b)
nothing over- or underflows:  r_a s_a = (h_a - rho h_b) / (1 - rho^2).
"""

from __future__ import annotations

import numpy as np

from msvm_ref.solvers.compiled import njit

SINGULAR = 1e-12
"""Below this 1 - rho^2 has no digits left, and the optimum is looked for on the edges alone."""


@njit(cache=True)
def along(x: float, g: float, Q: float, lower: float, upper: float) -> float:
    """argmax over [lower, upper] of g (z - x) - Q/2 (z - x)^2; where that is linear a bound, where constant x itself."""
    if Q > 0.0:
        return min(max(x + g / Q, lower), upper)
    if g == 0.0:
        return min(max(x, lower), upper)
    return upper if g > 0.0 else lower


@njit(cache=True)
def gain(g_a: float, g_b: float, Q: tuple[float, float, float], s_a: float, s_b: float) -> float:
    """What the step (s_a, s_b) adds to the dual; Q = (Q_aa, Q_bb, Q_ab)."""
    curve = Q[0] * s_a * s_a + 2.0 * Q[2] * s_a * s_b + Q[1] * s_b * s_b
    return g_a * s_a + g_b * s_b - curve / 2.0


@njit(cache=True)
def stationary(
    g_a: float, g_b: float, Q: tuple[float, float, float]
) -> tuple[bool, float, float, float]:
    """(is there one, s_a, s_b, its gain) without any bounds."""
    if not (Q[0] > 0.0 and Q[1] > 0.0):
        return False, 0.0, 0.0, 0.0
    r_a, r_b = np.sqrt(Q[0]), np.sqrt(Q[1])
    rho, h_a, h_b = Q[2] / r_a / r_b, g_a / r_a, g_b / r_b
    rest = 1.0 - rho * rho
    if rest < SINGULAR:
        return False, 0.0, 0.0, 0.0
    s_a, s_b = (h_a - rho * h_b) / rest / r_a, (h_b - rho * h_a) / rest / r_b
    return True, s_a, s_b, (h_a * h_a - 2.0 * rho * h_a * h_b + h_b * h_b) / rest / 2.0


@njit(cache=True)
def in_box(
    a: float,
    b: float,
    g_a: float,
    g_b: float,
    Q: tuple[float, float, float],
    upper_a: float,
    upper_b: float,
) -> tuple[float, float, float]:
    """(new x_a, new x_b, gain) with 0 <= x_a <= upper_a, 0 <= x_b <= upper_b."""
    exists, s_a, s_b, best = stationary(g_a, g_b, Q)
    if exists and 0.0 <= a + s_a <= upper_a and 0.0 <= b + s_b <= upper_b:
        return a + s_a, b + s_b, best
    new_a, new_b, best = a, b, 0.0
    for z in (0.0, upper_a):
        if z < np.inf:
            w = along(b, g_b - Q[2] * (z - a), Q[1], 0.0, upper_b)
            gained = gain(g_a, g_b, Q, z - a, w - b)
            if gained > best:
                new_a, new_b, best = z, w, gained
    for w in (0.0, upper_b):
        if w < np.inf:
            z = along(a, g_a - Q[2] * (w - b), Q[0], 0.0, upper_a)
            gained = gain(g_a, g_b, Q, z - a, w - b)
            if gained > best:
                new_a, new_b, best = z, w, gained
    return new_a, new_b, best


@njit(cache=True)
def in_triangle(
    a: float, b: float, g_a: float, g_b: float, Q: tuple[float, float, float], total: float
) -> tuple[float, float, float]:
    """(new x_a, new x_b, gain) with 0 <= x_a, 0 <= x_b, x_a + x_b <= total."""
    exists, s_a, s_b, best = stationary(g_a, g_b, Q)
    if exists and a + s_a >= 0.0 and b + s_b >= 0.0 and a + s_a + b + s_b <= total:
        return a + s_a, b + s_b, best
    new_a, new_b, best = a, b, 0.0
    for side in range(3):
        if side == 0:  # x_a = 0
            z, w = 0.0, along(b, g_b + Q[2] * a, Q[1], 0.0, total)
        elif side == 1:  # x_b = 0
            z, w = along(a, g_a + Q[2] * b, Q[0], 0.0, total), 0.0
        else:  # x_a + x_b = total: from (a, total - a) along (1, -1)
            room = total - a - b
            slope = g_a - g_b + (Q[1] - Q[2]) * room
            z = along(a, slope, Q[0] + Q[1] - 2.0 * Q[2], 0.0, total)
            w = total - z
        gained = gain(g_a, g_b, Q, z - a, w - b)
        if gained > best:
            new_a, new_b, best = z, w, gained
    return new_a, new_b, best
