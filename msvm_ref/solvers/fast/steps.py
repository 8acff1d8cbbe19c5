"""One example's block, on the components it has in play: its slopes, its exact optimum, and its effect on the scores.

A component leaves play where it sits at a bound and its slope pushes it there: with a shared slack where that slope is below
the smallest among those that could give (Keerthi et al. 2008, section 4), with its own slack where it is beyond ``room``. An
example whose components cannot move any more falls asleep. Leaving only saves work: ``survey`` puts back whatever
violates its condition, from the scores of all, each time the gap is taken.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from msvm_ref.model.arrays import Array
from msvm_ref.solvers.compiled import njit
from msvm_ref.solvers.fast.blocks import ARBITRARY, ONE_SIGN, OWN, RELATIVE, SIGNED
from msvm_ref.solvers.fast.lean import lean
from msvm_ref.solvers.fast.prox import (
    arbitrary_block,
    flat_block,
    one_sign_block,
    own_block,
    own_block_relative,
    two_signs_block,
)

FULL = 1.0 - 1e-15
"""A shared slack is used up from this part of its cost on."""


@lean(inline="always")
def wanted(shape: int, y: int, pinned: bool, play: Any, i: int, m: int, d: int, out: Any) -> int:
    """The classes whose scores the block asks for, into ``out``; how many. A pinned sum needs no own score: it cancels."""
    if shape == ARBITRARY:
        for c in range(d):
            out[c] = c
        return d
    for j in range(m):
        out[j] = play[i, j]
    if shape == RELATIVE and not pinned:
        out[m] = y
        return m + 1
    return m


@lean(inline="always")
def slopes(
    machine: tuple[Any, ...], y: int, play: Any, i: int, m: int, scores: Array, at: int, out: Array
) -> None:
    """g_p = gamma_p - mu_p(scores) for the components in play, from row ``at`` of the scores (sum 0 under sum-to-zero)."""
    shape, _, sigma, _, rows, _, gamma, mask, _, _ = machine
    if shape == RELATIVE:
        for j in range(m):
            p = play[i, j]
            out[j] = gamma[y, p] - sigma[y, p] * (scores[at, y] - scores[at, p])
    elif shape == SIGNED:
        for j in range(m):
            p = play[i, j]
            out[j] = gamma[y, p] - sigma[y, p] * scores[at, p]
    else:
        for p in range(m):
            out[p] = 0.0
            if mask[y, p]:
                out[p] = gamma[y, p]
                for c in range(m):
                    out[p] -= rows[y, p, c] * scores[at, c]


@lean(inline="always")
def expand(
    machine: tuple[Any, ...],
    y: int,
    play: Any,
    i: int,
    m: int,
    beta: Array,
    classes: Any,
    out: Array,
) -> int:
    """sum_p beta_p (Pi nu)[y, p] as (classes, values); how many."""
    shape, _, sigma, pull, rows, _, gamma, _, _, _ = machine
    d, total = len(gamma), 0.0
    if shape == ARBITRARY:
        for c in range(d):
            classes[c], out[c] = c, 0.0
            for p in range(d):
                out[c] += beta[p] * rows[y, p, c]
        return d
    for j in range(m):
        share = sigma[y, play[i, j]] * beta[j]
        total += share
        classes[j], out[j] = play[i, j], -share if shape == RELATIVE else share
    if shape == RELATIVE:
        classes[m], out[m] = y, total
        return m + 1
    if pull == 0.0 or total == 0.0:
        return m
    for c in range(d):
        classes[c], out[c] = c, pull * total
    for j in range(m):
        out[play[i, j]] += sigma[y, play[i, j]] * beta[j]
    return d


@lean(inline="always")
def solve_block(
    machine: tuple[Any, ...],
    y: int,
    k: float,
    cost: float,
    pinned: bool,
    play: Any,
    i: int,
    m: int,
    q: Array,
    v: Array,
    curve: Array,
    order: Any,
    alpha: Array,
) -> None:
    """alpha <- the optimum over the components in play, started from alpha; v, curve and order are scratch."""
    shape, slack, sigma, pull, _, products, _, mask, capped, width = machine
    cap, ridge = cost if capped else np.inf, width / cost
    if shape == ARBITRARY:
        arbitrary_block(v, q, products[y], k, ridge, slack != OWN, cap, mask[y], alpha)
        return
    scale = sigma[y, 1 if y == 0 else 0]
    if slack == OWN:
        if shape == RELATIVE:
            own_block_relative(m, q, k * scale * scale + ridge, k * scale * scale, cap, alpha)
            return
        for j in range(m):
            v[j] = sigma[y, play[i, j]]
            curve[j] = k * v[j] * v[j] + ridge
        own_block(m, q, curve, v, k * pull, cap, alpha)
        return
    own, at = sigma[y, y], -1
    if slack != ONE_SIGN:
        for j in range(m):
            if play[i, j] == y:
                at = j
    if not k > 0.0:
        flat_block(m, q, ridge, cap, alpha)
    elif at < 0:
        spread = k * scale * scale * (1.0 if shape == RELATIVE else pull) + ridge
        one_sign_block(m, q, k * scale * scale, spread, cap, pinned, alpha)
    else:
        curve_own, curve_rival = k * own * own, k * scale * scale
        rho = curve_rival if shape == RELATIVE else k * pull
        two_signs_block(order, m, at, q, curve_own, curve_rival, own, scale, rho, ridge, cap, alpha)
    spent = 0.0
    for j in range(m):
        spent += alpha[j]
    if spent > cap:  # (q - theta) / D amplifies rounding where D is tiny
        for j in range(m):
            alpha[j] *= cap / spent


@lean(inline="always")
def block_step(
    machine: tuple[Any, ...],
    y: int,
    k: float,
    omega: float,
    cost: float,
    pinned: bool,
    play: Any,
    i: int,
    m: int,
    g: Array,
    alpha: Array,
    new: Array,
    classes: Any,
    move: Array,
    q: Array,
    v: Array,
    curve: Array,
    change: Array,
    order: Any,
) -> tuple[int, float]:
    """The block's optimum over the components in play into ``new``, its effect on the scores into (classes, move).

    Returns how many classes that are, 0 where the dual would not gain, and the gain. ``g`` are the slopes with the example's
    own part in them; the last five are scratch. The block is solved for k / omega, which overshoots by omega where nothing
    binds (successive overrelaxation, Mangasarian and Musicant 1999): its slope along the change is at least k / omega times
    the change's square, so that the dual still gains k (1 / omega - 1 / 2) times it for omega < 2.
    """
    shape, slack, sigma, pull, rows, _, _, _, _, width = machine
    d, total = alpha.shape[1], 0.0
    if shape == ARBITRARY:
        for j in range(d):
            change[j] = alpha[i, j]
        expand(machine, y, play, i, m, change, classes, move)
        for p in range(d):
            back = 0.0
            for c in range(d):
                back += rows[y, p, c] * move[c]
            q[p], new[p] = g[p] + k / omega * back, alpha[i, p]
    else:
        for j in range(m):
            total += sigma[y, play[i, j]] * alpha[i, play[i, j]]
        total *= 1.0 if shape == RELATIVE else pull
        for j in range(m):
            p = play[i, j]
            q[j] = g[j] + k / omega * sigma[y, p] * (sigma[y, p] * alpha[i, p] + total)
            new[j] = alpha[i, p]
    solve_block(machine, y, k / omega, cost, pinned, play, i, m, q, v, curve, order, new)
    gain, before, after = 0.0, 0.0, 0.0
    for j in range(m):
        old = alpha[i, play[i, j]]
        change[j] = new[j] - old
        gain += g[j] * change[j]
        before += old * old if slack == OWN else old
        after += new[j] * new[j] if slack == OWN else new[j]
    rise = after - before if slack == OWN else after * after - before * before
    gain -= width * rise / (2.0 * cost)
    count = expand(machine, y, play, i, m, change, classes, move)
    if pinned and shape == RELATIVE:
        count -= 1  # what the own class gains is rounding
    size = 0.0
    for t in range(count):
        size += move[t] * move[t]
    gain -= 0.5 * k * size
    return (count, gain) if gain > 0.0 else (0, 0.0)


@lean(inline="always")
def leave(
    machine: tuple[Any, ...],
    y: int,
    cost: float,
    room: float,
    play: Any,
    i: int,
    m: int,
    pinned: bool,
    alpha: Array,
    g: Array,
) -> tuple[int, bool, float]:
    """(components still in play, is their sum pinned at its bound, the largest KKT violation among them).

    The violation is the largest slope of the dual along a feasible direction that moves one multiplier or, with a
    shared slack, trades one for another. ``play`` and ``g`` keep those that stay, in order. With infinite ``room``
    nobody leaves.
    """
    shape, slack, _, _, _, _, _, mask, capped, width = machine
    worst, ridge = 0.0, width / cost
    if slack == OWN:
        low = 0.0
    else:
        low, best, spent = np.inf, -np.inf, 0.0
        for j in range(m):
            p = play[i, j]
            if shape != ARBITRARY or mask[y, p]:
                best = max(best, g[j])
                if alpha[i, p] > 0.0:
                    spent += alpha[i, p]
                    low = min(low, g[j])
        shift = ridge * spent
        if not pinned:
            pinned = capped and room < np.inf and spent >= cost * FULL and low > shift
            if not capped or spent < cost * FULL:
                low = min(low, shift)
            if not pinned:
                best = max(best, shift)
        worst = max(best - low, 0.0)
    kept = 0
    for j in range(m):
        p, gone = play[i, j], False
        if slack == OWN:
            at = alpha[i, p]
            slope = g[j] - ridge * at
            held = (at <= 0.0 and slope < 0.0) or (capped and at >= cost and slope > 0.0)
            if not held:
                worst = max(worst, abs(slope))
            gone = held and abs(slope) > room
        elif g[j] < low:
            gone = room < np.inf and alpha[i, p] <= 0.0
        if not gone or shape == ARBITRARY:
            play[i, kept], g[kept] = p, g[j]
            kept += 1
    return kept, pinned, worst


@lean()
def visit(
    machine: tuple[Any, ...],
    i: int,
    label: int,
    k: float,
    cost: float,
    room: float,
    omega: float,
    lists: tuple[Any, ...],
    scratch: tuple[Any, ...],
    alpha: Array,
) -> tuple[int, float, float]:
    """Example i, its scores in the scratch: who leaves play, then the block's optimum, relaxed, into alpha.

    Returns how many classes' scores change, by ``move`` at ``classes``, the dual's gain, and the violation before.
    """
    play, count, pinned, asleep = lists
    classes, ranking, move, _, here, g, new, q, v, curve, change = scratch
    m = count[i]
    slopes(machine, label, play, i, m, here, 0, g)
    m, pinned[i], violation = leave(machine, label, cost, room, play, i, m, pinned[i], alpha, g)
    count[i], asleep[i] = m, is_held(m, pinned[i], violation)
    if asleep[i]:
        return 0, 0.0, 0.0
    moved, gain = block_step(
        machine,
        label,
        k,
        omega,
        cost,
        pinned[i],
        play,
        i,
        m,
        g,
        alpha,
        new,
        classes,
        move,
        q,
        v,
        curve,
        change,
        ranking,
    )
    if moved > 0:
        for j in range(m):
            alpha[i, play[i, j]] = new[j]
    return moved, gain, violation


@njit(cache=True, error_model="numpy")
def survey(
    machine: tuple[Any, ...],
    y: Any,
    cost: Array,
    scores: Array,
    alpha: Array,
    room: float,
    play: Any,
    count: Any,
    pinned: Any,
    asleep: Any,
) -> tuple[float, float, float, float]:
    """(loss, gain, inner, violation): sums of C_i L, of the dual's linear and cost terms and of <A_i, f(x_i)>; the worst.

    Puts into play whatever is not held at its bound, and wakes the examples that can move. <A_i, f> = sum_p alpha_p mu_p(f).
    """
    shape, slack, _, _, _, _, gamma, mask, capped, width = machine
    n, d = scores.shape
    g = np.empty(d)
    loss, gain, inner, worst = 0.0, 0.0, 0.0, 0.0
    for i in range(n):
        asleep[i] = True
        if cost[i] <= 0.0:
            continue
        label, m = y[i], 0
        for p in range(d):
            if mask[label, p] or shape == ARBITRARY:
                play[i, m] = p
                m += 1
        slopes(machine, label, play, i, m, scores, i, g)
        total, squares, xi, top = 0.0, 0.0, 0.0, 0.0
        for j in range(m):
            p = play[i, j]
            if shape == ARBITRARY and not mask[label, p]:
                continue
            top = max(top, g[j])
            if slack == OWN and not g[j] <= 0.0:
                xi += slack_loss(g[j], capped, width)
            at = alpha[i, p]
            if at != 0.0:
                gain += gamma[label, p] * at
                inner += (gamma[label, p] - g[j]) * at
                total += at
                squares += at * at
        if slack != OWN:
            xi, squares = slack_loss(top, capped, width), total * total
        loss += cost[i] * xi
        gain -= width * squares / (2.0 * cost[i])
        count[i], pinned[i], violation = leave(
            machine, label, cost[i], room, play, i, m, False, alpha, g
        )
        asleep[i] = is_held(count[i], pinned[i], violation)
        worst = max(worst, violation)
    return loss, gain, inner, worst


@lean(inline="always")
def slack_loss(xi: float, capped: bool, width: float) -> float:
    """phi(xi) = (c / h) (xi - c/2), c = min(xi, h) where capped, else xi; xi itself where h = 0."""
    if width == 0.0:
        return xi
    curved = min(xi, width) if capped else xi
    return curved / width * (xi - 0.5 * curved)


@lean(inline="always")
def is_held(m: int, pinned: bool, violation: float) -> bool:
    """Can nothing in play move, or gain by it? One component whose sum is pinned cannot."""
    return bool(m == 0 or (m == 1 and pinned) or violation <= 0.0)
