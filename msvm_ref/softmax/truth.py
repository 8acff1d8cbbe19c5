"""Ground truth of the convex softmax problems through cvxpy, by exponential cones; and prox-linear steps for the hinge.

logistic, integer g:   1/g log(1 + sum_u sum_{j=1..g} (g over j) e^{-j s_u})     log-sum-exp of affine functions
c >= 0:                1/g log(c + sum_u e^{g l(s_u)})                           log-sum-exp of convex functions
g = 0:                 sum_u l(s_u)             g = inf:   tau_i >= l(s_u)
"""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from typing import Any

import cvxpy as cp
import numpy as np
from scipy import sparse

from msvm_ref.errors import BackendError
from msvm_ref.model.arrays import Array
from msvm_ref.softmax.loss import base_loss, counted, margins, smax_weights
from msvm_ref.softmax.problem import SoftmaxProblem

CHAIN = ("CLARABEL", "ECOS", "SCS")
SHARP: dict[str, dict[str, Any]] = {
    "CLARABEL": {"tol_gap_rel": 1e-12, "tol_gap_abs": 1e-12, "tol_feas": 1e-12},
    "SCS": {"eps": 1e-9, "max_iters": 100_000},
    "ECOS": {"abstol": 1e-12, "reltol": 1e-12, "feastol": 1e-12},
}


@dataclass(frozen=True, eq=False)
class ConeAnswer:
    """V, b, and the multipliers that tell which classes share a maximum (weights) and a hinge's slopes; None where idle."""

    V: Array
    b: Array
    weights: Array | None
    slopes: Array | None


class _ConeModel:
    """The variables, the rivals' margins (n x (d-1)) as an affine expression, and the regulariser."""

    def __init__(self, problem: SoftmaxProblem) -> None:
        self.problem = problem
        r, k, n, d = *problem.zeros()[0].shape, problem.data.n, problem.d
        self.V = cp.Variable((r, k)) if r and k else None
        self.b = cp.Variable(d) if problem.bias != "none" else None
        self.rivals = np.array([[u for u in range(d) if u != y] for y in problem.y])
        row, column = np.arange(n * (d - 1)), (np.arange(n)[:, None] * d + self.rivals).ravel()
        own = np.repeat(np.arange(n) * d + problem.y, d - 1)
        pick = sparse.csr_array(
            (np.r_[np.ones(len(row)), -np.ones(len(row))], (np.r_[row, row], np.r_[own, column])),
            shape=(n * (d - 1), n * d),
        )
        scores: Any = np.zeros((n, d))
        if self.V is not None:
            scores = problem.features @ self.V @ problem.label_factor.T
        if self.b is not None:
            scores = scores + np.ones((n, 1)) @ cp.reshape(self.b, (1, d), order="C")
        self.S: Any = cp.reshape(pick @ cp.vec(scores, order="C"), (n, d - 1), order="C")
        self.ridge: Any = 0 if self.V is None else cp.sum_squares(self.V) / 2
        if problem.bias == "penalized":
            self.ridge = self.ridge + cp.sum_squares(self.b) / 2

    def point(self) -> tuple[Array, Array] | None:
        V, b = self.problem.zeros()
        V = V if self.V is None else self.V.value
        b = b if self.b is None else self.b.value
        if V is None or b is None or not (np.isfinite(V).all() and np.isfinite(b).all()):
            return None
        return np.asarray(V), np.asarray(b - b.mean() if self.problem.bias == "free" else b)

    def spread(self, values: Any) -> Array | None:
        """(n x (d-1)) over the rivals as n x d, 0 on the own class."""
        if values is None or not np.isfinite(values).all():
            return None
        full = np.zeros((len(self.rivals), self.problem.d))
        np.put_along_axis(full, self.rivals, np.reshape(values, self.rivals.shape), axis=1)
        return full


def solve_cones(problem: SoftmaxProblem, backend: str) -> ConeAnswer:
    """The convex problem by one backend; its own opinion of its accuracy is not asked."""
    model = _ConeModel(problem)
    loss, constraints, shares = _loss(problem, model.S)
    program = cp.Problem(cp.Minimize(model.ridge + problem.costs @ loss), constraints)
    _run(program, backend)
    point = model.point()
    if point is None:
        raise BackendError(backend, "answer", str(program.status))
    return ConeAnswer(*point, *_multipliers(problem, model, shares))


