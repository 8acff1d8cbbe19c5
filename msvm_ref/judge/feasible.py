"""From any alpha to one the dual admits: signs, groups, and with a free bias the equality, proved and not hoped for.

Dual feasible set: alpha >= 0, sum over each slack group <= C_i (a capped cost), alpha = 0 off the components, and with a
free bias  r = sum_ip alpha_ip (Pi nu)[y_i,p,:] = 0.  Floats cannot satisfy that equality exactly. So: r is computed
in exact rationals; over the multipliers J with room for it, the correction

    delta = -N_J' lambda,    (N_J N_J') lambda = r    (in rationals; the rows of N_J are the (Pi nu)[y_i,p,:], (i,p) in J)

makes alpha + delta feasible. It is applied in floats, which leaves an r of rounding size; the last, never applied, delta is
charged to the dual value by D's second-order expansion. For any b, sum delta <Pi nu, b> = -<b, r>, so the slope of D along
delta may be taken about any bias:

    D(alpha + delta) >= D(alpha) - sum |gamma - <Pi nu, f + b>| |delta| - |<b, r>| - 1/2 ||W_delta||^2 - (slack cost's term).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import product

import numpy as np
from flint import fmpq, fmpq_mat
from numpy.typing import NDArray

from msvm_ref.judge.image import image_of_coef
from msvm_ref.judge.objective import (
    UNDERFLOW,
    Image,
    by_class,
    expansion,
    group_sums,
    rounding,
    rows_of,
)
from msvm_ref.model.arrays import Array
from msvm_ref.model.machine import Machine
from msvm_ref.model.problem import Problem

SHRINK = (0.0, 1e-15, 1e-13, 1e-11, 1e-9, 1e-7, 1e-5, 1e-3)
"""How far alpha may be pulled towards 0 to give the correction room; the dual value pays for it."""
SNAP = (0.0, 1e-13, 1e-11, 1e-9, 1e-7, 1e-5, 1e-3)
"""Multipliers below this part of their C are taken for 0: the equality may force them there (an absent class does)."""
NOTHING, MOST = 1e-140, 1e140
"""Multipliers up to NOTHING count as 0, above MOST as MOST: their squares would under- or overflow."""


@dataclass(frozen=True, eq=False)
class FeasibleDual:
    """alpha, and the ``charge`` to subtract from D(alpha) so that a feasible point attains the rest."""

    alpha: Array
    charge: float


def feasible_dual(problem: Problem, alpha: Array) -> FeasibleDual:
    """The nearest thing to alpha that is certainly dual feasible (alpha = 0 always is)."""
    boxed = into_groups(problem, alpha)
    if problem.bias != "free" or not any(equality_residual(problem, boxed)):
        return FeasibleDual(boxed, 0.0)
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
    return best or FeasibleDual(np.zeros_like(boxed), 0.0)


def into_groups(problem: Problem, alpha: Array) -> Array:
    """Clip signs and foreign components, then clip (own slack) or scale down (shared slack) to the C_i, rounded down."""
    spec, cost = problem.spec, problem.costs_below[:, None]
    counts = spec.mask[problem.y] & (cost > 0) & (alpha > NOTHING)
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


def equality_residual(problem: Problem, alpha: Array) -> list[fmpq]:
    """r_m = sum_ip alpha_ip (Pi nu)[y_i,p,m], exactly."""
    r = [fmpq(0)] * problem.d
    columns = {y: alpha[problem.y == y] for y in np.unique(problem.y).tolist()}
    for y, p, row in rows_of(problem.machine, problem.d):
        if y in columns and columns[y][:, p].any():
            mass = _fmpq(exact_sum(columns[y][:, p]))
            for m, v in row.items():
                r[m] += mass * _fmpq(v)
    return _projected(problem, r)


def _projected(problem: Problem, v: list[fmpq]) -> list[fmpq]:
    if not problem.spec.sum_to_zero:
        return v
    mean = sum(v, fmpq(0)) / problem.d
    return [x - mean for x in v]


def exact_sum(values: Array) -> Fraction:
    """The exact sum of floats: fsum rounds once, and what it rounded away is summed again until nothing is left."""
    rest, total = values.tolist(), Fraction(0)
    try:
        while part := math.fsum(rest):
            total += Fraction(part)
            rest.append(-part)
    except OverflowError:
        return sum(map(Fraction, values.tolist()), Fraction(0))
    return total


def _fmpq(value: Fraction) -> fmpq:
    return fmpq(value.numerator, value.denominator)


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
        A, A_error = expansion(problem, alpha)
        image: Image = image_of_coef(problem, A, 0, A_error)
        spec, nu = problem.spec, problem.spec.projected_nu
        b = -np.nan_to_num(image.scores.mean(axis=0))
        scores = image.scores + b
        slope = abs(spec.gamma[problem.y] - by_class(nu, problem.y, scores))
        tiny = rounding(problem.d + 8)
        doubt = image.error + tiny * (abs(image.scores) + abs(b))
        slope = slope + by_class(abs(nu), problem.y, doubt) + tiny * abs(spec.gamma[problem.y])
        return cls(problem, alpha, lengths(problem), slope, abs(b))

    def charge(self, alpha: Array, step: Array, residual: Array) -> float:
        """An upper bound of D(alpha) - D(alpha + delta) over |delta| <= step with sum delta Pi nu = -residual.

        A score moves by at most s_i sum_j s_j |A_j - A'_j| between the two points; s_i >= ||phi(x_i)||.
        """
        spec, y = self.problem.spec, self.problem.y
        nu = abs(spec.projected_nu)
        moved = self.lengths @ by_class(nu.transpose(0, 2, 1), y, abs(alpha - self.alpha))
        slope = self.slope + by_class(nu, y, self.lengths[:, None] * moved)
        change = self.lengths @ by_class(nu.transpose(0, 2, 1), y, step)
        price = float((slope * step).sum() + (change * change).sum() / 2 + self.about @ residual)
        if spec.width:
            cost = np.where(self.problem.costs > 0, self.problem.costs, np.inf)[:, None]
            total, rise = group_sums(self.problem, alpha), group_sums(self.problem, step)
            price += spec.width * float(((total + rise / 2) / cost * rise).sum())
        # 1e-6 covers the rounding of these sums of non-negative terms, UNDERFLOW what underflows in them
        charge = price * (1 + 1e-6) + UNDERFLOW * step.size
        return charge if math.isfinite(charge) else math.inf


def lengths(problem: Problem) -> Array:
    """s_i >= ||phi(x_i)||."""
    if problem.kernel.has_bounds:
        return problem.kernel.lengths(problem.X)
    phi = problem.features
    largest = float(abs(phi).max()) if phi.shape[1] else 0.0
    scale = largest or 1.0
    squares = (
        (abs(phi) / scale) ** 2 if isinstance(phi, np.ndarray) else (abs(phi) / scale).power(2)
    )
    return np.asarray(scale * np.sqrt(np.asarray(squares.sum(axis=1)).ravel()) * (1 + 1e-9))


def _restore_equality(problem: Problem, alpha: Array, slopes: _Slopes) -> FeasibleDual | None:
    """alpha, moved in floats, and the charge of the exact step that is left; None where alpha has too little room."""
    best: FeasibleDual | None = None
    for _ in range(4):
        r = equality_residual(problem, alpha)
        if not any(r):
            return FeasibleDual(alpha, 0.0)
        step = _exact_step(problem, alpha, r)
        if step is None:
            return best
        residual = np.array([abs(as_float(v)) for v in r])
        charge = slopes.charge(alpha, abs(step) * (1 + 1e-12), residual)
        if best is not None and charge >= best.charge:
            return best
        best = FeasibleDual(alpha, charge)
        alpha = into_groups(problem, alpha - step)
    return best


def _exact_step(problem: Problem, alpha: Array, r: list[fmpq]) -> Array | None:
    """N_J' lambda as floats, each the exact rational rounded once; None where no J with room for twice it can undo r."""
    steps = exact_steps(problem, alpha, r)
    if steps is None:
        return None
    by_pair, chosen = np.zeros((problem.d, problem.d)), steps[1]
    for pair, value in steps[0].items():
        by_pair[pair] = as_float(value)
    step = np.where(chosen, by_pair[problem.y], 0.0)
    return step if np.isfinite(step).all() else None


