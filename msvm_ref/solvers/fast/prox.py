"""The closed forms of the block problem (docs/mathematics.md, section 8): own slacks, shared slacks, arbitrary margins.

Each works on the components an example has in play (steps.py), q = the slope of the block where those are 0, and leaves
their optimum in ``alpha``.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from msvm_ref.model.arrays import Array
from msvm_ref.solvers.fast.lean import lean

SWEEPS, ROUNDING = 1000, 1e-15


@lean()
def own_block(
    m: int, q: Array, curve: Array, v: Array, rho: float, cap: float, alpha: Array
) -> None:
    """alpha_p = clip((q_p - rho v_p t) / D_p, 0, cap) with t = sum v alpha: Newton on that monotone equation in t."""
    t = 0.0
    for p in range(m):
        t += v[p] * alpha[p]
    low, high = -np.inf, np.inf
    for _ in range(200):
        total, slope, size, up, down = _clipped(t, m, q, curve, v, rho, cap, alpha)
        excess = total - t
        if rho == 0.0 or abs(excess) <= ROUNDING * (size + abs(t)):
            return
        if excess > 0.0:
            low = t
        else:
            high = t
        after = t - excess / slope if slope < -1e-9 else (up if excess > 0.0 else down)
        if not (low < after < high):
            if np.isfinite(low) and np.isfinite(high):
                after = 0.5 * (low + high)
            elif not np.isfinite(after):
                return
        if after == t:
            return
        t = after


@lean(inline=True)
def _clipped(
    t: float, m: int, q: Array, curve: Array, v: Array, rho: float, cap: float, alpha: Array
) -> tuple[float, float, float, float, float]:
    """alpha at t; sum v alpha, the slope of sum v alpha - t, sum |v alpha|, and t's nearest break points above and below."""
    total, slope, size, up, down = 0.0, -1.0, 0.0, np.inf, -np.inf
    for p in range(m):
        lift = q[p] - rho * v[p] * t
        if curve[p] <= 0.0:
            alpha[p] = cap if lift > 0.0 else 0.0
            total += v[p] * alpha[p]
            continue
        value = lift / curve[p]
        if value <= 0.0:
            value = 0.0
        elif value >= cap:
            value = cap
        else:
            slope -= rho * v[p] * v[p] / curve[p]
            if rho != 0.0 and v[p] != 0.0:
                first, second = q[p] / (rho * v[p]), (q[p] - curve[p] * cap) / (rho * v[p])
                for edge in (first, second):
                    if edge > t and edge < up:
                        up = edge
                    if edge < t and edge > down:
                        down = edge
        alpha[p] = value
        total += v[p] * value
        size += abs(v[p] * value)
    return total, slope, size, up, down


@lean(inline=True)
def own_block_relative(
    m: int, q: Array, curve: float, rho: float, cap: float, alpha: Array
) -> None:
    """alpha_p = clip((q_p - rho t) / D, 0, cap), t = sum alpha: the same equation with every v_p = 1."""
    t = 0.0
    for p in range(m):
        t += alpha[p]
    low, high = -np.inf, np.inf
    for _ in range(200):
        total, free = 0.0, 0
        for p in range(m):
            value = (q[p] - rho * t) / curve if curve > 0.0 else (cap if q[p] > 0.0 else 0.0)
            if value <= 0.0:
                value = 0.0
            elif value >= cap:
                value = cap
            else:
                free += 1
            alpha[p] = value
            total += value
        excess = total - t
        if rho == 0.0 or abs(excess) <= ROUNDING * (total + abs(t)):
            return
        if excess > 0.0:
            low = t
        else:
            high = t
        after = t + excess / (1.0 + free * rho / curve)
        if not (low < after < high) and np.isfinite(low) and np.isfinite(high):
            after = 0.5 * (low + high)
        if after == t:
            return
        t = after


@lean(inline=True)
def water_level(
    m: int, q: Array, curve: float, level_of_total: float, cap: float, pinned: bool
) -> float:
    """theta with S(theta) = sum [(q_p - theta)/D]_+: theta = rho S where that S <= cap, else S = cap (Michelot's rule)."""
    theta = -np.inf
    for capped in range(1 if pinned else 0, 2):
        theta, before = -np.inf, -1
        for _ in range(m + 2):
            count, total = 0, 0.0
            for p in range(m):
                if q[p] > theta:
                    count += 1
                    total += q[p]
            if count == before:  # the same components, and so the same level
                break
            before = count
            if capped == 0:
                theta = level_of_total * total / (curve + level_of_total * count)
            else:
                theta = (total - curve * cap) / count
        if capped == 0:
            spent = 0.0
            for p in range(m):
                if q[p] > theta:
                    spent += (q[p] - theta) / curve
            if spent <= cap:
                return theta
    return theta


