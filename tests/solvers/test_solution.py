"""What a Solution offers."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array

import msvm_ref as mr
from tests.small_problems import blobs

X, Y = blobs(3, per_class=8)


@pytest.mark.parametrize("kernel", [mr.linear, mr.rbf(0.5), mr.polynomial(2)], ids=str)
def test_decision_function_is_the_expansion(kernel, bias):
    solution = mr.solve(mr.Problem(mr.WW, X, Y, kernel=kernel, bias=bias))
    new = X[:5] + 0.1
    expected = kernel(new, X) @ solution.coef + solution.b
    reach = solution.certificate.distance_bound * np.sqrt(np.abs(kernel(new, new)).max()) * 2 + 1e-9
    assert np.abs(solution.decision_function(new) - expected).max() <= reach
    assert (solution.predict(new) == expected.argmax(axis=1)).all()


def test_w_belongs_to_the_linear_kernel_only():
    assert mr.solve(mr.Problem(mr.WW, X, Y)).W.shape == (3, 3)
    with pytest.raises(mr.DataError, match="use coef"):
        _ = mr.solve(mr.Problem(mr.WW, X, Y, kernel=mr.rbf(1.0))).W


def test_objective_lies_in_its_enclosure():
    solution = mr.solve(mr.Problem(mr.ATS, X, Y, bias="free"))
    c = solution.certificate
    assert c.lower <= solution.objective <= c.upper
    assert solution.objective - c.lower == c.gap


def test_support_is_where_alpha_matters():
    solution = mr.solve(mr.Problem(mr.WW, X, Y, C=0.5))
    assert 0 < len(solution.support) < len(Y)
    quiet = np.setdiff1d(np.arange(len(Y)), solution.support)
    assert solution.alpha[quiet].max() <= 1e-7


def test_new_points_are_validated():
    solution = mr.solve(mr.Problem(mr.WW, X, Y))
    for bad, message in (
        (X[0], "2 axes"),
        (X[:, :2], "3 columns"),
        (np.full((1, 3), np.nan), "finite"),
    ):
        with pytest.raises(mr.DataError, match=message):
            solution.predict(bad)


def test_ties_go_to_the_first_class():
    problem = mr.Problem(mr.WW, np.zeros((4, 2)), ["b", "a", "b", "a"])
    assert mr.solve(problem).predict(np.ones((1, 2))).tolist() == ["a"]


@pytest.mark.parametrize("cost", ["linear", "quadratic"])
def test_b_interval_is_the_set_of_optimal_biases(cost):
    """Two points at -1 and 1, C so small that both are at their bound: any b in between is optimal."""
    problem = mr.Problem(mr.OVA.with_cost(cost), [[-1.0], [1.0]], [0, 1], C=0.1, bias="free")
    solution = mr.solve(problem)
    low, high = solution.b_interval.T
    assert (low <= solution.b + 1e-6).all()
    assert (solution.b <= high + 1e-6).all()
    for b in (low, high, (low + high) / 2):
        certificate = mr.certify(problem, W=solution.W, b=b, alpha=solution.alpha)
        assert certificate.primal_error <= 1e-5, (
            b,
            str(certificate),
        )  # the range has W's own doubt in it
    if cost == "linear":
        assert (high - low > 0.5).all()
        outside = mr.certify(problem, W=solution.W, b=high + 0.1, alpha=solution.alpha)
        assert outside.primal_error > 1e-4
    else:
        assert (high - low < 1e-3).all()


@pytest.mark.parametrize("machine", [mr.WW, mr.CS, mr.AMO], ids=lambda m: m.name)
def test_lead_interval_has_the_optimums_lead_however_coarse_the_solution(machine, bias):
    problem = mr.Problem(machine, X, Y, C=0.3, bias=bias)
    new = np.concatenate([X, np.random.default_rng(0).normal(size=(40, 3)), np.zeros((1, 3))])
    best = mr.solve(problem, tolerance=1e-10).decision_function(new)
    coarse = mr.solve(problem, "fast", tolerance=0.05)
    low, high = coarse.lead_interval(new).T
    code = coarse.decision_function(new).argmax(axis=1)
    mine = np.take_along_axis(best, code[:, None], axis=1)[:, 0]
    np.put_along_axis(best, code[:, None], -np.inf, axis=1)
    lead = mine - best.max(axis=1)
    assert (low - 1e-4 <= lead).all()
    assert (lead <= high + 1e-4).all()
    fine = mr.solve(problem, "fast", tolerance=1e-9).lead_interval(X)
    assert (fine[:, 1] - fine[:, 0] < 0.1).all()
    if bias != "free":
        assert (low < high)[:-1].all()


def test_a_tie_is_one_at_every_weight_that_the_certificate_allows():
    twins = np.concatenate([X, X])  # two classes of the same points
    problem = mr.Problem(mr.OVA, twins, np.concatenate([np.zeros(len(X)), np.ones(len(X))]))
    low, high = mr.solve(problem, "fast", tolerance=1e-10).lead_interval(X).T
    assert (low <= 0).all()
    assert (high < 0.01).all()


def test_the_ends_of_a_lead_are_those_of_weights_as_far_away_as_may_be():
    solution = mr.solve(mr.Problem(mr.WW, X, Y), "fast", tolerance=0.05)
    for x in X[:5]:
        scores = solution.decision_function(x[None])[0]
        first, second = np.argsort(-scores)[:2]
        away = np.zeros_like(solution.W)
        away[:, [first, second]] = np.outer(x, [1, -1]) / (np.sqrt(2) * np.linalg.norm(x))
        lead = scores[first] - scores[second]
        change = x @ (solution.certificate.distance_bound * away)
        ends = lead - (change[first] - change[second]), lead + (change[first] - change[second])
        np.testing.assert_allclose(solution.lead_interval(x[None])[0], ends, rtol=1e-9)


def test_a_lead_over_a_class_whose_bias_is_unbounded():
    """An absent class's bias goes down for ever; and where a shift is free, that of others up."""
    absent = mr.solve(mr.Problem(mr.OVA, X, Y, bias="free", n_classes=4), "fast")
    low, high = absent.lead_interval(X).T
    assert absent.b_interval[3, 0] == -np.inf
    assert np.isfinite(low).all()
    assert np.isfinite(high).all()
    points, y = np.array([[1.0], [2.0], [3.0]]), [0, 0, 1]
    lonely = mr.solve(mr.Problem(mr.WW, points, y, bias="free", n_classes=3), "fast")
    assert lonely.b_interval[0, 1] == np.inf
    low, high = lonely.lead_interval(points).T
    assert not np.isnan(low).any()
    assert (high == np.inf).all()


