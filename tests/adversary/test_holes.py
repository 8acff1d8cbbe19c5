"""Holes an attack once found in the judge, each with the smallest problem that shows it, against exact values."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import msvm_ref as mr
from tests.adversary.attack import attack
from tests.adversary.checks import Handed, broken
from tests.adversary.evaluator import Exact, Weights
from tests.adversary.proved import enclosed
from tests.adversary.scaled import scaled
from tests.small_problems import NIGHTLY


def faults(problem, certificate, W=None, b=None, alpha=None, coef=None):
    """The certificate's false claims on a candidate in plain lists."""
    exact = Exact(problem)
    optimum = enclosed(problem, exact)
    assert optimum.proved
    point = None
    if W is not None or coef is not None:
        bias = scaled([0] * problem.d if b is None else b)
        point = Weights(bias, *(None if v is None else scaled(v) for v in (W, coef)))
    handed = Handed(point, None if alpha is None else scaled(alpha))
    return [f"{f.claim}: {f.detail}" for f in broken(exact, optimum, handed, certificate)]


def test_the_value_judged_is_the_candidates_own_and_not_that_of_its_rounded_projection():
    problem = mr.Problem(mr.MMR, [[-3.0]], [2], C=1e11, bias="penalized", n_classes=3)
    W = [[0.15000000000000005, 0.15000000000000002, -0.29999999999999993]]
    b = [-0.05000000000000002, -0.05000000000000002, 0.1]
    alpha = [[0, 0, 0.15]]
    exact = Exact(problem)
    assert enclosed(problem, exact).high == Fraction(3, 40)
    assert exact.primal(Weights(scaled(b), scaled(W))).value > Fraction(75004, 10**6)
    for rigorous in (False, True):
        certificate = mr.certify(problem, W, b, alpha, rigorous=rigorous)
        assert not certificate.optimal(1e-5)
        assert faults(problem, certificate, W, b, alpha) == []


def test_coefficients_of_a_linear_kernel_are_judged_as_the_weights_they_are():
    problem = mr.Problem(mr.CS, [[2.7]], [0], C=1e12, n_classes=2)
    coef = [[0.1371742112482853, -0.1371742112482853]]
    alpha = [[0.0, 2 / 2.7**2]]
    for rigorous in (False, True):
        certificate = mr.certify(problem, coef=coef, alpha=alpha, rigorous=rigorous)
        assert not certificate.optimal(1e-5)
        assert faults(problem, certificate, coef=coef, alpha=alpha) == []


NEIGHBOURS = ([[1.0], [2.0], [3.0], [2.5]], [0, 1, 2, 1])


@pytest.mark.parametrize("rigorous", [False, True])
@pytest.mark.parametrize("machine", [mr.WW, mr.LLW, mr.OVA])
@pytest.mark.parametrize("foreign", ["free", "penalized"])
def test_a_reference_is_admitted_only_as_a_point_of_this_problem(machine, foreign, rigorous):
    """A free or penalized bias is no point of the problem without one; refusing it, typed, is right as well."""
    problem = mr.Problem(machine, *NEIGHBOURS, bias="none")
    other = mr.solve(mr.Problem(machine, *NEIGHBOURS, bias=foreign))
    mine = mr.solve(problem)
    try:
        certificate = mr.certify(
            problem, mine.W, alpha=mine.alpha, reference=other, rigorous=rigorous
        )
    except mr.DataError:
        return
    found = faults(problem, certificate, mine.W.tolist(), alpha=mine.alpha.tolist())
    assert found == []


def test_a_reference_that_solves_the_problem_without_sum_to_zero_is_no_point_of_the_one_with_it():
    nu, gamma = mr.OVA.nu(3), mr.OVA.gamma(3)
    free, tied = (
        mr.Problem(mr.Machine("m", nu, mr.TOTAL_SUM, gamma, sum_to_zero=s), *NEIGHBOURS)
        for s in (False, True)
    )
    other, mine = mr.solve(free), mr.solve(tied)
    try:
        certificate = mr.certify(tied, mine.W, alpha=mine.alpha, reference=other)
    except mr.DataError:
        return
    assert faults(tied, certificate, mine.W.tolist(), alpha=mine.alpha.tolist()) == []


