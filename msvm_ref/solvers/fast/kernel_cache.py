"""Kernel rows: the whole Gram where it fits in ``cache_mb``, else rows made on demand in a byte-bounded cache.

A row k(x_i, .) is summed from differences (rbf) or products (polynomial), as the model's kernels do. The cache is a
clock: a hand goes round the slots and evicts the first row that was not used since it last came by. Where few digits are
asked for, rows are kept in single precision, which halves what a step reads; scores and multipliers are double everywhere.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lapack

from msvm_ref.model.arrays import Array
from msvm_ref.model.problem import Problem
from msvm_ref.solvers.compiled import njit
from msvm_ref.solvers.fast.kernel_values import (
    BLOCK,
    RBF,
    STRIP,
    exponentials,
    gram,
    is_rbf,
    parameters,
    scores_at,
)

FACTORED, NEGLIGIBLE = 800, 1e-13
"""Examples up to which the rank of a Gram is looked for, and what does not count towards it."""
SINGLE_TOLERANCE, SINGLE_COST = 1e-5, 1e6
"""The least tolerance at which rows are kept in single precision, and the largest C_i, as a multiple of it: entries rounded by
2^-25 were seen to move the gap by 1e-8 of P at C = 1, and by 2e-7 at C = 10."""


@njit(cache=True, error_model="numpy")
def fill_row(
    kind: int, columns: Array, i: int, gamma: float, coef0: float, degree: int, row: Any
) -> None:
    """row[j] = k(x_i, x_j), in strips that stay in the fastest memory, summed in double precision whatever ``row`` holds."""
    p, n = columns.shape
    strip, bits = np.empty(STRIP), np.empty(STRIP, np.int64)
    powers = bits.view(np.float64)
    for first in range(0, n, STRIP):
        m = min(STRIP, n - first)
        for j in range(m):
            strip[j] = 0.0
        for f in range(p):
            x = columns[f, i]
            feature = columns[f, first : first + m]
            if kind == RBF:
                for j in range(m):
                    difference = feature[j] - x
                    strip[j] += difference * difference
            else:
                for j in range(m):
                    strip[j] += feature[j] * x
        if kind == RBF:
            for j in range(m):
                strip[j] *= -gamma
            exponentials(strip[:m], bits, powers, row[first : first + m])
        else:
            for j in range(m):
                base, value = gamma * strip[j] + coef0, 1.0
                for _ in range(degree):
                    value *= base
                row[first + j] = value


@njit(cache=True, error_model="numpy")
def fetch(
    i: int,
    kind: int,
    columns: Array,
    gamma: float,
    coef0: float,
    degree: int,
    table: Array,
    slot: Any,
    owner: Any,
    used: Any,
    counters: Any,
) -> int:
    """The place of row i in ``table``; counters = (hand, rows made)."""
    at = slot[i]
    if at >= 0:
        used[at] = True
        return int(at)
    size = len(table)
    hand = counters[0]
    while owner[hand] >= 0 and used[hand]:
        used[hand] = False
        hand = hand + 1 if hand + 1 < size else 0
    if owner[hand] >= 0:
        slot[owner[hand]] = -1
    fill_row(kind, columns, i, gamma, coef0, degree, table[hand])
    owner[hand], slot[i], used[hand] = i, hand, True
    counters[0] = hand + 1 if hand + 1 < size else 0
    counters[1] += 1
    return int(slot[i])


@dataclass(frozen=True, eq=False)
class Rows:
    """A table of kernel rows and the arrays that say whose they are."""

    table: Array
    whole: bool
    diagonal: Array
    arguments: tuple[Any, ...]
    """What ``fetch`` takes after i."""
    problem: Problem | None = None
    """Whose they are, where they are not whole."""

    def square(self, chosen: NDArray[np.int64]) -> Array:
        """k(x_i, x_j) over the chosen examples."""
        if self.whole:
            return np.asarray(self.table[np.ix_(chosen, chosen)], dtype=np.float64)
        return np.stack([self._row(i)[chosen] for i in chosen]) if len(chosen) else np.zeros((0, 0))

    def product(self, chosen: NDArray[np.int64], A: Array) -> Array:
        """sum_i k(x_j, x_i) A[i] over the chosen examples i, for every j."""
        if self.problem is not None:
            self.arguments[-1][1] += len(chosen)
            return scores_at(self.problem, self.problem.X, chosen, A)
        n = len(self.table)
        if not self.single and 4 * len(chosen) >= n:
            whole = np.zeros((n, A.shape[1]))  # gathering most rows would cost more than all
            whole[chosen] = A
            return self.table @ whole
        out = np.zeros((n, A.shape[1]))
        for first in range(0, len(chosen), BLOCK):
            block = self.table[chosen[first : first + BLOCK]].astype(np.float64, copy=False)
            out += block.T @ A[first : first + BLOCK]
        return out

    def rough_product(self, chosen: NDArray[np.int64], A: Array) -> Array:
        """``product`` at the chosen examples to single precision: half the memory to read."""
        if not self.whole:
            return self.product(chosen, A)[chosen]
        whole = np.zeros((len(self.table), A.shape[1]), dtype=np.float32)
        whole[chosen] = A
        return (self.rounded @ whole)[chosen].astype(np.float64)

    @property
    def single(self) -> bool:
        """Are the rows kept in single precision?"""
        return self.table.dtype == np.float32

    @cached_property
    def rounded(self) -> NDArray[np.float32]:
        return np.asarray(self.table, dtype=np.float32)

    @cached_property
    def factor(self) -> Array | None:
        """(n x rank) L with L L' = K to NEGLIGIBLE of its largest entry, where a small Gram is of low rank."""
        n = len(self.table)
        if not self.whole or n > FACTORED:
            return None
        least = NEGLIGIBLE * float(self.diagonal.max(initial=0.0))
        lower, pivots, rank, _ = lapack.dpstrf(self.table, tol=least, lower=1)
        if not 0 < rank <= n // 2:
            return None
        L = np.empty((n, rank))
        L[pivots - 1] = np.tril(lower[:, :rank])
        return L

    def _row(self, i: int) -> Array:
        kind, columns, gamma, coef0, degree, table, slot, _, _, counters = self.arguments
        if slot[i] >= 0:
            return np.asarray(table[slot[i]], dtype=np.float64)
        row = np.empty(table.shape[1])
        fill_row(kind, columns, i, gamma, coef0, degree, row)
        counters[1] += 1
        return row

    @property
    def evaluations(self) -> int:
        """Kernel values computed so far."""
        return self.table.size if self.whole else int(self.arguments[-1][1]) * self.table.shape[1]


