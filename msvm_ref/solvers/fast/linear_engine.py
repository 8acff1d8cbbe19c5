"""The same ascent for a linear kernel, on W itself: no Gram, and beside alpha memory O(stored entries + n d / 2 + p d).

    f(x_i) = W' x_i + rho sum_j A_j + b0,      W = sum_j x_j A_j'

W is kept as d rows of length p for dense data (each score is a dot product along memory) and as p rows of length d for
sparse rows (each stored entry touches d neighbours). Under sum-to-zero a step moves every class alike but for the few in play:
what all have in common is one more row (column), w_c + w_d. All scores are taken for some rows of X at a time: X may be a
file's memory map, and nothing but alpha and the lists of who is in play is as large as n d. While the gap is wide,
sparse rows and their weights are kept in single precision, which a visit reads faster.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from msvm_ref.model.arrays import Array, some_rows
from msvm_ref.model.problem import Problem
from msvm_ref.solvers.fast.blocks import RELATIVE, Blocks
from msvm_ref.solvers.fast.engine import Engine, Index
from msvm_ref.solvers.fast.lanes import no_weights
from msvm_ref.solvers.fast.linear_passes import dense_epoch, sparse_epoch

TOGETHER = 1 << 17
"""Scores taken at once: they stay in the cache until they are read again."""
SINGLE_GAP, SINGLE_REACH = 1e-4, 1e5
"""The gap down to which sparse rows are kept in single precision, and the largest C_i k(x_i, x_i), as a multiple of it.
With larger steps, or a row that all classes have in common and every step moves (LLW), roundings added up until passes stood
still."""
FEW, RANGE = 800, 1e12
"""Examples up to which they are not, and how far the longest row may be from 1."""


class LinearEngine(Engine):
    patience = (3.0, 15.0)
    """Every score is taken anew for a gap, and the first passes over what it has woken meet little else that is violated."""
    single = False
    rounded_newton = False

    def __init__(self, problem: Problem, machine: Blocks, rho: float, single: bool = False) -> None:
        """``single``: sparse rows are rounded to single precision until ``to_double``."""
        super().__init__(problem, machine, rho)
        self.sparse, self.single = problem.is_sparse, single and problem.is_sparse
        self.mean = np.zeros(problem.X.shape[1])
        if (
            self.free and not self.sparse
        ):  # sum_i A_i = 0 lets the features be centred, which helps the ascent
            self.mean = problem.X.mean(axis=0)
        self.X: Any = problem.X
        if self.mean.any():
            self.X = problem.X - self.mean
            self.X.flags.writeable = False  # as the problem's own: one kernel is compiled for both
        self.lifts = np.zeros(problem.d + (machine.pull != 0.0))
        self.squares = np.concatenate([_squares(part) for _, part in self.row_blocks()])
        self.dots, self.together = 0, problem.n
        self.exact = self.X
        if self.single:
            self.X = rounded(self.X)
        self._forget_weights()

    def to_double(self) -> None:
        self.X, self.single = self.exact, False
        self._forget_weights()
        self.refresh()

    def _forget_weights(self) -> None:
        """W = 0 in the precision of the rows, and what a pass over sparse rows needs beside it."""
        p, lines = self.X.shape[1], len(self.lifts)
        if not self.sparse:
            self.weights: Any = np.zeros((lines, p))
            return
        self.weights = no_weights(p, lines, self.X.dtype)
        columns = self.weights.shape[1]
        self.beside = tuple(np.zeros((2, columns), self.X.dtype)), np.zeros(columns, np.int64)

    @property
    def exact_weights(self) -> Array | None:
        return None if self.single else self.W

    @property
    def W(self) -> Array:
        return self._spread(self.weights[:, : len(self.lifts)] if self.sparse else self.weights.T)

    @property
    def bias(self) -> Array:
        return self._spread(self.lifts)

    def _spread(self, lines: Array) -> Array:
        """What all classes have in common, if anything, added to each."""
        d = self.alpha.shape[1]
        return lines if lines.shape[-1] == d else lines[..., :d] + lines[..., d:]

    def row_blocks(self) -> Iterator[tuple[slice, Any]]:
        """X, as many rows at a time as have TOGETHER scores."""
        n, d = self.alpha.shape
        some = max(TOGETHER // d, 1)
        for start in range(0, n, some):
            rows = slice(start, min(start + some, n))
            yield rows, some_rows(self.X, rows)

    def score_blocks(self) -> Iterator[tuple[slice, Array]]:
        W, bias = np.ascontiguousarray(self.W) if self.sparse else self.W, self.bias
        for rows, part in self.row_blocks():
            yield rows, part @ W + bias

    @property
    def scores(self) -> Array:
        every = np.empty(self.alpha.shape)
        for rows, seen in self.score_blocks():
            every[rows] = seen
        return every

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
            stored = (self.X.data, self.X.indices, self.X.indptr, self.weights, self.lifts)
            done = sparse_epoch(*common, *sizes, *stored, *self.beside, self.alpha, self.gains)
        else:
            done = dense_epoch(
                *common, *sizes, self.X, self.weights, self.lifts, self.alpha, self.gains
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
        return 2 * int(self.entries) + 1

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
        d, step = len(self.b0), self.X[chosen].T @ change
        if self.sparse:
            self.weights[:, :d] += step
        else:
            self.weights[:d] += step.T
        self.lifts[:d] += self.rho * change.sum(axis=0)

    def shift_bias(self, shift: Array) -> None:
        self.b0 = self.b0 + shift
        self.lifts[: len(shift)] += shift

    def refresh(self) -> None:
        self.weights[:], self.lifts[:] = 0.0, 0.0
        W, b = (
            (self.weights if self.sparse else self.weights.T)[:, : len(self.b0)],
            self.lifts[: len(self.b0)],
        )
        for rows, part in self.row_blocks():
            A = self.blocks.expansion(self.y[rows], self.alpha[rows])
            W += part.T @ A
            b += self.rho * A.sum(axis=0)
        b += self.b0


def bears_rounding(problem: Problem, machine: Blocks, gap: float) -> bool:
    """May rows and weights be kept in single precision down to this gap? A visit of sparse text takes a tenth less then."""
    if not problem.is_sparse or problem.n <= FEW or machine.shape != RELATIVE:
        return False
    longest = float(problem.lengths.max())
    if problem.bias == "free" or not 1 / RANGE < longest < RANGE:
        return False
    reach = float(problem.costs.max()) * (longest**2 + (problem.bias == "penalized"))
    return reach <= SINGLE_REACH * gap


def rounded(X: Any) -> Any:
    """A CSR array in single precision, over the same indices."""
    out = type(X)(X.shape, dtype=np.float32)
    out.data, out.indices, out.indptr = X.data.astype(np.float32), X.indices, X.indptr
    return out


def _squares(X: Any) -> Array:
    """|x_i|^2"""
    if isinstance(X, np.ndarray):
        return np.asarray(np.einsum("ij,ij->i", X, X))
    return np.asarray((X * X).sum(axis=1)).ravel()