def test_the_optimum_of_the_reference_hole_is_the_known_rational():
    problem = mr.Problem(mr.WW, *NEIGHBOURS, bias="none")
    assert enclosed(problem, Exact(problem)).high == Fraction(631, 108)


def _two_near_duplicates(kernel):
    """A point 1000 times, and one 1e-7 away with the other label, at a C that makes the difference matter."""
    X = np.tile([1.0, 2.0], (1001, 1))
    X[-1, 0] += 1e-7
    return mr.Problem(mr.WW, X, [0] * 1000 + [1], C=1e11, kernel=kernel)


@pytest.mark.parametrize("kernel", [mr.rbf(0.5)] + NIGHTLY * [mr.polynomial(2)], ids=repr)
def test_a_problem_has_one_meaning_above_a_thousand_points(kernel):
    """The same candidate, judged through every door, is held against the kernel's own optimum."""
    problem = _two_near_duplicates(kernel)
    exact = Exact(problem)
    optimum = enclosed(problem, exact)
    assert optimum.proved
    coef, alpha = exact.expansion(optimum.alpha).floats(), optimum.alpha.floats()
    point = Weights(scaled([0, 0]), coef=scaled(coef.tolist()))
    whole = Handed(point, scaled(alpha.tolist()))
    for handed, options in ((whole, {}), (whole, {"rigorous": True}), (Handed(point, None), {})):
        given = {} if handed.alpha is None else {"alpha": alpha}
        certificate = mr.certify(problem, coef=coef, **given, **options)
        assert broken(exact, optimum, handed, certificate) == [], options


@pytest.mark.parametrize("kernel", [mr.polynomial(3, 0.1, 0.3)] + NIGHTLY * [mr.rbf(0.1)], ids=repr)
def test_a_problem_is_its_kernel_below_a_thousand_points_too(kernel):
    rng = np.random.default_rng(4)
    X, y = rng.normal(size=(9, 2)), np.arange(9) % 3
    X[-1], y[-1] = X[0] + 1e-9, (y[0] + 1) % 3
    problem = mr.Problem(mr.CS, X, y, C=1e9, kernel=kernel)
    exact = Exact(problem)
    optimum = enclosed(problem, exact)
    coef, alpha = exact.expansion(optimum.alpha).floats(), optimum.alpha.floats()
    handed = Handed(Weights(scaled([0] * 3), coef=scaled(coef.tolist())), scaled(alpha.tolist()))
    for rigorous in (False, True):
        certificate = mr.certify(problem, coef=coef, alpha=alpha, rigorous=rigorous)
        assert broken(exact, optimum, handed, certificate) == []


@pytest.mark.parametrize("rigorous", [False, True])
def test_the_costs_are_C_times_the_weight_exactly(rigorous):
    """0.1 x 3 is not the float 0.30000000000000004: the exact and the rigorous paths must not say it is."""
    problem = mr.Problem(
        mr.OVA, [[1.0], [2.0]], [0, 1], C=0.1, sample_weight=[3.0, 3.0], n_classes=2
    )
    exact = Exact(problem)
    assert exact.costs == [3 * Fraction(0.1)] * 2
    optimum = enclosed(problem, exact)
    assert optimum.proved
    certificate = mr.certify(problem, np.zeros((1, 2)), rigorous=rigorous)
    assert Fraction(certificate.lower) <= optimum.high <= Fraction(certificate.upper)
    if rigorous:
        assert mr.exact_optimum(problem).value == optimum.high


