"""Training: cg, lbfgs and cones agree where the problem is convex; where it is not, stationarity and a warning."""

from __future__ import annotations

import math
import warnings

import cvxpy as cp
import numpy as np
import pytest
from scipy.sparse import csr_array

import msvm_ref as mr
from msvm_ref.model.conventions import ZDO_17, ZDO_CS
from msvm_ref.softmax.loss import losses_and_rates
from tests.small_problems import blobs

X, Y = blobs(3, spread=0.6)
K_Y = np.array([[2.0, 1.0, 0.0], [1.0, 2.0, 0.5], [0.0, 0.5, 1.0]])


@pytest.mark.parametrize("bias", ["none", "penalized", "free"])
def test_three_ways_to_the_same_certified_optimum(bias):
    for settings in (
        {},
        {"label_kernel": K_Y},
        {"printed": True},
        {"kernel": mr.rbf(0.5)},
        {"gamma": 0.0},
        {"gamma": 3.0, "label_kernel": K_Y},
    ):
        problem = mr.softmax.SoftmaxProblem(X, Y, 0.8, bias=bias, **settings)
        solutions = [
            mr.softmax.solve_softmax(problem, method, 1e-7) for method in ("cg", "lbfgs", "cones")
        ]
        assert all(s.converged for s in solutions), (
            settings,
            [str(s.certificate) for s in solutions],
        )
        assert max(s.certificate.lower for s in solutions) <= min(
            s.certificate.upper for s in solutions
        )
        for s in solutions:
            again = mr.softmax.certify_softmax(problem, s.V, s.b)
            assert again.upper == pytest.approx(s.objective, rel=1e-14)


def test_the_bound_is_half_the_squared_gradient_and_the_entropy_dual():
    """Strong convexity: P - D = ||g||^2 / 2. At gamma = 1, D = sum C_i H(p_i) - 1/2 ||V_a||^2 with p = (1 - sum a, a)."""
    rng = np.random.default_rng(0)
    for bias in ("none", "penalized"):
        problem = mr.softmax.SoftmaxProblem(X, Y, 0.02, 1.0, bias=bias, label_kernel=K_Y)
        V, b = (
            0.01 * rng.normal(size=problem.zeros()[0].shape),
            0.01 * rng.normal(size=3) * (bias != "none"),
        )
        certificate = mr.softmax.certify_softmax(problem, V, b)
        assert certificate.gap == pytest.approx(certificate.gradient_norm**2 / 2, rel=1e-9)
        _, a = losses_and_rates(problem.scores(V, b), problem.y, 1.0, "logistic", False)
        p = a.copy()
        p[np.arange(len(Y)), Y] = 1 - a.sum(axis=1)
        V_a, b_a = problem.expansion(a)
        dual = (
            -(problem.costs[:, None] * p * np.log(p)).sum()
            - (V_a**2).sum() / 2
            - (b_a @ b_a / 2 if bias != "none" else 0)
        )
        assert certificate.lower == pytest.approx(dual, rel=1e-12)


def test_no_candidate_gets_a_lower_bound_above_the_optimum():
    """Mutants: zero, random, rescaled, shifted and foreign parameters are never declared optimal, and their bounds hold."""
    rng = np.random.default_rng(1)
    for settings in (
        {},
        {"bias": "none"},
        {"bias": "penalized"},
        {"gamma": 3.0},
        {"label_kernel": K_Y},
    ):
        problem = mr.softmax.SoftmaxProblem(X, Y, **settings)
        best = mr.softmax.solve_softmax(problem, "lbfgs", 1e-9)
        assert best.converged
        V, b = best.V, best.b
        moved = b + (0.1 * np.arange(3) if problem.bias != "none" else 0.0)
        for wrong in (
            (0 * V, 0 * b),
            (V * 1.05, b),
            (V * 0.9, b),
            (V, moved),
            (rng.normal(size=V.shape), b),
            (V + 0.02 * rng.normal(size=V.shape), b),
        ):
            certificate = mr.softmax.certify_softmax(problem, *wrong)
            assert certificate.lower <= best.certificate.upper
            assert certificate.upper >= best.certificate.lower
            if not (wrong[0] is V and np.array_equal(wrong[1], b)):
                assert not certificate.optimal(1e-6)


