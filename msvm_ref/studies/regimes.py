"""The regimes behind UV section 3.2: tiny C turns sum-machines into a kernel density estimate; max-machines stay at 0.

Theorem 8 (no bias, own slacks). The dual is max sum gamma alpha - 1/2 alpha' Q alpha over 0 <= alpha <= C. At alpha = C
its gradient is gamma_p - C (Q 1)_p, so alpha = C is optimal if and only if

    C <= C* = min { gamma_p / (Q 1)_p : (Q 1)_p > 0 },            (Q 1)_ip = <nu[y_i,p], sum_j k(x_i, x_j) A_j>,

A_j = sum_p (Pi nu)[y_j,p] over the components that count. UV's C <= 1/(d l) is enough where gamma = 1 and |Q| <= 1; C* is
sharp. With alpha = C, w_c = w~_c - eta~ where  w~_c = a C sum_{i: y_i = c} phi(x_i),  eta~ = eta + b C sum_i phi(x_i)  and
sum_p nu[y,p,c] = a [c = y] - b  (with UV's signs and factors corrected: docs/mathematics.md, E4).

Theorem 9. On one point, f = 0 minimises the empirical risk of CS, AMO and ATM without a majority, and the regulariser
as well: w* = 0 for every C.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from msvm_ref.errors import DataError, SpecError
from msvm_ref.exact.numbers import fractions, rational
from msvm_ref.fisher.loss import point_loss
from msvm_ref.fisher.optimality import multipliers_at
from msvm_ref.fisher.probability import probabilities
from msvm_ref.model.arrays import Array
from msvm_ref.model.machine import Machine
from msvm_ref.model.problem import Problem

Rationals = tuple[Fraction, ...]


@dataclass(frozen=True)
class KdeRegime:
    """Up to which C every multiplier is C; ``value(C)`` is the exact dual value there, the optimum for C <= C*."""

    machine: str
    """Its name."""
    n: int
    """Examples."""
    d: int
    """Classes."""
    sharp: Fraction | None
    """C*; None where alpha = C is optimal for every C."""
    paper: Fraction
    """UV's 1/(d l)."""
    own: Fraction | None
    """a above; None where it differs from class to class."""
    common: Fraction | None
    """b above; None likewise."""
    linear_term: Fraction
    """sum gamma."""
    square_term: Fraction
    """1' Q 1."""

    def holds(self, C: Any) -> bool:
        """Is alpha = C optimal at this C? Exactly."""
        return self.sharp is None or Fraction(C) <= self.sharp

    def value(self, C: Any) -> Fraction:
        c = Fraction(C)
        return c * self.linear_term - c * c * self.square_term / 2

    def to_dict(self) -> dict[str, Any]:
        def text(value: Fraction | None) -> str | None:
            return None if value is None else str(value)

        return {
            "machine": self.machine,
            "n": self.n,
            "d": self.d,
            "sharp": text(self.sharp),
            "paper": str(self.paper),
            "own": text(self.own),
            "common": text(self.common),
        }


def kde_regime(problem: Problem, gram: Sequence[Sequence[Any]] | None = None) -> KdeRegime:
    """C* and the density estimate of a problem without bias, exactly.

    The kernel matrix is computed in rationals from X for the linear kernel; otherwise its float64 entries are the data,
    unless an exact ``gram`` is given.
    """
    _refuse_beyond_theorem_8(problem)
    machine, d, n = problem.machine, problem.d, problem.n
    K = _gram(problem) if gram is None else [[Fraction(v) for v in row] for row in gram]
    counts, gamma, nu, pnu = (
        machine.aggregation.mask(d),
        machine.gamma(d),
        machine.nu(d),
        machine.projected_nu(d),
    )
    parts = [[p for p in range(d) if counts[y, p]] for y in range(d)]
    A = [[sum((pnu[y][p][m] for p in parts[y]), Fraction(0)) for m in range(d)] for y in range(d)]
    labels = [int(y) for y in problem.y]
    sharp: Fraction | None = None
    linear_term = square_term = Fraction(0)
    for y, score in zip(labels, _scores_at_bound(K, labels, A), strict=True):
        for p in parts[y]:
            q = sum((nu[y][p][m] * score[m] for m in range(d)), Fraction(0))
            linear_term, square_term = linear_term + gamma[y][p], square_term + q
            if q > 0 and (sharp is None or gamma[y][p] / q < sharp):
                sharp = gamma[y][p] / q
    own, common = _density(machine, d)
    return KdeRegime(
        machine.name, n, d, sharp, Fraction(1, d * n), own, common, linear_term, square_term
    )


