"""Kernel rows k(x_i, .) that are computed when they are first asked for and kept as long as there is room.

A decomposition method changes the multipliers of one or a few examples at a time and needs the kernel rows of those alone.
Its loop is compiled and looks a row up in ``table``; at a row that is not there it returns the row's number, the row is
made, and the loop is entered again. Where ``cache_mb`` is full the row that was used longest ago makes room (HL kept 256 MB).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from msvm_ref.errors import DataError
from msvm_ref.model.arrays import Array, real_number
from msvm_ref.model.problem import Problem
from msvm_ref.solvers.compiled import njit


class Cache(NamedTuple):
    """What a compiled loop sees: row i is ``table[slot[i]]``, or missing where ``slot[i]`` is negative."""

    table: Array
    slot: NDArray[np.int64]
    used: NDArray[np.int64]
    clock: NDArray[np.int64]


@njit(cache=True)
def row_at(cache: Any, i: int) -> int:
    """The place of row i in the table, or -1; the row counts as used now."""
    at = cache.slot[i]
    if at >= 0:
        cache.clock[0] += 1
        cache.used[at] = cache.clock[0]
    return int(at)


class KernelRows:
    """The rows of a problem, plus 1 for a penalized bias; at least ``least`` of them are kept."""

    def __init__(self, problem: Problem, cache_mb: float, least: int) -> None:
        megabytes = real_number(cache_mb)
        if megabytes is None or not megabytes > 0:
            raise DataError("cache_mb", "be a positive number", repr(cache_mb))
        self.problem, self.made, n = problem, 0, problem.n
        self.offset = 1.0 if problem.bias == "penalized" else 0.0
        size = min(max(int(min(megabytes * 1e6 / (8 * n), n)), least), n)
        self.owner = np.full(size, -1)
        self.cache = Cache(
            np.empty((size, n)),
            np.full(n, -1),
            np.zeros(size, dtype=np.int64),
            np.zeros(1, dtype=np.int64),
        )
        self.diagonal = self._diagonal() + self.offset

    def row(self, i: int) -> Array:
        """k(x_i, .), made if need be."""
        at = row_at(self.cache, i)
        return np.asarray(self.cache.table[self.make(i) if at < 0 else at])

    def make(self, i: int) -> int:
        """Compute row i into the place of the one used longest ago; returns the place."""
        cache, at = self.cache, int(self.cache.used.argmin())
        if self.owner[at] >= 0:
            cache.slot[self.owner[at]] = -1
        cache.table[at] = self._computed(i) + self.offset
        cache.table[at, i] = self.diagonal[i]
        self.owner[at], cache.slot[i] = i, at
        self.made += 1
        return row_at(cache, i)

    def product(self, A: Array) -> Array:
        """(n x d) sum_i k(x_j, x_i) A_i, by the rows of those i whose A_i is not 0."""
        out = np.zeros(A.shape)
        for i in np.flatnonzero(A.any(axis=1)):
            out += self.row(int(i))[:, None] * A[i]
        return out

    @property
    def evaluations(self) -> int:
        """Kernel values computed so far: whole rows, and the diagonal."""
        return (self.made + 1) * self.problem.n

    def _computed(self, i: int) -> Array:
        problem = self.problem
        if problem.is_sparse:
            return np.asarray((problem.X @ problem.X[[i]].T).toarray().ravel())  # type: ignore[attr-defined]
        if problem.kernel.has_bounds:
            return np.asarray(problem.kernel(problem.X[i : i + 1], problem.X)[0])
        return np.asarray(problem.features @ problem.features[i])

    def _diagonal(self) -> Array:
        problem = self.problem
        if problem.is_sparse:
            return np.asarray(problem.X.multiply(problem.X).sum(axis=1)).ravel()  # type: ignore[attr-defined]
        if problem.kernel.has_bounds:
            return np.array([problem.kernel(x[None], x[None])[0, 0] for x in problem.X])
        return np.asarray((problem.features**2).sum(axis=1))
