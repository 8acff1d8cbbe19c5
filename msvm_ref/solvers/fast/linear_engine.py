"""The same ascent for a linear kernel, on W itself: no Gram, memory O(stored entries + n d).

    f(x_i) = W' x_i + rho sum_j A_j + b0,      W = sum_j x_j A_j'

W is kept as d rows of length p for dense data (each score is a dot product along memory) and as p rows of length d for
sparse rows (each stored entry touches d neighbours).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from msvm_ref.model.arrays import Array
from msvm_ref.model.problem import Problem
from msvm_ref.solvers.fast.blocks import Blocks
from msvm_ref.solvers.fast.engine import Engine, Index
from msvm_ref.solvers.fast.lean import lean
from msvm_ref.solvers.fast.steps import visit, wanted


@lean(fastmath={"reassoc", "contract", "nsz"})
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
    """One pass over ``order`` with W (d x p); (steps, dot products, largest violation); each visit's gain into ``gains``."""
    play, count, pinned, _ = lists
    d, p = W.shape
    classes, move, here = scratch[0], scratch[2], scratch[4]
    steps, dots, worst = 0, 0, 0.0
    for at in range(len(order)):
        i = order[at]
        label = y[i]
        here[0, label] = 0.0
        asked = wanted(machine[0], label, pinned[i], play, i, count[i], d, classes)
        dots += asked
        for t in range(asked):
            c, value = classes[t], 0.0
            for f in range(p):
                value += W[c, f] * X[i, f]
            here[0, c] = value + bias[c]
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


@lean(fastmath={"reassoc", "contract", "nsz"})
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
    data: Array,
    indices: Any,
    indptr: Any,
    W: Array,
    bias: Array,
    alpha: Array,
    gains: Array,
) -> tuple[int, int, float]:
    """The same with W (p x d) and CSR rows."""
    play, count, pinned, _ = lists
    d = W.shape[1]
    classes, move, sums, here = scratch[0], scratch[2], scratch[3], scratch[4]
    steps, dots, worst = 0, 0, 0.0
    for at in range(len(order)):
        i = order[at]
        label = y[i]
        here[0, label] = 0.0
        asked = wanted(machine[0], label, pinned[i], play, i, count[i], d, classes)
        dots += asked
        for t in range(asked):
            sums[t] = bias[classes[t]]
        for e in range(indptr[i], indptr[i + 1]):
            f, x = indices[e], data[e]
            for t in range(asked):
                sums[t] += x * W[f, classes[t]]
        for t in range(asked):
            here[0, classes[t]] = sums[t]
        moved, gains[at], violation = visit(
            machine, i, label, squares[i] + rho, cost[i], room, omega, lists, scratch, alpha
        )
        worst = max(worst, violation)
        if moved == 0:
            continue
        steps += 1
        for t in range(moved):
            bias[classes[t]] += rho * move[t]
        for e in range(indptr[i], indptr[i + 1]):
            f, x = indices[e], data[e]
            for t in range(moved):
                W[f, classes[t]] += x * move[t]
    return steps, dots, worst


class LinearEngine(Engine):
    patience = (3.0, 15.0)
    """Every score is taken anew for a gap, and the first passes over what it has woken meet little else that is violated."""

    def __init__(self, problem: Problem, machine: Blocks, rho: float) -> None:
        super().__init__(problem, machine, rho)
        self.sparse = problem.is_sparse
        self.mean = np.zeros(problem.X.shape[1])
        if (
            self.free and not self.sparse
        ):  # sum_i A_i = 0 lets the features be centred, which helps the ascent
            self.mean = problem.X.mean(axis=0)
        self.X: Any = problem.X
        if self.mean.any():
            self.X = problem.X - self.mean
            self.X.flags.writeable = False  # as the problem's own: one kernel is compiled for both
        p, d = self.X.shape[1], problem.d
        self.weights = np.zeros((p, d) if self.sparse else (d, p))
        self.bias = np.zeros(d)
        self.squares = np.asarray((self.X * self.X).sum(axis=1)).ravel()
        self.dots, self.together = 0, problem.n
        self.seen = np.empty((0, 0) if self.sparse else self.alpha.shape)

    @property
    def W(self) -> Array:
        return self.weights if self.sparse else self.weights.T

    @property
    def scores(self) -> Array:
        if self.sparse:
            seen = self.X @ self.W
        else:
            seen = np.matmul(self.X, self.W, out=self.seen)
        seen += self.bias
        return np.asarray(seen)

    @property
    def true_bias(self) -> Array:
        return self.bias - self.mean @ self.W

    @property
    def evaluations(self) -> int:
        return self.dots

    @property
    def diagonal(self) -> Array:
        return self.squares + self.rho

    def pass_over(self, order: Index) -> float:
        lists = (self.play, self.count, self.pinned, self.asleep)
        common = (
            self.machine,
            self.y,
            self.cost,
            order,
            self.violation,
            self.omega,
            lists,
            self.scratch,
        )
        sizes, self.gains = (self.rho, self.squares), np.empty(len(order))
        if self.sparse:
            stored = (self.X.data, self.X.indices, self.X.indptr)
            done = sparse_epoch(
                *common, *sizes, *stored, self.weights, self.bias, self.alpha, self.gains
            )
        else:
            done = dense_epoch(
                *common, *sizes, self.X, self.weights, self.bias, self.alpha, self.gains
            )
        steps, dots, self.violation = done
        self.steps += steps
        self.dots += dots
        return (2 * self.entries + 10) * dots + 100.0 * len(order)

    @property
    def entries(self) -> float:
        """Stored entries of a row, on average."""
        return float(self.X.nnz / self.X.shape[0] if self.sparse else self.X.shape[1])

    @property
    def whole_pass(self) -> float:
        # in the units of a pass, whose products cost ten times those of BLAS or of rows in order
        return self.alpha.size * (self.entries / 10 + 10)

    @property
    def width(self) -> int:
        return int(self.X.shape[1]) + 1

    @property
    def reach(self) -> int:
        return 2 * int(self.X.shape[1])

    def features(self, chosen: Index) -> Array:
        part = self.X[chosen]
        return np.asarray(part.toarray() if self.sparse else part)

    def gram(self, chosen: Index) -> Array:
        part = self.X[chosen]
        product = part @ part.T
        return np.asarray((product.toarray() if self.sparse else product) + self.rho)

    def product(self, chosen: Index, A: Array) -> Array:
        return np.asarray(self.X @ (self.X[chosen].T @ A) + self.rho * A.sum(axis=0))

    def rough_product(self, chosen: Index, A: Array) -> Array:
        part = self.X[chosen]
        return np.asarray(part @ (part.T @ A) + self.rho * A.sum(axis=0))

    def _follow(self, chosen: Index, change: Array, effect: Array) -> None:
        step = self.X[chosen].T @ change
        self.weights += step if self.sparse else step.T
        self.bias += self.rho * change.sum(axis=0)

    def shift_bias(self, shift: Array) -> None:
        self.b0 = self.b0 + shift
        self.bias += shift

    def refresh(self) -> None:
        W = np.asarray(self.X.T @ self.A)
        self.weights = np.ascontiguousarray(W if self.sparse else W.T)
        self.bias = self.b0 + self.rho * self.A.sum(axis=0)
