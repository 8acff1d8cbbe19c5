"""The unified dual, written from the kernel modifiers M; it never mentions the loss.

    max  sum gamma alpha - 1/2 sum_ip,jq M[(y_i,p),(y_j,q)] k(x_i,x_j) alpha_ip alpha_jq  - sum_ir h a_ir^2 / (2 c_i)
    s.t. alpha >= 0,  a_ir <= c_i (a capped cost),  a_ir = sum_{p in r} alpha_ip,  M = <Pi nu, Pi nu'>        (UV (5))
    no bias: nothing more;  penalized: k -> k + 1;  free: sum alpha (Pi nu)_c = 0 for every c,
    *not* UV (6) as printed (docs/mathematics.md, E2).

M is factored, M = R R', and so is the Gram, so that the quadratic form is sum_j ||B'z_j + t_j s||^2 / h_j with B_i = sum_p
alpha_ip R[(y_i,p)] and s = B'1 (an explicit Hessian of n d rows is slower and less accurate). Pi nu = R O' for an O with
orthonormal columns, hence the free-bias equality is s = 0, rank(M) independent equations, and u = O x (its multiplier).
"""

from __future__ import annotations

from typing import Any

import cvxpy as cp
import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from msvm_ref.judge.candidate import Candidate
from msvm_ref.model.arrays import Array
from msvm_ref.model.machine import Spec
from msvm_ref.model.problem import Problem
from msvm_ref.solvers.presolve import Presolved


def kernel_modifiers(spec: Spec) -> tuple[NDArray[np.int64], Array]:
    """(pairs, M): the (y, p) that count, and M[a,b] = <Pi nu_a, Pi nu_b>."""
    pairs = np.argwhere(spec.mask)
    rows = spec.projected_nu[pairs[:, 0], pairs[:, 1]]
    return pairs, rows @ rows.T


def factor_modifiers(spec: Spec) -> tuple[Array, Array]:
    """R[y,p,:] with M = R R' and full column rank, and O (d x rank) with Pi nu = R O'."""
    rows = np.where(spec.mask[:, :, None], spec.projected_nu, 0.0).reshape(-1, spec.d)
    _, values, right = np.linalg.svd(rows, full_matrices=False)
    O = right[values > 1e-12 * values[0]].T  # noqa: E741
    return (rows @ O).reshape(spec.d, spec.d, -1), O


class DualModel:
    """The cvxpy problem of the dual, of the problem as ``presolve`` scaled it."""

    def __init__(self, given: Presolved) -> None:
        self.given, spec, y = given, given.problem.spec, given.problem.y
        self.i, self.p = np.nonzero(given.pieces.hinge)
        R, self.O = factor_modifiers(spec)
        R = np.ldexp(R[y[self.i], self.p], -given.exponents[1])
        self.alpha = cp.Variable(len(self.i), nonneg=True) if len(self.i) else None
        self.C, self.root = cp.Parameter(nonneg=True), cp.Parameter(nonneg=True)  # c, sqrt(h / c)
        self.weights: Any = None
        self.shift: Any = None
        self.model = cp.Problem(cp.Minimize(0))
        if self.alpha is not None:
            owner = np.unique(self.i) if spec.shared else self.i
            rows = np.searchsorted(owner, self.i) if spec.shared else np.arange(len(self.i))
            sums = sparse.csr_array((np.ones(len(rows)), (rows, np.arange(len(rows))))) @ self.alpha
            curve, constraints = self._image(R)
            if spec.width:
                eta = cp.Variable(len(owner))
                constraints.append(
                    eta == self.root * cp.multiply(given.weight[owner] ** -0.5, sums)
                )
                curve = curve + cp.sum_squares(eta) / 2
            if spec.capped:
                constraints.append(sums <= self.C * given.weight[owner])
            gain = given.gamma[y[self.i], self.p] @ self.alpha
            self.model = cp.Problem(cp.Minimize(curve - gain), constraints)
        self.set_costs(given.problem)

    def set_costs(self, problem: Problem) -> None:
        self.problem, c = problem, self.given.c(problem.C)
        self.C.value, self.root.value = c, np.sqrt(self.given.width / np.float64(c))

    def _image(self, R: Array) -> tuple[Any, list[Any]]:
        """1/2 ||U||^2 with sqrt(h_j) U_j = B'z_j + t_j s, s = B'1: V_j is the multiplier of the first, u of the second."""
        given, (n, q), k = self.given, self.given.Z.shape, R.shape[1]
        B, constraints, curve = cp.Variable((n, k)), [], 0
        places = (
            np.repeat(self.i, k) * k + np.tile(np.arange(k), len(R)),
            np.repeat(np.arange(len(R)), k),
        )
        spread = sparse.csr_array((R.ravel(), places), shape=(n * k, len(R)))
        constraints.append(cp.vec(B, order="C") == spread @ self.alpha)
        image = given.Z.T @ B
        if given.shift != "none":
            unit = 2.0 ** np.frexp(abs(given.t).max(initial=1.0))[1]
            s: Any = cp.Variable((1, k)) if given.shift == "tied" else np.zeros((1, k))
            self.shift = cp.sum(B, axis=0, keepdims=True) == s / unit
            constraints.append(self.shift)
            image = image + (given.t / unit)[:, None] @ s  # s is in units of t
        if q:
            U = cp.Variable((q, k))
            self.weights = sparse.diags_array(np.sqrt(given.h)) @ U == image
            constraints.append(self.weights)
            curve = cp.sum_squares(U) / 2
        return curve, constraints

    def candidate(self) -> Candidate | None:
        """alpha, V and u from the multipliers."""
        given, d = self.given, self.problem.d
        alpha = np.zeros((self.problem.n, d))
        if self.alpha is None:
            V, u = np.zeros((given.Z.shape[1], d)), np.zeros(d)
            return given.restored(self.problem, V, None if given.shift == "none" else u, alpha)
        parts = [None if m is None else m.dual_value for m in (self.weights, self.shift)]
        if self.alpha.value is None or any(
            m is not None and v is None
            for m, v in zip((self.weights, self.shift), parts, strict=True)
        ):
            return None
        alpha[self.i, self.p] = self.alpha.value
        V = np.zeros((given.Z.shape[1], d)) if parts[0] is None else -parts[0] @ self.O.T
        bias = None if parts[1] is None else self.O @ np.ravel(parts[1])
        return given.restored(self.problem, V, bias, alpha)
