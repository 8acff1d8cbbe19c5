"""Kesler's construction for every machine: a multi-class SVM as a single-class one.

    z_ip = sum_m (Pi nu)[y_i,p,m] e_m (x) phi(x_i)      ([phi(x_i), 1] for a penalized bias)      (MATH section 1)
                                                        (phi - mean for a free bias, which absorbs the translation)
    min  1/2 ||w||^2 + sum_i C_i sum_r xi_ir^q   s.t.  <w, z_ip> [+ <(Pi nu)[y_i,p], b>] >= gamma[y_i,p] - xi_ir,  xi >= 0

FH = Franc, Hlavac, "Multi-class Support Vector Machine", ICPR 2002: their (5), (6) and (7) are the relative-margin case
with a penalized bias, up to the factor 1/2 of the relative margin (1/4 in the kernel).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import cvxpy as cp
import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from msvm_ref.judge.candidate import Candidate
from msvm_ref.model.arrays import Array
from msvm_ref.model.problem import Problem
from msvm_ref.solvers.truth.backends import comfortable_scale


@dataclass(frozen=True, eq=False)
class Kesler:
    """The single-class problem: Z (N x d q), its targets, its slack-sharing incidence S (N x groups), and who is who."""

    i: NDArray[np.int64]
    p: NDArray[np.int64]
    Z: Array
    target: Array
    S: Any
    owner: NDArray[np.int64]
    bias_rows: Array | None

    def slots(self, w: Array, d: int) -> Array:
        """w_j of every class from its slot in w (FH (6)): (q x d)."""
        return np.asarray(w.reshape(d, -1).T)


def kesler_map(problem: Problem) -> Kesler:
    """z_ip for every component that counts, in the order of (i, p)."""
    spec = problem.spec
    counts = spec.mask[problem.y] & (problem.costs > 0)[:, None]
    i, p = np.nonzero(counts)
    phi = problem.dense_features
    if problem.bias == "penalized":
        phi = np.concatenate([phi, np.ones((problem.n, 1))], axis=1)
    elif problem.bias == "free":
        phi = phi - phi.mean(axis=0)  # a free bias absorbs any translation
    rows = spec.projected_nu[problem.y[i], p]
    Z = (rows[:, :, None] * phi[i][:, None, :]).reshape(len(i), spec.d * phi.shape[1])
    owner, group = np.unique(i, return_inverse=True) if spec.shared else (i, np.arange(len(i)))
    S = sparse.csr_array((np.ones(len(i)), (np.arange(len(i)), group)), shape=(len(i), len(owner)))
    return Kesler(
        i, p, Z, spec.gamma[problem.y[i], p], S, owner, rows if problem.bias == "free" else None
    )


class KeslerModel:
    """The single-class SVM in cvxpy, and the way back to W and b."""

    def __init__(self, problem: Problem) -> None:
        self.problem, self.map = problem, kesler_map(problem)
        self.scale = comfortable_scale(self.map.Z, problem.costs)
        N, width = self.map.Z.shape
        self.w = cp.Variable(width) if width else None
        self.b = cp.Variable(problem.d) if problem.bias == "free" else None
        self.xi = cp.Variable(len(self.map.owner)) if N else None
        self.C = cp.Parameter(nonneg=True)  # C s^2, or 1 / (sqrt(C) s) for the quadratic cost
        self.margin_constraint: Any = None
        self.model = self._build()
        self.set_costs(problem)

    def set_costs(self, problem: Problem) -> None:
        scaled = problem.C * self.scale**2
        self.C.value = scaled**-0.5 if problem.spec.quadratic else scaled

    def candidate(self) -> Candidate | None:
        """FH's recovery: w_j and b_j from the slots of w, alpha from the constraints' multipliers."""
        d, n = self.problem.d, self.problem.n
        w = np.zeros(0) if self.w is None else self.w.value
        free_b = None if self.b is None else self.b.value if self.xi is not None else np.zeros(d)
        dual = np.zeros(0) if self.margin_constraint is None else self.margin_constraint.dual_value
        if w is None or dual is None or (self.b is not None and free_b is None):
            return None
        if not all(
            np.isfinite(v).all() for v in (w, dual, np.zeros(0) if free_b is None else free_b)
        ):
            return None
        W = (
            self.map.slots(w / self.scale, d)
            if self.w is not None
            else np.zeros((self.problem.dense_features.shape[1], d))
        )
        b = np.zeros(d) if free_b is None else free_b - self.problem.dense_features.mean(axis=0) @ W
        if self.problem.bias == "penalized":
            W, b = W[:-1], W[-1]
        alpha = np.zeros((n, d))
        alpha[self.map.i, self.map.p] = np.ravel(dual) / self.scale**2
        return Candidate(W, b, alpha)

    def _build(self) -> cp.Problem:
        objective: Any = 0 if self.w is None else cp.sum_squares(self.w) / 2
        constraints: list[Any] = []
        if self.xi is not None:
            weight = self.problem.costs[self.map.owner] / self.problem.C
            quadratic = self.problem.spec.quadratic  # then xi stands for sqrt(C_i) times the slack
            left: Any = (
                self.C * (self.map.S @ (self.xi / np.sqrt(weight)))
                if quadratic
                else self.map.S @ self.xi
            )
            if self.w is not None:
                left = left + sparse.csr_array(self.map.Z / self.scale) @ self.w
            if self.b is not None:
                left = left + sparse.csr_array(self.map.bias_rows) @ self.b
            self.margin_constraint = left >= self.map.target
            constraints.append(self.margin_constraint)
            if quadratic:
                objective = objective + cp.sum_squares(self.xi)
            else:
                objective = objective + self.C * (weight @ self.xi)
                constraints.append(self.xi >= 0)
        return cp.Problem(cp.Minimize(objective), constraints)
