"""Lemke's method in rationals: an exact optimum of a convex quadratic program, whatever its degeneracy.

    find w, z >= 0 with  w - M z = q,  w'z = 0.

For M positive semi-definite Lemke's path ends at a solution, or on a ray where none exists (Cottle, Pang, Stone, "The
Linear Complementarity Problem", 1992, section 4.4). The lexicographic ratio test makes it finite without exception.
The KKT conditions of the dual QP over chosen pairs are such a problem, with z = (alpha, xi, b+, b-):

    w_p = H alpha + xi + <Pi nu_p, b> - q_p >= 0,   C - (group sums) >= 0 (a capped cost),   +-(sum alpha Pi nu - r) >= 0.
"""

from __future__ import annotations

from collections.abc import Sequence

from flint import fmpq

from msvm_ref.exact.active import CheckTime, ExactPoint, whole_bias
from msvm_ref.exact.data import ExactData, Pair

Row = list[fmpq]


def lemke(M: Sequence[Row], q: Row, check_time: CheckTime) -> Row | None:
    """z of a solution, or None where the path ends on a ray."""
    n = len(q)
    if all(v >= 0 for v in q):
        return [fmpq(0)] * n
    zero, one = fmpq(0), fmpq(1)
    # columns: w (n), z (n), z0, right-hand side
    rows = [
        [*(one if k == i else zero for k in range(n)), *(-v for v in M[i]), -one, q[i]]
        for i in range(n)
    ]
    basis = list(range(n))
    row, entering = min(range(n), key=lambda i: (q[i], -i)), 2 * n
    while True:
        check_time()
        leaving = basis[row]
        _pivot(rows, row, entering, check_time)
        basis[row] = entering
        if leaving == 2 * n:
            z = [zero] * n
            for i, variable in enumerate(basis):
                if n <= variable < 2 * n:
                    z[variable - n] = rows[i][-1]
            return z
        entering = leaving + n if leaving < n else leaving - n
        candidates = [i for i in range(n) if rows[i][entering] > 0]
        if not candidates:
            return None
        row = _lexicographic_minimum(rows, candidates, entering, basis.index(2 * n))


def _lexicographic_minimum(
    rows: list[Row], candidates: list[int], entering: int, artificial: int
) -> int:
    """The row whose (right-hand side, w-columns) / pivot is least; the artificial variable leaves as soon as it may."""
    width = len(rows)
    for column in (-1, *range(width)):
        ratios = [rows[i][column] / rows[i][entering] for i in candidates]
        least = min(ratios)
        candidates = [i for i, ratio in zip(candidates, ratios, strict=True) if ratio == least]
        if column == -1 and artificial in candidates:
            return artificial
        if len(candidates) == 1:
            break
    return candidates[0]


def _pivot(rows: list[Row], row: int, column: int, check_time: CheckTime) -> None:
    pivot = rows[row][column]
    line = [v / pivot if v else v for v in rows[row]]
    rows[row] = line
    touched = [(j, v) for j, v in enumerate(line) if v]
    for i, other in enumerate(rows):
        factor = other[column]
        check_time()
        if i != row and factor:
            for j, v in touched:
                other[j] -= factor * v


def solve_pairs(
    data: ExactData, pairs: list[Pair], bound: list[Pair], check_time: CheckTime
) -> ExactPoint | None:
    """The exact optimum over alpha on ``pairs`` with alpha = C on ``bound`` and 0 elsewhere; None where infeasible."""
    pushed = data.violations(
        data.expansion({pair: data.cost[pair[0]] for pair in bound}), [fmpq(0)] * data.d
    )
    groups = list(dict.fromkeys(map(data.group, pairs))) if data.capped else []
    place = {group: len(pairs) + k for k, group in enumerate(groups)}
    size = len(pairs) + len(groups) + 2 * data.bias_size
    M = [[fmpq(0)] * size for _ in range(size)]
    q = [-pushed[pair] for pair in pairs] + [fmpq(0)] * (size - len(pairs))
    first_bias = len(pairs) + len(groups)
    for k, pair in enumerate(pairs):
        check_time()
        for m in range(k, len(pairs)):
            M[k][m] = M[m][k] = data.hessian(pair, pairs[m])
        if groups:
            j = place[data.group(pair)]
            M[k][j], M[j][k], q[j] = fmpq(1), fmpq(-1), data.cost[pair[0]]
        for c, value in enumerate(data.bias_row(pair) if data.free_bias else []):
            for j, sign in ((first_bias + c, 1), (first_bias + data.bias_size + c, -1)):
                M[k][j], M[j][k] = sign * value, -sign * value
    for pair in bound:
        for c, value in enumerate(data.bias_row(pair) if data.free_bias else []):
            q[first_bias + c] -= value * data.cost[pair[0]]
            q[first_bias + data.bias_size + c] += value * data.cost[pair[0]]
    z = lemke(M, q, check_time)
    if z is None:
        return None
    alpha = {pair: fmpq(0) for pair in data.pairs}
    alpha |= {pair: data.cost[pair[0]] for pair in bound} | dict(zip(pairs, z, strict=False))
    plus, minus = z[first_bias : first_bias + data.bias_size], z[first_bias + data.bias_size :]
    return ExactPoint(
        alpha,
        whole_bias(data, [u - v for u, v in zip(plus, minus, strict=True)], data.expansion(alpha)),
    )
