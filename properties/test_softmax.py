"""Softmax problems: gradient methods and cones agree within their certificates; the softmax lies between maximum and sum."""

import math
from itertools import pairwise

import numpy as np
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import msvm_ref as mr
from msvm_ref.conformance.strategies import data, matrices

ASKED = settings.default.max_examples
few = settings(max_examples=ASKED if ASKED >= 100 else max(ASKED // 2, 4))


@st.composite
def softmax_problems(draw, losses=("logistic", "hinge"), gammas=(1.0, 0.0, 2.0, 4.0)):
    X, y, d = draw(data(max_n=6))
    bias = draw(st.sampled_from(("none", "penalized", "free")))
    assume(bias != "free" or len(set(y.tolist())) == d)
    root = draw(matrices(d, d))
    return mr.softmax.SoftmaxProblem(
        X,
        y,
        draw(st.sampled_from((1.0, 0.125, 8.0))),
        draw(st.sampled_from(gammas)),
        draw(st.sampled_from(losses)),
        label_kernel=draw(st.sampled_from((None, root @ root.T))),
        bias=bias,
        n_classes=d,
        printed=draw(st.booleans()),
    )


@few
@given(softmax_problems(losses=("logistic",)), st.sampled_from(["cg", "lbfgs"]))
def test_descent_meets_the_cones(problem, method):
    descended, truth = (
        mr.softmax.solve_softmax(problem, method, 1e-4),
        mr.softmax.solve_softmax(problem, "cones", 1e-4),
    )
    assert descended.converged
    assert truth.converged
    assert descended.certificate.lower <= truth.certificate.upper
    assert truth.certificate.lower <= descended.certificate.upper


@few
@given(softmax_problems(gammas=(1.0,)), st.integers(0, 2**32 - 1))
def test_values_fall_with_gamma_at_any_point(problem, seed):
    rng = np.random.default_rng(seed)
    V, b = (
        rng.normal(size=problem.zeros()[0].shape),
        rng.normal(size=problem.d) * (problem.bias != "none"),
    )
    values = [float(problem.with_gamma(g).value(V, b)) for g in (0.0, 0.1, 1.0, 10.0, math.inf)]
    assert all(later <= earlier * (1 + 1e-12) for earlier, later in pairwise(values))


@few
@given(softmax_problems(losses=("hinge",), gammas=(0.0, math.inf)))
def test_hinge_limits_are_certified(problem):
    assert mr.softmax.solve_softmax(problem, tolerance=1e-5).converged
