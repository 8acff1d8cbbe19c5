"""The gap's sums over all examples, and who is in play from there on."""

from __future__ import annotations

from typing import Any

import numpy as np

from msvm_ref.model.arrays import Array
from msvm_ref.solvers.fast.blocks import ARBITRARY, OWN
from msvm_ref.solvers.fast.lean import lean
from msvm_ref.solvers.fast.play import is_held, leave, slope


@lean()
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
    g: Array,
) -> tuple[float, float, float, float]:
    """(loss, gain, inner, violation): sums of C_i L, of the dual's linear and cost terms and of <A_i, f(x_i)>; the worst.

    Puts into play whatever is not held at its bound, and wakes the examples that can move. <A_i, f> = sum_p alpha_p mu_p(f).
    ``g`` is scratch.
    """
    shape, slack, _, _, _, _, gamma, mask, capped, width = machine
    n, d = scores.shape
    loss, gain, inner, worst = 0.0, 0.0, 0.0, 0.0
    for i in range(n):
        asleep[i] = True
        if cost[i] <= 0.0:
            continue
        label, m = y[i], 0
        best, low, total, squares, xi = -np.inf, np.inf, 0.0, 0.0, 0.0
        for p in range(d):
            if not mask[label, p]:
                if shape == ARBITRARY:
                    play[i, m], g[m] = p, 0.0
                    m += 1
                continue
            value = slope(machine, label, p, scores, i)
            play[i, m], g[m] = p, value
            m += 1
            best = max(best, value)
            if slack == OWN and not value <= 0.0:
                xi += slack_loss(value, capped, width)
            at = alpha[i, p]
            if at != 0.0:
                gain += gamma[label, p] * at
                inner += (gamma[label, p] - value) * at
                total += at
                squares += at * at
                low = min(low, value)
        if slack != OWN:
            xi, squares = slack_loss(max(best, 0.0), capped, width), total * total
        loss += cost[i] * xi
        gain -= width * squares / (2.0 * cost[i])
        count[i], pinned[i], violation, _ = leave(
            machine, label, cost[i], room, play, i, m, False, alpha, g, best, low, total
        )
        asleep[i] = is_held(count[i], pinned[i], violation)
        worst = max(worst, violation)
    return loss, gain, inner, worst


@lean(inline=True)
def slack_loss(xi: float, capped: bool, width: float) -> float:
    """phi(xi) = (c / h) (xi - c/2), c = min(xi, h) where capped, else xi; xi itself where h = 0."""
    if width == 0.0:
        return xi
    curved = min(xi, width) if capped else xi
    return curved / width * (xi - 0.5 * curved)
