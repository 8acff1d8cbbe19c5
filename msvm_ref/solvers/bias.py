"""The free bias for given weights: an optimal b, and the interval each b_c may range over when b is not unique.

With W fixed the loss is a convex function of b alone. Linear cost: a linear program; the optimal b are
a face of it. A smooth cost: the slacks of groups below their cap are unique, so the optimal b are those that reproduce them,
keep those at the cap above the width, and keep every component with a positive multiplier at its slack. Where adding one
constant to every b_c changes no margin (relative machines), b is reported with sum_c b_c = 0.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.optimize import linprog, minimize

from msvm_ref.model.arrays import Array
from msvm_ref.model.loss import (
    expansion,
    group_sums,
    pair_rows,
    ridges,
    shift_free,
    slack_loss,
    slack_rate,
    slacks,
    violations,
)
from msvm_ref.model.machine import Target
from msvm_ref.model.problem import Problem

Index = NDArray[np.int64]
SLACK = 1e-9
"""How far (relative) the loss may rise, or a unique slack move, for b to count as optimal: W itself is only that good."""


def optimal_bias(problem: Problem, scores: Array, alpha: Array) -> Array:
    """argmin_b sum_i C_i L(scores_i + b, y_i), centred under sum-to-zero; ``scores`` are those without bias.

    alpha helps only with a smooth cost, where a positive alpha_ip says t_p = xi = h (group sum) / C_i below the cap.
    """
    if problem.spec.width:
        return _smooth_bias(problem, scores, alpha)
    program = _program(problem, scores)
    optimum = linprog(program["c"], **{k: v for k, v in program.items() if k != "c"})
    return np.zeros(problem.d) if optimum.x is None else np.asarray(optimum.x[: problem.d])


def lossless_bias(problem: Problem) -> Array | None:
    """A b that meets every target of every class with examples, W being 0: where there is one the optimum is 0, and only there.

    max t  s.t.  <(Pi nu)_p, b> >= gamma_p + t, t <= 1 over the rows that are not 0: met with room, where that is possible.
    Where classes are treated alike the mean of b over permutations of those with examples, and of those without, is as good:
    b takes two values then, and of each kind of row one is enough.
    """
    if problem.bias != "free":
        return None
    spec, present = problem.spec, np.bincount(problem.y, problem.costs > 0, minlength=problem.d) > 0
    asked = spec.mask & present[:, None]
    values = np.eye(problem.d)
    if spec.alike is not None and isinstance(problem.machine.target, Target):
        values = np.column_stack([present, ~present]).astype(float)
        with_, without = np.flatnonzero(present), np.flatnonzero(~present)
        asked = np.zeros_like(asked)
        asked[with_[:1], np.append(with_[:2], without[:1])] = True
        asked &= spec.mask
    y, p = np.nonzero(asked)
    rows, targets = pair_rows(spec, y, p) @ values, spec.gamma[y, p]
    binding = rows.any(axis=1)
    if (targets[~binding] > 0).any():
        return None
    program = {
        "c": np.append(np.zeros(values.shape[1]), -1.0),
        "A_ub": np.column_stack([-rows, binding.astype(float)])[binding],
        "b_ub": -targets[binding],
        "bounds": [(None, None)] * values.shape[1] + [(None, 1.0)],
        "method": "highs",
    }
    if spec.sum_to_zero or shift_free(problem):
        program |= {"A_eq": np.append(values.sum(axis=0), 0.0)[None, :], "b_eq": [0.0]}
    optimum = linprog(**program)
    if optimum.x is None or optimum.x[-1] < 0:
        return None
    return np.asarray(values @ optimum.x[:-1])


def estimated_interval(problem: Problem, scores: Array, b: Array, alpha: Array) -> Array:
    """(d, 2): the least and the largest b_c over the b that are optimal for *these* scores; +-inf where nothing holds it.

    An estimate: the optimum's own scores differ from these by what the certificate's distance bound allows.
    """
    level = (
        _smooth_level(problem, scores, b, alpha)
        if problem.spec.width
        else _linear_level(problem, scores)
    )
    out = np.empty((problem.d, 2))
    for c in range(problem.d):
        for side, sign in enumerate((1.0, -1.0)):
            objective = np.zeros(len(level["c"]))
            objective[c] = sign
            extreme = linprog(objective, **{k: v for k, v in level.items() if k != "c"})
            out[c, side] = (
                sign * extreme.fun
                if extreme.status == 0
                else -sign * np.inf
                if extreme.status in (3, 4)
                else b[c]
            )
    return out


def _rows(problem: Problem) -> tuple[Index, Index, Array]:
    """(i, p) of every component that counts, and its row (Pi nu)[y_i,p,:]."""
    i, p = np.nonzero(problem.spec.mask[problem.y] & (problem.costs > 0)[:, None])
    return i, p, pair_rows(problem.spec, problem.y[i], p)


def _program(problem: Problem, scores: Array) -> dict[str, Any]:
    """min sum C_i/max C xi_ir over (b, xi >= 0)  s.t.  -<nu_p, b> - xi <= -t, sum b = 0 under sum-to-zero."""
    d, (i, p, rows) = problem.d, _rows(problem)
    t = violations(problem, scores)[i, p]
    group = i if problem.spec.shared else np.arange(len(i))
    cost = problem.costs if problem.spec.shared else problem.costs[i]
    slack = sparse.csr_array(
        (-np.ones(len(i)), (np.arange(len(i)), group)), shape=(len(i), len(cost))
    )
    program: dict[str, Any] = {
        "c": np.concatenate([np.zeros(d), cost / cost.max(initial=1e-300)]),
        "A_ub": sparse.hstack([sparse.csr_array(-rows), slack]).tocsr(),
        "b_ub": -t,
        "bounds": [(None, None)] * d + [(0, None)] * len(cost),
        "method": "highs",
    }
    return _centred(problem, program, d + len(cost))


def _centred(problem: Problem, program: dict[str, Any], width: int) -> dict[str, Any]:
    if problem.spec.sum_to_zero or shift_free(problem):
        line = np.zeros((1, width))
        line[0, : problem.d] = 1.0
        program |= {"A_eq": line, "b_eq": [0.0]}
    return program


def _linear_level(problem: Problem, scores: Array) -> dict[str, Any]:
    """The LP's feasible set with the loss held at its minimum."""
    program = _program(problem, scores)
    optimum = linprog(program["c"], **{k: v for k, v in program.items() if k != "c"})
    ceiling = optimum.fun + SLACK * max(abs(optimum.fun), 1e-3)  # the largest cost counts as 1
    program["A_ub"] = sparse.vstack(
        [program["A_ub"], sparse.csr_array(program["c"][None, :])]
    ).tocsr()
    program["b_ub"] = np.append(program["b_ub"], ceiling)
    return program


