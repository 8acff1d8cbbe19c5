"""The kernel of the data in exact numbers, over the distinct examples: rational, or integers over 2^BITS with a radius.

linear and polynomial kernels and given Gram matrices are rational. exp(-gamma ||x - x'||^2) is computed in balls of
PRECISION bits and rounded to a multiple of 2^-BITS, an error that ``radius`` bounds.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from flint import arb, ctx, fmpq, fmpz

import msvm_ref as mr
from tests.adversary.scaled import Scaled, scaled

BITS, PRECISION = 400, 460
RADIUS = Fraction(1, 2 ** (BITS - 1))


@dataclass(frozen=True, eq=False)
class Gram:
    """``points``: distinct rows of X; ``index``: which of them each example is; ``kind`` and its parameters."""

    points: Scaled
    index: Any
    kind: str
    parameters: tuple[Fraction, ...] = ()

    @property
    def radius(self) -> Fraction:
        return RADIUS if self.kind == "rbf" else Fraction(0)

    def size(self) -> Fraction:
        """The largest entry: on the diagonal, K being positive semi-definite."""
        return Fraction(int(max(self.values.num.diagonal(), default=0)), self.values.den)

    @cached_property
    def values(self) -> Scaled:
        """K over the distinct examples."""
        if self.kind == "precomputed":
            return self.points
        if self.kind == "rbf":
            return self._rbf()
        inner = self.points @ Scaled(self.points.num.T, self.points.den)
        if self.kind == "linear":
            return inner
        degree, gamma, coef0 = self.parameters
        den = inner.den * gamma.denominator * coef0.denominator
        base = inner.num * (gamma.numerator * coef0.denominator)
        base = base + coef0.numerator * inner.den * gamma.denominator
        return Scaled(base ** int(degree), den ** int(degree))

    def _rbf(self) -> Scaled:
        points, m = self.points, len(self.points.num)
        out = np.empty((m, m), dtype=object)
        gamma = self.parameters[0]
        den = points.den**2 * gamma.denominator
        with ctx.workprec(PRECISION):
            for i in range(m):
                for j in range(i + 1):
                    gap = points.num[i] - points.num[j]
                    square = int((gap * gap).sum()) * gamma.numerator
                    out[i, j] = out[j, i] = _exponential(-square, den)
        return Scaled(out, 2**BITS)

    def gathered(self, coef: Scaled) -> Scaled:
        """The coefficients of equal examples added up."""
        m = len(self.points.num)
        if m == len(self.index) and (self.index == np.arange(m)).all():
            return coef
        out = np.zeros((m, coef.num.shape[1]), dtype=object)
        np.add.at(out, self.index, coef.num)
        return Scaled(out, coef.den)

    def reach(self, mass: Scaled) -> Scaled | None:
        """How far rounding the kernel can move a score of each class; None where it is not rounded."""
        if not self.radius:
            return None
        total = abs(mass.num).sum(axis=0) * self.radius.numerator
        return Scaled(total, mass.den * self.radius.denominator)


def _exponential(numerator: int, denominator: int) -> int:
    """exp(numerator / denominator) 2^BITS to within 1, for numerator <= 0."""
    if -numerator > BITS * denominator:
        return 0
    value = arb(fmpq(numerator, denominator)).exp() * arb(2) ** BITS
    middle = fmpz(value.mid().floor().unique_fmpz())
    assert abs(value - arb(middle)) < 2, "the ball is wider than one unit"
    return int(middle)


def gram_of(problem: mr.Problem) -> Gram:
    """The Gram of a problem as declared: its kernel's name and parameters, its X."""
    name = problem.kernel.name
    function: Any = problem.kernel.function
    if problem.kernel == mr.precomputed:
        _, first, index = np.unique(problem.X, axis=0, return_index=True, return_inverse=True)
        block = problem.X[np.ix_(first, first)]  # equal rows are equal points of feature space
        return Gram(scaled(block.tolist()), np.asarray(index).ravel(), "precomputed")
    X: Any = problem.X
    rows = X.toarray() if hasattr(X, "toarray") else np.asarray(X)
    distinct, index = np.unique(rows, axis=0, return_inverse=True)
    points, index = scaled(distinct.tolist()), np.asarray(index).ravel()
    if problem.kernel == mr.linear:
        return Gram(points, index, "linear")
    if name.startswith("rbf"):
        return Gram(points, index, "rbf", (Fraction(function.gamma),))
    assert name.startswith("polynomial"), f"no exact meaning for kernel {name}"
    parameters = (function.degree, function.gamma, function.coef0)
    return Gram(points, index, "polynomial", tuple(map(Fraction, parameters)))