@lean(inline=True)
def one_sign_block(
    m: int, q: Array, curve: float, rho: float, cap: float, pinned: bool, alpha: Array
) -> None:
    """Shared slack, D_p = D, v = 1 (up to sign): alpha_p = [(q_p - theta) / D]_+; ``pinned``: their sum stays at cap."""
    theta = water_level(m, q, curve, rho, cap, pinned)
    for p in range(m):
        alpha[p] = (q[p] - theta) / curve if q[p] > theta else 0.0


@lean()
def flat_block(m: int, q: Array, ridge: float, cap: float, alpha: Array) -> None:
    """Shared slack and no curvature, D = 0 (a zero row): all that pays goes to the best component."""
    best = 0
    for p in range(m):
        alpha[p] = 0.0
        if q[p] > q[best]:
            best = p
    if q[best] > 0.0:
        alpha[best] = min(q[best] / ridge, cap) if ridge > 0.0 else cap


@lean()
def two_signs_block(
    order: Any,
    d: int,
    y: int,
    q: Array,
    curve_own: float,
    curve: float,
    own: float,
    rival: float,
    rho: float,
    tau: float,
    cap: float,
    alpha: Array,
) -> None:
    """Shared slack over the own component a (at y) and its rivals beta (sum S), t = own a + rival S:

        q_y a - 1/2 D_y a^2 + max_beta (<q, beta> - 1/2 D ||beta||^2) - 1/2 rho t^2 - 1/2 tau (a + S)^2,  a + S <= cap.

    The rivals' water level theta fixes S; the remaining condition is monotone and piecewise linear in theta, its pieces
    the intervals between sorted q. First without the cap, then, if that is exceeded, on a = cap - S.
    """
    count = 0
    for p in range(d):
        if p != y:
            place = count
            while place > 0 and q[order[place - 1]] < q[p]:
                order[place] = order[place - 1]
                place -= 1
            order[place] = p
            count += 1
    for p in range(d):
        alpha[p] = 0.0
    cross = rho * own * rival + tau
    own_curve = curve_own + rho * own * own + tau
    rival_curve = rho * rival * rival + tau
    for capped in range(2):
        a, S, prefix, theta, active = 0.0, 0.0, 0.0, np.inf, 0
        for m in range(1, count + 1):
            top = q[order[m - 1]]
            # the condition at this interval's upper end: S from the m - 1 larger ones
            S = (prefix - (m - 1) * top) / curve
            if (
                _condition(
                    top, S, q[y], curve_own, own, rival, rho, tau, own_curve, cross, cap, capped
                )
                <= 0.0
            ):
                break
            prefix += top
            active = m
        if active > 0:
            # the root lies on the piece with `active` rivals, theta below the last top passed
            theta, S, a = _root(
                prefix,
                active,
                curve,
                q[y],
                curve_own,
                own,
                rival,
                rho,
                own_curve,
                cross,
                rival_curve,
                cap,
                capped,
                q[order[active]] if active < count else -np.inf,
            )
        else:
            S = 0.0
            a = max(q[y] / own_curve, 0.0) if capped == 0 and own_curve > 0.0 else 0.0
            if capped == 1:
                a = cap
        if capped == 0 and a + S > cap:
            continue
        alpha[y] = a
        for m in range(active):
            alpha[order[m]] = max((q[order[m]] - theta) / curve, 0.0)
        return


@lean()
def _condition(
    theta: float,
    S: float,
    q_own: float,
    curve_own: float,
    own: float,
    rival: float,
    rho: float,
    tau: float,
    own_curve: float,
    cross: float,
    cap: float,
    capped: int,
) -> float:
    """theta minus the marginal price of S: positive where S should grow."""
    if capped == 0:
        a = max((q_own - cross * S) / own_curve, 0.0)
        return theta - rho * rival * (own * a + rival * S) - tau * (a + S)
    if cap <= S:
        return -np.inf
    a = cap - S
    return theta - q_own + curve_own * a + rho * (own - rival) * (own * a + rival * S)