def _scores_at_bound(
    K: list[list[Fraction]], labels: list[int], A: list[list[Fraction]]
) -> Iterator[list[Fraction]]:
    """f(x_i) / C at alpha = C: sum_j k(x_i, x_j) A[y_j], the kernel values summed by class first."""
    d = range(len(A))
    for row in K:
        by_class = [
            sum((v for v, z in zip(row, labels, strict=True) if z == y), Fraction(0)) for y in d
        ]
        yield [sum((by_class[z] * A[z][m] for z in d), Fraction(0)) for m in d]


def _refuse_beyond_theorem_8(problem: Problem) -> None:
    """SpecError or DataError where alpha = C is not feasible, or optimal for no C."""
    machine = problem.machine
    if machine.aggregation.slack != "own" and machine.aggregation.components != "self":
        raise SpecError(
            "machine",
            "have a slack of its own for each component",
            machine.aggregation.name,
            "Theorem 8 is about sums; with a shared slack alpha = C is not even feasible",
        )
    if machine.cost != "linear":
        raise SpecError(
            "cost",
            "be 'linear'",
            repr(machine.cost),
            "a squared slack has no upper bound to stick to",
        )
    if any(v < 0 for row in machine.gamma(problem.d) for v in row):
        raise SpecError(
            "gamma",
            "be non-negative",
            "a negative target",
            "alpha = C cannot be optimal for small C then",
        )
    if problem.bias != "none" or problem.sample_weight is not None:
        raise DataError(
            "problem",
            "have no bias and no sample weights",
            f"bias {problem.bias!r}",
            "a free bias adds equalities that alpha = C breaks",
        )


def _gram(problem: Problem) -> list[list[Fraction]]:
    if problem.is_linear:
        X = [[Fraction(float(v)) for v in row] for row in problem.X]
        return [
            [sum((u * v for u, v in zip(a, b, strict=True)), Fraction(0)) for b in X] for a in X
        ]
    return [[Fraction(float(v)) for v in row] for row in problem.gram]


def _density(machine: Machine, d: int) -> tuple[Fraction | None, Fraction | None]:
    """(a, b) with sum_p nu[y,p,c] = a [c = y] - b, if there are such."""
    counts, nu = machine.aggregation.mask(d), machine.nu(d)
    table = [
        [sum((nu[y][p][c] for p in range(d) if counts[y, p]), Fraction(0)) for c in range(d)]
        for y in range(d)
    ]
    b, a = -table[0][1], table[0][0] - table[0][1]
    fits = all(table[y][c] == (a if c == y else 0) - b for y in range(d) for c in range(d))
    return (a, b) if fits else (None, None)


def kde_coef(problem: Problem) -> Array:
    """(n x d) coefficients at alpha = C, in floats: f(x) = sum_i k(x, x_i) coef_i is the density estimate itself."""
    spec = problem.spec
    per_class = (spec.projected_nu * spec.mask[:, :, None]).sum(axis=1)
    return np.asarray(problem.C * per_class[problem.y])


@dataclass(frozen=True)
class OnePoint:
    """All examples at one point: is w* = 0 for every C?"""

    machine: str
    """Its name."""
    P: Rationals
    """The class shares."""
    zero: bool
    """The answer."""
    multipliers: tuple[tuple[Fraction, ...], ...] | None
    """The proof that 0 minimises R_P, where it does."""


def one_point(machine: Machine, P: Any) -> OnePoint:
    """Theorem 9, exactly: 0 minimises risk and regulariser, hence their sum for every C, iff 0 minimises R_P."""
    shares = probabilities(P, machine.fixed_d)
    loss = point_loss(machine, len(shares))
    multipliers = multipliers_at(loss, [loss.zero] * loss.d, [rational(v) for v in shares])
    table = None if multipliers is None else tuple(fractions(row) for row in multipliers.values)
    return OnePoint(machine.name, shares, multipliers is not None, table)


def one_point_problem(machine: Machine, counts: Sequence[int], C: float) -> Problem:
    """The training problem of Theorem 9: counts[y] examples of class y, all at x = 1 on the line, no bias."""
    y = np.repeat(np.arange(len(counts)), counts)
    return Problem(machine, np.ones((len(y), 1)), y, C=C, n_classes=len(counts))
