"""Where an ascent stands, by the engine's own floats."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from msvm_ref.model.arrays import Array
from msvm_ref.model.loss import expansion
from msvm_ref.model.problem import Problem
from msvm_ref.solvers.fast.blocks import OWN, Blocks
from msvm_ref.solvers.fast.engine import Engine


@dataclass(frozen=True)
class Reached:
    """P at (W, b), or at W = 0 where that is less, and the largest violation.

    The gap is that over the (augmented) dual, with and without what sum_i A_i may cost.
    """

    primal: float
    gap: float
    inner_gap: float
    cost: float
    violation: float

    @property
    def dual(self) -> float:
        return self.primal - self.inner_gap

    @property
    def worth(self) -> float:
        """A lower bound on the optimum, or the size of one."""
        return max(self.dual, 1e-3 * self.primal)

    @property
    def relative(self) -> float:
        return self.gap / max(self.primal, 1e-300)


def standing(engine: Engine, machine: Blocks, free: bool) -> Reached:
    loss, gain, inner, violation = engine.survey()
    engine.violation = violation
    primal, gap, cost, dual = inner / 2 + loss, inner + loss - gain, 0.0, gain - inner / 2
    if free:
        r = engine.A.sum(axis=0)
        b = engine.b0 + engine.rho * r
        primal, dual = primal - float(b @ r) / 2, dual - float(b @ r) / 2
        cost = float(abs(r) @ (2 * abs(b) + abs(machine.gamma).max() + engine.rho * abs(r)))
        # the equality, as what b would still move by
        violation = max(violation, float(engine.rho * abs(r).max()))
    if dual <= engine.nothing < primal:
        primal, gap = engine.nothing, engine.nothing - dual
    return Reached(primal, gap + cost, gap, cost, violation)


def dual_value(
    problem: Problem, engine: Engine, machine: Blocks, alpha: Array, effect: Array
) -> float:
    """The augmented dual at alpha, whose scores differ by ``effect`` from the engine's."""
    y, cost = problem.y, engine.cost[:, None]
    value = float((machine.gamma[y] * alpha).sum())
    if machine.width:
        total = alpha if machine.slack == OWN else alpha.sum(axis=1, keepdims=True)
        square = machine.width * total**2
        value -= float(np.divide(square, 2 * cost, out=np.zeros_like(total), where=cost > 0).sum())
    A = expansion(problem, alpha)
    value -= float((A * (engine.scores + effect)).sum()) / 2
    return value - float(engine.b0 @ A.sum(axis=0)) / 2