def test_the_bias_interval_holds_the_optimal_bias_of_features_far_from_zero():
    X = np.array([2, 2, -1, 1, 1, 2, -2, 2])[:, None] * 2.0**15
    problem = mr.Problem(mr.ATS, X, [0, 2, 2, 1, 0, 0, 2, 1], C=64, bias="free")
    optimum = enclosed(problem, Exact(problem))
    assert optimum.proved
    interval = mr.solve(problem).b_interval
    for b, (low, high) in zip(optimum.point.b.fractions(), interval.tolist(), strict=True):
        assert low == -np.inf or Fraction(low) <= b
        assert high == np.inf or b <= Fraction(high)


def test_a_penalised_bias_whose_square_underflows_is_not_free_of_charge():
    """nu of 1e100 and gamma of 1e-100: b = 1e-200 meets every target, and costs b^2 / 2 > 0."""
    nu = np.zeros((2, 2, 2))
    nu[0, 0, 0] = nu[1, 1, 1] = 1e100
    machine = mr.Machine("tiny", nu, mr.SELF, [[1e-100, 0], [0, 1e-100]])
    problem = mr.Problem(machine, [[0.0]], [0], bias="penalized", n_classes=2)
    W, b, alpha = [[0.0, 0.0]], [1.5e-200, 0.0], [[1e-300, 0.0]]
    certificate = mr.certify(problem, W, b, alpha)
    assert certificate.upper > 0
    assert not certificate.optimal(0.0)
    assert faults(problem, certificate, W, b, alpha) == []


def test_coefficients_whose_weights_underflow_are_not_free_of_charge():
    """W = 0.5 x 5e-324 is no float: its square is not 0, and the point is not optimal where 0 is."""
    gram = [[0.25, 0.0], [0.0, 0.25]]
    problem = mr.Problem(mr.MMR, gram, [0, 0], kernel=mr.precomputed, bias="free", n_classes=3)
    coef, b, alpha = [[5e-324, 0.0, 0.0], [0.0] * 3], [1.0, -0.5, -0.5], np.zeros((2, 3))
    certificate = mr.certify(problem, b=b, alpha=alpha, coef=coef)
    assert certificate.upper > 0
    assert certificate.distance_bound > 0
    zero = mr.certify(problem, b=b, alpha=alpha, coef=np.zeros((2, 3)))
    assert zero.lower == zero.upper == zero.distance_bound == 0.0


@pytest.mark.parametrize("size", [5e-324, 1e-309, 1e-300])
def test_nor_are_those_of_a_linear_kernel_whose_bound_underflows_too(size):
    problem = mr.Problem(mr.WW, [[1e-20], [-1e-20]], [0, 0], bias="free", n_classes=2)
    certificate = mr.certify(problem, coef=[[size, -size], [0.0, 0.0]], b=[5.0, -5.0])
    assert certificate.primal_value > 0
    assert certificate.distance_bound > 0


def test_a_tilt_that_cannot_be_told_from_zero_has_a_distance_in_balls_too():
    """Coefficients that sum to nearly zero: ||sum_c w_c||^2 lies in a ball around 0, which has no square root."""
    X = np.array([[99998.2, 100000.0, 99997.3], [100001.3, 99998.7, 100002.3]])[[0, 1, 0, 1]]
    kernel = mr.polynomial(4, 4.99988e-06, 0.3)
    problem = mr.Problem(mr.MMR, X, [0, 1, 2, 0], C=64, kernel=kernel)
    coef = np.array([[0.1, 0.2, -0.3], [-0.1, -0.2, 0.3], [-0.1, -0.2, 0.3], [0.1, 0.2, -0.3]])
    certificate = mr.certify(problem, coef=coef, alpha=np.zeros((4, 3)), rigorous=True)
    assert 0 <= certificate.distance_bound < np.inf


def test_a_bias_whose_square_overflows_is_not_thereby_centred():
    problem = mr.Problem(mr.MMR, [[1.0]], [0], bias="free", n_classes=3)
    b = np.array([2e159, -1e159, -1e159])
    centred = mr.certify(problem, np.zeros((1, 3)), b, np.zeros((1, 3)))
    tilted = mr.certify(problem, np.zeros((1, 3)), b + 1e150, np.zeros((1, 3)))
    assert centred.sum_to_zero == 0.0
    assert tilted.sum_to_zero > 1e149
    assert not tilted.optimal(1e-3)


