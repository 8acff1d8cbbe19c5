"""exact_optimum: right on every machine, in degenerate families, whatever the guess; refuses rather than approximates."""

from fractions import Fraction

import numpy as np
import pytest

import msvm_ref as mr
from msvm_ref.errors import ExactnessError
from msvm_ref.exact.check import check_exact, check_kernel
from msvm_ref.exact.optimum import decimal
from msvm_ref.exact.optimum import prove_optimum as from_guess
from msvm_ref.judge.candidate import Candidate
from msvm_ref.solvers.exact_optimum import exact_optimum
from tests.small_problems import BIASES, COSTS, label, table

MACHINES = [*mr.CATALOGUE, mr.RM(Fraction(1, 4)), mr.RM(1)]


def zero_guess(problem):
    return Candidate(
        np.zeros((problem.features.shape[1], problem.d)),
        np.zeros(problem.d),
        np.zeros((problem.n, problem.d)),
    )


def small(machine, bias, cost, seed=0, n=6, d=3, p=2, C=1.0):
    rng = np.random.default_rng(seed)
    X = rng.integers(-3, 4, (n, p)) / 2
    return mr.Problem(machine.with_cost(cost), X, np.arange(n) % d, C=C, bias=bias)


@pytest.mark.parametrize(
    ("machine", "bias", "cost"), table((MACHINES, BIASES), (COSTS,)), ids=label
)
def test_value_is_proved_and_lies_in_the_certified_enclosure(machine, bias, cost):
    problem = small(machine, bias, cost)
    solution = mr.solve(problem)
    optimum = from_guess(problem, solution)
    assert check_exact(problem, optimum.value, optimum.W, optimum.b, optimum.alpha) == []
    assert (
        Fraction(solution.certificate.lower)
        <= optimum.value
        <= Fraction(solution.certificate.upper)
    )


@pytest.mark.parametrize("bias", BIASES)
@pytest.mark.parametrize("machine", MACHINES, ids=lambda m: m.name)
def test_a_worthless_guess_costs_time_and_not_correctness(machine, bias):
    problem = small(machine, bias, "linear", seed=1)
    assert from_guess(problem, zero_guess(problem)).value == exact_optimum(problem).value


def test_by_hand_one_example_crammer_singer():
    # x = 2, y = 0, d = 2, margin (f_0 - f_1)/2 >= 1: W = (1/2, -1/2) reaches it, value 1/4
    optimum = exact_optimum(mr.Problem(mr.CS, [[2.0]], [0], C=1.0, n_classes=2))
    assert optimum.value == Fraction(1, 4)
    assert optimum.W[0] == (Fraction(1, 2), Fraction(-1, 2))
    assert optimum.alpha[0][1] == Fraction(1, 2)


FAMILIES = {
    "contradictory duplicates": ([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.0, 1.0]], [0, 1, 1, 2]),
    "absent class": ([[1.0, 2.0], [-1.0, 0.5]], [0, 1]),
    "zero features": ([[0.0], [0.0], [0.0]], [0, 1, 1]),
    "one example": ([[3.0, -1.0]], [2]),
    "all points equal": ([[1.0]] * 5, [0, 1, 2, 0, 0]),
    "one class only": ([[1.0], [2.0]], [1, 1]),
}


@pytest.mark.parametrize("C", [2.0**-30, 1.0, 2.0**30])
@pytest.mark.parametrize("family", FAMILIES)
def test_degenerate_families(family, C):
    X, y = FAMILIES[family]
    for machine in mr.CATALOGUE:
        for bias in BIASES:
            problem = mr.Problem(machine, X, y, C=C, bias=bias, n_classes=3)
            optimum = from_guess(
                problem, zero_guess(problem)
            )  # the worst guess: nothing but exact steps
            assert check_exact(problem, optimum.value, optimum.W, optimum.b, optimum.alpha) == []


def test_zero_weights_and_quadratic_cost():
    machine = mr.WW.with_cost("quadratic")
    problem = mr.Problem(
        machine, [[1.0], [2.0], [-1.0]], [0, 1, 2], bias="free", sample_weight=[0, 1, 0.5]
    )
    optimum = exact_optimum(problem)
    assert optimum.alpha[0] == (0, 0, 0)


@pytest.mark.parametrize("kernel", [mr.rbf(0.5), mr.polynomial(2)], ids=str)
def test_other_kernels_are_exact_for_their_float64_factor(kernel):
    problem = mr.Problem(
        mr.CS,
        [[0.0, 1.0], [1.0, 0.25], [-1.0, 0.5], [0.5, 0.5]],
        [0, 1, 2, 0],
        kernel=kernel,
        bias="free",
    )
    optimum = exact_optimum(problem, gram="factor")
    W = np.array([[float(v) for v in row] for row in optimum.W])
    assert W.shape == (problem.features.shape[1], 3)
    np.testing.assert_allclose(
        W, problem.features.T @ np.array([[float(v) for v in r] for r in optimum.coef]), atol=1e-12
    )


def test_precomputed_gram_equals_linear():
    X = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    # the identity's Cholesky factor is exact, so both problems are the same problem
    linear = exact_optimum(mr.Problem(mr.WW, np.eye(2), [0, 1]))
    given = exact_optimum(mr.Problem(mr.WW, np.eye(2), [0, 1], kernel=mr.precomputed))
    assert linear.value == given.value
    assert exact_optimum(mr.Problem(mr.WW, X, [0, 1, 0])).value > 0


