"""The primal, written from the loss L = Delta o hinge o mu; it never mentions M, Pi or alpha's meaning.

    min  1/2 sum_j h_j ||V_j||^2 + sum_i c_i sum_r phi(xi_ir)
    s.t. <nu[y_i,p], V'z_i + u> + xi_ir >= gamma[y_i,p]  (p in group r),  xi >= 0,
         V 1 = 0 and 1'u = 0 under sum-to-zero,  u free, tied to V, or 0     (``presolve``: the problem's own primal, scaled)

phi(xi) is the least v^2 / (2h) + (xi - v), v <= xi, where the cost is capped, and v = xi where it is not (``model/cost.py``);
with eta = sqrt(c_i / h) v the objective has unit curvature. A component known to be violated enters by its linear piece,
c_i (gamma - mu), and one known to hold not at all.
"""

from __future__ import annotations

from typing import Any

import cvxpy as cp
import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from msvm_ref.judge.candidate import Candidate
from msvm_ref.model.problem import Problem
from msvm_ref.solvers.presolve import Presolved
from msvm_ref.solvers.truth.backends import shift_of, weighted_square

Index = NDArray[np.int64]


class PrimalModel:
    """The cvxpy problem. C is a cvxpy parameter: ``set_costs`` re-uses what was compiled for another C."""

    def __init__(self, given: Presolved) -> None:
        self.given, spec, (_, q) = given, given.problem.spec, given.Z.shape
        self.V = cp.Variable(q * spec.d) if q else None  # one class after the other
        self.u, constraints = shift_of(given, self.V)
        self.C, self.root = cp.Parameter(nonneg=True), cp.Parameter(nonneg=True)  # c, sqrt(h / c)
        hinge, linear = np.nonzero(given.pieces.hinge), np.nonzero(given.pieces.linear)
        self.margins: Any = None
        objective: Any = weighted_square(self.V, np.tile(given.h, spec.d)) / 2
        if len(linear[0]):
            objective -= self.C * (given.weight[linear[0]] @ self._mu(*linear))
        if len(hinge[0]):
            i = hinge[0]
            owner, group = (
                np.unique(i, return_inverse=True) if spec.shared else (i, np.arange(len(i)))
            )
            share = sparse.csr_array((np.ones(len(i)), (np.arange(len(i)), group)))
            weight = given.weight[owner]
            slack: Any = 0
            if spec.width:
                eta = cp.Variable(len(owner))
                slack = self.root * (sparse.csr_array(share / np.sqrt(weight)) @ eta)
                objective += cp.sum_squares(eta) / 2
            if spec.capped:
                xi = cp.Variable(len(owner), nonneg=True)
                slack = slack + share @ xi
                objective += self.C * (weight @ xi)
            self.margins = self._mu(*hinge) + slack >= given.gamma[given.problem.y[i], hinge[1]]
            constraints.append(self.margins)
        if spec.sum_to_zero and self.V is not None:
            constraints.append(cp.sum(cp.reshape(self.V, (q, spec.d), order="F"), axis=1) == 0)
        if spec.sum_to_zero and given.shift == "free":
            constraints.append(cp.sum(self.u) == 0)
        self.model = cp.Problem(cp.Minimize(objective), constraints)
        self.set_costs(given.problem)

    def set_costs(self, problem: Problem) -> None:
        self.problem, c = problem, self.given.c(problem.C)
        self.C.value, self.root.value = c, np.sqrt(self.given.width / np.float64(c))

    def candidate(self) -> Candidate | None:
        """What the backend left in the variables, in the problem's own units; None where it left nothing finite."""
        given, d = self.given, self.problem.d
        V = np.zeros(0) if self.V is None else self.V.value
        u = np.zeros(d) if self.u is None or self.margins is None else self.u.value
        dual = np.zeros(0) if self.margins is None else self.margins.dual_value
        if V is None or u is None or dual is None:
            return None
        alpha = np.zeros(given.pieces.hinge.shape)
        alpha[given.pieces.hinge] = np.ravel(dual)
        shift = None if self.u is None else u
        return given.restored(self.problem, V.reshape(d, -1).T, shift, alpha)

    def _mu(self, i: Index, p: Index) -> Any:
        """mu_p(f(x_i), y_i) for the listed pairs as an affine expression: nu[y_i,p,m] z_i in the slots m, and nu u."""
        nu, k, q = self.given.nu[self.given.problem.y[i], p], len(i), self.given.Z.shape[1]
        at, m = np.nonzero(nu)
        expression: Any = np.zeros(k)
        if self.V is not None:
            values = nu[at, m][:, None] * self.given.Z[i[at]]
            places = (np.repeat(at, q), (m[:, None] * q + np.arange(q)).ravel())
            expression = (
                sparse.csr_array((values.ravel(), places), shape=(k, q * nu.shape[1])) @ self.V
            )
        return expression if self.u is None else expression + sparse.csr_array(nu) @ self.u
