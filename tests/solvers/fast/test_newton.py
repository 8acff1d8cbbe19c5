"""Newton's directions: class by class against factored whole, where a slack is used up, a bias is free, a cost has a ridge."""

from __future__ import annotations

from itertools import count
from unittest.mock import patch

import numpy as np
import pytest

import msvm_ref as mr
from msvm_ref.judge.candidate import Candidate
from msvm_ref.judge.certify import judge
from msvm_ref.solvers.fast import newton
from msvm_ref.solvers.fast.standing import standing
from tests.small_problems import MACHINES
from tests.solvers.fast.test_barrier import COSTS, data, engine_of


def between(engine, machine) -> None:
    """Multipliers of which some are at their bounds, some inside, and some slacks used up."""
    random = np.random.default_rng(0)
    alpha = np.where(machine.mask[engine.y], random.random(engine.alpha.shape), 0.0)
    alpha *= random.random(alpha.shape) < 0.5
    used = np.where(random.random((len(alpha), 1)) < 0.4, 1.0, random.random((len(alpha), 1)))
    total = np.maximum(alpha.sum(axis=1, keepdims=True), 1e-9)
    alpha *= engine.cost[:, None] * used / (1.0 if machine.slack == newton.OWN else total)
    engine.restart(alpha, np.zeros(alpha.shape[1]))


@pytest.mark.parametrize("cost", COSTS)
@pytest.mark.parametrize("equality", [False, True])
@pytest.mark.parametrize("machine", MACHINES, ids=lambda machine: machine.name)
def test_class_by_class_leads_where_the_whole_leads(machine, equality, cost):
    X, y = data(40, 6, 4)
    weight = np.random.default_rng(1).uniform(0.5, 2, 40)
    bias = "free" if equality else "none"
    problem = mr.Problem(
        machine.with_cost(cost), X, y, C=3.0, kernel=mr.rbf(0.5), bias=bias, sample_weight=weight
    )
    engine, made = engine_of(problem)
    between(engine, made)
    at = newton.face(engine, made)
    assert len(at.i) > 5
    if made.slack != newton.OWN and made.capped and made.mask.sum() > 4:
        assert (at.ref >= 0).any()
    whole = newton._factored(engine, made, at, equality)
    apart = newton._by_classes(engine, made, at, equality)
    assert whole is not None and apart is not None  # noqa: PT018
    for one, other in zip(whole, apart, strict=True):
        np.testing.assert_allclose(other, one, rtol=1e-5, atol=1e-6 * abs(one).max(initial=1.0))


def test_a_face_too_large_to_be_factored_is_solved_class_by_class():
    X, y = data(100, 6, 4)
    problem = mr.Problem(mr.LLW, X, y, C=1e6, kernel=mr.rbf(0.5), bias="free")
    engine, made = engine_of(problem)
    between(engine, made)
    rising = count()
    with patch.object(newton, "FACTORED", 10):
        with patch.object(newton, "_conjugate") as first:
            newton.newton(engine, made, True, lambda alpha, effect: next(rising), surely=True)
            first.assert_not_called()
        assert engine.b0.any()  # the bias moves with a whole step
        with patch.object(newton, "_by_classes", wraps=newton._by_classes) as then:
            assert mr.solve(problem, "fast", tolerance=1e-11, one_by_one=True).converged
        assert then.called


def test_a_slack_that_is_used_up_costs_more():
    X, y = data(60, 6, 4)
    engine, made = engine_of(mr.Problem(mr.ATM, X, y, C=3.0, kernel=mr.rbf(0.5)))
    between(engine, made)
    used_up = newton._class_work(engine, made, newton.face(engine, made))
    engine.restart(engine.alpha * 0.9, engine.b0)
    assert newton._class_work(engine, made, newton.face(engine, made)) < used_up / 2


@pytest.mark.parametrize("cost", COSTS)
@pytest.mark.parametrize("machine", MACHINES, ids=lambda machine: machine.name)
def test_no_weights_at_all_are_an_upper_bound(machine, cost):
    """An ascent knows P(0), whatever its own W is worth: at a huge C the rounding of W = 0 costs more than its last digits."""
    X, y = data(40, 6, 4)
    weight = np.random.default_rng(1).uniform(0.5, 2, 40)
    problem = mr.Problem(machine.with_cost(cost), X, y, C=3.0, sample_weight=weight)
    engine, made = engine_of(problem)
    between(engine, made)
    engine.restart(engine.alpha / 100, engine.b0)
    judged = judge(problem, Candidate(W=np.zeros((6, 4)), b=np.zeros(4), alpha=engine.alpha))
    assert engine.nothing == pytest.approx(judged.upper, rel=1e-12)
    now = standing(engine, made, False)
    assert now.primal <= engine.nothing
    assert now.dual == pytest.approx(judged.lower, rel=1e-6)
