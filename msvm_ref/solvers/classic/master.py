"""The master of the cutting planes: the multipliers of the constraints in the working set.

    max  <delta, lambda> - 1/2 lambda' H lambda    s.t.  lambda >= 0,  the sum over each family at most 1

A small QP for cvxpy, with the backends of the ground truth in their order until one says that it solved it; its answer is
made feasible by clipping and scaling, so that what it is worth does not rest on anybody's word.
"""

from __future__ import annotations

import cvxpy as cp
import numpy as np
from scipy import sparse

from msvm_ref.errors import BackendError
from msvm_ref.model.arrays import Array
from msvm_ref.solvers.classic.kesler import Index
from msvm_ref.solvers.deadline import Deadline
from msvm_ref.solvers.truth.backends import chain


def solve_master(
    H: Array, delta: Array, family: Index, accuracy: float, deadline: Deadline
) -> tuple[Array, str]:
    """(lambda, who found it): of the backends tried, the one with the largest value."""
    unit = float(abs(delta).max()) or 1.0
    problem, unknown = posed(H / unit, delta / unit, family)
    best, best_value, by, words = np.zeros(len(delta)), -np.inf, "none", ""
    for backend in chain(None, 0):
        report = backend.run(problem, accuracy, deadline.left)
        if unknown.value is not None and np.isfinite(unknown.value).all():
            answer = feasible(np.asarray(unknown.value), family)
            value = float(delta @ answer - answer @ H @ answer / 2)
            if value > best_value:
                best, best_value, by = answer, value, backend.name
        if report.status == "solved" or deadline.passed:
            break
        words = report.words
    if by == "none" and not deadline.passed:
        raise BackendError("cutting-plane master", "solve a small QP", words)
    return best, by


def posed(H: Array, delta: Array, family: Index) -> tuple[cp.Problem, cp.Variable]:
    """The master in cvxpy's words."""
    unknown = cp.Variable(len(delta), nonneg=True)
    families, row = np.unique(family, return_inverse=True)
    sums = sparse.csr_array(
        (np.ones(len(row)), (row, np.arange(len(row)))), shape=(len(families), len(row))
    )
    curve = cp.quad_form(unknown, (H + H.T) / 2, assume_PSD=True)
    return cp.Problem(cp.Minimize(curve / 2 - delta @ unknown), [sums @ unknown <= 1]), unknown


def feasible(multipliers: Array, family: Index) -> Array:
    """Clipped at 0, and each family scaled to a sum of at most 1."""
    inside = np.maximum(multipliers, 0.0)
    totals = np.bincount(family, weights=inside)
    return np.asarray(inside / np.maximum(totals, 1.0)[family])
