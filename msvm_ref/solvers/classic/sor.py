"""Successive over-relaxation for the single-class SVM (Mangasarian, Musicant 1999; named as a follow-up in FH section 5).

    alpha_t <- clip(alpha_t + omega g_t / (k'_tt + ridge_t), 0, C_t),   t = 1 ... N in turn, each with the newest others

0 < omega < 2; omega = 1 is Gauss-Seidel. A penalized bias makes the dual box-constrained, which is what SOR needs; their
convergence (linear) is proved for that case. The sweep ends the run when no pair violated its KKT condition by more than
the precision when its turn came.
"""

from __future__ import annotations

import math

import numpy as np

from msvm_ref.errors import DataError
from msvm_ref.model.arrays import Array, real_number
from msvm_ref.model.problem import Problem
from msvm_ref.solvers.classic.drive import Run, positive_integer, sliced, until_certified
from msvm_ref.solvers.classic.kesler import Index, single_class
from msvm_ref.solvers.classic.m1_smo import inner, move
from msvm_ref.solvers.compiled import njit
from msvm_ref.solvers.deadline import Deadline
from msvm_ref.solvers.solution import Solution


def solve_sor(
    problem: Problem,
    *,
    tolerance: float,
    omega: float = 1.3,
    max_sweeps: int = 200_000,
    max_seconds: float = math.inf,
) -> Solution:
    """SOR; for every machine with own slacks, bias none or penalized, linear or quadratic cost."""
    relaxation = real_number(omega)
    if relaxation is None or not 0 < relaxation < 2:
        raise DataError(
            "omega",
            "lie strictly between 0 and 2",
            repr(omega),
            "outside, the sweeps need not converge",
        )
    single, budget = single_class(problem, "sor"), positive_integer("max_sweeps", max_sweeps)
    deadline = Deadline.of("max_seconds", max_seconds)
    diagonal, scale = single.diagonal(), float(abs(single.target).max(initial=0.0)) or 1.0
    alpha, sweeps = np.zeros(len(single.owner)), 0

    def advance(precision: float) -> Run:
        nonlocal sweeps
        F, damped = single.scores(alpha), diagonal / relaxation

        def step(most: int) -> tuple[int, bool]:
            return sor_sweeps(
                single.kernel.extended,
                single.owner,
                single.rows,
                single.target,
                single.upper,
                single.ridge,
                damped,
                alpha,
                F,
                precision * scale,
                most,
            )

        spent, met = sliced(step, budget - sweeps, deadline)
        sweeps += spent
        return Run(single.scatter(alpha), {"sweeps": sweeps}, met)

    return until_certified(problem, "sor", tolerance, deadline, advance)


@njit(cache=True)
def sor_sweeps(
    K: Array,
    owner: Index,
    rows: Array,
    target: Array,
    upper: Array,
    ridge: Array,
    damped: Array,
    alpha: Array,
    F: Array,
    precision: float,
    budget: int,
) -> tuple[int, bool]:
    """Sweeps until one meets the precision; ``damped`` is the diagonal over omega. (sweeps, precision met)."""
    for sweep in range(budget):
        worst = 0.0
        for t in range(len(alpha)):
            g = target[t] - ridge[t] * alpha[t] - inner(rows, t, F, owner[t])
            if (g > 0.0 and alpha[t] < upper[t]) or (g < 0.0 and alpha[t] > 0.0):
                worst = max(worst, abs(g))
                move(K, owner[t], rows, t, upper[t], damped[t], alpha, F, g)
        if worst <= precision:
            return sweep + 1, True
    return budget, False
