"""The exact range of each b_c over all optimal biases: a small linear program in rationals.

Given *one* optimal alpha, (W*, b) is optimal exactly when it satisfies the KKT conditions with that alpha (saddle points
are interchangeable), and with W* fixed these are linear in b:

    alpha_p > 0  =>  t_p = xi,      t_p <= xi,      xi = h a / C  where a = sum alpha is below the cap,   xi >= h  at it.
"""

from __future__ import annotations

from fractions import Fraction

from flint import fmpq, fmpq_mat

from msvm_ref.exact.active import groups
from msvm_ref.exact.data import ExactData, exact_data, kernel_gram
from msvm_ref.exact.linear_algebra import maximize
from msvm_ref.exact.lp import UnboundedError
from msvm_ref.exact.numbers import fraction, rational
from msvm_ref.exact.optimum import ExactOptimum

Interval = tuple[Fraction | None, Fraction | None]
"""(least, largest); None where b_c is unbounded on that side."""

Row = tuple[list[fmpq], fmpq]
"""(a, c) for the condition a . beta (= or <=) c on the unknown bias coordinates."""


def bias_interval(optimum: ExactOptimum) -> tuple[Interval, ...]:
    """The interval of every b_c (with sum_c b_c = 0 where ``ExactData.centred``); equal ends where b_c is unique."""
    data = exact_data(
        optimum.problem, kernel_gram(optimum.problem) if optimum.gram == "kernel" else None
    )
    if not data.free_bias:
        return tuple((v, v) for v in optimum.b)
    equal, below = _conditions(data, optimum)
    here = [rational(v) for v in optimum.b[: data.bias_size]]
    directions = _null_space([row for row, _ in equal], data.bias_size)
    rows, room = [], []
    for row, limit in below:
        along = [_dot(row, direction) for direction in directions]
        if any(along):
            rows.append([fraction(v) for v in along])
            room.append(fraction(limit - _dot(row, here)))
    out = []
    for c in range(data.d):
        target = [
            fraction(direction[c] if c < data.bias_size else -sum(direction, fmpq(0)))
            for direction in directions
        ]
        low, high = _farthest([-v for v in target], rows, room), _farthest(target, rows, room)
        out.append(
            (
                None if low is None else optimum.b[c] - low,
                None if high is None else optimum.b[c] + high,
            )
        )
    return tuple(out)


def _conditions(data: ExactData, optimum: ExactOptimum) -> tuple[list[Row], list[Row]]:
    """Equalities and inequalities (a . beta <= c) in beta; t_p(beta) = t_p(0) - <row_p, beta>."""
    alpha = {(i, p): rational(v) for i, row in enumerate(optimum.alpha) for p, v in enumerate(row)}
    coef = fmpq_mat([[rational(v) for v in row] for row in optimum.coef])
    t = data.violations(coef, [fmpq(0)] * data.d)
    nothing = [fmpq(0)] * data.bias_size
    equal: list[Row] = []
    below: list[Row] = []
    for members in groups(data):
        cost, mass = data.cost[members[0][0]], sum((alpha[m] for m in members), fmpq(0))
        slack_row, slack_at_zero = nothing, data.width * mass / cost
        if data.capped and mass == cost:
            leader = next(m for m in members if alpha[m] > 0)
            slack_row, slack_at_zero = data.bias_row(leader), t[leader]
            below.append((slack_row, slack_at_zero - data.width))  # xi = t_leader >= h
        for m in members:  # t_m - <row_m, beta> <= slack_at_zero - <slack_row, beta>
            row = [s - v for s, v in zip(slack_row, data.bias_row(m), strict=True)]
            (equal if alpha[m] > 0 else below).append((row, slack_at_zero - t[m]))
    return equal, below


def _null_space(rows: list[list[fmpq]], width: int) -> list[list[fmpq]]:
    if not rows:
        return [[fmpq(int(j == k)) for j in range(width)] for k in range(width)]
    reduced, rank = fmpq_mat(rows).rref()
    lines = reduced.tolist()[:rank]
    pivots = [next(j for j, v in enumerate(line) if v) for line in lines]
    basis = []
    for k in sorted(set(range(width)) - set(pivots)):
        direction = [fmpq(int(j == k)) for j in range(width)]
        for line, pivot in zip(lines, pivots, strict=True):
            direction[pivot] = -line[k]
        basis.append(direction)
    return basis


def _farthest(
    target: list[Fraction], rows: list[list[Fraction]], room: list[Fraction]
) -> Fraction | None:
    """max target . z over rows z <= room (z = 0 is feasible); None where unbounded."""
    if not any(target):
        return Fraction(0)
    try:
        best = maximize(target, rows, room)
    except UnboundedError:
        return None
    assert best is not None
    return Fraction(best.value)


def _dot(a: list[fmpq], b: list[fmpq]) -> fmpq:
    return sum((u * v for u, v in zip(a, b, strict=True)), fmpq(0))
