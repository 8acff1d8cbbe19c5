"""The judge where a problem is its kernel: values of W = sum_i coef_i phi(x_i) from k alone, each with its error bound.

    scores  G = K coef,      1/2 ||W||^2 = 1/2 sum coef G

K is the kernel of the float64 data as real numbers. A computed entry errs by at most eta s_i s_j (``Kernel.bounded``), so
with T_c = sum_j s_j |coef_jc| a score errs by (eta + (BLOCK + 8) u) s_i T_c: kernel columns are taken BLOCK at a time and
their sums added with compensation, so the error of summation does not grow with n.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from msvm_ref.errors import MsvmError
from msvm_ref.judge.bias import optimal_bias
from msvm_ref.judge.candidate import Candidate
from msvm_ref.judge.certificate import Certificate
from msvm_ref.judge.feasible import FeasibleDual, feasible_dual
from msvm_ref.judge.kkt import Centring, certificate_of
from msvm_ref.judge.objective import (
    Enclosed,
    by_class,
    expansion,
    linear_gain,
    losses,
    no_loss,
    rounding,
    summed,
)
from msvm_ref.model.arrays import Array
from msvm_ref.model.kernels import UNIT
from msvm_ref.model.problem import Problem

BLOCK = 64


@dataclass(frozen=True, eq=False)
class Image:
    """G = K coef, |error| of each score, T_c, and 1/2 ||W||^2."""

    scores: Array
    error: Array
    reach: Array
    half_norm: Enclosed


def image(problem: Problem, coef: Array, careful: bool = False) -> Image:
    s = problem.kernel.lengths(problem.X)
    reach = (s @ abs(coef)) * (1 + rounding(problem.n + 2))
    support = np.flatnonzero(coef.any(axis=1))
    total, lost, eta = np.zeros(coef.shape), np.zeros(coef.shape), 0.0
    for start in range(0, len(support), BLOCK):
        part = support[start : start + BLOCK]
        values, entry = problem.kernel.bounded(problem.X, problem.X[part], careful)
        term = values @ coef[part]
        after = total + term
        back = after - total
        lost += (total - (after - back)) + (term - back)
        total, eta = after, max(eta, entry)
    scores = total + lost
    error = (eta + rounding(BLOCK + 8, UNIT)) * 1.01 * s[:, None] * reach
    half = summed(
        (coef * scores / 2).ravel(), (abs(coef) * error / 2).ravel(), 2 * UNIT, bool(coef.any())
    )
    return Image(scores, error, reach, half)


def judge_implicit(problem: Problem, handed: Candidate) -> Certificate:
    """The certificate of a candidate (coef, b and alpha) of an implicit problem; re-evaluated with care where it matters."""
    dual = feasible_dual(problem, handed.dual)
    A = expansion(problem, dual.alpha)
    first = True
    while True:
        picture = image(problem, A, careful=not first)
        coef = A if handed.coef is None else handed.coef
        own = picture if np.array_equal(coef, A) else image(problem, coef, careful=not first)
        b = _bias(problem, handed, picture, dual)
        upper = upper_value(problem, own, b)
        lower = lower_value(problem, dual.alpha, A, picture)
        doubt = upper.radius + lower.radius
        if not first or doubt <= 1e-3 * (upper.value - lower.value) or doubt <= 1e-12 * upper.value:
            break
        first = False
    lowest = max(lower.low - dual.charge, 0.0)
    if lowest > upper.high:
        raise MsvmError(
            "enclosure",
            "not be empty",
            f"[{lowest!r}, {upper.high!r}]",
            "this is a bug in the judge; please report the problem and the candidate",
        )
    off = np.maximum(((coef - A) * (own.scores - picture.scores)).sum(axis=0), 0.0)
    if problem.bias == "penalized":
        off = off + (b - A.sum(axis=0)) ** 2
    size = math.sqrt(2 * max(own.half_norm.value, picture.half_norm.value, 0.0))
    centring = None if handed.coef is None else _centring(coef, own)
    return certificate_of(
        problem, handed, centring, off, size, own.scores + b, dual, upper, lower, lowest
    )


def _centring(coef: Array, at: Image) -> Centring:
    """||sum_c w_c||^2 = r' K r with r = sum_c coef_c, where that is more than the rounding of its own sum."""
    r = coef.sum(axis=1)
    r = np.where(abs(r) > rounding(4 * coef.shape[1]) * abs(coef).sum(axis=1), r, 0.0)
    return Centring(
        math.sqrt(max(float(r @ at.scores.sum(axis=1)), 0.0)),
        math.sqrt(max(2 * at.half_norm.value, 0.0)),
    )


def _bias(problem: Problem, handed: Candidate, picture: Image, dual: FeasibleDual) -> Array:
    if handed.b is not None:
        return handed.b - handed.b.mean() if problem.spec.sum_to_zero else handed.b
    if problem.bias == "free":
        return optimal_bias(problem, picture.scores, dual.alpha)
    return (
        expansion(problem, dual.alpha).sum(axis=0)
        if problem.bias == "penalized"
        else np.zeros(problem.d)
    )


def upper_value(problem: Problem, at: Image, b: Array) -> Enclosed:
    """P at (W, b): margins through Pi nu, and ||Pi W|| <= ||W||."""
    if (
        at.half_norm.high == 0
        and not (problem.bias == "penalized" and b.any())
        and no_loss(problem, b)
    ):
        return Enclosed(0.0, 0.0)
    nu, gamma = abs(problem.spec.projected_nu), abs(problem.spec.gamma[problem.y])
    error = by_class(nu, problem.y, at.error)
    error += rounding(problem.d + 8) * (gamma + by_class(nu, problem.y, abs(at.scores) + abs(b)))
    loss, doubt = losses(problem, at.scores + b, error, np.float64)
    penalty = b * b / 2 if problem.bias == "penalized" else b * 0
    total = summed(np.concatenate([loss, penalty]), doubt, 2 * UNIT, bool(penalty.any()))
    return Enclosed(
        total.value + at.half_norm.value,
        (total.radius + at.half_norm.radius) * (1 + 1e-15)
        + 2 * UNIT * (total.value + at.half_norm.value),
    )


def lower_value(problem: Problem, alpha: Array, A: Array, at: Image) -> Enclosed:
    """D(alpha); A errs by (d + 4) u |nu| alpha, which moves 1/2 ||W||^2 by at most T T_error + 1/2 T_error^2 in each class."""
    gains, doubts = linear_gain(problem, alpha, np.float64)
    slip = rounding(problem.d + 4) * by_class(
        abs(problem.spec.projected_nu).transpose(0, 2, 1), problem.y, alpha
    )
    slipped = (problem.kernel.lengths(problem.X) @ slip) * (1 + rounding(problem.n))
    terms, more = [gains], [doubts, at.reach * slipped + slipped * slipped / 2]
    if problem.bias == "penalized":
        b, b_error = A.sum(axis=0), rounding(problem.n) * abs(A).sum(axis=0) + slip.sum(axis=0)
        terms.append(-b * b / 2)
        more.append(abs(b) * b_error + b_error * b_error)
    total = summed(np.concatenate(terms), np.concatenate(more), 2 * UNIT, bool(alpha.any()))
    value = total.value - at.half_norm.value
    return Enclosed(
        value, (total.radius + at.half_norm.radius) * (1 + 1e-15) + 2 * UNIT * abs(value)
    )
