"""Primal and dual values, each with a bound on its own rounding error.

    P(W, b)  = 1/2 ||W||^2 [+ 1/2 ||b||^2] + sum_i C_i sum_r phi(xi_ir),   xi_ir = max over p in group r of [gamma - mu_p]_+
    D(alpha) = sum gamma alpha - 1/2 ||W_alpha||^2 [- 1/2 ||b_alpha||^2] - sum_ir h (sum_{p in r} alpha_ip)^2 / (2 C_i)
    W_alpha  = Phi' A,   b_alpha = 1' A,   A[i,m] = sum_p alpha[i,p] (Pi nu)[y_i,p,m]

phi and h are the cost's (``model/cost.py``: h = 0 for the linear one). Weights enter through their ``Image``: the scores they
give the examples and half their squared norm (``judge/image.py``). Magnitudes carry the bound on rounding to the
end, so ``low`` and ``high`` hold for the float64 data, C and weights as exact numbers. Examples are taken a block at a
time, so that n = 10^6 asks for no more room than its data, scores and multipliers.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np

from msvm_ref.judge.coefficients import Real, coefficients, rounded
from msvm_ref.judge.image import ALL, Image, expansion
from msvm_ref.judge.rounding import (
    EXTENDED,
    UNDERFLOW,
    UNKNOWN,
    Enclosed,
    blocks,
    rounding,
    summed,
    together,
)
from msvm_ref.model.arrays import Array
from msvm_ref.model.machine import Machine, Margin
from msvm_ref.model.problem import Problem


def violations(problem: Problem, scores: Array, rows: slice = ALL) -> Array:
    """t[i,p] = gamma[y_i,p] - mu_p(f(x_i), y_i) on the components that count, -inf elsewhere; ``scores`` are of ``rows``."""
    spec, y = problem.spec, problem.y[rows]
    t = spec.gamma[y] - coefficients(spec, np.float64)[0].margins(y, scores)
    return np.where(spec.mask[y], t, -np.inf)


def slacks(problem: Problem, t: Real) -> Real:
    """xi[i,r]: one column per component (own slack) or a single column (shared slack)."""
    return np.maximum(t.max(axis=1, keepdims=True) if problem.spec.shared else t, 0)


def group_sums(problem: Problem, alpha: Real) -> Real:
    """sum of alpha over each slack group, in the shape of ``slacks``."""
    return alpha.sum(axis=1, keepdims=True) if problem.spec.shared else alpha


def costs(problem: Problem, dtype: Any, rows: slice) -> Real:
    """C_i as a column, rounded once to ``dtype``."""
    weight = problem.sample_weight
    one = np.ones(len(problem.y[rows])) if weight is None else weight[rows]
    return np.asarray(dtype(problem.C) * one.astype(dtype))[:, None]


def primal_value(problem: Problem, image: Image, b: Array) -> Enclosed:
    """P at the weights behind ``image``, or under sum-to-zero at (Pi W, Pi b): margins through Pi nu, ||Pi b|| <= ||b||.

    A problem without a bias has no point with b != 0.
    """
    if problem.bias == "none" and b.any():
        return UNKNOWN
    with np.errstate(over="ignore", invalid="ignore"):
        paid = problem.bias == "penalized" and bool(b.any())  # also where b^2 underflows
        if image.half_norm.high == 0 and not paid and _no_loss(problem, b):
            return Enclosed(0.0, 0.0)
        penalty = b.astype(np.longdouble) ** 2 / 2 if paid else np.zeros(0)
        parts = [image.half_norm, summed(penalty, np.zeros(0), EXTENDED, paid)]
        for rows in blocks(problem.n, problem.d):
            scores, error = image.at(rows)
            if not (np.isfinite(scores).all() and np.isfinite(error).all()):
                return UNKNOWN
            parts.append(_losses(problem, rows, scores, error, b))
        return together(parts)


def _losses(problem: Problem, rows: slice, f: Real, error: Real, b: Array) -> Enclosed:
    """sum of C_i phi(xi) over these examples, for scores f that err by ``error``.

    Where a slack that has a C_i may be above 0, what it costs may underflow, but is not 0.
    """
    spec, dtype, y = problem.spec, f.dtype.type, problem.y[rows]
    unit = float(np.finfo(dtype).eps)
    nu, gamma = coefficients(spec, dtype)
    tiny = rounding(problem.d + 8, unit)
    t = gamma[y] - nu.margins(y, f + b.astype(dtype))
    doubt = nu.size.margins(y, tiny * (abs(f) + abs(b)) + (1 + tiny) * error)
    doubt += tiny * abs(gamma[y]) + UNDERFLOW * (1 + nu.largest)
    t = np.where(spec.mask[y], t, -np.inf)
    doubt = np.where(t + doubt <= 0, 0, doubt)  # a constraint that surely holds costs nothing
    xi = slacks(problem, t)
    doubt = doubt.max(axis=1, keepdims=True) if spec.shared else doubt
    felt = bool(((xi + doubt > 0) & (problem.costs[rows, None] > 0)).any())
    loss, doubt = _slack_losses(problem.machine, xi, doubt)
    cost = costs(problem, dtype, rows)
    return summed((cost * loss).ravel(), (cost * doubt).ravel(), unit, felt)


def _slack_losses(machine: Machine, xi: Real, doubt: Real) -> tuple[Real, Real]:
    """phi(xi) = (c / h) (xi - c/2) with c = min(xi, h) [xi itself, not capped], and its doubt.

    phi' grows at most by 1/h, and is at most 1 where capped: a doubt e of xi is one of e min(phi'(xi) + e/2h, 1) of phi.
    And |d phi / d h| <= phi / h, so that h may be rounded once like everything else.
    """
    dtype, (capped, width) = xi.dtype.type, machine.slack_cost
    if not width:
        return xi, doubt
    h = width_of(machine, dtype)
    curved = np.minimum(xi, h) if capped else xi
    rate = curved / h
    loss, steepest = rate * (xi - curved / 2), rate + doubt / (2 * h)
    if capped:
        steepest = np.minimum(steepest, 1)
    return loss, doubt * steepest + rounding(4, float(np.finfo(dtype).eps)) * loss


def width_of(machine: Machine, dtype: Any) -> Any:
    """The cost's h, rounded once to ``dtype``."""
    width = machine.slack_cost.width
    return rounded(width, dtype)


