"""Rigorous bounds: lower <= optimum <= upper as a theorem about the float64 data, at any size.

    upper >= P(Pi W, Pi b)     lower <= D(alpha')     alpha' exactly feasible, in rationals

Feasibility is settled in exact rationals (``fmpq``): alpha is clipped, and with a free bias
    r = sum alpha Pi nu = 0   is restored by   alpha' = alpha - N' lambda,   (N N') lambda = r   over multipliers with room,
the small system solved exactly and every sign and bound of alpha' then verified, not estimated. The values are
evaluated in ball arithmetic (``arb``, PRECISION bits): each ball contains the true number, and its far end is taken. C_i is
C * sample_weight_i exactly, an rbf or polynomial kernel the function itself, and a Gram of any other kernel Phi Phi'.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from flint import arb, arb_mat, ctx, fmpq

from msvm_ref.exact.numbers import rational
from msvm_ref.judge.candidate import Candidate
from msvm_ref.judge.certificate import Certificate
from msvm_ref.judge.certify import worth
from msvm_ref.judge.equality import equality_residual, exact_step, pair_step
from msvm_ref.judge.feasible import SHRINK, into_groups
from msvm_ref.judge.kkt import sum_to_zero_fault
from msvm_ref.model.arrays import Array
from msvm_ref.model.kernels import Polynomial, Rbf
from msvm_ref.model.problem import Problem

PRECISION = 212
"""Bits of the balls: four times float64, so that only the candidate's own gap shows."""
WIDE = 2.0**-106
"""The radius of an exponent from which its inner products are taken by differences instead."""
BLOCK = 64
"""Rows of the kernel matrix held at a time."""

Rows = list[list[fmpq]]


@dataclass(frozen=True)
class RigorousBounds:
    """Rationals with lower <= optimum <= upper, as far as the candidate gives them.

    ``lower`` is never negative (alpha = 0 is feasible and worth 0); ``dual`` is what this alpha is worth itself.
    """

    lower: Fraction
    upper: Fraction | None
    dual: Fraction | None


def rigorous_bounds(problem: Problem, candidate: Candidate) -> RigorousBounds:
    """Bounds from the candidate's weights and b (upper) and its alpha (lower)."""
    with ctx.workprec(PRECISION):
        dual = upper = None
        if candidate.alpha is not None:
            dual = dual_end(problem, exactly_feasible(problem, candidate.alpha))
        if candidate.has_primal:
            upper = _end(_primal(problem, candidate), 1)
    return RigorousBounds(max(dual or Fraction(0), Fraction(0)), upper, dual)


def made_rigorous(
    problem: Problem, certificate: Certificate, handed: Candidate, helpers: Sequence[Candidate]
) -> Certificate:
    """The certificate with its bounds and the candidate's own values made rigorous, rounded outward to float64."""
    if not math.isfinite(certificate.upper) or not math.isfinite(certificate.primal_value or 0.0):
        words = f"{certificate.lower_from}; NOT rigorous: the candidate overflows"
        return replace(certificate, lower_from=words)
    own = rigorous_bounds(problem, handed)
    everyone = [own, *(rigorous_bounds(problem, helper) for helper in helpers)]
    lower = outward(max(b.lower for b in everyone), -1)
    uppers = [b.upper for b in everyone if b.upper is not None]
    of = own.upper if own.upper is not None else min(uppers)
    shown = handed if handed.has_primal else next(h for h in helpers if h.has_primal)
    return replace(
        certificate,
        lower=lower,
        upper=outward(min(uppers), 1),
        distance_bound=_distance(problem, shown, of - Fraction(lower)),
        primal_value=None if own.upper is None else outward(own.upper, 1),
        dual_value=None if own.dual is None else outward(own.dual, -1),
        sum_to_zero=_tilt(problem, handed, own.upper, Fraction(lower)),
        lower_from=f"{certificate.lower_from}; rigorous: rationals and {PRECISION}-bit balls",
    )


def _tilt(
    problem: Problem, handed: Candidate, upper: Fraction | None, lower: Fraction
) -> float | None:
    """The candidate's distance from sum-to-zero, measured against the rigorous gap."""
    image = worth(problem, handed).image
    if image is None or upper is None:
        return None
    gap = outward(max(upper - lower, Fraction(0)), -1)
    return sum_to_zero_fault(problem, handed, image, gap)


