"""From a guess to an exact KKT point: read the active set off floats, solve the equations in rationals.

With t = gamma - mu and xi the slack of a pair's group, a partition of the pairs into

    zero   alpha = 0, t <= xi          bound  alpha = C, t = xi >= h (a capped cost)
    tight  t = xi, alpha unknown       full   a shared group with sum alpha = C and lambda = xi - h unknown (a capped cost)

(h is the cost's width, ``model/cost.py``) turns the KKT conditions into a linear system in (alpha_tight, lambda_full, b):

    sum_q H[p,q] alpha_q + lambda + <Pi nu_p, b> = gamma_p     for tight p  (H holds K, M and the slack cost's ridge h / C)
    sum of alpha over a full group = C_i,     sum alpha Pi nu = 0 for a free bias.

W is the same in all its solutions: the objective is strongly convex in W. Unknowns that the system leaves open (alpha
or b not unique) take a rational near the guess. Whether the inequalities hold is for the checker to say.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
from flint import fmpq, fmpq_mat, nmod_mat

from msvm_ref.errors import ExactnessError
from msvm_ref.exact.data import ExactData, Pair
from msvm_ref.exact.numbers import PRIME, modular, rational
from msvm_ref.judge.candidate import Candidate
from msvm_ref.model.loss import by_class

TIGHTNESS = (1e-6, 1e-8, 1e-4, 1e-10, 1e-3)
"""|t - xi| below this fraction of the margin's size counts as tight; tried in this order."""

DENOMINATORS = (1, 16, 2**1100)
"""Open unknowns become the nearest rational with at most this denominator: short ones first, the float itself last."""

SECONDS_PER_CUBE = 3e-7
"""An exact system of m unknowns with float64 data takes about this times m^3 seconds (measured: 0.3 s at 100, 7 s at 300)."""

SHORT_SYSTEM = 60
"""Systems up to this size are tried with short roundings first: they cost little and keep the rationals short."""


CheckTime = Callable[[], float]
"""The seconds that are left; ExactnessError where there are none."""


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
    assert guess.b is not None
    if guess.W is not None:
        scores = problem.dense_features @ guess.W + guess.b
    else:
        assert guess.coef is not None
        scores = problem.features @ (problem.features.T @ guess.coef) + guess.b
    t = problem.spec.gamma[problem.y] - by_class(problem.spec.projected_nu, problem.y, scores)
    size = abs(problem.spec.gamma[problem.y]) + by_class(
        abs(problem.spec.projected_nu), problem.y, abs(scores)
    )
    near = tightness * np.maximum(size, 1e-300)
    parts = Partition()
    for members in groups(data):
        top = max(members, key=lambda pair: float(t[pair]))
        slack, tolerance = float(t[top]), float(near[top])
        if slack < -tolerance or (problem.spec.width and slack <= 0):
            continue
        if not data.capped or slack <= problem.spec.width + tolerance:
            level = slack if problem.spec.width else 0.0
            parts.tight += [m for m in members if t[m] >= level - max(tolerance, float(near[m]))]
            continue
        tied = [m for m in members if t[m] >= slack - max(tolerance, float(near[m]))]
        if len(tied) == 1:
            parts.bound.append(top)
        else:
            parts.tight += tied
            parts.full.append(top[0])
    return parts


def groups(data: ExactData) -> list[list[Pair]]:
    """The pairs that count, one list per slack."""
    members: dict[Pair | int, list[Pair]] = {}
    for pair in data.pairs:
        members.setdefault(data.group(pair), []).append(pair)
    return list(members.values())


def largest_system(seconds: float) -> int:
    """The number of unknowns one exact system may have if it is to be solved in that time."""
    return max(int((seconds / SECONDS_PER_CUBE) ** (1 / 3)), 10)


def solve_partition(
    data: ExactData, parts: Partition, guess: Candidate, check_time: CheckTime
) -> Iterator[ExactPoint]:
    """Exact solutions of the partition's equations, open unknowns rounded ever finer; none where they contradict."""
    basic = independent_pairs(data, parts, guess)
    most_unknowns = largest_system(check_time())
    if len(basic) + len(parts.full) > most_unknowns:
        raise ExactnessError(
            "active set",
            f"have at most {most_unknowns} unknowns for the seconds allowed",
            f"{len(basic) + len(parts.full)}",
            "allow more seconds, or use certify(..., rigorous=True)",
        )
    chosen = set(basic)
    open_pairs = [pair for pair in parts.tight if pair not in chosen]
    finer = DENOMINATORS if len(basic) <= SHORT_SYSTEM else DENOMINATORS[-1:]
    seen: list[list[fmpq]] = []
    for denominator in finer:
        check_time()
        assert guess.alpha is not None
        held = {pair: data.cost[pair[0]] for pair in parts.bound}
        held |= {pair: rounded(float(guess.alpha[pair]), denominator) for pair in open_pairs}
        x = _solved(
            *_system(data, basic, parts.full, held, check_time),
            _bias_guess(data, guess, denominator),
            len(basic),
        )
        if x is None:
            return
        x = [*(held[pair] for pair in open_pairs), *x]
        if x in seen:
            continue
        seen.append(x)
        alpha = (
            {pair: fmpq(0) for pair in data.pairs}
            | held
            | dict(zip([*open_pairs, *basic], x, strict=False))
        )
        bias = x[len(x) - data.bias_size :]
        yield ExactPoint(alpha, whole_bias(data, bias, data.expansion(alpha)))


