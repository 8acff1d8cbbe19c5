"""The slow truth the fast code is held against: the risk as a primal linear program in the model's own simplex."""

from __future__ import annotations

from fractions import Fraction

from msvm_ref.exact.linear_algebra import maximize
from msvm_ref.model.machine import Machine

F = Fraction


def ranked_first(machine: Machine, P: list[Fraction]) -> tuple[Fraction, list[int]]:
    """(least risk, classes that some minimiser ranks first)."""
    d = len(P)
    nu, gamma, counts = machine.nu(d), machine.gamma(d), machine.aggregation.mask(d)
    groups = []
    for y in range(d):
        parts = [c for c in range(d) if counts[y, c]]
        groups += (
            [(y, parts)] if machine.aggregation.slack == "shared" else [(y, [c]) for c in parts]
        )
    m = len(groups)
    A, b = [], []
    for r, (y, parts) in enumerate(groups):
        pick = [F(-int(q == r)) for q in range(m)]
        for c in parts:
            A.append([*(-v for v in nu[y][c]), *pick])
            b.append(-gamma[y][c])
        A.append([*[F(0)] * d, *pick])
        b.append(F(0))
    equal = [[*[F(1)] * d, *[F(0)] * m]] if machine.sum_to_zero else []
    cost = [*[F(0)] * d, *(-P[y] for y, _ in groups)]
    best = maximize(cost, A, b, equal, [F(0)] * len(equal))
    assert best is not None
    A.append([-v for v in cost])
    b.append(-best.value)
    ranked = []
    for k in range(d):
        order = [
            [*(F((v == c) - (v == k)) for v in range(d)), *[F(0)] * m] for c in range(d) if c != k
        ]
        if (
            maximize(
                [F(0)] * (d + m), A + order, b + [F(0)] * len(order), equal, [F(0)] * len(equal)
            )
            is not None
        ):
            ranked.append(k)
    return -best.value, ranked
