"""The ascent through kernel rows: scores are kept as lines of length n, and an example's step adds its kernel row to them.

Under sum-to-zero a signed margin's step moves every class, f_c by (share_c + pull sum_m share_m) k(x_i, .), but only a few
have a share. What all have in common goes to one more line, f_c = line_c + line_d: shares + 1 updates instead of d.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from msvm_ref.model.arrays import Array
from msvm_ref.model.problem import Problem
from msvm_ref.solvers.compiled import njit
from msvm_ref.solvers.fast.blocks import Blocks
from msvm_ref.solvers.fast.engine import Engine, Index
from msvm_ref.solvers.fast.kernel_cache import Rows, fetch
from msvm_ref.solvers.fast.play import wanted
from msvm_ref.solvers.fast.steps import visit

VISIT = 600.0
"""Operations of a visit whatever it moves."""


@njit(cache=True, error_model="numpy")
def epoch(
    machine: tuple[Any, ...],
    y: Any,
    cost: Array,
    order: Any,
    room: float,
    omega: float,
    lists: tuple[Any, ...],
    scratch: tuple[Any, ...],
    rho: float,
    diagonal: Array,
    whole: bool,
    table: Array,
    store: tuple[Any, ...],
    lines: Array,
    alpha: Array,
) -> tuple[int, int, float]:
    """One pass over ``order``; (steps, classes moved in them, largest violation)."""
    play, count, pinned, _ = lists
    d, n = len(lines) - 1, lines.shape[1]
    common = lines[d]
    kind, columns, gamma, coef0, degree, _, slot, owner, used, counters = store
    classes, move, here = scratch[0], scratch[2], scratch[4]
    steps, moves, worst = 0, 0, 0.0
    for i in order:
        label = y[i]
        here[0, label] = 0.0
        for t in range(wanted(machine[0], label, pinned[i], play, i, count[i], d, classes)):
            here[0, classes[t]] = lines[classes[t], i] + common[i]
        moved, _, violation = visit(
            machine, i, label, diagonal[i] + rho, cost[i], room, omega, lists, scratch, alpha
        )
        worst = max(worst, violation)
        if moved == 0:
            continue
        steps += 1
        at = (
            i
            if whole
            else fetch(i, kind, columns, gamma, coef0, degree, table, slot, owner, used, counters)
        )
        row = table[at]
        for t in range(moved):
            factor = move[t]
            if factor != 0.0:
                moves += 1
                line, shift = lines[classes[t]], factor * rho
                for j in range(n):
                    line[j] += factor * row[j] + shift
    return steps, moves, worst


class KernelEngine(Engine):
    def __init__(
        self,
        problem: Problem,
        machine: Blocks,
        rows: Rows,
        rho: float,
        exact: Callable[[], Rows] | None = None,
    ) -> None:
        """``exact`` makes the rows in double precision."""
        super().__init__(problem, machine, rho)
        self.rows, self.exact = rows, exact or (lambda: rows)
        self.lines = np.zeros((problem.d + 1, problem.n))

    @property
    def scores(self) -> Array:
        own, common = self.lines[:-1], self.lines[-1]
        return (own + common).T if self.blocks.pull else own.T

    @property
    def true_bias(self) -> Array:
        return np.asarray(self.b0 + self.rho * self.A.sum(axis=0))

    @property
    def products_are_cheap(self) -> bool:
        return self.rows.whole

    @property
    def single(self) -> bool:
        return self.rows.single

    def to_double(self) -> None:
        self.rows = self.exact()
        self.refresh()

    @property
    def evaluations(self) -> int:
        return self.rows.evaluations

    def pass_over(self, order: Index) -> float:
        steps, moves, self.violation = epoch(
            self.machine,
            self.y,
            self.cost,
            order,
            self.violation,
            self.omega,
            (self.play, self.count, self.pinned, self.asleep),
            self.scratch,
            self.rho,
            self.rows.diagonal,
            self.rows.whole,
            self.rows.table,
            self.rows.arguments,
            self.lines,
            self.alpha,
        )
        self.steps += steps
        return float(moves * self.lines.shape[1] + len(order) * (VISIT + 10 * self.alpha.shape[1]))

    @property
    def whole_pass(self) -> float:
        return 10.0 * self.alpha.size

    @property
    def diagonal(self) -> Array:
        return np.asarray(self.rows.diagonal + self.rho)

    @property
    def width(self) -> int:
        return 0 if self.rows.factor is None else self.rows.factor.shape[1] + 1

    @property
    def reach(self) -> int:
        return len(self.alpha)

    def features(self, chosen: Index) -> Array:
        assert self.rows.factor is not None
        return self.rows.factor[chosen]

    def gram(self, chosen: Index) -> Array:
        return self.rows.square(chosen) + self.rho

    def product(self, chosen: Index, A: Array) -> Array:
        return np.asarray(self.rows.product(chosen, A) + self.rho * A.sum(axis=0))

    def rough_product(self, chosen: Index, A: Array) -> Array:
        return np.asarray(self.rows.rough_product(chosen, A) + self.rho * A.sum(axis=0))

    def _follow(self, chosen: Index, change: Array, effect: Array) -> None:
        self.lines[:-1] += effect.T

    def shift_bias(self, shift: Array) -> None:
        self.b0 = self.b0 + shift
        self.lines[:-1] += shift[:, None]

    def refresh(self) -> None:
        chosen = np.flatnonzero(self.alpha.any(axis=1))
        self.lines[:-1] = (self.product(chosen, self.A[chosen]) + self.b0).T
        self.lines[-1] = 0.0
