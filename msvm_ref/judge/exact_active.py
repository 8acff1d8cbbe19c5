"""From a guess to an exact KKT point: read the active set off floats, solve the equations in rationals.

With t = gamma - mu and xi the slack of a pair's group, a partition of the pairs into

    zero   alpha = 0, t <= xi          bound  alpha = C, t = xi >= 0 (linear cost)
    tight  t = xi, alpha unknown       full   a shared group with sum alpha = C and xi unknown (linear cost)

turns the KKT conditions into a linear system in (alpha_tight, xi_full, b):

    sum_q H[p,q] alpha_q + xi + <Pi nu_p, b> = gamma_p     for tight p  (H holds K, M and the quadratic cost's ridge)
    sum of alpha over a full group = C_i,     sum alpha Pi nu = 0 for a free bias.

W is the same in all its solutions: the objective is strongly convex in W. Unknowns that the system leaves open (alpha
or b not unique) take a rational near the guess. Whether the inequalities hold is for the checker to say.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
from flint import fmpq, fmpq_mat

from msvm_ref.judge.candidate import Candidate
from msvm_ref.judge.exact_data import ExactData, Pair
from msvm_ref.judge.values import by_class

TIGHTNESS = (1e-6, 1e-8, 1e-4, 1e-10, 1e-3)
"""|t - xi| below this fraction of the margin's size counts as tight; tried in this order."""

DENOMINATORS = (1, 16, 2**1100)
"""Open unknowns become the nearest rational with at most this denominator: short ones first, the float itself last."""


@dataclass
class Partition:
    """``tight`` and ``bound`` pairs, ``full`` groups; every other pair is zero."""

    tight: list[Pair] = field(default_factory=list)
    bound: list[Pair] = field(default_factory=list)
    full: list[int] = field(default_factory=list)

    def key(self) -> tuple[tuple[Pair, ...], tuple[Pair, ...], tuple[int, ...]]:
        return tuple(self.tight), tuple(self.bound), tuple(self.full)


@dataclass
class ExactPoint:
    """A full set of unknowns; alpha on every pair that counts."""

    alpha: dict[Pair, fmpq]
    b: list[fmpq]


def partition(data: ExactData, guess: Candidate, tightness: float) -> Partition:
    """Pairs sorted by the guess's violations, relative to the size of what they are computed from."""
    problem = data.problem
    assert guess.W is not None and guess.b is not None
    scores = problem.features @ guess.W + guess.b
    t = problem.spec.gamma[problem.y] - by_class(problem.spec.projected_nu, problem.y, scores)
    size = abs(problem.spec.gamma[problem.y]) + by_class(abs(problem.spec.projected_nu), problem.y, abs(scores))
    near = tightness * np.maximum(size, 1e-300)
    found = Partition()
    groups: dict[Pair | int, list[Pair]] = {}
    for pair in data.pairs:
        groups.setdefault(data.group(pair), []).append(pair)
    for members in groups.values():
        top = max(members, key=lambda pair: float(t[pair]))
        slack, tolerance = float(t[top]), float(near[top])
        if slack < -tolerance or (data.quadratic and slack <= 0):
            continue
        if slack <= tolerance or data.quadratic:
            level = 0.0 if not data.quadratic else slack
            found.tight += [m for m in members if t[m] >= level - max(tolerance, float(near[m]))]
            continue
        tied = [m for m in members if t[m] >= slack - max(tolerance, float(near[m]))]
        if len(tied) == 1:
            found.bound.append(top)
        else:
            found.tight += tied
            found.full.append(top[0])
    return found


