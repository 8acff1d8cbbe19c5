"""The attacker's own exact evaluator of a problem: nothing here comes from the judge, the exact path or a solver.

    P(W, b)  = 1/2 ||W||^2 [+ 1/2 ||b||^2 penalized] + sum_i C_i sum_r phi(xi_ir)
    xi_ir    = max(0, max_{p in r} gamma - <nu_p, f_i>)
    D(alpha) = sum gamma alpha - 1/2 <A, K A> [- 1/2 ||1'A||^2 penalized] - sum h (group sum)^2 / (2 C_i)
    phi(xi)  = xi (linear: h = 0),  xi^2 (quadratic: h = 1/2),  xi^2 / (2h) up to xi = h and xi - h/2 beyond (Huber of width h)
    A[i,m]   = sum_p alpha[i,p] nu[y_i,p,m], minus its mean over m under sum-to-zero;     C_i = C weight_i, exactly

A problem is its kernel. Data are the rationals that float64 numbers are; where the kernel is irrational (rbf) its entries
are integers over 2^BITS and every value carries the radius that their rounding can make.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from msvm_ref import Problem
from tests.adversary.gram import Gram, gram_of
from tests.adversary.scaled import Scaled, scaled, together


@dataclass(frozen=True)
class Ball:
    """A real number within ``radius`` of ``value``; radius 0 is an exact rational."""

    value: Fraction
    radius: Fraction = Fraction(0)

    @property
    def low(self) -> Fraction:
        return self.value - self.radius

    @property
    def high(self) -> Fraction:
        return self.value + self.radius


@dataclass(frozen=True, eq=False)
class Weights:
    """What a primal candidate says: W (p x d) or coef (n x d), and b (d,), as handed in."""

    b: Scaled
    W: Scaled | None = None
    coef: Scaled | None = None


class Exact:
    """A problem in exact numbers."""

    def __init__(self, problem: Problem) -> None:
        machine, d = problem.machine, problem.d
        self.n, self.d, self.y = problem.n, d, np.asarray(problem.y)
        self.bias, self.quadratic = problem.bias, machine.cost == "quadratic"
        self.width = _width(machine.cost)
        self.sum_to_zero = machine.sum_to_zero
        self.nu, self.gamma = scaled(machine.nu(d)), scaled(machine.gamma(d))
        weight = problem.sample_weight
        C = Fraction(problem.C)
        self.cost = scaled(
            [C] * self.n if weight is None else [C * Fraction(w) for w in weight.tolist()]
        )
        self.groups = [_groups(machine.aggregation, y, d) for y in range(d)]
        self.gram: Gram = gram_of(problem)

    def merged(self) -> tuple[Exact, list[int]]:
        """The same problem with equal examples of one class made one of their joint cost, and which one each became.

        Equal examples have equal slacks, so the optimum is the same; multipliers are shared out in proportion to cost.
        """
        places: dict[tuple[int, int], int] = {}
        keys = list(zip(self.gram.index.tolist(), self.y.tolist(), strict=True))
        which = [places.setdefault(key, len(places)) for key in keys]
        small = copy.copy(self)
        small.n, small.y = len(places), np.array([y for _, y in places])
        costs = [Fraction(0)] * small.n
        for k, cost in zip(which, self.costs, strict=True):
            costs[k] += cost
        small.cost = scaled(costs)
        small.__dict__["costs"] = costs
        small.gram = replace(self.gram, index=np.array([point for point, _ in places]))
        return small, which

    @cached_property
    def projected(self) -> Scaled:
        """Pi nu under sum-to-zero, nu otherwise."""
        return self.nu.centred() if self.sum_to_zero else self.nu

    @cached_property
    def costs(self) -> list[Fraction]:
        return list(self.cost.fractions())

    def projection(self, point: Weights) -> Weights:
        """(Pi W, Pi b) under sum-to-zero: the candidate whose value is judged."""
        if not self.sum_to_zero:
            return point
        W, coef = (None if v is None else v.centred() for v in (point.W, point.coef))
        return Weights(point.b.centred(), W, coef)

    def primal(self, point: Weights) -> Ball:
        """P at the candidate's exact projection."""
        at = self.projection(point)
        scores, norm, reach = self.image(at)
        total = Ball(norm.value / 2, norm.radius / 2)
        if self.bias == "penalized":
            total = Ball(total.value + at.b.dot(at.b) / 2, total.radius)
        loss = self.loss(scores + at.b, reach)
        return Ball(total.value + loss.value, total.radius + loss.radius)

    def image(self, at: Weights) -> tuple[Scaled, Ball, Scaled | None]:
        """Scores without b on every example, ||W||^2, and for rounded kernels the error of each score by class."""
        if at.W is not None:
            scores = self.gram.points @ at.W
            norm, reach = Ball(at.W.dot(at.W)), None
        else:
            assert at.coef is not None, "a primal candidate has W or coef"
            mass = self.gram.gathered(at.coef)
            scores, reach = self.gram.values @ mass, self.gram.reach(mass)
            size = Fraction(0) if reach is None else _square(mass.absolute()) * self.gram.radius
            norm = Ball(mass.dot(scores), size)
        return Scaled(scores.num[self.gram.index], scores.den), norm, reach

    def loss(self, scores: Scaled, reach: Scaled | None = None) -> Ball:
        """sum_i C_i sum_r phi(xi_ir) for scores that err by at most ``reach`` in each class."""
        total, radius = Fraction(0), Fraction(0)
        for y in range(self.d):
            rows = np.flatnonzero(self.y == y)
            if not len(rows):
                continue
            nu = Scaled(self.nu.num[y].T, self.nu.den)
            margins = Scaled(scores.num[rows], scores.den) @ nu
            target, margins = together(Scaled(self.gamma.num[y], self.gamma.den), margins)
            t = np.maximum(target.num - margins.num, 0)
            slip = None if reach is None else reach @ nu.absolute()
            for group in self.groups[y]:
                xi = t[:, group].max(axis=1)
                cost = self.cost.num[rows]
                total += self._phi(cost, xi, target.den)
                if slip is not None:
                    error = Fraction(int(slip.num[group].max()), slip.den)
                    mass = Fraction(int(cost.sum()), self.cost.den)
                    moved = Fraction(int((cost * xi).sum()), self.cost.den * target.den)
                    smooth = 2 * moved * error + mass * error**2
                    radius += (
                        smooth if self.quadratic else mass * error
                    )  # the others' slope is <= 1
        return Ball(total, radius)

    def _phi(self, cost: Any, xi: Any, den: int) -> Fraction:
        """sum C phi(xi / den), C the integers ``cost`` over this problem's denominator."""
        h, over = self.width, self.cost.den
        if not h:
            return Fraction(int((cost * xi).sum()), over * den)
        steep = (xi * h.denominator >= h.numerator * den) & (not self.quadratic)
        square = Fraction(int(np.where(steep, 0, cost * xi**2).sum()), over * den**2) / (2 * h)
        line = Fraction(int(np.where(steep, cost * xi, 0).sum()), over * den)
        return square + line - h * Fraction(int(np.where(steep, cost, 0).sum()), 2 * over)

    def expansion(self, alpha: Scaled) -> Scaled:
        """A[i,m] = sum_p alpha[i,p] (Pi nu)[y_i,p,m]."""
        out = np.zeros((self.n, self.d), dtype=object)
        nu = self.projected
        for y in range(self.d):
            rows = np.flatnonzero(self.y == y)
            if len(rows):
                out[rows] = alpha.num[rows] @ nu.num[y]
        return Scaled(out, alpha.den * nu.den)

    def dual(self, alpha: Scaled) -> Ball:
        """D(alpha); a bound of the optimum only where ``dual_feasible``."""
        A = self.expansion(alpha)
        mass = self.gram.gathered(A)
        square = mass.dot(self.gram.values @ mass)
        radius = _square(mass.absolute()) * self.gram.radius
        if self.bias == "penalized":
            b = Scaled(A.num.sum(axis=0), A.den)
            square += b.dot(b)
        gain = alpha.dot(Scaled(self.gamma.num[self.y], self.gamma.den))
        return Ball(gain - square / 2 - self._conjugate(alpha), radius / 2)

    def _conjugate(self, alpha: Scaled) -> Fraction:
        if not self.width:
            return Fraction(0)
        total = Fraction(0)
        for i, cost in enumerate(self.costs):
            for group in self.groups[self.y[i]]:
                if cost:
                    total += Fraction(int(alpha.num[i, group].sum()) ** 2) / (2 * cost)
        return self.width * total / alpha.den**2

    def dual_feasible(self, alpha: Scaled) -> bool:
        """alpha >= 0, 0 off the components that count or cost, group sums <= C_i, and the equality of a free bias."""
        if (alpha.num < 0).any():
            return False
        for i, cost in enumerate(self.costs):
            counted = [p for group in self.groups[self.y[i]] for p in group]
            if any(alpha.num[i, p] for p in range(self.d) if p not in counted or not cost):
                return False
            if not self.quadratic and any(
                int(alpha.num[i, group].sum()) > cost * alpha.den
                for group in self.groups[self.y[i]]
            ):
                return False
        return self.bias != "free" or not self.expansion(alpha).num.sum(axis=0).any()

    def primal_feasible(self, point: Weights) -> bool:
        """sum_c w_c = 0 and sum_c b_c = 0 as handed in, where they are required; no bias where there is none."""
        if self.bias == "none" and point.b.num.any():
            return False
        if not self.sum_to_zero:
            return True
        return not point.b.num.sum() and self.tilt(point).high == 0

    def tilt(self, point: Weights) -> Ball:
        """||sum_c w_c||^2 as handed in."""
        if point.W is not None:
            rows = Scaled(point.W.num.sum(axis=1), point.W.den)
            return Ball(rows.dot(rows))
        assert point.coef is not None, "a primal candidate has W or coef"
        return self._energy(Scaled(point.coef.num.sum(axis=1, keepdims=True), point.coef.den))

    def size(self, point: Weights) -> Ball:
        """||W||^2 as handed in."""
        return self.image(point)[1]

    def distance(self, one: Weights, other: Weights) -> Ball:
        """||W - W'||^2 of two points in the same form."""
        if one.W is not None and other.W is not None:
            gap = one.W - other.W
            return Ball(gap.dot(gap))
        assert one.coef is not None, "both points need coefficients"
        assert other.coef is not None, "both points need coefficients"
        return self._energy(one.coef - other.coef)

    def _energy(self, coef: Scaled) -> Ball:
        mass = self.gram.gathered(coef)
        return Ball(mass.dot(self.gram.values @ mass), _square(mass.absolute()) * self.gram.radius)

    def weights(self, alpha: Scaled, b: Scaled, linear: bool) -> Weights:
        """(W_alpha, b): as W for a linear kernel, else as coefficients."""
        A = self.expansion(alpha)
        if not linear:
            return Weights(b, coef=A)
        points = self.gram.points
        return Weights(b, W=Scaled(points.num.T, points.den) @ self.gram.gathered(A))


def _width(cost: str) -> Fraction:
    """h of a cost by its name: a fraction as it stands, a decimal as its float64."""
    if cost in ("linear", "quadratic", "huber"):
        return {"linear": Fraction(0), "quadratic": Fraction(1, 2), "huber": Fraction(1)}[cost]
    text = cost.removeprefix("huber(").removesuffix(")")
    return Fraction(float(text)) if set(text) & set(".e") else Fraction(text)


def _groups(aggregation: Any, y: int, d: int) -> list[list[int]]:
    """The components that count for class y, one list for each slack."""
    counted = {"self": [y], "others": [c for c in range(d) if c != y], "all": list(range(d))}
    components = counted[aggregation.components]
    return [components] if aggregation.slack == "shared" else [[p] for p in components]


def _square(mass: Scaled) -> Fraction:
    """sum_c (sum_m |mass_mc|)^2"""
    columns = Scaled(mass.num.sum(axis=0), mass.den)
    return columns.dot(columns)
