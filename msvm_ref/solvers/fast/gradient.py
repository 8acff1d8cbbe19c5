"""All blocks at once, where the examples are few: the accelerated projected gradient of the dual, in numpy alone.

    alpha <- P(z + g(z) / (L k_i)),   z <- alpha + (t - 1) / t' (alpha - before),   t' = (1 + sqrt(1 + 4 t^2)) / 2

P projects an example's multipliers onto their bounds, k_i = k(x_i, x_i) + rho, and L is as small as the step shows it may be
(Nesterov 1983; Beck and Teboulle 2009; t starts again where the step turns against the momentum, O'Donoghue and Candes 2015).
A step is one product with the Gram: with some hundred examples it costs less than visiting them one by one, and nothing is
compiled for it, which takes half a minute the first time and as long as such a solve each time it is loaded.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from msvm_ref.model.arrays import Array
from msvm_ref.solvers.fast.blocks import OWN, Blocks

if TYPE_CHECKING:
    from msvm_ref.solvers.fast.engine import Engine

FEW, FEW_FREE = 600, 300
"""Examples up to which all go at once, without and with a free bias, whose penalty makes the rows nearly parallel."""
SWEEPS, PATIENCE = 25, 300
"""Steps until the gap is taken again, and until the visits one by one take over."""
GROW, SHRINK = 1.5, 0.98
"""L after a step that was too long, and after any other."""
STEP = 3e5
"""Operations of a step beside its product, however few the examples."""
FULL = 1.0 - 1e-15
"""A shared slack is used up from this part of its cost on."""


def projected(machine: Blocks, counted: NDArray[np.bool_], cost: Array, alpha: Array) -> Array:
    """The nearest multipliers within their bounds: clipped, or [alpha - theta]_+ where a shared slack would overflow."""
    inside = np.where(counted, np.maximum(alpha, 0.0), 0.0)
    if not machine.capped:
        return inside
    if machine.slack == OWN:
        return np.minimum(inside, cost[:, None])
    over = np.flatnonzero(inside.sum(axis=1) > cost)
    if len(over):
        falling = -np.sort(-inside[over], axis=1)
        excess = falling.cumsum(axis=1) - cost[over, None]
        free = (falling * np.arange(1, alpha.shape[1] + 1) > excess).sum(axis=1)
        theta = excess[np.arange(len(over)), free - 1] / free
        inside[over] = np.maximum(inside[over] - theta[:, None], 0.0)
    return inside


def ridge(machine: Blocks, cost: Array) -> Array:
    """h / C_i as a column, 0 where C_i = 0."""
    return np.divide(machine.width, cost, out=np.zeros_like(cost), where=cost > 0)[:, None]


def sums(machine: Blocks, alpha: Array) -> Array:
    """alpha summed over each slack group, as columns."""
    return alpha if machine.slack == OWN else alpha.sum(axis=1, keepdims=True)


def smoothed(machine: Blocks, xi: Array) -> Array:
    """phi of slacks (``steps.slack_loss``)"""
    if not machine.width:
        return xi
    curved = np.minimum(xi, machine.width) if machine.capped else xi
    return curved / machine.width * (xi - curved / 2)


def survey(
    machine: Blocks, y: NDArray[np.int64], cost: Array, scores: Array, alpha: Array
) -> tuple[float, float, float, float]:
    """(loss, gain, <A, f>, violation), as ``steps.survey`` has them."""
    counted = machine.mask[y] & (cost > 0)[:, None]
    slopes, total = machine.slopes(y, scores), sums(machine, alpha)
    pull = ridge(machine, cost) * total
    gain = float((machine.gamma[y] * alpha).sum() - (pull * total).sum() / 2)
    xi = np.where(counted, np.maximum(slopes, 0.0), 0.0)
    if machine.slack != OWN:
        xi = xi.max(axis=1, keepdims=True)
    phi = smoothed(machine, xi)
    g = slopes - pull
    if machine.slack == OWN:
        full = machine.capped & (alpha >= cost[:, None])
        held = ~counted | ((alpha <= 0) & (g < 0)) | (full & (g > 0))
        worst = np.where(held, 0.0, abs(g))
    else:  # the best that may rise, or 0, less the least that may fall, or 0
        full = machine.capped & (total[:, 0] >= cost * FULL)
        low = np.where(counted & (alpha > 0), g, np.inf).min(axis=1)
        best = np.where(counted, g, -np.inf).max(axis=1)
        best = np.where(full & (low > 0), best, np.maximum(best, 0.0))
        worst = np.where(cost > 0, best - np.where(full, low, np.minimum(low, 0.0)), 0.0)
    violation = max(float(worst.max(initial=0.0)), 0.0)
    inner = float((machine.expansion(y, alpha) * scores).sum())
    return float((cost[:, None] * phi).sum()), gain, inner, violation


class Momentum:
    """The steps of one engine, and what they carry over while nobody else moves it."""

    def __init__(self) -> None:
        self.steps, self.L, self.t = 0, 1.0, 1.0
        self.at: tuple[Array, Array] | None = None
        self.before: tuple[Array, Array] = (np.zeros(0), np.zeros(0))

    def sweep(self, engine: Engine, times: int) -> float:
        """So many steps; the work they were, in a pass's multiply-adds."""
        machine, y, cost = engine.blocks, engine.y, engine.cost
        everyone, start = (
            np.arange(len(y)),
            engine.scores.copy(),
        )  # an engine may take them into the same array again
        counted, pull = machine.mask[y] & (cost > 0)[:, None], ridge(machine, cost)
        size = engine.diagonal[:, None]
        size = np.where(size > 0, size, 1.0)
        alpha, scores = engine.alpha, start
        if self.at is None or self.at[0] is not alpha or self.at[1] is not engine.b0:
            self.t, self.before = 1.0, (alpha, scores)
        for _ in range(times):
            ahead = (1.0 + np.sqrt(1.0 + 4.0 * self.t**2)) / 2.0
            push = (self.t - 1.0) / ahead
            z, z_scores = (
                now + push * (now - old)
                for now, old in zip((alpha, scores), self.before, strict=True)
            )
            g = machine.slopes(y, z_scores) - pull * sums(machine, z)
            while True:
                after = projected(machine, counted, cost, z + g / (self.L * size))
                step = after - z
                A = machine.expansion(y, step)
                effect = engine.product(everyone, A)
                curve = float((A * effect).sum() + (pull * sums(machine, step) ** 2).sum())
                if not curve > self.L * float((size * step * step).sum()):
                    break
                self.L *= GROW
            self.L *= SHRINK
            against = float((size * step * (after - alpha)).sum()) < 0.0
            self.before, self.t = (alpha, scores), ahead
            alpha, scores = after, z_scores + effect
            if against:
                self.before, self.t = (alpha, scores), 1.0
        self.steps += times
        change = machine.expansion(y, alpha - engine.alpha)
        engine.set_alpha(alpha, everyone, change, scores - start)
        self.at = alpha, engine.b0
        n, d = alpha.shape
        return times * (STEP + n * d * engine.reach / 4.0)
