"""The minimisers of the pointwise risk with a smooth cost, squared or Huber's: cvxpy guesses, rationals confirm.

    min  sum_y P_y sum_r phi(xi_r)   s.t.  t_p(f) <= xi_r,  xi >= 0                        (phi, h: ``model/cost.py``)

With the active set A of the float solution and the groups where it exceeds h (a capped cost: steep), the optimality conditions

    t_p = xi_r on A;  t_p <= xi_r;  lambda >= 0, zero off A;  sum lambda nu = 0;
    sum_{p in r} lambda_p = P_y xi_r / h,  or where steep  P_y  with xi_r >= h

are linear; an exact linear program decides them, and a point that satisfies them is optimal, whatever cvxpy thought. Saddle
points are interchangeable, so the minimisers are all f that satisfy them with this lambda: a polyhedron, in which a group's
slack is h (sum lambda) / P_y where that sum is below P_y, and the largest t_p, at least h, where it is P_y.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from msvm_ref.errors import BackendError
from msvm_ref.exact.lp import Infeasible, Program
from msvm_ref.exact.numbers import rational
from msvm_ref.fisher.loss import Component, Group, Number, PointLoss
from msvm_ref.fisher.region import Constraint, centred
from msvm_ref.model.cost import SlackCost, slack_cost

SQUARED = slack_cost("quadratic")
NEAR = (1e-5, 1e-7, 1e-3, 1e-9)
"""How close to the slack a violation counts as active, tried in turn."""


def quadratic_minimum(
    loss: PointLoss, P: Sequence[Number], cost: SlackCost = SQUARED
) -> tuple[Number, tuple[Constraint, ...]]:
    """(min R_P, its minimisers) for the loss with slacks of that cost; ``loss`` says margins, targets and groups."""
    groups = [(y, group) for y in range(loss.d) if P[y] > 0 for group in loss.groups[y]]
    guess, h = _float_scores(loss, groups, P, cost), rational(cost.width)
    for near in NEAR:
        active = [[p for p in group if _near(p, group, guess, near)] for _, group in groups]
        steep = [
            cost.capped and max(_violation(p, guess) for p in group) > float(cost.width)
            for _, group in groups
        ]
        confirmed = _confirm(loss, groups, P, active, steep, h)
        if confirmed is not None:
            value, rows = loss.zero, [centred(loss.d, loss.zero)] if loss.pinned else []
            for (y, group), xi, held in zip(groups, *confirmed, strict=True):
                full = cost.capped and sum(held.values(), loss.zero) == P[y]
                value += P[y] * (xi - h / 2 if full else xi * xi / (2 * h))
                rows += _minimisers(group, xi, held, h if full else None)
            return value, tuple(c for c in rows if any(c.normal))
    raise BackendError(
        "minimize_risk",
        "confirm the smooth minimum in rationals",
        "no active set that fits",
        "move P a little, or use the linear cost",
    )


def _minimisers(
    group: Group, xi: Number, held: dict[Component, Number], least: Number | None
) -> list[Constraint]:
    """t_p <= xi with equality where lambda_p > 0; ``least``: xi is the t of a component with lambda > 0, at least that."""
    if least is None:
        return [Constraint(p.nu, xi - p.gamma, "=" if held.get(p) else ">=") for p in group]
    first = next(p for p in group if held.get(p))
    rows = [Constraint(tuple(-v for v in first.nu), first.gamma - least, ">=")]
    for p in group:  # t_first - t_p = gamma_first - gamma_p + <nu_p - nu_first, f>
        apart = tuple(v - u for u, v in zip(first.nu, p.nu, strict=True))
        rows.append(Constraint(apart, first.gamma - p.gamma, "=" if held.get(p) else ">="))
    return rows


def _float_scores(
    loss: PointLoss, groups: list[tuple[int, Group]], P: Sequence[Number], cost: SlackCost
) -> Any:
    import cvxpy as cp

    f, curved = cp.Variable(loss.d), cp.Variable(len(groups), nonneg=True)
    steep = cp.Variable(len(groups), nonneg=True) if cost.capped else np.zeros(len(groups))
    rows = [
        _float(p.gamma) - np.array([_float(v) for v in p.nu]) @ f <= curved[r] + steep[r]
        for r, (_, group) in enumerate(groups)
        for p in group
    ]
    if loss.pinned:
        rows.append(cp.sum(f) == 0)
    weights = np.array([_float(P[y]) for y, _ in groups])
    root = np.sqrt(weights / (2 * float(cost.width)))
    risk = cp.sum_squares(cp.multiply(root, curved)) + weights @ steep
    model = cp.Problem(cp.Minimize(risk), rows)
    model.solve(solver=cp.CLARABEL)
    if f.value is None:
        raise BackendError("minimize_risk", "be solved by Clarabel", str(model.status))
    return f.value


def _violation(p: Component, f: Any) -> float:
    return _float(p.gamma) - float(np.dot([_float(v) for v in p.nu], f))


def _near(p: Component, group: Group, f: Any, near: float) -> bool:
    return _violation(p, f) >= max(0.0, *(_violation(q, f) for q in group)) - near


def _float(value: Number) -> float:
    return int(value.p) / int(value.q)


def _confirm(
    loss: PointLoss,
    groups: list[tuple[int, Group]],
    P: Sequence[Number],
    active: list[list[Component]],
    steep: list[bool],
    h: Number,
) -> tuple[list[Number], list[dict[Component, Number]]] | None:
    """Exact slacks, and lambda by group, that satisfy the optimality conditions on this active set, or None."""
    d, zero, one, n = loss.d, loss.zero, loss.zero + 1, len(groups)
    parts = [(r, p) for r in range(n) for p in active[r]]
    first = d + n
    program = Program(zero, [True] * d + [False] * (n + len(parts)) + [True] * loss.sum_to_zero)
    for r, (y, group) in enumerate(groups):
        for p in group:
            row = {**{m: -v for m, v in enumerate(p.nu) if v}, d + r: -one}
            (program.equal if p in active[r] else program.at_most)(row, -p.gamma)
        mass = {first + q: one for q, (s, _) in enumerate(parts) if s == r}
        if steep[r]:
            program.equal(mass, P[y])
            program.at_most({d + r: -one}, -h)
        else:
            program.equal({**mass, d + r: -P[y] / h}, zero)
    for m in range(d):
        row = {first + q: p.nu[m] for q, (_, p) in enumerate(parts) if p.nu[m]}
        if loss.sum_to_zero:
            row[first + len(parts)] = one
        program.equal(row, zero)
    if loss.pinned:
        program.equal(dict.fromkeys(range(d), one), zero)
    result = program.maximize({})
    if isinstance(result, Infeasible):
        return None
    held: list[dict[Component, Number]] = [{} for _ in range(n)]
    for q, (r, p) in enumerate(parts):
        held[r][p] = result.x[first + q]
    return [result.x[d + r] for r in range(n)], held
