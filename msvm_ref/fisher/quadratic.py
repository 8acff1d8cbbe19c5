"""The minimisers of the pointwise risk with squared slacks: cvxpy guesses, rationals confirm.

    min  sum_y P_y sum_r xi_r^2   s.t.  t_p(f) <= xi_r,  xi >= 0

The objective is strictly convex in the slacks of classes with P_y > 0, so these are unique, and the minimisers are the
polyhedron {f : t_p(f) <= xi*_r}. With the active set A of the float solution, the optimality conditions
    t_p = xi_r on A;  t_p <= xi_r;  lambda >= 0, zero off A;  sum_{p in r} lambda_p = 2 P_y xi_r;  sum lambda nu = 0
are linear; an exact linear program decides them, and a point that satisfies them is optimal, whatever cvxpy thought.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from msvm_ref.errors import BackendError
from msvm_ref.exact.lp import Infeasible, Program
from msvm_ref.fisher.loss import Component, Group, Number, PointLoss
from msvm_ref.fisher.region import Constraint, centred

NEAR = (1e-5, 1e-7, 1e-3, 1e-9)
"""How close to the slack a violation counts as active, tried in turn."""


def quadratic_minimum(
    loss: PointLoss, P: Sequence[Number]
) -> tuple[Number, tuple[Constraint, ...]]:
    groups = [(y, group) for y in range(loss.d) if P[y] > 0 for group in loss.groups[y]]
    guess = _float_scores(loss, groups, P)
    for near in NEAR:
        active = [[p for p in group if _near(p, group, guess, near)] for _, group in groups]
        xi = _confirm(loss, groups, P, active)
        if xi is not None:
            value = sum((P[y] * s * s for (y, _), s in zip(groups, xi, strict=True)), loss.zero)
            rows = [
                Constraint(p.nu, s - p.gamma, ">=")
                for (_, group), s in zip(groups, xi, strict=True)
                for p in group
            ]
            pin = [centred(loss.d, loss.zero)] if loss.pinned else []
            return value, (*pin, *(c for c in rows if any(c.normal)))
    raise BackendError(
        "minimize_risk",
        "confirm the quadratic minimum in rationals",
        "no active set that fits",
        "move P a little, or use the linear cost",
    )


def _float_scores(loss: PointLoss, groups: list[tuple[int, Group]], P: Sequence[Number]) -> Any:
    import cvxpy as cp

    f, xi = cp.Variable(loss.d), cp.Variable(len(groups), nonneg=True)
    rows = [
        _float(p.gamma) - np.array([_float(v) for v in p.nu]) @ f <= xi[r]
        for r, (_, group) in enumerate(groups)
        for p in group
    ]
    if loss.pinned:
        rows.append(cp.sum(f) == 0)
    weights = np.sqrt([_float(P[y]) for y, _ in groups])
    model = cp.Problem(cp.Minimize(cp.sum_squares(cp.multiply(weights, xi))), rows)
    model.solve(solver=cp.CLARABEL)
    if f.value is None:
        raise BackendError("minimize_risk", "be solved by Clarabel", str(model.status))
    return f.value


def _near(p: Component, group: Group, f: Any, near: float) -> bool:
    def violation(q: Component) -> float:
        return _float(q.gamma) - float(np.dot([_float(v) for v in q.nu], f))

    return violation(p) >= max(0.0, *(violation(q) for q in group)) - near


def _float(value: Number) -> float:
    return int(value.p) / int(value.q)


def _confirm(
    loss: PointLoss,
    groups: list[tuple[int, Group]],
    P: Sequence[Number],
    active: list[list[Component]],
) -> list[Number] | None:
    """Exact slacks that satisfy the optimality conditions on this active set, or None."""
    d, zero, one, n = loss.d, loss.zero, loss.zero + 1, len(groups)
    parts = [(r, p) for r in range(n) for p in active[r]]
    first = d + n
    program = Program(zero, [True] * d + [False] * (n + len(parts)) + [True] * loss.sum_to_zero)
    for r, (y, group) in enumerate(groups):
        for p in group:
            row = {**{m: -v for m, v in enumerate(p.nu) if v}, d + r: -one}
            (program.equal if p in active[r] else program.at_most)(row, -p.gamma)
        program.equal(
            {**{first + q: one for q, (s, _) in enumerate(parts) if s == r}, d + r: -2 * P[y]}, zero
        )
    for m in range(d):
        row = {first + q: p.nu[m] for q, (_, p) in enumerate(parts) if p.nu[m]}
        if loss.sum_to_zero:
            row[first + len(parts)] = one
        program.equal(row, zero)
    if loss.pinned:
        program.equal(dict.fromkeys(range(d), one), zero)
    result = program.maximize({})
    return None if isinstance(result, Infeasible) else [result.x[d + r] for r in range(n)]
