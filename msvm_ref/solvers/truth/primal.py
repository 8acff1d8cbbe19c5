"""The primal, written from the loss L = Delta o hinge o mu; it never mentions M, Pi or alpha's meaning.

    min  1/2 sum_j h_j ||V_j||^2 + sum_i c_i sum_r phi(xi_ir)
    s.t. <nu[y_i,p], V'z_i + u> + xi_ir >= gamma[y_i,p]  (p in group r),  xi >= 0,
         V 1 = 0 and 1'u = 0 under sum-to-zero,  u free, tied to V, or 0     (``presolve``: the problem's own primal, scaled)

phi(xi) is the least v^2 / (2h) + (xi - v), v <= xi, where the cost is capped, and v = xi where it is not (``model/cost.py``);
with eta = sqrt(c_i / h) v the objective has unit curvature. A component known to be violated enters by its linear piece,
c_i (gamma - mu), and one known to hold not at all.

cvxpy is handed one vector x = (V, u, eta, xi) and one matrix of inequalities: it takes 3 ms for any problem, and more for every
further expression and coefficient (``narrow``).
"""

from __future__ import annotations

from typing import Any

import cvxpy as cp
import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from msvm_ref.judge.candidate import Candidate
from msvm_ref.model.arrays import Array
from msvm_ref.model.problem import Problem
from msvm_ref.solvers.presolve import Presolved
from msvm_ref.solvers.truth.narrow import narrowed

Index = NDArray[np.int64]
Entries = tuple[Index, Index, Array]
"""Rows, columns and values of a sparse matrix."""


class PrimalModel:
    """The cvxpy problem. Where it is ``kept`` C is a cvxpy parameter: ``set_costs`` re-uses what was compiled for another C."""

    def __init__(self, given: Presolved, kept: bool = False) -> None:
        self.given, self.problem, spec, d = (
            given,
            given.problem,
            given.problem.spec,
            given.problem.d,
        )
        self.i, self.p = i, p = np.nonzero(given.pieces.hinge)
        known, at = np.nonzero(given.pieces.linear)
        nu = given.nu[self.problem.y[i], p]
        pull = given.weight[known, None] * given.nu[self.problem.y[known], at]
        Z, G, t, self.Q = narrowed(given, i, given.Z[known].T @ pull)
        owner, group = np.unique(i, return_inverse=True) if spec.shared else (i, np.arange(len(i)))
        row, slack, q = np.arange(len(i)), np.arange(len(owner)), Z.shape[1]

        u = q * d  # where each part of x begins; V comes first, one class after the other
        eta = u + d * (given.shift != "none")
        xi = eta + len(owner) * (spec.width > 0)
        end = xi + len(owner) * spec.capped
        self.places = slice(u), slice(u, eta)
        size = max(end, 1)
        curve, price = np.ones(size), np.zeros(size)
        curve[:u], curve[u:eta], curve[xi:end] = np.tile(given.h[:q], d), 0.0, 0.0
        price[:u], price[u:eta] = -G.T.ravel(), -pull.sum(axis=0)[: eta - u]
        price[xi:end] = given.weight[owner][: end - xi]
        above, equal = [_outer(nu, Z)], list[Entries]()
        if given.shift != "none":
            above.append(_outer(nu, np.ones((len(i), 1)), u))
        if spec.capped:
            above += [(row, xi + group, np.ones(len(i)))]
            above += [(len(i) + slack, xi + slack, np.ones(len(owner)))]  # xi >= 0
        if spec.sum_to_zero:
            equal += [(np.tile(np.arange(q), d), np.arange(u), np.ones(u))]
        if spec.sum_to_zero and given.shift == "free":
            equal += [(np.full(d, q), np.arange(u, eta), np.ones(d))]
        if given.shift == "tied":  # V't = u, in units of t
            unit = 2.0 ** -np.frexp(abs(t).max())[1]
            equal += [_outer(np.eye(d), np.tile(unit * t, (d, 1)), 0, q)]
            equal += [(q + np.arange(d), np.arange(u, eta), np.full(d, -unit))]

        costs = self._costs(self.problem)
        self.parameters = [cp.Parameter(nonneg=True, value=v) for v in costs] if kept else []
        c, root = self.parameters or costs
        self.x, self.margins, constraints = cp.Variable(size), None, list[Any]()
        square = sparse.diags_array(curve / 2, format="csc")
        objective = cp.quad_form(self.x, square, assume_PSD=True) + (c * price) @ self.x
        if len(i):
            least = np.zeros(len(i) + end - xi)
            least[: len(i)] = given.gamma[self.problem.y[i], p]
            left = _matrix(above, (len(least), size)) @ self.x
            if spec.width:
                curved = (row, eta + group, given.weight[owner][group] ** -0.5)
                left = left + root * (_matrix([curved], (len(least), size)) @ self.x)
            self.margins = left >= least
            constraints.append(self.margins)
        if equal:
            rows = 1 + max(int(entries[0].max(initial=-1)) for entries in equal)
            constraints.append(_matrix(equal, (rows, size)) @ self.x == 0)
        self.model = cp.Problem(cp.Minimize(objective), constraints)

    def _costs(self, problem: Problem) -> tuple[float, float]:
        """c and sqrt(h / c)."""
        c = self.given.c(problem.C)
        return c, float(np.sqrt(self.given.width / np.float64(c)))

    def set_costs(self, problem: Problem) -> None:
        self.problem = problem
        for parameter, value in zip(self.parameters, self._costs(problem), strict=True):
            parameter.value = value

    def candidate(self) -> Candidate | None:
        """What the backend left in the variables, in the problem's own units; None where it left nothing finite."""
        given, d = self.given, self.problem.d
        x = self.x.value
        dual = np.zeros(0) if self.margins is None else self.margins.dual_value
        if x is None or dual is None:
            return None
        V, u = (x[place] for place in self.places)
        V = V.reshape(d, -1).T
        alpha = np.zeros(given.pieces.hinge.shape)
        alpha[self.i, self.p] = dual[: len(self.i)]
        shift = None if given.shift == "none" else u * (self.margins is not None)
        return given.restored(self.problem, V if self.Q is None else self.Q @ V, shift, alpha)


def _outer(nu: Array, Z: Array, column: int = 0, row: int = 0) -> Entries:
    """nu_k (x) z_k in row k: z_k times nu[k,m] in the slot m of V; from ``row`` and ``column`` on."""
    k, m = np.nonzero(nu)
    values = nu[k, m][:, None] * Z[k]
    at, j = np.nonzero(values)
    return row + k[at], column + m[at] * Z.shape[1] + j, values[at, j]


def _matrix(entries: list[Entries], shape: tuple[int, int]) -> Any:
    rows, columns, values = (np.concatenate(part) for part in zip(*entries, strict=True))
    return sparse.csc_array((values, (rows, columns)), shape=shape)
