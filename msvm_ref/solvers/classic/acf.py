"""Adaptive coordinate frequencies (Glasmachers, Dogan, "Accelerated Coordinate Descent with Adaptive Coordinate
Frequencies", ACML 2013) for the linear dual, a coordinate being one example's block of multipliers.

    step on block i      alpha_i <- its optimum, the others fixed; W <- W + x_i (A_i^new - A_i)';   Delta = the dual's gain
    preference           p_i <- clip(p_i exp(c (Delta / r - 1)), p_min, p_max),   c = 1/5, p_min = 1/20, p_max = 20
    average gain         r <- (1 - eta) r + eta Delta,   eta = 1/n
    schedule             a_i <- a_i + n p_i / sum p;   floor(a_i) visits of i, a_i <- a_i - floor(a_i);   shuffled

A block that gains more than the average is visited more often. The first schedule visits every example once and only
measures r. A schedule holds about n visits; the frequencies are p_i / sum p. One that gains nothing is followed by a
uniform one; where that gains nothing either, no block has a better step in float64.

The visits are those of ``fast.linear_engine`` (closed forms; coordinate ascent for margins of no known shape), so every
machine and cost is taken; for WW and CS their paper iterates within the block instead. The run ends
where no KKT condition of any example is violated by more than the precision.
"""

from __future__ import annotations

import math

import numpy as np

from msvm_ref.errors import DataError
from msvm_ref.model.arrays import Array
from msvm_ref.model.problem import Problem
from msvm_ref.solvers.classic.drive import (
    Run,
    natural_number,
    own_rule,
    positive_integer,
    sliced,
    until_certified,
)
from msvm_ref.solvers.classic.kesler import Index
from msvm_ref.solvers.compiled import njit
from msvm_ref.solvers.deadline import Deadline
from msvm_ref.solvers.fast.blocks import blocks
from msvm_ref.solvers.fast.linear_engine import LinearEngine
from msvm_ref.solvers.solution import Solution

CHANGE = 1 / 5
LEAST, MOST = 1 / 20, 20.0
"""c, p_min and p_max of the paper."""
STANDSTILL = 1e-22
"""A schedule that gains less of the dual than this gains nothing. (A step's own gain is seen far below the dual's rounding.)"""


def solve_acf(
    problem: Problem,
    *,
    tolerance: float,
    seed: int = 0,
    max_sweeps: int = 100_000,
    max_seconds: float = math.inf,
    epsilon: float | None = None,
) -> Solution:
    """ACF-CD; for every machine and cost, a linear kernel, bias none or penalized.

    A sweep is one schedule, about n visits. ``work`` has sweeps, visits, and inner products <w_c, x_i> as kernel_evaluations.
    ``epsilon`` stops at that KKT violation, whatever the gap.
    """
    refuse(problem)
    ascent = AdaptiveAscent(problem, np.random.default_rng(natural_number("seed", seed)))
    budget = positive_integer("max_sweeps", max_sweeps)
    deadline = Deadline.of("max_seconds", max_seconds)
    scale = float(abs(problem.spec.gamma).max()) or 1.0

    def advance(precision: float) -> Run:
        ascent.engine.refresh()

        def step(most: int) -> tuple[int, bool]:
            for sweep in range(most):
                if ascent.violation() <= precision * scale:
                    return sweep, True
                if not ascent.moved() and not ascent.moved(uniform=True):
                    return sweep, False
            return most, False

        _, met = sliced(step, budget - ascent.sweeps, deadline)
        return Run(ascent.alpha.copy(), ascent.work, met, not met and ascent.sweeps < budget)

    only = own_rule(epsilon, scale)
    return until_certified(problem, "acf", tolerance, deadline, advance, only)


def refuse(problem: Problem) -> None:
    """A typed error for what the linear dual without equality does not have."""
    if problem.bias == "free":
        raise DataError(
            "bias",
            "be 'none' or 'penalized' for method 'acf'",
            "'free'",
            "its equality ties the examples to each other, and no block can move alone",
        )
    if not problem.is_linear:
        raise DataError(
            "kernel",
            "be linear for method 'acf'",
            str(problem.kernel),
            "solve problem.on_factor(), the linear problem on the Gram's factor, or use method='fast'",
        )


class AdaptiveAscent:
    """The multipliers and W of the linear engine of ``fast``, every component in play, and the preferences."""

    def __init__(self, problem: Problem, random: np.random.Generator) -> None:
        self.problem, self.random = problem, random
        rho = 1.0 if problem.bias == "penalized" else 0.0
        self.engine = LinearEngine(problem, blocks(problem), rho)
        self.engine.omega = 1.0
        self.preference, self.due = np.ones(problem.n), np.zeros(problem.n)
        self.average, self.gained = np.zeros(1), 0.0
        self.sweeps = self.visits = self.checks = 0
        self.violation()

    @property
    def alpha(self) -> Array:
        return self.engine.alpha

    @property
    def work(self) -> dict[str, float]:
        products = self.engine.evaluations + self.checks * self.problem.n * self.problem.d
        return {"sweeps": self.sweeps, "visits": self.visits, "kernel_evaluations": products}

    def violation(self) -> float:
        """The largest KKT violation of any example."""
        self.checks += 1
        return self.engine.survey(np.inf)[-1]

    def moved(self, uniform: bool = False) -> bool:
        """One schedule; did it gain anything? The first is uniform and measures the average gain."""
        first = self.sweeps == 0
        everyone = uniform or first
        order = self.random.permutation(self.problem.n) if everyone else self.schedule()
        self.engine.violation = np.inf  # nobody leaves play
        self.engine.pass_over(order)
        gains = self.engine.gains
        gained = float(gains.sum())
        if first:
            self.average[0] = gained / self.problem.n
        else:
            adapt(self.preference, self.average, order, gains, CHANGE, 1.0 / self.problem.n)
        self.sweeps += 1
        self.visits += len(order)
        self.gained += gained
        return bool(gained > STANDSTILL * self.gained)

    def schedule(self) -> Index:
        """Each example as often as its preference says, remainders kept for the next time; about n of them."""
        self.due += self.problem.n * self.preference / self.preference.sum()
        times = np.floor(self.due)
        self.due -= times
        order = np.repeat(np.arange(self.problem.n), times.astype(np.int64))
        self.random.shuffle(order)
        return order


@njit(cache=True, error_model="numpy")
def adapt(
    preference: Array, average: Array, order: Index, gains: Array, change: float, eta: float
) -> None:
    """After each visit p_i by its gain against the average one, then the average."""
    for i, gain in zip(order, gains):  # noqa: B905
        if average[0] > 0.0:
            factor = np.exp(change * (gain / average[0] - 1.0))
            preference[i] = min(max(preference[i] * factor, LEAST), MOST)
        average[0] += eta * (gain - average[0])