@pytest.mark.parametrize("size", [5e-324, 1e-310, 1e-200, 0.1, 0.3, 1.2])
def test_the_distance_bound_is_rounded_outwards(size):
    """The optimum is W = 0; equal weights in every class are all distance and no gap."""
    problem = mr.Problem(mr.MMR, [[1.0]], [0], bias="free", n_classes=3)
    W, b = [[size] * 3], [1.0, -0.5, -0.5]
    certificate = mr.certify(problem, W, b, alpha=np.zeros((1, 3)))
    assert Fraction(certificate.distance_bound) ** 2 >= 3 * Fraction(size) ** 2
    assert faults(problem, certificate, W, b, [[0, 0, 0]]) == []


def test_converged_means_certified_at_the_tolerance_asked():
    """A stopping rule of the method's own may end it; only the certificate makes it converged."""
    problem = mr.Problem(mr.WW, *NEIGHBOURS, bias="penalized")
    solution = mr.solve(problem, "fast", tolerance=1e-9, stop="kkt", kkt=1e30)
    assert solution.converged == (solution.certificate.relative_gap <= 1e-9)


def test_a_cost_that_underflows_is_not_nothing():
    """C x weight = 1e-400 is more than 0: W = 0 costs something, and [0, 0] would be false."""
    with pytest.raises(mr.DataError, match="sample_weight"):
        mr.Problem(mr.WW, [[1.0], [2.0]], [0, 1], C=1e-200, sample_weight=[1e-200, 1.0])
    with pytest.raises(mr.DataError, match="sample_weight"):
        mr.Problem(mr.WW, [[1.0], [2.0]], [0, 1], sample_weight=[1e-90, 1.0]).with_C(1e-300)
    mr.Problem(mr.WW, [[1.0], [2.0]], [0, 1], sample_weight=[0.0, 1.0])


@pytest.mark.parametrize("degree", [1, 3])
def test_products_that_underflow_do_not_vanish_from_a_polynomial_kernel(degree):
    """x^2 = 1e-324 is 0 in floats, and gamma x^2 = 1e-16 is not: at C = 1e30 that is everything."""
    kernel = mr.polynomial(degree, 1e308, 0.0)
    problem = mr.Problem(mr.WW, [[1e-162], [-1e-162]], [0, 1], C=1e60, kernel=kernel)
    alpha = [[0.0, 1e60], [1e60, 0.0]]
    certificate = mr.certify(problem, coef=np.zeros((2, 2)), alpha=alpha)
    assert not certificate.optimal(1e-3)
    assert faults(problem, certificate, coef=[[0, 0], [0, 0]], alpha=alpha) == []


def test_points_far_from_zero_have_a_kernel_in_balls_too():
    """||a||^2 + ||b||^2 - 2<a, b> is a ball of radius 1e56 here: exp of that ends nowhere, and no time would be enough."""
    X = np.array([[1e60, 1e-20], [1e60, 2e-20], [1e60, 1.0]])
    problem = mr.Problem(mr.WW, X, [0, 1, 1], kernel=mr.rbf(1.0))
    solution = mr.solve(problem, "fast")
    certificate = mr.certify(problem, coef=solution.coef, alpha=solution.alpha, rigorous=True)
    plain = solution.certificate
    assert certificate.optimal(1e-9)
    assert plain.lower <= certificate.upper <= plain.upper * (1 + 1e-12)