def _distance(problem: Problem, at: Candidate, gap: Fraction) -> float:
    """||W - W*|| <= ||W - Pi W|| + sqrt(2 gap); the first term only under sum-to-zero: sqrt of ||sum_c w_c||^2 / d."""
    with ctx.workprec(PRECISION):
        off = arb(0)
        if problem.spec.sum_to_zero:
            rows = at.W if at.W is not None else at.coef
            assert rows is not None
            sums = [[sum((arb(float(v)) for v in row), arb(0))] for row in rows]
            _, square = _image(problem, sums, at.W is not None)
            off = arb(rational(max(_end(square, 1), Fraction(0)) / problem.d)).sqrt()
        reach = arb(rational(2 * max(gap, Fraction(0)))).sqrt()
        return outward(_end(off + reach, 1), 1)


def outward(value: Fraction, side: int) -> float:
    """The nearest float64 on that side of the rational."""
    try:
        near = float(value)
    except OverflowError:
        outer, inner = math.inf, sys.float_info.max
        if value < 0:
            outer, inner = -outer, -inner
        return outer if (side > 0) == (value > 0) else inner
    wrong = Fraction(near) > value if side < 0 else Fraction(near) < value
    return math.nextafter(near, side * math.inf) if wrong else near


def exactly_feasible(problem: Problem, alpha: Array) -> Rows:
    """The dual point near alpha that satisfies every constraint in rationals (alpha = 0 where none is in reach)."""
    boxed = into_groups(problem, alpha)
    for shrink in SHRINK if problem.bias == "free" else SHRINK[:1]:
        floats = into_groups(problem, boxed * (1 - shrink))
        exact = _equality_restored(problem, floats)
        if exact is not None and _feasible(problem, exact):
            return exact
    return _rational(np.zeros_like(boxed))


def _equality_restored(problem: Problem, alpha: Array) -> Rows | None:
    """alpha - N' lambda over the multipliers with room for their share; None where those cannot undo r."""
    exact = _rational(alpha)
    if problem.bias != "free" or not any(r := equality_residual(problem, alpha)):
        return exact
    step = exact_step(problem, alpha, r)
    if step is None:
        return None
    for i, p in np.argwhere(step.chosen).tolist():
        exact[i][p] -= pair_step(problem, step, int(problem.y[i]), p)
    return exact


def _feasible(problem: Problem, alpha: Rows) -> bool:
    """Signs, components, group bounds and the equality, each decided exactly."""
    mask, shared, nu = problem.spec.mask[problem.y], problem.spec.shared, _nu(problem)
    residual = [fmpq(0)] * problem.d
    for i, row in enumerate(alpha):
        cost = rational(problem.exact_cost(i))
        if any(v < 0 or (v != 0 and not mask[i, p]) for p, v in enumerate(row)):
            return False
        largest = sum(row, fmpq(0)) if shared else max(row)
        if largest > cost and (problem.spec.capped or cost == 0):
            return False
        for p, v in enumerate(row):
            if v != 0 and problem.bias == "free":
                residual = [s + v * u for s, u in zip(residual, nu[problem.y[i]][p], strict=True)]
    return not any(residual)


def _primal(problem: Problem, at: Candidate) -> arb:
    """P at the candidate, centred under sum-to-zero, as a ball."""
    d, gamma, nu = problem.d, problem.machine.gamma(problem.d), _nu(problem)
    rows, b = at.W if at.W is not None else at.coef, at.b
    assert rows is not None
    assert b is not None
    lines = [[arb(float(v)) for v in row] for row in [*rows, b]]
    if problem.spec.sum_to_zero:
        lines = [[v - sum(row, arb(0)) / d for v in row] for row in lines]
    bias = lines.pop()
    scores, square = _image(problem, lines, at.W is not None)
    total = square / 2
    if problem.bias == "penalized":
        total += sum((v * v for v in bias), arb(0)) / 2
    for i, f in enumerate(scores):
        y = int(problem.y[i])
        slack = [
            arb(0).max(
                arb(rational(gamma[y][p]))
                - sum((arb(u) * (s + v) for u, s, v in zip(nu[y][p], f, bias, strict=True)), arb(0))
            )
            for p in range(d)
            if problem.spec.mask[y, p]
        ]
        if problem.spec.shared:
            top = slack[0]
            for other in slack[1:]:
                top = top.max(other)
            slack = [top]
        losses = sum((_phi(problem, v) for v in slack), arb(0))
        total += arb(rational(problem.exact_cost(i))) * losses
    return total


def _phi(problem: Problem, xi: arb) -> arb:
    """(c / h) (xi - c/2), c = min(xi, h) where the cost is capped, else xi; xi itself where h = 0."""
    capped, width = problem.machine.slack_cost
    if not width:
        return xi
    h = arb(rational(width))
    curved = xi.min(h) if capped else xi
    return curved / h * (xi - curved / 2)


def dual_end(problem: Problem, alpha: Rows) -> Fraction:
    """A rational at most D(alpha), for a feasible alpha."""
    with ctx.workprec(PRECISION):
        return _end(_dual(problem, alpha), -1)


