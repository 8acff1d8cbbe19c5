"""The judge's arithmetic, against exact rationals and against itself."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from itertools import product
from unittest.mock import patch

import numpy as np
import pytest
from flint import fmpq

import msvm_ref as mr
from msvm_ref.judge import objective, rounding
from msvm_ref.judge.candidate import Candidate
from msvm_ref.judge.certify import Worth, judge
from msvm_ref.judge.equality import as_float, equality_residual, exact_sum
from msvm_ref.judge.feasible import FeasibleDual, feasible_dual
from msvm_ref.judge.image import image_of_alpha, image_of_weights
from tests.small_problems import BIASES, COSTS, MACHINES, blobs, label, table


def primal_value(problem: mr.Problem, W, b, care: int = 0) -> objective.Enclosed:
    return objective.primal_value(problem, image_of_weights(problem, W, care), b)


def dual_value(problem: mr.Problem, alpha, care: int = 0) -> objective.Enclosed:
    return objective.dual_value(problem, alpha, image_of_alpha(problem, alpha, care), care)


def rows_at_a_time(many: int):
    """The judge's blocks have so many entries."""
    return patch.object(rounding, "ENTRIES", many)


def exact_primal(problem: mr.Problem, W, b) -> Fraction:
    """P in rationals, written from the definition with plain loops; sum-to-zero by centring (W, b)."""
    d, machine = problem.d, problem.machine
    W = [[Fraction(float(v)) for v in row] for row in W]
    b = [Fraction(float(v)) for v in b]
    if machine.sum_to_zero:
        W = [[v - sum(row) / d for v in row] for row in W]
        b = [v - sum(b) / d for v in b]
    total = sum(v * v for row in W for v in row) / 2
    if problem.bias == "penalized":
        total += sum(v * v for v in b) / 2
    nu, gamma, mask = machine.nu(d), machine.gamma(d), machine.aggregation.mask(d)
    for phi, y, cost in zip(problem.features, problem.y, problem.costs, strict=True):
        f = [sum(Fraction(float(phi[k])) * W[k][m] for k in range(len(W))) + b[m] for m in range(d)]
        v = [
            max(Fraction(0), gamma[y][p] - sum(nu[y][p][m] * f[m] for m in range(d)))
            for p in range(d)
            if mask[y, p]
        ]
        groups = [max(v)] if machine.aggregation.slack == "shared" else v
        total += Fraction(float(cost)) * sum(
            g**2 if machine.cost == "quadratic" else g for g in groups
        )
    return total


def exact_dual(problem: mr.Problem, alpha) -> Fraction:
    """D in rationals from the kernel modifiers M."""
    d, machine = problem.d, problem.machine
    nu, gamma = machine.projected_nu(d), machine.gamma(d)
    a = [[Fraction(float(v)) for v in row] for row in alpha]
    phi = [[Fraction(float(v)) for v in row] for row in problem.features]
    extra = 1 if problem.bias == "penalized" else 0
    value = sum(gamma[y][p] * a[i][p] for i, y in enumerate(problem.y) for p in range(d))
    for i, yi in enumerate(problem.y):
        for j, yj in enumerate(problem.y):
            k = sum(u * v for u, v in zip(phi[i], phi[j], strict=True)) + extra
            value -= (
                Fraction(1, 2)
                * k
                * sum(
                    sum(nu[yi][p][m] * nu[yj][q][m] for m in range(d)) * a[i][p] * a[j][q]
                    for p in range(d)
                    for q in range(d)
                )
            )
    if machine.cost == "quadratic":
        for i, cost in enumerate(problem.costs):
            groups = [sum(a[i])] if machine.aggregation.slack == "shared" else a[i]
            value -= sum(g * g for g in groups) / (4 * Fraction(float(cost)))
    return value


each_machine_and_bias = pytest.mark.parametrize(
    ("machine", "bias", "cost"), table((MACHINES, BIASES), (COSTS,)), ids=label
)


def small(machine, bias, cost, kernel=mr.linear, d=3):
    X, y = blobs(d, per_class=2, p=2)
    return mr.Problem(machine.with_cost(cost), X, y, C=0.7, kernel=kernel, bias=bias)


