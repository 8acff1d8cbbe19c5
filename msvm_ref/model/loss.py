"""The loss and its dual's bookkeeping in plain float64, for whoever proposes solutions.

    A[i,m] = sum_p alpha[i,p] (Pi nu)[y_i,p,m]      W_alpha = Phi' A,   b_alpha = 1'A (penalized bias)
    t[i,p] = gamma[y_i,p] - <(Pi nu)[y_i,p], f(x_i)>        xi[i,r] = max(0, max_{p in r} t[i,p])

The judge and the exact checkers do not use this file: they have their own, with error bounds or in rationals.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from msvm_ref.model.arrays import Array
from msvm_ref.model.machine import Machine, Margin, Spec
from msvm_ref.model.problem import Problem


def by_class(coefficients: Array, y: NDArray[np.int64], rows: Array) -> Array:
    """out[i,p] = sum_m coefficients[y_i,p,m] rows[i,m]."""
    out = np.zeros((len(y), coefficients.shape[1]))
    for c in range(len(coefficients)):
        members = y == c
        if members.any():
            out[members] = rows[members] @ coefficients[c].T
    return out


def margins(problem: Problem, scores: Array) -> Array:
    """mu[i,p] = <(Pi nu)[y_i,p], f_i>, for classes treated alike  true f_y + rival f_p + rest sum_m f_m  without a table."""
    y, every, alike = problem.y, np.arange(len(scores)), problem.spec.alike
    if alike is None:
        return by_class(problem.spec.projected_nu, y, scores)
    f, s = scores[every, y], scores.sum(axis=1) if problem.spec.sum_to_zero else 0.0
    mu = alike.rival_more * scores
    mu += (alike.true_more * f + alike.rest * s)[:, None]
    mu[every, y] = alike.own_more * f + alike.own_rest * s
    return np.asarray(mu)


def expansion(problem: Problem, alpha: Array) -> Array:
    """A: f(x) = sum_i k(x, x_i) A_i + b."""
    y, every, alike = problem.y, np.arange(len(alpha)), problem.spec.alike
    if alike is None:
        return by_class(problem.spec.projected_nu.transpose(0, 2, 1), y, alpha)
    own, others = alpha[every, y], np.array(alpha, dtype=float)
    others[every, y] = 0.0
    total = others.sum(axis=1)
    others *= alike.rival_more
    others += (alike.rest * total + alike.own_rest * own)[:, None]
    others[every, y] = alike.own * own + alike.true * total
    return others


def pair_rows(spec: Spec, y: NDArray[np.int64], p: NDArray[np.int64]) -> Array:
    """(Pi nu)[y,p] for arrays y and p of labels and components, one row each."""
    alike, every, own = spec.alike, np.arange(len(y)), y == p
    if alike is None:
        return np.asarray(spec.projected_nu[y, p])
    rows = np.empty((len(y), spec.d))
    rows[:] = np.where(own, alike.own_rest, alike.rest)[:, None]
    rows[every, p] = alike.rival
    rows[every, y] = np.where(own, alike.own, alike.true)
    return rows


def weights(problem: Problem, alpha: Array) -> tuple[Array, Array]:
    """(W, b)_alpha in ``problem.features``; b is 0 unless penalized (a free bias is not determined by alpha)."""
    A = expansion(problem, alpha)
    b = A.sum(axis=0) if problem.bias == "penalized" else np.zeros(problem.d)
    return problem.features.T @ A, b


def violations(problem: Problem, scores: Array) -> Array:
    """t[i,p] on the components that count, -inf elsewhere."""
    spec = problem.spec
    t = spec.gamma[problem.y] - margins(problem, scores)
    return np.where(spec.mask[problem.y], t, -np.inf)


def slacks(problem: Problem, t: Array) -> Array:
    """xi[i,r]: one column per component (own slack) or a single column (shared slack)."""
    return np.maximum(t.max(axis=1, keepdims=True) if problem.spec.shared else t, 0)


def group_sums(problem: Problem, alpha: Array) -> Array:
    """The sum of alpha over each slack group, in the shape of ``slacks``."""
    return alpha.sum(axis=1, keepdims=True) if problem.spec.shared else alpha


def objective(problem: Problem, W: Array, b: Array) -> float:
    """P(W, b), W in ``problem.features``."""
    with np.errstate(over="ignore", invalid="ignore"):
        penalty = float(b @ b) if problem.bias == "penalized" else 0.0
        return (float((W * W).sum()) + penalty) / 2 + total_loss(problem, problem.features @ W + b)


def total_loss(problem: Problem, scores: Array) -> float:
    """sum_i C_i sum_r phi(xi_ir); ``scores`` include the bias."""
    xi = slacks(problem, violations(problem, scores))
    return float((problem.costs[:, None] * slack_loss(problem.spec, xi)).sum())


def slack_rate(spec: Spec, xi: Array) -> Array:
    """phi'(xi), 0 at xi = 0: what a multiplier group's sum is of its C."""
    if spec.width == 0:
        return (xi > 0).astype(float)
    return np.asarray((np.minimum(xi, spec.width) if spec.capped else xi) / spec.width)


def slack_loss(spec: Spec, xi: Array) -> Array:
    """phi(xi) = rate (xi - h rate / 2)"""
    if spec.width == 0:
        return xi
    curved = np.minimum(xi, spec.width) if spec.capped else xi
    return np.asarray(curved / spec.width * (xi - curved / 2))


def ridges(problem: Problem) -> Array:
    """h / C_i, the second derivative of a slack's dual term h a^2 / (2 C_i); 0 where C_i = 0 and so a = 0."""
    costs = problem.costs
    return np.divide(problem.spec.width, costs, out=np.zeros_like(costs), where=costs > 0)


