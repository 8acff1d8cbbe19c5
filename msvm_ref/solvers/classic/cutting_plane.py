"""Cutting planes: n-slack (Tsochantaridis, Joachims, Hofmann, Altun, JMLR 6, 2005) and 1-slack (Joachims, Finley, Yu,
"Cutting-Plane Training of Structural SVMs", Machine Learning 77, 2009).

The loss of one example is the largest of finitely many affine functions of its scores f, one for each u in U:

    L(f, y) = max over u in U of sum_p u_p t_p,     t_p = gamma[y,p] - <(Pi nu)[y,p], f>
    shared slack (CS)   U = {0, e_1, ..., e_d}: the most violated constraint is the class of the largest t_p > 0
    own slacks (WW)     U = {0,1}^d: a constraint for every *set* of classes, the most violated set is {p : t_p > 0}

(on the components that count). So WW with its d - 1 slacks an example has one slack and 2^(d-1) constraints here, of which
the cutting planes find the few that matter. With U_i = C_i u_i the two formulations are

    n-slack   min 1/2 ||W||^2 + sum_i xi_i   s.t.  xi_i >= <U_i, t_i> for every i and u_i          (n families)
    1-slack   min 1/2 ||W||^2 + xi           s.t.  xi >= sum_i <U_i, t_i> for every (u_1, ..., u_n)     (one)

    1. solve the problem with the constraints of the working set (``master``);
    2. find each family's most violated constraint at that W; add it where it is violated by more than epsilon, in the
       units of the target (1-slack: of the target times sum_i C_i);
    3. stop when none was added. A constraint whose multiplier was 0 in the last ``PATIENCE`` masters is dropped.

Tsochantaridis et al. solve again after each constraint of step 2, here (as in their software) after a pass over all
examples. The multipliers of the constraints are worth alpha = sum_k lambda_k U_k in the machine's own dual, feasible as they
are. Any convex combination of constraints is one: a start is the single constraint U = alpha (1-slack) or one an example.
"""

from __future__ import annotations

import math
from typing import Literal

import numpy as np

from msvm_ref.errors import DataError, SpecError
from msvm_ref.model.arrays import Array
from msvm_ref.model.loss import clipped, violations
from msvm_ref.model.problem import Problem
from msvm_ref.solvers.classic.drive import Run, positive_integer, until_certified
from msvm_ref.solvers.classic.master import FINEST, solve_master
from msvm_ref.solvers.classic.planes import NSlack, OneSlack, Planes
from msvm_ref.solvers.deadline import Deadline
from msvm_ref.solvers.solution import Solution

PATIENCE = 20


def solve_cutting_plane(
    problem: Problem,
    *,
    tolerance: float,
    slack: Literal["1", "n"] = "1",
    start: Solution | None = None,
    max_iterations: int = 5_000,
    max_seconds: float = math.inf,
) -> Solution:
    """Cutting planes; for every machine with linear cost, any kernel (through its Gram), bias none or penalized.

    ``slack`` is the formulation. ``start``, a Solution with as many examples and classes, is the first constraint. An
    iteration is one master problem; ``work`` has how many, the constraints found, and those in the last working set.
    """
    _refuse(problem, slack, start)
    budget = positive_integer("max_iterations", max_iterations)
    deadline = Deadline.of("max_seconds", max_seconds)
    planes: Planes = (NSlack if slack == "n" else OneSlack)(problem)
    if start is not None:
        U = clipped(problem, start.alpha * (problem.C / start.problem.C))
        planes.add(U, np.ones(problem.n, dtype=bool))
    method = CuttingPlanes(problem, planes, max(tolerance / 10, FINEST))

    def advance(precision: float) -> Run:
        met, stalled = False, False
        while not (met or stalled or method.masters >= budget or deadline.passed):
            met, stalled = method.step(precision, deadline)
        return Run(method.alpha, method.work, met, stalled, backend=method.backend)

    return until_certified(problem, "cutting-plane", tolerance, deadline, advance)


class CuttingPlanes:
    """The working set, the last master's multipliers, and what they make of alpha and the scores."""

    def __init__(self, problem: Problem, planes: Planes, accuracy: float) -> None:
        self.problem, self.planes, self.accuracy = problem, planes, accuracy
        self.unit = float(abs(problem.spec.gamma).max()) or 1.0
        self.alpha, self.scores = np.zeros((problem.n, problem.d)), np.zeros((problem.n, problem.d))
        self.masters, self.found, self.backend = 0, len(planes), "none"
        self.solved = len(planes) == 0
        """Is the working set the one alpha belongs to?"""

    @property
    def work(self) -> dict[str, float]:
        return {
            "iterations": self.masters,
            "constraints": self.found,
            "working_set": len(self.planes),
        }

    def step(self, epsilon: float, deadline: Deadline) -> tuple[bool, bool]:
        """The master, then the most violated constraints. (none violated by more than epsilon, nothing left to do).

        Where all that is violated is in the working set already, the master's rounding is to blame: it is solved again,
        for more digits, as long as it has any to give.
        """
        if not self.solved:
            self._solve(deadline)
        worst = most_violated(self.problem, self.scores)
        over = self.planes.violation(worst, self.scores) > epsilon * self.unit
        if not over.any():
            return True, False
        added = self.planes.add(worst, over)
        self.found += added
        exhausted = added == 0 and self.accuracy <= FINEST
        if added == 0:
            self.accuracy = max(self.accuracy / 100, FINEST)
        self.solved = exhausted
        return False, exhausted

    def _solve(self, deadline: Deadline) -> None:
        planes = self.planes
        multipliers, self.backend = solve_master(
            planes.hessian, planes.delta, planes.family, self.accuracy, deadline
        )
        self.masters += 1
        self.alpha, self.scores = planes.combined(multipliers)
        planes.drop_idle(multipliers, PATIENCE)
        self.solved = True


def most_violated(problem: Problem, scores: Array) -> Array:
    """(n x d) C_i u_i of the constraint with the largest <u_i, t_i>: a set of components, or one of them, or none."""
    t = violations(problem, scores)
    if problem.spec.shared:
        chosen = (np.arange(problem.d) == t.argmax(axis=1)[:, None]) & (t > 0)
    else:
        chosen = t > 0
    return np.where(chosen, problem.costs[:, None], 0.0)


def _refuse(problem: Problem, slack: str, start: Solution | None) -> None:
    if slack not in ("1", "n"):
        raise DataError("slack", "be '1' or 'n'", repr(slack))
    if problem.machine.cost != "linear":
        raise SpecError(
            "cost",
            "be 'linear' for method 'cutting-plane'",
            repr(problem.machine.cost),
            "the loss is the largest of affine functions; try method='fast' or 'dual'",
        )
    if problem.bias == "free":
        raise DataError(
            "bias",
            "be 'none' or 'penalized' for method 'cutting-plane'",
            "'free'",
            "structural SVMs have no bias but a constant feature: pass bias='penalized'",
        )
    if start is not None and (
        not isinstance(start, Solution) or start.alpha.shape != (problem.n, problem.d)
    ):
        raise DataError(
            "start", "be a Solution with as many examples and classes", repr(start)[:80]
        )
