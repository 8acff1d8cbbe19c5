"""Weak duality and what the judge makes of any candidate. Only the last laws need a solver."""

from fractions import Fraction
from itertools import product

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import msvm_ref as mr
from msvm_ref.conformance.strategies import candidates, matrices, problems, specs
from msvm_ref.judge.feasible import equality_residual, feasible_dual, into_groups
from msvm_ref.judge.rounding import ENTRIES
from tests.judge.test_judge import dual_value, primal_value, rows_at_a_time

many = settings(max_examples=3 * settings.default.max_examples)
with_candidate = problems().flatmap(lambda p: st.tuples(st.just(p), candidates(p)))


def exactly(values):
    return np.vectorize(Fraction, otypes=[object])(np.asarray(values))


class Exact:
    """P, D and what separates them in rationals, from docs/mathematics.md, section 1, alone; sum-to-zero by centring (W, b)."""

    def __init__(self, problem, W, b, alpha):
        d, machine = problem.d, problem.machine
        self.problem, self.W, self.b, self.alpha = problem, exactly(W), exactly(b), exactly(alpha)
        if machine.sum_to_zero:
            self.W, self.b = (
                self.W - self.W.sum(axis=1, keepdims=True) / d,
                self.b - self.b.sum() / d,
            )
        phi, y, self.C = exactly(problem.features), problem.y, exactly(problem.costs)
        nu, gamma = np.array(machine.nu(d), dtype=object), np.array(machine.gamma(d), dtype=object)
        t = gamma[y] - np.einsum("icm,im->ic", nu[y], phi.dot(self.W) + self.b)
        self.gain = (gamma[y] * self.alpha).sum()
        coefficients = np.einsum("ic,icm->im", self.alpha, nu[y])
        if machine.sum_to_zero:
            coefficients = coefficients - coefficients.sum(axis=1, keepdims=True) / d
        self.W_alpha, self.residual = phi.T.dot(coefficients), coefficients.sum(axis=0)
        counts = machine.aggregation.mask(d)[y]
        parts = [
            [np.flatnonzero(row)]
            if machine.aggregation.slack == "shared"
            else np.flatnonzero(row)[:, None]
            for row in counts
        ]
        self.groups = [
            (i, g, max(0, *t[i, g]), self.alpha[i, g]) for i, gs in enumerate(parts) for g in gs
        ]
        self.t = t

    @property
    def penalized(self):
        return self.problem.bias == "penalized"

    def phi(self, xi):
        """What a slack costs for C = 1, from the cost's definition."""
        capped, h = self.problem.machine.slack_cost
        if h == 0:
            return xi
        return xi * xi / (2 * h) if xi <= h or not capped else xi - h / 2

    def conjugate(self, i, a):
        h = self.problem.machine.slack_cost.width
        return h * a.sum() ** 2 / (2 * self.C[i]) if self.C[i] else 0

    @property
    def primal(self):
        norm = (self.W**2).sum() + (self.b @ self.b if self.penalized else 0)
        return norm / 2 + sum(self.C[i] * self.phi(xi) for i, _, xi, _ in self.groups)

    @property
    def dual(self):
        norm = (self.W_alpha**2).sum() + (self.residual @ self.residual if self.penalized else 0)
        return self.gain - norm / 2 - sum(self.conjugate(i, a) for i, _, _, a in self.groups)

    @property
    def separation(self):
        """1/2 ||W - W_alpha||^2 [+ 1/2 ||b - b_alpha||^2] + complementarity - <b, r> (free bias)."""
        value = ((self.W - self.W_alpha) ** 2).sum() / 2
        if self.penalized:
            value += ((self.b - self.residual) ** 2).sum() / 2
        if self.problem.bias == "free":
            value -= self.b @ self.residual
        for i, g, xi, a in self.groups:
            value += (a * (xi - self.t[i, g])).sum()
            value += self.C[i] * self.phi(xi) + self.conjugate(i, a) - a.sum() * xi
        return value


@many
@given(with_candidate)
def test_weak_duality_holds_for_any_feasible_pair(drawn):
    problem, handed = drawn
    dual = feasible_dual(problem, handed.alpha)
    assert (
        primal_value(problem, handed.W, handed.b).high
        >= dual_value(problem, dual.alpha).low - dual.charge
    )