def test_values_enclose_the_exact_rationals(machine, bias, cost):
    problem = small(machine, bias, cost)
    rng = np.random.default_rng(1)
    W = rng.normal(size=(problem.features.shape[1], 3)) * 10.0 ** rng.integers(-3, 4)
    b = rng.normal(size=3) if bias != "none" else np.zeros(3)
    alpha = rng.random((problem.n, 3)) * problem.spec.mask[problem.y]
    if machine.sum_to_zero:
        W, b = W - W.mean(axis=1, keepdims=True), b - b.mean()
    primal, dual = exact_primal(problem, W, b), exact_dual(problem, alpha)
    for care, many in product((0, 1, 2), (rounding.ENTRIES, 6)):
        with rows_at_a_time(many):
            p, d = primal_value(problem, W, b, care), dual_value(problem, alpha, care)
        assert Fraction(p.low) <= primal <= Fraction(p.high)
        assert Fraction(d.low) <= dual <= Fraction(d.high)
        assert p.radius < 1e-10 * abs(p.value)


def test_the_enclosure_is_about_exact_numbers(bias, cost):
    """lower and upper of a near-optimal certificate bracket the exact values of its own feasible points."""
    for machine in (mr.WW, mr.CS, mr.RM(Fraction(1, 3)), mr.ATM):
        problem = small(machine, bias, cost)
        solution = mr.solve(problem)
        assert exact_primal(problem, solution.candidate.W, solution.b) <= Fraction(
            solution.certificate.upper
        )
        if bias != "free":
            assert exact_dual(problem, solution.alpha) >= Fraction(solution.certificate.lower)


def test_exact_sum_is_exact():
    values = np.array([1e300, 1.0, -1e300, 1e-300, 3.0, -1e-300])
    assert exact_sum(values) == 4
    rng = np.random.default_rng(0)
    mixed = rng.normal(size=200) * 10.0 ** rng.integers(-30, 30, 200)
    exact = sum((Fraction(v) for v in mixed.tolist()), Fraction(0))
    assert exact_sum(mixed) == fmpq(exact.numerator, exact.denominator)


@each_machine_and_bias
def test_repaired_multipliers_are_exactly_feasible(machine, bias, cost):
    problem = small(machine, bias, cost)
    upper, rng = mr.solve(problem).certificate.upper, np.random.default_rng(2)
    for scale in (1e-12, 1e-3, 1.0, 1e3):
        repaired = feasible_dual(problem, rng.normal(size=(problem.n, 3)) * scale)
        alpha = repaired.alpha
        assert (alpha >= 0).all()
        assert not alpha[~problem.spec.mask[problem.y]].any()
        if cost == "linear":
            for row, c in zip(alpha, problem.costs, strict=True):
                groups = (
                    [sum(map(Fraction, row.tolist()))]
                    if problem.spec.shared
                    else map(Fraction, row.tolist())
                )
                assert max(groups) <= Fraction(float(c))
        if bias == "free":
            assert repaired.charge > 0 or not any(equality_residual(problem, alpha))
        assert dual_value(problem, alpha).low - repaired.charge <= upper


def test_the_charge_covers_the_exact_correction():
    """Restore the free-bias equality in rationals and compare: D there is no lower than the certificate claims."""
    problem = small(mr.OVA, "free", "linear")
    alpha = mr.solve(problem).alpha
    repaired = feasible_dual(
        problem, alpha + 1e-7 * np.random.default_rng(0).normal(size=alpha.shape)
    )
    residual = equality_residual(problem, repaired.alpha)
    exact = [[Fraction(v) for v in row] for row in repaired.alpha.tolist()]
    for m in range(
        3
    ):  # OVA: class m's equality involves alpha[:, m] alone, with sign +1 on its own examples
        room = np.where((repaired.alpha[:, m] > 1e-3) & (repaired.alpha[:, m] < 0.6))[0][0]
        sign = 1 if problem.y[room] == m else -1
        exact[room][m] -= sign * Fraction(int(residual[m].p), int(residual[m].q))
    claimed = dual_value(problem, repaired.alpha).low - repaired.charge
    moved = sum(abs(as_float(v)) for v in residual)
    assert moved < 1e-14
    assert float(exact_dual(problem, exact)) >= claimed - 10 * moved


