"""Primal and dual values, each with a bound on its own rounding error.

    P(W, b)  = 1/2 ||W||^2 [+ 1/2 ||b||^2] + sum_i C_i sum_r xi_ir^q,   xi_ir = max over p in group r of [gamma - mu_p]_+
    D(alpha) = sum gamma alpha - 1/2 ||W_alpha||^2 [- 1/2 ||b_alpha||^2] [- sum_ir (sum_{p in r} alpha_ip)^2 / (4 C_i)]
    W_alpha  = Phi' A,   b_alpha = 1' A,   A[i,m] = sum_p alpha[i,p] (Pi nu)[y_i,p,m]

q = 1 (linear cost) or 2 (quadratic; the last term of D belongs to it). Every float64 operation errs by at most a
factor 1 + u; k of them by gamma_k = k u / (1 - k u), whatever the order of summation (Higham 2002, section 3.1). The
magnitudes |Phi||W| carry that bound to the end, so ``low`` and ``high`` hold for the float64 data as exact numbers.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from msvm_ref.model.arrays import Array
from msvm_ref.model.machine import Machine
from msvm_ref.model.problem import Problem

Real = NDArray[Any]  # float64 or longdouble
TINY, UNDERFLOW = (
    1e-290,
    1e-300,
)  # more than gradual underflow can lose in a term, in a sum of products of the data


@dataclass(frozen=True)
class Enclosed:
    """A number known to lie in [low, high]."""

    value: float
    radius: float

    @property
    def low(self) -> float:
        return -math.inf if math.isnan(self.value) else _outward(self.value, -self.radius)

    @property
    def high(self) -> float:
        return math.inf if math.isnan(self.value) else _outward(self.value, self.radius)


def _outward(value: float, radius: float) -> float:
    return value if radius == 0 else math.nextafter(value + radius, math.copysign(math.inf, radius))


def coefficients(machine: Machine, d: int, dtype: Any) -> tuple[Real, Real]:
    """(Pi nu, gamma) with each rational rounded once to ``dtype``: float64's rounding would show in extended precision."""
    if dtype == np.float64:
        return machine.at(d).projected_nu, machine.at(d).gamma
    return _extended(machine, d)


@lru_cache(maxsize=256)
def _extended(machine: Machine, d: int) -> tuple[Real, Real]:
    def convert(values: Any) -> Real:
        high = np.array(values, dtype=np.float64)
        rest = np.array(values, dtype=object) - np.vectorize(Fraction, otypes=[object])(high)
        return np.asarray(
            high.astype(np.longdouble) + rest.astype(np.float64).astype(np.longdouble)
        )

    return convert(machine.projected_nu(d)), convert(machine.gamma(d))


def by_class(coefficients: Real, y: NDArray[np.int64], rows: Real) -> Real:
    """out[i,p] = sum_m coefficients[y_i,p,m] rows[i,m]."""
    out = np.zeros((len(y), coefficients.shape[1]), dtype=rows.dtype)
    for c in range(len(coefficients)):
        members = y == c
        if members.any():
            out[members] = rows[members] @ coefficients[c].T.astype(rows.dtype)
    return out


def expansion(problem: Problem, alpha: Real) -> Real:
    """A[i,m] = sum_p alpha[i,p] (Pi nu)[y_i,p,m], the coefficients of W_alpha = Phi' A."""
    return by_class(problem.spec.projected_nu.transpose(0, 2, 1), problem.y, alpha)


def violations(problem: Problem, scores: Array) -> Array:
    """t[i,p] = gamma[y_i,p] - mu_p(f(x_i), y_i) on the components that count, -inf elsewhere."""
    spec = problem.spec
    t = spec.gamma[problem.y] - by_class(spec.projected_nu, problem.y, scores)
    return np.where(spec.mask[problem.y], t, -np.inf)


def slacks(problem: Problem, t: Real) -> Real:
    """xi[i,r]: one column per component (own slack) or a single column (shared slack)."""
    return np.maximum(t.max(axis=1, keepdims=True) if problem.spec.shared else t, 0)


def group_sums(problem: Problem, alpha: Real) -> Real:
    """sum of alpha over each slack group, in the shape of ``slacks``."""
    return alpha.sum(axis=1, keepdims=True) if problem.spec.shared else alpha


def primal_value(problem: Problem, W: Array, b: Array, dtype: Any = np.float64) -> Enclosed:
    """P at (Pi W, Pi b) under sum-to-zero (margins through Pi nu, ||Pi W|| <= ||W||), at (W, b) otherwise."""
    spec, unit = problem.spec, float(np.finfo(dtype).eps)
    nu, gamma_table = coefficients(problem.machine, problem.d, dtype)
    phi, W, b = (
        problem.features.astype(dtype),
        np.asarray(W, dtype=dtype),
        np.asarray(b, dtype=dtype),
    )
    with np.errstate(over="ignore", invalid="ignore"):
        scores, size = phi @ W + b, abs(phi) @ abs(W) + abs(b)
        if not (np.isfinite(scores).all() and np.isfinite(size).all()):
            return Enclosed(math.nan, math.inf)
        if not W.any() and not (problem.bias == "penalized" and b.any()) and no_loss(problem, b):
            return Enclosed(0.0, 0.0)
        gamma = abs(gamma_table[problem.y])
        error = rounding(row_length(phi) + spec.d + 8, unit) * (
            gamma + by_class(abs(nu), problem.y, size)
        )
        loss, doubt = losses(problem, scores, error, dtype)
        penalty = b * b / 2 if problem.bias == "penalized" else b * 0
        terms = np.concatenate([loss, (W * W / 2).ravel(), penalty])
        return summed(terms, doubt, unit, bool(W.any() or penalty.any()))


