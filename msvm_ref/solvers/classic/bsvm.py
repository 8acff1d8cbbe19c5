"""BSVM: Hsu and Lin's decomposition for WW with a penalised bias, HL (9) to (15).

    (10)  min 1/2 alpha'Q alpha - 2 e'alpha,  0 <= alpha_i^m <= C, alpha_i^{y_i} = 0     (margin 2: ``relative`` has the units)
          Q_{(i,m),(j,l)} = (K_ij + 1) [delta(y_i,y_j) + delta(m,l) - delta(y_i,l) - delta(y_j,m)]    PSD by (14)

An iteration solves (12), the sub-problem of a working set of q variables, the others fixed. Its choice: with

    v = min(g, 0) where alpha = 0,   -|g| where alpha is free,   -max(g, 0) where alpha = C,      g = Q alpha - 2 e

(v = g d for the best feasible direction d in {-1, 0, 1} of Zoutendijk's problem (13)), take the min(q/2, number of free)
*largest* v of the free variables and fill up with the *smallest* v of all. Stop when min v >= -precision: (22) without y.
Columns of Q come by the recipe below (15) and Q itself is never stored: what is cached are rows of K (``rows``). Shrinking is
by example: one leaves when all its variables are at bounds, each with a gradient that keeps it there by more than the largest
violation. HL solve (12) by a trust-region code; here it is Gauss-Seidel on q variables to a hundredth of the precision.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from msvm_ref.model.arrays import Array
from msvm_ref.model.problem import Problem
from msvm_ref.solvers.classic.drive import Run, own_rule, positive_integer, sliced, until_certified
from msvm_ref.solvers.classic.kesler import Index
from msvm_ref.solvers.classic.relative import Relative
from msvm_ref.solvers.classic.rows import KernelRows, row_at
from msvm_ref.solvers.classic.shrinking import MET, MISSING, SPENT, period, steps
from msvm_ref.solvers.compiled import njit
from msvm_ref.solvers.deadline import Deadline
from msvm_ref.solvers.solution import Solution

INNER_SWEEPS = 200


def solve_bsvm(
    problem: Problem,
    *,
    tolerance: float,
    working_set: int = 10,
    shrinking: bool = True,
    cache_mb: float = 256.0,
    max_iterations: int = 1_000_000,
    max_seconds: float = math.inf,
    epsilon: float | None = None,
) -> Solution:
    """HL's BSVM; for a relative margin with own slacks, linear cost and a penalized bias (WW).

    ``epsilon`` stops at that KKT violation of (10), as HL do at 1e-3, whatever the gap.
    """
    theirs = Relative(problem, "bsvm", "HL (9)", margin=2, shared=False, biases=("penalized",))
    q, budget = (
        positive_integer("working_set", working_set),
        positive_integer("max_iterations", max_iterations),
    )
    deadline = Deadline.of("max_seconds", max_seconds)
    y, costs, n = problem.y, theirs.costs, problem.n
    alpha, iterations = np.zeros((n, problem.d)), 0
    q = min(q, alpha.size)
    rows, pause = KernelRows(problem, cache_mb, least=q), period(shrinking, alpha.size)
    g, examples, state = np.empty_like(alpha), np.arange(n), np.array([n, 0])

    def refresh() -> None:
        g[:], examples[:], state[:] = gradient(rows, y, alpha), np.arange(n), (n, 0)

    def advance(precision: float) -> Run:
        nonlocal iterations

        def loop(most: int) -> tuple[int, int, int]:
            return decompose(
                rows.cache, y, costs, alpha, g, examples, state, q, pause, 2 * precision, most
            )

        def step(most: int) -> tuple[int, bool]:
            spent, code = steps(rows, loop, most, lambda: bool(state[0] < n), refresh)
            return spent, code == MET

        refresh()
        spent, met = sliced(step, budget - iterations, deadline)
        iterations += spent
        work = {"iterations": iterations, "kernel_evaluations": rows.evaluations}
        return Run(theirs.units * alpha, work, met)

    only = own_rule(epsilon, 2.0)
    return until_certified(problem, "bsvm", tolerance, deadline, advance, only)


def gradient(rows: KernelRows, y: Index, alpha: Array) -> Array:
    """Q alpha - 2 e, column by column of Q."""
    out, everybody = np.full(alpha.shape, -2.0), np.arange(len(y))
    for i, m in np.argwhere(alpha != 0.0):
        add_column(rows.row(i), y, y[i], m, alpha[i, m], everybody, out)
    return out


@njit(cache=True)
def add_column(
    row: Array, y: Index, own: int, m: int, step: float, examples: Index, out: Array
) -> None:
    """out += step Q[:, (i,m)] on some examples, by the five steps after HL (15); out[j,l] belongs to alpha_j^l.

    ``row`` is K_i. + 1 and ``own`` y_i.
    """
    for j in examples:
        k = step * row[j]  # 1) the column of K
        out[j, m] += k  # 2) the rows (j, m): third part of (10)
        out[j, own] -= k  # 3) the rows (j, y_i): second part
        if y[j] == own:
            for c in range(out.shape[1]):  # 4) every row (j, l) with y_j = y_i: first part
                out[j, c] += k
        elif y[j] == m:
            for c in range(out.shape[1]):  # 5) every row (j, l) with y_j = m: second part
                out[j, c] -= k


@njit(cache=True)
def entry(row: Array, y: Index, i: int, m: int, j: int, c: int) -> float:
    """Q_{(i,m),(j,c)}; ``row`` is K_i. + 1."""
    bracket = 0.0
    bracket += 1.0 if y[i] == y[j] else 0.0
    bracket += 1.0 if m == c else 0.0
    bracket -= 1.0 if y[i] == c else 0.0
    bracket -= 1.0 if y[j] == m else 0.0
    return float(row[j]) * bracket


@njit(cache=True)
def descent(y: Index, costs: Array, alpha: Array, g: Array, examples: Index, out: Array) -> float:
    """v of the working-set rule into ``out``, 0 for the variables alpha_i^{y_i} that do not exist; returns the smallest."""
    least = 0.0
    for i in examples:
        for m in range(alpha.shape[1]):
            v = 0.0
            if m != y[i] and costs[i] > 0.0:
                if alpha[i, m] <= 0.0:
                    v = min(g[i, m], 0.0)
                elif alpha[i, m] >= costs[i]:
                    v = -max(g[i, m], 0.0)
                else:
                    v = -abs(g[i, m])
            out[i, m] = v
            least = min(least, v)
    return least


@njit(cache=True)
def choose(y: Index, costs: Array, alpha: Array, v: Array, examples: Index, working: Index) -> int:
    """The working set as rows (i, m): q/2 of the largest v that are free, the rest the smallest v of all; returns its size."""
    taken = np.zeros(v.shape, dtype=np.bool_)
    size = 0
    for turn in range(len(working)):
        free_only = turn < len(working) // 2
        best, at_i, at_m = np.inf, -1, -1
        for i in examples:
            if costs[i] <= 0.0:
                continue
            for m in range(v.shape[1]):
                if taken[i, m] or m == y[i] or (free_only and not 0.0 < alpha[i, m] < costs[i]):
                    continue
                value = -v[i, m] if free_only else v[i, m]
                if value < best:
                    best, at_i, at_m = value, i, m
        if at_i >= 0:
            taken[at_i, at_m] = True
            working[size, 0], working[size, 1] = at_i, at_m
            size += 1
    return size


@njit(cache=True)
def shrink(
    y: Index, costs: Array, alpha: Array, g: Array, examples: Index, size: int, worst: float
) -> int:
    """How many examples stay, in the first places."""
    kept = 0
    for k in range(size):
        i, stays = examples[k], False
        for m in range(alpha.shape[1]):
            if m != y[i] and costs[i] > 0.0:
                below = alpha[i, m] <= 0.0 and g[i, m] > worst
                above = alpha[i, m] >= costs[i] and g[i, m] < -worst
                stays = stays or not (below or above)
        if stays:
            examples[kept] = i
            kept += 1
    return kept


@njit(cache=True)
def decompose(
    cache: Any,
    y: Index,
    costs: Array,
    alpha: Array,
    g: Array,
    examples: Index,
    state: Index,
    q: int,
    pause: int,
    precision: float,
    budget: int,
) -> tuple[int, int, int]:
    """Iterations in place on ``alpha`` and its gradient ``g``. (iterations, how it ended, the missing row)."""
    v = np.zeros(alpha.shape)
    working = np.zeros((q, 2), dtype=np.int64)
    Q, inner, now, bound = np.empty((q, q)), np.empty(q), np.empty(q), np.empty(q)
    iteration = 0
    while True:
        seen = examples[: state[0]]
        worst = -descent(y, costs, alpha, g, seen, v)
        if worst <= precision:
            return iteration, MET, -1
        if iteration >= budget:
            return iteration, SPENT, -1
        size = choose(y, costs, alpha, v, seen, working)
        missing = -1
        for a in range(size):  # all of them count as used before one is thrown out
            missing = working[a, 0] if row_at(cache, working[a, 0]) < 0 else missing
        if missing >= 0:
            return iteration, MISSING, missing
        for a in range(size):
            i, m = working[a, 0], working[a, 1]
            inner[a], now[a], bound[a] = g[i, m], alpha[i, m], costs[i]
            for b in range(size):
                row = cache.table[cache.slot[i]]
                Q[a, b] = entry(row, y, i, m, working[b, 0], working[b, 1])
        gauss_seidel(Q, inner, now, bound, size, precision / 100)
        for a in range(size):
            i, m = working[a, 0], working[a, 1]
            if now[a] != alpha[i, m]:
                row = cache.table[cache.slot[i]]
                add_column(row, y, y[i], m, now[a] - alpha[i, m], seen, g)
                alpha[i, m] = now[a]
        iteration += 1
        state[1] += 1
        if pause > 0 and state[1] >= pause:
            state[0], state[1] = shrink(y, costs, alpha, g, examples, state[0], worst), 0


@njit(cache=True)
def gauss_seidel(Q: Array, g: Array, x: Array, upper: Array, size: int, precision: float) -> None:
    """(12): min over 0 <= x <= upper, in place from x with gradient g, to a violation of ``precision``."""
    for _ in range(INNER_SWEEPS):
        worst = 0.0
        for a in range(size):
            if Q[a, a] > 0.0:
                after = min(max(x[a] - g[a] / Q[a, a], 0.0), upper[a])
            else:
                after = upper[a] if g[a] < 0.0 else 0.0
            step = after - x[a]
            if step != 0.0:
                worst = max(worst, abs(g[a]))
                x[a] = after
                for b in range(size):
                    g[b] += step * Q[b, a]
        if worst <= precision:
            return
