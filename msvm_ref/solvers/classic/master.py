"""The master of the cutting planes: the multipliers of the constraints in the working set.

    max  <delta, lambda> - 1/2 lambda' H lambda    s.t.  lambda >= 0,  the sum over each family at most 1

A small QP for cvxpy. Its answer is made feasible by clipping and scaling, and its own duality gap, against

    1/2 lambda' H lambda + sum over families of max(0, max_k (delta - H lambda)_k),

decides whether it will do: no backend's word is taken, and the next of the ground truth's backends is asked where it will not.
"""

from __future__ import annotations

from itertools import product

import cvxpy as cp
import numpy as np
from scipy import sparse

from msvm_ref.errors import BackendError
from msvm_ref.model.arrays import Array
from msvm_ref.solvers.classic.kesler import Index
from msvm_ref.solvers.deadline import Deadline
from msvm_ref.solvers.truth.backends import chain, clocked

FINEST = 1e-13
"""The smallest relative error that is asked of a backend."""
SHORT = 300
"""Constraints up to which a backend without a clock of its own may be asked under a limit in seconds."""


def solve_master(
    H: Array, delta: Array, family: Index, accuracy: float, deadline: Deadline
) -> tuple[Array, str]:
    """(lambda, who found it): the first answer with a relative gap of at most ``accuracy``, else the best of all."""
    problem, unknown, scale = posed(H, delta, family)
    best, best_gap, by, words = np.zeros(len(delta)), np.inf, "none", ""
    backends = chain(None, len(delta))
    if deadline.limited:
        backends = clocked(backends, len(delta) <= SHORT, named=False)
    for backend, asked in product(backends, (accuracy, FINEST)):
        report = backend.run(problem, asked, deadline.left)
        words = report.words
        if report.status != "failed" and np.isfinite(unknown.value).all():
            answer = feasible(scale * unknown.value, family)
            gap = relative_gap(H, delta, family, answer)
            if gap < best_gap:
                best, best_gap, by = answer, gap, backend.name
        if best_gap <= accuracy or deadline.passed:
            break
    if by == "none" and not deadline.passed:
        raise BackendError("the master problem", "be solved by some backend", words)
    return best, by


def posed(H: Array, delta: Array, family: Index) -> tuple[cp.Problem, cp.Variable, Array]:
    """The master in cvxpy's words for mu, and the scale: lambda = scale mu, of the size that H leaves room for."""
    room, curve = float(abs(delta).max()), np.diag(H)
    scale = np.minimum(1.0, np.divide(room, curve, out=np.ones_like(delta), where=curve > 0))
    unit = float(abs(scale * delta).max()) or 1.0
    families, row = np.unique(family, return_inverse=True)
    sums = sparse.csr_array((scale, (row, np.arange(len(row)))), shape=(len(families), len(row)))
    largest = np.asarray(sums.max(axis=1).toarray()).ravel()
    mu = cp.Variable(len(delta), nonneg=True)
    square = cp.quad_form(mu, scale[:, None] * (H + H.T) * scale / (2 * unit), assume_PSD=True)
    within = [sparse.diags_array(1 / largest) @ sums @ mu <= 1 / largest]
    return cp.Problem(cp.Minimize(square / 2 - (scale * delta / unit) @ mu), within), mu, scale


def relative_gap(H: Array, delta: Array, family: Index, multipliers: Array) -> float:
    """(primal - dual) / primal of the master; 0 where the primal is."""
    fall = H @ multipliers
    slack = np.zeros(family.max(initial=0) + 1)
    np.maximum.at(slack, family, delta - fall)
    primal = float(multipliers @ fall) / 2 + float(slack.sum())
    gap = float(multipliers @ fall) + float(slack.sum()) - float(delta @ multipliers)
    return gap / primal if primal > 0 else 0.0


def feasible(multipliers: Array, family: Index) -> Array:
    """Clipped at 0, and each family scaled to a sum of at most 1."""
    inside = np.maximum(multipliers, 0.0)
    totals = np.bincount(family, weights=inside)
    return np.asarray(inside / np.maximum(totals, 1.0)[family])