def exact_steps(
    problem: Problem, alpha: Array, r: list[fmpq]
) -> tuple[dict[tuple[int, int], fmpq], NDArray[np.bool_]] | None:
    """(<Pi nu[y,p], lambda> for each (y, p), J): the exact correction, within half the room of every multiplier of J."""
    d, y, room = problem.d, problem.y, _room(problem, alpha)
    rows = rows_of(problem.machine, d)
    chosen = room > 0
    for _ in range(8):
        counts = np.zeros((d, d), dtype=np.int64)
        np.add.at(counts, y, chosen.astype(np.int64))
        multiplier = _solve(_normal(problem.machine, d, counts.tobytes()), r)
        if multiplier is None:
            return None
        multiplier = _projected(problem, multiplier)
        steps = {
            (a, p): sum((_fmpq(v) * multiplier[m] for m, v in row.items()), fmpq(0))
            for a, p, row in rows
            if counts[a, p]
        }
        size = np.zeros((d, d))
        for pair, value in steps.items():
            size[pair] = abs(as_float(value))
        narrow = chosen & (room < 2 * size[y])
        if not narrow.any():
            return steps, chosen
        chosen = chosen & ~narrow
    return None


@lru_cache(maxsize=64)
def _normal(machine: Machine, d: int, counts: bytes) -> fmpq_mat:
    """N_J N_J' = sum over (y, p) of its count times (Pi nu)(Pi nu)'."""
    count = np.frombuffer(counts, dtype=np.int64).reshape(d, d)
    total = [[fmpq(0)] * d for _ in range(d)]
    for y, p, row in rows_of(machine, d):
        if count[y, p]:
            for m, u in row.items():
                for k, v in row.items():
                    total[m][k] += int(count[y, p]) * _fmpq(u * v)
    if machine.sum_to_zero:
        for _ in range(2):  # Pi S, then its transpose again: Pi S Pi
            means = [sum(column, fmpq(0)) / d for column in zip(*total, strict=True)]
            total = [[v - mean for v, mean in zip(row, means, strict=True)] for row in total]
            total = [list(column) for column in zip(*total, strict=True)]
    return fmpq_mat(total)


