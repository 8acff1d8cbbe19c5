"""Passes of the ascent on W itself, compiled: over dense rows with W (classes x p), over CSR rows with W (p x classes)."""

from __future__ import annotations

from typing import Any

from msvm_ref.model.arrays import Array
from msvm_ref.solvers.fast.ahead import LINE, ask_for, ask_for_example, ask_for_row
from msvm_ref.solvers.fast.lanes import LANES, move_lanes, sum_lanes
from msvm_ref.solvers.fast.lean import lean
from msvm_ref.solvers.fast.play import wanted
from msvm_ref.solvers.fast.steps import visit

LOOSELY = {"reassoc", "contract", "nsz"}
"""The order in which scores are summed is the compiler's."""


@lean(fastmath=LOOSELY)
def dense_epoch(
    machine: tuple[Any, ...],
    y: Any,
    cost: Array,
    order: Any,
    room: float,
    omega: float,
    lists: tuple[Any, ...],
    scratch: tuple[Any, ...],
    rho: float,
    squares: Array,
    X: Array,
    W: Array,
    bias: Array,
    alpha: Array,
    gains: Array,
) -> tuple[int, int, float]:
    """One pass over ``order`` with W (classes x p); (steps, dot products, largest violation); each gain into ``gains``."""
    play, count, pinned, _ = lists
    d, p = alpha.shape[1], W.shape[1]
    classes, move, here = scratch[0], scratch[2], scratch[4]
    steps, dots, worst = 0, 0, 0.0
    for at in range(len(order)):
        i = order[at]
        if at + 2 < len(order):
            j = order[at + 2]
            for f in range(0, p, LINE):
                ask_for(X, j, f)
            ask_for_example(alpha, play, j, count[j])
        label = y[i]
        here[0, label] = 0.0
        asked = wanted(machine[0], label, pinned[i], play, i, count[i], d, classes)
        dots += asked
        common = 0.0
        if len(W) > d:
            common = float(bias[d])
            for f in range(p):
                common += W[d, f] * X[i, f]
        for t in range(asked):
            c, value = classes[t], 0.0
            for f in range(p):
                value += W[c, f] * X[i, f]
            here[0, c] = value + (bias[c] + common)
        moved, gains[at], violation = visit(
            machine, i, label, squares[i] + rho, cost[i], room, omega, lists, scratch, alpha
        )
        worst = max(worst, violation)
        if moved == 0:
            continue
        steps += 1
        for t in range(moved):
            factor = move[t]
            if factor != 0.0:
                c = classes[t]
                bias[c] += rho * factor
                for f in range(p):
                    W[c, f] += factor * X[i, f]
    return steps, dots, worst


@lean(fastmath=LOOSELY)
def sparse_epoch(
    machine: tuple[Any, ...],
    y: Any,
    cost: Array,
    order: Any,
    room: float,
    omega: float,
    lists: tuple[Any, ...],
    scratch: tuple[Any, ...],
    rho: float,
    squares: Array,
    data: Any,
    indices: Any,
    indptr: Any,
    W: Any,
    bias: Array,
    vectors: Any,
    met: Any,
    alpha: Array,
    gains: Array,
) -> tuple[int, int, float]:
    """The same with W (p x classes) and CSR rows, of which every vector of classes is read and moved once (lanes.py).

    ``vectors`` are a class's sum and its step, 0 between visits; ``met`` is scratch, too.
    """
    play, count, pinned, _ = lists
    d = alpha.shape[1]
    classes, move, here = scratch[0], scratch[2], scratch[4]
    sums, step = vectors
    met[:] = -1
    steps, dots, worst = 0, 0, 0.0
    for at in range(len(order)):
        i = order[at]
        if at + 2 < len(order):
            j = order[at + 2]
            ask_for_row(data, indices, indptr[j], indptr[j + 1])
            ask_for_example(alpha, play, j, count[j])
        label, start, end = y[i], indptr[i], indptr[i + 1]
        here[0, label] = 0.0
        asked = wanted(machine[0], label, pinned[i], play, i, count[i], d, classes)
        dots += asked
        common = 0.0
        if machine[3] != 0.0:
            sum_lanes(data, indices, start, end, W, d - d % LANES, sums)
            met[d // LANES] = 2 * at
            common = bias[d] + sums[d]
        for t in range(asked):
            c = classes[t]
            if met[c // LANES] < 2 * at:
                met[c // LANES] = 2 * at
                sum_lanes(data, indices, start, end, W, c - c % LANES, sums)
            here[0, c] = sums[c] + (bias[c] + common)
        moved, gains[at], violation = visit(
            machine, i, label, squares[i] + rho, cost[i], room, omega, lists, scratch, alpha
        )
        worst = max(worst, violation)
        if moved == 0:
            continue
        steps += 1
        for t in range(moved):
            c = classes[t]
            step[c] = move[t]
            bias[c] += rho * move[t]
        for t in range(moved):
            c = classes[t]
            if met[c // LANES] <= 2 * at:
                met[c // LANES] = 2 * at + 1
                move_lanes(data, indices, start, end, W, c - c % LANES, step)
        for t in range(moved):
            step[classes[t]] = 0.0
    return steps, dots, worst
