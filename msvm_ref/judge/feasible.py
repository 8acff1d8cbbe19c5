"""From any alpha to one the dual admits: signs, groups, and with a free bias the equality, proved and not hoped for.

Dual feasible set: alpha >= 0, sum over each slack group <= C_i (a capped cost), alpha = 0 off the components, and with a
free bias  r = sum_ip alpha_ip (Pi nu)[y_i,p,:] = 0.  Floats cannot satisfy that equality exactly. So alpha is moved in floats
until r is of rounding size; the correction delta that is left to do (``judge/equality.py``: over multipliers with room for
it, in rationals) is never applied, but charged to the dual value by D's second-order expansion. For any b,
sum delta <Pi nu, b> = -<b, r>, so the slope of D along delta may be taken about any bias:

    D(alpha + delta) >= D(alpha) - sum |gamma - <Pi nu, f + b>| |delta| - |<b, r>| - 1/2 ||W_delta||^2 - (slack cost's term).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import product

import numpy as np

from msvm_ref.judge.coefficients import coefficients
from msvm_ref.judge.equality import as_float, equality_residual, exact_step, near_step
from msvm_ref.judge.image import ALL, image_of_alpha
from msvm_ref.judge.objective import group_sums
from msvm_ref.judge.rounding import UNDERFLOW, blocks, rounding
from msvm_ref.model.arrays import Array, frozen
from msvm_ref.model.problem import Problem

SHRINK = (0.0, 1e-15, 1e-13, 1e-11, 1e-9, 1e-7, 1e-5, 1e-3)
"""How far alpha may be pulled towards 0 to give the correction room; the dual value pays for it."""
SNAP = (0.0, 1e-13, 1e-11, 1e-9, 1e-7, 1e-5, 1e-3)
"""Multipliers below this part of their C are taken for 0: the equality may force them there (an absent class does)."""
FLOAT_STEPS = 4
"""How often alpha is moved in floats at most."""
NOTHING, MOST = 1e-140, 1e140
"""Multipliers up to NOTHING count as 0, above MOST as MOST: their squares would under- or overflow."""


@dataclass(frozen=True, eq=False)
class FeasibleDual:
    """alpha, and the ``charge`` to subtract from the problem's D(alpha) so that a feasible point attains the rest."""

    problem: Problem
    alpha: Array
    charge: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "alpha", frozen(self.alpha))


def feasible_dual(problem: Problem, alpha: Array) -> FeasibleDual:
    """The nearest thing to alpha that is certainly dual feasible (alpha = 0 always is)."""
    boxed = into_groups(problem, alpha)
    if problem.bias != "free" or not any(equality_residual(problem, boxed)):
        return FeasibleDual(problem, boxed, 0.0)
    slopes = _Slopes.at(problem, boxed)
    size = problem.costs[:, None] if problem.spec.capped else float(boxed.max(initial=0.0))
    gain = float(abs(problem.spec.gamma[problem.y] * boxed).sum())
    best: FeasibleDual | None = None
    for snap, shrink in sorted(product(SNAP, SHRINK), key=max):
        pulled = into_groups(problem, np.where(boxed > snap * size, boxed, 0.0) * (1 - shrink))
        restored = _restore_equality(problem, pulled, slopes)
        if restored is not None and (best is None or restored.charge < best.charge):
            best = restored
        if best is not None and best.charge <= max(snap, shrink, 1e-12) * gain:
            return best
    return best or FeasibleDual(problem, np.zeros_like(boxed), 0.0)


def into_groups(problem: Problem, alpha: Array) -> Array:
    """Clip signs and foreign components, then clip (own slack) or scale down (shared slack) to the C_i, rounded down."""
    inside = np.empty(alpha.shape)
    for rows in blocks(*alpha.shape):
        inside[rows] = _into_groups(problem, rows, alpha[rows])
    return inside


