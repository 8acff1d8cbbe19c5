"""The block problem of one example, solved exactly: the proximal step of its aggregated loss (MATH section 8).

    max  <q, alpha> - 1/2 k ||sum_p alpha_p (Pi nu)_p||^2 [- (group sum)^2 / (4 C)]
    s.t. alpha >= 0,  each slack group's sum <= C (linear cost)

``Blocks`` reads off a machine's spec which of the closed forms applies; every form writes the quadratic as

    sum_p D_p alpha_p^2 + rho (sum_p v_p alpha_p)^2      D_p = k s_p^2

with (s_p = s, v = 1, rho = k s^2) for relative margins s (f_y - f_c), and (s_p = |sigma_p|, v = sigma, rho = -k/d or 0)
for signed margins sigma_p f_p with or without sum-to-zero. What fits neither goes to coordinate ascent on its d x d Gram.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from msvm_ref.model.arrays import Array
from msvm_ref.model.problem import Problem

RELATIVE, SIGNED, ARBITRARY = 0, 1, 2
OWN, ONE_SIGN, TWO_SIGNS = 0, 1, 2
SWEEPS, ROUNDING = 1000, 1e-15


@dataclass(frozen=True, eq=False)
class Blocks:
    """A machine as the kernels take it: ``shape`` of the margins, ``slack`` of the groups, and their numbers."""

    shape: int
    slack: int
    sigma: Array  # (d, d): s_p for relative margins, sigma[y, p] for signed ones, 0 on components that do not count
    pull: float  # rho / k for signed margins: -1/d under sum-to-zero, else 0
    rows: Array  # (d, d, d) Pi nu
    products: Array  # (d, d, d) <(Pi nu)[y, p], (Pi nu)[y, q]>
    gamma: Array
    mask: NDArray[np.bool_]
    quadratic: bool

    @property
    def packed(self) -> tuple[Any, ...]:
        """What the compiled kernels take."""
        return (self.shape, self.slack, self.sigma, self.pull, self.rows, self.products, self.gamma, self.mask,
                self.quadratic)


def blocks(problem: Problem) -> Blocks:
    """The closed form that fits the machine of ``problem``, decided on its coefficients."""
    spec = problem.spec
    d, mask = spec.d, np.asarray(spec.mask)
    rows = np.where(mask[:, :, None], spec.projected_nu, 0.0)
    shape, sigma, pull = ARBITRARY, np.zeros((d, d)), 0.0
    unit = np.eye(d)
    scale = float(spec.projected_nu[0, 1, 0])
    signed = np.where(mask, np.einsum("ypp->yp", spec.nu), 0.0)
    if np.array_equal(rows, np.where(mask[:, :, None], scale * (unit[:, None, :] - unit[None, :, :]), 0.0)) \
            and not mask.diagonal().any():
        shape, sigma = RELATIVE, np.where(mask, scale, 0.0)
    elif np.array_equal(np.where(mask[:, :, None], spec.nu, 0.0), signed[:, :, None] * unit):
        shape, sigma, pull = SIGNED, signed, -1.0 / d if spec.sum_to_zero else 0.0
    slack = OWN
    if spec.shared:
        slack = ONE_SIGN if not mask.diagonal().any() else TWO_SIGNS
        rivals = sigma[mask & ~np.eye(d, dtype=bool)]
        if (mask.sum(axis=1) == 1).all():
            slack = OWN
        elif (shape == SIGNED and (rivals.size == 0 or (rivals != rivals[0]).any() or rivals[0] == 0)) or (shape == SIGNED and slack == TWO_SIGNS and (sigma.diagonal() == 0).any()):
            shape = ARBITRARY
    return Blocks(shape, slack, sigma, pull, np.ascontiguousarray(rows), np.einsum("ypm,yqm->ypq", rows, rows),
                  np.ascontiguousarray(spec.gamma), np.ascontiguousarray(mask), spec.quadratic)


@njit(cache=True, error_model="numpy")
def gradient_of(shape, y, sigma, pull, rows, gamma, mask, scores, out):
    """g_p = gamma_p - mu_p(scores), 0 on components that do not count."""
    d = len(scores)
    if shape == RELATIVE:
        own = scores[y]
        for p in range(d):
            out[p] = gamma[y, p] - sigma[y, p] * (own - scores[p]) if mask[y, p] else 0.0
    elif shape == SIGNED:
        mean = 0.0
        if pull != 0.0:
            for p in range(d):
                mean += scores[p]
            mean /= d
        for p in range(d):
            out[p] = gamma[y, p] - sigma[y, p] * (scores[p] - mean) if mask[y, p] else 0.0
    else:
        for p in range(d):
            value = 0.0
            if mask[y, p]:
                value = gamma[y, p]
                for m in range(d):
                    value -= rows[y, p, m] * scores[m]
            out[p] = value


@njit(cache=True, error_model="numpy")
def expand(shape, y, sigma, pull, rows, alpha, out):
    """out_m = sum_p alpha_p (Pi nu)[y, p, m]."""
    d = len(alpha)
    if shape == RELATIVE:
        total = 0.0
        for p in range(d):
            share = sigma[y, p] * alpha[p]
            out[p] = -share
            total += share
        out[y] += total
    elif shape == SIGNED:
        total = 0.0
        for p in range(d):
            out[p] = sigma[y, p] * alpha[p]
            total += out[p]
        if pull != 0.0:
            for p in range(d):
                out[p] += pull * total
    else:
        for m in range(d):
            out[m] = 0.0
        for p in range(d):
            if alpha[p] != 0.0:
                for m in range(d):
                    out[m] += alpha[p] * rows[y, p, m]


@njit(cache=True, error_model="numpy")
def expand_all(machine, y, alpha, A):
    """``expand`` for every example."""
    for i in range(len(y)):
        expand(machine[0], y[i], machine[2], machine[3], machine[4], alpha[i], A[i])


@njit(cache=True, error_model="numpy")
def own_block(q, curve, v, rho, cap, mask, alpha):
    """alpha_p = clip((q_p - rho v_p t) / D_p, 0, cap) with t = sum v alpha: Newton on that monotone equation in t."""
    d = len(q)
    t = 0.0
    for p in range(d):
        t += v[p] * alpha[p]
    low, high = -np.inf, np.inf
    for _ in range(200):
        total, slope, size = 0.0, -1.0, 0.0
        up, down = np.inf, -np.inf  # the nearest break points of t on either side
        for p in range(d):
            if not mask[p]:
                alpha[p] = 0.0
                continue
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
        if rho == 0.0:
            return
        excess = total - t
        if abs(excess) <= ROUNDING * (size + abs(t)):
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


@njit(cache=True, error_model="numpy")
def water_level(q, mask, curve, level_of_total, cap):
    """theta with S(theta) = sum [(q_p - theta)/D]_+: theta = rho S where that S <= cap, else S = cap (Michelot's rule)."""
    theta = -np.inf
    for capped in range(2):
        theta = -np.inf
        for _ in range(len(q) + 2):
            count, total = 0, 0.0
            for p in range(len(q)):
                if mask[p] and q[p] > theta:
                    count += 1
                    total += q[p]
            if capped == 0:
                after = level_of_total * total / (curve + level_of_total * count)
            else:
                after = (total - curve * cap) / count
            if after == theta:
                break
            theta = after
        if capped == 0:
            spent = 0.0
            for p in range(len(q)):
                if mask[p] and q[p] > theta:
                    spent += (q[p] - theta) / curve
            if spent <= cap:
                return theta
    return theta


@njit(cache=True, error_model="numpy")
def one_sign_block(q, curve, rho, cap, mask, alpha):
    """Shared slack, D_p = D, v = 1 (up to sign): alpha_p = [(q_p - theta) / D]_+."""
    theta = water_level(q, mask, curve, rho, cap)
    for p in range(len(q)):
        alpha[p] = (q[p] - theta) / curve if mask[p] and q[p] > theta else 0.0


@njit(cache=True, error_model="numpy")
def two_signs_block(y, q, curve_own, curve, own, rival, rho, tau, cap, mask, alpha):
    """Shared slack over the own component a and its rivals beta (sum S), t = own a + rival S:

        q_y a - 1/2 D_y a^2 + max_beta (<q, beta> - 1/2 D ||beta||^2) - 1/2 rho t^2 - 1/2 tau (a + S)^2,  a + S <= cap.

    The rivals' water level theta fixes S; the remaining condition is monotone and piecewise linear in theta, its pieces
    the intervals between sorted q. First without the cap, then, if that is exceeded, on a = cap - S.
    """
    d = len(q)
    order = np.empty(d, dtype=np.int64)
    count = 0
    for p in range(d):
        if mask[p] and p != y:
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
            if _condition(top, S, q[y], curve_own, own, rival, rho, tau, own_curve, cross, cap, capped) <= 0.0:
                break
            prefix += top
            active = m
        if active > 0:
            # the root lies on the piece with `active` rivals, theta below the last top passed
            theta, S, a = _root(prefix, active, curve, q[y], curve_own, own, rival, rho, own_curve, cross, rival_curve,
                                cap, capped, q[order[active]] if active < count else -np.inf)
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


@njit(cache=True, error_model="numpy")
def _condition(theta, S, q_own, curve_own, own, rival, rho, tau, own_curve, cross, cap, capped):
    """theta minus the marginal price of S: positive where S should grow."""
    if capped == 0:
        a = max((q_own - cross * S) / own_curve, 0.0)
        return theta - rho * rival * (own * a + rival * S) - tau * (a + S)
    if cap <= S:
        return -np.inf
    a = cap - S
    return theta - q_own + curve_own * a + rho * (own - rival) * (own * a + rival * S)


@njit(cache=True, error_model="numpy")
def _root(prefix, m, curve, q_own, curve_own, own, rival, rho, own_curve, cross, rival_curve, cap, capped, bottom):
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


@njit(cache=True, error_model="numpy")
def arbitrary_block(q, hessian, k, ridge, shared, cap, mask, alpha):
    """Coordinate ascent (own slack) or ascent along pairs (shared slack) to rounding."""
    d = len(q)
    g = np.empty(d)
    for p in range(d):
        g[p] = q[p]
        for r in range(d):
            g[p] -= k * hessian[p, r] * alpha[r]
    for _ in range(SWEEPS):
        moved, size, spent = 0.0, 0.0, 0.0
        for p in range(d):
            spent += alpha[p]
            size = max(size, abs(q[p]))
        if not shared:
            for p in range(d):
                if mask[p]:
                    curve = k * hessian[p, p] + ridge
                    slope = g[p] - ridge * alpha[p]
                    goal = alpha[p] + slope / curve if curve > 0.0 else (cap if slope > 0.0 else 0.0)
                    step = min(max(goal, 0.0), cap) - alpha[p]
                    if step != 0.0:
                        alpha[p] += step
                        moved = max(moved, abs(step) * curve if curve > 0.0 else 0.0)
                        for r in range(d):
                            g[r] -= k * hessian[r, p] * step
        else:
            price = ridge * spent
            best, worst = -1, -1  # raise best; lower worst, or the unused part of the slack
            for p in range(d):
                if mask[p]:
                    if best < 0 or g[p] > g[best]:
                        best = p
                    if alpha[p] > 0.0 and (worst < 0 or g[p] < g[worst]):
                        worst = p
            rise = g[best] - price
            fall = price - g[worst] if worst >= 0 else 0.0
            swap = g[best] - g[worst] if worst >= 0 else 0.0
            if spent < cap and rise >= fall and rise >= 0.5 * swap and rise > 0.0:
                curve = k * hessian[best, best] + ridge
                step = min(rise / curve if curve > 0.0 else np.inf, cap - spent)
                first, second, moved = step, 0.0, rise
                worst = best
            elif fall > 0.5 * swap:
                curve = k * hessian[worst, worst] + ridge
                step = -min(fall / curve if curve > 0.0 else np.inf, alpha[worst])
                first, second, moved = step, 0.0, fall
                best = worst
            else:
                if worst < 0 or worst == best:
                    return
                curve = k * (hessian[best, best] + hessian[worst, worst] - 2 * hessian[best, worst])
                step = min(swap / curve if curve > 0.0 else np.inf, alpha[worst])
                first, second, moved = step, -step, swap
            alpha[best] += first
            alpha[worst] += second
            for r in range(d):
                g[r] -= k * (hessian[r, best] * first + hessian[r, worst] * second)
        if moved <= ROUNDING * size:
            return


@njit(cache=True, error_model="numpy")
def solve_block(shape, slack, y, sigma, pull, products, mask, quadratic, k, cost, q, curve, alpha):
    """alpha <- the block's optimum, started from alpha; ``curve`` is scratch of length d."""
    d = len(q)
    cap = np.inf if quadratic else cost
    ridge = 1.0 / (2.0 * cost) if quadratic else 0.0
    if shape == ARBITRARY or (k <= 0.0 and slack != OWN):
        arbitrary_block(q, products[y], k, ridge, slack != OWN, cap, mask[y], alpha)
        return
    if slack == OWN:
        for p in range(d):
            curve[p] = k * sigma[y, p] * sigma[y, p] + ridge
        if shape == RELATIVE:
            scale = sigma[y, 1 if y == 0 else 0]
            own_block_relative(q, k * scale * scale + ridge, k * scale * scale, cap, mask[y], alpha)
        else:
            own_block(q, curve, sigma[y], k * pull, cap, mask[y], alpha)
        return
    scale = sigma[y, 1 if y == 0 else 0]
    rho = k * scale * scale if shape == RELATIVE else k * pull
    if slack == ONE_SIGN:
        spread = rho * (1.0 if shape == RELATIVE else scale * scale) + ridge
        one_sign_block(q, k * scale * scale, spread, cap, mask[y], alpha)
    else:
        own = sigma[y, y]
        two_signs_block(y, q, k * own * own, k * scale * scale, own, scale, rho, ridge, cap, mask[y], alpha)
    spent = 0.0
    for p in range(d):
        spent += alpha[p]
    if spent > cap:  # (q - theta) / D amplifies rounding where D is tiny
        for p in range(d):
            alpha[p] *= cap / spent


@njit(cache=True, error_model="numpy")
def own_block_relative(q, curve, rho, cap, mask, alpha):
    """alpha_p = clip((q_p - rho t) / D, 0, cap), t = sum alpha: the same equation with every v_p = 1."""
    d = len(q)
    t = 0.0
    for p in range(d):
        if mask[p]:
            t += alpha[p]
    low, high = -np.inf, np.inf
    for _ in range(200):
        total, free = 0.0, 0
        for p in range(d):
            value = 0.0
            if mask[p]:
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


@njit(cache=True, error_model="numpy")
def block_step(machine, y, k, cost, scores, alpha, new, move, scratch):
    """The block's optimum into ``new``, its effect sum_p (new - alpha)_p (Pi nu)_p into ``move``; returns the dual's gain.

    ``scores`` are f(x_i) with the example's own part in them; ``scratch`` is (4, d).
    """
    shape, slack, sigma, pull, rows, products, gamma, mask, quadratic = machine
    d = len(scores)
    g, q, own, curve = scratch[0], scratch[1], scratch[2], scratch[3]
    if cost <= 0.0:
        return 0.0
    gradient_of(shape, y, sigma, pull, rows, gamma, mask, scores, g)
    expand(shape, y, sigma, pull, rows, alpha, own)
    for p in range(d):
        if shape == RELATIVE:
            back = sigma[y, p] * (own[y] - own[p])
        elif shape == SIGNED:
            back = sigma[y, p] * own[p]
        else:
            back = 0.0
            for m in range(d):
                back += rows[y, p, m] * own[m]
        q[p] = g[p] + k * back
        new[p] = alpha[p]
    solve_block(shape, slack, y, sigma, pull, products, mask, quadratic, k, cost, q, curve, new)
    gain, before, after = 0.0, 0.0, 0.0
    for p in range(d):
        own[p] = new[p] - alpha[p]
        gain += g[p] * own[p]
        if slack == OWN:
            before += alpha[p] * alpha[p]
            after += new[p] * new[p]
        else:
            before += alpha[p]
            after += new[p]
    if quadratic:
        gain -= (after - before if slack == OWN else after * after - before * before) / (4.0 * cost)
    expand(shape, y, sigma, pull, rows, own, move)
    size = 0.0
    for p in range(d):
        size += move[p] * move[p]
    return gain - 0.5 * k * size


@njit(cache=True, error_model="numpy")
def block_state(machine, y, cost, scores, alpha, g):
    """(loss, gain, violation) of one example: C_i L, its part of the dual's linear and cost terms, and its KKT violation.

    The violation is the largest slope of the dual along a feasible direction that moves one multiplier or, with a
    shared slack, trades one for another.
    """
    shape, slack, sigma, pull, rows, _, gamma, mask, quadratic = machine
    d = len(scores)
    gradient_of(shape, y, sigma, pull, rows, gamma, mask, scores, g)
    worth, total, squares, loss, top = 0.0, 0.0, 0.0, 0.0, 0.0
    for p in range(d):
        if mask[y, p]:
            worth += gamma[y, p] * alpha[p]
            total += alpha[p]
            squares += alpha[p] * alpha[p]
            slackness = max(g[p], 0.0)
            top = max(top, slackness)
            loss += slackness * slackness if quadratic else slackness
    if slack != OWN:
        loss, squares = top * top if quadratic else top, total * total
    if cost <= 0.0:
        return 0.0, 0.0, 0.0
    if quadratic:
        worth -= squares / (4.0 * cost)
    violation, best, worst = 0.0, -np.inf, np.inf
    for p in range(d):
        if mask[y, p]:
            slope = g[p] - ((alpha[p] if slack == OWN else total) / (2.0 * cost) if quadratic else 0.0)
            if slack == OWN:
                if slope > 0.0 and (quadratic or alpha[p] < cost):
                    violation = max(violation, slope)
                if slope < 0.0 and alpha[p] > 0.0:
                    violation = max(violation, -slope)
            else:
                best = max(best, slope)
                if alpha[p] > 0.0:
                    worst = min(worst, slope)
    if slack != OWN:
        if total > 0.0 and not quadratic:
            best = max(best, 0.0)  # the slack's own multiplier may take a share
        if quadratic or total < cost * (1.0 - 1e-15):
            worst = min(worst, 0.0)
            best = max(best, 0.0)
        violation = max(best - worst, 0.0) if np.isfinite(worst) else max(best, 0.0)
    return cost * loss, worth, violation
