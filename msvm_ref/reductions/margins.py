"""The margin between two groups of classes, enclosed by certificates.

    soft  m_C(G, H) = 1 / sqrt(V_C),   V_C = min ||w||^2 [+ b^2] + 2C sum xi^q  (twice the binary objective of ``samples``)
    hard  m(G, H)   = max_{||w|| = 1, b} min_i t_i (<w, phi(x_i)> + b)      half the width of the widest empty slab

Leaving examples out cannot raise V_C, so m_C(G, H) <= m_C(g, h) for g in G, h in H: a group margin is at most each of its
pair margins, for every C. The hard margin is the limit: V_C <= 1/m^2 always (w/m with xi = 0 is feasible), with equality for
2C >= 2/m^2, the sum of the hard problem's multipliers (half of that under a free bias, where the two sides hold equal sums).

What is certified. Soft: the judge's lower <= V_C <= upper. Hard: from above, m <= 1/sqrt(lower) whatever C was used;
from below, m >= min_i t_i h(x_i) / ||w|| for the separating (w, b) in hand, evaluated with its rounding subtracted. No claim
rests on C having been large enough: if it was not, the interval is wide. Where no separating plane was found the lower end is
0, which is true of any data; C is raised until the upper end has shrunk to FLAT times half the distance of the closest pair.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from msvm_ref.judge.image import image_of_coef, image_of_weights
from msvm_ref.model.problem import Problem
from msvm_ref.reductions.binary import BinarySVM, Solve, train
from msvm_ref.reductions.samples import WW_PER_BINARY, Samples
from msvm_ref.solvers.solution import Solution

CLOSED = 1e-6
"""A hard margin whose enclosure is relatively narrower than this is found."""
FLAT = 1e-5
"""The search for a separating plane ends when a margin below FLAT times half the closest pair's distance is all it can find."""

ROUNDING = 1e-15
"""More than a root, a quotient and a conversion to float64 can lose."""


@dataclass(frozen=True)
class MarginInterval:
    """lower <= margin <= upper."""

    lower: float
    """Certified from below."""
    upper: float
    """Certified from above."""

    @property
    def value(self) -> float:
        """The middle: what is drawn and compared where the order of two enclosures does not matter."""
        return (self.lower + self.upper) / 2 if math.isfinite(self.upper) else self.upper


@dataclass(frozen=True, eq=False)
class Separation:
    """A trained machine between two groups and the margin it certifies."""

    machine: BinarySVM
    margin: MarginInterval


def separate(
    samples: Samples, first: tuple[int, ...], second: tuple[int, ...], solve: Solve
) -> Separation:
    """Soft at the samples' C, hard where that is infinite."""
    if samples.hard:
        return _hard(samples, first, second, solve)
    machine = train(samples, first, second, solve)
    return Separation(machine, _soft(machine.solution))


def _soft(solution: Solution) -> MarginInterval:
    c = solution.certificate
    return MarginInterval(
        _inverse_root(c.upper) * (1 - ROUNDING), _inverse_root(c.lower) * (1 + ROUNDING)
    )


def _inverse_root(value: float) -> float:
    return math.inf if value <= 0 else 1 / math.sqrt(value)


def _hard(
    samples: Samples, first: tuple[int, ...], second: tuple[int, ...], solve: Solve
) -> Separation:
    largest = _closest_pair(samples.binary(first, second, 1.0)) / 2
    if largest <= 0:  # an example of each group at the same place
        return Separation(train(samples, first, second, solve, 1.0), MarginInterval(0.0, 0.0))
    sides = 1.0 if samples.whole.bias == "free" else 2.0
    C, lower, upper = 4 / (WW_PER_BINARY * largest**2), 0.0, math.inf
    while True:
        machine = train(samples, first, second, solve, C)
        lower, upper = (
            max(lower, _achieved(machine.solution)),
            min(upper, _soft(machine.solution).upper),
        )
        enough = 1.01 * sides / (WW_PER_BINARY * lower**2) if lower > 0 else math.inf
        closed = lower > 0 and (upper <= lower * (1 + CLOSED) or enough <= C)
        if closed or (lower <= 0 and upper < FLAT * largest):
            return Separation(machine, MarginInterval(lower, upper))
        C = min(enough, 16 * C)


def _closest_pair(problem: Problem) -> float:
    """Least feature distance between the groups: twice what their margin can be at most."""
    phi = problem.features
    one, two = phi[problem.y == 0], phi[problem.y == 1]
    squares = min(float(((two - x) ** 2).sum(axis=1).min()) for x in one)
    return math.sqrt(squares)


def _achieved(solution: Solution) -> float:
    """min_i t_i h(x_i) / ||w|| of the solution's plane with every rounding taken off; 0 where it separates nothing.

    h = 1/2 (f_0 - f_1). With a penalized bias the plane lives in the features (phi, 1);
    with none b is 0.
    """
    problem, b = solution.problem, solution.b.astype(np.longdouble)
    rows = (solution.W if problem.is_linear else solution.coef).astype(np.longdouble)
    w, shift = (rows[:, :1] - rows[:, 1:]) / 2, (b[0] - b[1]) / 2
    error = 4 * np.finfo(np.longdouble).eps * abs(rows).sum(axis=1, keepdims=True)
    image = (
        image_of_weights(problem, w, 2, error, own=False)
        if problem.is_linear
        else image_of_coef(problem, w, 2, error)
    )
    sign = np.where(problem.y == 0, 1, -1)
    scores, noise = image.scores[:, 0], image.error[:, 0]
    noise = noise + 4 * np.finfo(np.longdouble).eps * (abs(scores) + abs(shift))
    least = float((sign * (scores + shift) - noise).min())
    square = 2 * image.half_norm.high
    square += float(shift * shift) if problem.bias == "penalized" else 0.0
    if not least > 0 or not 0 < square < math.inf:
        return 0.0
    return least / math.sqrt(square) * (1 - ROUNDING)
