"""A small exact linear-programming solver: two-phase simplex over rationals with Bland's rule."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

Row = Sequence[Fraction]


@dataclass(frozen=True)
class Optimum:
    value: Fraction
    x: tuple[Fraction, ...]


class UnboundedError(ArithmeticError):
    """The objective grows without bound over the feasible set."""


def maximize(c: Row, a_ub: Sequence[Row], b_ub: Row, a_eq: Sequence[Row] = (), b_eq: Row = ()) -> Optimum | None:
    """max c.x  s.t.  a_ub x <= b_ub, a_eq x = b_eq, x free; None where infeasible, UnboundedError raised where unbounded.

    x = u - v with u, v >= 0, one slack per inequality, one artificial variable per row; Bland's rule never cycles.
    """
    n, m_ub = len(c), len(a_ub)
    rows: list[list[Fraction]] = []
    total = 2 * n + m_ub
    count = m_ub + len(a_eq)
    for k, (row, rhs) in enumerate([*zip(a_ub, b_ub, strict=True), *zip(a_eq, b_eq, strict=True)]):
        slack = [Fraction(int(k == j)) for j in range(m_ub)]
        line = [*row, *(-v for v in row), *slack, rhs]
        if rhs < 0:
            line = [-v for v in line]
        artificial = [Fraction(int(k == j)) for j in range(count)]
        rows.append([*line[:-1], *artificial, line[-1]])
    basis = [total + k for k in range(count)]
    width = total + count
    phase1 = [Fraction(0)] * total + [Fraction(-1)] * count
    if _simplex(rows, basis, phase1, width) != 0:
        return None
    _drive_out_artificials(rows, basis, total)
    phase2 = [*c, *(-v for v in c), *([Fraction(0)] * m_ub)]
    for row in rows:
        del row[total:width]
    value = _simplex(rows, basis, phase2, total)
    z = [Fraction(0)] * total
    for row, j in zip(rows, basis, strict=True):
        z[j] = row[-1]
    return Optimum(value, tuple(z[j] - z[n + j] for j in range(n)))


def _simplex(rows: list[list[Fraction]], basis: list[int], cost: Sequence[Fraction], width: int) -> Fraction:
    """Run the tableau to optimality for ``max cost.z``; rows end with their right-hand side."""
    reduced = [cost[j] - sum((cost[k] * row[j] for row, k in zip(rows, basis, strict=True) if row[j]), Fraction(0))
               for j in range(width)]
    while True:
        enter = next((j for j in range(width) if reduced[j] > 0), None)
        if enter is None:
            return sum((cost[k] * row[-1] for row, k in zip(rows, basis, strict=True)), Fraction(0))
        ratios = [(row[-1] / row[enter], basis[i], i) for i, row in enumerate(rows) if row[enter] > 0]
        if not ratios:
            raise UnboundedError("the linear program is unbounded")
        leave = min(ratios)[2]
        _pivot(rows, basis, leave, enter)
        factor = reduced[enter]
        reduced = [r - factor * v for r, v in zip(reduced, rows[leave], strict=False)]


def _pivot(rows: list[list[Fraction]], basis: list[int], leave: int, enter: int) -> None:
    pivot = rows[leave][enter]
    rows[leave] = [v / pivot for v in rows[leave]]
    for i, row in enumerate(rows):
        if i != leave and row[enter]:
            factor = row[enter]
            rows[i] = [v - factor * w for v, w in zip(row, rows[leave], strict=True)]
    basis[leave] = enter


def _drive_out_artificials(rows: list[list[Fraction]], basis: list[int], total: int) -> None:
    """Replace artificial basics (all at zero) by real columns; a row without one is redundant and goes."""
    for i in reversed(range(len(rows))):
        if basis[i] >= total:
            enter = next((j for j in range(total) if rows[i][j]), None)
            if enter is None:
                del rows[i], basis[i]
            else:
                _pivot(rows, basis, i, enter)


def rank(rows: Sequence[Row]) -> int:
    """The exact rank of a rational matrix, by elimination."""
    work, found = [list(row) for row in rows], 0
    for column in range(len(work[0]) if work else 0):
        pivot = next((i for i in range(found, len(work)) if work[i][column]), None)
        if pivot is None:
            continue
        work[found], work[pivot] = work[pivot], work[found]
        for i in range(found + 1, len(work)):
            factor = work[i][column] / work[found][column]
            if factor:
                work[i] = [v - factor * w for v, w in zip(work[i], work[found], strict=True)]
        found += 1
    return found
