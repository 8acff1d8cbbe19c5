"""Kernel rows: the whole Gram where it fits in ``cache_mb``, else rows made on demand in a byte-bounded cache.

A row k(x_i, .) is summed from differences (rbf) or products (polynomial), as the model's kernels do. The cache is a
clock: a hand goes round the slots and evicts the first row that was not used since it last came by.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lapack

from msvm_ref.errors import DataError
from msvm_ref.model.arrays import Array
from msvm_ref.model.kernels import Kernel
from msvm_ref.model.problem import Problem
from msvm_ref.solvers.compiled import njit

RBF, POLYNOMIAL = 0, 1
FACTORED, NEGLIGIBLE = 800, 1e-13
"""Examples up to which the rank of a Gram is looked for, and what does not count towards it."""
BLOCK = 128
QUICK = 1e4
"""gamma p max||x||^2 (about the mean) up to which distances may come from ||x||^2 + ||y||^2 - 2 <x, y>: they err
by about that many units of rounding."""


@njit(cache=True, error_model="numpy")
def squared_distances(columns: Array, first: int, last: int, out: Array) -> None:
    """out[i - first, j - first] = ||x_i - x_j||^2 for i in first ... last-1, j >= first; ``columns`` has features as rows."""
    p, n = columns.shape
    for i in range(first, last):
        row = out[i - first]
        row[:] = 0.0
        for f in range(p):
            x = columns[f, i]
            feature = columns[f, first:]
            for j in range(n - first):
                difference = feature[j] - x
                row[j] += difference * difference


@njit(cache=True, error_model="numpy")
def fill_row(
    kind: int, columns: Array, i: int, gamma: float, coef0: float, degree: int, row: Array
) -> None:
    """row[j] = k(x_i, x_j)."""
    p, n = columns.shape
    row[:] = 0.0
    for f in range(p):
        x = columns[f, i]
        feature = columns[f]
        if kind == RBF:
            for j in range(n):
                difference = feature[j] - x
                row[j] += difference * difference
        else:
            for j in range(n):
                row[j] += feature[j] * x
    if kind == RBF:
        for j in range(n):
            row[j] = np.exp(-gamma * row[j])
    else:
        for j in range(n):
            base, value = gamma * row[j] + coef0, 1.0
            for _ in range(degree):
                value *= base
            row[j] = value


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

    def square(self, chosen: NDArray[np.int64]) -> Array:
        """k(x_i, x_j) over the chosen examples."""
        if self.whole:
            return self.table[np.ix_(chosen, chosen)]
        return np.stack([self._row(i)[chosen] for i in chosen]) if len(chosen) else np.zeros((0, 0))

    def product(self, chosen: NDArray[np.int64], A: Array) -> Array:
        """sum_i k(x_j, x_i) A[i] over the chosen examples i, for every j."""
        if self.whole:
            if 4 * len(chosen) < len(self.table):
                return self.table[chosen].T @ A
            whole = np.zeros(
                (len(self.table), A.shape[1])
            )  # gathering most rows would cost more than multiplying all
            whole[chosen] = A
            return self.table @ whole
        out = np.zeros((self.table.shape[1], A.shape[1]))
        for i, a in zip(chosen, A, strict=True):
            out += self._row(i)[:, None] * a
        return out

    def rough_product(self, chosen: NDArray[np.int64], A: Array) -> Array:
        """``product`` at the chosen examples to single precision: half the memory to read."""
        if not self.whole:
            return self.product(chosen, A)[chosen]
        whole = np.zeros((len(self.table), A.shape[1]), dtype=np.float32)
        whole[chosen] = A
        return (self.single @ whole)[chosen].astype(np.float64)

    @cached_property
    def single(self) -> NDArray[np.float32]:
        return self.table.astype(np.float32)

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
            return np.asarray(table[slot[i]])
        row = np.empty(table.shape[1])
        fill_row(kind, columns, i, gamma, coef0, degree, row)
        counters[1] += 1
        return row

    @property
    def evaluations(self) -> int:
        """Kernel values computed so far."""
        return self.table.size if self.whole else int(self.arguments[-1][1]) * self.table.shape[1]


def rows(problem: Problem, cache_mb: float) -> Rows:
    """The Gram of ``problem`` if ``cache_mb`` allows it, else an empty cache of that size."""
    n = problem.n
    room = int(cache_mb * 1e6 / (8 * n))
    if n <= room or not problem.kernel.has_bounds:
        table = _gram(problem)
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
        return Rows(table, True, table.diagonal().copy(), unused)
    kind, gamma, coef0, degree = _parameters(problem.kernel)
    columns = np.ascontiguousarray(problem.X.T)
    size = max(room, 2)
    table = np.empty((size, n))
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
    )


def _gram(problem: Problem) -> Array:
    if not problem.kernel.has_bounds:
        return np.ascontiguousarray(problem.features @ problem.features.T)
    kind, gamma, _, _ = _parameters(problem.kernel)
    return _rbf_gram(problem.X, gamma) if kind == RBF else np.array(problem.gram)


def _rbf_gram(X: Array, gamma: float) -> Array:
    """exp(-gamma ||x - y||^2), block by block above the diagonal and mirrored below."""
    n, out = len(X), np.empty((len(X), len(X)))
    scaled = (X - X.mean(axis=0)) * np.sqrt(2 * gamma)
    with np.errstate(over="ignore"):  # exp(-inf) = 0 is right
        halves = (scaled * scaled).sum(axis=1) / 2
    quick, columns = float(halves.max()) * X.shape[1] <= QUICK, np.ascontiguousarray(scaled.T)
    for first in range(0, n, BLOCK):
        last = min(first + BLOCK, n)
        if quick:
            part = scaled[first:last] @ scaled[first:].T
            part -= halves[first:]
            part -= halves[first:last, None]
            np.minimum(part, 0.0, out=part)
        else:
            part = np.empty((last - first, n - first))
            squared_distances(columns, first, last, part)
            part *= -0.5
        np.exp(part, out=part)
        out[first:last, first:] = part
        out[last:, first:last] = part[:, last - first :].T
    np.fill_diagonal(out, 1.0)
    return out


def _parameters(kernel: Kernel) -> tuple[int, float, float, int]:
    function: Any = kernel.function
    if kernel.name.startswith("rbf"):
        return RBF, float(function.gamma), 0.0, 0
    if kernel.name.startswith("polynomial"):
        return POLYNOMIAL, float(function.gamma), float(function.coef0), int(function.degree)
    raise DataError(
        "cache_mb", f"hold the whole Gram for kernel {kernel}", "less", "raise cache_mb"
    )