def test_more_active_pairs_than_weights_uses_the_primal_equations():
    rng = np.random.default_rng(3)
    problem = mr.Problem(
        mr.LLW.with_cost("quadratic"),
        rng.integers(-8, 9, (40, 2)) / 4,
        np.arange(40) % 3,
        bias="free",
    )
    assert exact_optimum(problem).how.startswith("active set")


def test_the_middle_size_takes_seconds():
    rng = np.random.default_rng(0)
    y = np.arange(200) % 5
    problem = mr.Problem(mr.WW, rng.normal(size=(200, 4)) + y[:, None] / 2, y, bias="free")
    assert exact_optimum(problem).seconds < 20


def test_refuses_beyond_its_size():
    problem = mr.Problem(mr.WW, np.zeros((2500, 1)), np.arange(2500) % 3)
    with pytest.raises(ExactnessError, match="margin components") as caught:
        from_guess(problem, zero_guess(problem))
    assert "rigorous" in caught.value.remedy


def test_refuses_beyond_its_time():
    problem = small(mr.WW, "free", "linear")
    with pytest.raises(ExactnessError, match="within 0 s"):
        from_guess(problem, zero_guess(problem), seconds=0.0)


def test_refuses_a_system_it_could_not_solve_in_time():
    rng = np.random.default_rng(0)
    problem = mr.Problem(mr.WW.with_cost("quadratic"), rng.normal(size=(60, 40)), np.arange(60) % 3)
    with pytest.raises(ExactnessError, match=r"unknowns for the seconds allowed|within 0\.05 s"):
        from_guess(problem, mr.solve(problem), seconds=0.05)


def test_digits_are_correctly_rounded():
    assert decimal(Fraction(1, 3), 5) == "0.33333"
    assert decimal(Fraction(2, 3), 5) == "0.66667"
    assert decimal(Fraction(1, 4)) == "0.25"


POINTS, LABELS = [[0.0, 1.5], [1.0, 0.25], [-1.0, 0.5], [0.5, 0.5], [0.5, 0.5]], [0, 1, 2, 0, 1]


@pytest.mark.parametrize("bias", BIASES)
@pytest.mark.parametrize("machine", [mr.WW, mr.ATM, mr.RM()], ids=lambda m: m.name)
@pytest.mark.parametrize("kernel", [mr.polynomial(2), mr.rbf(0.5)], ids=str)
def test_the_kernels_own_gram(kernel, machine, bias):
    problem = mr.Problem(machine, POINTS, LABELS, kernel=kernel, bias=bias)
    own, factor = (exact_optimum(problem, gram=gram) for gram in ("kernel", "factor"))
    assert own.value == pytest.approx(factor.value, rel=1e-13)
    assert check_kernel(problem, own.value, own.coef, own.b, own.alpha) == []
    assert check_kernel(problem, own.value + Fraction(1, 10**40), own.coef, own.b, own.alpha)
    wrong = ((own.coef[0][0] + 1, *own.coef[0][1:]), *own.coef[1:])
    assert check_kernel(problem, own.value, wrong, own.b, own.alpha)


def test_an_irrational_kernel_has_no_rational_optimum():
    with pytest.raises(ExactnessError, match="gram='factor'"):
        exact_optimum(mr.Problem(mr.WW, POINTS, LABELS, kernel=mr.rbf(0.5)))
    polynomial = mr.Problem(mr.WW, POINTS, LABELS, kernel=mr.polynomial(2))
    assert exact_optimum(polynomial).value == exact_optimum(polynomial, gram="kernel").value


def test_a_polynomial_of_degree_one_is_the_linear_kernel():
    linear = exact_optimum(mr.Problem(mr.CS, POINTS, LABELS, bias="penalized"))
    same = exact_optimum(
        mr.Problem(mr.CS, POINTS, LABELS, kernel=mr.polynomial(1, coef0=0.0), bias="penalized"),
        gram="kernel",
    )
    assert same.value == linear.value


def test_a_given_gram_is_taken_bit_by_bit():
    problem = mr.Problem(mr.CS, [[2.0, 1.0], [1.0, 2.0]], [0, 1], kernel=mr.precomputed)
    assert exact_optimum(problem, gram="kernel").value == Fraction(3, 2)


def test_a_gram_that_is_psd_only_to_rounding_is_refused():
    tilted = [[1.0, 1.0 + 2**-50], [1.0 + 2**-50, 1.0]]
    with pytest.raises(ExactnessError, match="not exactly positive semi-definite"):
        exact_optimum(mr.Problem(mr.CS, tilted, [0, 1], kernel=mr.precomputed), gram="kernel")


def test_seconds_count_the_float_solution_too(monkeypatch):
    from msvm_ref.solvers import exact_optimum as exact

    problem = small(mr.WW, "free", "linear")
    solution, clock = mr.solve(problem), iter((100.0, *[107.0] * 50))
    monkeypatch.setattr(exact, "solve", lambda *_, **__: solution)
    monkeypatch.setattr(exact.time, "perf_counter", lambda: next(clock))
    with pytest.raises(ExactnessError, match="within 5 s"):
        exact_optimum(problem, seconds=5)


def test_the_size_is_refused_before_anything_is_solved(monkeypatch):
    from msvm_ref.solvers import exact_optimum as exact

    monkeypatch.setattr(exact, "solve", None)
    with pytest.raises(ExactnessError, match="margin components"):
        exact_optimum(mr.Problem(mr.WW, np.zeros((2500, 1)), np.arange(2500) % 3))