def solve_partition(data: ExactData, parts: Partition, guess: Candidate) -> Iterator[ExactPoint]:
    """Exact solutions of the partition's equations, open unknowns rounded ever finer; none where they contradict."""
    matrix, rhs = _system(data, parts)
    count = matrix.nrows()
    if count == 0:
        yield _point(data, parts, [])
        return
    try:
        yield _point(data, parts, [row[0] for row in matrix.solve(rhs).tolist()])
        return
    except ZeroDivisionError:  # singular: alpha or b is not unique, or the partition is wrong
        pass
    wide = fmpq_mat([[*row, *last] for row, last in zip(matrix.tolist(), rhs.tolist(), strict=True)])
    reduced, rank = wide.rref()
    rows = reduced.tolist()[:rank]
    pivots = [next(j for j, v in enumerate(row) if v) for row in rows]
    if count in pivots:
        return
    near = _guessed(data, parts, guess)
    seen = []
    for denominator in DENOMINATORS:
        x = [_rounded(v, denominator) for v in near]
        open_ = [j for j in range(count) if j not in set(pivots)]
        for row, j in zip(rows, pivots, strict=True):
            x[j] = row[count] - sum((row[k] * x[k] for k in open_ if row[k]), fmpq(0))
        if x not in seen:
            seen.append(x)
            yield _point(data, parts, x)


def _system(data: ExactData, parts: Partition) -> tuple[fmpq_mat, fmpq_mat]:
    """The square, symmetric system over (alpha_tight, xi_full, b)."""
    tight, full = parts.tight, {i: k for k, i in enumerate(parts.full)}
    count = len(tight) + len(full) + data.bias_size
    held = {pair: data.cost[pair[0]] for pair in parts.bound}
    pushed = data.violations(data.expansion(held), [fmpq(0)] * data.d)
    rows = [[fmpq(0)] * count for _ in range(count)]
    rhs = [pushed[pair] for pair in tight] + [data.cost[i] for i in parts.full] + [fmpq(0)] * data.bias_size
    for k, pair in enumerate(tight):
        for m in range(k, len(tight)):
            rows[k][m] = rows[m][k] = data.hessian(pair, tight[m])
        if pair[0] in full:
            j = len(tight) + full[pair[0]]
            rows[k][j] = rows[j][k] = fmpq(1)
        if data.free_bias:
            for c, value in enumerate(data.bias_row(pair), len(tight) + len(full)):
                rows[k][c] = rows[c][k] = value
    if data.free_bias:
        for pair in parts.bound:
            for c, value in enumerate(data.bias_row(pair), len(tight) + len(full)):
                rhs[c] -= value * data.cost[pair[0]]
    return fmpq_mat(count, count, [v for row in rows for v in row]), fmpq_mat(count, 1, rhs)


def _guessed(data: ExactData, parts: Partition, guess: Candidate) -> list[float]:
    """The guess's value of every unknown (a full group's xi is always a pivot's business: 0 will do)."""
    assert guess.alpha is not None and guess.b is not None
    b = guess.b - (guess.b[-1] * 0 if not data.centred else guess.b.mean())
    return [*(float(guess.alpha[pair]) for pair in parts.tight), *([0.0] * len(parts.full)), *map(float, b[:data.bias_size])]


def _rounded(value: float, denominator: int) -> fmpq:
    near = Fraction(value).limit_denominator(denominator)
    return fmpq(near.numerator, near.denominator)


def _point(data: ExactData, parts: Partition, x: list[fmpq]) -> ExactPoint:
    alpha = {pair: fmpq(0) for pair in data.pairs}
    alpha |= {pair: data.cost[pair[0]] for pair in parts.bound}
    alpha |= dict(zip(parts.tight, x, strict=False))
    bias = x[len(parts.tight) + len(parts.full):]
    return ExactPoint(alpha, whole_bias(data, bias, data.expansion(alpha)))


def whole_bias(data: ExactData, bias: list[fmpq], coef: fmpq_mat) -> list[fmpq]:
    """All d coordinates of b: unknown (free), the column sums of A (penalized) or zero (none)."""
    if data.problem.bias == "penalized":
        return [sum(column, fmpq(0)) for column in zip(*coef.tolist(), strict=True)]
    if not data.free_bias:
        return [fmpq(0)] * data.d
    return [*bias, -sum(bias, fmpq(0))] if data.centred else list(bias)
