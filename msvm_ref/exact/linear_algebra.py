"""Small exact linear algebra over Fractions: linear programs in free variables, and ranks."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from msvm_ref.exact.lp import Infeasible, Optimum, Program

Row = Sequence[Fraction]


def maximize(
    c: Row, a_ub: Sequence[Row], b_ub: Row, a_eq: Sequence[Row] = (), b_eq: Row = ()
) -> Optimum | None:
    """max c.x  s.t.  a_ub x <= b_ub, a_eq x = b_eq, x free; None where infeasible, UnboundedError where unbounded."""
    program = Program(Fraction(0), [True] * len(c))
    for row, bound in zip(a_ub, b_ub, strict=True):
        program.at_most(_sparse(row), bound)
    for row, value in zip(a_eq, b_eq, strict=True):
        program.equal(_sparse(row), value)
    outcome = program.maximize(_sparse(c))
    return None if isinstance(outcome, Infeasible) else outcome


def _sparse(row: Row) -> dict[int, Fraction]:
    return {j: v for j, v in enumerate(row) if v}


def rank(rows: Sequence[Row]) -> int:
    """The exact rank of a rational matrix, by elimination."""
    work, pivots = [list(row) for row in rows], 0
    for column in range(len(work[0]) if work else 0):
        pivot = next((i for i in range(pivots, len(work)) if work[i][column]), None)
        if pivot is None:
            continue
        work[pivots], work[pivot] = work[pivot], work[pivots]
        for i in range(pivots + 1, len(work)):
            factor = work[i][column] / work[pivots][column]
            if factor:
                work[i] = [v - factor * w for v, w in zip(work[i], work[pivots], strict=True)]
        pivots += 1
    return pivots