@many
@given(drawn=with_candidate)
def test_values_enclose_the_exact_rational_values(drawn):
    problem, handed = drawn
    alpha = into_groups(problem, handed.alpha)
    exact = Exact(problem, handed.W, handed.b, alpha)
    exact_primal, exact_dual = exact.primal, exact.dual
    for care, entries in product((0, 1, 2), (ENTRIES, 6)):
        with rows_at_a_time(entries):
            upper = primal_value(problem, handed.W, handed.b, care)
            dual = dual_value(problem, alpha, care)
        assert exact_primal <= upper.high
        assert dual.low <= exact_dual <= dual.high


@many
@given(with_candidate)
def test_gap_is_distance_plus_complementarity_minus_bias_times_residual(drawn):
    problem, handed = drawn
    W, b = handed.W.copy(), handed.b.copy()
    if problem.machine.sum_to_zero:  # small dyadics: the last class balances the others exactly
        W[:, -1], b[-1] = -W[:, :-1].sum(axis=1), -b[:-1].sum()
    alpha = into_groups(problem, handed.alpha)
    P, D = primal_value(problem, W, b), dual_value(problem, alpha)
    separation = Exact(problem, W, b, alpha).separation
    assert abs(Fraction(P.value) - Fraction(D.value) - separation) <= Fraction(P.radius) + Fraction(
        D.radius
    )


@many
@given(with_candidate, st.sampled_from((1.0, 1 / 3, 0.7)))
def test_repaired_alpha_is_feasible_in_exact_arithmetic(drawn, scale):
    problem, handed = drawn
    repaired = feasible_dual(problem, handed.alpha * scale)
    alpha = repaired.alpha
    counts = problem.machine.aggregation.mask(problem.d)[problem.y]
    assert (alpha >= 0).all()
    assert not alpha[~counts].any()
    assert not alpha[problem.costs == 0].any()
    if problem.machine.slack_cost.capped:
        shared = problem.machine.aggregation.slack == "shared"
        sums = exactly(alpha).sum(axis=1, keepdims=True) if shared else exactly(alpha)
        assert (sums <= exactly(problem.costs)[:, None]).all()
    if problem.bias == "free" and repaired.charge == 0:
        assert not any(equality_residual(problem, alpha))
    if problem.bias != "free":
        assert repaired.charge == 0


@given(with_candidate, st.sampled_from((0.0, 2.0**-45, 2.0**-20, 0.125, 1.0)))
def test_a_repaired_dual_value_less_its_charge_is_below_the_optimum(drawn, step):
    problem, handed = drawn
    truth = mr.solve(problem)
    dual = feasible_dual(problem, truth.alpha + step * (handed.alpha - truth.alpha))
    assert dual_value(problem, dual.alpha).low - dual.charge <= truth.certificate.upper


@given(st.data(), problems(), st.sampled_from(("primal", "dual", "both")), st.integers(0, 40))
def test_certificate_of_any_perturbed_solution_encloses_the_optimum(data, problem, half, exponent):
    truth = mr.solve(problem)
    n, d, scale = problem.n, problem.d, 2.0**-exponent
    coef = truth.coef + scale * data.draw(matrices(n, d))
    b = {} if problem.bias == "none" else {"b": truth.b + scale * data.draw(matrices(1, d))[0]}
    alpha = truth.alpha + scale * data.draw(matrices(n, d))
    given_halves = {
        "primal": {"coef": coef, **b},
        "dual": {"alpha": alpha},
        "both": {"coef": coef, **b, "alpha": alpha},
    }
    judged = mr.certify(problem, **given_halves[half])
    assert judged.lower <= truth.certificate.upper
    assert judged.upper >= truth.certificate.lower
    assert judged.lower <= judged.upper


@given(problems(specs))
def test_every_valid_spec_has_strong_duality_on_both_routes(problem):
    primal, dual = mr.solve(problem).certificate, mr.solve(problem, method="dual").certificate
    assert primal.relative_gap <= 1e-8
    assert dual.relative_gap <= 1e-8
    assert max(primal.lower, dual.lower) <= min(primal.upper, dual.upper)


@given(problems(kernels=(mr.linear,)), st.data())
def test_distance_bound_holds_for_any_candidate(problem, data):
    truth, handed = mr.solve(problem), data.draw(candidates(problem))
    b = {} if problem.bias == "none" else {"b": handed.b}
    judged = mr.certify(problem, W=handed.W, **b)
    off = np.linalg.norm(handed.W - truth.W)
    assert off <= judged.distance_bound + truth.certificate.distance_bound
