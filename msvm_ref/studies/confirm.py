"""UV's Theorems 8 and 9 held against the truth solver: what regimes.py says exactly, certified solutions must bear out.

* alpha = C optimal (C <= C*): its exact dual value lies within the certificate's enclosure of the optimum, and the
  solution's scores are the density estimate's up to the certificate's distance bound;
* alpha = C not optimal (C > C*): its exact dual value lies strictly below the certified lower bound;
* w* = 0 on one point: the solution's scores vanish up to the distance bound, at every C.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from msvm_ref.model.machine import Machine
from msvm_ref.model.problem import Problem
from msvm_ref.solvers.methods import solve
from msvm_ref.studies.regimes import kde_coef, kde_regime, one_point, one_point_problem

ROUNDING = 1e-11
"""Relative room for the float64 values of C and of the enclosure, which the exact side does not share."""


@dataclass(frozen=True)
class Confirmation:
    """One solve: what theory says of this C (``claims``), and whether the certified solution agrees (``borne_out``)."""

    machine: str
    C: float
    claims: bool
    exact_value: Fraction
    lower: float
    upper: float
    score_distance: float
    distance_bound: float
    borne_out: bool

    def to_dict(self) -> dict[str, Any]:
        return {**self.__dict__, "exact_value": str(self.exact_value)}


def confirm_theorem8(
    problem: Problem, shares: Sequence[float] = (0.5, 0.999, 1.001, 1.5)
) -> tuple[Confirmation, ...]:
    """Solve at UV's C = 1/(d l) and at the given shares of the sharp C* (a kernel matrix with k(x, x) <= 1 is assumed)."""
    regime = kde_regime(problem)
    top = float(regime.paper) if regime.sharp is None else float(regime.sharp)
    confirmations = []
    for C in (float(regime.paper), *(top * share for share in shares)):
        at = problem.with_C(C)
        solution = solve(at)
        claims, value, certificate = regime.holds(C), regime.value(C), solution.certificate
        distance = float(np.abs(solution.decision_function(at.X) - at.gram @ kde_coef(at)).max())
        room = ROUNDING * certificate.upper
        within = certificate.lower - room <= float(value) <= certificate.upper + room
        near = distance <= certificate.distance_bound + ROUNDING
        borne_out = within and near if claims else float(value) < certificate.lower - room
        confirmations.append(
            Confirmation(
                problem.machine.name,
                C,
                claims,
                value,
                certificate.lower,
                certificate.upper,
                distance,
                certificate.distance_bound,
                borne_out,
            )
        )
    return tuple(confirmations)


def confirm_theorem9(
    machine: Machine, counts: Sequence[int], costs: Sequence[float]
) -> tuple[Confirmation, ...]:
    """Solve the one-point problem with counts[y] examples of class y at each C; the claim is w* = 0."""
    total = sum(counts)
    claims = one_point(machine, [Fraction(n, total) for n in counts]).zero
    confirmations = []
    for C in costs:
        problem = one_point_problem(machine, counts, C)
        solution = solve(problem)
        certificate = solution.certificate
        at_zero = Fraction(C) * sum(
            (n * _loss_at_zero(machine, len(counts), y) for y, n in enumerate(counts)), Fraction(0)
        )
        size = float(np.abs(solution.W).max())
        vanishes = size <= certificate.distance_bound + ROUNDING
        confirmations.append(
            Confirmation(
                machine.name,
                C,
                claims,
                at_zero,
                certificate.lower,
                certificate.upper,
                size,
                certificate.distance_bound,
                vanishes == claims,
            )
        )
    return tuple(confirmations)


def _loss_at_zero(machine: Machine, d: int, y: int) -> Fraction:
    counts, gamma = machine.aggregation.mask(d), machine.gamma(d)
    slack = [max(Fraction(0), gamma[y][c]) for c in range(d) if counts[y, c]]
    return max(slack) if machine.aggregation.slack == "shared" else sum(slack, Fraction(0))
