"""The primal, written from the loss L = Delta o hinge o mu; it never mentions M, Pi or alpha's meaning.

    min  1/2 sum_j h_j ||V_j||^2 + sum_i c_i sum_r phi(xi_ir)
    s.t. <nu[y_i,p], V'z_i + u> + xi_ir >= gamma[y_i,p]  (p in group r),  xi >= 0,
         V 1 = 0 and 1'u = 0 under sum-to-zero,  u free, tied to V, or 0     (``presolve``: the problem's own primal, scaled)

phi(xi) is the least v^2 / (2h) + (xi - v), v <= xi, where the cost is capped, and v = xi where it is not (``model/cost.py``);
with eta = sqrt(c_i / h) v the objective has unit curvature. A component known to be violated enters by its linear piece,
c_i (gamma - mu), and one known to hold not at all.

cvxpy is handed one vector x = (V, f, u, eta, xi) and one matrix of inequalities: it takes 3 ms for any problem, and more for
every further expression and coefficient (``narrowed``). Where it pays V 1 = 0 is solved for, by V = U O' with a basis O of the
vectors of sum 0; where most components are in play the scores f_i = U'z_i are unknowns, too: a third of the work to factorise.
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

Index = NDArray[np.int64]
Entries = tuple[Index, Index, Array]
"""Rows, columns and values of a sparse matrix."""
FEW, MOST = 1500, 0.75
"""V 1 = 0 is solved for where that leaves this few coefficients, or where this share of the components is in play."""


class PrimalModel:
    """The cvxpy problem. Where it is ``kept`` C is a cvxpy parameter: ``set_costs`` re-uses what was compiled for another C."""

    def __init__(self, given: Presolved, kept: bool = False) -> None:
        self.given, self.problem = given, given.problem
        spec, y = self.problem.spec, self.problem.y
        self.i, self.p = i, p = np.nonzero(given.pieces.hinge)
        known, at = np.nonzero(given.pieces.held)
        nu, pull, d = given.nu[y[i], p], given.nu[y[known], at], spec.d
        pull = given.weight[known, None] * pull
        examples, row = np.unique(i, return_inverse=True)
        Z, G, t, self.Q = narrowed(given, examples, given.Z[known].T @ pull)
        most = 4 * Z.shape[1] >= 3 * len(Z) and len(i) > MOST * len(Z) * d
        small = len(i) * Z.shape[1] * d <= FEW
        based = spec.sum_to_zero and given.shift != "tied" and (most or small)
        scored = based and not small
        self.O = np.linalg.qr(np.eye(d)[:, 1:] - np.eye(d)[:, :1])[0] if based else np.eye(d)
        owner, group = (examples, row) if spec.shared else (i, np.arange(len(i)))
        (q, r), slack = (Z.shape[1], self.O.shape[1]), np.arange(len(owner))

        f = q * r  # where in x each part begins; V comes first, one class after the other
        u = f + len(Z) * r * scored
        eta = u + d * (given.shift != "none")
        xi = eta + len(owner) * (spec.width > 0)
        end = xi + len(owner) * spec.capped
        self.places, size = (slice(f), slice(u, eta)), max(end, 1)
        curve, price = np.zeros(size), np.zeros(size)
        curve[:f], curve[eta:xi], curve[end:] = np.tile(given.h[:q], r), 1.0, 1.0
        price[:f], price[u:eta] = -(G @ self.O).T.ravel(), -pull.sum(axis=0)[: eta - u]
        price[xi:end] = given.weight[owner][: end - xi]

        above, equal, height = list[Entries](), list[Entries](), 0
        if scored:
            pair, m = np.nonzero(nu @ self.O)
            above.append((pair, f + m * len(Z) + row[pair], (nu @ self.O)[pair, m]))
            scores, height = np.arange(len(Z) * r), len(Z) * r
            equal += [_outer(np.eye(r).repeat(len(Z), axis=0), np.tile(Z, (r, 1)))]
            equal += [(scores, f + scores, np.full(height, -1.0))]
        else:
            above.append(_outer(nu @ self.O, Z[row]))
        if spec.sum_to_zero and not based:
            equal += [(np.tile(np.arange(q), d), np.arange(f), np.ones(f))]
            height = q
        if spec.sum_to_zero and given.shift == "free":
            equal += [(np.full(d, height), np.arange(u, eta), np.ones(d))]
            height += 1
        if given.shift == "tied":  # V't = u, in units of t
            unit, tie = 2.0 ** -np.frexp(abs(given.t).max())[1], height + np.arange(d)
            equal += [_outer(np.eye(d), np.tile(unit * t, (d, 1)), height)]
            equal += [(tie, np.arange(u, eta), np.full(d, -unit))]
            height += d
        if given.shift != "none":
            pair, m = np.nonzero(nu)
            above.append((pair, u + m, nu[pair, m]))
        if spec.capped:
            above.append((np.arange(len(i)), xi + group, np.ones(len(i))))
            above.append((len(i) + slack, xi + slack, np.ones(len(owner))))  # xi >= 0

        costs = self._costs(self.problem)
        self.parameters = [cp.Parameter(nonneg=True, value=v) for v in costs] if kept else []
        c, root = self.parameters or costs
        self.x, self.margins, constraints = cp.Variable(size), None, list[Any]()
        square = sparse.diags_array(curve / 2, format="csc")
        objective = cp.quad_form(self.x, square, assume_PSD=True) + (c * price) @ self.x
        if len(i):
            least = np.zeros(len(i) + end - xi)
            least[: len(i)] = given.gamma[y[i], p]
            left = _matrix(above, (len(least), size)) @ self.x
            if spec.width:
                curved = np.arange(len(i)), eta + group, given.weight[i] ** -0.5
                left = left + root * (_matrix([curved], (len(least), size)) @ self.x)
            self.margins = left >= least
            constraints.append(self.margins)
        if height:
            constraints.append(_matrix(equal, (height, size)) @ self.x == 0)
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
        given, x = self.given, self.x.value
        dual = np.zeros(0) if self.margins is None else self.margins.dual_value
        if x is None or dual is None:
            return None
        V, u = (x[place] for place in self.places)
        V = V.reshape(self.O.shape[1], -1).T @ self.O.T
        alpha = np.zeros(given.pieces.hinge.shape)
        alpha[self.i, self.p] = dual[: len(self.i)]
        shift = None if given.shift == "none" else u * (self.margins is not None)
        return given.restored(self.problem, V if self.Q is None else self.Q @ V, shift, alpha)


def narrowed(
    given: Presolved, examples: Index, G: Array
) -> tuple[Array, Array, Array, Array | None]:
    """(Z of the examples, G, t, Q), in an orthonormal basis Q of everything the problem names; as they were where that is None.

    The hinges that are left name some z_i, the linear pieces a gradient G (one column a class), a tie its t. The part of V
    orthogonal to all of these, class by class, appears in 1/2 h ||V||^2 alone, and taking it away keeps V 1 = 0: it is 0 at the
    solution, and V = Q U. In that basis Z is lower triangular, half of it zeros. Where the h_j differ, or Q is wider, V stays.
    """
    named = np.concatenate([given.Z[examples], G.T, given.t[None]])
    some = np.abs(named).max(axis=1, initial=0.0) > 0
    if some.sum() > given.Z.shape[1] or (given.h != given.h[:1]).any():
        return given.Z[examples], G, given.t, None
    Q, R = np.linalg.qr(named[some].T)
    named = np.zeros((len(named), Q.shape[1]))
    named[some] = R.T
    return named[: len(examples)], named[len(examples) : -1].T, named[-1], Q


def _outer(nu: Array, Z: Array, top: int = 0) -> Entries:
    """nu_k (x) z_k in row k, from ``top`` on: z_k times nu[k,m] in the slot m of V."""
    k, m = np.nonzero(nu)
    values = nu[k, m][:, None] * Z[k]
    at, j = np.nonzero(values)
    return top + k[at], m[at] * Z.shape[1] + j, values[at, j]


def _matrix(entries: list[Entries], shape: tuple[int, int]) -> Any:
    rows, columns, values = (np.concatenate(part) for part in zip(*entries, strict=True))
    return sparse.csc_array((values, (rows, columns)), shape=shape)
