"""Passes of the ascent on W itself, compiled: over dense rows with W (classes x p), over CSR rows with W (p x classes)."""

from __future__ import annotations

from typing import Any

from msvm_ref.model.arrays import Array
from msvm_ref.solvers.fast.ahead import LINE, ask_for, ask_for_example, ask_for_row
from msvm_ref.solvers.fast.lean import lean
from msvm_ref.solvers.fast.play import wanted
from msvm_ref.solvers.fast.steps import visit

LOOSELY = {"reassoc", "contract", "nsz"}
"""The order in which scores are summed is the compiler's."""
ENTRY_BY_ENTRY = {"contract", "nsz"}
"""Not of a sparse row's entries: free to sum them in any order, a compiler takes several at once by gathers of weights, which
takes longer than one by one (three times as long where processors are mended against leaks by gathers)."""
LANES = 4
"""Sparse rows: classes summed or moved together in one reading of a row, whose sums stay in registers."""


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


@lean(inline=True, fastmath=ENTRY_BY_ENTRY)
def sparse_scores(
    data: Any,
    indices: Any,
    start: int,
    end: int,
    W: Any,
    bias: Array,
    d: int,
    asked: int,
    classes: Any,
    sums: Array,
    out: Array,
) -> None:
    """The scores of the classes asked for, from a row's entries, into ``out``; the last class fills up the lanes."""
    some = asked
    if W.shape[1] > d:
        classes[asked], some = d, asked + 1
    for t in range(some, some + LANES - 1):
        classes[t] = classes[some - 1]
    for t in range(0, some, LANES):
        a, b, c, e = classes[t], classes[t + 1], classes[t + 2], classes[t + 3]
        in_a = in_b = in_c = in_e = W.dtype.type(0.0)
        for at in range(start, end):
            f, x = indices[at], data[at]
            in_a += x * W[f, a]
            in_b += x * W[f, b]
            in_c += x * W[f, c]
            in_e += x * W[f, e]
        sums[t], sums[t + 1] = in_a + bias[a], in_b + bias[b]
        sums[t + 2], sums[t + 3] = in_c + bias[c], in_e + bias[e]
    common = sums[asked] if some > asked else 0.0
    for t in range(asked):
        out[0, classes[t]] = sums[t] + common


@lean(inline=True, fastmath=ENTRY_BY_ENTRY)
def sparse_move(
    data: Any, indices: Any, start: int, end: int, W: Any, moved: int, classes: Any, move: Array
) -> None:
    """W[f, c] += x_f move_c over a row's entries f and the classes moved; the last class, unmoved, fills up the lanes."""
    for t in range(moved, moved + LANES - 1):
        classes[t], move[t] = classes[moved - 1], 0.0
    for t in range(0, moved, LANES):
        a, b, c, e = classes[t], classes[t + 1], classes[t + 2], classes[t + 3]
        kind = W.dtype.type
        by_a, by_b, by_c, by_e = (
            kind(move[t]),
            kind(move[t + 1]),
            kind(move[t + 2]),
            kind(move[t + 3]),
        )
        for at in range(start, end):
            f, x = indices[at], data[at]
            W[f, a] += x * by_a
            W[f, b] += x * by_b
            W[f, c] += x * by_c
            W[f, e] += x * by_e


@lean(fastmath=ENTRY_BY_ENTRY)
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
    alpha: Array,
    gains: Array,
) -> tuple[int, int, float]:
    """The same with W (p x classes) and CSR rows."""
    play, count, pinned, _ = lists
    d = alpha.shape[1]
    classes, move, sums, here = scratch[0], scratch[2], scratch[3], scratch[4]
    steps, dots, worst = 0, 0, 0.0
    for at in range(len(order)):
        i = order[at]
        if at + 2 < len(order):
            j = order[at + 2]
            ask_for_row(data, indices, indptr[j], indptr[j + 1])
            ask_for_example(alpha, play, j, count[j])
        label = y[i]
        here[0, label] = 0.0
        asked = wanted(machine[0], label, pinned[i], play, i, count[i], d, classes)
        dots += asked
        sparse_scores(
            data, indices, indptr[i], indptr[i + 1], W, bias, d, asked, classes, sums, here
        )
        moved, gains[at], violation = visit(
            machine, i, label, squares[i] + rho, cost[i], room, omega, lists, scratch, alpha
        )
        worst = max(worst, violation)
        if moved == 0:
            continue
        steps += 1
        for t in range(moved):
            bias[classes[t]] += rho * move[t]
        sparse_move(data, indices, indptr[i], indptr[i + 1], W, moved, classes, move)
    return steps, dots, worst
