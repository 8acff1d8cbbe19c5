"""The primal, written from the loss L = Delta o hinge o mu; it never mentions M, Pi or alpha's meaning.

    min  1/2 ||W||^2 [+ 1/2 ||b||^2] + sum_i C_i sum_r xi_ir^q
    s.t. mu_p(W'phi(x_i) + b, y_i) + xi_ir >= gamma[y_i,p]  (p in group r),  xi >= 0,
         W 1 = 0 and 1'b = 0 under sum-to-zero.

``Pieces`` says on which branch each hinge is: where a component is known to hold it is left out, where it is known to be
violated (own slack, linear cost) its hinge is replaced by its linear piece, gamma - mu. Both are minorants of the hinge, so the
reduced problem is a relaxation, and it has the same solution as soon as no piece is contradicted.
Features are divided by s and C multiplied by s^2 (W by s): the same problem with a unit scale for the backend.
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

Mask = NDArray[np.bool_]


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
    """The cvxpy problem of a Problem; ``set_costs`` re-uses what was compiled for another C."""

    def __init__(self, problem: Problem, pieces: Pieces | None = None) -> None:
        self.pieces = pieces or Pieces.unknown(problem)
        self.spec, self.y, self.bias = problem.spec, problem.y, problem.bias
        phi = problem.features
        norms = np.sqrt((phi * phi).sum(axis=1))
        self.scale = float(norms.max(initial=0.0)) or 1.0
        self.phi = phi / self.scale
        self.hinge = np.nonzero(self.pieces.hinge)
        self.linear = np.nonzero(self.pieces.linear)
        groups, self.group = np.unique(self.hinge[0] if self.spec.shared else np.arange(len(self.hinge[0])),
                                       return_inverse=True)
        self.owner = groups if self.spec.shared else self.hinge[0]
        self.W = cp.Variable((phi.shape[1], self.spec.d)) if phi.shape[1] else None
        self.b = None if self.bias == "none" else cp.Variable(self.spec.d)
        self.xi = cp.Variable(len(self.owner)) if len(self.owner) else None
        self.cost = cp.Parameter(max(len(self.owner), 1), nonneg=True)
        self.pull = cp.Parameter(phi.shape[1] * self.spec.d + self.spec.d)  # the gradient of the linear pieces
        self.margin_constraint: Any = None
        self.model = self._build()
        self.set_costs(problem)

    def set_costs(self, problem: Problem) -> None:
        self.costs = problem.costs
        scaled = problem.costs * self.scale**2
        self.cost.value = scaled[self.owner] if len(self.owner) else np.zeros(1)
        self.pull.value = self._pull(scaled)

    def candidate(self) -> Candidate | None:
        """What the backend left in the variables, in the problem's own units; None where it left nothing finite."""
        s, d = self.scale, self.spec.d
        W = np.zeros((0, d)) if self.W is None else self.W.value
        b = np.zeros(d) if self.b is None else self.b.value
        dual = np.zeros(0) if self.margin_constraint is None else self.margin_constraint.dual_value
        if W is None or b is None or dual is None or not all(np.isfinite(v).all() for v in (W, b, dual)):
            return None
        W, b = W / s, b / (s if self.bias == "penalized" else 1.0)
        alpha = np.zeros(self.pieces.hinge.shape)
        alpha[self.hinge] = np.ravel(dual) / s**2
        alpha[self.linear] = self.costs[self.linear[0]]
        return Candidate(W, b, alpha)

    def _build(self) -> cp.Problem:
        objective: Any = 0
        constraints: list[Any] = []
        if self.W is not None:
            objective += cp.sum_squares(self.W) / 2
        if self.bias == "penalized":
            objective += cp.sum_squares(self.b) / 2
        if len(self.linear[0]):
            objective -= self.pull @ self._flat()
        if self.xi is not None:
            rows = self._margins(*self.hinge)
            share = sparse.csr_array((np.ones(len(self.group)), (np.arange(len(self.group)), self.group)))
            target = self.spec.gamma[self.y[self.hinge[0]], self.hinge[1]]
            self.margin_constraint = rows + share @ self.xi >= target
            constraints.append(self.margin_constraint)
            if self.spec.quadratic:
                objective += self.cost @ cp.square(self.xi)
            else:
                objective += self.cost @ self.xi
                constraints.append(self.xi >= 0)
        if self.spec.sum_to_zero:
            constraints += [] if self.W is None else [cp.sum(self.W, axis=1) == 0]
            constraints += [] if self.b is None else [cp.sum(self.b) == 0]
        return cp.Problem(cp.Minimize(objective), constraints)

    def _flat(self) -> Any:
        """(W, b) as one vector, b zero-padded away by ``pull`` where there is no bias."""
        parts = [] if self.W is None else [cp.vec(self.W, order="F")]
        return cp.hstack([*parts, self.b if self.b is not None else np.zeros(self.spec.d)])

    def _margins(self, i: Array, p: Array) -> Any:
        """mu_p(f(x_i), y_i) for the listed pairs as an affine expression: nu[y_i,p,m] phi(x_i) in the slots m."""
        nu = self.spec.nu[self.y[i], p]
        r, k = self.phi.shape[1], len(i)
        at, m = np.nonzero(nu)
        expression: Any = np.zeros(k)
        if self.W is not None:
            values = nu[at, m][:, None] * self.phi[i[at]]
            columns = m[:, None] * r + np.arange(r)
            matrix = sparse.csr_array((values.ravel(), (np.repeat(at, r), columns.ravel())), shape=(k, r * self.spec.d))
            expression = expression + matrix @ cp.vec(self.W, order="F")
        if self.b is not None:
            inverse = 1 / self.scale if self.bias == "penalized" else 1.0
            expression = expression + sparse.csr_array(nu * inverse) @ self.b
        return expression

    def _pull(self, costs: Array) -> Array:
        """sum over the linear pieces of C_i d mu / d(W, b)."""
        i, p = self.linear
        weighted = self.spec.nu[self.y[i], p] * costs[i][:, None]
        inverse = 1 / self.scale if self.bias == "penalized" else 1.0
        by_w = self.phi[i].T @ weighted if len(i) else np.zeros((self.phi.shape[1], self.spec.d))
        by_b = weighted.sum(axis=0) * inverse * (self.bias != "none")
        return np.concatenate([by_w.ravel(order="F"), by_b])
