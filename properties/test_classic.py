"""The papers' algorithms reach the truth's enclosure, each at its own tolerance, on drawn problems of the machines it takes."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import msvm_ref as mr
from msvm_ref.conformance.strategies import machines, problems, specs

ASKED = settings.default.max_examples
few = settings(max_examples=ASKED if ASKED >= 100 else max(ASKED // 2, 4))
BIASES = ("none", "penalized")
TOLERANCE = 1e-4


def own_slacks(costs):
    def any_of(d):
        return st.one_of(machines(costs), specs(d, costs)).filter(
            lambda m: m.aggregation.slack == "own"
        )

    return any_of


def tame(problem):
    """C k(x, x) governs how slowly one coordinate at a time converges; beyond this a budget may be spent, and is admitted."""
    return float(problem.costs.max() * (problem.features**2).sum(axis=1).max(initial=0.0)) <= 1e3


def solved(problem, method, tolerance=TOLERANCE, **options):
    """The solution, its enclosure compared with the truth's; an unspent budget must have met the tolerance."""
    solution, truth = mr.solve(problem, method, tolerance=tolerance, **options), mr.solve(problem)
    assert solution.certificate.lower <= truth.certificate.upper
    assert truth.certificate.lower <= solution.certificate.upper
    assert solution.converged or solution.attempts[-1].status in (
        "budget spent",
        "stalled at rounding level",
    )
    return solution


@few
@given(
    problems(own_slacks(("linear", "quadratic")), biases=BIASES, max_n=6),
    st.sampled_from(["m1-smo", "sor"]),
)
def test_coordinate_solvers(problem, method):
    assert solved(problem, method).converged or not tame(problem)


@few
@given(
    problems(
        machines(("quadratic",)).filter(lambda m: m.aggregation.slack == "own"),
        biases=BIASES,
        max_n=6,
    )
)
def test_nearest_points(problem):
    solved(problem, "m1-ksk", 1e-2, max_iterations=200_000)
    assert solved(problem, "nearest-point").converged or not tame(problem)


@few
@given(problems(st.just(mr.WW), biases=("penalized",), max_n=6), st.integers(1, 12))
def test_bsvm(problem, q):
    assert solved(problem, "bsvm", working_set=q).converged or not tame(problem)


@few
@given(
    problems(st.just(mr.CS), biases=BIASES, max_n=6), st.sampled_from(["sorting", "fixed-point"])
)
def test_cs_decomposition(problem, block):
    solution = solved(problem, "cs-decomposition", block=block)
    assert solution.converged or not tame(problem)
    assert (
        solution.certificate.upper - solution.certificate.lower
        <= solution.work["gap_bound"] + 1e-9 * solution.objective
    )


def test_the_file_s_tolerance_is_below_what_a_wrong_C_would_cost():
    """A mutant: the same problem at 1.01 C is told apart at this tolerance."""
    problem = mr.Problem(mr.WW, [[1.0], [-1.0], [0.5]], [0, 1, 0], C=1.0, bias="penalized")
    wrong = mr.solve(problem.with_C(1.01), "m1-smo", tolerance=TOLERANCE)
    with pytest.raises(AssertionError):
        assert wrong.certificate.lower <= mr.solve(problem).certificate.upper