@lean()
def _root(
    prefix: float,
    m: int,
    curve: float,
    q_own: float,
    curve_own: float,
    own: float,
    rival: float,
    rho: float,
    own_curve: float,
    cross: float,
    rival_curve: float,
    cap: float,
    capped: int,
    bottom: float,
) -> tuple[float, float, float]:
    """(theta, S, a) on the piece S = (prefix - m theta) / D."""
    if capped == 0:
        # theta = cross a + rival_curve S with a = (q_own - cross S) / own_curve, or a = 0
        price = rival_curve - cross * cross / own_curve
        bend = curve + m * price
        if bend > 1e-12 * curve:
            theta = (cross * q_own / own_curve * curve + price * prefix) / bend
        else:
            theta = bottom  # level all the way: S grows to the piece's end, or past every cap
        S = (prefix - m * theta) / curve
        a = (q_own - cross * S) / own_curve
        if a < 0.0:
            theta = rival_curve * prefix / (curve + m * rival_curve)
            S, a = (prefix - m * theta) / curve, 0.0
        return theta, S, a
    # theta = q_own - D_y (cap - S) - rho (own - rival) (own cap + (rival - own) S)
    fixed = q_own - curve_own * cap - rho * (own - rival) * own * cap
    price = curve_own + rho * (own - rival) * (own - rival)
    bend = curve + m * price
    if bend > 1e-12 * curve:
        theta = (fixed * curve + price * prefix) / bend
    else:
        theta = bottom
    S = (prefix - m * theta) / curve
    if cap < S:
        theta, S = (prefix - curve * cap) / m, cap
    return theta, S, cap - S


@lean()
def arbitrary_block(
    g: Array,
    q: Array,
    hessian: Array,
    k: float,
    ridge: float,
    shared: bool,
    cap: float,
    mask: Array,
    alpha: Array,
) -> None:
    """Coordinate ascent (own slack) or ascent along pairs (shared slack), to rounding or for SWEEPS sweeps."""
    d = len(q)
    size = 0.0
    for p in range(d):
        size = max(size, abs(q[p]))
        g[p] = q[p]
        for r in range(d):
            g[p] -= k * hessian[p, r] * alpha[r]
    for _ in range(SWEEPS):
        if shared:
            moved = _best_pair(hessian, k, ridge, cap, mask, alpha, g)
        else:
            moved = _coordinates(hessian, k, ridge, cap, mask, alpha, g)
        if moved <= ROUNDING * size:
            return


@lean(inline=True)
def _coordinates(
    hessian: Array, k: float, ridge: float, cap: float, mask: Array, alpha: Array, g: Array
) -> float:
    """One sweep over the multipliers, each to its own optimum; the largest slope that was followed."""
    moved = 0.0
    for p in range(len(g)):
        if mask[p]:
            curve = k * hessian[p, p] + ridge
            slope = g[p] - ridge * alpha[p]
            goal = alpha[p] + slope / curve if curve > 0.0 else (cap if slope > 0.0 else 0.0)
            step = min(max(goal, 0.0), cap) - alpha[p]
            if step != 0.0:
                alpha[p] += step
                moved = max(moved, abs(step) * curve if curve > 0.0 else 0.0)
                for r in range(len(g)):
                    g[r] -= k * hessian[r, p] * step
    return moved


@lean(inline=True)
def _best_pair(
    hessian: Array, k: float, ridge: float, cap: float, mask: Array, alpha: Array, g: Array
) -> float:
    """The steepest of three moves, to its optimum: raise the best, lower the worst, or trade one for the other; its slope."""
    spent = 0.0
    for p in range(len(g)):
        spent += alpha[p]
    best, worst = -1, -1
    for p in range(len(g)):
        if mask[p]:
            if best < 0 or g[p] > g[best]:
                best = p
            if alpha[p] > 0.0 and (worst < 0 or g[p] < g[worst]):
                worst = p
    price = ridge * spent
    rise = g[best] - price
    fall = price - g[worst] if worst >= 0 else 0.0
    if worst < 0:
        worst = best
    swap = g[best] - g[worst]
    first, second, moved = 0.0, 0.0, 0.0
    if spent < cap and rise >= fall and rise >= 0.5 * swap and rise > 0.0:
        curve = k * hessian[best, best] + ridge
        first = min(rise / curve if curve > 0.0 else np.inf, cap - spent)
        moved, worst = rise, best
    elif fall > 0.5 * swap:
        curve = k * hessian[worst, worst] + ridge
        first = -min(fall / curve if curve > 0.0 else np.inf, alpha[worst])
        moved, best = fall, worst
    elif worst != best:
        curve = k * (hessian[best, best] + hessian[worst, worst] - 2 * hessian[best, worst])
        first = min(swap / curve if curve > 0.0 else np.inf, alpha[worst])
        second, moved = -first, swap
    alpha[best] += first
    alpha[worst] += second
    for r in range(len(g)):
        g[r] -= k * (hessian[r, best] * first + hessian[r, worst] * second)
    return moved
