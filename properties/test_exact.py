"""Laws of the exact optimum on drawn problems: proved by two checkers, guess-independent, enclosed, scaling as it must."""

from fractions import Fraction

import numpy as np
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import msvm_ref as mr
from msvm_ref.conformance.strategies import problems
from msvm_ref.conformance.vectors_build import machine_json
from msvm_ref.conformance.verifier import bias, values
from msvm_ref.exact.bias import bias_interval
from msvm_ref.exact.check import check_exact
from msvm_ref.exact.optimum import prove_optimum
from msvm_ref.exact.rigorous import rigorous_bounds
from msvm_ref.judge.candidate import Candidate

many = settings(max_examples=2 * settings.default.max_examples)
drawn = problems(kernels=(mr.linear,), max_n=5, max_p=2)


def zero(problem):
    return Candidate(
        np.zeros((problem.features.shape[1], problem.d)),
        np.zeros(problem.d),
        np.zeros((problem.n, problem.d)),
    )


@many
@given(drawn)
def test_proved_and_rigorously_enclosed(problem):
    best = prove_optimum(problem, zero(problem))
    assert check_exact(problem, best.value, best.W, best.b, best.alpha) == []
    W, b, alpha = (
        np.array([[float(v) for v in row] for row in block])
        for block in (best.W, (best.b,), best.alpha)
    )
    bounds = rigorous_bounds(problem, Candidate(W, b[0], alpha))
    assert bounds.lower <= best.value <= bounds.upper


@many
@given(drawn)
def test_the_vectors_verifier_proves_it_too_and_finds_the_same_range_of_b(problem):
    """The standard library's checker and linear program share no line with the judge's; vectors have no Huber hinge."""
    assume(not problem.machine.cost.startswith("huber"))
    best = prove_optimum(problem, zero(problem))
    exactly = values.texts([[Fraction(v) for v in row] for row in problem.X.tolist()])
    stated = values.stated(
        {
            "machine": machine_json(problem.machine, problem.d),
            "cost": problem.machine.cost,
            "bias": problem.bias,
            "C": "1",
            "sample_weight": [str(Fraction(v)) for v in problem.costs.tolist()],
            "X": exactly,
            "y": problem.y.tolist(),
        }
    )
    W, b, alpha = [list(row) for row in best.W], list(best.b), [list(row) for row in best.alpha]
    assert values.unproved(stated, {"W": W, "b": b, "alpha": alpha}) == []
    assert values.primal_value(stated, W, b) == best.value
    assert bias.bias_interval(stated, W, b, alpha) == [list(ends) for ends in bias_interval(best)]


@many
@given(drawn, st.randoms(use_true_random=False))
def test_any_guess_finds_the_same_value_and_weights(problem, random):
    rng = np.random.default_rng(random.randint(0, 2**30))
    wild = Candidate(
        rng.normal(size=(problem.features.shape[1], problem.d)),
        rng.normal(size=problem.d),
        rng.uniform(size=(problem.n, problem.d)),
    )
    first, second = prove_optimum(problem, zero(problem)), prove_optimum(problem, wild)
    assert (first.value, first.W) == (second.value, second.W)


@many
@given(drawn)
def test_doubling_every_example_is_doubling_C(problem):
    weight = problem.sample_weight
    twice = mr.Problem(
        problem.machine,
        np.repeat(problem.X, 2, axis=0),
        np.repeat(problem.y, 2),
        C=problem.C,
        bias=problem.bias,
        n_classes=problem.d,
        sample_weight=None if weight is None else np.repeat(weight, 2),
    )
    once = problem.with_C(2 * problem.C)
    assert prove_optimum(twice, zero(twice)).value == prove_optimum(once, zero(once)).value