def _dual(problem: Problem, alpha: Rows) -> arb:
    """D at a feasible alpha, as a ball."""
    gamma, gain = problem.machine.gamma(problem.d), arb(0)
    expansion = exact_expansion(problem, alpha)
    for i, row in enumerate(alpha):
        y = int(problem.y[i])
        gain += arb(sum((v * rational(gamma[y][p]) for p, v in enumerate(row) if v != 0), fmpq(0)))
        if problem.spec.width and problem.costs[i] > 0:
            masses = [sum(row, fmpq(0))] if problem.spec.shared else row
            squares = sum((m * m for m in masses), fmpq(0))
            h = rational(problem.machine.slack_cost.width)
            gain -= arb(h * squares / (2 * rational(problem.exact_cost(i))))
    _, square = _image(problem, [[arb(v) for v in row] for row in expansion], False)
    if problem.bias == "penalized":
        sums = [sum(column, fmpq(0)) for column in zip(*expansion, strict=True)]
        square += arb(sum((v * v for v in sums), fmpq(0)))
    return gain - square / 2


def exact_expansion(problem: Problem, alpha: Rows) -> Rows:
    """A[i,m] = sum_p alpha[i,p] (Pi nu)[y_i,p,m]."""
    d, nu = problem.d, _nu(problem)
    return [
        [sum((v * nu[y][p][m] for p, v in enumerate(row) if v != 0), fmpq(0)) for m in range(d)]
        for y, row in zip(problem.y.tolist(), alpha, strict=True)
    ]


def _image(problem: Problem, rows: list[list[arb]], weights: bool) -> tuple[list[list[arb]], arb]:
    """(scores without bias, ||W||^2) of weights in feature coordinates, or of expansion coefficients."""
    width = len(rows[0]) if rows else problem.d
    if weights or not problem.kernel.has_bounds:
        phi = _balls(problem.dense_features)
        W = arb_mat(len(rows), width, [v for row in rows for v in row])
        if not weights:
            W = phi.transpose() * W
        return (phi * W).tolist(), sum((v * v for v in W.entries()), arb(0))
    coef = arb_mat(problem.n, width, [v for row in rows for v in row])
    scores = [row for block in _kernel_blocks(problem) for row in (block * coef).tolist()]
    square = arb(0)
    for row, line in zip(rows, scores, strict=True):
        square += sum((u * v for u, v in zip(row, line, strict=True)), arb(0))
    return scores, square


def _kernel_blocks(problem: Problem) -> Iterator[arb_mat]:
    """K, BLOCK rows at a time: the kernel of the float64 data as real numbers."""
    X, function = _balls(problem.X), problem.kernel.function
    across, lines = X.transpose(), X.tolist()
    squares = [sum((v * v for v in row), arb(0)) for row in lines]
    for start in range(0, problem.n, BLOCK):
        part = lines[start : start + BLOCK]
        inner = (arb_mat(part) * across).tolist()
        gamma = arb(float(function.gamma))
        if isinstance(function, Rbf):
            near = squares[start : start + BLOCK]
            entries = [
                [
                    (-_sharp(gamma * (a + b - 2 * v), gamma, x, z)).exp()
                    for v, b, z in zip(row, squares, lines, strict=True)
                ]
                for row, a, x in zip(inner, near, part, strict=True)
            ]
        else:
            assert isinstance(function, Polynomial)
            shift = arb(float(function.coef0))
            entries = [[(gamma * v + shift) ** function.degree for v in row] for row in inner]
        yield arb_mat(entries)


def _sharp(square: arb, gamma: arb, a: list[arb], b: list[arb]) -> arb:
    """gamma ||a - b||^2: by differences where the inner products cancelled, far from 0, to a ball too wide for exp."""
    if square.rad() <= WIDE:
        return square
    return gamma * sum(((u - v) ** 2 for u, v in zip(a, b, strict=True)), arb(0))


def _balls(values: Array) -> arb_mat:
    return arb_mat(*values.shape, [arb(float(v)) for v in values.ravel()])


def _end(ball: arb, side: int) -> Fraction:
    """The ball's lower (-1) or upper (+1) end, a dyadic rational, outside the true value for sure."""
    end = ball.lower() if side < 0 else ball.upper()
    mantissa, exponent = end.man_exp()
    return Fraction(int(mantissa)) * Fraction(2) ** int(exponent)


def _nu(problem: Problem) -> list[list[list[fmpq]]]:
    return [
        [[rational(v) for v in row] for row in plane]
        for plane in problem.machine.projected_nu(problem.d)
    ]


def _rational(alpha: Array) -> Rows:
    return [[rational(float(v)) for v in row] for row in alpha]
