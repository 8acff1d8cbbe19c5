"""rigorous_bounds: lower <= exact optimum <= upper for good and for bad candidates, and tight for good ones."""

from fractions import Fraction

import numpy as np
import pytest

import msvm_ref as mr
from msvm_ref.errors import DataError
from msvm_ref.exact.optimum import prove_optimum as from_guess
from msvm_ref.exact.rigorous import exactly_feasible, rigorous_bounds
from msvm_ref.judge.candidate import Candidate
from msvm_ref.solvers.exact_optimum import exact_optimum
from tests.small_problems import BIASES, COSTS, label, table

X = [[1.1, 0.5], [-1.0, 1.3], [0.7, -2.0], [1.5, 1.0], [-0.3, -1.0], [2.0, -0.1], [0.2, 0.3]]
Y = [0, 1, 2, 0, 1, 2, 0]


@pytest.mark.parametrize(
    ("machine", "bias", "cost"), table((mr.CATALOGUE, BIASES), (COSTS,)), ids=label
)
def test_encloses_the_exact_optimum(machine, bias, cost):
    problem = mr.Problem(machine.with_cost(cost), X, Y, bias=bias)
    solution = mr.solve(problem)
    value = from_guess(problem, solution).value
    good = rigorous_bounds(problem, solution.candidate)
    assert good.lower <= value <= good.upper
    assert float(good.upper - good.lower) <= 1e-8 * max(float(good.upper), 1e-3)
    rng = np.random.default_rng(0)
    noise = rng.normal(size=solution.candidate.W.shape)
    alpha = solution.alpha * rng.uniform(0, 2, (7, 3))
    bad = Candidate(solution.candidate.W + noise / 10, solution.b + (bias != "none"), alpha)
    worse = rigorous_bounds(problem, bad)
    assert worse.lower <= value <= worse.upper
    only_primal = rigorous_bounds(problem, Candidate(solution.candidate.W, solution.b))
    assert only_primal.lower == 0
    assert value <= only_primal.upper
    only_dual = rigorous_bounds(problem, Candidate(alpha=solution.alpha))
    assert only_dual.lower <= value
    assert only_dual.upper is None


def test_the_equality_is_restored_exactly_even_in_full_groups():
    problem = mr.Problem(mr.AMO, X, Y, bias="free")
    solution = mr.solve(problem)
    alpha = exactly_feasible(problem, solution.alpha * (1 + 1e-9))
    nu = mr.AMO.projected_nu(3)
    for m in range(3):
        assert (
            sum(
                Fraction(int(v.p), int(v.q)) * nu[y][p][m]
                for y, row in zip(Y, alpha, strict=True)
                for p, v in enumerate(row)
            )
            == 0
        )
    assert all(sum(row) <= 1 for row in alpha)


@pytest.mark.filterwarnings("ignore:overflow")
def test_a_value_beyond_float64_is_an_infinite_upper_bound():
    problem = mr.Problem(mr.WW, X, Y)
    certificate = mr.certify(
        problem, W=np.full((2, 3), 1e200) * [1, 0, -1], alpha=np.zeros((7, 3)), rigorous=True
    )
    assert certificate.upper == np.inf
    assert not certificate.optimal(1e-3)


def test_certify_hook_rounds_outward():
    problem = mr.Problem(mr.WW, X, Y, bias="free")
    solution, value = mr.solve(problem), exact_optimum(problem).value
    certificate = mr.certify(
        problem, W=solution.W, b=solution.b, alpha=solution.alpha, rigorous=True
    )
    assert Fraction(certificate.lower) <= value <= Fraction(certificate.upper)
    assert "rigorous" in certificate.lower_from
    assert certificate.optimal(1e-9)
    exact = np.array([[float(v) for v in row] for row in exact_optimum(problem).W])
    assert np.linalg.norm(solution.W - exact) <= certificate.distance_bound < 1e-3
    wrong = mr.certify(problem, W=2 * solution.W, b=solution.b, rigorous=True)
    assert Fraction(wrong.lower) <= value <= Fraction(wrong.upper)
    assert not wrong.optimal(1e-3)


def test_a_bias_where_there_is_none_bounds_nothing():
    problem = mr.Problem(mr.MMR, [[0.0], [0.1]], [0, 0], n_classes=2)
    with pytest.raises(DataError, match="bias='none'"):
        mr.certify(problem, W=np.zeros((1, 2)), b=np.array([1.0, -1.0]), rigorous=True)


@pytest.mark.parametrize("shift", [0.0, 2.0**-40, 0.1, 1e8])
@pytest.mark.parametrize("machine", [mr.LLW, mr.OVA, mr.ATM], ids=lambda m: m.name)
def test_the_distance_bound_holds_in_rationals_for_weights_off_their_constraint(machine, shift):
    problem = mr.Problem(machine, X, Y, bias="free")
    best = exact_optimum(problem)
    W = np.array([[float(v) for v in row] for row in best.W]) + shift
    bound = mr.certify(
        problem,
        W=W,
        b=[float(v) for v in best.b],
        alpha=[[float(v) for v in row] for row in best.alpha],
        rigorous=True,
    ).distance_bound
    away = sum(
        (Fraction(v) - w) ** 2
        for row, exact in zip(W.tolist(), best.W, strict=True)
        for v, w in zip(row, exact, strict=True)
    )
    assert away <= Fraction(bound) ** 2
    assert not machine.sum_to_zero or Fraction(bound) ** 2 <= 2 * away + Fraction(1, 10**6)