def test_gap_splits_into_stationarity_and_complementarity(machine, bias, cost):
    """P - D = 1/2 ||W - W_alpha||^2 + complementarity (no free bias, feasible alpha)."""
    if bias == "free":
        bias = "none"
    problem = small(machine, bias, cost)
    rng = np.random.default_rng(4)
    W, b = rng.normal(size=(2, 3)), rng.normal(size=3) * (bias != "none")
    if machine.sum_to_zero:
        W, b = W - W.mean(axis=1, keepdims=True), b - b.mean()
    alpha = feasible_dual(problem, rng.random((problem.n, 3))).alpha
    c = judge(problem, Candidate(W, b, alpha))
    W_alpha = problem.features.T @ np.einsum(
        "ip,ipm->im", alpha, problem.spec.projected_nu[problem.y]
    )
    b_alpha = np.einsum("ip,ipm->m", alpha, problem.spec.projected_nu[problem.y]) * (
        bias == "penalized"
    )
    size = max(np.linalg.norm(W), np.linalg.norm(W_alpha))
    assert c.stationarity * size == pytest.approx(
        np.hypot(np.linalg.norm(W - W_alpha), np.linalg.norm(b - b_alpha))
    )
    gap = primal_value(problem, W, b).value - dual_value(problem, alpha).value
    assert gap == pytest.approx(
        (c.stationarity * size) ** 2 / 2 + c.complementarity * c.primal_value, rel=1e-9
    )


@each_machine_and_bias
def test_half_a_candidate_is_completed_to_a_tight_enclosure(machine, bias, cost):
    X, y = blobs(3, per_class=6)
    problem = mr.Problem(machine.with_cost(cost), X, y, bias=bias)
    solution = mr.solve(problem)
    by_primal = mr.certify(problem, W=solution.W, b=None if bias == "none" else solution.b)
    assert by_primal.alpha_built
    assert by_primal.optimal(1e-8), str(by_primal)
    by_dual = mr.certify(problem, alpha=solution.alpha)
    assert by_dual.primal_value is None
    assert by_dual.optimal(1e-7), str(by_dual)


def test_a_reference_helps_a_hopeless_candidate():
    X, y = blobs(3)
    problem = mr.Problem(mr.WW, X, y, bias="free")
    far = {"W": np.full((3, 3), 1e3), "b": np.zeros(3)}
    helped = mr.certify(problem, **far, reference=mr.solve)
    truth = mr.solve(problem)
    assert helped.lower >= truth.certificate.lower * (1 - 1e-9)
    assert helped.upper <= truth.certificate.upper * (1 + 1e-9)
    assert helped.primal_value > 10 * helped.upper
    assert not helped.optimal(0.5)
    assert mr.certify(problem, **far, reference=truth).lower == pytest.approx(helped.lower)


def test_a_bad_reference_cannot_corrupt_the_verdict():
    X, y = blobs(3)
    problem = mr.Problem(mr.WW, X, y)
    truth = mr.solve(problem)
    lie = Candidate(np.zeros((3, 3)), np.zeros(3), np.full((len(y), 3), 7.0))
    certificate = mr.certify(problem, W=truth.W, reference=lie)
    assert certificate.lower <= truth.certificate.upper
    assert certificate.upper >= truth.certificate.lower


def test_kernel_candidates_come_as_coefficients_or_scores():
    X, y = blobs(3)
    for bias in ("none", "free", "penalized"):
        problem = mr.Problem(mr.CS, X, y, kernel=mr.rbf(0.5), bias=bias)
        solution = mr.solve(problem)
        b = None if bias == "none" else solution.b
        by_coef = mr.certify(problem, coef=solution.coef, b=b, alpha=solution.alpha)
        by_scores = mr.certify(problem, scores=solution.decision_function(X), alpha=solution.alpha)
        assert by_coef.optimal(1e-9), str(by_coef)
        assert by_scores.optimal(1e-6), str(by_scores)
        assert by_scores.scores_residual < 1e-6


def test_scores_no_linear_function_has_are_noticed():
    X, y = blobs(3)
    problem = mr.Problem(mr.WW, X, y)
    certificate = mr.certify(problem, scores=np.random.default_rng(0).normal(size=(len(y), 3)))
    assert certificate.scores_residual > 0.1
    assert not certificate.optimal(1e-3)


