"""The optimum of a problem, enclosed by the attacker's own evaluator: low = D(alpha), high = P(W, b), equal where rational.

The package's solvers propose points; a point counts for what its exact value is, and for nothing if it is infeasible.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

import msvm_ref as mr
from tests.adversary.active_set import THRESHOLDS, proposal, repaired
from tests.adversary.evaluator import Exact, Weights
from tests.adversary.scaled import Scaled, root_above, scaled
from tests.adversary.sources import exact_guess, float_guesses

MOST_UNKNOWNS = 60
"""Distinct examples beyond which no exact system is solved."""
CLOSE = Fraction(1, 10**30)
"""A relative gap at which an irrational optimum counts as found."""


@dataclass(frozen=True, eq=False)
class Optimum:
    """low <= optimum <= high, the point with the value high (centred) and the multipliers with the value low."""

    low: Fraction
    high: Fraction
    point: Weights
    alpha: Scaled

    @property
    def proved(self) -> bool:
        """Is it one number (for an irrational kernel: to 30 digits)?"""
        return self.high - self.low <= CLOSE * abs(self.high)

    @property
    def slip(self) -> Fraction:
        """At least ||W - W*|| for the point's W: sqrt(2 gap)."""
        return root_above(2 * (self.high - self.low))


def enclosed(problem: mr.Problem, exact: Exact) -> Optimum:
    """The best enclosure that the proposals make; alpha = 0 and W = 0 are always feasible."""
    linear = problem.kernel == mr.linear
    zero, bias = scaled([[0] * exact.d] * exact.n), scaled([0] * exact.d)
    start = exact.weights(zero, bias, linear)
    best = Optimum(Fraction(0), exact.primal(start).high, start, zero)
    for alpha, b in _proposals(problem, exact):
        point = exact.projection(exact.weights(alpha, b, linear))
        high, feasible = exact.primal(point).high, exact.dual_feasible(alpha)
        low = exact.dual(alpha).low if feasible else best.low
        if high < best.high:
            best = Optimum(best.low, high, point, best.alpha)
        if low > best.low:
            best = Optimum(low, best.high, best.point, alpha)
        assert best.low <= best.high, "weak duality fails in the attacker's own evaluator"
        if best.proved:
            break
    return best


def _proposals(problem: mr.Problem, exact: Exact) -> Iterator[tuple[Scaled, Scaled]]:
    small, which = exact.merged()
    for alpha, b in float_guesses(problem, small, which):
        for threshold in THRESHOLDS if small.n <= MOST_UNKNOWNS else ():
            point = proposal(small, alpha, b, threshold)
            if point is not None:
                yield _spread(exact, small, which, point[0]), point[1]
        near = repaired(small, alpha)
        yield _spread(exact, small, which, near), _matching(small, near, b)
        if exact.gram.radius == 0 and exact.n <= MOST_UNKNOWNS:
            yield from exact_guess(problem, alpha[which], b)


def _matching(exact: Exact, alpha: Scaled, b: Any) -> Scaled:
    """A free bias as guessed, a penalized one as alpha asks, none otherwise."""
    if exact.bias == "free":
        return scaled(b.tolist())
    A = exact.expansion(alpha)
    total = A.num.sum(axis=0)
    return Scaled(total if exact.bias == "penalized" else total * 0, A.den)


def _spread(exact: Exact, small: Exact, which: list[int], alpha: Scaled) -> Scaled:
    """Each merged example's multipliers shared out among its members in proportion to their costs."""
    if small.n == exact.n:
        return Scaled(alpha.num[which], alpha.den)
    shares = [
        cost / small.costs[k] if small.costs[k] else Fraction(0)
        for k, cost in zip(which, exact.costs, strict=True)
    ]
    share = scaled(shares)
    return Scaled(alpha.num[which] * share.num[:, None], alpha.den * share.den)


def best_biases(problem: mr.Problem, exact: Exact, optimum: Optimum) -> list[Scaled]:
    """Some exactly optimal free biases: the proved one, and those a small step away that keep P as it is."""
    if exact.bias != "free" or not optimum.proved or exact.gram.radius:
        return []
    found, b = [optimum.point.b], optimum.point.b
    for c in range(exact.d):
        for size in (1, -1, Fraction(1, 1024), Fraction(-1, 1024)):
            step = np.full(exact.d, Fraction(0), dtype=object)
            step[c], step[c - 1] = Fraction(size), -Fraction(size)
            moved = b + scaled(step)
            at = Weights(moved, optimum.point.W, optimum.point.coef)
            if exact.primal(at).value == optimum.high:
                found.append(moved)
    return found
