"""The primal, written from the loss L = Delta o hinge o mu; it never mentions M, Pi or alpha's meaning.

    min  1/2 ||W||^2 [+ 1/2 ||b||^2] + sum_i C_i sum_r xi_ir^q
    s.t. mu_p(W'phi(x_i) + b, y_i) + xi_ir >= gamma[y_i,p]  (p in group r),  xi >= 0,
         W 1 = 0 and 1'b = 0 under sum-to-zero.

``Pieces`` says on which branch each hinge is: where a component is known to hold it is left out, where it is known to be
violated (own slack, linear cost) its hinge is replaced by its linear piece, gamma - mu. Both are minorants of the hinge, so the
reduced problem is a relaxation, and it has the same solution as soon as no piece is contradicted.
``ceiling`` caps the C_i: a slack price above every multiplier is an exact penalty, and a lower one is easier to compute with.
Features are divided by s and C multiplied by s^2 (W by s), and centred under a free bias: the same problem at a scale
backends like.
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

Mask = NDArray[np.bool_]
Index = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Pieces:
    """hinge[i,p]: branch unknown, kept as it is; linear[i,p]: violated for sure; neither: satisfied for sure."""

    hinge: Mask
    linear: Mask

    @staticmethod
    def unknown(problem: Problem) -> Pieces:
        counts = problem.spec.mask[problem.y] & (problem.costs > 0)[:, None]
        return Pieces(counts, np.zeros_like(counts))


class PrimalModel:
    """The cvxpy problem of a Problem. C is a cvxpy parameter: ``set_costs`` re-uses what was compiled for another C."""

    def __init__(
        self, problem: Problem, pieces: Pieces | None = None, ceiling: float = np.inf
    ) -> None:
        self.pieces = pieces or Pieces.unknown(problem)
        self.spec, self.y, self.bias = problem.spec, problem.y, problem.bias
        self.ceiling = ceiling / problem.C
        self.mean = (
            problem.dense_features.mean(axis=0)
            if self.bias == "free"
            else np.zeros(problem.dense_features.shape[1])
        )
        phi = problem.dense_features - self.mean
        if self.bias == "penalized":
            phi = np.column_stack([phi, np.ones(problem.n)])
        self.scale = comfortable_scale(phi, np.minimum(problem.costs, ceiling))
        self.phi = phi / self.scale
        self.hinge, self.linear = np.nonzero(self.pieces.hinge), np.nonzero(self.pieces.linear)
        if self.spec.shared:
            self.owner, self.group = np.unique(self.hinge[0], return_inverse=True)
        else:
            self.owner, self.group = self.hinge[0], np.arange(len(self.hinge[0]))
        self.w = (
            cp.Variable(phi.shape[1] * self.spec.d) if phi.shape[1] else None
        )  # w_0, w_1, ... one after the other
        self.b = cp.Variable(self.spec.d) if self.bias == "free" else None
        self.C = cp.Parameter(nonneg=True)  # C s^2, or 1 / (sqrt(C) s) for the quadratic cost
        self.margins: Any = None
        self.model = self._build(np.minimum(problem.costs / problem.C, self.ceiling))
        self.set_costs(problem)

    def set_costs(self, problem: Problem) -> None:
        self.costs = problem.costs
        scaled = problem.C * self.scale**2
        self.C.value = scaled**-0.5 if self.spec.quadratic else scaled

    def candidate(self) -> Candidate | None:
        """What the backend left in the variables, in the problem's own units; None where it left nothing finite."""
        d = self.spec.d
        w = np.zeros(0) if self.w is None else self.w.value
        b = (
            np.zeros(d) if self.b is None or self.margins is None else self.b.value
        )  # without a constraint b is idle
        dual = np.zeros(0) if self.margins is None else self.margins.dual_value
        if (
            w is None
            or b is None
            or dual is None
            or not all(np.isfinite(v).all() for v in (w, b, dual))
        ):
            return None
        W = w.reshape(d, -1).T / self.scale
        if self.bias == "penalized":
            W, b = W[:-1], W[-1]
        alpha = np.zeros(self.pieces.hinge.shape)
        alpha[self.hinge] = np.ravel(dual) / self.scale**2
        alpha[self.linear] = self.costs[self.linear[0]]
        return Candidate(W, b - self.mean @ W, alpha)

    def _build(self, weight: Array) -> cp.Problem:
        """``weight`` is C_i / C."""
        objective: Any = 0 if self.w is None else cp.sum_squares(self.w) / 2
        constraints: list[Any] = []
        if len(self.linear[0]):
            i, p = self.linear
            objective -= self.C * (weight[i] @ self._mu(i, p))
        if len(self.owner):
            share = sparse.csr_array(
                (np.ones(len(self.group)), (np.arange(len(self.group)), self.group))
            )
            target = self.spec.gamma[self.y[self.hinge[0]], self.hinge[1]]
            if self.spec.quadratic:  # in eta = sqrt(C_i) xi the objective has unit curvature
                eta = cp.Variable(len(self.owner))
                slack = self.C * (sparse.csr_array(share / np.sqrt(weight[self.owner])) @ eta)
                objective += cp.sum_squares(eta)
            else:
                xi = cp.Variable(len(self.owner), nonneg=True)
                slack = share @ xi
                objective += self.C * (weight[self.owner] @ xi)
            self.margins = self._mu(*self.hinge) + slack >= target
            constraints.append(self.margins)
        if self.spec.sum_to_zero:
            if self.w is not None:
                one_of_each = sparse.kron(
                    np.ones((1, self.spec.d)), sparse.eye_array(self.phi.shape[1]), format="csr"
                )
                constraints.append(one_of_each @ self.w == 0)
            constraints += [] if self.b is None else [cp.sum(self.b) == 0]
        return cp.Problem(cp.Minimize(objective), constraints)

    def _mu(self, i: Index, p: Index) -> Any:
        """mu_p(f(x_i), y_i) for the listed pairs as an affine expression: nu[y_i,p,m] phi(x_i) in the slots m."""
        nu = self.spec.nu[self.y[i], p]
        r, k = self.phi.shape[1], len(i)
        at, m = np.nonzero(nu)
        expression: Any = np.zeros(k)
        if self.w is not None:
            values = nu[at, m][:, None] * self.phi[i[at]]
            columns = m[:, None] * r + np.arange(r)
            matrix = sparse.csr_array(
                (values.ravel(), (np.repeat(at, r), columns.ravel())), shape=(k, r * self.spec.d)
            )
            expression = matrix @ self.w
        if self.b is not None:
            expression = expression + sparse.csr_array(nu) @ self.b
        return expression