def _run(program: cp.Problem, backend: str) -> None:
    """Solve; a failure is a BackendError, and a backend's doubts (cvxpy's warnings) are for the certificate to settle."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            program.solve(solver=backend, **SHARP.get(backend, {}))
    except (cp.SolverError, ValueError, ArithmeticError) as error:
        raise BackendError(
            backend, "answer", str(error)[:200], "pip install clarabel ecos scs"
        ) from error


def _loss(problem: SoftmaxProblem, S: Any) -> tuple[Any, list[Any], Any]:
    """(n,) losses, constraints, and the constraint whose multipliers are C_i times the maximum's weights (or hinge rates)."""
    n, g = problem.data.n, problem.gamma
    own = float(base_loss(problem.loss, np.zeros(1))[0])
    logistic = problem.loss == "logistic"
    if not logistic and (g == 0 or math.isinf(g)):
        xi = cp.Variable(S.shape if g == 0 else (n, 1), nonneg=True)
        shares = (xi if g == 0 else xi @ np.ones((1, S.shape[1]))) >= 1 - S
        floor = [xi >= own] if problem.printed and g != 0 else []
        return (
            cp.sum(xi, axis=1) + (own if problem.printed and g == 0 else 0.0),
            [shares, *floor],
            shares,
        )
    t = cp.logistic(-S) if logistic else cp.pos(1 - S)
    if g == 0:
        return cp.sum(t, axis=1) + (own if problem.printed else 0.0), [], None
    if math.isinf(g):
        tau = cp.Variable((n, 1))
        shares = t <= tau @ np.ones((1, S.shape[1]))
        return tau[:, 0], [shares, *([tau >= own] if problem.printed else [])], shares
    if logistic and problem.binomial:
        parts = [np.full((n, 1), g * own if problem.printed else 0.0)]
        parts += [math.log(math.comb(int(g), j)) - j * S for j in range(1, int(g) + 1)]
        return cp.log_sum_exp(cp.hstack(parts), axis=1) / g, [], None
    c = problem.constant
    if c <= 0:  # one rival: smax is its argument
        return t[:, 0], [], None
    return cp.log_sum_exp(cp.hstack([np.full((n, 1), math.log(c)), g * t]), axis=1) / g, [], None


def _multipliers(
    problem: SoftmaxProblem, model: _ConeModel, shares: Any
) -> tuple[Array | None, Array | None]:
    dual = None if shares is None else model.spread(shares.dual_value)
    if dual is None:
        return None, None
    cost = np.where(problem.costs > 0, problem.costs, np.inf)[:, None]
    rate = np.maximum(dual / cost, 0.0)
    if problem.printed and math.isinf(problem.gamma):
        rate[np.arange(len(rate)), problem.y] = np.maximum(1 - rate.sum(axis=1), 0.0)
    if problem.loss == "logistic":
        return rate, None
    if problem.gamma == 0:
        return None, rate
    total = rate.sum(axis=1, keepdims=True)  # a = w theta with theta = sum of a, w = a / theta
    return rate, np.broadcast_to(np.minimum(total, 1.0), rate.shape).copy()


def prox_linear(
    problem: SoftmaxProblem, V: Array, b: Array, iterations: int, tolerance: float
) -> tuple[Array, Array, int]:
    """Stationary points with the hinge: linearise the softmax in t, keep the hinges, stay near (Burke 1985; for h(c(x))).

        (V, b) <- argmin ridge + sum_i C_i <w_i, [1 - s_i]_+> + rho/2 ||(V, b) - (V_k, b_k)||^2,   w = d smax / d t at V_k

    rho grows until the objective falls. Stops when a step is shorter than ``tolerance``.
    """
    model = _ConeModel(problem)
    counts = counted(problem.y, problem.d, problem.printed)
    xi = cp.Variable(model.rivals.shape, nonneg=True)
    weight = cp.Parameter(model.rivals.shape, nonneg=True)
    root, V_k, b_k = cp.Parameter(nonneg=True), cp.Parameter(V.shape), cp.Parameter(b.shape)
    near: Any = 0 if model.V is None else cp.sum_squares(root * model.V - V_k)
    if model.b is not None:
        near = near + cp.sum_squares(root * model.b - b_k)
    program = cp.Problem(
        cp.Minimize(model.ridge + cp.sum(cp.multiply(weight, xi)) + near / 2), [xi >= 1 - model.S]
    )
    value, rho = float(problem.value(V, b)), 1.0
    for iteration in range(iterations):
        t = base_loss("hinge", margins(problem.scores(V, b), problem.y))
        w = problem.costs[:, None] * smax_weights(t, problem.gamma, counts)
        weight.value = np.take_along_axis(w, model.rivals, axis=1)
        while True:
            root.value, V_k.value, b_k.value = rho**0.5, rho**0.5 * V, rho**0.5 * b
            try:
                _run(program, "CLARABEL")
                after = model.point()
            except BackendError:
                after = None
            if after is None:
                return V, b, iteration
            reached = float(problem.value(*after))
            moved = math.hypot(
                float(np.linalg.norm(after[0] - V)), float(np.linalg.norm(after[1] - b))
            )
            if reached <= value - rho / 4 * moved**2 or moved <= tolerance or rho > 1e12:
                break
            rho *= 4
        if reached <= value:
            (V, b), value = after, reached
        if moved <= tolerance:
            return V, b, iteration + 1
        rho = max(rho / 4, 1e-3)
    return V, b, iterations