def _solve(matrix: fmpq_mat, rhs: list[fmpq]) -> list[fmpq] | None:
    """A solution of matrix x = rhs, or None."""
    d = len(rhs)
    lines = [[*row, v] for row, v in zip(matrix.tolist(), rhs, strict=True)]
    reduced, rank = fmpq_mat(lines).rref()
    x = [fmpq(0)] * d
    for row in reduced.tolist()[:rank]:
        pivot = next(j for j, v in enumerate(row) if v)
        if pivot == d:
            return None
        x[pivot] = row[d]
    return x


def as_float(value: fmpq) -> float:
    """The nearest float64, inf beyond."""
    try:
        return float(Fraction(int(value.p), int(value.q)))
    except OverflowError:
        return math.inf


def _room(problem: Problem, alpha: Array) -> Array:
    """How far each alpha may move either way whatever the others of its group do; a hair less, for its own rounding."""
    spec = problem.spec
    counts: NDArray[np.bool_] = spec.mask[problem.y]
    if not spec.capped:
        return np.where(counts, alpha, 0.0)
    left = problem.costs_below[:, None] - group_sums(problem, alpha)
    share = np.maximum(left, 0) / spec.d if spec.shared else left
    return np.where(counts, np.minimum(alpha, share * (1 - 1e-9)), 0.0)
