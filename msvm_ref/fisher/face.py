"""The minimisers of the pointwise risk, all of them: an explicit polyhedron from one dual solution.

    min_f R_P(f) = max { sum_p gamma_p lambda_p : lambda >= 0, sum_{p in r} lambda_p <= P_y, sum_p lambda_p nu_p = 0 }

Complementary slackness with one optimal lambda describes *every* minimiser: for each group r of a class with P_y > 0,
components with lambda_p > 0 attain the group's slack, and the slack is 0 where sum lambda_p < P_y.
Classes with P_y = 0 constrain nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from msvm_ref.exact.lp import Infeasible, Program
from msvm_ref.fisher.loss import Component, Number, PointLoss, Vector
from msvm_ref.fisher.region import Constraint, centred


@dataclass(frozen=True)
class Minimum:
    """``value`` = min R_P, attained at ``f``; ``face`` describes all minimisers (one per constant, if constants shift)."""

    value: Number
    f: Vector
    face: tuple[Constraint, ...]


def minimum(loss: PointLoss, P: Sequence[Number]) -> Minimum:
    d, zero, one = loss.d, loss.zero, loss.zero + 1
    parts = [(y, r, p) for y in range(d) for r, group in enumerate(loss.groups[y]) for p in group]
    program = Program(zero, [False] * len(parts) + [True] * loss.sum_to_zero)
    for m in range(d):
        row = {q: p.nu[m] for q, (_, _, p) in enumerate(parts) if p.nu[m]}
        if loss.sum_to_zero:
            row[len(parts)] = one
        program.equal(row, zero)
    for y in range(d):
        for r in range(len(loss.groups[y])):
            program.at_most({q: one for q, (z, s, _) in enumerate(parts) if (z, s) == (y, r)}, P[y])
    result = program.maximize({q: p.gamma for q, (_, _, p) in enumerate(parts)})
    assert not isinstance(result, Infeasible)  # lambda = 0 is feasible
    f = result.y_eq
    if loss.pinned:
        mean = sum(f, zero) / d
        f = tuple(v - mean for v in f)
    weight = {(y, p.c): result.x[q] for q, (y, _, p) in enumerate(parts)}
    face = [centred(d, zero)] if loss.pinned else []
    for y in range(d):
        if P[y] > 0:
            for group in loss.groups[y]:
                face += _complementary(group, [weight[y, p.c] for p in group], P[y])
    return Minimum(result.value, tuple(f), tuple(c for c in face if any(c.normal)))


def _complementary(
    group: Sequence[Component], weights: Sequence[Number], P_y: Number
) -> list[Constraint]:
    lead = next((p for p, w in zip(group, weights, strict=True) if w > 0), None)
    if lead is None:
        return [Constraint(p.nu, -p.gamma, ">=") for p in group]
    filled = sum(weights, P_y * 0) == P_y
    rows = [Constraint(tuple(-v for v in lead.nu), lead.gamma, ">=" if filled else "=")]
    for p, w in zip(group, weights, strict=True):
        if p is not lead:  # t_lead - t_p
            normal = tuple(u - v for u, v in zip(p.nu, lead.nu, strict=True))
            rows.append(Constraint(normal, lead.gamma - p.gamma, "=" if w > 0 else ">="))
    return rows


def lowest(
    loss: PointLoss, P: Sequence[Number], region: Sequence[Constraint]
) -> tuple[Number, Vector]:
    """The least risk over a non-empty closed region of scores, and scores that have it."""
    d, zero, one = loss.d, loss.zero, loss.zero + 1
    groups = [(y, group) for y in range(d) for group in loss.groups[y]]
    program = Program(zero, [True] * d + [False] * len(groups))
    for q, (_, group) in enumerate(groups):
        for p in group:
            program.at_most({**{m: -v for m, v in enumerate(p.nu) if v}, d + q: -one}, -p.gamma)
    for c in region:
        row = {m: -v for m, v in enumerate(c.normal) if v}
        (program.equal if c.kind == "=" else program.at_most)(row, c.constant)
    result = program.maximize({d + q: -P[y] for q, (y, _) in enumerate(groups)})
    assert not isinstance(result, Infeasible)
    return -result.value, tuple(result.x[:d])
