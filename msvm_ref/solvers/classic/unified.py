"""UV's unified dual (5) without the equality (6), one multiplier for each pair t = (i, p) that counts.

    max  sum_t V_t alpha_t - 1/2 alpha'Q alpha,   Q_tu = M[(y_i,p),(y_j,q)] k(x_i,x_j) + ridge_tu,   t = (i,p), u = (j,q)
    M = <nu[y_i,p], (Pi nu)[y_j,q]>,   V_t = gamma[y_i,p] - <nu[y_i,p], b>  for a bias b that is held fixed (0 without one)

    capped cost, own slacks      0 <= alpha_t <= C_i                     a box
    capped cost, shared slack    0 <= alpha_t, sum_p alpha_ip <= C_i     a simplex for each example
    a cost of width h            0 <= alpha_t, and h / C_i in Q at (t, t); with a shared slack at all (t, u) of the example

A penalized bias is k + 1. The gradient is g = V - Q alpha. Pi is a projection, so it is enough to apply it on one side of M:
without it a row of nu has one or two entries, and M[t, .] for all (y, q) costs d^2.
UV = Dogan, Glasmachers, Igel, "A Unified View on Multi-class Support Vector Classification", JMLR 17 (2016).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from msvm_ref.model.arrays import Array
from msvm_ref.model.loss import by_class, expansion
from msvm_ref.model.problem import Problem
from msvm_ref.solvers.classic.kesler import Index
from msvm_ref.solvers.classic.rows import KernelRows
from msvm_ref.solvers.compiled import njit


class Pairs(NamedTuple):
    """What a compiled loop has to know of the pairs; those of example i are start[i] ... start[i+1]-1."""

    owner: Index
    label: Index
    component: Index
    start: Index
    upper: Array
    """C_i, a bound on alpha_t or on the sum over the example; inf where the cost is not capped."""
    ridge: Array
    root: Array
    """sqrt(Q_tt)"""
    nu: Array
    projected: Array
    shared: bool


class UnifiedDual:
    """The dual of a problem, its kernel rows, and the way from multipliers of pairs to those of the problem."""

    def __init__(self, problem: Problem, cache_mb: float) -> None:
        spec, cost = problem.spec, problem.costs
        self.problem, self.rows = problem, KernelRows(problem, cache_mb, least=2)
        places = np.nonzero(spec.mask[problem.y] & (cost > 0)[:, None])
        i, p = map(np.ascontiguousarray, places)  # whatever their number: one kernel is compiled
        label = problem.y[i]
        ridge = spec.width / cost[i]
        squares = (spec.nu[label, p] * spec.projected_nu[label, p]).sum(axis=1)
        self.pairs = Pairs(
            i,
            np.ascontiguousarray(label),
            p,
            np.searchsorted(i, np.arange(problem.n + 1)),
            cost[i] if spec.capped else np.full(len(i), np.inf),
            ridge,
            np.sqrt(np.maximum(squares, 0.0) * self.rows.diagonal[i] + ridge),
            spec.nu,
            spec.projected_nu,
            spec.shared,
        )
        self.scale = float(abs(spec.gamma[spec.mask]).max(initial=0.0)) or 1.0

    @property
    def simplex(self) -> bool:
        """Does a constraint tie the multipliers of an example together?"""
        return self.problem.spec.shared and self.problem.spec.capped

    def scatter(self, alpha: Array) -> Array:
        """alpha of the pairs as the (n x d) matrix of the problem."""
        full = np.zeros((self.problem.n, self.problem.d))
        full[self.pairs.owner, self.pairs.component] = alpha
        return full

    def gradient(self, alpha: Array, b: Array) -> Array:
        """V - Q alpha, afresh."""
        problem, pairs, full = self.problem, self.pairs, self.scatter(alpha)
        scores = self.rows.product(expansion(problem, full)) + b
        t = problem.spec.gamma[problem.y] - by_class(problem.spec.nu, problem.y, scores)
        groups = full.sum(axis=1)[pairs.owner] if pairs.shared else alpha
        return np.asarray(t[pairs.owner, pairs.component] - pairs.ridge * groups)


@njit(cache=True)
def modifiers(nu: Array, projected: Array, y: int, p: int, out: Array) -> None:
    """out[z,q] = M[(y,p),(z,q)], for every class z and component q."""
    out[:] = 0.0
    for m in range(nu.shape[2]):
        factor = nu[y, p, m]
        if factor != 0.0:
            for z in range(out.shape[0]):
                for q in range(out.shape[1]):
                    out[z, q] += factor * projected[z, q, m]


@njit(cache=True)
def column(pairs: Any, t: int, row: Array, active: Index, size: int, M: Array, out: Array) -> None:
    """out[u] = Q_ut for the active pairs u, O(1) for each; row is k(x_i, .) of t's example, M room for the modifiers.

    (The fields are read once: numba counts references at every look into a tuple of arrays.)
    """
    owner, label, component = pairs.owner, pairs.label, pairs.component
    i, ridge, shared = owner[t], pairs.ridge[t], pairs.shared
    modifiers(pairs.nu, pairs.projected, label[t], component[t], M)
    for k in range(size):
        u = active[k]
        out[u] = M[label[u], component[u]] * row[owner[u]]
        if u == t or (shared and owner[u] == i):
            out[u] += ridge
