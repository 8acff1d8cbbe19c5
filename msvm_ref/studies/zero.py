"""Is w* = 0? An upper bound on ||W*|| from multipliers, not from a solver's small numbers.

Without bias, for any dual feasible alpha the dual value is  sum gamma alpha - 1/2 ||W_alpha||^2,  W_alpha = sum alpha Pi nu
(x) phi. If alpha is complementary to f = 0 (sum gamma alpha = C sum_i L(0, y_i), the primal value of W = 0) the gap of W = 0
is 1/2 ||W_alpha||^2, and strong convexity gives

    ||W*|| <= ||W_alpha||.

Such an alpha is the solution of a linear program with W_alpha = 0 as its only equation; HiGHS solves it, and what its
rounding leaves of W_alpha is the bound. Infeasibility means that w* != 0.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import block_diag
from scipy.optimize import linprog

from msvm_ref.errors import DataError
from msvm_ref.model.arrays import Array
from msvm_ref.model.problem import Problem

NEGLIGIBLE = 1e-9
"""||W*|| below this share of C sum_i ||phi(x_i)||, the largest any machine could reach, is called 0."""


def zero_bound(problem: Problem) -> float | None:
    """An upper bound on ||W*|| / (C sum_i ||phi(x_i)||), near 0 where w* = 0; None where no such multipliers exist."""
    if problem.bias != "none" or problem.spec.width:
        raise DataError(
            "problem",
            "have no bias and linear cost",
            f"bias {problem.bias!r}, cost {problem.machine.cost!r}",
        )
    spec, y, phi = problem.spec, problem.y, problem.dense_features
    at_zero = np.where(spec.mask, spec.gamma, -np.inf)
    slack = (
        np.maximum(at_zero.max(axis=1, keepdims=True), 0.0)
        if spec.shared
        else np.maximum(at_zero, 0.0)
    )
    active = spec.mask & (at_zero == slack)  # components that may carry weight at f = 0
    groups, uppers, lowers, columns = [], [], [], []
    for i, c in enumerate(y):
        parts = np.flatnonzero(active[c])
        columns += [(i, int(p)) for p in parts]
        rows = np.ones((1, len(parts))) if spec.shared else np.eye(len(parts))
        groups.append(rows)
        full = (slack[c] > 0) if spec.shared else (slack[c][parts] > 0)
        uppers += [1.0] * len(rows)
        lowers += [float(v) for v in np.broadcast_to(full, len(rows))]
    if not columns:
        return 0.0
    shares: Array = np.asarray(block_diag(*groups))
    balance = np.array([np.outer(spec.projected_nu[y[i], p], phi[i]).ravel() for i, p in columns]).T
    upper, lower = np.array(uppers), np.array(lowers)
    inexact = lower < upper
    result = linprog(
        np.zeros(len(columns)),
        A_ub=shares[inexact],
        b_ub=upper[inexact],
        A_eq=np.vstack([balance, shares[~inexact]]),
        b_eq=np.concatenate([np.zeros(len(balance)), upper[~inexact]]),
        bounds=(0, None),
        method="highs",
    )
    if result.x is None:
        return None
    return _bound(balance, shares, upper, lower, result.x, phi)


def _bound(
    balance: Array, shares: Array, upper: Array, lower: Array, x: Array, phi: Array
) -> float:
    """||W_alpha|| after making x feasible and complementary: non-negative, group sums exactly 1 where they must be."""
    x = np.maximum(x, 0.0)
    total = shares @ x
    scale = np.where(
        lower == upper,
        upper / np.maximum(total, 1e-300),
        np.minimum(1.0, upper / np.maximum(total, 1e-300)),
    )
    x = x * (shares.T @ scale)
    rounding = (
        len(x) * float(np.finfo(float).eps) * float(np.abs(balance).sum())
    )  # of the sum below, x being <= 1
    return (float(np.linalg.norm(balance @ x)) + rounding) / max(
        float(np.linalg.norm(phi, axis=1).sum()), 1e-300
    )
