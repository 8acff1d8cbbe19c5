"""Rigorous bounds: lower <= optimum <= upper as a theorem about the float64 data, at any size.

    upper >= P(Pi W, Pi b)     lower <= D(alpha')     alpha' exactly feasible, in rationals

Feasibility is settled in exact rationals (``fmpq``): alpha is clipped, and with a free bias
    r = sum alpha Pi nu = 0   is restored by   alpha' = alpha - N' lambda,   (N N') lambda = r   over multipliers with room,
the small system solved exactly and every sign and bound of alpha' then verified, not estimated. The values are
evaluated in ball arithmetic (``arb``, PRECISION bits): each ball contains the true number, and its far end is taken.
"""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
from flint import arb, arb_mat, ctx, fmpq, fmpq_mat

from msvm_ref.errors import DataError
from msvm_ref.judge.bias import optimal_bias
from msvm_ref.judge.candidate import Candidate
from msvm_ref.judge.certificate import Certificate
from msvm_ref.judge.feasible import SHRINK, exact_sum, into_groups
from msvm_ref.judge.objective import expansion, group_sums, primal_value
from msvm_ref.model.arrays import Array
from msvm_ref.model.problem import Problem
from msvm_ref.solvers.lower_bound import best_dual

PRECISION = 212
"""Bits of the balls: four times float64, so that only the candidate's own gap shows."""


@dataclass(frozen=True)
class RigorousBounds:
    """Rationals with lower <= optimum <= upper; ``alpha_moved`` says how far alpha went to become exactly feasible.

    ``lower`` is never negative (alpha = 0 is feasible and worth 0); ``dual`` is what this alpha is worth itself.
    """

    lower: Fraction
    upper: Fraction
    alpha_moved: float
    dual: Fraction

    @property
    def gap(self) -> Fraction:
        return self.upper - self.lower


def rigorous_bounds(problem: Problem, candidate: Candidate) -> RigorousBounds:
    """Bounds from W, b (upper) and alpha (lower); a missing alpha is built by the judge, a missing W follows from alpha."""
    if problem.bias == "none" and candidate.b is not None and np.any(candidate.b):
        raise DataError(
            "b",
            "be zero for bias='none': (W, b) is otherwise infeasible and bounds nothing",
            repr(candidate.b),
        )
    alpha = candidate.alpha
    if alpha is None:
        assert candidate.W is not None
        assert candidate.b is not None
        alpha = best_dual(
            problem, candidate.W, candidate.b, primal_value(problem, candidate.W, candidate.b).value
        )
    feasible = exactly_feasible(problem, alpha)
    shift = max(
        (
            abs(float(v) - float(a))
            for row, floats in zip(feasible, alpha, strict=True)
            for v, a in zip(row, floats, strict=True)
        ),
        default=0.0,
    )
    with ctx.workprec(PRECISION):
        dual = _end(_dual(problem, feasible), -1)
        W, b = (candidate.W, candidate.b) if candidate.W is not None else _weights(problem, alpha)
        assert b is not None
        upper = _end(_primal(problem, W, b), 1)
    return RigorousBounds(max(dual, Fraction(0)), upper, shift, dual)


def made_rigorous(
    problem: Problem, certificate: Certificate, handed: Candidate, helper: Candidate | None
) -> Certificate:
    """The certificate with its bounds and the candidate's own values made rigorous, rounded outward to float64."""
    if handed.alpha is None and helper is not None:
        handed = Candidate(handed.W, handed.b, helper.alpha)
    own = rigorous_bounds(problem, handed)
    both = (
        [own] if helper is None or helper.alpha is None else [own, rigorous_bounds(problem, helper)]
    )
    lower, upper = (
        _outward(bound, side)
        for bound, side in ((max(b.lower for b in both), -1), (min(b.upper for b in both), 1))
    )
    return replace(
        certificate,
        lower=lower,
        upper=upper,
        distance_bound=_distance(problem, handed, own.upper - Fraction(lower)),
        primal_value=None if certificate.primal_value is None else _outward(own.upper, 1),
        dual_value=None if certificate.dual_value is None else _outward(own.dual, -1),
        lower_from=f"{certificate.lower_from}; rigorous: rationals and {PRECISION}-bit balls",
    )


