"""Machines that are other machines in disguise (docs/mathematics.md, sections 1 and 2), with maps of C, f and objective."""

from dataclasses import dataclass, replace
from fractions import Fraction

import cvxpy as cp
import numpy as np
from hypothesis import assume, given, reject
from hypothesis import strategies as st

import msvm_ref as mr
from msvm_ref.conformance.strategies import REINFORCEMENTS, machines, matrices, problems, specs

linear = (mr.linear,)
relative = st.builds(
    mr.Machine.with_cost, st.sampled_from((mr.WW, mr.CS)), st.sampled_from(("linear", "quadratic"))
)
HALF = (mr.WW, mr.CS, mr.LLW, mr.MMR, mr.AMO, mr.ATM)
WHOLE = (mr.OVA, mr.ATS)


def only(machine):
    return st.sampled_from((machine, machine.with_cost("quadratic")))


@dataclass
class Enclosure:
    """Looks like a Certificate to ``same_value``."""

    lower: Fraction
    upper: Fraction

    @property
    def certificate(self):
        return self

    def __add__(self, other):
        return Enclosure(self.lower + other.lower, self.upper + other.upper)


def binary_svm(X, sign, costs, cost, bias):
    """An enclosure, exact in rationals, of min 1/2 ||w||^2 + sum C_i [1 - s_i <w, x_i>]_+^q (a penalized bias: a feature 1)."""
    if bias == "penalized":
        X = np.column_stack([X, np.ones(len(X))])
    keep = costs > 0
    Z, costs = (X * sign[:, None])[keep], costs[keep]
    if not len(Z):
        return Enclosure(Fraction(0), Fraction(0))
    w, xi = cp.Variable(Z.shape[1]), cp.Variable(len(Z), nonneg=True)
    power = 2 if cost == "quadratic" else 1
    loss = costs @ (xi if power == 1 else cp.square(xi))
    margins = Z @ w + xi >= 1
    try:
        cp.Problem(cp.Minimize(cp.sum_squares(w) / 2 + loss), [margins]).solve("CLARABEL")
    except cp.error.SolverError:
        reject()
    to_fractions = np.vectorize(Fraction, otypes=[object])
    Z, C, v = to_fractions(Z), to_fractions(costs), to_fractions(w.value)
    alpha = to_fractions(np.clip(margins.dual_value, 0, costs if power == 1 else None))
    upper = v @ v / 2 + (C * np.maximum(1 - Z.dot(v), 0) ** power).sum()
    u = Z.T.dot(alpha)
    lower = alpha.sum() - u @ u / 2 - ((alpha**2 / (4 * C)).sum() if power == 2 else 0)
    assume(upper - lower <= upper / 10**6)  # the law is about references that are themselves good
    return Enclosure(lower, upper)


@given(problems(relative, kernels=linear), st.data())
def test_relative_machines_sum_to_zero_unasked(same_value, problem, data):
    root, asked = (
        problem.d**0.5,
        mr.solve(replace(problem, machine=replace(problem.machine, sum_to_zero=True))),
    )
    free = mr.solve(problem)
    same_value(free, asked)
    assert np.linalg.norm(free.W.sum(axis=1)) <= root * free.certificate.distance_bound
    W = free.W + data.draw(matrices(*free.W.shape))
    judged = mr.certify(problem, W=W, **({} if problem.bias == "none" else {"b": free.b}))
    assert np.linalg.norm(W.sum(axis=1)) <= root * judged.distance_bound


@given(problems(lambda d: st.one_of(machines(), specs(d)), kernels=linear))
def test_sum_to_zero_is_a_shift_of_nu(same_value, same_weights, problem):
    machine, d = problem.machine, problem.d
    asked = replace(machine, sum_to_zero=True)
    nu = np.array(asked.projected_nu(d), dtype=object)
    own, signs = np.einsum("ycc->yc", nu), np.where(np.eye(d, dtype=bool), 1, -1)
    assume(
        (own * signs >= 0).all() and nu[machine.aggregation.mask(d)].any()
    )  # the shifted nu must keep Definition 1
    shifted = mr.Machine("shifted", nu, machine.aggregation, machine.gamma(d), cost=machine.cost)
    a, b = mr.solve(replace(problem, machine=asked)), mr.solve(replace(problem, machine=shifted))
    same_value(a, b)
    same_weights(a, b)


@given(problems(only(mr.RM(0)), kernels=linear))
def test_rm_at_0_is_llw(same_value, same_weights, problem):
    a, b = (
        mr.solve(problem),
        mr.solve(replace(problem, machine=mr.LLW.with_cost(problem.machine.cost))),
    )
    same_value(a, b)
    same_weights(a, b)


