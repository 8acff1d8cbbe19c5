"""The ascent through kernel rows: scores are kept as d rows of length n, and an example's step adds its kernel row to them."""

from __future__ import annotations

from typing import Any

import numpy as np

from msvm_ref.model.arrays import Array
from msvm_ref.model.problem import Problem
from msvm_ref.solvers.compiled import njit
from msvm_ref.solvers.fast.blocks import Blocks
from msvm_ref.solvers.fast.engine import Engine, Index
from msvm_ref.solvers.fast.kernel_cache import Rows, fetch
from msvm_ref.solvers.fast.steps import block_step, is_shrunk, shrink


@njit(cache=True, error_model="numpy")
def epoch(
    machine: tuple[Any, ...],
    y: Any,
    cost: Array,
    order: Any,
    shrunk: Any,
    span: Any,
    rho: float,
    diagonal: Array,
    whole: bool,
    table: Array,
    store: tuple[Any, ...],
    scores: Array,
    alpha: Array,
    A: Array,
) -> int:
    """One pass over ``order``; returns how many examples moved."""
    d, n = scores.shape
    kind, columns, gamma, coef0, degree, _, slot, owner, used, counters = store
    here, new, move, scratch = np.empty(d), np.empty(d), np.empty(d), np.empty((4, d))
    steps = 0
    for i in order:
        if is_shrunk(i, shrunk):
            continue
        for c in range(d):
            here[c] = scores[c, i]
        gain = block_step(
            machine, y[i], diagonal[i] + rho, cost[i], here, alpha[i], new, move, scratch
        )
        if gain <= 0.0:
            shrink(i, shrunk, span)
            continue
        span[i] = 0
        steps += 1
        at = (
            i
            if whole
            else fetch(i, kind, columns, gamma, coef0, degree, table, slot, owner, used, counters)
        )
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


class KernelEngine(Engine):
    def __init__(self, problem: Problem, machine: Blocks, rows: Rows, rho: float) -> None:
        super().__init__(problem, machine, rho)
        self.rows = rows
        self.lines = np.zeros((problem.d, problem.n))

    @property
    def scores(self) -> Array:
        return self.lines.T

    @property
    def true_bias(self) -> Array:
        return np.asarray(self.b0 + self.rho * self.A.sum(axis=0))

    @property
    def evaluations(self) -> int:
        return self.rows.evaluations

    def pass_over(self, order: Index) -> float:
        steps = epoch(
            self.machine,
            self.y,
            self.cost,
            order,
            self.shrunk,
            self.span,
            self.rho,
            self.rows.diagonal,
            self.rows.whole,
            self.rows.table,
            self.rows.arguments,
            self.lines,
            self.alpha,
            self.A,
        )
        self.steps += steps
        return float(steps * self.lines.size + 10 * len(order) * len(self.lines))

    @property
    def diagonal(self) -> Array:
        return np.asarray(self.rows.diagonal + self.rho)

    def gram(self, chosen: Index) -> Array:
        return self.rows.square(chosen) + self.rho

    def product(self, chosen: Index, A: Array) -> Array:
        return np.asarray(self.rows.product(chosen, A) + self.rho * A.sum(axis=0))

    def rough_product(self, chosen: Index, A: Array) -> Array:
        return np.asarray(self.rows.rough_product(chosen, A) + self.rho * A.sum(axis=0))

    def _follow(self, chosen: Index, change: Array, effect: Array) -> None:
        self.lines += effect.T

    def shift_bias(self, shift: Array) -> None:
        self.b0 = self.b0 + shift
        self.lines += shift[:, None]

    def refresh(self) -> None:
        chosen = np.flatnonzero(self.A.any(axis=1))
        self.lines = np.ascontiguousarray((self.product(chosen, self.A[chosen]) + self.b0).T)