def test_candidates_of_the_wrong_shape_or_beyond_float_are_refused():
    problem = mr.softmax.SoftmaxProblem(X, Y)
    V, b = problem.zeros()
    wide, short = np.zeros((len(Y), 4)), np.zeros((2, 3))
    for wrong in (
        (V.T[:2], b),
        (V, b[:2]),
        (V + np.nan, b),
        (V + 1e200, b),
        (V.astype(str), b),
        (V, 1j * b),
        (V, b, wide),
        (V, b, None, short),
        (V, b, np.full((len(Y), 3), np.nan)),
    ):
        with pytest.raises(mr.DataError):
            mr.softmax.certify_softmax(problem, *wrong)
    assert (
        mr.softmax.certify_softmax(problem, V.tolist(), b.tolist()).upper
        == mr.softmax.certify_softmax(problem, V, b).upper
    )


def test_a_bias_the_problem_does_not_have_buys_nothing():
    """Mutant: the optimum with a bias has a value below the optimum without one, and is no candidate there."""
    with_bias, without = (mr.softmax.SoftmaxProblem(X, Y, bias=bias) for bias in ("free", "none"))
    biased, best = mr.softmax.solve_softmax(with_bias), mr.softmax.solve_softmax(without)
    assert without.value(biased.V, biased.b) < best.certificate.lower
    with pytest.raises(mr.DataError, match="be zero for bias='none'"):
        mr.softmax.certify_softmax(without, biased.V, biased.b)


def test_the_free_bias_box_contains_the_optimal_bias():
    from msvm_ref.softmax.certificate import _reach

    for gamma in (1.0, 2.0):
        best = mr.softmax.solve_softmax(mr.softmax.SoftmaxProblem(X, Y, 2.0, gamma), "lbfgs", 1e-8)
        assert abs(best.b).max() <= _reach(best.problem, best.objective)


def test_an_independent_cvxpy_model_agrees():
    """Multinomial logistic regression as anyone would write it, against gamma = 1."""
    W, b = cp.Variable((3, 3)), cp.Variable(3)
    F = X @ W + np.ones((len(Y), 1)) @ cp.reshape(b, (1, 3), order="C")
    own = np.eye(3)[Y]
    loss = cp.sum(cp.log_sum_exp(F, axis=1)) - cp.sum(cp.multiply(F, own))
    value = cp.Problem(cp.Minimize(cp.sum_squares(W) / 2 + 0.8 * loss)).solve(solver="CLARABEL")
    assert mr.softmax.solve_softmax(
        mr.softmax.SoftmaxProblem(X, Y, 0.8)
    ).objective == pytest.approx(value, rel=1e-6)


@pytest.mark.parametrize(
    ("gamma", "machine", "convention"), [(0.0, mr.WW, ZDO_17), (math.inf, mr.CS, ZDO_CS)]
)
def test_the_hinge_s_limits_are_ww_and_cs(gamma, machine, convention):
    posed = convention.pose(X, Y, 0.8)
    truth = mr.solve(posed.problem)
    solution = mr.softmax.solve_softmax(
        mr.softmax.SoftmaxProblem(X, Y, 0.8, gamma, "hinge"), tolerance=1e-7
    )
    assert solution.converged
    assert solution.certificate.lower <= posed.objective(truth.certificate.upper) * (1 + 1e-12)
    assert solution.objective >= posed.objective(truth.certificate.lower) * (1 - 1e-12)
    assert posed.problem.machine == machine


def test_the_path_runs_from_ww_to_cs_of_the_logistic_loss():
    """Optimal values fall with gamma (smax does), from the sum's to the maximum's."""
    gammas = (0.0, 0.01, 1.0, 2.0, 8.0, 40.0, math.inf)
    problem = mr.softmax.SoftmaxProblem(X, Y, 0.8, bias="penalized")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", mr.softmax.NotConvexWarning)
        path = mr.softmax.softmax_path(problem, gammas, 1e-5)
    values = [s.objective for s in path]
    assert all(s.converged for s in path)
    assert (np.diff(values) <= 1e-4).all()
    assert values[1] == pytest.approx(values[0], rel=0.01)
    assert values[-2] == pytest.approx(values[-1], rel=0.03)
    assert values[0] > 1.1 * values[-1]
    for near, far in ((path[1], path[0]), (path[-2], path[-1])):
        assert np.linalg.norm(near.W - far.W) < 0.2 * np.linalg.norm(far.W)


def test_where_it_is_not_convex_it_says_so():
    for loss, gamma in (("logistic", 0.5), ("hinge", 1.0)):
        problem = mr.softmax.SoftmaxProblem(X, Y, 0.8, gamma, loss, bias="penalized")
        with pytest.warns(mr.softmax.NotConvexWarning, match="stationary"):
            solution = mr.softmax.solve_softmax(problem, tolerance=1e-5)
        assert solution.converged
        assert solution.certificate.stationarity <= 1e-5
        assert not solution.certificate.optimal(0.99)
        assert solution.certificate.lower == 0.0
        assert "NOT CONVEX" in str(solution.certificate)
        below, above = (
            mr.softmax.solve_softmax(problem.with_gamma(g)).certificate for g in (math.inf, 0.0)
        )
        assert below.lower <= solution.objective <= above.upper  # max <= smax <= sum
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with pytest.raises(mr.DataError, match="not convex"):
                mr.softmax.solve_softmax(problem, "cones")


