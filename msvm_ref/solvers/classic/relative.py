"""Hsu and Lin's problems as ours, by the general form in nu: kappa (f_y - f_c) >= gamma - xi  is  (g_y - g_c) >= margin - xi'.

    g = f margin kappa / gamma, xi' = xi margin / gamma, C' = C / units, alpha = units alpha', units = gamma / (margin kappa^2)

with margin 2 in HL (4) and (9), 1 in HL (16). For WW and CS (kappa = 1/2, gamma = 1): C' = C/2, alpha = 2 alpha' and C' = C/4,
alpha = 4 alpha', the maps of ``conventions.HL9`` and ``HL16``. What kind of machine it is gets read off Pi nu, never off its
name (with two classes some absolute machines with sum-to-zero are relative too).
HL = Hsu, Lin, "A Comparison of Methods for Multiclass Support Vector Machines", IEEE TNN 13 (2002).
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from msvm_ref.errors import DataError, SpecError
from msvm_ref.model.arrays import Array
from msvm_ref.model.problem import Bias, Problem


class Relative:
    """A problem with Pi nu = kappa (e_y - e_c), one target gamma > 0, the rivals counting, in the units of a given margin."""

    def __init__(
        self,
        problem: Problem,
        method: str,
        paper: str,
        margin: int,
        shared: bool,
        biases: tuple[Bias, ...],
    ) -> None:
        self.problem = problem
        what = f"{paper} (method {method!r})"
        if problem.bias not in biases:
            raise DataError(
                "bias", f"be {' or '.join(map(repr, biases))} for {what}", repr(problem.bias)
            )
        if problem.machine.cost != "linear":
            raise SpecError(
                "cost",
                f"be 'linear' for {what}",
                repr(problem.machine.cost),
                "try method='m1-smo' (own slacks) or 'dual'",
            )
        aggregation = problem.machine.aggregation
        if aggregation.components != "others" or (aggregation.slack == "shared") != shared:
            accepted = "others-max" if shared else "others-sum"
            raise SpecError("aggregation", f"be {accepted} for {what}", aggregation.name)
        kappa, gamma = _kappa(problem, what), _gamma(problem, what)
        self.units = float(gamma / (margin * kappa**2))
        """alpha = units alpha',  C = units C'."""
        self.objective_units = float((gamma / (margin * kappa)) ** 2)
        """P = objective_units P', since f = g gamma / (margin kappa)."""

    @property
    def costs(self) -> Array:
        """C'_i."""
        return self.problem.costs / self.units


def _kappa(problem: Problem, what: str) -> Fraction:
    nu, d = problem.machine.projected_nu(problem.d), problem.d
    kappa: Fraction = nu[0][1][0]
    for y in range(d):
        for c in range(d):
            difference = [kappa * ((m == y) - (m == c)) for m in range(d)]
            if c != y and (kappa <= 0 or list(nu[y][c]) != difference):
                raise SpecError(
                    "margin",
                    f"be relative, kappa (f_y - f_c), for {what}",
                    f"{problem.machine.margin_name} with nu[{y},{c}] = {_row(nu[y][c])}",
                )
    return kappa


def _gamma(problem: Problem, what: str) -> Fraction:
    table, d = problem.machine.gamma(problem.d), problem.d
    targets = {table[y][c] for y in range(d) for c in range(d) if c != y}
    if len(targets) > 1 or min(targets) <= 0:
        raise SpecError(
            "target", f"be one positive number for {what}", ", ".join(map(str, sorted(targets)))
        )
    return Fraction(targets.pop())


def _row(row: Any) -> str:
    return f"({', '.join(map(str, row))})"
