"""Kesler's construction against the truth, for every machine: as a route, and as a kernel that a single-class solver sees."""

import numpy as np
from hypothesis import given

import msvm_ref as mr
from msvm_ref.conformance.strategies import any_machine, problems
from msvm_ref.solvers.classic.kesler import KeslerKernel


@given(problems(any_machine))
def test_the_route_meets_the_truth(problem):
    kesler, truth = mr.solve(problem, "kesler"), mr.solve(problem)
    a, b = kesler.certificate, truth.certificate
    assert kesler.converged or not truth.converged, kesler
    assert max(a.lower, b.lower) <= min(a.upper, b.upper)
    assert a.relative_gap <= 1e-8


@given(problems(any_machine, biases=("none", "penalized")))
def test_the_truths_multipliers_are_optimal_for_the_kernel(problem):
    """max sum gamma a - 1/2 a'k'a [- sum s^2/(4 C)], s the sums of the slack groups, 0 <= s [<= C]: the value is the optimum,
    and the best linear step from there gains next to nothing.
    """
    truth, kernel = mr.solve(problem), KeslerKernel.of(problem)
    i, p = kernel.pairs.T
    spec, cost = problem.spec, problem.costs[i]
    alpha, gamma = truth.alpha[i, p], spec.gamma[problem.y[i], p]
    group = i if spec.shared else np.arange(len(i))
    member = group[:, None] == np.unique(group)[None]
    sums, most = alpha @ member, np.array([cost[group == g][0] for g in np.unique(group)])
    gradient = gamma - kernel.gram() @ alpha
    value = gamma @ alpha - alpha @ kernel.gram() @ alpha / 2
    if spec.quadratic:
        value -= (sums**2 / (4 * most)).sum()
        gradient = gradient - member @ (sums / (2 * most))
    scale = 1 + truth.objective
    assert truth.certificate.lower - 1e-9 * scale <= value <= truth.certificate.upper + 1e-9 * scale
    best = np.array([gradient[group == g].max() for g in np.unique(group)])
    if spec.quadratic:  # no bound: complementary, and nothing to gain beyond
        assert (best * np.maximum(most, 1.0)).max(initial=0.0) <= 1e-3 * scale
        room = -(gradient @ alpha)
    else:
        room = np.maximum(best, 0.0) @ most - gradient @ alpha
    assert abs(room) <= 1e-5 * scale