def suits_single(problem: Problem, tolerance: float) -> bool:
    """May rows be rounded to single precision? Not for many digits, nor where a large C would amplify them, nor a few."""
    if problem.n <= FACTORED or not is_rbf(problem.kernel):
        return False
    return tolerance >= SINGLE_TOLERANCE and problem.costs.max() <= SINGLE_COST * tolerance


def fits_whole(n: int, cache_mb: float, single: bool = False) -> bool:
    """Is there room for the whole Gram?"""
    return (4 if single else 8) * n * n <= cache_mb * 1e6


def rows(problem: Problem, cache_mb: float, single: bool = False) -> Rows:
    """The Gram of ``problem`` if ``cache_mb`` allows it, else an empty cache of that size; ``single``: rounded to float32."""
    n, dtype = problem.n, np.dtype(np.float32 if single else np.float64)
    if fits_whole(n, cache_mb, single) or not problem.kernel.has_bounds:
        table = gram(problem, dtype)
        nobody = np.zeros(0, dtype=np.int64)
        unused = (
            RBF,
            np.zeros((1, 1)),
            0.0,
            0.0,
            0,
            table,
            nobody,
            nobody,
            np.zeros(0, dtype=bool),
            np.zeros(2, np.int64),
        )
        return Rows(table, True, table.diagonal().astype(np.float64), unused)
    kind, gamma, coef0, degree = parameters(problem.kernel)
    columns = np.ascontiguousarray(problem.X.T)
    size = max(int(cache_mb * 1e6 / (dtype.itemsize * n)), 2)
    table = np.empty((size, n), dtype)
    diagonal = np.ones(n) if kind == RBF else (gamma * (problem.X**2).sum(axis=1) + coef0) ** degree
    return Rows(
        table,
        False,
        diagonal,
        (
            kind,
            columns,
            gamma,
            coef0,
            degree,
            table,
            np.full(n, -1),
            np.full(size, -1),
            np.zeros(size, dtype=bool),
            np.zeros(2, np.int64),
        ),
        problem,
    )