def test_a_non_integer_gamma_above_1_is_certified_without_cones():
    problem = mr.softmax.SoftmaxProblem(X, Y, 0.8, 1.5)
    solution = mr.softmax.solve_softmax(problem)
    assert solution.certificate.optimal(1e-6)
    above, below = (mr.softmax.solve_softmax(problem.with_gamma(g)).certificate for g in (1.0, 2.0))
    assert below.lower <= solution.certificate.upper
    assert solution.certificate.lower <= above.upper
    for gamma in (
        1.5,
        1e5,
    ):  # 1e5: its binomial theorem would be 1e5 cones for every rival of every example
        with pytest.raises(mr.DataError, match="non-integer"):
            mr.softmax.solve_softmax(problem.with_gamma(gamma), "cones")
    assert mr.softmax.SoftmaxProblem(X, Y, 0.8, 1e5, printed=True).conic


def test_label_kernels():
    """A rank-one k_Y makes all scores equal; a scaled identity is another C; a class kernel pulls related classes together."""
    ones = mr.softmax.solve_softmax(
        mr.softmax.SoftmaxProblem(X, Y, label_kernel=np.ones((3, 3)), bias="none")
    )
    assert np.ptp(ones.decision_function(X), axis=1).max() < 1e-9
    scaled = mr.softmax.solve_softmax(
        mr.softmax.SoftmaxProblem(X, Y, 0.5, label_kernel=4 * np.eye(3), bias="none"),
        tolerance=1e-9,
    )
    plain = mr.softmax.solve_softmax(
        mr.softmax.SoftmaxProblem(2 * X, Y, 0.5, bias="none"), tolerance=1e-9
    )
    assert scaled.objective == pytest.approx(plain.objective, rel=1e-8)
    for bad in (
        np.eye(2),
        [[1, 2, 0], [0, 1, 0], [0, 0, 1]],
        -np.eye(3),
        [[1, 2, 0], [2, 1, 0], [0, 0, 1]],
        [[np.nan] * 3] * 3,
    ):
        with pytest.raises(mr.DataError):
            mr.softmax.SoftmaxProblem(X, Y, label_kernel=bad)


@pytest.mark.parametrize(
    "representation",
    [mr.softmax.kpca(), mr.softmax.cholesky(), mr.softmax.incomplete_cholesky()],
    ids=lambda r: r.kind,
)
def test_full_representations_change_nothing(representation):
    new = X[:4] + 0.3
    kernel = mr.rbf(0.5)
    by_default = mr.softmax.solve_softmax(
        mr.softmax.SoftmaxProblem(X, Y, kernel=kernel), tolerance=1e-9
    )
    other = mr.softmax.solve_softmax(
        mr.softmax.SoftmaxProblem(X, Y, kernel=kernel, representation=representation),
        tolerance=1e-9,
    )
    assert other.objective == pytest.approx(by_default.objective, rel=1e-8)
    np.testing.assert_allclose(
        other.decision_function(new), by_default.decision_function(new), atol=1e-3
    )
    np.testing.assert_allclose(
        other.decision_function(X), other.problem.scores(other.V, other.b), atol=1e-6
    )


def test_a_small_basis_costs_objective():
    values = [
        mr.softmax.solve_softmax(
            mr.softmax.SoftmaxProblem(X, Y, kernel=mr.rbf(0.5), representation=mr.softmax.kpca(r))
        ).objective
        for r in (2, 6, 15)
    ]
    assert values[0] > values[1] > values[2]


def test_one_vs_rest_is_m_binary_problems_with_the_same_loss():
    problem = mr.softmax.SoftmaxProblem(X, Y, 0.8, kernel=mr.rbf(0.3))
    rest = mr.softmax.softmax_one_vs_rest(problem)
    assert rest.converged
    assert rest.iterations > 0
    assert len(rest.parts) == 3
    for c, part in enumerate(rest.parts):
        alone = mr.softmax.solve_softmax(
            mr.softmax.SoftmaxProblem(X, (c == Y).astype(int), 0.8, kernel=mr.rbf(0.3)),
            tolerance=1e-9,
        )
        assert part.certificate.lower <= alone.certificate.upper
        assert alone.certificate.lower <= part.certificate.upper
    assert (rest.predict(X) == mr.softmax.solve_softmax(problem).predict(X)).mean() > 0.7
    with pytest.raises(mr.DataError, match="identity"):
        mr.softmax.softmax_one_vs_rest(mr.softmax.SoftmaxProblem(X, Y, label_kernel=K_Y))


