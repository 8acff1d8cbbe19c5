"""A barrier over what is not settled: whom it takes, that it leaves the others alone, and that the optimum is the same."""

from __future__ import annotations

import numpy as np
import pytest

import msvm_ref as mr
from msvm_ref.errors import DataError
from msvm_ref.model.loss import clipped
from msvm_ref.solvers.fast import ascent as driver
from msvm_ref.solvers.fast import barrier, barriers
from msvm_ref.solvers.fast import interior as finish
from msvm_ref.solvers.fast import unsettled as selection
from msvm_ref.solvers.fast.aim import Aim
from msvm_ref.solvers.fast.blocks import OWN
from msvm_ref.solvers.fast.components import Components
from msvm_ref.solvers.fast.face import gradient
from msvm_ref.solvers.fast.interior import Route, route
from msvm_ref.solvers.fast.schedule import AGAIN, Schedule
from msvm_ref.solvers.fast.systems import DenseSystem
from msvm_ref.solvers.fast.unsettled import unsettled
from msvm_ref.solvers.workspace import Workspace
from tests.small_problems import MACHINES, label, table
from tests.solvers.fast.test_barrier import COSTS, data, engine_of


def ascent_of(problem: mr.Problem, tolerance: float = 1e-6, start=None) -> driver.BlockAscent:
    return driver.BlockAscent(
        problem,
        Aim(tolerance),
        1000,
        np.inf,
        0,
        100.0,
        None,
        start,
        Workspace(),
        None,
        one_by_one=True,
    )


@pytest.mark.parametrize("cost", COSTS)
@pytest.mark.parametrize("machine", MACHINES, ids=lambda machine: machine.name)
def test_who_is_left_out_is_held_at_a_bound(machine, cost, monkeypatch):
    """Not one that is left out would gain by a move of its own, but for its part of the share."""
    monkeypatch.setattr(selection, "MORE", 0)
    X, y = data(60, 3, 4)
    problem = mr.Problem(machine.with_cost(cost), X, y, C=2.0, kernel=mr.rbf(0.3))
    solution = mr.solve(problem, method="fast", tolerance=1e-10)
    engine, made = engine_of(problem)
    random = np.random.default_rng(0)
    noise = np.where(random.random(solution.alpha.shape) < 0.2, random.random(), 1.0)
    for alpha in (solution.alpha, clipped(problem, solution.alpha * noise)):
        engine.restart(alpha, engine.b0)
        counted, share = made.mask[y], 1e-4
        taken, each = unsettled(engine, made, share), share / counted.sum()
        assert not (taken & ~counted).any()
        out = counted & ~taken
        assert out.any() or not made.capped
        g, room = gradient(engine, made, engine.scores), 2.0 - engine.alpha
        if made.slack != OWN:
            room = np.broadcast_to(room.sum(axis=1, keepdims=True) - 2.0 * (problem.d - 1), g.shape)
            left = out.any(axis=1) & ~taken.any(axis=1) & (engine.alpha.sum(axis=1) > each)
            price = np.where(counted, g, -np.inf).max(axis=1)
            assert (price[left] > 0).all()
            assert (engine.alpha[taken.any(axis=1)][~taken[taken.any(axis=1)]] == 0).all()
        assert (engine.alpha[out & (g < 0)] * -g[out & (g < 0)] <= each).all()
        rises = out & (g > 0) & (made.slack == OWN)
        assert made.capped or not rises.any()
        assert (room[rises] * g[rises] <= each).all()


@pytest.mark.parametrize(
    ("machine", "bias", "cost"), table((MACHINES,), (("none", "free"), COSTS)), ids=label
)
def test_a_barrier_without_the_settled_finds_the_same_optimum(machine, bias, cost, monkeypatch):
    monkeypatch.setattr(selection, "MORE", 5)
    X, y = data(80, 3, 4)
    problem = mr.Problem(
        machine.with_cost(cost), X, y, C=30.0, kernel=mr.rbf(0.05), bias=bias, n_classes=4
    )
    truth = mr.solve(problem, method="fast", tolerance=1e-9).certificate
    ascent, sizes, told = ascent_of(problem), [], finish.interior

    def watched(engine, machine, equality, tolerance, late, way, worth):
        before = engine.alpha.copy()
        face = told(engine, machine, equality, tolerance, late, way, worth)
        if way.taken is not None:
            sizes.append(int(way.taken.sum()))
            assert (engine.alpha[~way.taken] == before[~way.taken]).all()
            assert (face[~way.taken] == before[~way.taken]).all()
        return face

    def only(engine, machine, share, surely):
        if share is None:
            return route(engine, machine, share, surely)
        return Route("whole", True, 1.0, unsettled(engine, machine, share))

    for name, value in (("interior", watched), ("route", only), ("FELL", 10.0), ("SHORT", 20)):
        monkeypatch.setattr(barriers, name, value)
    ascent._state()
    for _ in range(20):
        ascent._pass()
    ascent._state()
    ascent._interior()
    assert min(sizes) < machine_size(ascent) or not ascent.machine.capped
    if bias == "none":
        assert ascent._state().dual <= truth.upper * (1 + 1e-12)
        assert ascent._state().dual >= truth.lower * (1 - 2e-6)


