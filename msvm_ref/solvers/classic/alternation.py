"""A free bias by problem alternation: SMO without the equality (6) at a bias held fixed, then the bias, and again.

    phi(b) = max_alpha { sum (gamma - <nu, b>) alpha - 1/2 alpha'Q alpha } = min_W P(W, b)          convex in b
    -r(b),  r_c = sum_t alpha_t (Pi nu)_tc at the maximum,  is a subgradient of phi;  r = 0 is the equality (6), and optimality

Two ways to change b:

    "resilient"   b_c += step_c sign(r_c); step_c grows by 1.2 while the sign stays and halves when it changes (Rprop)
    "exact"       b = argmin_b P(W, b), a linear program with W fixed

UV (2.6) name Kienzle, Schoelkopf, "Training Support Vector Machines with Multiple Equality Constraints", ECML 2005, and give no
formula; this is the alternation in the words of UV, not that paper's text.

Where it fails. "exact" descends in W and in b by turns, which is no descent in (W, b) where P has a kink: the W step
leaves its free support vectors exactly on the margin, b is then optimal for that W over a whole interval, and nothing moves
any more although the optimum is elsewhere. That is the rule with the linear cost, not the exception.
"resilient" needs r: where alpha is not unique at the optimal b (a linear kernel with more multipliers on the margin than
features), the alpha that SMO finds there is not the one with r = 0, and r jumps across the optimum however small the step:
weights and bias are right, and no multipliers prove it. Four points on a line do (0, 1, 2, 3 with labels 0, 1, 0, 1, OVA).
Both end with converged=False and say so; the certificate has what the answer is worth. With the quadratic cost and own slacks
P is differentiable in b, alpha is unique, and both converge.
"""

from __future__ import annotations

import math
from typing import Literal

import numpy as np

from msvm_ref.errors import DataError
from msvm_ref.model.arrays import Array
from msvm_ref.model.loss import expansion, shift_free
from msvm_ref.model.problem import Problem
from msvm_ref.solvers.bias import optimal_bias
from msvm_ref.solvers.classic.drive import Run, positive_integer, until_certified
from msvm_ref.solvers.classic.shrinking import MET, STALLED
from msvm_ref.solvers.classic.uv_smo import Ascent
from msvm_ref.solvers.deadline import Deadline
from msvm_ref.solvers.solution import Solution

FASTER, SLOWER = 1.2, 0.5
FIRST_STEP, LAST_STEP = 0.1, 1e-13
"""Of the bias, in units of the largest target."""
FINE = 1e-8
"""The precision from which on a bias that stays is stuck, and not waiting for better weights."""
STUCK = {
    "resilient": "alternation stuck: the bias has no step left, and no multipliers keep the equality",
    "exact": "alternation stuck: the bias is optimal for the weights and they for the bias, but not together",
}


def solve_alternation(
    problem: Problem,
    *,
    tolerance: float,
    update: Literal["resilient", "exact"] = "resilient",
    working_set: int = 2,
    shrinking: bool = True,
    cache_mb: float = 256.0,
    max_alternations: int = 2000,
    max_iterations: int = 10_000_000,
    max_seconds: float = math.inf,
) -> Solution:
    """UV's way to a free bias; every machine and cost. It need not converge: see the module.

    ``work`` has the alternations, the iterations of SMO, the kernel evaluations, and the largest |r_c| left.
    """
    if problem.bias != "free":
        raise DataError(
            "bias",
            "be 'free' for method 'alternation'",
            repr(problem.bias),
            "without the equality (6) there is nothing to alternate: try method='uv-smo'",
        )
    if update not in STUCK:
        raise DataError("update", "be 'resilient' or 'exact'", repr(update))
    most, budget, deadline = (
        positive_integer("max_alternations", max_alternations),
        positive_integer("max_iterations", max_iterations),
        Deadline.of("max_seconds", max_seconds),
    )
    ascent = Ascent(problem, working_set, shrinking, cache_mb)
    bias = Bias(ascent, update)

    def advance(precision: float) -> Run:
        enough, words, stalled, met = precision * float(problem.costs.sum()), "", False, False
        while True:
            code = ascent.solve(precision, budget, deadline)
            residual = bias.residual()
            stalled = code == STALLED
            met = code == MET and (float(abs(residual).max()) <= enough or bias.settled(precision))
            if met or code not in (MET, STALLED) or deadline.passed:
                break
            if bias.alternations >= most:
                words = "max_alternations spent, and the equality is not kept"
                break
            if not bias.move(residual):
                met = update == "exact" and precision > FINE
                words = "" if met else STUCK[update]
                break
        work = {**ascent.work, "alternations": bias.alternations}
        bounds = {"residual": float(abs(residual).max())}
        return Run(ascent.multipliers, work, met, stalled, bounds, ascent.b.copy(), words)

    return until_certified(problem, "alternation", tolerance, deadline, advance)


class Bias:
    """b of an ``Ascent``, and how it is changed between two solves."""

    def __init__(self, ascent: Ascent, update: str) -> None:
        self.ascent, self.update, self.alternations = ascent, update, 0
        problem = self.problem = ascent.dual.problem
        self.step = np.full(problem.d, FIRST_STEP * ascent.dual.scale)
        self.before = np.zeros(problem.d)
        self.centred = problem.spec.sum_to_zero or shift_free(problem)

    def residual(self) -> Array:
        """r_c = sum_t alpha_t (Pi nu)_tc."""
        return np.asarray(expansion(self.problem, self.ascent.multipliers).sum(axis=0))

    def settled(self, precision: float) -> bool:
        """Are all steps below what SMO at this precision can tell apart?"""
        step = float(self.step.max())
        return self.update == "resilient" and step <= precision * self.ascent.dual.scale

    def move(self, residual: Array) -> bool:
        """Change b; False where it stays."""
        b = self._resilient(residual) if self.update == "resilient" else self._exact()
        b = b - b.mean() if self.centred else b
        moved = float(abs(b - self.ascent.b).max()) > LAST_STEP * self.ascent.dual.scale
        self.ascent.b = b
        self.alternations += 1
        return moved

    def _resilient(self, residual: Array) -> Array:
        sign = np.sign(residual)
        same = sign * self.before
        self.step *= np.where(same > 0, FASTER, np.where(same < 0, SLOWER, 1.0))
        self.before = sign
        return np.asarray(self.ascent.b + self.step * sign)

    def _exact(self) -> Array:
        alpha, problem = self.ascent.multipliers, self.problem
        scores = self.ascent.dual.rows.product(expansion(problem, alpha))
        return optimal_bias(problem, scores, alpha)
