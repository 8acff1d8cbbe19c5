"""What a certificate claims, held against exact numbers. Every comparison is of rationals; nothing has a tolerance.

    lower <= optimum <= upper          primal_value >= P(candidate)          dual_value <= optimum
    optimal(tol)  =>  P - optimum <= tol P,  optimum - D <= tol upper,  and infeasibility as handed in <= tol
    distance_bound >= ||W - W*||

Where the attacker knows the optimum as an interval only, or the kernel is irrational, a claim counts as broken when it is
broken for every value it could have.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from tests.adversary.evaluator import Ball, Exact, Weights
from tests.adversary.proved import Optimum
from tests.adversary.scaled import Scaled, largest, root_above

TOLERANCES = tuple(float(f"1e-{k}") for k in range(3, 13))
FLOOR = Fraction(1, 10**140)
"""Sizes below this are measured against it: their squares are not floats."""
EPS = Fraction(float(np.finfo(float).eps))


@dataclass(frozen=True, eq=False)
class Handed:
    """A candidate as handed in, in exact numbers; what was not given is None. ``vague``: given by scores alone."""

    point: Weights | None
    alpha: Scaled | None
    vague: bool = False


@dataclass(frozen=True)
class Broken:
    """A claim that does not hold, in one word and in numbers."""

    claim: str
    detail: str


def broken(exact: Exact, optimum: Optimum, handed: Handed, certificate: Any) -> list[Broken]:
    """Every claim of the certificate that is false."""
    P = None if handed.point is None else exact.primal(handed.point)
    return [
        *_enclosure(optimum, certificate),
        *_values(optimum, handed, P, certificate),
        *_acceptance(exact, optimum, handed, P, certificate),
        *_distance(exact, optimum, handed, certificate),
    ]


def _enclosure(optimum: Optimum, c: Any) -> Iterator[Broken]:
    if math.isnan(c.lower) or math.isnan(c.upper):
        yield Broken("enclosure is NaN", f"[{c.lower!r}, {c.upper!r}]")
        return
    if c.lower > c.upper:
        yield Broken("enclosure is empty", f"[{c.lower!r}, {c.upper!r}]")
    if _more(c.lower, optimum.high):
        yield Broken("lower above the optimum", _pair(c.lower, optimum.high))
    if _more(optimum.low, c.upper):
        yield Broken("upper below the optimum", _pair(c.upper, optimum.low))


def _values(optimum: Optimum, handed: Handed, P: Ball | None, c: Any) -> Iterator[Broken]:
    given = handed.point is not None or handed.vague
    if (c.primal_value is None) == given or (c.dual_value is None) != (handed.alpha is None):
        yield Broken("values of halves not given", f"{c.primal_value!r}, {c.dual_value!r}")
    if P is not None and c.primal_value is not None and _more(P.low, c.primal_value):
        yield Broken("primal_value below the candidate's own", _pair(c.primal_value, P.low))
    if c.dual_value is not None and _more(c.dual_value, optimum.high):
        yield Broken("dual_value above the optimum", _pair(c.dual_value, optimum.high))


def _acceptance(
    exact: Exact, optimum: Optimum, handed: Handed, P: Ball | None, c: Any
) -> Iterator[Broken]:
    """Asked at every tolerance, reported once for each claim: at the smallest tolerance where it is broken."""
    accepted = [tol for tol in TOLERANCES if c.optimal(tol)]
    if not accepted:
        return
    feasible = handed.alpha is not None and exact.dual_feasible(handed.alpha)
    D = exact.dual(handed.alpha) if feasible and handed.alpha is not None else None
    faults = dict(_tilts(exact, handed.point, c)) if handed.point and exact.sum_to_zero else {}
    if handed.alpha is not None and not feasible:
        faults |= dict(_dual_faults(exact, handed.alpha))
    false: dict[str, str] = {}
    for tol in accepted:
        limit = Fraction(tol)
        if P is not None and P.low - optimum.high > limit * P.low:
            false["a primal too far off"] = f"at {tol:g}: {_ratio(P.low, optimum.high)}"
        if D is not None and math.isfinite(c.upper):
            scale = max(Fraction(c.upper), optimum.low, FLOOR)
            if optimum.low - D.high > limit * scale:
                false["a dual too far off"] = f"at {tol:g}: {_ratio(D.high, optimum.low)}"
        for name, (fault, allowance) in faults.items():
            if fault > limit + allowance:
                false[f"with {name}"] = f"at {tol:g}: {_float(fault):.3g}"
    yield from (Broken(f"accepted {claim}", detail) for claim, detail in false.items())


def _dual_faults(exact: Exact, alpha: Scaled) -> Iterator[tuple[str, tuple[Fraction, Fraction]]]:
    """Infeasibility as handed in, in the certificate's measures, each with the rounding it documents as its own."""
    target = max(abs(v) for row in exact.gamma.fractions() for v in row)
    natural = (2 * target or Fraction(1)) if exact.quadratic else Fraction(1)
    sign: Any = Fraction(0)
    support: Any = Fraction(0)
    bound: Any = Fraction(0)
    rows = alpha.fractions()
    for i, cost in enumerate(exact.costs):
        scale = cost * natural or Fraction(1, 10**300)
        counted = [p for group in exact.groups[exact.y[i]] for p in group]
        sign = max(sign, *(-v / scale for v in rows[i]))
        support = max(
            support, *(abs(rows[i][p]) / scale if p not in counted else 0 for p in range(exact.d))
        )
        if not exact.quadratic:
            for group in exact.groups[exact.y[i]]:
                bound = max(bound, (sum(rows[i][p] for p in group) - cost) / scale)
    yield "alpha negative", (sign, EPS)
    yield "alpha off its support", (support, EPS)
    yield "alpha above C", (bound, exact.d * EPS * 2)
    if exact.bias == "free":
        yield "alpha off the equality", _equality(exact, alpha)


