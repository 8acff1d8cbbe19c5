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
from msvm_ref.solvers.compiled import njit
from msvm_ref.solvers.fast.blocks import Blocks
from msvm_ref.solvers.fast.engine import Engine, Index
from msvm_ref.solvers.fast.steps import block_step, is_shrunk, shrink


@njit(cache=True, error_model="numpy", fastmath={"reassoc", "contract"})
def dense_epoch(
    machine: tuple[Any, ...],
    y: Any,
    cost: Array,
    order: Any,
    shrunk: Any,
    span: Any,
    rho: float,
    squares: Array,
    X: Array,
    W: Array,
    bias: Array,
    alpha: Array,
    A: Array,
) -> int:
    """One pass over ``order`` with W (d x p); returns how many examples moved."""
    d, p = W.shape
    here, new, move, scratch = np.empty(d), np.empty(d), np.empty(d), np.empty((4, d))
    steps = 0
    for i in order:
        if is_shrunk(i, shrunk):
            continue
        x = X[i]
        for c in range(d):
            w, value = W[c], 0.0
            for f in range(p):
                value += w[f] * x[f]
            here[c] = value + bias[c]
        gain = block_step(
            machine, y[i], squares[i] + rho, cost[i], here, alpha[i], new, move, scratch
        )
        if gain <= 0.0:
            shrink(i, shrunk, span)
            continue
        span[i] = 0
        steps += 1
        for c in range(d):
            alpha[i, c] = new[c]
            factor = move[c]
            if factor != 0.0:
                A[i, c] += factor
                bias[c] += rho * factor
                w = W[c]
                for f in range(p):
                    w[f] += factor * x[f]
    return steps


@njit(cache=True, error_model="numpy")
def sparse_epoch(
    machine: tuple[Any, ...],
    y: Any,
    cost: Array,
    order: Any,
    shrunk: Any,
    span: Any,
    rho: float,
    squares: Array,
    data: Array,
    indices: Any,
    indptr: Any,
    W: Array,
    bias: Array,
    alpha: Array,
    A: Array,
) -> int:
    """The same with W (p x d) and CSR rows."""
    d = W.shape[1]
    here, new, move, scratch = np.empty(d), np.empty(d), np.empty(d), np.empty((4, d))
    steps = 0
    for i in order:
        if is_shrunk(i, shrunk):
            continue
        here[:] = bias
        for e in range(indptr[i], indptr[i + 1]):
            w, x = W[indices[e]], data[e]
            for c in range(d):
                here[c] += x * w[c]
        gain = block_step(
            machine, y[i], squares[i] + rho, cost[i], here, alpha[i], new, move, scratch
        )
        if gain <= 0.0:
            shrink(i, shrunk, span)
            continue
        span[i] = 0
        steps += 1
        for c in range(d):
            alpha[i, c] = new[c]
            A[i, c] += move[c]
            bias[c] += rho * move[c]
        for e in range(indptr[i], indptr[i + 1]):
            w, x = W[indices[e]], data[e]
            for c in range(d):
                w[c] += x * move[c]
    return steps


class LinearEngine(Engine):
    def __init__(self, problem: Problem, machine: Blocks, rho: float) -> None:
        super().__init__(problem, machine, rho)
        self.sparse, self.width = problem.is_sparse, problem.X.shape[1] + 1
        self.mean = np.zeros(problem.X.shape[1])
        if (
            self.free and not self.sparse
        ):  # sum_i A_i = 0 lets the features be centred, which helps the ascent
            self.mean = problem.X.mean(axis=0)
        self.X: Any = problem.X - self.mean if self.mean.any() else problem.X
        p, d = self.X.shape[1], problem.d
        self.weights = np.zeros((p, d) if self.sparse else (d, p))
        self.bias = np.zeros(d)
        self.squares = np.asarray((self.X * self.X).sum(axis=1)).ravel()
        self.visits = 0

    @property
    def W(self) -> Array:
        return self.weights if self.sparse else self.weights.T

    @property
    def scores(self) -> Array:
        return np.asarray(self.X @ self.W + self.bias)

    @property
    def true_bias(self) -> Array:
        return self.bias - self.mean @ self.W

    @property
    def evaluations(self) -> int:
        return self.visits * self.alpha.shape[1]

    @property
    def diagonal(self) -> Array:
        return self.squares + self.rho

    def pass_over(self, order: Index) -> float:
        visits = int((self.shrunk[order] == 0).sum())
        self.visits += visits
        common = (
            self.machine,
            self.y,
            self.cost,
            order,
            self.shrunk,
            self.span,
            self.rho,
            self.squares,
        )
        if self.sparse:
            stored = (self.X.data, self.X.indices, self.X.indptr)
            steps = sparse_epoch(*common, *stored, self.weights, self.bias, self.alpha, self.A)
        else:
            steps = dense_epoch(*common, self.X, self.weights, self.bias, self.alpha, self.A)
        self.steps += steps
        entries = self.X.nnz / max(len(order), 1) if self.sparse else self.X.shape[1]
        return float((steps + visits) * entries * len(self.b0) + 10 * len(order) * len(self.b0))

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
