"""Primal and dual values, each with a bound on its own rounding error.

    P(W, b)  = 1/2 ||W||^2 [+ 1/2 ||b||^2] + sum_i C_i sum_r phi(xi_ir),   xi_ir = max over p in group r of [gamma - mu_p]_+
    D(alpha) = sum gamma alpha - 1/2 ||W_alpha||^2 [- 1/2 ||b_alpha||^2] - sum_ir h (sum_{p in r} alpha_ip)^2 / (2 C_i)
    W_alpha  = Phi' A,   b_alpha = 1' A,   A[i,m] = sum_p alpha[i,p] (Pi nu)[y_i,p,m]

phi and h are the cost's (``model/cost.py``: h = 0 for the linear one). Weights enter through their ``Image``: the scores they
give the examples and half their squared norm (``judge/image.py``). Every operation errs by at most a factor 1 + u; k of them
by gamma_k = k u / (1 - k u), whatever the order of summation (Higham 2002, section 3.1). Magnitudes carry that bound to the
end, so ``low`` and ``high`` hold for the float64 data, C and weights as exact numbers.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from msvm_ref.judge.coefficients import Real, coefficients, rounded
from msvm_ref.model.arrays import Array
from msvm_ref.model.machine import Machine, Margin
from msvm_ref.model.problem import Problem

TINY, UNDERFLOW = 1e-290, 1e-300  # more than gradual underflow can lose in a term, in a score
EPS, EXTENDED = (float(np.finfo(t).eps) for t in (np.float64, np.longdouble))


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


UNKNOWN = Enclosed(math.nan, math.inf)


def _outward(value: float, radius: float) -> float:
    return value if radius == 0 else math.nextafter(value + radius, math.copysign(math.inf, radius))


@dataclass(frozen=True, eq=False)
class Image:
    """What weights do to the examples: scores without bias, |error| of each, and 1/2 ||W||^2 (of Pi W under sum-to-zero)."""

    scores: Real
    error: Real
    half_norm: Enclosed


def rounding(k: int, unit: float = EPS) -> float:
    """gamma_k = k u / (1 - k u), the relative error of k operations (``unit`` is 2u: one operation to spare for each)."""
    return k * unit / (1 - k * unit)


def expansion(problem: Problem, alpha: Array, dtype: Any = np.float64) -> tuple[Real, Real]:
    """A and a bound on its error, gamma_{d+4} of the sizes of its terms; alpha >= 0."""
    nu, _ = coefficients(problem.spec, dtype)
    A, size = (form.expansion(problem.y, alpha.astype(dtype)) for form in (nu, nu.size))
    return A, rounding(problem.d + 4, float(np.finfo(dtype).eps)) * size


def violations(problem: Problem, scores: Array) -> Array:
    """t[i,p] = gamma[y_i,p] - mu_p(f(x_i), y_i) on the components that count, -inf elsewhere."""
    spec = problem.spec
    t = spec.gamma[problem.y] - coefficients(spec, np.float64)[0].margins(problem.y, scores)
    return np.where(spec.mask[problem.y], t, -np.inf)


def slacks(problem: Problem, t: Real) -> Real:
    """xi[i,r]: one column per component (own slack) or a single column (shared slack)."""
    return np.maximum(t.max(axis=1, keepdims=True) if problem.spec.shared else t, 0)


def group_sums(problem: Problem, alpha: Real) -> Real:
    """sum of alpha over each slack group, in the shape of ``slacks``."""
    return alpha.sum(axis=1, keepdims=True) if problem.spec.shared else alpha


def costs(problem: Problem, dtype: Any) -> Real:
    """C_i as a column, rounded once to ``dtype``."""
    weight = problem.sample_weight
    one = np.ones(problem.n) if weight is None else weight
    return np.asarray(dtype(problem.C) * one.astype(dtype))[:, None]


def primal_value(problem: Problem, image: Image, b: Array) -> Enclosed:
    """P at the weights behind ``image``, or under sum-to-zero at (Pi W, Pi b): margins through Pi nu, ||Pi b|| <= ||b||.

    A problem without a bias has no point with b != 0.
    """
    if problem.bias == "none" and b.any():
        return UNKNOWN
    dtype = image.scores.dtype.type
    unit = float(np.finfo(dtype).eps)
    with np.errstate(over="ignore", invalid="ignore"):
        if not (np.isfinite(image.scores).all() and np.isfinite(image.error).all()):
            return UNKNOWN
        penalized = problem.bias == "penalized"
        if image.half_norm.high == 0 and not (penalized and b.any()) and _no_loss(problem, b):
            return Enclosed(0.0, 0.0)
        scores = image.scores + b.astype(dtype)
        loss, doubt, felt = _losses(problem, scores, image.error, abs(image.scores) + abs(b), unit)
        penalty = b.astype(dtype) ** 2 / 2 if penalized else np.zeros(0, dtype=dtype)
        inexact = bool(felt or image.half_norm.high or (penalized and b.any()))
        return plus(summed(np.concatenate([loss, penalty]), doubt, unit, inexact), image.half_norm)


def _losses(
    problem: Problem, scores: Real, error: Real, size: Real, unit: float
) -> tuple[Real, Real, bool]:
    """(C_i phi(xi), its doubt), flattened, for scores that err by ``error`` and were summed from parts of ``size``.

    And whether any slack that has a C_i may be above 0: what it costs may underflow, but is not 0 then.
    """
    spec, dtype = problem.spec, scores.dtype.type
    nu, gamma = coefficients(spec, dtype)
    t = gamma[problem.y] - nu.margins(problem.y, scores)
    tiny = rounding(problem.d + 8, unit)
    doubt = nu.size.margins(problem.y, tiny * size + (1 + tiny) * error)
    doubt += tiny * abs(gamma[problem.y]) + UNDERFLOW * (1 + nu.largest)
    t = np.where(spec.mask[problem.y], t, -np.inf)
    doubt = np.where(t + doubt <= 0, 0, doubt)  # a constraint that surely holds costs nothing
    xi = slacks(problem, t)
    doubt = doubt.max(axis=1, keepdims=True) if spec.shared else doubt
    cost = costs(problem, dtype)
    felt = bool(((xi + doubt > 0) & (problem.costs[:, None] > 0)).any())
    loss, doubt = _slack_losses(problem.machine, xi, doubt)
    return (cost * loss).ravel(), (cost * doubt).ravel(), felt


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


def dual_value(problem: Problem, alpha: Array, image: Image) -> Enclosed:
    """D(alpha) with the image of W_alpha, for alpha >= 0 on the components that count; feasibility is the caller's business."""
    dtype = image.scores.dtype.type
    unit = float(np.finfo(dtype).eps)
    with np.errstate(over="ignore", invalid="ignore"):
        terms, doubts = _linear_gain(problem, alpha.astype(dtype))
        if problem.bias == "penalized":
            A, A_error = expansion(problem, alpha, dtype)
            b = A.sum(axis=0)
            b_error = rounding(problem.n, unit) * abs(A).sum(axis=0) + A_error.sum(axis=0)
            b_error = b_error + UNDERFLOW
            terms = np.concatenate([terms, -b * b / 2])
            doubts = np.concatenate([doubts, abs(b) * b_error + b_error * b_error])
        gain = summed(terms, doubts, unit, bool(alpha.any()))
    norm = image.half_norm
    return plus(gain, Enclosed(-norm.value, norm.radius))


