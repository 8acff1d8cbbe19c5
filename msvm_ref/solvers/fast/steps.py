"""One example's block, on the components it has in play (play.py): its exact optimum, and its effect on the scores."""

from __future__ import annotations

from typing import Any

import numpy as np

from msvm_ref.model.arrays import Array
from msvm_ref.solvers.fast.blocks import ARBITRARY, ONE_SIGN, OWN, RELATIVE
from msvm_ref.solvers.fast.lean import lean
from msvm_ref.solvers.fast.play import is_held, leave, slopes
from msvm_ref.solvers.fast.prox import (
    arbitrary_block,
    flat_block,
    one_sign_block,
    own_block,
    own_block_relative,
    two_signs_block,
)


@lean(inline=True)
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


@lean(inline=True)
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
    total: float,
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
    own part in them, ``total`` is sum sigma alpha; the last five are scratch. Under sum-to-zero what every class gains is the
    move of a class d. The block is solved for k / omega, which overshoots by omega where nothing
    binds (successive overrelaxation, Mangasarian and Musicant 1999): its slope along the change is at least k / omega times
    the change's square, so that the dual still gains k (1 / omega - 1 / 2) times it for omega < 2.
    """
    shape, slack, sigma, pull, rows, _, _, _, _, width = machine
    d = alpha.shape[1]
    if shape == ARBITRARY:
        spread(rows[y], alpha[i], move)
        for p in range(d):
            back = 0.0
            for c in range(d):
                back += rows[y, p, c] * move[c]
            q[p], new[p] = g[p] + k / omega * back, alpha[i, p]
    else:
        total *= 1.0 if shape == RELATIVE else pull
        for j in range(m):
            p = play[i, j]
            q[j] = g[j] + k / omega * sigma[y, p] * (sigma[y, p] * alpha[i, p] + total)
            new[j] = alpha[i, p]
    solve_block(machine, y, k / omega, cost, pinned, play, i, m, q, v, curve, order, new)
    gain, before, after, total, size = 0.0, 0.0, 0.0, 0.0, 0.0
    for j in range(m):
        p = play[i, j]
        old = alpha[i, p]
        change[j] = new[j] - old
        gain += g[j] * change[j]
        if width > 0.0:
            before += old * old if slack == OWN else old
            after += new[j] * new[j] if slack == OWN else new[j]
        share = sigma[y, p] * change[j]
        total += share
        size += share * share
        classes[j], move[j] = p, -share if shape == RELATIVE else share
    rise = after - before if slack == OWN else after * after - before * before
    gain -= width * rise / (2.0 * cost)
    count = m
    if shape == ARBITRARY:
        spread(rows[y], change, move)
        size = 0.0
        for c in range(d):
            size += move[c] * move[c]
    elif shape == RELATIVE:
        if not pinned:  # else what the own class gains is rounding
            classes[m], move[m] = y, total
            count, size = m + 1, size + total * total
    elif pull != 0.0:
        classes[m], move[m] = d, pull * total
        count, size = m + 1, size + pull * total * total
    gain -= 0.5 * k * size
    return (count, gain) if gain > 0.0 else (0, 0.0)


@lean(inline=True)
def spread(rows: Array, beta: Array, out: Array) -> None:
    """sum_p beta_p rows_p"""
    for c in range(len(rows)):
        out[c] = 0.0
        for p in range(len(rows)):
            out[c] += beta[p] * rows[p, c]


@lean(inline=True)
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
    best, low, spent = slopes(machine, label, play, i, count[i], here, alpha, g)
    m, pinned[i], violation, total = leave(
        machine, label, cost, room, play, i, count[i], pinned[i], alpha, g, best, low, spent
    )
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
        total,
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
