"""The free bias's equality  r = sum_ip alpha_ip (Pi nu)[y_i,p,:] = 0: what alpha leaves of it, and the step that undoes it.

    step = N_J' lambda,    (N_J N_J') lambda = r,    N_J' lambda = <(Pi nu)[y_i,p], lambda> for (i,p) in J, 0 elsewhere

r is computed in exact rationals. lambda is too where the step is to be believed, and is in floats where it only prepares that.
With sum-to-zero Pi S Pi lambda = r, S that of nu itself, is solved as  S lambda + t 1 = r,  1'lambda = 0.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from flint import fmpq, fmpq_mat, fmpz_mat
from numpy.typing import NDArray

from msvm_ref.judge.coefficients import coefficients
from msvm_ref.judge.objective import group_sums
from msvm_ref.judge.rounding import UNDERFLOW, rounding
from msvm_ref.model.arrays import Array
from msvm_ref.model.machine import Margin, Spec
from msvm_ref.model.problem import Problem

RIDGE = 1e-12
"""What is added to S in floats, its diagonal scaled to 1, to make it regular."""
Mask = NDArray[np.bool_]
Counts = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class EqualityStep:
    """N_J' lambda in floats, (n x d), each good to ``error``; and the exact lambda it was computed from."""

    value: Array
    error: Array
    chosen: Mask
    multiplier: list[fmpq]


def equality_residual(problem: Problem, alpha: Array) -> list[fmpq]:
    """r, exactly."""
    r = _sums(problem, alpha)
    if not problem.spec.sum_to_zero:
        return r
    mean = sum(r, fmpq(0)) / problem.d
    return [v - mean for v in r]


def _sums(problem: Problem, alpha: Array) -> list[fmpq]:
    """sum_ip alpha_ip nu[y_i,p,:], for classes alike  own a_mm + sum_{p!=m} (true a_mp + rival a_pm), a_yp that of class y."""
    d, margin = problem.d, problem.machine.margin
    if isinstance(margin, Margin):
        own, true, rival = (rational(v) for v in (margin.own, margin.true, margin.rival))
        r = []
        for m in range(d):
            mine = problem.y == m
            a = np.delete(alpha[mine], m, axis=1)
            r.append(
                own * exact_sum(alpha[mine, m])
                + true * exact_sum(a)
                + rival * exact_sum(alpha[~mine, m])
            )
        return r
    r = [fmpq(0)] * d
    for y in np.unique(problem.y).tolist():
        rows = alpha[problem.y == y]
        for p in np.flatnonzero(rows.any(axis=0)).tolist():
            mass = exact_sum(rows[:, p])
            r = [v + mass * rational(u) for v, u in zip(r, margin[y][p], strict=True)]
    return r


def exact_sum(values: Array) -> fmpq:
    """The exact sum of floats: fsum rounds once, and what it rounded away is summed again until nothing is left."""
    rest, total = values[values != 0].tolist(), fmpq(0)
    try:
        while part := math.fsum(rest):
            total += fmpq(*part.as_integer_ratio())
            rest.append(-part)
    except OverflowError:
        return sum((fmpq(*v.as_integer_ratio()) for v in values.ravel().tolist()), fmpq(0))
    return total


def rational(value: Fraction) -> fmpq:
    return fmpq(value.numerator, value.denominator)


def exact_step(problem: Problem, alpha: Array, r: list[fmpq]) -> EqualityStep | None:
    """The step that undoes r exactly, within half the room of every multiplier of J; None where there is none."""
    return _step(problem, alpha, r, exactly=True)


def near_step(problem: Problem, alpha: Array, r: list[fmpq]) -> Array | None:
    """A step in floats that undoes about all of r, within half the room likewise."""
    step = _step(problem, alpha, r, exactly=False)
    return None if step is None else step.value


def _step(problem: Problem, alpha: Array, r: list[fmpq], exactly: bool) -> EqualityStep | None:
    d, y, room = problem.d, problem.y, _room(problem, alpha)
    nu, every = coefficients(problem.spec, np.float64)[0], np.arange(d)
    chosen = room > 0
    for _ in range(8):
        if not chosen.any():
            return None
        counts = np.zeros((d, d), dtype=np.int64)
        np.add.at(counts, y, chosen.astype(np.int64))
        multiplier = (_exact_solution if exactly else _near_solution)(problem.spec, counts, r)
        if multiplier is None:
            return None
        floats = np.array([as_float(v) for v in multiplier])
        with np.errstate(over="ignore", invalid="ignore"):
            step, size = (
                form.margins(every, np.tile(v, (d, 1)))
                for form, v in ((nu, floats), (nu.size, abs(floats)))
            )
            error = rounding(d + 8) * size + UNDERFLOW * (1 + nu.largest)
            narrow = chosen & ~(room >= 2 * (abs(step) + error)[y])
        if not narrow.any():
            return EqualityStep(
                np.where(chosen, step[y], 0.0), np.where(chosen, error[y], 0.0), chosen, multiplier
            )
        chosen = chosen & ~narrow
    return None


