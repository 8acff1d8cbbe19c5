"""Kesler's construction for every machine: a multi-class SVM as a single-class one.

    z_ip = sum_m (Pi nu)[y_i,p,m] e_m (x) phi(x_i)      ([phi(x_i), 1] for a penalized bias)
    min  1/2 ||w||^2 + sum_i C_i sum_r xi_ir^q   s.t.  <w, z_ip> [+ <(Pi nu)[y_i,p], u>] >= gamma[y_i,p] - xi_ir,  xi >= 0

FH = Franc, Hlavac, "Multi-class Support Vector Machine", ICPR 2002: their (5), (6) and (7) are the relative-margin case
with a penalized bias, up to the factor 1/2 of the relative margin (1/4 in the kernel). u is a free bias; ``presolve`` scales.
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
from msvm_ref.solvers.presolve import Presolved
from msvm_ref.solvers.truth.backends import shift_of, weighted_square


@dataclass(frozen=True, eq=False)
class Kesler:
    """The single-class problem: Z (N x d q), its slack-sharing incidence S (N x groups), and who is who."""

    i: NDArray[np.int64]
    p: NDArray[np.int64]
    rows: Array
    Z: Array
    S: Any
    owner: NDArray[np.int64]


def kesler_map(problem: Problem, features: Array | None = None, nu: Array | None = None) -> Kesler:
    """z_ip for every component that counts, in the order of (i, p); ``features`` and ``nu`` replace the problem's own."""
    spec, phi = problem.spec, problem.dense_features if features is None else features
    if features is None and problem.bias == "penalized":
        phi = np.column_stack([phi, np.ones(problem.n)])
    i, p = np.nonzero(spec.mask[problem.y] & (problem.costs > 0)[:, None])
    rows = (spec.projected_nu if nu is None else nu)[problem.y[i], p]
    Z = (rows[:, :, None] * phi[i][:, None, :]).reshape(len(i), spec.d * phi.shape[1])
    owner, group = np.unique(i, return_inverse=True) if spec.shared else (i, np.arange(len(i)))
    S = sparse.csr_array((np.ones(len(i)), (np.arange(len(i)), group)), shape=(len(i), len(owner)))
    return Kesler(i, p, rows, Z, S, owner)


class KeslerModel:
    """The single-class SVM in cvxpy, and the way back to W and b."""

    def __init__(self, given: Presolved) -> None:
        self.given, problem = given, given.problem
        self.map = single = kesler_map(problem, given.Z, given.projected_nu)
        self.w = cp.Variable(single.Z.shape[1]) if single.Z.shape[1] else None
        self.u, constraints = shift_of(given, self.w)
        self.C, self.root = cp.Parameter(nonneg=True), cp.Parameter(nonneg=True)  # c, sqrt(h / c)
        self.margins: Any = None
        objective: Any = weighted_square(self.w, np.tile(given.h, problem.d)) / 2
        if len(single.i):
            weight, left = given.weight[single.owner], 0.0
            if problem.spec.width:  # eta stands for sqrt(c_i / h) times the slack's curved part
                eta = cp.Variable(len(single.owner))
                left = self.root * (single.S @ cp.multiply(weight**-0.5, eta))
                objective += cp.sum_squares(eta) / 2
            if problem.spec.capped:
                xi = cp.Variable(len(single.owner), nonneg=True)
                left = left + single.S @ xi
                objective += self.C * (weight @ xi)
            left = left if self.w is None else left + sparse.csr_array(single.Z) @ self.w
            left = left if self.u is None else left + sparse.csr_array(single.rows) @ self.u
            self.margins = left >= given.gamma[problem.y[single.i], single.p]
            constraints.append(self.margins)
        self.model = cp.Problem(cp.Minimize(objective), constraints)
        self.set_costs(problem)

    def set_costs(self, problem: Problem) -> None:
        self.problem, c = problem, self.given.c(problem.C)
        self.C.value, self.root.value = c, np.sqrt(self.given.width / np.float64(c))

    def candidate(self) -> Candidate | None:
        """FH's recovery (6): w_j and b_j from the slots of w, alpha from the constraints' multipliers."""
        d, n = self.problem.d, self.problem.n
        w = np.zeros(0) if self.w is None else self.w.value
        u = np.zeros(d) if self.u is None or self.margins is None else self.u.value
        dual = np.zeros(0) if self.margins is None else self.margins.dual_value
        if w is None or u is None or dual is None:
            return None
        alpha = np.zeros((n, d))
        alpha[self.map.i, self.map.p] = np.ravel(dual)
        shift = None if self.u is None else u
        return self.given.restored(self.problem, w.reshape(d, -1).T, shift, alpha)