@given(problems(only(mr.MMR), kernels=linear))
def test_rm_at_1_is_mmr_stretched_by_the_rivals(same_value, same_weights, problem):
    """f_RM(1)(C) = (d-1) f_MMR(C/(d-1)), the objective times (d-1)^2; the quadratic cost keeps its C."""
    rivals, quadratic = problem.d - 1, problem.machine.cost == "quadratic"
    rm = replace(
        problem,
        machine=mr.RM(1).with_cost(problem.machine.cost),
        C=problem.C * (1 if quadratic else rivals),
    )
    a, b = mr.solve(problem), mr.solve(rm)
    same_value(a, b, rivals**2)
    same_weights(a, b, lambda W: rivals * W, rivals)


@given(problems(only(mr.OVA), kernels=linear, biases=("none", "penalized")))
def test_ova_is_one_binary_svm_per_class(same_value, problem):
    parts = (
        binary_svm(
            problem.X,
            np.where(problem.y == c, 1, -1),
            problem.costs,
            problem.machine.cost,
            problem.bias,
        )
        for c in range(problem.d)
    )
    same_value(mr.solve(problem), sum(parts, Enclosure(0, 0)))


@given(problems(only(mr.OVA), kernels=linear, biases=("free",)))
def test_ova_with_free_bias_is_one_two_class_machine_per_class(same_value, problem):
    """ATS at d = 2 is twice the binary SVM."""
    ats = mr.ATS.with_cost(problem.machine.cost)
    parts = [
        mr.solve(
            replace(
                problem, machine=ats, y=(problem.y == c).astype(int), n_classes=2, classes=(0, 1)
            )
        ).certificate
        for c in range(problem.d)
    ]
    same_value(
        mr.solve(problem),
        sum((Enclosure(Fraction(p.lower), Fraction(p.upper)) for p in parts), Enclosure(0, 0)),
        2,
    )


@given(problems(only(mr.MMR_ORTHO), kernels=linear, biases=("none", "penalized")))
def test_mmr_ortho_decouples_into_its_classes(same_value, problem):
    own = (np.flatnonzero(problem.y == c) for c in range(problem.d))
    parts = (
        binary_svm(
            problem.X[i], np.ones(len(i)), problem.costs[i], problem.machine.cost, problem.bias
        )
        for i in own
    )
    same_value(mr.solve(problem), sum(parts, Enclosure(0, 0)))


@given(problems(only(mr.MMR_ORTHO), kernels=linear, biases=("free",)))
def test_mmr_ortho_with_free_bias_is_trivial(same_value, problem):
    same_value(mr.solve(problem), Enclosure(0, 0))


@given(
    problems(
        st.builds(
            mr.Machine.with_cost,
            st.sampled_from(HALF + WHOLE),
            st.sampled_from(("linear", "quadratic")),
        ),
        kernels=linear,
        biases=("none", "penalized"),
        max_d=2,
    )
)
def test_two_classes_are_twice_the_binary_svm_at_its_own_c(same_value, problem):
    """w_0 = -w_1 = w, so ||W||^2 = 2||w||^2: optimum(C) = 2 binary(C/2), or 2 binary(C) where both components are paid."""
    share = 1 if problem.machine.name in {m.name for m in WHOLE} else 0.5
    sign = np.where(problem.y == 0, 1, -1)
    same_value(
        binary_svm(problem.X, sign, problem.costs * share, problem.machine.cost, problem.bias),
        mr.solve(problem),
        2,
    )


@given(problems(only(mr.WW), kernels=linear, max_d=2), st.sampled_from(REINFORCEMENTS))
def test_two_class_rm_is_ww_whatever_its_g(same_value, same_weights, problem, g):
    """Linear cost: g + (1-g) = 1. Quadratic: C (g^2 + (1-g)^2), exact in dyadics."""
    share = 1 if problem.machine.cost == "linear" else g**2 + (1 - g) ** 2
    a, b = (
        mr.solve(replace(problem, machine=mr.RM(g).with_cost(problem.machine.cost))),
        mr.solve(problem.with_C(problem.C * float(share))),
    )
    same_value(a, b)
    same_weights(a, b)


@given(problems(only(mr.WW), kernels=linear, max_d=2), st.sampled_from(HALF + WHOLE))
def test_two_class_machines_share_one_solution_for_every_bias(
    same_value, same_weights, problem, machine
):
    share = 0.5 if machine in WHOLE else 1.0
    other = replace(problem, machine=machine.with_cost(problem.machine.cost), C=problem.C * share)
    a, b = mr.solve(problem), mr.solve(other)
    same_value(a, b)
    same_weights(a, b)
