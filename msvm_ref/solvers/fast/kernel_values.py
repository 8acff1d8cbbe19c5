"""Values of kernels, many at a time: the Gram, and scores of points whose kernel rows nobody keeps."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from msvm_ref.errors import DataError
from msvm_ref.model.arrays import Array
from msvm_ref.model.kernels import Kernel
from msvm_ref.model.problem import Problem
from msvm_ref.solvers.compiled import njit
from msvm_ref.threads import each

RBF, POLYNOMIAL = 0, 1
BLOCK = 128
QUICK = 1e4
"""gamma p max||x||^2 (about the mean) up to which distances may come from ||x||^2 + ||y||^2 - 2 <x, y>: they err
by about that many units of rounding."""


STRIP = 512
"""Values at a time, so that they stay in the fastest memory."""
LOG2_E, LN2, LN2_REST = 1.4426950408889634, 0.6931471803691238, 1.9082149292705877e-10
SHIFTER, ONE, LEAST = 6755399441055744.0, 4607182418800017408, -708.0
"""1.5 2^52, to which adding leaves an integer in the last bits; the bits of 1.0; where exp leaves the normal numbers."""
SERIES = tuple(1.0 / math.factorial(k) for k in range(13, -1, -1))


@njit(cache=True, error_model="numpy")
def exponentials(x: Array, bits: Any, powers: Array, out: Any) -> None:
    """out = exp(x) for x <= 0, to 1e-15: 2^k exp(r), x = k ln 2 + r, in loops a compiler turns into vectors.

    A strip at a time; ``bits`` (int64) and ``powers`` are the same scratch memory.
    """
    for j in range(len(x)):
        x[j] = max(x[j], LEAST)
        powers[j] = x[j] * LOG2_E + SHIFTER
    for j in range(len(x)):
        k = powers[j] - SHIFTER
        r = (x[j] - k * LN2) - k * LN2_REST
        series = SERIES[0]
        for a in SERIES[1:]:
            series = series * r + a
        x[j] = series
    for j in range(len(x)):
        bits[j] = (bits[j] << 52) + ONE
    for j in range(len(x)):
        out[j] = x[j] * powers[j]


@njit(cache=True, error_model="numpy")
def squared_distances(columns: Array, first: int, last: int, out: Array) -> None:
    """out[i - first, j - first] = ||x_i - x_j||^2 for i in first ... last-1, j >= first; ``columns`` has features as rows."""
    p, n = columns.shape
    for i in range(first, last):
        row = out[i - first]
        for j in range(n - first):
            row[j] = 0.0
        for f in range(p):
            x = columns[f, i]
            feature = columns[f, first:]
            for j in range(n - first):
                difference = feature[j] - x
                row[j] += difference * difference


def gram(problem: Problem, dtype: Any) -> Array:
    """k(x_i, x_j), rounded to ``dtype`` at the end."""
    if not problem.kernel.has_bounds:
        return np.ascontiguousarray(problem.features @ problem.features.T)
    if is_rbf(problem.kernel):
        return _rbf_gram(problem.X, parameters(problem.kernel)[1], dtype)
    return np.array(problem.gram, dtype)


def scores_at(problem: Problem, at: Array, chosen: NDArray[np.int64], A: Array) -> Array:
    """sum_i k(x, x_i) A[i] over the chosen examples i, for each row x of ``at``; the kernel's values are not kept."""
    out, points, quick = np.empty((len(at), A.shape[1])), problem.X[chosen], False
    if is_rbf(problem.kernel) and len(at) and len(points):
        centre, gamma = points.mean(axis=0), parameters(problem.kernel)[1]
        (here, half), (there, halves) = (_scaled(Z - centre, gamma) for Z in (at, points))
        quick = bool(max(half.max(), halves.max()) * at.shape[1] <= QUICK)

    def fill(first: int) -> None:
        block = slice(first, first + BLOCK)
        if quick:
            out[block] = _rbf_block(here[block], half[block], there, halves) @ A
        else:
            out[block] = problem.kernel(at[block], points) @ A

    for _ in each(fill, range(0, len(at), BLOCK)):
        pass
    return out


def _rbf_gram(X: Array, gamma: float, dtype: Any) -> Array:
    """exp(-gamma ||x - y||^2), block by block above the diagonal and mirrored below; distances in double precision."""
    n, out = len(X), np.empty((len(X), len(X)), dtype)
    scaled, halves = _scaled(X - X.mean(axis=0), gamma)
    quick, columns = float(halves.max()) * X.shape[1] <= QUICK, np.ascontiguousarray(scaled.T)

    def fill(first: int) -> None:
        last = min(first + BLOCK, n)
        if quick:
            part = _rbf_block(
                scaled[first:last], halves[first:last], scaled[first:], halves[first:], dtype
            )
        else:
            part = np.empty((last - first, n - first))
            squared_distances(columns, first, last, part)
            part = np.exp((part * -0.5).astype(dtype, copy=False))
        out[first:last, first:] = part
        out[last:, first:last] = part[:, last - first :].T

    for _ in each(fill, range(0, n, BLOCK)):
        pass
    np.fill_diagonal(out, 1.0)
    return out


def _scaled(X: Array, gamma: float) -> tuple[Array, Array]:
    """X by sqrt(2 gamma), and half the squared length of each row."""
    scaled = X * np.sqrt(2 * gamma)
    with np.errstate(over="ignore"):  # exp(-inf) = 0 is right
        return scaled, (scaled * scaled).sum(axis=1) / 2


def _rbf_block(a: Array, half_a: Array, b: Array, half_b: Array, dtype: Any = np.float64) -> Array:
    """exp(<a_i, b_j> - ||a_i||^2 / 2 - ||b_j||^2 / 2), at most 1."""
    part: Array = a @ b.T
    part -= half_b
    part -= half_a[:, None]
    np.minimum(part, 0.0, out=part)
    part = part.astype(dtype, copy=False)
    return np.exp(part, out=part)


def is_rbf(kernel: Kernel) -> bool:
    return kernel.has_bounds and parameters(kernel)[0] == RBF


def parameters(kernel: Kernel) -> tuple[int, float, float, int]:
    function: Any = kernel.function
    if kernel.name.startswith("rbf"):
        return RBF, float(function.gamma), 0.0, 0
    if kernel.name.startswith("polynomial"):
        return POLYNOMIAL, float(function.gamma), float(function.coef0), int(function.degree)
    raise DataError(
        "cache_mb", f"hold the whole Gram for kernel {kernel}", "less", "raise cache_mb"
    )
