"""method="fast" is certified to 1e-8 and meets the truth's enclosure: any machine, bias, cost, kernel and drawn data."""

from unittest.mock import patch

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

import msvm_ref as mr
from msvm_ref.conformance.strategies import machines, problems, specs

COSTS = ("linear", "quadratic")
TOLERANCE = 1e-8


def any_machine(d):
    return st.one_of(machines(COSTS), specs(d, COSTS))


def fast(problem, max_iter=3000, **options):
    return mr.solve(problem, method="fast", tolerance=TOLERANCE, max_iter=max_iter, **options)


@given(problems(any_machine))
def test_certified_and_inside_the_truths_enclosure(problem):
    solution, truth = fast(problem), mr.solve(problem)
    assert solution.converged or not truth.converged, solution
    assert solution.certificate.lower <= truth.certificate.upper
    assert truth.certificate.lower <= solution.certificate.upper


@given(problems(any_machine), st.integers(0, 5))
def test_the_seed_changes_the_path_and_not_the_optimum(problem, seed):
    with patch("msvm_ref.solvers.fast.ascent.FEW", 0):  # visited one by one, in an order drawn
        one, other = fast(problem, 200), fast(problem, 200, seed=seed)
    assert one.certificate.lower <= other.certificate.upper
    assert other.certificate.lower <= one.certificate.upper


@given(problems(any_machine, kernels=(mr.linear,)))
def test_sparse_rows_are_the_same_problem(problem):
    thin = mr.Problem(
        problem.machine,
        sparse.csr_array(problem.X),
        problem.y,
        C=problem.C,
        bias=problem.bias,
        sample_weight=problem.sample_weight,
        n_classes=problem.d,
    )
    dense, stored = fast(problem, 200).certificate, fast(thin, 200).certificate
    assert dense.lower <= stored.upper
    assert stored.lower <= dense.upper
    assert np.isfinite(stored.relative_gap)