def machine_size(ascent: driver.BlockAscent) -> int:
    return int(ascent.machine.mask[ascent.engine.y].sum())


@pytest.mark.parametrize("machine", [mr.CS, mr.WW, mr.ATM], ids=lambda machine: machine.name)
def test_the_system_of_some_components_is_a_part_of_that_of_all(machine):
    X, y = data(30, 3, 4)
    problem = mr.Problem(machine.with_cost("huber"), X, y, C=3.0, kernel=mr.rbf(0.3))
    engine, made = engine_of(problem)
    random, everyone = np.random.default_rng(0), np.arange(30)
    taken = made.mask[y] & (random.random((30, 4)) < 0.5)
    chosen = np.flatnonzero(taken.any(axis=1))
    all_parts, parts = (Components(engine, made, everyone), Components(engine, made, chosen, taken))
    whole, some = DenseSystem(engine, all_parts), DenseSystem(engine, parts)
    inside = taken[all_parts.example, all_parts.component]
    scale = (parts.unit / all_parts.unit) ** 2
    np.testing.assert_allclose(some.H, whole.H[np.ix_(inside, inside)] * scale, rtol=1e-12)
    diagonal, push = random.random(len(parts.example)), random.random(len(parts.room))
    assert some.factor(diagonal, push)
    group = parts.group
    M = some.H + np.diag(diagonal) + np.where(group[:, None] == group, push[group], 0.0)
    right = random.normal(size=len(M))
    np.testing.assert_allclose(M @ some.solve(right, True), right, rtol=1e-9, atol=1e-9)


def test_a_barrier_that_gets_no_nearer_ends(monkeypatch):
    """Its directions are rounding then: slacks would shrink until they overflow."""
    X, y = data(40, 3, 3)
    engine, machine = engine_of(mr.Problem(mr.CS, X, y, kernel=mr.rbf(0.3)))
    engine.survey()
    factored = []

    class Useless(DenseSystem):
        def factor(self, diagonal, push):
            factored.append(True)
            return super().factor(diagonal, push)

        def solve(self, right, refined):
            return -1e-9 * super().solve(right, refined)

    monkeypatch.setattr(finish, "DenseSystem", Useless)
    finish.interior(engine, machine, False, 1e-9)
    assert len(factored) <= 2 * barrier.IN_VAIN


def test_a_barrier_that_leads_away_is_forgotten(monkeypatch):
    X, y = data(40, 3, 3)
    ascent = ascent_of(mr.Problem(mr.CS, X, y, kernel=mr.rbf(0.3)))
    ascent._state()
    for _ in range(20):
        ascent._pass()
    before = ascent._state().dual
    assert before > 0

    def lost(engine, machine, equality, tolerance, late, way, worth):
        engine.restart(np.zeros_like(engine.alpha), engine.b0)
        return engine.alpha

    monkeypatch.setattr(barriers, "interior", lost)
    monkeypatch.setattr(barriers, "POLISHES", 0)
    ascent._interior()
    assert ascent._state().dual == pytest.approx(before, rel=1e-12)


def test_many_classes_of_a_kernel_nearly_singular_at_a_large_C():
    """Class by class a barrier loses its digits here; once it has, others are asked (this ended at 7e-4, with overflows)."""
    random = np.random.default_rng(3)
    X = random.normal(size=(160, 2)) @ random.normal(size=(2, 7)) + 0.1 * random.normal(
        size=(160, 7)
    )
    y = np.clip(np.round(4 * X[:, 0] + 2 * random.normal(size=160) + 12), 0, 24).astype(int)
    problem = mr.Problem(mr.CS, X, y, C=4096.0, kernel=mr.rbf(2.0**-12), n_classes=25)
    with np.errstate(over="raise", invalid="raise"):
        solution = mr.solve(problem, method="fast", tolerance=1e-4, max_iter=3000)
    assert solution.converged


