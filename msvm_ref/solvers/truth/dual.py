"""The unified dual, written from the kernel modifiers M; it never mentions the loss.

    max  sum gamma alpha - 1/2 sum_ip,jq M[(y_i,p),(y_j,q)] k(x_i,x_j) alpha_ip alpha_jq  [- sum_ir a_ir^2 / (4 C_i)]
    s.t. alpha >= 0,  a_ir <= C_i (linear cost),  a_ir = sum_{p in r} alpha_ip,  M = <Pi nu, Pi nu'>   (UV (5); MATH section 1)
    no bias: nothing more;  penalized: k -> k + 1;  free: sum alpha (Pi nu)_c = 0 for every c,
    *not* UV (6) as printed (MATH E2).

M is factored, M = R R', and so is the Gram, so that the quadratic form is ||Phi' B||^2 with B_i = sum_p alpha_ip R[(y_i,p)]
(an explicit Hessian of n d rows is slower and less accurate). Pi nu = R O' for an O with orthonormal columns, hence the
free-bias equality is sum_i B_i = 0, rank(M) independent equations, and b = O x (its multiplier).
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
from msvm_ref.solvers.truth.backends import comfortable_scale


def kernel_modifiers(spec: Spec) -> tuple[NDArray[np.int64], Array]:
    """(pairs, M): the (y, p) that count, and M[a,b] = <Pi nu_a, Pi nu_b>."""
    pairs = np.argwhere(spec.mask)
    rows = spec.projected_nu[pairs[:, 0], pairs[:, 1]]
    return pairs, rows @ rows.T


def factor_modifiers(spec: Spec) -> tuple[Array, Array]:
    """R[y,p,:] with M = R R' and full column rank, and O (d x rank) with Pi nu = R O'."""
    pairs, M = kernel_modifiers(spec)
    values, vectors = np.linalg.eigh(M)
    keep = values > 1e-12 * values[-1]
    factor = vectors[:, keep] * np.sqrt(values[keep])
    R = np.zeros((spec.d, spec.d, int(keep.sum())))
    R[pairs[:, 0], pairs[:, 1]] = factor
    rows = spec.projected_nu[pairs[:, 0], pairs[:, 1]]
    return R, np.linalg.lstsq(factor, rows, rcond=None)[0].T


class DualModel:
    """The cvxpy problem of the dual; alpha is scaled by C s^2 with s the features' scale, as in the primal."""

    def __init__(self, problem: Problem) -> None:
        self.spec, self.y, self.bias = problem.spec, problem.y, problem.bias
        self.features = problem.dense_features
        phi = problem.dense_features
        if self.bias == "penalized":
            phi = np.column_stack([phi, np.ones(problem.n)])
        self.mean = phi.mean(axis=0) if self.bias == "free" else np.zeros(phi.shape[1])
        phi = (
            phi - self.mean
        )  # under the free-bias equality a translation of the features changes nothing
        self.scale = comfortable_scale(phi, problem.costs)
        self.i, self.p = np.nonzero(self.spec.mask[self.y] & (problem.costs > 0)[:, None])
        self.R, self.O = factor_modifiers(self.spec)
        self.owner = np.unique(self.i) if self.spec.shared else self.i
        self.alpha = cp.Variable(len(self.i), nonneg=True) if len(self.i) else None
        self.C = cp.Parameter(nonneg=True)  # C s^2, or 1 / (2 sqrt(C) s) for the quadratic cost
        self.equality: Any = None
        self.model = self._build(phi / self.scale, problem.costs / problem.C)
        self.set_costs(problem)

    def set_costs(self, problem: Problem) -> None:
        scaled = problem.C * self.scale**2
        self.C.value = 0.5 * scaled**-0.5 if self.spec.quadratic else scaled

    def candidate(self) -> Candidate | None:
        """alpha, W_alpha = Phi' A, and b: from alpha (penalized) or the equality's multiplier (free)."""
        alpha = np.zeros((len(self.y), self.spec.d))
        if self.alpha is not None:
            value = self.alpha.value
            if value is None or not np.isfinite(value).all():
                return None
            alpha[self.i, self.p] = value / self.scale**2
        A = np.einsum("ip,ipm->im", alpha, self.spec.projected_nu[self.y])
        W = self.features.T @ A
        b = A.sum(axis=0) if self.bias == "penalized" else np.zeros(self.spec.d)
        if self.bias == "free" and self.equality is not None:
            multiplier = self.equality.dual_value
            if multiplier is None or not np.isfinite(multiplier).all():
                return None
            b = self.O @ np.ravel(multiplier) - self.mean @ W
        return Candidate(W, b, alpha)

    def _build(self, phi: Array, weight: Array) -> cp.Problem:
        """``weight`` is C_i / C."""
        if self.alpha is None:
            return cp.Problem(cp.Minimize(0))
        k, n = self.R.shape[2], len(self.y)
        rows = self.R[self.y[self.i], self.p]
        spread = sparse.csr_array(
            (
                rows.ravel(),
                (
                    np.repeat(self.i, k) * k + np.tile(np.arange(k), len(self.i)),
                    np.repeat(np.arange(len(self.i)), k),
                ),
            ),
            shape=(n * k, len(self.i)),
        )
        B = cp.Variable((n, k))
        constraints: list[Any] = [cp.vec(B, order="C") == spread @ self.alpha]
        gain = self.spec.gamma[self.y[self.i], self.p] @ self.alpha
        curve: Any = 0
        if phi.shape[1]:
            U = cp.Variable((phi.shape[1], k))
            constraints.append(U == phi.T @ B)
            curve = cp.sum_squares(U) / 2
        sums = self._group_sums()
        if self.spec.quadratic:
            root = cp.Variable(len(self.owner))
            constraints.append(root == self.C * cp.multiply(weight[self.owner] ** -0.5, sums))
            curve = curve + cp.sum_squares(root)
        else:
            constraints.append(sums <= self.C * weight[self.owner])
        if self.bias == "free":
            self.equality = cp.sum(B, axis=0) == 0
            constraints.append(self.equality)
        return cp.Problem(cp.Minimize(curve - gain), constraints)

    def _group_sums(self) -> Any:
        if not self.spec.shared:
            return self.alpha
        group = np.searchsorted(self.owner, self.i)
        return (
            sparse.csr_array((np.ones(len(self.i)), (group, np.arange(len(self.i))))) @ self.alpha
        )