def losses(problem: Problem, scores: Real, error: Real, dtype: Any) -> tuple[Real, Real]:
    """(C_i xi^q, its doubt) for scores whose margins err by at most ``error``, flattened."""
    spec = problem.spec
    nu, gamma = coefficients(problem.machine, problem.d, dtype)
    t = np.where(spec.mask[problem.y], gamma[problem.y] - by_class(nu, problem.y, scores), -np.inf)
    error = error + UNDERFLOW * (1 + float(abs(nu).max()))
    error = np.where(
        t + error <= 0, 0, error
    )  # a constraint that surely holds costs nothing; NaN is not sure
    xi = slacks(problem, t)
    error = error.max(axis=1, keepdims=True) if spec.shared else error
    cost = problem.costs.astype(dtype)[:, None]
    loss, doubt = (xi, error) if not spec.quadratic else (xi * xi, 2 * xi * error + error * error)
    return (cost * loss).ravel(), (cost * doubt).ravel()


def row_length(phi: Any) -> int:
    """The most products a score sums: features, or stored entries of the fullest sparse row."""
    return (
        int(phi.shape[1])
        if isinstance(phi, np.ndarray)
        else int(np.diff(phi.indptr).max(initial=0))
    )


def dual_value(problem: Problem, alpha: Array, dtype: Any = np.float64) -> Enclosed:
    """D(alpha) for alpha >= 0 supported on the components that count; feasibility is the caller's business."""
    spec, unit = problem.spec, float(np.finfo(dtype).eps)
    nu, _ = coefficients(problem.machine, problem.d, dtype)
    phi, alpha = problem.features.astype(dtype), np.asarray(alpha, dtype=dtype)
    with np.errstate(over="ignore", invalid="ignore"):
        A, A_size = (by_class(v.transpose(0, 2, 1), problem.y, alpha) for v in (nu, abs(nu)))
        W, size = phi.T @ A, abs(phi).T @ A_size
        if problem.bias == "penalized":
            W, size = (
                np.concatenate([W, A.sum(axis=0)[None]]),
                np.concatenate([size, A_size.sum(axis=0)[None]]),
            )
        error = rounding(problem.n + spec.d + 8, unit) * size + UNDERFLOW * (
            1 + float(abs(nu).max())
        )
        gains, doubts = linear_gain(problem, alpha, dtype)
        terms = np.concatenate([gains, (-W * W / 2).ravel()])
        return summed(
            terms,
            np.concatenate([doubts, (abs(W) * error + error * error).ravel()]),
            unit,
            bool(alpha.any()),
        )


def linear_gain(problem: Problem, alpha: Real, dtype: Any) -> tuple[Real, Real]:
    """sum gamma alpha [- sum (group sum)^2 / (4 C)] term by term, and the second part's doubt."""
    gain = (coefficients(problem.machine, problem.d, dtype)[1][problem.y] * alpha).ravel()
    if not problem.spec.quadratic:
        return gain, np.zeros(0, dtype=dtype)
    cost, total = problem.costs.astype(dtype)[:, None], group_sums(problem, alpha)
    conjugate = (
        total * np.divide(total, 4 * cost, out=np.zeros_like(total), where=cost > 0)
    ).ravel()
    return np.concatenate([gain, -conjugate]), rounding(
        2 * problem.d + 8, float(np.finfo(dtype).eps)
    ) * conjugate


def no_loss(problem: Problem, b: Real) -> bool:
    """With W = 0: does b meet every target of every class that has examples? Decided in rationals."""
    scores = np.broadcast_to(np.asarray(b, dtype=np.float64), (problem.n, problem.d))
    if (violations(problem, scores)[problem.costs > 0] > 1e-6).any():
        return False
    nu, gamma = problem.machine.projected_nu(problem.d), problem.machine.gamma(problem.d)
    exact = [Fraction(float(v)) for v in b]
    present = set(problem.y[problem.costs > 0].tolist())
    return all(
        gamma[y][p] <= sum((nu[y][p][m] * exact[m] for m in range(problem.d)), Fraction(0))
        for y, p in np.argwhere(problem.spec.mask)
        if int(y) in present
    )


def rounding(k: int, unit: float = float(np.finfo(np.float64).eps)) -> float:
    """gamma_k = k u / (1 - k u), the relative error of k operations."""
    return k * unit / (1 - k * unit)


def summed(terms: Real, doubts: Real, unit: float, inexact: bool) -> Enclosed:
    """The sum of terms, each good to 4 u beside its doubt (exact zeros stay exact where nothing could underflow)."""
    if not (np.isfinite(terms).all() and np.isfinite(doubts).all()):
        return Enclosed(math.nan, math.inf)
    if terms.dtype == np.float64:
        try:
            value, sum_error = math.fsum(terms.tolist()), 0.0
        except OverflowError:
            return Enclosed(math.nan, math.inf)
    else:
        value = float(terms.sum())
        sum_error = float(abs(terms).sum()) * rounding(terms.size, unit) + abs(value) * float(
            np.finfo(float).eps
        )
    if not (inexact or terms.any() or doubts.any()):
        return Enclosed(0.0, 0.0)
    radius = (
        (float(doubts.sum()) + 4 * unit * float(abs(terms).sum())) * (1 + 1e-6)
        + sum_error
        + TINY * terms.size
    )
    return Enclosed(value, radius)
