"""Which multipliers a barrier has to move: all but those that sit at a bound and are held there.

With slope g = dD/d alpha, price theta = g of the largest multiplier where a shared slack is used up, else 0:

    own slack       held at 0 where g < 0, by -g;   at C where g > 0, by g
    shared slack    held at 0 where g < theta, by theta - g;   the only one that is not 0, at C, by the least of theta and those

and no held multiplier's distance from its bound, times what holds it, adds more than its part of a small ``share`` to the gap.
Others may leave their bounds when the unsettled ones move, those first that are held least: they are taken in as well.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from msvm_ref.model.arrays import Array
from msvm_ref.solvers.fast.blocks import OWN, Blocks
from msvm_ref.solvers.fast.engine import Engine
from msvm_ref.solvers.fast.face import gradient

MORE = 50
"""Components taken beside the unsettled ones."""


def unsettled(engine: Engine, machine: Blocks, share: float) -> NDArray[np.bool_]:
    """(n x d) the components to move; ``share`` is what all that are held may add to the gap."""
    counted = machine.mask[engine.y] & (engine.cost > 0)[:, None]
    everyone = int(counted.sum())
    if everyone == 0:
        return counted
    g = gradient(engine, machine, engine.scores)
    held = np.where(counted, _held(engine, machine, counted, g, share / everyone), np.inf)
    size = min(int((held <= 0).sum()) + MORE, everyone)
    most = max(float(np.partition(held[counted], size - 1)[size - 1]), 0.0)
    taken = counted & (held <= most)
    if machine.slack != OWN:  # what fills a shared slack moves with those it is shared with
        taken |= counted & taken.any(axis=1, keepdims=True) & (engine.alpha > 0)
    return taken


def _held(
    engine: Engine, machine: Blocks, counted: NDArray[np.bool_], g: Array, share: float
) -> Array:
    """By what each component is held at its bound; -inf where it is not."""
    alpha, cost = engine.alpha, engine.cost[:, None]
    unit = float(abs(machine.gamma).max()) or 1.0

    def at_bound(distance: Array, by: Array) -> NDArray[np.bool_]:
        return (distance * by <= share) & (distance * unit < by * cost)

    if machine.slack == OWN:
        full = at_bound(cost - alpha, g) if machine.capped else False
        return np.where(at_bound(alpha, -g), -g, np.where(full, g, -np.inf))
    first = np.where(counted, alpha, -1.0).argmax(axis=1)[:, None]
    top = np.take_along_axis(g, first, axis=1)
    room = cost - alpha.sum(axis=1, keepdims=True)
    full = at_bound(room, top) if machine.capped else np.zeros_like(room, dtype=bool)
    below = np.where(full, top, 0.0) - g
    held = np.where(at_bound(alpha, below), below, -np.inf)
    is_first = np.arange(alpha.shape[1]) == first
    others = np.where(counted & ~is_first, held, np.inf).min(axis=1, keepdims=True)
    return np.where(is_first & full, np.where(others > 0, np.minimum(top, others), -np.inf), held)
