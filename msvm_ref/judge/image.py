"""Images of weights, each with its error: scores of the examples and half the squared norm.

    W in feature coordinates     f = Phi W,     1/2 ||W||^2 [- 1/2 ||sum_c w_c||^2 / d: that of Pi W]       linear kernel
    W = sum_i coef_i phi(x_i)    f = K coef,    1/2 sum coef f                                             rbf, polynomial
                                 f = Phi (Phi' coef)                                        linear kernel, or a Gram's factor

K is the kernel of the float64 data as real numbers. A computed entry errs by at most eta s_i s_j (``Kernel.bounded``), so with
T_c = sum_j s_j |coef_jc| a score errs by (eta + (BLOCK + 8) u) s_i T_c: kernel columns are taken BLOCK at a time and
their sums added with compensation, so the error of summation does not grow with n.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from msvm_ref.judge.coefficients import Real
from msvm_ref.judge.objective import (
    EPS,
    EXTENDED,
    UNDERFLOW,
    UNKNOWN,
    Enclosed,
    Image,
    plus,
    rounding,
    summed,
)
from msvm_ref.model.arrays import Array
from msvm_ref.model.problem import Problem

BLOCK = 64
LEAST = 2e-323
"""What a product that underflows may lose: a bound that is multiplied by the features afterwards must not lose it."""
MOST_EXTENDED = 3e8
"""Kernel entries times features up to which extended precision is affordable."""


def levels(problem: Problem, support: int) -> tuple[int, ...]:
    """How much care can be taken, from the quickest evaluation to the most accurate one."""
    if not problem.kernel.has_bounds:
        return (0, 2)
    work = problem.n * support * problem.X.shape[1]
    return (0, 1, 2) if work <= MOST_EXTENDED and EXTENDED < EPS else (0, 1)


def image_of_weights(
    problem: Problem, W: Array, care: int = 0, error: Real | None = None, own: bool = True
) -> Image:
    """The image of W (p x d), whose entries err by ``error``; ``own``: W is a candidate's, and stands for Pi W."""
    dtype: Any = np.longdouble if care == 2 else np.float64
    unit = float(np.finfo(dtype).eps)
    with np.errstate(over="ignore", invalid="ignore"):
        phi, W = problem.features.astype(dtype, copy=False), np.asarray(W, dtype=dtype)
        tiny = rounding(_row_length(phi) + 2, unit)
        slip, off = tiny * abs(W) + LEAST, np.zeros(0, dtype=dtype)
        if error is not None:
            slip = slip + (1 + tiny) * error
            off = (abs(W) * error + error * error).ravel()
        scores, doubt = phi @ W, abs(phi) @ slip + UNDERFLOW
        inexact = bool(W.any() or (error is not None and error.any()))
        half = summed((W * W / 2).ravel(), off, unit, inexact)
        if own and problem.spec.sum_to_zero:
            half = _less_tilt(half, W, unit)
        return Image(scores, doubt, half)


def _less_tilt(half: Enclosed, W: Real, unit: float) -> Enclosed:
    """1/2 ||Pi W||^2 = 1/2 ||W||^2 - 1/2 sum_j (sum_c w_jc)^2 / d, the subtracted part taken no larger than it surely is."""
    d = W.shape[1]
    sums = abs(W.sum(axis=1)) - rounding(d, unit) * abs(W).sum(axis=1)
    sure = float((np.maximum(sums, 0) ** 2).sum() / (2 * d)) * (1 - 1e-6)
    if not math.isfinite(sure) or sure <= 0:
        return half
    return plus(half, Enclosed(-sure, 0.0))


def image_of_coef(problem: Problem, coef: Array, care: int = 0, error: Real | None = None) -> Image:
    """The image of W = sum_i coef_i phi(x_i), whose coefficients err by ``error``."""
    if problem.kernel.has_bounds:
        return _kernel_image(problem, coef, care, error)
    dtype: Any = np.longdouble if care == 2 else np.float64
    with np.errstate(over="ignore", invalid="ignore"):
        phi, coef = problem.features.astype(dtype, copy=False), np.asarray(coef, dtype=dtype)
        tiny = rounding(problem.n + 2, float(np.finfo(dtype).eps))
        error = np.zeros_like(coef) if error is None else error
        slip = tiny * (abs(coef) + error) + (1 + 1e-6) * error
        if coef.any() or error.any():  # ``slip`` may underflow where these do not
            doubt = abs(phi).T @ (slip + LEAST) + UNDERFLOW
        else:  # no coefficient, no weight: W is 0 then
            doubt = np.zeros((phi.shape[1], problem.d), dtype=dtype)
        return image_of_weights(problem, phi.T @ coef, care, doubt, own=False)


def _kernel_image(problem: Problem, coef: Array, care: int, error: Real | None) -> Image:
    s, kernel, X = problem.kernel.lengths(problem.X), problem.kernel, problem.X
    dtype: Any = np.longdouble if care == 2 else np.float64
    unit = float(np.finfo(dtype).eps)
    with np.errstate(over="ignore", invalid="ignore"):
        coef = np.asarray(coef, dtype=dtype)
        reach = (s @ abs(coef)) * (1 + rounding(problem.n + 2))
        slip = (
            np.zeros(coef.shape[1])
            if error is None
            else (s @ error) * (1 + rounding(problem.n + 2))
        )
        support = np.flatnonzero(coef.any(axis=1))
        total, lost, eta = np.zeros(coef.shape, dtype), np.zeros(coef.shape, dtype), 0.0
        for start in range(0, len(support), BLOCK):
            part = support[start : start + BLOCK]
            values, entry = kernel.bounded(X, X[part], care)
            term = values @ coef[part]
            after = total + term
            back = after - total
            lost += (total - (after - back)) + (term - back)
            total, eta = after, max(eta, entry)
        scores = total + lost
        if not (math.isfinite(eta) and np.isfinite(scores).all()):
            return Image(scores, np.full(scores.shape, np.inf), UNKNOWN)
        relative = (eta + rounding(BLOCK + 8, unit)) * 1.01
        doubt = s[:, None] * (relative * reach + slip)
        doubt = doubt + UNDERFLOW * (1 + float(abs(coef).sum()))
        terms, off = (coef * scores / 2).ravel(), (abs(coef) * doubt / 2).ravel()
        more = reach * slip + slip * slip / 2 if slip.any() else np.zeros(0)
        inexact = bool(coef.any() or (error is not None and error.any()))
        half = summed(terms, np.concatenate([off, more]), unit, inexact)
        return Image(scores, doubt, half)


def _row_length(phi: Any) -> int:
    """The most products a score sums: features, or stored entries of the fullest sparse row."""
    if isinstance(phi, np.ndarray):
        return int(phi.shape[1])
    return int(np.diff(phi.indptr).max(initial=0))