@pytest.mark.parametrize(
    "labels", [(1, "a", 2.5), ((1, 2), (3, 4), (5, 6)), (True, False, 2), ("no", "maybe", "yes")]
)
def test_labels_come_back_as_they_were(labels):
    problem = mr.softmax.SoftmaxProblem(X, [labels[c] for c in Y], bias="penalized", classes=labels)
    for solution in (
        mr.softmax.solve_softmax(problem, tolerance=1e-2),
        mr.softmax.softmax_one_vs_rest(problem, tolerance=1e-2),
    ):
        told = solution.predict(X)
        assert told.shape == Y.shape
        assert told.tolist() == [labels[c] for c in solution.decision_function(X).argmax(axis=1)]
        assert {type(v) for v in told.tolist()} <= {type(v) for v in labels}


def test_backends_doubts_do_not_leak():
    """At gamma = 700 the non-convex hinge makes cvxpy warn of inaccurate steps; only our own warning is for the user."""
    problem = mr.softmax.SoftmaxProblem(X[:12], Y[:12], gamma=700.0, loss="hinge")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        mr.softmax.solve_softmax(problem)
    assert {w.category.__name__ for w in caught} == {"NotConvexWarning"}


def test_the_optimum_does_not_depend_on_the_order():
    order = np.random.default_rng(0).permutation(len(Y))
    one, two = (
        mr.softmax.solve_softmax(mr.softmax.SoftmaxProblem(X[o], Y[o]))
        for o in (np.arange(len(Y)), order)
    )
    assert one.certificate.lower <= two.certificate.upper
    assert two.certificate.lower <= one.certificate.upper


def test_ugly_input():
    names = np.array(["no", "yes", "maybe"])[Y]
    solution = mr.softmax.solve_softmax(mr.softmax.SoftmaxProblem(X, names))
    assert set(solution.predict(X)) <= {"no", "yes", "maybe"}
    for arguments in (
        {"gamma": -1.0},
        {"gamma": math.nan},
        {"gamma": "1"},
        {"loss": "square"},
        {"C": 0},
        {"bias": "some"},
        {"representation": 3},
        {"printed": 1},
        {"n_classes": 4},
    ):
        with pytest.raises(mr.MsvmError):
            mr.softmax.SoftmaxProblem(X, Y, **arguments)
    with pytest.raises(mr.DataError):
        mr.softmax.SoftmaxProblem(X * np.nan, Y)
    with pytest.raises(mr.DataError, match="dense"):
        mr.softmax.SoftmaxProblem(csr_array(X), Y)
    for settings in (
        {"X": 0 * X},
        {"X": X[:1], "y": Y[:1], "n_classes": 2, "bias": "none"},
        {"C": 1e-6},
        {"C": 1e4, "bias": "penalized"},
        {"n_classes": 5, "bias": "penalized"},
        {"X": X[[0, 0, 1, 1]], "y": [0, 1, 0, 1]},
        {"sample_weight": np.r_[0, np.ones(len(Y) - 1)]},
    ):
        problem = mr.softmax.SoftmaxProblem(**({"X": X, "y": Y} | settings))
        assert mr.softmax.solve_softmax(problem, "lbfgs").converged, settings
    problem = mr.softmax.SoftmaxProblem(X, Y)
    for call in (
        lambda: mr.softmax.solve_softmax(problem, "newton"),
        lambda: mr.softmax.solve_softmax(problem, tolerance=2.0),
        lambda: mr.softmax.solve_softmax("problem"),
        lambda: mr.softmax.solve_softmax(problem, "prox-linear"),
        lambda: mr.softmax.solve_softmax(problem, start=(np.zeros((2, 3)), np.zeros(3))),
        lambda: mr.softmax.solve_softmax(problem, start=(np.full((3, 3), np.nan), np.zeros(3))),
        lambda: mr.softmax.solve_softmax(problem, start=3),
        lambda: mr.softmax.solve_softmax(problem, start="Vb"),
        lambda: mr.softmax.softmax_path(problem, 3),
        lambda: mr.softmax.softmax_path(X, [1.0]),
        lambda: mr.softmax.softmax_one_vs_rest(X),
        lambda: mr.softmax.certify_softmax(X, X, Y),
    ):
        with pytest.raises(mr.DataError):
            call()
