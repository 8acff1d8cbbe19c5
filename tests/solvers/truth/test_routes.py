"""The matrix: every machine, bias, cost, kernel and d; three routes, one optimum."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

import msvm_ref as mr
from msvm_ref.solvers.truth.solve import ROUTES
from tests.small_problems import (
    BIASES,
    COSTS,
    MACHINES,
    NIGHTLY,
    WEIGHTINGS,
    blobs,
    distance,
    label,
    table,
    weights,
)

MATRIX = table((MACHINES, BIASES, COSTS), ((2, 3, 4, 5), (mr.linear, mr.rbf(0.5)), WEIGHTINGS))


def test_every_pair_of_values_is_in_the_matrix():
    factors = [set(map(label, column)) for column in zip(*MATRIX, strict=True)]
    assert list(map(len, factors)) == [14 if NIGHTLY else 12, 3, 2, 4, 2, 2]
    for j, k in combinations(range(6), 2):
        assert len({(label(row[j]), label(row[k])) for row in MATRIX}) == len(factors[j]) * len(
            factors[k]
        )
    assert {cost for _, cost in table((MACHINES,), (COSTS,))} == set(COSTS)


@pytest.mark.parametrize(("machine", "bias", "cost", "d", "kernel", "weighting"), MATRIX, ids=label)
def test_three_routes_agree_within_their_certified_gaps(machine, bias, cost, d, kernel, weighting):
    X, y = blobs(d)
    problem = mr.Problem(
        machine.with_cost(cost),
        X,
        y,
        C=1.0,
        kernel=kernel,
        bias=bias,
        sample_weight=weights(weighting, len(y)),
    )
    solutions = [mr.solve(problem, method=route) for route in ROUTES]
    for solution in solutions:
        assert solution.converged
        assert solution.certificate.relative_gap <= 1e-9
        assert solution.certificate.optimal(1e-9), str(solution)
    lower = max(s.certificate.lower for s in solutions)
    upper = min(s.certificate.upper for s in solutions)
    assert lower <= upper, [(s.certificate.lower, s.certificate.upper) for s in solutions]
    first = solutions[0]
    for other in solutions[1:]:
        reach = first.certificate.distance_bound + other.certificate.distance_bound
        assert distance(first, other) <= reach + 1e-9  # of its own rounding


@pytest.mark.parametrize(
    "kernel", [mr.polynomial(2, 0.5), lambda a, b: 1.0 + a @ b.T], ids=["polynomial", "callable"]
)
def test_other_kernels_take_the_same_path(kernel):
    X, y = blobs(3)
    solution = mr.solve(mr.Problem(mr.CS, X, y, kernel=kernel, bias="penalized"))
    assert solution.certificate.optimal(1e-9)
    assert solution.certificate.gram_residual < 1e-12 * np.abs(solution.problem.gram).max()


def test_a_precomputed_gram_gives_the_kernel_s_optimum():
    X, y = blobs(3)
    by_kernel = mr.solve(mr.Problem(mr.WW, X, y, kernel=mr.rbf(0.5), bias="free"))
    gram = by_kernel.problem.gram
    by_gram = mr.solve(mr.Problem(mr.WW, gram, y, kernel=mr.precomputed, bias="free"))
    assert by_gram.certificate.lower <= by_kernel.certificate.upper
    assert by_kernel.certificate.lower <= by_gram.certificate.upper
    np.testing.assert_allclose(
        by_gram.decision_function(gram), by_kernel.decision_function(X), atol=1e-4
    )


def test_weights_enter_as_costs():
    X, y = blobs(3)
    weight = np.linspace(0.0, 2.0, len(y))
    weighted = mr.solve(mr.Problem(mr.WW, X, y, C=1.5, sample_weight=weight))
    kept = weight > 0
    without_zero = mr.solve(mr.Problem(mr.WW, X[kept], y[kept], C=1.5, sample_weight=weight[kept]))
    assert weighted.certificate.optimal(1e-9)
    assert weighted.certificate.lower <= without_zero.certificate.upper
    assert without_zero.certificate.lower <= weighted.certificate.upper
    assert not weighted.alpha[0].any()


def test_a_user_s_machine_needs_only_its_literal():
    rng = np.random.default_rng(5)
    d = 3
    nu = np.array(
        [
            [
                [
                    (1.0 if m == y else -0.25) if c == y else (-1.0 if m == c else 0.5 * (m == y))
                    for m in range(d)
                ]
                for c in range(d)
            ]
            for y in range(d)
        ]
    )
    mine = mr.Machine(
        "mine", margin=nu, aggregation=mr.TOTAL_MAX, target=1 + rng.random((d, d)), sum_to_zero=True
    )
    X, y = blobs(d)
    for bias in ("none", "free", "penalized"):
        problem = mr.Problem(mine, X, y, bias=bias)
        certificates = [mr.solve(problem, method=route).certificate for route in ROUTES]
        assert max(c.lower for c in certificates) <= min(c.upper for c in certificates)
        assert all(c.optimal(1e-9) for c in certificates)


def test_large_problems_go_through_guessed_pieces_to_the_same_optimum():
    X, y = blobs(5, per_class=40, p=6, spread=0.8)
    for machine in (mr.WW, mr.CS, mr.LLW.with_cost("quadratic"), mr.ATS):
        problem = mr.Problem(machine, X, y, C=1.0, bias="free")
        guessed, whole = mr.solve(problem), mr.solve(problem, method="kesler")
        assert guessed.certificate.optimal(1e-9)
        assert guessed.certificate.lower <= whole.certificate.upper
        assert whole.certificate.lower <= guessed.certificate.upper


@pytest.mark.parametrize("route", ROUTES)
def test_an_optimum_of_zero_comes_with_multipliers_that_attain_it(route):
    """A class without weight leaves a free bias that meets every target; multipliers of size C are worth 0 but for rounding."""
    X, y = blobs(5)
    problem = mr.Problem(mr.RM(1), X, y, bias="free", sample_weight=weights("weighted", len(y)))
    certificate = mr.solve(problem, route).certificate
    assert (certificate.dual_value, certificate.lower, certificate.upper) == (0.0, 0.0, 0.0)
    assert certificate.optimal(1e-9)