def _tilts(exact: Exact, point: Weights, c: Any) -> Iterator[tuple[str, tuple[Fraction, Fraction]]]:
    """||sum_c w_c|| / sqrt d over ||W|| or sqrt(2 gap), and |sum_c b_c| / sqrt d over the largest target."""
    noise = 8 * exact.d * EPS
    tilt = root_above(exact.tilt(point).low / exact.d)
    own = (c.primal_value or 0.0) - c.lower  # the candidate's own gap
    gap = Fraction(own) if math.isfinite(own) else Fraction(0)
    size = max(root_above(max(exact.size(point).high, 2 * gap)), FLOOR)
    yield "W off sum-to-zero", (tilt / size, noise)
    if exact.bias == "none":
        return
    target = max(abs(v) for row in exact.gamma.fractions() for v in row)
    if target:
        off = root_above(Fraction(point.b.total() ** 2) / exact.d) / target
        yield "b off sum-to-zero", (off, noise * (1 + root_above(point.b.dot(point.b)) / target))


def _equality(exact: Exact, alpha: Scaled) -> tuple[Fraction, Fraction]:
    """Class by class |sum alpha Pi nu| over sum |alpha| |Pi nu|, over the components that count."""
    inside = alpha.num.copy()
    for i in range(exact.n):
        counted = [p for group in exact.groups[exact.y[i]] for p in group]
        for p in range(exact.d):
            inside[i, p] = inside[i, p] if p in counted else 0
    residual, mass = [0] * exact.d, [0] * exact.d
    for i in range(exact.n):
        nu = exact.projected.num[exact.y[i]]
        for m in range(exact.d):
            residual[m] += int(inside[i] @ nu[:, m])
            mass[m] += int(abs(alpha.num[i]) @ abs(nu[:, m]))
    den = alpha.den * exact.projected.den
    parts = (
        Fraction(abs(r), den) / max(Fraction(s, den), FLOOR)
        for r, s in zip(residual, mass, strict=True)
    )
    return largest(parts), (exact.n + 8) * EPS


def _distance(exact: Exact, optimum: Optimum, handed: Handed, c: Any) -> Iterator[Broken]:
    """distance_bound >= ||W - W*|| - (what the attacker does not know of W*)."""
    if handed.point is None or not math.isfinite(c.distance_bound):
        return
    at = same_form(exact, handed.point, optimum.point)
    if at is None:
        return
    square = exact.distance(at, optimum.point).low
    reach = Fraction(c.distance_bound) + optimum.slip
    if square > reach * reach:
        detail = _pair(c.distance_bound, root_above(square) - optimum.slip)
        yield Broken("distance_bound too short", detail)


def same_form(exact: Exact, point: Weights, other: Weights) -> Weights | None:
    """The point with W where the other has W: coefficients become W for a linear kernel."""
    if (point.W is None) == (other.W is None):
        return point
    if point.coef is None:
        return None
    points = exact.gram.points
    W = Scaled(points.num.T, points.den) @ exact.gram.gathered(point.coef)
    return Weights(point.b, W=W)


def _more(one: float | Fraction, other: float | Fraction) -> bool:
    """one > other, exactly, infinities included."""
    for value, answer in ((one, True), (other, False)):
        if isinstance(value, float) and math.isinf(value):
            return answer if value > 0 else not answer and one != other
    return Fraction(one) > Fraction(other)


def _pair(said: float, true: Fraction) -> str:
    off = _float(Fraction(said) - true) if math.isfinite(said) else said
    return f"said {said!r}, true {_float(true)!r}, off by {off:.3g}"


def _ratio(value: Fraction, best: Fraction) -> str:
    return f"{_float(abs(value - best) / abs(value)) if value else math.inf:.6g} off"


def _float(value: Fraction) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf
