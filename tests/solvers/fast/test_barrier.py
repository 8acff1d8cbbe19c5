"""The barrier's systems against each other, its routes, and the face it hands to Newton."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import msvm_ref as mr
from msvm_ref.solvers.fast import ascent as driver
from msvm_ref.solvers.fast import interior as finish
from msvm_ref.solvers.fast.aim import Aim
from msvm_ref.solvers.fast.barrier import Barrier
from msvm_ref.solvers.fast.blocks import blocks
from msvm_ref.solvers.fast.class_features import ClassFeatures
from msvm_ref.solvers.fast.class_system import ClassSystem
from msvm_ref.solvers.fast.components import Components, apart
from msvm_ref.solvers.fast.engines import engine_for
from msvm_ref.solvers.fast.feature_system import ByWeights, FeatureSystem
from msvm_ref.solvers.fast.interior import Route, route
from msvm_ref.solvers.fast.schedule import Schedule
from msvm_ref.solvers.fast.standing import standing
from msvm_ref.solvers.fast.systems import DenseSystem
from msvm_ref.solvers.workspace import Workspace
from tests.small_problems import MACHINES

FEW_STEPS, MOST_STEPS = 26, 30
COSTS = ("linear", "quadratic", "huber")


def data(n: int, p: int, d: int) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(n + p + d)
    y = random.integers(d, size=n)
    y[:d] = range(d)
    return random.normal(size=(n, p)) + 0.5 * random.normal(size=(d, p))[y], y


def engine_of(problem: mr.Problem):
    machine = blocks(problem)
    return engine_for(problem, machine, 100.0, Workspace(), 0.0), machine


@pytest.mark.parametrize("cost", COSTS)
@pytest.mark.parametrize("bias", ["none", "penalized"])
@pytest.mark.parametrize("machine", MACHINES, ids=lambda machine: machine.name)
def test_class_by_class_and_by_features_solve_what_is_factored_whole(machine, bias, cost):
    X, y = data(24, 1, 4)
    weight = np.random.default_rng(1).uniform(0.5, 2, 24)
    problem = mr.Problem(
        machine.with_cost(cost),
        X,
        y,
        C=3.0,
        kernel=mr.rbf(0.001),
        bias=bias,
        n_classes=4,
        sample_weight=weight,
    )
    engine, made = engine_of(problem)
    parts = Components(engine, made, np.arange(2, 24))
    whole = DenseSystem(engine, parts)
    random = np.random.default_rng(0)
    x = random.normal(size=len(parts.example))
    diagonal = 10 ** random.uniform(-3, 3, len(x))
    push = 10 ** random.uniform(-3, 3, len(parts.room)) if made.capped else None
    right = random.normal(size=len(x)) * diagonal
    assert whole.factor(diagonal, push)
    assert engine.width
    others = [ClassSystem(engine, made, parts), FeatureSystem(engine, parts)]
    if apart(made):
        others.append(ClassFeatures(engine, made, parts))
    for other in others:
        np.testing.assert_allclose(
            other.felt(x, other.effect(x)), whole.effect(x), rtol=1e-9, atol=1e-9
        )
        assert other.factor(diagonal, push)
        if made.pull and isinstance(other, ByWeights):  # what all classes share is rounding
            shared = other.felt(x, other.effect(x) + random.normal(size=(other.X.shape[1], 1)))
            np.testing.assert_allclose(shared, whole.effect(x), rtol=1e-9, atol=1e-9)
        missing = other.effect(random.normal(size=len(x)))
        solved = whole.step(right, other.felt(0.0 * x, missing), True)[0]
        # the Gram's rank is a third of its order: unrefined, class by class loses more than half of the digits;
        # enough for a predictor, and refinement finds them all; by the weights nothing is lost
        for refined, near in ((False, 1e-4), (True, 1e-12)):
            dx, dT = other.step(right, missing, refined)
            gap = dx - solved
            assert np.sqrt((diagonal * gap**2).sum() / (diagonal * solved**2).sum()) < near
        np.testing.assert_allclose(dT, other.effect(dx) + missing, rtol=1e-9, atol=1e-9)
        assert not other.rough


def test_the_cheapest_route():
    """Whole where little is to be factored, class by class where classes are many, by features where the rank is low."""

    def taken(n, d, gamma):
        X, y = data(n, 3, d)
        return route(*engine_of(mr.Problem(mr.WW, X, y, kernel=mr.rbf(gamma)))).system

    assert taken(60, 3, 10.0) == "whole"
    # class by class or through two features would be cheap, but not to hold
    X, y = data(300, 2, 300)
    for kernel in (mr.rbf(10.0), mr.linear):
        assert not route(*engine_of(mr.Problem(mr.WW, X, y, kernel=kernel))).everything
    assert taken(200, 8, 10.0) == "classes"
    assert taken(200, 8, 1e-3) == "features"


@pytest.mark.parametrize("name", ["WW", "CS", "OVA", "LLW", "AMO", "ATM", "ATS", "MMR"])
@pytest.mark.parametrize("gamma", [2.0**-12, 2.0**-6])
def test_large_C_of_kernels_nearly_singular(name, gamma):
    """Passes alone took tens of thousands, and did not get there."""
    X, y = data(80, 4, 4)
    problem = mr.Problem(getattr(mr, name), X, y, C=2.0**16, kernel=mr.rbf(gamma))
    solution = mr.solve(problem, method="fast", tolerance=1e-5, max_iter=3000)
    assert solution.converged


@pytest.mark.parametrize("name", ["WW", "CS", "OVA"])
def test_the_last_digits_at_a_large_C(name):
    """The barrier ends near 1e-7 with every multiplier inside its bounds; the digits come from its face."""
    X, y = data(500, 8, 4)
    problem = mr.Problem(getattr(mr, name), X, y, C=1e5)
    solution = mr.solve(problem, method="fast", tolerance=1e-9, max_iter=500)
    assert solution.converged
    assert solution.work["interior"] == 1


def test_the_face_of_a_barrier_that_stops_early():
    """All multipliers are inside their bounds; on the face as few as there are weights, and Newton finds the optimum there."""
    X, y = data(200, 3, 3)
    problem = mr.Problem(mr.OVA, X, y, C=10.0)
    engine, machine = engine_of(problem)
    engine.survey()
    face = finish.interior(engine, machine, False, 1e-6)
    inside = lambda alpha: int(((alpha > 0) & (alpha < 10.0 * (1 - 1e-12))).sum())  # noqa: E731
    assert inside(engine.alpha) == 600
    assert inside(face) <= 3 * 3 + 3


def steps_of(monkeypatch, problem, tolerance) -> list[np.ndarray]:
    """The products of each lane before the steps of one barrier from the start."""
    made, factor = [], Barrier._factor

    def watched(self, at):
        made.append(self._by_lane(at.inside * at.push))
        return factor(self, at)

    monkeypatch.setattr(Barrier, "_factor", watched)
    engine, machine = engine_of(problem)
    engine.survey()
    finish.interior(engine, machine, False, tolerance)
    assert mr.certify(problem, alpha=engine.alpha).relative_gap <= tolerance
    return made


@pytest.mark.parametrize("machine", [mr.OVA, mr.WW, mr.CS, mr.LLW])
def test_few_steps_whatever_C(machine, monkeypatch):
    """With weights bound to the multipliers the middle of the bounds is far away, the more so the larger they are."""
    X, y = data(300, 5, 5)
    steps = [
        len(steps_of(monkeypatch, mr.Problem(machine, X, y, C=C), 1e-4)) for C in (1.0, 1e3, 1e6)
    ]
    assert (
        max(steps) <= FEW_STEPS
    )  # to what is wanted of its own dual value: to the last digits CS takes 28


@pytest.mark.parametrize(("machine", "C"), [(mr.OVA, 2e5), (mr.WW, 2e5), (mr.AMO, 1e3)])
def test_weights_may_miss_what_the_multipliers_make(machine, C, monkeypatch):
    """With an offset the middle's weights are far from the optimum's, and bound to it a barrier ends where it began."""
    X, y = data(300, 5, 5)
    assert len(steps_of(monkeypatch, mr.Problem(machine, X + 30.0, y, C=C), 1e-4)) <= MOST_STEPS


def test_a_class_that_is_done_waits_for_the_others(monkeypatch):
    """Its products would fall to 1e-20 of theirs, and its weights lose their digits (OVA on red wine, C = 4096)."""
    X, y = data(300, 5, 5)
    X[:, 0] += 20.0 * (y == 0)
    steps = steps_of(monkeypatch, mr.Problem(mr.OVA, X, y, C=1e3), 1e-6)
    assert len(steps) <= MOST_STEPS
    assert 10 * steps[-1].min() < steps[-1].max() < 1e5 * steps[-1].min()


def test_a_barrier_ends_by_the_gap_of_its_multipliers():
    """Tiny weights of large multipliers: what the weights miss costs C times as much as these multipliers say."""
    X, y = data(34, 5, 3)
    problem = mr.Problem(mr.WW, 1e5 * X, y, C=100.0)
    solution = mr.solve(problem, "fast", tolerance=1e-3, max_iter=100)
    assert solution.converged
    assert solution.work["interior"] == 1


@pytest.mark.parametrize("cost", COSTS)
@pytest.mark.parametrize("machine", MACHINES, ids=lambda machine: machine.name)
def test_a_barrier_knows_its_gap_and_its_value(machine, cost):
    """Where classes are far apart every margin is more than met, and no slack is worth anything."""
    X, y = data(40, 3, 4)
    X += 10.0 * np.random.default_rng(0).normal(size=(4, 3))[y]
    engine, made = engine_of(mr.Problem(machine.with_cost(cost), X, y, C=7.0, bias="penalized"))
    begun = np.random.default_rng(1).uniform(0, 1, engine.alpha.shape) * made.mask[y]
    engine.restart(begun, engine.b0)
    before = standing(engine, made, False)
    parts = Components(engine, made, np.arange(40))
    barrier = Barrier(engine, made, parts, DenseSystem(engine, parts), None, False)
    at = barrier._middle()
    at = replace(at, push=0.0 * at.push)  # else their products may be more than the gap
    worst, dual = barrier._worst(at, barrier._left(at))
    engine.restart(parts.table(at.inside[: barrier.n]) * parts.unit, engine.b0)
    loss, gain, inner, _ = engine.survey()
    assert worst == pytest.approx(inner + loss - gain)
    assert before.dual + dual - barrier.begun == pytest.approx(gain - inner / 2)


def test_a_class_without_examples_has_no_gram():
    X, y = data(40, 12, 3)
    problem = mr.Problem(mr.WW, X, y, C=10.0, n_classes=5)
    engine, made = engine_of(problem)
    parts = Components(engine, made, np.arange(40))
    whole, other = DenseSystem(engine, parts), FeatureSystem(engine, parts)
    random = np.random.default_rng(0)
    diagonal, push, right = random.uniform(0.1, 1, (3, len(parts.example)))
    assert whole.factor(diagonal, push)
    assert other.factor(diagonal, push)
    solved = whole.step(right, None, True)[0]
    np.testing.assert_allclose(other.step(right, None, True)[0], solved, rtol=1e-9)


@pytest.mark.parametrize("machine", [mr.AMO, mr.ATM.with_cost("huber")])
def test_a_system_that_rounding_made_indefinite(machine):
    X, y = data(300, 40, 4)
    X[:, ::2] *= 10.0
    problem = mr.Problem(machine, X, y, C=1e5, bias="penalized")
    engine, made = engine_of(problem)
    engine.survey()
    finish.interior(engine, made, False, 1e-4)
    assert mr.certify(problem, alpha=engine.alpha).relative_gap <= 1e-4


@pytest.mark.parametrize("machine", [mr.OVA, mr.ATS], ids=lambda m: m.name)
def test_a_class_that_rounding_made_indefinite(machine):
    """Three examples weigh 1e20 times as much as the others: what is left of the other directions is noise."""
    X, y = data(60, 16, 3)
    engine, made = engine_of(mr.Problem(machine, X, y))
    parts = Components(engine, made, np.arange(60))
    system = ClassFeatures(engine, made, parts)
    diagonal = np.where(parts.example < 3, 1e-20, 1.0)
    assert system.factor(diagonal, None)
    right = np.random.default_rng(0).normal(size=len(diagonal))
    step, _ = system.step(right, None, True)
    assert np.isfinite(step).all()


@pytest.mark.parametrize("p", [2, 30])
def test_grams_of_weights_of_any_sign(p):
    """At once, from products of two features, where there are few; else one by one."""
    X, y = data(100, p, 3)
    engine, machine = engine_of(mr.Problem(mr.WW, X, y))
    system = FeatureSystem(engine, Components(engine, machine, np.arange(100)))
    weights = np.random.default_rng(0).normal(size=(100, 2))
    grams = np.einsum("im,ia,ib->mab", weights, system.X, system.X)
    np.testing.assert_allclose(system.grams(weights, True), grams, rtol=1e-12, atol=1e-12)
    assert ("squares" in vars(system)) == (p == 2)


def test_slacks_that_are_used_up_feel_no_rounding():
    """What components of one slack share must add up to nearly nothing, at 1e24 times what each of them weighs."""
    X, y = data(200, 10, 5)
    engine, machine = engine_of(mr.Problem(mr.AMO, X, y))
    parts = Components(engine, machine, np.arange(200))
    system = FeatureSystem(engine, parts)
    assert system.factor(np.full(len(parts.example), 1e-12), np.full(200, 1e12))
    right = np.random.default_rng(0).uniform(1.0, 2.0, 200)
    sums = parts.sums(system.local(right[parts.example]))
    np.testing.assert_allclose(1e12 * sums, right, rtol=1e-3)


def test_where_the_face_is_singular_a_step_goes_to_the_first_bound():
    """x = 1 and x = 1/10 in opposite classes: on a null direction the dual rises; cut off at all bounds, it would fall."""
    problem = mr.Problem(mr.OVA, [[1.0], [0.1]], [0, 1], C=100.0)
    ascent = driver.BlockAscent(problem, Aim(1e-9), 10, np.inf, 0, 100.0, None, None, Workspace())
    ascent.engine.restart(np.array([[0.5, 0.5], [5.0, 5.0]]), np.zeros(2))
    value = lambda: ascent._state().dual  # noqa: E731
    before = value()
    ascent._newton()
    assert value() > before + 100
    assert (ascent.engine.alpha[1] == 100.0).all()


def test_the_bias_system_is_not_taken_for_symmetric_where_its_columns_are_inexact():
    random = np.random.default_rng(0)
    X, y = 0.1 * random.normal(size=(120, 3)), random.integers(0, 4, 120)
    X[1] = X[0]
    problem = mr.Problem(mr.LLW, X, y, C=1e3, bias="free", n_classes=4)
    assert mr.solve(problem, "fast", tolerance=1e-8, max_iter=300).converged


def test_a_gap_that_overflowed_says_nothing_of_speed():
    plan = Schedule(1e-4, 3, Route("whole", True, 1.0), again=lambda: Route("whole", True, 1.0))
    for gap in (1.0, np.inf, np.inf):
        plan.note(True, 1e9, gap)
    assert plan.barrier.work == 1.0


def watched(monkeypatch, system) -> list[bool]:
    """One entry for each ``system`` the barrier makes from here on."""
    made = []

    class Watched(system):
        def __init__(self, *arguments):
            made.append(True)
            super().__init__(*arguments)

    monkeypatch.setattr(finish, system.__name__, Watched)
    return made


def test_a_system_that_loses_its_digits_is_replaced(monkeypatch):
    """Relative margins on a kernel of low rank: what stands on the true class alone is next to nothing."""
    X, y = data(80, 4, 4)
    problem = mr.Problem(mr.CS, X, y, C=2.0**14, kernel=mr.rbf(2.0**-8))
    monkeypatch.setattr(finish, "route", lambda *_: Route("classes", True, 1.0))
    switched = watched(monkeypatch, DenseSystem)
    engine, machine = engine_of(problem)
    engine.survey()
    finish.interior(engine, machine, False, 1e-9)
    assert switched
    certificate = mr.certify(problem, alpha=engine.alpha)
    assert certificate.relative_gap < 1e-6


def test_weights_by_themselves_find_the_last_digits():
    """More components than are factored whole, and a sum-to-zero that the free bias has to keep as well."""
    X, y = data(172, 35, 19)
    problem = mr.Problem(mr.RM(0.5), X, y, C=1e4, bias="free")
    assert route(*engine_of(problem)).system == "features"
    solution = mr.solve(problem, method="fast", tolerance=1e-8, max_iter=200)
    assert solution.converged
    assert solution.work["interior"] == 1


def test_weights_by_themselves_need_no_room_for_all_together():
    """A hundred classes of fifty features: 5000 weights are too many for one matrix, not for a hundred."""
    X, y = data(120, 50, 100)
    assert route(*engine_of(mr.Problem(mr.LLW, X, y))).system == "features"
    assert route(*engine_of(mr.Problem(mr.ATM, X, y))).system != "features"
    solution = mr.solve(mr.Problem(mr.LLW, X, y, C=1e3), method="fast", tolerance=1e-6)
    assert solution.converged
    assert solution.work["interior"]


def schedule(**given) -> Schedule:
    return Schedule(1e-4, 3, Route("whole", True, 1e7), **given)


def run(plan: Schedule, gaps) -> list[str]:
    told = []
    for gap in gaps:
        plan.note(True, 1e5, gap)
        told.append(plan.next(gap))
    return told


def test_a_barrier_where_passes_would_take_longer():
    rounds = int(2 * schedule().barrier.price / 2.5e5)
    assert "interior" in run(schedule(), [0.5] * rounds)
    assert "interior" not in run(schedule(), 0.5 * 0.5 ** np.arange(12))
    told = run(schedule(), 0.5 * 0.999 ** np.arange(rounds))
    waits = np.diff([-1, *(k for k, action in enumerate(told) if action == "interior")])
    assert len(waits) > 2
    assert (waits[1:] > 1.5 * waits[:-1]).all()  # each after twice as much in vain


def test_no_barrier_over_a_part_because_passes_are_slow():
    plan = Schedule(1e-4, 3, Route("whole", False, 1e7))
    assert "interior" not in run(plan, [0.5] * 400)
