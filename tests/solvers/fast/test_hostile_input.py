"""What a hostile review of the fast engine and the judge's kernel and sparse paths found, kept from coming back."""

from __future__ import annotations

import signal
import warnings

import numpy as np
import pytest
from scipy import sparse

import msvm_ref as mr
from msvm_ref.model.kernels import Kernel
from msvm_ref.solvers.fast.interrupt import Interruptible
from tests.small_problems import blobs

X, Y = blobs(3, per_class=8)


@pytest.fixture
def solved():
    return mr.solve(
        mr.Problem(mr.LLW, X, Y, kernel=mr.rbf(0.5), bias="free"), "fast", tolerance=1e-9
    )


def test_a_bias_off_the_simplex_is_refused_where_a_problem_is_its_kernel(solved):
    good = mr.certify(solved.problem, coef=solved.coef, b=solved.b, alpha=solved.alpha)
    assert good.sum_to_zero == 0.0
    assert good.optimal(1e-9)
    tilted = mr.certify(solved.problem, coef=solved.coef, b=solved.b + 100, alpha=solved.alpha)
    assert tilted.sum_to_zero > 100
    assert not tilted.optimal(1e-3)


def test_weights_off_the_simplex_are_refused_where_a_problem_is_its_kernel(solved):
    off = 1e-3
    tilted = mr.certify(solved.problem, coef=solved.coef + off, b=solved.b, alpha=solved.alpha)
    tilt = np.sqrt(
        3 * off**2 * solved.problem.gram.sum()
    )  # ||sum_c w_c|| / sqrt(d), every column moved by off
    norm = np.sqrt(
        (solved.coef + off).ravel() @ (solved.problem.gram @ (solved.coef + off)).ravel()
    )
    assert tilted.sum_to_zero == pytest.approx(tilt / norm, rel=1e-6)
    assert not tilted.optimal(1e-3)


@pytest.mark.parametrize("entries", [2**17, 12])
def test_a_tilt_nobody_asks_about_is_told_all_the_same(entries, monkeypatch):
    monkeypatch.setattr(
        "msvm_ref.judge.rounding.ENTRIES", entries
    )  # one block of rows, and several
    problem = mr.Problem(mr.OVA, X, Y, kernel=mr.rbf(0.5))
    solution = mr.solve(problem, "fast", tolerance=1e-9)
    told = mr.certify(problem, coef=solution.coef, b=solution.b, alpha=solution.alpha)
    gram, r = problem.gram, solution.coef.sum(axis=1)
    norm = np.sqrt(solution.coef.ravel() @ (gram @ solution.coef).ravel())
    assert told.sum_to_zero == pytest.approx(np.sqrt(r @ gram @ r / 3) / norm, rel=1e-9)
    assert told.sum_to_zero > 0.01
    assert told.optimal(1e-9)


def test_multipliers_alone_are_judged_through_the_kernel(solved, monkeypatch):
    monkeypatch.setattr(
        mr.Problem, "factor", property(lambda self: pytest.fail("a factor was made"))
    )
    certificate = mr.certify(solved.problem, alpha=solved.alpha)
    assert certificate.optimal(1e-9)
    assert certificate.gram_residual == 0.0


def test_a_judgement_through_a_factor_says_how_far_that_is_from_the_gram(solved):
    assert mr.certify(solved.problem, coef=solved.coef, b=solved.b).gram_residual == 0.0
    given = mr.Problem(mr.LLW, solved.problem.gram, Y, kernel=mr.precomputed, bias="free")
    certificate = mr.certify(given, coef=solved.coef, b=solved.b)
    assert certificate.gram_residual == given.factor.residual > 0
    assert certificate.optimal(1e-6)


def test_a_kernel_of_ones_own_that_promises_to_be_positive_has_no_bounds_to_be_judged_by():
    own = Kernel("rbf(of my own)", lambda a, b: a @ b.T, positive=True)
    mine = mr.solve(mr.Problem(mr.WW, X, Y, kernel=own), "fast")
    assert mine.converged
    assert mine.objective == pytest.approx(
        mr.solve(mr.Problem(mr.WW, X, Y), "fast").objective, rel=1e-8
    )


def test_kernels_beyond_floats_are_refused_or_right_and_do_not_warn():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(mr.DataError, match="rescale"):
            mr.Problem(mr.WW, X * 1e40, Y, kernel=mr.polynomial(5))
        apart = mr.solve(mr.Problem(mr.WW, X * 1e99, Y, kernel=mr.rbf(1e200)), "fast")
    same = mr.solve(mr.Problem(mr.WW, X * 1e3, Y, kernel=mr.rbf(1e3)), "fast")
    assert apart.converged
    assert apart.objective == pytest.approx(same.objective, rel=1e-9)