def independent_pairs(data: ExactData, parts: Partition, guess: Candidate) -> list[Pair]:
    """A largest set of tight pairs whose equations are independent, the multipliers with most room first.

    Equation (i, p) is the row (Pi nu_p x phi_i, bias row, slack of its group). Ranks are taken modulo a prime: should
    that ever mislead, the system fails to solve or the inequalities fail to hold, and the next attempt follows.
    """
    problem = data.problem
    assert guess.alpha is not None
    room = (
        guess.alpha
        if data.shared or not data.capped
        else np.minimum(guess.alpha, problem.costs[:, None] - guess.alpha)
    )
    pairs = sorted(parts.tight, key=lambda pair: -float(room[pair]))
    unknown = {data.group(pair) for pair in parts.tight} if data.width else set(parts.full)
    slack = {group: k for k, group in enumerate(unknown)}
    rows = [
        [
            *(
                modular(u) * x % PRIME
                for x in data.modular_features[pair[0]]
                for u in data.nu[data.y[pair[0]]][pair[1]]
            ),
            *(modular(v) for v in (data.bias_row(pair) if data.free_bias else [])),
            *(int(slack.get(data.group(pair)) == k) for k in range(len(slack))),
        ]
        for pair in pairs
    ]
    if not rows or not rows[0]:
        return []
    reduced, rank = (
        nmod_mat(len(rows), len(rows[0]), [v for row in rows for v in row], PRIME)
        .transpose()
        .rref()
    )
    lines = reduced.tolist()[:rank]
    return [pairs[next(j for j, v in enumerate(line) if int(v))] for line in lines]


def _solved(matrix: fmpq_mat, rhs: fmpq_mat, bias: list[fmpq], basic: int) -> list[fmpq] | None:
    """The solution; where b is open its coordinates are taken from ``bias``; None where the equations contradict."""
    count = matrix.nrows()
    if count == 0:
        return []
    try:
        return [row[0] for row in matrix.solve(rhs).tolist()]
    except ZeroDivisionError:
        pass
    wide = fmpq_mat(
        [[*row, *last] for row, last in zip(matrix.tolist(), rhs.tolist(), strict=True)]
    )
    reduced, rank = wide.rref()
    rows = reduced.tolist()[:rank]
    pivots = [next(j for j, v in enumerate(row) if v) for row in rows]
    if count in pivots:
        return None
    x = [*([fmpq(0)] * (count - len(bias))), *bias]
    open_ = sorted(set(range(count)) - set(pivots))
    for row, j in zip(rows, pivots, strict=True):
        x[j] = row[count] - sum((row[k] * x[k] for k in open_ if row[k]), fmpq(0))
    return x


def _system(
    data: ExactData,
    tight: list[Pair],
    full_groups: list[int],
    held: dict[Pair, fmpq],
    check_time: CheckTime,
) -> tuple[fmpq_mat, fmpq_mat]:
    """The square, symmetric system over (alpha_tight, lambda_full, b), the ``held`` multipliers being known."""
    full = {i: k for k, i in enumerate(full_groups)}
    first_bias = len(tight) + len(full)
    count = first_bias + data.bias_size
    pushed = data.violations(data.expansion(held), [fmpq(0)] * data.d)
    rows = [[fmpq(0)] * count for _ in range(count)]
    rhs = (
        [pushed[pair] for pair in tight]
        + [data.cost[i] for i in full_groups]
        + [fmpq(0)] * data.bias_size
    )
    for k, pair in enumerate(tight):
        check_time()
        for m in range(k, len(tight)):
            rows[k][m] = rows[m][k] = data.hessian(pair, tight[m])
        if pair[0] in full:
            j = len(tight) + full[pair[0]]
            rows[k][j] = rows[j][k] = fmpq(1)
        if data.free_bias:
            for c, value in enumerate(data.bias_row(pair), first_bias):
                rows[k][c] = rows[c][k] = value
        if data.width:
            known = (v for other, v in held.items() if data.group(other) == data.group(pair))
            rhs[k] -= data.width * sum(known, fmpq(0)) / data.cost[pair[0]]
    for pair, value in held.items():
        if pair[0] in full:
            rhs[len(tight) + full[pair[0]]] -= value
        for c, coefficient in enumerate(data.bias_row(pair) if data.free_bias else [], first_bias):
            rhs[c] -= coefficient * value
    return fmpq_mat(count, count, [v for row in rows for v in row]), fmpq_mat(count, 1, rhs)


def _bias_guess(data: ExactData, guess: Candidate, denominator: int) -> list[fmpq]:
    assert guess.b is not None
    b = guess.b - guess.b.mean() if data.centred else guess.b
    return [rounded(float(v), denominator) for v in b[: data.bias_size]]


def rounded(value: float, denominator: int) -> fmpq:
    return rational(Fraction(value).limit_denominator(denominator))


def whole_bias(data: ExactData, bias: list[fmpq], coef: fmpq_mat) -> list[fmpq]:
    """All d coordinates of b: unknown (free), the column sums of A (penalized) or zero (none)."""
    if data.problem.bias == "penalized":
        return [sum(column, fmpq(0)) for column in zip(*coef.tolist(), strict=True)]
    if not data.free_bias:
        return [fmpq(0)] * data.d
    return [*bias, -sum(bias, fmpq(0))] if data.centred else list(bias)