def test_what_is_left_of_a_difference_must_be_a_number_float64_can_hold():
    """Pi nu of 1e-320 has four digits in float64, and a bias of 1e306 makes it a margin of 1e-13."""
    left = Fraction(300003, 10**325)
    nu = [[[1 + left, 1], [0, 0]], [[0, 0], [1, 1 + left]]]
    tied = mr.Machine("tied", nu, mr.SELF, Fraction(1, 10**13), sum_to_zero=True)
    margin = mr.Margin("nearly", Fraction(1), Fraction(1), left - 1)
    alike = mr.Machine("alike", margin, mr.OTHERS_SUM, sum_to_zero=True)
    target = mr.Target(own=left - 1, other=Fraction(1), own_per_rival=Fraction(1, 2))
    aimed = mr.Machine("aimed", mr.ABSOLUTE, mr.SELF, target)
    for machine, d in ((tied, 2), (alike, 3), (aimed, 3)):
        with pytest.raises(mr.SpecError, match="left of a difference"):
            mr.Problem(machine, [[0.0], [0.0]], [0, 1], bias="free", n_classes=d)
    mr.Problem(mr.RM(1e-100), [[0.0], [0.0]], [0, 1], n_classes=5)


BELOW_ONE = 1 - Fraction(
    1, 2 * 10**16
)  # its nearest float64 is 1, and at C = 1e12 they are not the same point


@pytest.mark.parametrize(
    "W",
    [
        [[BELOW_ONE, -BELOW_ONE]],
        np.array([[1, -1]]) * (1 - np.longdouble(5e-17)),
        [[2**53 + 1, -1]],
        np.array([[2**53 + 1, -1]]),
    ],
    ids=["rational", "extended", "long integer", "int64"],
)
def test_a_candidate_that_float64_cannot_hold_is_not_judged_by_its_rounding(W):
    """P is 1 + 5e-5 at the point handed in and 1, the optimum, at the rounded one."""
    problem = mr.Problem(mr.CS, [[1.0]], [0], C=1e12, n_classes=2)
    with pytest.raises(mr.DataError, match="float64"):
        mr.certify(problem, W=W, alpha=[[0, 2]])
    for held in ([[Fraction(1), -1]], np.array([[1, -1]]), np.array([[1, -1]], np.longdouble)):
        assert mr.certify(problem, W=held, alpha=[[0, 2]]).lower <= 1


def test_a_kernel_that_returns_masked_entries_is_refused():
    def kernel(a, b):
        return np.ma.array(a @ b.T, mask=np.eye(len(a), len(b)))

    with pytest.raises(mr.DataError, match="masked"):
        mr.Problem(mr.WW, [[1.0], [2.0]], [0, 1], kernel=kernel)


@pytest.mark.parametrize("cost", ["linear", "quadratic", "huber", "huber(1e100)"])
def test_a_loss_that_underflows_is_not_nothing(cost):
    """b = 5e-324 misses the target 0 by 5e-324, whose square no float holds; the optimum is exactly 0."""
    at_zero = mr.Machine("at zero", mr.OVA.margin, mr.OVA.aggregation, 0, False, cost)
    problem = mr.Problem(at_zero, [[0.0]], [0], C=1e-5, bias="free", n_classes=2)
    exact = Exact(problem)
    W, b = np.zeros((1, 2)), np.array([-5e-324, 0.0])
    certificate = mr.certify(problem, W=W, b=b)
    handed = Handed(Weights(scaled(b.tolist()), W=scaled(W.tolist())), None)
    assert exact.primal(handed.point).value > 0
    assert certificate.primal_value > 0
    assert certificate.upper > 0
    assert not certificate.optimal(1e-3)


def test_a_penalty_that_underflows_is_not_nothing():
    """b = 5e-324 meets the target 0 and costs 1/2 b^2, which no float holds; the optimum is exactly 0."""
    at_zero = mr.Machine("at zero", mr.OVA.margin, mr.OVA.aggregation, 0, False)
    problem = mr.Problem(at_zero, [[0.0]], [0], bias="penalized", n_classes=2)
    certificate = mr.certify(problem, W=np.zeros((1, 2)), b=np.array([5e-324, 0.0]))
    assert certificate.primal_value > 0
    assert not certificate.optimal(1e-3)


def test_coefficients_are_not_lent_digits_by_their_alpha():
    """In extended precision W_alpha has more digits than the coefficients handed in with alpha: at C = 1.5e6 P was too low."""
    assert not attack(9, 194).failures