def dual_objective(problem: Problem, alpha: Array) -> float:
    """D(alpha), feasible or not."""
    W, b = weights(problem, alpha)
    gain = float((problem.spec.gamma[problem.y] * alpha).sum())
    gain -= float((ridges(problem)[:, None] * group_sums(problem, alpha) ** 2).sum()) / 2
    return gain - (float((W * W).sum()) + float(b @ b)) / 2


def clipped(problem: Problem, alpha: Array) -> Array:
    """Signs, foreign components and groups put right (the free bias's equality aside): clip, or scale a shared group down."""
    spec, cost = problem.spec, problem.costs_below[:, None]
    inside = np.where(spec.mask[problem.y] & (cost > 0), np.maximum(alpha, 0.0), 0.0)
    if not spec.capped:
        return inside
    if not spec.shared:
        return np.minimum(inside, cost)
    total = inside.sum(axis=1, keepdims=True)
    scale = np.divide(cost, total, out=np.ones_like(total), where=total > cost)
    return np.asarray(inside * scale)


def shift_free(problem: Problem) -> bool:
    """Does adding one constant to every score leave every margin alone?"""
    return _shift_free(problem.machine, problem.d)


@lru_cache(maxsize=256)
def _shift_free(machine: Machine, d: int) -> bool:
    if machine.sum_to_zero:
        return True
    if isinstance(margin := machine.margin, Margin):
        sums = {"self": [margin.own], "others": [margin.true + margin.rival]}
        sums["all"] = [*sums["self"], *sums["others"]]
        return not any(sums[machine.aggregation.components])
    nu = machine.nu(d)
    return all(sum(nu[y][p]) == 0 for y, p in np.argwhere(machine.at(d).mask))


def centred(problem: Problem, W: Array, b: Array) -> tuple[Array, Array]:
    """sum_c w_c = 0 and sum_c b_c = 0 where the machine asks for it, or where it changes no margin and lowers the norm."""
    if problem.spec.sum_to_zero or shift_free(problem):
        return W - W.mean(axis=1, keepdims=True), b - b.mean()
    return np.asarray(W), np.asarray(b)
