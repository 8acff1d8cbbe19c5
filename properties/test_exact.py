"""Laws of the exact optimum on drawn problems: proved, guess-independent, enclosed, scaling and permuting as it must."""

from fractions import Fraction

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import msvm_ref as mr
from msvm_ref.judge.candidate import Candidate
from msvm_ref.judge.exact import exact_optimum
from msvm_ref.judge.exact_check import check_exact
from msvm_ref.judge.rigorous import rigorous_bounds

many = settings(max_examples=2 * settings.default.max_examples)
MACHINES = [*mr.CATALOGUE, mr.RM(Fraction(1, 4)), mr.RM(0), mr.RM(1)]


@st.composite
def problems(draw):
    d, n, p = draw(st.integers(2, 4)), draw(st.integers(1, 5)), draw(st.integers(1, 2))
    number = st.integers(-4, 4).map(lambda v: v / 2)
    X = draw(st.lists(st.lists(number, min_size=p, max_size=p), min_size=n, max_size=n))
    y = draw(st.lists(st.integers(0, d - 1), min_size=n, max_size=n))
    weight = draw(st.none() | st.lists(st.sampled_from([0.0, 0.5, 1.0, 2.0]), min_size=n, max_size=n))
    machine = draw(st.sampled_from(MACHINES)).with_cost(draw(st.sampled_from(["linear", "quadratic"])))
    bias = draw(st.sampled_from(["none", "free", "penalized"]))
    return mr.Problem(machine, X, y, C=2.0 ** draw(st.integers(-6, 6)), bias=bias, sample_weight=weight, n_classes=d)


def zero(problem):
    return Candidate(np.zeros((problem.features.shape[1], problem.d)), np.zeros(problem.d), np.zeros((problem.n, problem.d)))


@given(problems())
@many
def test_proved_and_rigorously_enclosed(problem):
    best = exact_optimum(problem, zero(problem))
    assert check_exact(problem, best.value, best.W, best.b, best.alpha) == []
    floats = Candidate(*(np.array([[float(v) for v in row] for row in block]) for block in (best.W, (best.b,), best.alpha)))
    bounds = rigorous_bounds(problem, Candidate(floats.W, floats.b[0], floats.alpha))
    assert bounds.lower <= best.value <= bounds.upper


@given(problems(), st.randoms(use_true_random=False))
@many
def test_any_guess_finds_the_same_value_and_weights(problem, random):
    rng = np.random.default_rng(random.randint(0, 2**30))
    wild = Candidate(rng.normal(size=(problem.features.shape[1], problem.d)), rng.normal(size=problem.d),
                     rng.uniform(size=(problem.n, problem.d)))
    first, second = exact_optimum(problem, zero(problem)), exact_optimum(problem, wild)
    assert (first.value, first.W) == (second.value, second.W)


@given(problems())
@many
def test_doubling_every_example_is_doubling_C(problem):
    weight = problem.sample_weight
    twice = mr.Problem(problem.machine, np.repeat(problem.X, 2, axis=0), np.repeat(problem.y, 2), C=problem.C,
                       bias=problem.bias, n_classes=problem.d, sample_weight=None if weight is None else np.repeat(weight, 2))
    once = problem.with_C(2 * problem.C)
    assert exact_optimum(twice, zero(twice)).value == exact_optimum(once, zero(once)).value