def _no_loss(problem: Problem, b: Array) -> bool:
    """With W = 0: does b meet every target of every class that has examples? Decided in rationals."""
    spec, weighed = problem.spec, problem.y[problem.costs > 0]
    present = np.unique(weighed)
    nu = coefficients(spec, np.float64)[0]
    near = spec.gamma[present] - nu.margins(present, np.tile(b, (len(present), 1)))
    if (np.where(spec.mask[present], near, -np.inf) > 1e-6).any():
        return False
    exact, gamma = [Fraction(float(v)) for v in b], problem.machine.gamma(problem.d)
    mean = sum(exact, Fraction(0)) / problem.d if spec.sum_to_zero else Fraction(0)
    return all(
        gamma[y][p] <= sum((u * (exact[m] - mean) for m, u in row.items()), Fraction(0))
        for y in present.tolist()
        for p, row in _rows(problem.machine, problem.d, y)
    )


def _rows(machine: Machine, d: int, y: int) -> Iterator[tuple[int, dict[int, Fraction]]]:
    """(p, {m: nu[y,p,m]}) of the components that count for class y, zeros left out."""
    margin = machine.margin
    for p in np.flatnonzero(machine.aggregation.mask(d)[y]).tolist():
        if not isinstance(margin, Margin):
            yield p, {m: v for m, v in enumerate(margin[y][p]) if v}
        else:
            yield p, {y: margin.own} if p == y else {y: margin.true, p: margin.rival}


def dual_value(problem: Problem, alpha: Array, image: Image, care: int) -> Enclosed:
    """D(alpha) with the image of W_alpha, for alpha >= 0 on the components that count; feasibility is the caller's business."""
    dtype: Any = np.longdouble if care == 2 else np.float64
    unit = float(np.finfo(dtype).eps)
    norm = image.half_norm
    parts = [Enclosed(-norm.value, norm.radius)]
    b, b_error = np.zeros(problem.d, dtype), np.full(problem.d, UNDERFLOW, dtype)
    with np.errstate(over="ignore", invalid="ignore"):
        for rows in blocks(problem.n, problem.d):
            terms, doubts = _linear_gain(problem, rows, alpha[rows].astype(dtype, copy=False))
            parts.append(summed(terms, doubts, unit, bool(alpha[rows].any())))
            if problem.bias == "penalized":
                A, A_error = expansion(problem, alpha, dtype, rows)
                b_error = b_error + rounding(problem.n, unit) * abs(A).sum(axis=0)
                b, b_error = b + A.sum(axis=0), b_error + A_error.sum(axis=0)
        if problem.bias == "penalized":
            doubt = abs(b) * b_error + b_error * b_error
            parts.append(summed(-b * b / 2, doubt, unit, bool(alpha.any())))
        return together(parts)


def _linear_gain(problem: Problem, rows: slice, alpha: Real) -> tuple[Real, Real]:
    """sum gamma alpha - sum h (group sum)^2 / (2 C) term by term, and the second part's doubt; ``alpha`` is of ``rows``."""
    dtype = alpha.dtype.type
    gain = (coefficients(problem.spec, dtype)[1][problem.y[rows]] * alpha).ravel()
    if problem.spec.width == 0:
        return gain, np.zeros(0, dtype=dtype)
    cost, total = costs(problem, dtype, rows), group_sums(problem, alpha)
    half = width_of(problem.machine, dtype) * total / 2
    ratio = np.divide(half, cost, out=np.zeros_like(total), where=cost > 0)
    conjugate = (total * ratio).ravel()
    doubt = rounding(2 * problem.d + 8, float(np.finfo(dtype).eps)) * conjugate
    return np.concatenate([gain, -conjugate]), doubt
