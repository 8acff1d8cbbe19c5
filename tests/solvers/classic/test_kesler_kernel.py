"""Kesler's kernel as an object: FH (7), PSD, and good for a single-class solver that knows nothing of classes."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize

import msvm_ref as mr
from msvm_ref.solvers.classic.bsvm import add_column, choose, descent, entry, gradient
from msvm_ref.solvers.classic.kesler import KeslerKernel, single_class
from tests.small_problems import COSTS, MACHINES, blobs

OWN = [m for m in MACHINES if m.aggregation.slack == "own"]


def bracket(y, i, m, j, n):
    """FH (7): delta(y_i,y_j) + delta(m,n) - delta(y_i,n) - delta(y_j,m)."""
    return int(y[i] == y[j]) + int(m == n) - int(y[i] == n) - int(y[j] == m)


def test_it_is_fh_7_up_to_the_margin_s_quarter():
    X, y = blobs(4, per_class=2)
    kernel = KeslerKernel.of(mr.Problem(mr.WW, X, y, kernel=mr.rbf(0.3), bias="penalized"))
    K = kernel.extended
    expected = [
        [K[i, j] * bracket(y, i, m, j, n) / 4 for j, n in kernel.pairs] for i, m in kernel.pairs
    ]
    np.testing.assert_allclose(kernel.gram(), expected, atol=1e-15)
    assert len(kernel.pairs) == 3 * len(y)


@pytest.mark.parametrize("bias", ["none", "penalized"])
def test_it_is_positive_semi_definite(machine, bias):
    X, y = blobs(3)
    gram = KeslerKernel.of(mr.Problem(machine, X, y, kernel=mr.polynomial(2), bias=bias)).gram()
    assert np.linalg.eigvalsh(gram)[0] >= -1e-12 * abs(gram).max()


@pytest.mark.parametrize("cost", COSTS)
@pytest.mark.parametrize("machine", [mr.WW, mr.LLW, mr.OVA], ids=lambda m: m.name)
def test_any_single_class_solver_can_use_it(machine, cost):
    """FH (4) by L-BFGS-B on k' + ridge: its alpha is optimal for the multi-class problem."""
    X, y = blobs(3)
    problem = mr.Problem(machine.with_cost(cost), X, y, C=0.5, bias="penalized")
    single = single_class(problem, "test")
    Q = single.kernel.gram() + np.diag(single.ridge)
    result = minimize(
        lambda a: (a @ Q @ a / 2 - single.target @ a, Q @ a - single.target),
        np.zeros(len(Q)),
        jac=True,
        method="L-BFGS-B",
        bounds=[(0.0, None if np.isinf(u) else u) for u in single.upper],
        options={"ftol": 1e-15, "gtol": 1e-10, "maxiter": 5000, "maxfun": 50000},
    )
    certificate = mr.certify(problem, alpha=single.scatter(result.x))
    assert certificate.relative_gap < 1e-5
    assert -result.fun == pytest.approx(certificate.lower, rel=1e-5)


def test_the_diagonal_is_the_gram_s():
    X, y = blobs(3)
    for machine in OWN:
        single = single_class(mr.Problem(machine.with_cost("quadratic"), X, y, C=0.5), "test")
        np.testing.assert_allclose(
            single.diagonal(), np.diag(single.kernel.gram()) + 1.0, atol=1e-14
        )


def test_the_column_recipe_of_hl_15_is_the_bracket():
    X, labels = blobs(4, per_class=3)
    y = mr.Problem(mr.WW, X, labels).y  # read-only, as in the solver: one compiled signature
    K = X @ X.T + 1.0
    n, d = len(y), 4
    for i in range(n):
        for m in set(range(d)) - {y[i]}:
            column = np.zeros((n, d))
            add_column(K, y, i, m, 1.0, column)
            for j in range(n):
                for c in set(range(d)) - {y[j]}:
                    assert column[j, c] == pytest.approx(
                        K[i, j] * bracket(y, i, m, j, c), abs=1e-14
                    )
    alpha = np.random.default_rng(0).random((n, d)) * (1 - np.eye(d)[y])
    w = np.einsum(
        "ij,jm->im", X.T, np.eye(d)[y] * alpha.sum(axis=1, keepdims=True) - alpha
    )  # HL (6)
    b = (np.eye(d)[y] * alpha.sum(axis=1, keepdims=True) - alpha).sum(axis=0)
    f = X @ w + b
    away = ~np.eye(d, dtype=bool)[y]
    np.testing.assert_allclose(
        gradient(K, y, alpha)[away], (f[np.arange(n), y][:, None] - f - 2)[away], atol=1e-12
    )


def test_bsvms_working_set_is_the_largest_free_and_the_smallest_of_all():
    """HL's rule after (12): half of q from the *largest* v of the free variables, the rest the *smallest* v of all."""
    y = np.array([0, 0, 1, 1, 2])
    costs = np.array([1.0, 1.0, 1.0, 1.0, 0.0])  # the last one does not count
    alpha = np.array([[0, 0.5, 0.5], [0, 0, 1.0], [0.5, 0, 0.0], [1.0, 0, 0.5], [0, 0, 0.0]])
    g = np.array([[9.0, 1, -2], [9, -4, -3], [0.5, 9, -7], [6, 9, 5], [-9, -9, 9]])
    v = np.zeros((5, 3))
    assert descent(y, costs, alpha, g, v) == -7
    # at 0: min(g, 0); free: -|g|; at C: -max(g, 0); 0 for y_i and for an example that does not count
    np.testing.assert_array_equal(
        v, [[0, -1, -2], [0, -4, 0], [-0.5, 0, -7], [-6, 0, -5], [0, 0, 0]]
    )
    working = np.zeros((4, 2), dtype=np.int64)
    assert choose(y, costs, alpha, v, working) == 4
    assert working.tolist() == [[2, 0], [0, 1], [2, 2], [3, 0]]
    single = np.zeros((1, 2), dtype=np.int64)
    assert choose(y, costs, alpha, v, single) == 1
    assert single.tolist() == [[2, 2]]


def test_an_entry_of_bsvms_sub_problem_is_the_bracket():
    X, labels = blobs(3, per_class=2)
    y = mr.Problem(mr.WW, X, labels).y
    K = X @ X.T + 1.0
    pairs = [(i, m) for i in range(len(y)) for m in range(3) if m != y[i]]
    for i, m in pairs:
        for j, c in pairs:
            assert entry(K, y, i, m, j, c) == K[i, j] * bracket(y, i, m, j, c)


def test_bad_pairs_and_biases_are_refused():
    X, y = blobs(3)
    kernel = KeslerKernel.of(mr.Problem(mr.WW, X, y))
    for pairs in ([[0, 0, 1]], [[0.0, 1.0]], [[len(y), 0]], [[0, 3]], [[-1, 0]]):
        with pytest.raises(mr.DataError):
            kernel(pairs, kernel.pairs)
    with pytest.raises(mr.DataError, match="penalized"):
        KeslerKernel.of(mr.Problem(mr.WW, X, y, bias="free"))