def test_leads_at_sparse_and_at_tiny_points():
    dense = mr.solve(mr.Problem(mr.WW, X, Y), "fast", tolerance=0.05)
    sparse = mr.solve(mr.Problem(mr.WW, csr_array(X), Y), "fast", tolerance=0.05)
    found = sparse.lead_interval(csr_array(X))
    np.testing.assert_allclose(found, sparse.lead_interval(X), rtol=1e-12)
    widths = np.diff(dense.lead_interval(1e-200 * X), axis=1)
    np.testing.assert_allclose(widths, 1e-200 * np.diff(dense.lead_interval(X), axis=1), rtol=1e-9)


def test_a_lead_belongs_to_the_linear_kernel_only():
    with pytest.raises(mr.DataError, match="linear"):
        mr.solve(mr.Problem(mr.WW, X, Y, kernel=mr.rbf(1.0))).lead_interval(X)


def test_b_interval_is_a_point_where_b_is_unique_or_not_free():
    for bias in ("none", "penalized"):
        solution = mr.solve(mr.Problem(mr.WW, X, Y, bias=bias))
        assert (solution.b_interval_estimate == np.column_stack([solution.b, solution.b])).all()
        assert np.ptp(solution.b_interval, axis=1).max() < 1e-3
    solution = mr.solve(mr.Problem(mr.WW, X, Y, bias="free"))
    assert np.ptp(solution.b_interval_estimate, axis=1).max() < 1e-4
    assert np.ptp(solution.b_interval, axis=1).max() < 1e-2
    assert abs(solution.b.sum()) < 1e-12  # a common shift is free, and taken out


def test_b_of_an_absent_class_is_unbounded_on_one_side():
    solution = mr.solve(mr.Problem(mr.OVA, X, Y, bias="free", n_classes=4))
    low, high = solution.b_interval[3]
    assert low == -np.inf
    assert -1.0 <= high <= -0.99  # -f_3 >= 1 everywhere costs nothing
    assert solution.b_interval_estimate[3, 1] == pytest.approx(-1.0, abs=1e-6)


def test_mmr_ortho_with_a_free_bias_is_trivial():
    """E11 of docs/mathematics.md: w = 0 and no loss."""
    solution = mr.solve(mr.Problem(mr.MMR_ORTHO, X, Y, bias="free"))
    assert solution.objective == 0.0
    assert not solution.W.any()
    assert solution.certificate.optimal(1e-9)