def _linear_gain(problem: Problem, alpha: Real) -> tuple[Real, Real]:
    """sum gamma alpha - sum h (group sum)^2 / (2 C) term by term, and the second part's doubt."""
    dtype = alpha.dtype.type
    gain = (coefficients(problem.spec, dtype)[1][problem.y] * alpha).ravel()
    if problem.spec.width == 0:
        return gain, np.zeros(0, dtype=dtype)
    cost, total = costs(problem, dtype), group_sums(problem, alpha)
    half = width_of(problem.machine, dtype) * total / 2
    ratio = np.divide(half, cost, out=np.zeros_like(total), where=cost > 0)
    conjugate = (total * ratio).ravel()
    doubt = rounding(2 * problem.d + 8, float(np.finfo(dtype).eps)) * conjugate
    return np.concatenate([gain, -conjugate]), doubt


def plus(a: Enclosed, b: Enclosed) -> Enclosed:
    value = a.value + b.value
    if not (math.isfinite(value) and math.isfinite(a.radius) and math.isfinite(b.radius)):
        return UNKNOWN
    exact = b.value == b.radius == 0 or a.value == a.radius == 0
    return Enclosed(value, (a.radius + b.radius) * (1 + 1e-15) + (0 if exact else EPS * abs(value)))


def summed(terms: Real, doubts: Real, unit: float, inexact: bool) -> Enclosed:
    """The sum of terms, each good to 4 u beside its doubt (exact zeros stay exact where nothing could underflow)."""
    if not (np.isfinite(terms).all() and np.isfinite(doubts).all()):
        return UNKNOWN
    if not (inexact or terms.any() or doubts.any()):
        return Enclosed(0.0, 0.0)
    size = float(abs(terms).sum())
    value, sum_error = _total(terms, size)
    radius = (float(doubts.sum()) + 4 * unit * size) * (1 + 1e-6) + sum_error + TINY * terms.size
    if not (math.isfinite(value) and math.isfinite(radius)):
        return UNKNOWN
    return Enclosed(value, radius)


def _total(terms: Real, size: float) -> tuple[float, float]:
    """The sum in extended precision where the machine has one, correctly rounded otherwise; and what it may be off by."""
    if EXTENDED < EPS:
        value = float(terms.sum(dtype=np.longdouble))
        return value, size * rounding(terms.size, EXTENDED) * (1 + 1e-6) + abs(value) * EPS
    try:
        return math.fsum(terms.tolist()), 0.0
    except OverflowError:
        return math.nan, math.inf