def test_class_by_class_is_not_asked_again_where_it_fell_short(monkeypatch):
    X, y = data(120, 3, 8)
    ascent = ascent_of(mr.Problem(mr.CS, X, y, C=100.0, kernel=mr.rbf(10.0)))
    ascent.barriers.short = barriers.SHORT  # nothing is left out any more
    assert ascent.barriers.way(1e-6).system == "classes"
    monkeypatch.setattr(barriers, "interior", lambda engine, *_: engine.alpha.copy())
    ascent._interior()
    assert ascent.barriers.way(1e-6).system == "whole"


def test_barriers_that_leave_out_too_much_leave_nothing_out(monkeypatch):
    monkeypatch.setattr(selection, "MORE", 0)
    X, y = data(60, 3, 3)
    ascent = ascent_of(mr.Problem(mr.WW, X, y, C=100.0, kernel=mr.rbf(0.3)))
    ascent._state()
    for _ in range(20):
        ascent._pass()
    assert ascent.barriers.way(1e-6).taken is not None
    monkeypatch.setattr(barriers, "interior", lambda engine, *_: engine.alpha.copy())
    ascent._interior()
    assert ascent.barriers.way(1e-6).taken is None


def test_a_schedule_asks_again_what_a_barrier_would_be():
    asked = []

    def again() -> Route:
        asked.append(plan.passing)
        return Route("whole", True, 1.0)

    plan = Schedule(1e-4, 3, Route("whole", True, 1e9), again=again)
    for _ in range(100):
        plan.note(True, 1e5, 0.5)
    assert plan.barrier.work == 1.0
    assert (np.diff(asked) >= (AGAIN - 1) * np.array(asked[:-1])).all()
    assert len(asked) < 30


@pytest.mark.parametrize("bias", ["none", "free"])
@pytest.mark.parametrize("C", [0.01, 1.0, 100.0])
def test_a_start_from_a_smaller_C_is_as_long_as_the_dual_likes(C, bias):
    X, y = data(60, 3, 3)
    problem = mr.Problem(mr.WW, X, y, C=C, kernel=mr.rbf(0.3), bias=bias)
    last = mr.solve(problem, method="fast", tolerance=1e-4)
    after = problem.with_C(8 * C)
    ascent = ascent_of(after, start=last)
    dual = ascent._state().dual
    for length in (1.0, 2.0, 4.0, 8.0):
        other = ascent_of(after)
        other.engine.restart(
            clipped(after, last.alpha * length), last.b if bias == "free" else other.engine.b0
        )
        assert dual >= other._state().dual * (1 - 1e-2) - 1e-9


@pytest.mark.parametrize("bias", ["none", "free"])
def test_the_optimum_of_another_C_is_only_judged_where_no_multiplier_is_at_its_bound(bias):
    X, y = data(60, 3, 3)
    problem = mr.Problem(mr.WW, X, y, C=1e4, kernel=mr.rbf(3.0), bias=bias)
    last = mr.solve(problem, method="fast", tolerance=1e-6)
    assert last.alpha.max() < 0.5 * problem.C
    after = mr.solve(problem.with_C(8e4), method="fast", tolerance=1e-5, start=last)
    assert after.converged
    assert (after.work["passes"], after.work["interior"]) == (0, 0)
    wrong = mr.solve(problem.with_C(1.0), method="fast", tolerance=1e-5, start=last)
    assert wrong.converged
    assert wrong.work["passes"] + wrong.work["interior"] > 0


def test_one_by_one_is_a_yes_or_a_no():
    X, y = data(30, 3, 3)
    problem = mr.Problem(mr.WW, X, y, kernel=mr.rbf(0.3))
    with pytest.raises(DataError, match="one_by_one"):
        mr.solve(problem, method="fast", one_by_one=1)
    assert ascent_of(problem).engine.momentum is None
    solution = mr.solve(problem, method="fast", tolerance=1e-6, one_by_one=True)
    again = mr.solve(problem, method="fast", tolerance=1e-6, one_by_one=True)
    assert solution.converged
    assert solution.work["steps"] > 0  # steps together are not counted
    assert (solution.alpha == again.alpha).all()


def test_the_share_that_may_be_held_shrinks_with_the_tolerance():
    X, y = data(60, 3, 3)
    problem = mr.Problem(mr.WW, X, y, C=10.0, kernel=mr.rbf(0.3))
    engine, made = engine_of(problem)
    solution = mr.solve(problem, method="fast", tolerance=1e-4)
    near = clipped(problem, solution.alpha * (1 - 1e-6))  # a hair off every upper bound
    engine.restart(near, engine.b0)
    sizes = [int(route(engine, made, share).taken.sum()) for share in (1.0, 1e-12)]
    assert sizes[0] < sizes[1]