def _distance(problem: Problem, handed: Candidate, gap: Fraction) -> float:
    """||W - W*|| <= ||W - Pi W|| + sqrt(2 gap), W as handed in or that of alpha; the first term only under sum-to-zero."""
    W = handed.W if handed.W is not None else _weights(problem, handed.dual)[0]
    with ctx.workprec(PRECISION):
        means = (
            [sum((arb(float(v)) for v in row), arb(0)) for row in W]
            if problem.spec.sum_to_zero
            else []
        )
        off = (sum((v * v for v in means), arb(0)) / problem.d).sqrt()
        reach = arb(_fmpq(2 * max(gap, Fraction(0)))).sqrt()
        return _outward(_end(off + reach, 1), 1)


def _outward(value: Fraction, side: int) -> float:
    """The nearest float64 on that side of the rational."""
    try:
        near = float(value)
    except OverflowError:
        outer, inner = (
            (math.inf, sys.float_info.max) if value > 0 else (-math.inf, -sys.float_info.max)
        )
        return outer if (side > 0) == (value > 0) else inner
    wrong = Fraction(near) > value if side < 0 else Fraction(near) < value
    return math.nextafter(near, side * math.inf) if wrong else near


def exactly_feasible(problem: Problem, alpha: Array) -> list[list[fmpq]]:
    """The dual point near alpha that satisfies every constraint in rationals (alpha = 0 where none is in reach)."""
    boxed = into_groups(problem, alpha)
    for shrink in SHRINK if problem.bias == "free" else SHRINK[:1]:
        floats = into_groups(problem, boxed * (1 - shrink))
        exact = (
            _equality_restored(problem, floats)
            if problem.bias == "free"
            else _rational_rows(floats)
        )
        if exact is not None and _feasible(problem, exact):
            return exact
    return _rational_rows(np.zeros_like(boxed))


def _equality_restored(problem: Problem, alpha: Array) -> list[list[fmpq]] | None:
    """alpha - N' lambda over the multipliers with room for their share; None where those cannot undo r."""
    d, nu = problem.d, _nu(problem)
    r = [fmpq(0)] * d
    for y in range(d):
        for p in np.flatnonzero(alpha[problem.y == y].any(axis=0)):
            mass = exact_sum(alpha[problem.y == y, p])
            r = [v + _fmpq(mass) * u for v, u in zip(r, nu[y][p], strict=True)]
    room = alpha
    if not problem.spec.quadratic:
        room = np.minimum(
            alpha,
            (problem.costs[:, None] - group_sums(problem, alpha))
            / (d if problem.spec.shared else 1),
        )
    chosen = room > 0
    for _ in range(8):
        counts = [[int(chosen[problem.y == y, p].sum()) for p in range(d)] for y in range(d)]
        step = _least_steps(nu, counts, r)
        if step is None:
            return None
        narrow = chosen & (
            room < 2 * abs(np.array([[float(v) for v in row] for row in step]))[problem.y]
        )
        if not narrow.any():
            return [
                [
                    fmpq(*float(v).as_integer_ratio())
                    - (step[problem.y[i]][p] if chosen[i, p] else 0)
                    for p, v in enumerate(row)
                ]
                for i, row in enumerate(alpha)
            ]
        chosen &= ~narrow
    return None


def _least_steps(
    nu: list[list[list[fmpq]]], counts: list[list[int]], r: list[fmpq]
) -> list[list[fmpq]] | None:
    """step[y][p] = <nu[y][p], lambda> with sum counts step nu = r: the least-squares correction, exactly."""
    d = range(len(r))
    used = [(y, p) for y in d for p in d if counts[y][p]]
    normal = [
        [sum((counts[y][p] * nu[y][p][m] * nu[y][p][k] for y, p in used), fmpq(0)) for k in d]
        for m in d
    ]
    multiplier = _any_solution(normal, r)
    if multiplier is None:
        return None
    return [
        [sum((u * v for u, v in zip(nu[y][p], multiplier, strict=True)), fmpq(0)) for p in d]
        for y in d
    ]


def _any_solution(matrix: list[list[fmpq]], rhs: list[fmpq]) -> list[fmpq] | None:
    count = len(rhs)
    reduced, rank = fmpq_mat([[*row, v] for row, v in zip(matrix, rhs, strict=True)]).rref()
    x = [fmpq(0)] * count
    for row in reduced.tolist()[:rank]:
        pivot = next(j for j, v in enumerate(row) if v)
        if pivot == count:
            return None
        x[pivot] = row[count]
    return x