def _into_groups(problem: Problem, rows: slice, alpha: Array) -> Array:
    spec, cost = problem.spec, problem.costs_below[rows, None]
    counts = spec.mask[problem.y[rows]] & (cost > 0) & (alpha > NOTHING)
    inside = np.where(counts, np.minimum(alpha, MOST), 0.0)
    if not spec.capped:
        return inside
    if not spec.shared:
        return np.minimum(inside, cost)
    inside = np.minimum(inside, cost)
    total = inside.sum(axis=1, keepdims=True)
    guard = 1 - 4 * spec.d * float(
        np.finfo(float).eps
    )  # the float sum may understate the exact one
    over = total > cost * guard
    scale = np.divide(
        cost * guard * guard, total, out=np.ones_like(total), where=over & (total > 0)
    )
    return np.asarray(inside * np.minimum(scale, 1.0))


@dataclass(frozen=True, eq=False)
class _Slopes:
    """|gamma - <Pi nu, f + b>| at ``alpha`` with its error, the |b| it is taken about, and how far from ``alpha`` it moves."""

    problem: Problem
    alpha: Array
    lengths: Array
    slope: Array
    about: Array

    @classmethod
    def at(cls, problem: Problem, alpha: Array) -> _Slopes:
        """About b = -(mean score): features far from 0 then cost nothing."""
        f, error = image_of_alpha(problem, alpha).at(ALL)
        spec, nu = problem.spec, coefficients(problem.spec, np.float64)[0]
        b = -np.nan_to_num(f.mean(axis=0))
        slope = abs(spec.gamma[problem.y] - nu.margins(problem.y, f + b))
        tiny = rounding(problem.d + 8)
        doubt = error + tiny * (abs(f) + abs(b))
        slope = slope + nu.size.margins(problem.y, doubt) + tiny * abs(spec.gamma[problem.y])
        return cls(problem, alpha, problem.lengths, slope, abs(b))

    def charge(self, alpha: Array, step: Array, residual: Array) -> float:
        """An upper bound of D(alpha) - D(alpha + delta) over |delta| <= step with sum delta Pi nu = -residual.

        A score moves by at most s_i sum_j s_j |A_j - A'_j| between the two points; s_i >= ||phi(x_i)||.
        """
        spec, y = self.problem.spec, self.problem.y
        nu = coefficients(spec, np.float64)[0].size
        moved = self.lengths @ nu.expansion(y, abs(alpha - self.alpha))
        slope = self.slope + nu.margins(y, self.lengths[:, None] * moved)
        change = self.lengths @ nu.expansion(y, step)
        price = float((slope * step).sum() + (change * change).sum() / 2 + self.about @ residual)
        if spec.width:
            cost = np.where(self.problem.costs > 0, self.problem.costs, np.inf)[:, None]
            total, rise = group_sums(self.problem, alpha), group_sums(self.problem, step)
            price += spec.width * float(((total + rise / 2) / cost * rise).sum())
        # 1e-6 covers the rounding of these sums of non-negative terms, UNDERFLOW what underflows in them
        charge = price * (1 + 1e-6) + UNDERFLOW * step.size
        return charge if math.isfinite(charge) else math.inf


def _restore_equality(problem: Problem, alpha: Array, slopes: _Slopes) -> FeasibleDual | None:
    """alpha, moved in floats, and the charge of the exact step that is left; None where alpha has too little room."""
    r, left = equality_residual(problem, alpha), math.inf
    # what roundings of alpha leave of r however often it is moved
    least = float(np.finfo(float).eps * alpha.max(initial=0.0)) * math.sqrt(alpha.size)
    for _ in range(FLOAT_STEPS):
        size = max(abs(as_float(v)) for v in r)
        if not least < size <= left / 2:
            break
        near = near_step(problem, alpha, r)
        if near is None:
            return None
        alpha, left = into_groups(problem, alpha - near), size
        r = equality_residual(problem, alpha)
    if not any(r):
        return FeasibleDual(problem, alpha, 0.0)
    step = exact_step(problem, alpha, r)
    if step is None:
        return None
    residual = np.array([abs(as_float(v)) for v in r])
    bound = (abs(step.value) + step.error) * (1 + 1e-12)
    return FeasibleDual(problem, alpha, slopes.charge(alpha, bound, residual))
