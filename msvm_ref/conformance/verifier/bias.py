"""The exact range of an optimal bias, by a small linear program in rationals."""

from __future__ import annotations

from fractions import Fraction

from .values import Row, Stated, dot, violations

PIVOTS = 300
"""Of the simplex method, for one end of one range; the published vectors take at most 5."""


def bias_interval(
    problem: Stated, W: list[Row], b: Row, alpha: list[Row]
) -> list[list[Fraction | None]]:
    """The least and largest b_c over all optimal b, given a proved optimum; None where there is none.

    Saddle points are interchangeable: b + z is optimal exactly when it meets the KKT conditions with this alpha, which are
    linear in z. alpha_p > 0 => t_p = xi; t_p <= xi; xi = 0 below full mass, xi >= 0 at it (linear), xi = mass / 2C (quadratic).
    """
    d, zero = problem.d, [Fraction(0)] * problem.d
    if problem.bias != "free":
        return [[v, v] for v in b]
    directions = [[Fraction(int(k == c)) for k in range(d)] for c in range(d)]
    shift_free = all(
        sum(problem.nu[y][p], Fraction(0)) == 0
        for y in range(d)
        for group in problem.groups[y]
        for p in group
    )
    if problem.sum_to_zero or shift_free:
        directions = orthogonal(directions, [Fraction(1)] * d)
    below: list[tuple[Row, Fraction]] = []
    for y, cost, row, slacks in zip(
        problem.y, problem.cost, alpha, violations(problem, W, b), strict=True
    ):
        for t in slacks:
            slack, mass = max(Fraction(0), *t.values()), sum(row[p] for p in t)
            moving = (
                not problem.quadratic and mass == cost
            )  # then xi is t of any p with alpha_p > 0, and follows b
            lead = problem.nu[y][next(p for p in t if row[p] > 0)] if moving else zero
            below += [(lead, slack)] * moving
            for p in t:
                along = [u - v for u, v in zip(lead, problem.nu[y][p], strict=True)]
                if row[p] > 0:
                    directions = orthogonal(directions, along)
                else:
                    below.append((along, slack - t[p]))
    room = dict.fromkeys(
        (tuple(dot(along, v) for v in directions), limit) for along, limit in below
    )
    rows = [(list(row), limit) for row, limit in room if any(row)]
    ends = [
        [farthest([sign * v[c] for v in directions], rows) for sign in (-1, 1)] for c in range(d)
    ]
    return [
        [None if low is None else b[c] - low, None if high is None else b[c] + high]
        for c, (low, high) in enumerate(ends)
    ]


def orthogonal(basis: list[Row], row: Row) -> list[Row]:
    """A basis of those combinations of ``basis`` on which ``row`` vanishes."""
    values = [dot(row, v) for v in basis]
    k = next((k for k, value in enumerate(values) if value), None)
    if k is None:
        return basis
    return [
        [u - value / values[k] * w for u, w in zip(v, basis[k], strict=True)]
        for j, (v, value) in enumerate(zip(basis, values, strict=True))
        if j != k
    ]


def farthest(target: Row, rows: list[tuple[Row, Fraction]]) -> Fraction | None:
    """max target . z over row . z <= limit (limits >= 0, z free); None where unbounded. Simplex with Bland's rule."""
    table = [[*row, *(-v for v in row), limit] for row, limit in rows] + [
        [*(-v for v in target), *target, Fraction(0)]
    ]
    width, height = 2 * len(target), len(rows)
    columns, basic = list(range(width)), list(range(width, width + height))
    for _ in range(PIVOTS):
        if all(v >= 0 for v in table[-1][:-1]):
            return table[-1][-1]
        j = min((j for j in range(width) if table[-1][j] < 0), key=lambda j: columns[j])
        ratios = [
            (table[i][-1] / table[i][j], basic[i], i) for i in range(height) if table[i][j] > 0
        ]
        if not ratios:
            return None
        i = min(ratios)[2]
        pivot, line = table[i][j], table[i]
        table[i] = [v / pivot if k != j else 1 / pivot for k, v in enumerate(line)]
        for m, other in enumerate(table):
            if m != i and other[j]:
                table[m] = [
                    v - other[j] * u if k != j else -other[j] / pivot
                    for k, (v, u) in enumerate(zip(other, table[i], strict=True))
                ]
        basic[i], columns[j] = columns[j], basic[i]
    raise ValueError(f"the range of b takes more than {PIVOTS} pivots")