def test_the_kkt_rule_includes_the_equality_of_a_free_bias():
    y = np.repeat([0, 1, 2], [60, 15, 5])
    points = np.random.default_rng(0).normal(size=(80, 3)) + y[:, None]
    for machine in (mr.AMO, mr.LLW, mr.OVA):
        for C in (1e-6, 1e-3):
            crude = mr.solve(mr.Problem(machine, points, y, C=C, bias="free"), "fast", stop="kkt")
            assert crude.stopped_by == "kkt"
            assert crude.converged == (crude.certificate.relative_gap <= 1e-9)
            assert crude.certificate.relative_gap < 1e-2


@pytest.mark.parametrize("machine", [mr.WW, mr.MMR_ORTHO, mr.ATM, mr.RM(1)], ids=lambda m: m.name)
@pytest.mark.parametrize("cost", ["linear", "quadratic"])
def test_where_a_bias_alone_meets_every_target_the_optimum_is_exactly_0(machine, cost):
    problem = mr.Problem(
        machine.with_cost(cost), X[:4], [1] * 4, n_classes=3, bias="free", kernel=mr.rbf(1.0), C=50
    )
    solution = mr.solve(problem, "fast")
    assert solution.converged
    assert solution.certificate.upper == 0.0
    assert solution.work["passes"] == 0


def test_a_class_without_weight_asks_nothing_of_the_bias():
    for machine in (mr.WW, mr.RM(1)):
        problem = mr.Problem(machine, X, Y, sample_weight=(Y == 1).astype(float), bias="free")
        assert mr.solve(problem, "fast").certificate.upper == 0.0
    assert mr.solve(mr.Problem(mr.WW, X, Y, bias="free"), "fast").certificate.lower > 0.1


def test_a_tolerance_below_rounding_still_gets_the_best_answer():
    solution = mr.solve(
        mr.Problem(mr.WW, X, Y, bias="penalized"), "fast", tolerance=1e-300, max_iter=500
    )
    assert not solution.converged
    assert solution.certificate.relative_gap < 1e-11


def test_multipliers_all_at_their_bounds_with_a_small_residual_keep_a_lower_bound():
    problem = mr.Problem(mr.WW, [[1.0], [-1.0]], [0, 1], C=1e-3, bias="free")
    alpha = np.array([[0, 1e-3], [1e-3 * (1 - 1e-5), 0]])
    certificate = mr.certify(problem, alpha=alpha)
    assert certificate.lower > 0.99 * certificate.upper


def test_features_far_from_0_at_a_large_cost_reach_the_last_digits():
    for seed in (3, 8, 10):
        rng = np.random.default_rng(seed)
        weight = rng.choice([0, 1, 1, 0.1, 10], 24)
        problem = mr.Problem(
            mr.ATM,
            rng.normal(size=(24, 4)) + 100,
            rng.integers(0, 4, 24),
            C=388,
            sample_weight=weight,
        )
        assert mr.solve(problem, "fast", tolerance=1e-8, max_iter=300).converged


@pytest.mark.parametrize(
    ("machine", "method"),
    [
        (mr.WW, "m1-smo"),
        (mr.WW, "sor"),
        (mr.WW, "bsvm"),
        (mr.CS, "cs-decomposition"),
        (mr.WW.with_cost("quadratic"), "nearest-point"),
    ],
    ids=lambda v: getattr(v, "name", v),
)
def test_classic_methods_take_sparse_rows(machine, method):
    dense = mr.Problem(machine, X, Y, C=0.1, bias="penalized")
    rows = mr.Problem(machine, sparse.csc_array(X), Y, C=0.1, bias="penalized")
    assert mr.solve(rows, method, tolerance=1e-6).objective == pytest.approx(
        mr.solve(dense, "fast").objective, rel=1e-5
    )
    assert rows.gram == pytest.approx(dense.gram, rel=1e-12, abs=1e-12)


def test_a_caller_who_handles_the_interrupt_keeps_his_handler():
    asked: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, frame: asked.append(number))
    try:
        own = signal.getsignal(signal.SIGINT)
        with Interruptible() as interrupt:
            signal.raise_signal(signal.SIGINT)
        assert asked == [signal.SIGINT]
        assert not interrupt.asked
        assert signal.getsignal(signal.SIGINT) is own
    finally:
        signal.signal(signal.SIGINT, before)