def _room(problem: Problem, alpha: Array) -> Array:
    """How far each alpha may move either way whatever the others of its group do; a hair less, for its own rounding."""
    spec = problem.spec
    counts: Mask = spec.mask[problem.y]
    if not spec.capped:
        return np.where(counts, alpha, 0.0)
    left = problem.costs_below[:, None] - group_sums(problem, alpha)
    share = np.maximum(left, 0) / spec.d if spec.shared else left
    return np.where(counts, np.minimum(alpha, share * (1 - 1e-9)), 0.0)


def _parts(margin: Margin, counts: Counts) -> list[tuple[Fraction, Counts]]:
    """S = sum over (y, p) of its count times nu nu', for nu = own e_y (p = y) and true e_y + rival e_p, as a combination of
    integer matrices.
    """
    others = counts - np.diag(counts.diagonal())
    return [
        (margin.own**2, np.diag(counts.diagonal())),
        (margin.true**2, np.diag(others.sum(axis=1))),
        (margin.rival**2, np.diag(others.sum(axis=0))),
        (margin.true * margin.rival, others + others.T),
    ]


def _near_solution(spec: Spec, counts: Counts, r: list[fmpq]) -> list[fmpq] | None:
    if isinstance(margin := spec.machine.margin, Margin):
        S = np.add.reduce([float(scale) * part for scale, part in _parts(margin, counts)])
    else:
        rows = spec.nu[counts > 0]
        S = (rows.T * counts[counts > 0]) @ rows
    unit = np.sqrt(np.where(S.diagonal() > 0, S.diagonal(), 1.0))
    S = S / unit / unit[:, None] + RIDGE * np.eye(spec.d)
    rhs = np.array([as_float(v) for v in r]) / unit
    if spec.sum_to_zero:
        border = (1 / unit)[:, None]
        S, rhs = np.block([[S, border], [border.T, np.zeros((1, 1))]]), np.append(rhs, 0.0)
    try:
        solved = np.linalg.solve(S, rhs)[: spec.d] / unit
    except np.linalg.LinAlgError:
        return None
    return (
        [fmpq(*v.as_integer_ratio()) for v in solved.tolist()]
        if np.isfinite(solved).all()
        else None
    )


def _exact_solution(spec: Spec, counts: Counts, r: list[fmpq]) -> list[fmpq] | None:
    """lambda in rationals, or None."""
    d, margin = spec.d, spec.machine.margin
    S = fmpq_mat(d, d)
    if isinstance(margin, Margin):
        for scale, part in _parts(margin, counts):
            S += fmpq_mat(fmpz_mat(part.tolist())) * rational(scale)
    else:
        for y, p in np.argwhere(counts):
            row = fmpq_mat(1, d, [rational(v) for v in margin[y][p]])
            S += row.transpose() * row * int(counts[y, p])
    lines = [[*row, v] for row, v in zip(S.tolist(), r, strict=True)]
    if spec.sum_to_zero:
        lines = [[*row, fmpq(1), v] for *row, v in lines]
        lines.append([fmpq(1)] * d + [fmpq(0), fmpq(0)])
    reduced, rank = fmpq_mat(lines).rref()
    unknowns = len(lines[0]) - 1
    x, pivot = [fmpq(0)] * unknowns, -1
    for k in range(rank):
        pivot = next(j for j in range(pivot + 1, unknowns + 1) if reduced[k, j])
        if pivot == unknowns:
            return None
        x[pivot] = reduced[k, unknowns]
    return x[:d]


def pair_step(problem: Problem, step: EqualityStep, y: int, p: int) -> fmpq:
    """<(Pi nu)[y,p], lambda>, exactly: lambda sums to 0 under sum-to-zero, so that nu does."""
    margin, x = problem.machine.margin, step.multiplier
    if not isinstance(margin, Margin):
        return sum((rational(u) * v for u, v in zip(margin[y][p], x, strict=True)), fmpq(0))
    if p == y:
        return rational(margin.own) * x[y]
    return rational(margin.true) * x[y] + rational(margin.rival) * x[p]


def as_float(value: fmpq) -> float:
    """The nearest float64 (Python rounds the quotient of integers correctly), inf beyond."""
    try:
        return int(value.p) / int(value.q)
    except OverflowError:
        return math.inf
