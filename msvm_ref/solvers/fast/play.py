"""Who is in play: the slopes of an example's components, who leaves, and who sleeps.

A component leaves play where it sits at a bound and its slope pushes it there: with a shared slack where that slope is below
the smallest among those that could give (Keerthi et al. 2008, section 4), with its own slack where it is beyond ``room``. An
example whose components cannot move any more falls asleep. Leaving only saves work: ``survey`` puts back whatever
violates its condition, from the scores of all, each time the gap is taken.

Examples have two or three components in play, so that a loop costs what its end costs, a branch nobody foresees: what can be
had in one loop is taken in one.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from msvm_ref.model.arrays import Array
from msvm_ref.solvers.fast.blocks import ARBITRARY, OWN, RELATIVE
from msvm_ref.solvers.fast.lean import lean

FULL = 1.0 - 1e-15
"""A shared slack is used up from this part of its cost on."""


@lean(inline=True)
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


@lean(inline=True)
def slope(machine: tuple[Any, ...], y: int, p: int, scores: Array, at: int) -> float:
    """g_p = gamma_p - mu_p(scores) from row ``at`` of the scores (sum 0 under sum-to-zero), 0 where p does not count."""
    shape, _, sigma, _, rows, _, gamma, mask, _, _ = machine
    value: float = gamma[y, p]
    if shape != ARBITRARY:
        f = scores[at, y] - scores[at, p] if shape == RELATIVE else scores[at, p]
        value -= sigma[y, p] * f
    elif mask[y, p]:
        for c in range(len(gamma)):
            value -= rows[y, p, c] * scores[at, c]
    else:
        value = 0.0
    return value


@lean(inline=True)
def slopes(
    machine: tuple[Any, ...],
    y: int,
    play: Any,
    i: int,
    m: int,
    scores: Array,
    alpha: Array,
    out: Array,
) -> tuple[float, float, float]:
    """The slopes of the components in play, from the scores' only row; (the largest, the least that could give, sum alpha)."""
    shape, mask = machine[0], machine[7]
    best, low, spent = -np.inf, np.inf, 0.0
    for j in range(m):
        p = play[i, j]
        out[j] = slope(machine, y, p, scores, 0)
        if shape != ARBITRARY or mask[y, p]:
            best = max(best, out[j])
            if alpha[i, p] > 0.0:
                spent += alpha[i, p]
                low = min(low, out[j])
    return best, low, spent


@lean(inline=True)
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
    best: float,
    low: float,
    spent: float,
) -> tuple[int, bool, float, float]:
    """(components still in play, is their sum pinned at its bound, the largest KKT violation among them, sum sigma alpha).

    The violation is the largest slope of the dual along a feasible direction that moves one multiplier or, with a
    shared slack, trades one for another. ``play`` and ``g`` keep those that stay, in order; ``best``, ``low`` and ``spent`` are
    as ``slopes`` says. With infinite ``room`` nobody leaves.
    """
    shape, slack, sigma, _, _, _, _, _, capped, width = machine
    worst, ridge = 0.0, width / cost
    if slack != OWN:
        shift = ridge * spent
        if not pinned:
            pinned = capped and room < np.inf and spent >= cost * FULL and low > shift
            if not capped or spent < cost * FULL:
                low = min(low, shift)
            if not pinned:
                best = max(best, shift)
        worst = max(best - low, 0.0)
    kept, total = 0, 0.0
    for j in range(m):
        p, gone = play[i, j], False
        at = alpha[i, p]
        if slack == OWN:
            pull = g[j] - ridge * at
            held = (at <= 0.0 and pull < 0.0) or (capped and at >= cost and pull > 0.0)
            if not held:
                worst = max(worst, abs(pull))
            gone = held and abs(pull) > room
        elif g[j] < low:
            gone = room < np.inf and at <= 0.0
        if not gone or shape == ARBITRARY:
            play[i, kept], g[kept] = p, g[j]
            total += sigma[y, p] * at
            kept += 1
    return kept, pinned, worst, total


@lean(inline=True)
def is_held(m: int, pinned: bool, violation: float) -> bool:
    """Can nothing in play move, or gain by it? One component whose sum is pinned cannot."""
    return bool(m == 0 or (m == 1 and pinned) or violation <= 0.0)
