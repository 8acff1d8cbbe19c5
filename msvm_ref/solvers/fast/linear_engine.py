"""The same ascent for a linear kernel, on W itself: no Gram, and beside alpha memory O(stored entries + n d / 2 + p d).

    f(x_i) = W' x_i + rho sum_j A_j + b0,      W = sum_j x_j A_j'

W is kept as d rows of length p for dense data (each score is a dot product along memory) and as p rows of length d for
sparse rows (each stored entry touches d neighbours). Under sum-to-zero a step moves every class alike but for the few in play:
what all have in common is one more row (column), w_c + w_d. All scores are taken for some rows of X at a time: X may be a
file's memory map, and nothing but alpha and the lists of who is in play is as large as n d. Where few digits are asked for,
sparse rows and their weights are kept in single precision, which a visit reads faster.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from msvm_ref.model.arrays import Array, some_rows
from msvm_ref.model.problem import Problem
from msvm_ref.solvers.fast.ahead import LINE, ask_for, ask_for_example, ask_for_row
from msvm_ref.solvers.fast.blocks import RELATIVE, Blocks
from msvm_ref.solvers.fast.engine import Engine, Index
from msvm_ref.solvers.fast.lean import lean
from msvm_ref.solvers.fast.play import wanted
from msvm_ref.solvers.fast.steps import visit

TOGETHER = 1 << 17
"""Scores taken at once: they stay in the cache until they are read again."""
LOOSELY = {"reassoc", "contract", "nsz"}
"""The order in which scores are summed is the compiler's."""
SINGLE_TOLERANCE, SINGLE_REACH = 1e-4, 1e5
"""The least tolerance at which sparse rows are kept in single precision, and the largest C_i k(x_i, x_i), as a multiple of it.
With larger steps, or a row that all classes have in common and every step moves (LLW), roundings added up until passes stood
still."""
FEW, RANGE = 800, 1e12
"""Examples up to which they are not, and how far the longest row may be from 1."""
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


class LinearEngine(Engine):
    patience = (3.0, 15.0)
    """Every score is taken anew for a gap, and the first passes over what it has woken meet little else that is violated."""
    single = False

    def __init__(self, problem: Problem, machine: Blocks, rho: float, single: bool = False) -> None:
        """``single``: sparse rows are rounded to single precision until ``in_double``."""
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
        p, lines = self.X.shape[1], problem.d + (machine.pull != 0.0)
        self.weights: Any = np.zeros((p, lines) if self.sparse else (lines, p))
        self.lifts = np.zeros(lines)
        self.squares = np.concatenate([_squares(part) for _, part in self.row_blocks()])
        self.dots, self.together = 0, problem.n
        if self.single:
            self.X, self.weights = rounded(self.X), self.weights.astype(np.float32)

    def in_double(self, X: Any) -> None:
        """No longer rounded; scores are to be made anew."""
        self.X, self.weights, self.single = X, self.weights.astype(np.float64), False

    @property
    def W(self) -> Array:
        return self._spread(self.weights if self.sparse else self.weights.T)

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
            stored = (self.X.data, self.X.indices, self.X.indptr)
            done = sparse_epoch(
                *common, *sizes, *stored, self.weights, self.lifts, self.alpha, self.gains
            )
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


def bears_rounding(problem: Problem, machine: Blocks, tolerance: float) -> bool:
    """May rows and weights be kept in single precision? A visit of sparse text takes a sixth less then."""
    if not problem.is_sparse or problem.n <= FEW or machine.shape != RELATIVE:
        return False
    longest = float(problem.lengths.max())
    if problem.bias == "free" or not 1 / RANGE < longest < RANGE:
        return False
    reach = float(problem.costs.max()) * (longest**2 + (problem.bias == "penalized"))
    return tolerance >= SINGLE_TOLERANCE and reach <= SINGLE_REACH * tolerance


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