def _feasible(problem: Problem, alpha: list[list[fmpq]]) -> bool:
    """Signs, components, group bounds and the equality, each decided exactly."""
    mask, shared, nu = problem.spec.mask[problem.y], problem.spec.shared, _nu(problem)
    residual = [fmpq(0)] * problem.d
    for i, row in enumerate(alpha):
        cost = fmpq(*float(problem.costs[i]).as_integer_ratio())
        if any(v < 0 or (v != 0 and not mask[i, p]) for p, v in enumerate(row)):
            return False
        largest = sum(row, fmpq(0)) if shared else max(row)
        if largest > cost and (not problem.spec.quadratic or cost == 0):
            return False
        for p, v in enumerate(row):
            if v != 0 and problem.bias == "free":
                residual = [s + v * u for s, u in zip(residual, nu[problem.y[i]][p], strict=True)]
    return not any(residual)


def _primal(problem: Problem, W: Array, b: Array) -> arb:
    """P at (W, b), centred under sum-to-zero, as a ball."""
    d, gamma, nu = problem.d, problem.machine.gamma(problem.d), _nu(problem)
    weights = [[arb(float(v)) for v in row] for row in [*W, b]]
    if problem.spec.sum_to_zero:
        weights = [[v - sum(row, arb(0)) / d for v in row] for row in weights]
    features = arb_mat(
        problem.n,
        len(weights),
        [arb(float(v)) for row in problem.dense_features for v in (*row, 1.0)],
    )
    scores = features * arb_mat(weights)
    penalised = weights if problem.bias == "penalized" else weights[:-1]
    total = sum((v * v for row in penalised for v in row), arb(0)) / 2
    for i, f in enumerate(scores.tolist()):
        y, cost = int(problem.y[i]), arb(float(problem.costs[i]))
        slack = [
            arb(0).max(
                arb(_fmpq(gamma[y][p]))
                - sum((arb(u) * s for u, s in zip(nu[y][p], f, strict=True)), arb(0))
            )
            for p in range(d)
            if problem.spec.mask[y, p]
        ]
        if problem.spec.shared:
            top = slack[0]
            for other in slack[1:]:
                top = top.max(other)
            slack = [top]
        total += cost * sum((v * v if problem.spec.quadratic else v for v in slack), arb(0))
    return total


def _dual(problem: Problem, alpha: list[list[fmpq]]) -> arb:
    """D at a feasible alpha, as a ball."""
    d, gamma, nu = problem.d, problem.machine.gamma(problem.d), _nu(problem)
    gain, image_rows = arb(0), []
    for i, row in enumerate(alpha):
        y = int(problem.y[i])
        image = [
            sum((v * nu[y][p][m] for p, v in enumerate(row) if v != 0), fmpq(0)) for m in range(d)
        ]
        image_rows.append([arb(v) for v in image])
        gain += arb(sum((v * _fmpq(gamma[y][p]) for p, v in enumerate(row) if v != 0), fmpq(0)))
        if problem.spec.quadratic and problem.costs[i] > 0:
            masses = [sum(row, fmpq(0))] if problem.spec.shared else row
            gain -= arb(
                sum((m * m for m in masses), fmpq(0))
                / (4 * fmpq(*float(problem.costs[i]).as_integer_ratio()))
            )
    extra = (1.0,) if problem.bias == "penalized" else ()
    width = problem.dense_features.shape[1] + len(extra)
    features = arb_mat(
        problem.n, width, [arb(float(v)) for row in problem.dense_features for v in (*row, *extra)]
    )
    weights = features.transpose() * arb_mat(image_rows)
    return gain - sum((v * v for v in weights.entries()), arb(0)) / 2


def _weights(problem: Problem, alpha: Array) -> tuple[Array, Array]:
    """W_alpha and its bias, in floats: any W gives an upper bound."""
    A = expansion(problem, alpha)
    W = problem.dense_features.T @ A
    if problem.bias == "free":
        return W, optimal_bias(problem, problem.dense_features @ W, alpha)
    return W, A.sum(axis=0) if problem.bias == "penalized" else np.zeros(problem.d)


def _end(ball: arb, side: int) -> Fraction:
    """The ball's lower (-1) or upper (+1) end, a dyadic rational, outside the true value for sure."""
    end = ball.lower() if side < 0 else ball.upper()
    mantissa, exponent = end.man_exp()
    return Fraction(int(mantissa)) * Fraction(2) ** int(exponent)


def _nu(problem: Problem) -> list[list[list[fmpq]]]:
    return [
        [[_fmpq(v) for v in row] for row in plane]
        for plane in problem.machine.projected_nu(problem.d)
    ]


def _fmpq(value: Any) -> fmpq:
    return fmpq(value.numerator, value.denominator)


def _rational_rows(alpha: Array) -> list[list[fmpq]]:
    return [[fmpq(*float(v).as_integer_ratio()) for v in row] for row in alpha]
