"""Block-coordinate ascent on the unified dual, one example at a time, scores kept up to date through kernel rows.

State: alpha (n x d), A[i] = sum_p alpha_ip (Pi nu)_p, and f_c(x_j) = sum_i (k(x_j, x_i) + rho) A[i,c] + b0_c as d rows of
length n. rho is 0 without a bias, 1 with a penalized one, and the penalty of the method of multipliers with a free one.

An example that did not move rests for a while (1, 2, 4 ... epochs): that is the shrinking. It only saves visits: scores
are kept for every example and the gap is always taken over all of them, so nothing has to be reconstructed.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from msvm_ref.fast.blocks import Blocks
from msvm_ref.fast.rows import Rows, fetch
from msvm_ref.fast.steps import LONGEST_REST, block_step, expand_all
from msvm_ref.model.arrays import Array
from msvm_ref.model.problem import Problem


@njit(cache=True, error_model="numpy")
def epoch(machine: tuple[Any, ...], y: Any, cost: Array, order: Any, rest: Any, nap: Any, rho: float,
          diagonal: Array, whole: bool, table: Array, store: tuple[Any, ...], scores: Array, alpha: Array, A: Array) -> int:
    """One pass over ``order``; returns how many examples moved."""
    d, n = scores.shape
    kind, columns, gamma, coef0, degree, _, slot, owner, used, counters = store
    here, new, move, scratch = np.empty(d), np.empty(d), np.empty(d), np.empty((4, d))
    steps = 0
    for i in order:
        if rest[i] > 0:
            rest[i] -= 1
            continue
        for c in range(d):
            here[c] = scores[c, i]
        gain = block_step(machine, y[i], diagonal[i] + rho, cost[i], here, alpha[i], new, move, scratch)
        if gain <= 0.0:
            nap[i] = min(2 * nap[i] + 1, LONGEST_REST)
            rest[i] = nap[i]
            continue
        nap[i] = 0
        steps += 1
        at = i if whole else fetch(i, kind, columns, gamma, coef0, degree, table, slot, owner, used, counters)
        row = table[at]
        for c in range(d):
            alpha[i, c] = new[c]
            A[i, c] += move[c]
            factor = move[c]
            if factor != 0.0:
                line, shift = scores[c], factor * rho
                for j in range(n):
                    line[j] += factor * row[j] + shift
    return steps


class KernelEngine:
    """The state of one ascent, and what the driver and the Newton polish ask of it."""

    def __init__(self, problem: Problem, machine: Blocks, rows: Rows, rho: float) -> None:
        n, d = problem.n, problem.d
        self.machine, self.rows, self.rho = machine.packed, rows, rho
        self.y, self.cost = np.asarray(problem.y), np.array(problem.costs)
        self.alpha, self.A, self.b0 = np.zeros((n, d)), np.zeros((n, d)), np.zeros(d)
        self.free, self.width = problem.bias == "free", 0
        self.lines = np.zeros((d, n))
        self.rest, self.nap = np.zeros(n, dtype=np.int8), np.zeros(n, dtype=np.int8)
        self.steps = 0

    @property
    def scores(self) -> Array:
        """(n x d) f(x_i), bias included."""
        return self.lines.T

    @property
    def true_bias(self) -> Array:
        return np.asarray(self.b0 + self.rho * self.A.sum(axis=0))

    @property
    def evaluations(self) -> int:
        return self.rows.evaluations

    def pass_over(self, order: NDArray[np.int64]) -> float:
        """One pass; the work it was, in multiply-adds."""
        steps = epoch(self.machine, self.y, self.cost, order, self.rest, self.nap, self.rho,
                              self.rows.diagonal, self.rows.whole, self.rows.table, self.rows.arguments, self.lines,
                              self.alpha, self.A)
        self.steps += steps
        return float(steps * self.lines.size + 10 * len(order) * len(self.lines))

    @property
    def diagonal(self) -> Array:
        return np.asarray(self.rows.diagonal + self.rho)

    def gram(self, chosen: NDArray[np.int64]) -> Array:
        """k(x_i, x_j) + rho over the chosen examples."""
        return self.rows.square(chosen) + self.rho

    def product(self, chosen: NDArray[np.int64], A: Array) -> Array:
        """(n x d) what coefficients A of the chosen examples add to every score."""
        return np.asarray(self.rows.product(chosen, A) + self.rho * A.sum(axis=0))

    def rough_product(self, chosen: NDArray[np.int64], A: Array) -> Array:
        """The same at the chosen examples only, to single precision."""
        return np.asarray(self.rows.rough_product(chosen, A) + self.rho * A.sum(axis=0))

    def set_alpha(self, alpha: Array, chosen: NDArray[np.int64], change: Array, effect: Array) -> None:
        self.alpha = alpha
        self.A[chosen] += change
        self.lines += effect.T
        self.rest[:], self.nap[:] = 0, 0

    def shift_bias(self, shift: Array) -> None:
        self.b0 = self.b0 + shift
        self.lines += shift[:, None]

    def refresh(self) -> None:
        """Scores anew from alpha: what a thousand updates rounded away comes back."""
        chosen = np.flatnonzero(self.A.any(axis=1))
        self.lines = np.ascontiguousarray((self.product(chosen, self.A[chosen]) + self.b0).T)

    def restart(self, alpha: Array, b0: Array) -> None:
        """Stand at alpha and b0, whatever came before."""
        self.alpha, self.b0 = np.array(alpha), np.array(b0)
        expand_all(self.machine, self.y, self.alpha, self.A)
        self.rest[:], self.nap[:] = 0, 0
        self.refresh()