def _smooth_level(problem: Problem, scores: Array, b: Array, alpha: Array) -> dict[str, Any]:
    """{b : t_p <= xi for every component, t_p = xi where alpha_p > 0}, xi the unique slacks, or t of a group's first component
    (at least h) where the group is at its cap.
    """
    i, p, rows = _rows(problem)
    t = violations(problem, scores + b)
    xi = np.broadcast_to(slacks(problem, t), t.shape)[i, p]
    first = np.broadcast_to(t.argmax(axis=1)[:, None], t.shape)[i, p] if problem.spec.shared else p
    lead = pair_rows(problem.spec, problem.y[i], first)
    t = t[i, p]
    tolerance = SLACK**0.5 * max(float(xi.max(initial=0.0)), float(abs(problem.spec.gamma).max()))
    held = alpha[i, p] > SLACK**0.5 * alpha.max(initial=0.0)
    full = _mass(problem, alpha, i, p) >= problem.costs[i] * (1 - SLACK**0.5)
    full &= problem.spec.capped
    apart = np.where(full[:, None], lead, 0.0) - rows  # t_p - xi moves by <apart, change of b>
    above = np.concatenate([apart, -apart[held], lead[full]])
    room = np.concatenate([xi - t, (t - xi)[held], xi[full] - problem.spec.width])
    program = {
        "c": np.zeros(problem.d),
        "A_ub": above,
        "b_ub": room + above @ b + tolerance,
        "bounds": [(None, None)] * problem.d,
        "method": "highs",
    }
    return _centred(problem, program, problem.d)


def _mass(problem: Problem, alpha: Array, i: Index, p: Index) -> Array:
    """The sum of each component's slack group."""
    return np.asarray(np.broadcast_to(group_sums(problem, alpha), alpha.shape)[i, p])


def _smooth_bias(problem: Problem, scores: Array, alpha: Array) -> Array:
    """The b that alpha's complementarity asks for (least squares), then BFGS on the once differentiable loss."""

    def loss(b: Array) -> tuple[float, Array]:
        t = violations(problem, scores + b)
        xi = slacks(problem, t)
        top = (t == t.max(axis=1, keepdims=True)) if problem.spec.shared else np.isfinite(t)
        share = top / (top.sum(axis=1, keepdims=True) if problem.spec.shared else 1)
        weight = problem.costs[:, None] * slack_rate(problem.spec, xi) * share
        slope = expansion(problem, weight).sum(axis=0)
        return float((problem.costs[:, None] * slack_loss(problem.spec, xi)).sum()), -slope

    i, p, rows = _rows(problem)
    mass = _mass(problem, alpha, i, p)
    held = alpha[i, p] > 1e-6 * alpha.max(initial=0.0)
    if problem.spec.capped:
        held &= mass < problem.costs[i] * (1 - 1e-6)
    xi = ridges(problem)[i] * mass
    residual = (violations(problem, scores)[i, p] - xi)[held]
    start = (
        np.linalg.lstsq(rows[held], residual, rcond=None)[0] if held.any() else np.zeros(problem.d)
    )
    rough = np.asarray(minimize(loss, start, jac=True, method="BFGS", options={"gtol": 1e-12}).x)
    return min((start, rough), key=lambda b: loss(b)[0])
