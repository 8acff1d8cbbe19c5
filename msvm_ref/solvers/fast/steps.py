"""One example's block: its gradient, its effect on the scores, its exact optimum, and what it is worth."""

from __future__ import annotations

from typing import Any

import numpy as np

from msvm_ref.model.arrays import Array
from msvm_ref.solvers.compiled import njit
from msvm_ref.solvers.fast.blocks import ARBITRARY, ONE_SIGN, OWN, RELATIVE, SIGNED
from msvm_ref.solvers.fast.prox import (
    arbitrary_block,
    one_sign_block,
    own_block,
    own_block_relative,
    two_signs_block,
)

LONGEST_SPAN = 8
"""Shrinking: an example that did not move sits out 1, 3, 7, then this many passes."""


@njit(cache=True, error_model="numpy")
def gradient_of(
    shape: int,
    y: int,
    sigma: Array,
    pull: float,
    rows: Array,
    gamma: Array,
    mask: Array,
    scores: Array,
    out: Array,
) -> None:
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
def expand(
    shape: int, y: int, sigma: Array, pull: float, rows: Array, alpha: Array, out: Array
) -> None:
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
def expand_all(machine: tuple[Any, ...], y: Any, alpha: Array, A: Array) -> None:
    """``expand`` for every example."""
    for i in range(len(y)):
        expand(machine[0], y[i], machine[2], machine[3], machine[4], alpha[i], A[i])


@njit(cache=True, error_model="numpy")
def solve_block(
    shape: int,
    slack: int,
    y: int,
    sigma: Array,
    pull: float,
    products: Array,
    mask: Array,
    capped: bool,
    width: float,
    k: float,
    cost: float,
    q: Array,
    curve: Array,
    alpha: Array,
) -> None:
    """alpha <- the block's optimum, started from alpha; ``curve`` is scratch of length d."""
    d = len(q)
    cap = cost if capped else np.inf
    ridge = width / cost
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
        two_signs_block(
            y, q, k * own * own, k * scale * scale, own, scale, rho, ridge, cap, mask[y], alpha
        )
    spent = 0.0
    for p in range(d):
        spent += alpha[p]
    if spent > cap:  # (q - theta) / D amplifies rounding where D is tiny
        for p in range(d):
            alpha[p] *= cap / spent


@njit(cache=True, error_model="numpy")
def block_step(
    machine: tuple[Any, ...],
    y: int,
    k: float,
    cost: float,
    scores: Array,
    alpha: Array,
    new: Array,
    move: Array,
    scratch: Array,
) -> float:
    """The block's optimum into ``new``, its effect sum_p (new - alpha)_p (Pi nu)_p into ``move``; returns the dual's gain.

    ``scores`` are f(x_i) with the example's own part in them; ``scratch`` is (4, d).
    """
    shape, slack, sigma, pull, rows, products, gamma, mask, capped, width = machine
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
    solve_block(shape, slack, y, sigma, pull, products, mask, capped, width, k, cost, q, curve, new)
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
    rise = after - before if slack == OWN else after * after - before * before
    gain -= float(width) * rise / (2.0 * cost)
    expand(shape, y, sigma, pull, rows, own, move)
    size = 0.0
    for p in range(d):
        size += move[p] * move[p]
    return gain - 0.5 * k * size


@njit(cache=True, error_model="numpy")
def block_state(
    machine: tuple[Any, ...], y: int, cost: float, scores: Array, alpha: Array, g: Array
) -> tuple[float, float, float]:
    """(loss, gain, violation) of one example: C_i L, its part of the dual's linear and cost terms, and its KKT violation.

    The violation is the largest slope of the dual along a feasible direction that moves one multiplier or, with a
    shared slack, trades one for another.
    """
    shape, slack, sigma, pull, rows, _, gamma, mask, capped, width = machine
    if cost <= 0.0:
        return 0.0, 0.0, 0.0
    gradient_of(shape, y, sigma, pull, rows, gamma, mask, scores, g)
    worth, total, squares, loss, top = 0.0, 0.0, 0.0, 0.0, 0.0
    for p in range(len(scores)):
        if mask[y, p]:
            worth += gamma[y, p] * alpha[p]
            total += alpha[p]
            squares += alpha[p] * alpha[p]
            slackness = max(g[p], 0.0)
            top = max(top, slackness)
            loss += slack_loss(slackness, capped, width)
    if slack != OWN:
        loss, squares = slack_loss(top, capped, width), total * total
    ridge = width / cost
    worth -= ridge * squares / 2.0
    if slack == OWN:
        violation = own_violation(mask[y], capped, ridge, cost, alpha, g)
    else:
        violation = shared_violation(mask[y], capped, ridge, cost, alpha, total, g)
    return cost * loss, worth, violation


@njit(cache=True, error_model="numpy", inline="always")
def slack_loss(xi: float, capped: bool, width: float) -> float:
    """phi(xi) = (c / h) (xi - c/2), c = min(xi, h) where capped, else xi; xi itself where h = 0."""
    if width == 0.0:
        return xi
    curved = min(xi, width) if capped else xi
    return curved / width * (xi - 0.5 * curved)


@njit(cache=True, error_model="numpy")
def own_violation(
    mask: Any, capped: bool, ridge: float, cost: float, alpha: Array, g: Array
) -> float:
    """The steepest slope of one multiplier, up below its bound or down above zero."""
    violation = 0.0
    for p in range(len(g)):
        if mask[p]:
            slope = g[p] - ridge * alpha[p]
            if slope > 0.0 and (not capped or alpha[p] < cost):
                violation = max(violation, slope)
            if slope < 0.0 and alpha[p] > 0.0:
                violation = max(violation, -slope)
    return violation


@njit(cache=True, error_model="numpy")
def shared_violation(
    mask: Any, capped: bool, ridge: float, cost: float, alpha: Array, total: float, g: Array
) -> float:
    """The steepest trade: the best slope less the worst among the multipliers that could give."""
    best, worst = -np.inf, np.inf
    shift = ridge * total
    for p in range(len(g)):
        if mask[p]:
            slope = g[p] - shift
            best = max(best, slope)
            if alpha[p] > 0.0:
                worst = min(worst, slope)
    if total > 0.0 and capped:
        best = max(best, 0.0)  # the slack's own multiplier may take a share
    if not capped or total < cost * (1.0 - 1e-15):
        worst = min(worst, 0.0)
        best = max(best, 0.0)
    return max(best - worst, 0.0) if np.isfinite(worst) else max(best, 0.0)


@njit(cache=True, error_model="numpy")
def totals(
    machine: tuple[Any, ...], y: Any, cost: Array, scores: Array, alpha: Array
) -> tuple[float, float, float]:
    """(loss, gain, violation): sums and the largest violation over all examples."""
    g = np.empty(scores.shape[1])
    loss, gain, worst = 0.0, 0.0, 0.0
    for i in range(len(scores)):
        a, b, v = block_state(machine, y[i], cost[i], scores[i], alpha[i], g)
        loss += a
        gain += b
        worst = max(worst, v)
    return loss, gain, worst


@njit(cache=True, error_model="numpy")
def is_shrunk(i: int, shrunk: Any) -> bool:
    """Does example i sit out this pass? Counts the pass."""
    if shrunk[i] > 0:
        shrunk[i] -= 1
        return True
    return False


@njit(cache=True, error_model="numpy")
def shrink(i: int, shrunk: Any, span: Any) -> None:
    """Example i did not move: it sits out some passes, more each time in a row."""
    span[i] = min(2 * span[i] + 1, LONGEST_SPAN)
    shrunk[i] = span[i]