def test_what_overflows_is_infinite_not_a_guess():
    X, y = blobs(3)
    problem = mr.Problem(mr.WW, X, y)
    certificate = mr.certify(problem, W=np.full((3, 3), 1e200))
    assert certificate.primal_value == np.inf
    assert certificate.distance_bound == np.inf
    assert certificate.lower <= mr.solve(problem).certificate.upper
    assert not certificate.optimal(1e-3)
    assert json.loads(json.dumps(certificate.to_dict()))["primal_value"] == "inf"
    assert "UNDECIDED: its objective overflows" in str(certificate)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "have W, coef, scores or alpha"),
        ({"W": np.zeros((3, 3)), "scores": np.zeros((15, 3))}, "one of W, coef and scores"),
        ({"b": np.zeros(3)}, "have W, coef, scores or alpha"),
        ({"alpha": np.zeros((15, 3)), "b": np.zeros(3)}, "beside b"),
        ({"W": np.zeros((3, 3))}, "b must be given"),
        ({"W": np.zeros((3, 2)), "b": np.zeros(3)}, r"W must have shape \(3, 3\)"),
        ({"W": np.zeros((3, 3)), "b": np.zeros(2)}, "b must have shape"),
        ({"alpha": np.zeros((3, 15))}, "alpha must have shape"),
        ({"W": np.full((3, 3), np.nan), "b": np.zeros(3)}, "finite"),
        ({"coef": np.zeros((3, 3)), "b": np.zeros(3)}, "coef must have shape"),
    ],
)
def test_candidates_are_validated(arguments, message):
    X, y = blobs(3)
    with pytest.raises(mr.DataError, match=message):
        mr.certify(mr.Problem(mr.WW, X, y, bias="free"), **arguments)


def test_misplaced_halves_are_refused_with_the_remedy():
    X, y = blobs(3, p=4)
    with pytest.raises(mr.DataError, match=r"W\.T"):
        mr.certify(mr.Problem(mr.WW, X, y), W=np.zeros((3, 4)))
    with pytest.raises(mr.DataError, match="left out for bias='none'"):
        mr.certify(mr.Problem(mr.WW, X, y), W=np.zeros((4, 3)), b=np.ones(3))
    assert mr.certify(mr.Problem(mr.WW, X, y), W=np.zeros((4, 3)), b=np.zeros(3)).upper > 0
    with pytest.raises(mr.DataError, match="pass coef"):
        mr.certify(mr.Problem(mr.WW, X, y, kernel=mr.rbf(1.0)), W=np.zeros((4, 3)))


def test_reports_read_well_and_serialise():
    X, y = blobs(3)
    problem = mr.Problem(mr.LLW, X, y, bias="free", kernel=mr.rbf(0.5))
    solution = mr.solve(problem)
    text = str(solution)
    assert "LLW · n=15 d=3 p=3 · C=1 · bias free · linear cost · rbf(0.5)" in text
    assert "\noptimum in [22.1964433" in text
    assert "OPTIMAL at 1e-" in text
    assert "NOT OPTIMAL" not in text
    parsed = json.loads(json.dumps(solution.to_dict()))
    assert parsed["certificate"]["optimal"]["1e-09"] is True
    assert parsed["converged"] is True


