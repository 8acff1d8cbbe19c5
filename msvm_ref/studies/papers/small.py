"""Small data and exact optima: the laboratory of the ledger.

Every point has dyadic coordinates, so float64 holds it exactly, and an optimum is a rational that ``exact/check.py``
proved. The finder starts from zero: no solver has a say in any of these numbers.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np

from msvm_ref.exact.optimum import ExactOptimum, prove_optimum
from msvm_ref.judge.candidate import Candidate
from msvm_ref.model.cost import Cost
from msvm_ref.model.machine import OTHERS_SUM, Aggregation, Machine, Margin, Target
from msvm_ref.model.problem import Bias, Problem

Rationals = Any
"""An array of Fractions (dtype object): +, *, @ and == are exact."""


@dataclass(frozen=True)
class Points:
    """A training set; ``grid`` are its coordinates times ``unit``, a power of two."""

    name: str
    grid: tuple[tuple[int, ...], ...]
    y: tuple[int, ...]
    d: int
    unit: int = 2

    @property
    def n(self) -> int:
        return len(self.y)

    @property
    def X(self) -> Rationals:
        return rationals(self.grid) / self.unit

    @property
    def gram(self) -> Rationals:
        return self.X @ self.X.T

    def problem(self, machine: Machine, C: Any = 1, bias: Bias = "none") -> Problem:
        return Problem(
            machine,
            np.array(self.grid) / self.unit,
            np.array(self.y),
            C=float(C),
            bias=bias,
            n_classes=self.d,
        )

    def of_class(self, c: int) -> Points:
        """The examples of class c alone (the other classes are absent)."""
        kept = [i for i in range(self.n) if self.y[i] == c]
        return Points(
            f"{self.name}/{c}",
            tuple(self.grid[i] for i in kept),
            tuple(self.y[i] for i in kept),
            self.d,
            self.unit,
        )

    def shrunk(self, factor: int) -> Points:
        return replace(self, name=f"{self.name} / {factor}", unit=self.unit * factor)


TWO = Points("two classes", ((2, 1), (1, -1), (-1, 2), (-2, -1), (1, 3)), (0, 1, 1, 0, 1), 2)
SIX = Points(
    "six points", ((2, 1), (1, -1), (-1, 2), (-2, -1), (1, 3), (-1, -2)), (0, 1, 2, 0, 1, 2), 3
)
UNEVEN = Points(
    "uneven", ((3, 1), (2, -1), (1, 2), (-2, 3), (-1, 1), (-2, -3)), (0, 0, 0, 1, 1, 2), 3
)
CLASH = Points("clash", ((2, 0), (2, 0), (0, 2), (-2, -2), (0, 2)), (0, 1, 1, 2, 2), 3)
FOUR = Points(
    "four classes", ((3, 1), (-1, 2), (-2, -2), (2, -3), (1, 1), (-3, 1)), (0, 1, 2, 3, 1, 0), 4
)
SETS = (SIX, UNEVEN, CLASH, FOUR)


DIFFERENCE = Margin("difference", Fraction(0), Fraction(1), Fraction(-1))
"""f_y - f_c, without the half of the relative margin."""


def difference_machine(
    margin: int, operator: Aggregation = OTHERS_SUM, cost: Cost = "linear"
) -> Machine:
    """[margin - (f_y - f_c)]_+ over the rivals, summed or the largest: how HL, FH, ZDO and NP write WW and CS."""
    target = Target(Fraction(margin), Fraction(margin))
    return Machine(
        f"{operator.name} of [{margin} - (f_y - f_c)]_+", DIFFERENCE, operator, target, cost=cost
    )


def require(condition: Any, what: str) -> None:
    """A step of a proof: unlike ``assert`` it is taken under ``python -O`` too."""
    if not condition:
        raise AssertionError(f"expected: {what}")


def rationals(values: Any) -> Rationals:
    """An object array of Fractions from nested numbers (floats are the dyadic rationals they are)."""
    raw: Any = np.asarray(values, dtype=object)
    out = np.empty(raw.shape, dtype=object)
    for index in np.ndindex(raw.shape):
        out[index] = Fraction(raw[index])
    return out


@cache
def exact(
    machine: Machine, points: Points, C: Fraction | int = 1, bias: Bias = "none"
) -> ExactOptimum:
    """The proved optimum; C must be dyadic."""
    problem = points.problem(machine, C, bias)
    require(Fraction(problem.C) == C, "a dyadic C")
    width = problem.features.shape[1]
    return prove_optimum(
        problem,
        Candidate(np.zeros((width, points.d)), np.zeros(points.d), np.zeros((points.n, points.d))),
    )


def weights(optimum: ExactOptimum) -> tuple[Rationals, Rationals, Rationals]:
    """(W, b, alpha) as arrays of Fractions."""
    return rationals(optimum.W), rationals(optimum.b), rationals(optimum.alpha)


def counting(machine: Machine, points: Points) -> Iterator[tuple[int, int]]:
    """Pairs (i, p) that count."""
    mask = machine.aggregation.mask(points.d)
    return ((i, p) for i in range(points.n) for p in range(points.d) if mask[points.y[i], p])


def loss(machine: Machine, d: int, f: Any, y: int) -> Fraction:
    """L(f, y) = Delta(v, y) with v_c = [gamma - sum_m nu f_m]_+, straight from UV's Definitions 1 to 4."""
    nu, gamma, mask = machine.nu(d), machine.gamma(d), machine.aggregation.mask(d)
    v = [
        max(
            Fraction(0),
            gamma[y][c] - sum((a * b for a, b in zip(nu[y][c], f, strict=True)), Fraction(0)),
        )
        for c in range(d)
        if mask[y, c]
    ]
    return max(v) if machine.aggregation.slack == "shared" else sum(v, Fraction(0))


def primal_value(
    machine: Machine, points: Points, C: Any, W: Rationals, b: Rationals, bias: Bias = "none"
) -> Fraction:
    """UV (3): 1/2 ||W||^2 [+ 1/2 ||b||^2] + C sum_i L(f(x_i), y_i)."""
    scores = points.X @ W + b
    norm = (W * W).sum() + ((b * b).sum() if bias == "penalized" else 0)
    total: Fraction = norm / 2 + C * sum(
        loss(machine, points.d, scores[i], points.y[i]) for i in range(points.n)
    )
    return total


def box_optimal(
    Q: Rationals,
    gain: Rationals,
    upper: Any,
    alpha: Rationals,
    free: Rationals | None = None,
    multiplier: Any = 0,
) -> bool:
    """Is alpha a maximiser of gain'alpha - 1/2 alpha'Q alpha over 0 <= alpha [<= upper] [free'alpha = 0]? By KKT.

    For PSD Q the conditions are sufficient: gradient (minus multiplier times free) <= 0 where alpha = 0, >= 0 where alpha
    = upper, and 0 between.
    """
    if free is not None and (free * alpha).sum() != 0:
        return False
    slope = gain - Q @ alpha - (0 if free is None else multiplier * free)
    for a, g in zip(alpha, slope, strict=True):
        if a < 0 or (upper is not None and a > upper):
            return False
        if (g > 0 and (upper is None or a < upper)) or (g < 0 and a > 0):
            return False
    return True


def proportional(A: Rationals, B: Rationals) -> bool:
    """A = t B for some t > 0, exactly (both zero counts)."""
    a, b = list(A.ravel()), list(B.ravel())
    pivot = next((k for k, v in enumerate(b) if v), None)
    if pivot is None:
        return not any(a)
    t = a[pivot] / b[pivot]
    return t > 0 and all(u == t * v for u, v in zip(a, b, strict=True))
