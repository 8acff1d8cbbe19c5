"""The face on which an ascent stands: which multipliers are free, and how the dual changes with each.

Free directions are e_p for a multiplier strictly inside, and e_p - e_ref within a shared slack that is used up; direction a
of example i has the row R_a = (Pi nu)_p [- (Pi nu)_ref].
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from msvm_ref.model.arrays import Array
from msvm_ref.solvers.fast.blocks import OWN, Blocks
from msvm_ref.solvers.fast.engine import Engine, Index

INSIDE = 1e-12
"""The part of its range by which a multiplier must keep off a bound."""


@dataclass(frozen=True, eq=False)
class Face:
    """The free directions at alpha: their example, row, components and slope."""

    i: Index
    p: Index
    ref: Index
    R: Array
    slope: Array


def gradient(engine: Engine, machine: Blocks, scores: Array) -> Array:
    """dD/d alpha_ip = gamma - <Pi nu_p, f(x_i)> - h (group sum) / C_i, 0 on components that do not count."""
    y = engine.y
    g = machine.slopes(y, scores)
    if machine.width:
        total = engine.alpha if machine.slack == OWN else engine.alpha.sum(axis=1, keepdims=True)
        cost = engine.cost[:, None]
        g -= np.divide(machine.width * total, cost, out=np.zeros_like(total), where=cost > 0)
    return np.where(machine.mask[y], g, 0.0)


def expansion(engine: Engine, machine: Blocks, alpha: Array, chosen: Index) -> Array:
    """A[i] = sum_p alpha_ip (Pi nu)_p for the chosen examples."""
    return machine.expansion(engine.y[chosen], alpha[chosen])


def free_at(engine: Engine, machine: Blocks) -> tuple[NDArray[np.bool_], Index]:
    """Which multipliers are free, and for each the one it trades with, or -1."""
    alpha, cost = engine.alpha, engine.cost[:, None]
    largest = alpha.max(initial=0.0)
    free = (
        machine.mask[engine.y]
        & (alpha > INSIDE * (np.minimum(cost, largest) if machine.capped else largest))
        & (cost > 0)
    )
    ref = np.full(alpha.shape, -1)
    if machine.slack == OWN and machine.capped:
        free &= alpha < cost * (1 - INSIDE)
    elif machine.capped:
        full = alpha.sum(axis=1) >= cost[:, 0] * (1 - INSIDE)
        base = np.where(free, alpha, -1.0).argmax(
            axis=1
        )  # the largest share of a used-up slack gives and takes
        free[np.flatnonzero(full), base[full]] = False
        ref[full] = base[full, None]
    return free, ref


def face(engine: Engine, machine: Blocks) -> Face:
    y, (free, ref) = engine.y, free_at(engine, machine)
    g = gradient(engine, machine, engine.scores)
    i, p = np.nonzero(free)
    base_of = ref[i, p]
    R = machine.rows_of(y[i], p)
    slope = g[i, p]
    tied = base_of >= 0
    R[tied] -= machine.rows_of(y[i[tied]], base_of[tied])
    slope[tied] -= g[i[tied], base_of[tied]]
    return Face(i, p, base_of, R, slope)