@pytest.mark.parametrize("cost", COSTS)
def test_the_kkt_blocks_are_sums_of_products_written_out(machine, cost):
    """With own slacks and shared ones: alpha (xi - t), (C_i - sum alpha) xi or (2 C_i xi - sum alpha)^2 / (4 C_i), over P."""
    rng = np.random.default_rng(5)
    X, y = blobs(3, per_class=3)
    weight = np.array([1.0, 0.5, 2.0])[np.arange(len(y)) % 3]
    problem = mr.Problem(
        machine.with_cost(cost), X, y, C=0.5, bias="penalized", sample_weight=weight
    )
    W, b = rng.normal(size=(3, 3)), rng.normal(size=3)
    if machine.sum_to_zero:
        W, b = W - W.mean(axis=1, keepdims=True), b - b.mean()
    mask = machine.aggregation.mask(3)[y]
    alpha = np.where(mask, rng.random((len(y), 3)), 0.0) * problem.costs[:, None] / 4
    nu, gamma = problem.spec.nu[y], problem.spec.gamma[y]
    t = gamma - np.einsum("icm,im->ic", nu, X @ W + b)
    total = 0.0
    for i in range(len(y)):
        C, counted = 0.5 * weight[i], np.flatnonzero(mask[i])
        shared = machine.aggregation.slack == "shared"
        for group in [counted] if shared else [[p] for p in counted]:
            xi, held = max(0.0, *(t[i, p] for p in group)), sum(alpha[i, p] for p in group)
            total += sum(alpha[i, p] * (xi - t[i, p]) for p in group)
            total += (C - held) * xi if cost == "linear" else (2 * C * xi - held) ** 2 / (4 * C)
    certificate = mr.certify(problem, W=W, b=b, alpha=alpha)
    assert certificate.complementarity == pytest.approx(total / certificate.primal_value, rel=1e-12)
    A = np.einsum("ic,icm->im", alpha, problem.spec.projected_nu[y])
    off = np.sqrt(((W - X.T @ A) ** 2).sum() + ((b - A.sum(axis=0)) ** 2).sum())
    norm = max(np.linalg.norm(W), np.linalg.norm(X.T @ A))
    assert certificate.stationarity == pytest.approx(off / norm, rel=1e-9)


def test_not_optimal_is_only_said_where_it_is_proved():
    """A poor lower bound leaves a right answer undecided; a better point known makes the difference."""
    truth = mr.solve(mr.Problem(mr.WW, *blobs(3), C=1.0))
    own = truth.objective
    wide = replace(truth.certificate, lower=0.9 * own, upper=own, primal_value=own, dual_value=None)
    assert wide.verdict(1e-3) == "UNDECIDED"
    assert "UNDECIDED: 0 to 11.1 % above the optimum" in str(wide)
    assert "NOT OPTIMAL" not in str(wide)
    beaten = replace(wide, upper=0.95 * own)
    assert beaten.verdict(1e-3) == "NOT OPTIMAL"
    assert "NOT OPTIMAL: 5.26 to 11.1 % above the optimum" in str(beaten)
    assert replace(wide, upper=own * (1 - 1e-4)).verdict(1e-3) == "UNDECIDED"
    assert replace(wide, lower=own * (1 - 1e-4)).verdict(1e-3) == "OPTIMAL"


def test_one_bias_where_the_problem_has_none_is_worth_nothing():
    """Solvers hand their candidates to ``judge`` as they are; at (3, 0) no example has a loss, and still P is not attained."""
    problem = mr.Problem(mr.WW, [[1.0], [-1.0]], [0, 1])
    W = np.array([[1.0, -1.0]])
    assert judge(problem, Candidate(W, np.zeros(2), None)).upper < np.inf
    for b in ([3.0, 0.0], [0.0, -1e-300], [2.0, 2.0]):
        assert judge(problem, Candidate(W, np.array(b), None)).primal_value == np.inf, b


def test_what_a_repair_may_cost_is_taken_from_the_lower_bound():
    def low(charge):
        problem = small(mr.WW, "none", "linear")
        dual = FeasibleDual(problem, np.zeros((1, 2)), charge)
        nothing = Candidate(None, np.zeros(2), dual.alpha)
        return Worth(problem, nothing, None, None, dual, objective.Enclosed(1.0, 0.0), None, 0).low

    assert low(0.0) == 1.0
    assert low(0.25) == np.nextafter(0.75, 0.0)


def test_a_repair_is_taken_only_for_its_own_problem_and_alpha():
    """That of another problem, or of another alpha, would be a lower bound of nothing."""
    problem = small(mr.WW, "free", "linear")
    dearer = problem.with_C(100 * problem.C)
    mine, solution = mr.solve(problem).candidate, mr.solve(dearer)
    wild = replace(mine, alpha=solution.alpha)  # worth more than the optimum, but not feasible
    for repair in (FeasibleDual(dearer, wild.dual, 0.0), FeasibleDual(problem, mine.dual, 0.0)):
        assert judge(problem, wild, begun=repair).lower == judge(problem, wild).lower
    repair = feasible_dual(problem, wild.dual)
    assert judge(problem, replace(wild, alpha=repair.alpha), begun=repair).lower > 0
