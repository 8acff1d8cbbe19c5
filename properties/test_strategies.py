"""The strategies themselves: what they draw is valid, the degenerate draws occur, and examples shrink to readable ones."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import Phase, find, given, settings
from hypothesis import strategies as st

import msvm_ref as mr
from msvm_ref.conformance.strategies import (
    AGGREGATIONS,
    candidates,
    data,
    machines,
    problems,
    recipe,
    specs,
)
from msvm_ref.judge.feasible import into_groups
from tests.small_problems import NIGHTLY

hunt = settings(max_examples=5000, database=None, derandomize=True)


def seen(strategy, condition):
    """Some draw that meets the condition, not shrunk."""
    return find(strategy, condition, settings=settings(hunt, phases=[Phase.generate]))


def contradicts(drawn):
    X, y, _ = drawn
    return any((X[i] == X[j]).all() and y[i] != y[j] for i in range(len(y)) for j in range(i))


DEGENERATE = {
    "contradictory duplicates": contradicts,
    "a single example": lambda drawn: len(drawn[1]) == 1,
    "an absent class": lambda drawn: len(drawn[1]) >= 4 and len(set(drawn[1])) < drawn[2],
    "every class present": lambda drawn: len(set(drawn[1])) == drawn[2] == 4,
    "a zero feature": lambda drawn: drawn[0].any() and (drawn[0] == 0).all(axis=0).any(),
    "a constant feature": lambda drawn: (
        ((drawn[0] == drawn[0][0]) & (drawn[0] != 0)).all(axis=0).any() and len(drawn[1]) > 2
    ),
    "collinear points": lambda drawn: (
        len(np.unique(drawn[0], axis=0)) > 3
        and drawn[0].shape[1] > 1
        and np.linalg.matrix_rank(drawn[0]) == 1
    ),
    "a dyadic value": lambda drawn: (drawn[0] % 1 != 0).any(),
    "a tie": lambda drawn: (
        len(drawn[1]) > 1 and len(np.unique(drawn[0])) < drawn[0].size and drawn[0].all()
    ),
}


@pytest.mark.parametrize("kind", DEGENERATE)
def test_degenerate_data_occur(kind):
    assert DEGENERATE[kind](seen(data(), DEGENERATE[kind]))


@given(data(min_n=2, max_n=5, max_p=2, max_d=3))
def test_data_keep_their_bounds(drawn):
    X, y, d = drawn
    assert 2 <= len(X) == len(y) <= 5
    assert X.shape[1] in (1, 2)
    assert d in (2, 3)
    assert set(y) <= set(range(d))
    assert (X * 16 % 1 == 0).all()


@given(st.integers(2, 4).flatmap(specs))
def test_specs_obey_definition_1(machine):
    d = machine.fixed_d
    nu = np.array(machine.nu(d))
    assert all(nu[y][c][c] >= 0 if c == y else nu[y][c][c] <= 0 for y in range(d) for c in range(d))
    assert nu[machine.aggregation.mask(d)].any()


@pytest.mark.parametrize("aggregation", AGGREGATIONS, ids=lambda a: a.name)
@pytest.mark.parametrize("sum_to_zero", [False, True])
def test_specs_reach_every_aggregation_and_flag(aggregation, sum_to_zero):
    seen(specs(2), lambda m: m.aggregation == aggregation and m.sum_to_zero is sum_to_zero)


@pytest.mark.parametrize(
    "machine", [*mr.CATALOGUE, *(mr.RM(Fraction(k, 4)) for k in range(5))], ids=lambda m: m.name
)
@pytest.mark.parametrize("cost", ["linear", "quadratic"])
def test_machines_reach_the_whole_catalogue(machine, cost):
    seen(machines(), lambda m: m == machine.with_cost(cost))


@pytest.mark.parametrize(
    "condition",
    [
        lambda p: p.bias == "free",
        lambda p: p.bias == "penalized",
        lambda p: not p.is_linear,
        lambda p: p.machine.name == "spec",
        lambda p: (p.costs == 0).any(),
        lambda p: p.costs.max() > p.costs.min() > 0,
    ],
    ids=["free bias", "penalized bias", "kernel", "spec", "zero weight", "weights"],
)
def test_problems_of_every_kind_occur(condition):
    seen(problems(), condition)


@given(problems())
def test_recipe_makes_the_problem(problem):
    made = eval(
        recipe(problem), {**{name: getattr(mr, name) for name in mr.__all__}, "F": Fraction}
    )
    assert made.machine == problem.machine
    assert recipe(made) == recipe(problem)
    assert (made.gram == problem.gram).all()


@given(problems().flatmap(lambda p: st.tuples(st.just(p), candidates(p))))
def test_candidates_fit_their_problem(drawn):
    problem, handed = drawn
    b = {} if problem.bias == "none" else {"b": handed.b}
    half = (
        {"W": handed.W, **b}
        if problem.is_linear
        else {"scores": problem.features @ handed.W + handed.b}
    )
    assert mr.certify(problem, alpha=handed.alpha, **half).upper >= 0


@pytest.mark.parametrize("feasible", [True, False])
def test_candidates_are_feasible_or_not(feasible):
    problem = mr.Problem(mr.WW, [[1.0], [2.0]], [0, 1])
    drawn = seen(
        candidates(problem),
        lambda c: c.alpha.any() and (into_groups(problem, c.alpha) == c.alpha).all() == feasible,
    )
    assert drawn.W.shape == (1, 2)


@pytest.mark.skipif(not NIGHTLY, reason="nightly: a few thousand draws")
def test_problems_shrink_to_a_readable_one():
    smallest = find(
        problems(max_n=2, max_p=1, max_d=2), lambda p: p.n >= 2 and p.bias == "free", settings=hunt
    )
    assert recipe(smallest) == (
        "Problem(machine_named('WW').with_cost('linear'), X=[[0.0], [0.0]], y=[0, 0], C=1.0, "
        "kernel=linear, bias='free', n_classes=2)"
    )
