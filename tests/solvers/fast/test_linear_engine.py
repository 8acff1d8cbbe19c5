"""W itself: what all classes have in common, scores some rows at a time, the last pass, a mapped file."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from scipy import sparse

import msvm_ref as mr
from msvm_ref.model.arrays import some_rows
from msvm_ref.solvers.fast import ascent as driver
from msvm_ref.solvers.fast import linear_engine, newton
from msvm_ref.solvers.fast.ascent import CLOSER, ENOUGH, BlockAscent
from msvm_ref.solvers.fast.blocks import blocks
from msvm_ref.solvers.fast.engine import RELAXED
from msvm_ref.solvers.fast.engines import engine_for
from msvm_ref.solvers.fast.interior import Route
from msvm_ref.solvers.fast.linear_engine import SINGLE_GAP, LinearEngine, bears_rounding
from msvm_ref.solvers.fast.order import Orders
from msvm_ref.solvers.fast.schedule import HEADSTART, LONG, PATIENCE, RARELY, ROUND, Schedule
from msvm_ref.solvers.fast.standing import standing
from msvm_ref.solvers.workspace import Workspace
from tests.solvers.fast.test_fast import COSTS, MACHINES, data

FORMS = {"dense": np.asarray, "sparse": sparse.csr_array}


def engine_at(machine, form, classes=7, rho=0.5, passes=3, C=2.0, single=False):
    """Some passes in, with duplicates, a zero row, a weight of 0 and an absent class."""
    X, y = data(40, classes, 6)
    X[10:14], X[14] = X[:4], 0.0
    weight = np.where(np.arange(40) % 9, 1.0, 0.0)
    given = FORMS[form](np.where(abs(X) > 0.4, X, 0.0))
    problem = mr.Problem(machine, given, y, C=C, sample_weight=weight, n_classes=classes + 1)
    engine = LinearEngine(problem, blocks(problem), rho, single)
    for _ in range(passes):
        engine.violation = engine.survey()[-1]
        for _ in range(3):
            engine.pass_over(np.flatnonzero(~engine.asleep))
    return engine


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("cost", COSTS)
@pytest.mark.parametrize("machine", MACHINES, ids=lambda m: m.name)
def test_the_weights_follow_the_multipliers(machine, cost, form):
    """W = X' A and b = rho sum A after steps that move few classes and, under sum-to-zero, what all have in common."""
    engine = engine_at(machine.with_cost(cost), form)
    W, bias = engine.W.copy(), engine.bias.copy()
    np.testing.assert_allclose(W, engine.X.T @ engine.A, atol=1e-9)
    np.testing.assert_allclose(bias, 0.5 * engine.A.sum(axis=0), atol=1e-9)
    np.testing.assert_allclose(engine.scores, engine.X @ W + bias, atol=1e-9)
    engine.refresh()
    np.testing.assert_allclose(engine.W, W, atol=1e-9)
    np.testing.assert_allclose(engine.bias, bias, atol=1e-9)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("classes", [3, 6, 23])
@pytest.mark.parametrize("machine", [mr.WW, mr.LLW, mr.ATS], ids=lambda m: m.name)
def test_a_visit_sees_the_scores_of_the_classes_in_play(machine, classes, form):
    """One of them or all: of sparse rows one vector of classes or several."""
    engine, met = engine_at(machine, form, classes=classes, passes=10), set()
    for i in np.flatnonzero(~engine.asleep):
        asked, scores = engine.play[i, : engine.count[i]].copy(), engine.scores[i]
        met.add(len(asked))
        engine.pass_over(np.array([i]))
        np.testing.assert_allclose(engine.scratch[4][0, asked], scores[asked], atol=1e-9)
    assert len(met) > 1
    if form == "sparse":
        assert not engine.weights[:, len(engine.lifts) :].any()  # what fills up the vectors


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("machine", [mr.CS, mr.WW, mr.LLW, mr.ATM], ids=lambda m: m.name)
def test_some_rows_at_a_time_say_what_all_say(machine, form, monkeypatch):
    engine = engine_at(machine, form)
    whole = engine.survey()
    lists = [a.copy() for a in (engine.count, engine.pinned, engine.asleep, engine.scores)]
    squares = engine.squares
    for together in (1, 8 * 3, 8 * 39):
        monkeypatch.setattr(linear_engine, "TOGETHER", together)
        assert engine.survey() == pytest.approx(whole, rel=1e-12, abs=1e-12)
        for before, now in zip(
            lists, (engine.count, engine.pinned, engine.asleep, engine.scores), strict=True
        ):
            np.testing.assert_allclose(now, before, atol=1e-12)
        engine.refresh()
        np.testing.assert_allclose(engine.W, engine.X.T @ engine.A, atol=1e-9)
        assert sum(part.shape[0] for _, part in engine.row_blocks()) == 40
        again = LinearEngine(mr.Problem(machine, engine.X, engine.y, n_classes=8), engine.blocks, 0)
        np.testing.assert_allclose(again.squares, squares, rtol=1e-12)


def test_the_last_pass_before_a_gap_does_not_overshoot(monkeypatch):
    """One, and only after passes that cost many times as much."""
    X, y = data(700, 5, 4)
    rounds, original, surveyed = [[]], LinearEngine.pass_over, LinearEngine.survey

    def watched(self, order):
        rounds[-1].append(self.omega)
        return original(self, order)

    def counted(self, room=0.0):
        rounds.append([])
        return surveyed(self, room)

    monkeypatch.setattr(LinearEngine, "pass_over", watched)
    monkeypatch.setattr(LinearEngine, "survey", counted)
    assert mr.solve(mr.Problem(mr.CS, X, y, C=4.0), "fast", tolerance=1e-4).converged
    exact = [omegas for omegas in rounds if 1.0 in omegas]
    assert exact
    assert all(omegas.index(1.0) == len(omegas) - 1 > 0 for omegas in exact)
    assert {omega for omegas in rounds for omega in omegas} == {1.0, RELAXED}


def test_near_the_goal_the_gap_is_taken_sooner(monkeypatch):
    """Once violations have fallen as far as the gap has to, if that is less than CLOSER."""
    X, y = data(700, 5, 4)
    taken, original, passed = [], BlockAscent._state, BlockAscent._passes

    def watched(self):
        now = original(self)
        taken.append(now.relative)
        return now

    def told(self):
        if len(taken) > 1:  # the first is before any pass
            expected = min(max(CLOSER, ENOUGH * tolerance / taken[-1]), 1.0)
            assert self.closer == pytest.approx(expected)
            near.append(expected > CLOSER)
        return passed(self)

    near: list[bool] = []
    monkeypatch.setattr(BlockAscent, "_state", watched)
    monkeypatch.setattr(BlockAscent, "_passes", told)
    for tolerance in (1e-3, 3e-4, 1e-4):
        taken.clear()
        assert mr.solve(mr.Problem(mr.CS, X, y, C=4.0), "fast", tolerance=tolerance).converged
    assert set(near) == {False, True}


def test_each_pass_visits_everyone_once_in_an_order_of_its_own():
    """The same for the same seed; every place equally likely (20 000 draws: five standard deviations are 0.015)."""
    examples = np.array([3, 4, 7, 11, 20])
    orders = [Orders(seed).passes(examples, 20_000).reshape(-1, 5) for seed in (0, 0, 1)]
    assert np.array_equal(orders[0], orders[1])
    assert not np.array_equal(orders[0], orders[2])
    assert (np.sort(orders[0], axis=1) == examples).all()
    shares = (orders[0][:, :, None] == examples).mean(axis=0)
    np.testing.assert_allclose(shares, 0.2, atol=0.015)
    again = Orders(0)
    assert not np.array_equal(again.passes(examples, 8), again.passes(examples, 8))
    assert len(Orders(0).passes(examples[:0], 3)) == 0


@pytest.mark.parametrize("form", FORMS)
def test_some_rows_are_those_rows(form):
    X = FORMS[form](np.where(abs(data(9, 3, 4)[0]) > 0.5, data(9, 3, 4)[0], 0.0))
    for rows in (slice(None), slice(0, 9), slice(2, 5), slice(4, 4), slice(7, 20)):
        found, asked = some_rows(X, rows), X[rows]
        assert found.shape == asked.shape
        assert (found != asked).sum() == 0
        if found.shape[0] and form == "sparse":
            assert np.shares_memory(found.data, X.data)


def test_a_newton_step_is_asked_for_its_price():
    """Where few digits are wanted, passes do 1 / RARELY times its work first."""
    price = RARELY * 2 * LONG * (ROUND + 1e5)
    plan, told = Schedule(1e-3, 3, Route("whole", False, 1e30), newton=lambda: price), []
    for _ in range(3 * LONG):
        plan.note(True, 1e5, 0.5)
        told.append(plan.next(0.5))
        if told[-1] == "newton":
            plan.note(False, price, 0.5)
    assert told.count("newton") == 1
    assert told.index("newton") >= 2 * LONG - 1


def test_a_dear_first_newton_step_waits_where_passes_are_faster():
    """Many digits: from 1e-3 on at once if it is cheap, else only where passes would work more than it to get there."""
    for falls, price, expected in (
        (0.01, HEADSTART, PATIENCE),
        (0.5, 1e9, None),
        (0.98, 1e9, PATIENCE * 25),
    ):
        plan = Schedule(1e-8, 3, Route("whole", False, 1e30), lambda: price, True)  # noqa: B023
        gap, told = 1e-3, []
        while gap > 1e-8:
            plan.note(True, 1e7, gap)
            told.append(plan.next(gap))
            gap *= falls
        first = told.index("newton") if "newton" in told else None
        assert (first is None) if expected is None else first is not None and first <= expected
    for kernel in (mr.linear, mr.rbf(1.0)):
        problem = mr.Problem(mr.WW, *data(60, 4, 3), kernel=kernel)
        engine = engine_for(problem, blocks(problem), 100, Workspace(), 1e-8)
        assert Schedule.suited(engine, engine.blocks, 1e-8).patient == (kernel == mr.linear)


def test_the_price_is_what_the_step_says(monkeypatch):
    """Factored, and by conjugate gradients."""
    problem = mr.Problem(mr.WW, *data(60, 4, 3))
    engine = LinearEngine(problem, blocks(problem), 0.0)
    for _ in range(5):
        engine.survey()
        engine.pass_over(np.flatnonzero(~engine.asleep))
    said = newton.price(engine, engine.blocks)
    assert said > 0
    step = partial(newton.newton, engine, engine.blocks, False, lambda alpha, effect: 0.0)
    assert step() == said
    monkeypatch.setattr(newton, "FACTORED", 0)
    assert step() == newton.price(engine, engine.blocks) != said


def test_a_mapped_file_is_not_copied(tmp_path):
    X, y = data(650, 4, 5)
    X.tofile(tmp_path / "X")
    kept = np.memmap(tmp_path / "X", dtype=float, mode="r", shape=X.shape)
    problem = mr.Problem(mr.LLW, kept, y)
    assert np.shares_memory(problem.X, kept)
    assert not problem.X.flags.writeable
    mapped, whole = (
        mr.solve(p, "fast", tolerance=1e-6) for p in (problem, mr.Problem(mr.LLW, X, y))
    )
    assert mapped.converged
    assert mapped.objective == pytest.approx(whole.objective, rel=1e-6)
    for other in (
        np.memmap(tmp_path / "X", dtype=float, mode="r+", shape=X.shape),  # may change
        np.memmap(tmp_path / "X", dtype=float, mode="r", shape=X.shape, order="F"),
        np.memmap(tmp_path / "X", dtype=np.int64, mode="r", shape=X.shape)[:, :1] % 7,
    ):
        copied = mr.Problem(mr.CS, other, y).X
        assert not np.shares_memory(copied, other)
        assert copied.dtype == np.float64
    X[3, 2] = np.inf
    X.tofile(tmp_path / "X")
    with pytest.raises(mr.MsvmError, match=r"finite.*\[3, 2\]"):
        mr.Problem(mr.CS, np.memmap(tmp_path / "X", dtype=float, mode="r", shape=X.shape), y)


@pytest.mark.parametrize("machine", MACHINES, ids=lambda m: m.name)
def test_in_double_precision_again_nothing_is_left_of_single(machine):
    """Nine passes in single precision have drifted by some hundred roundings, of weights larger than the scores."""
    engine, X = engine_at(machine, "sparse", single=True), engine_at(machine, "sparse").X
    assert engine.single
    assert engine.weights.dtype == engine.X.dtype == np.float32
    exact = X @ (X.T @ engine.A) + 0.5 * engine.A.sum(axis=0)
    np.testing.assert_allclose(engine.scores, exact, atol=1e-3)
    engine.to_double()
    assert not engine.single
    np.testing.assert_allclose(engine.scores, exact, atol=1e-12)


@pytest.fixture
def text(monkeypatch):
    """So few documents would be solved at once, in double precision."""
    monkeypatch.setattr(linear_engine, "FEW", 0)
    monkeypatch.setattr(driver, "FEW", 0)
    monkeypatch.setattr(driver, "FEW_FREE", 0)
    random, n = np.random.default_rng(0), 100
    y = random.integers(4, size=n)
    words = np.concatenate([random.integers(60, size=(n, 6)), 5 * y[:, None] + np.arange(3)], 1)
    at = np.repeat(np.arange(n), 9), words.ravel()
    return sparse.csr_array((random.uniform(0.5, 1.5, 9 * n), at), shape=(n, 60)), y


@pytest.mark.parametrize(
    ("changed", "single"),
    [
        ({}, True),
        ({"bias": "penalized"}, True),
        ({"bias": "penalized", "length": 1e-2}, False),
        ({"bias": "free"}, False),
        ({"machine": mr.LLW}, False),
        ({"machine": mr.OVA}, False),
        ({"tolerance": 1e-5}, False),
        ({"C": 20.0}, False),
        ({"length": 1e40}, False),
        ({"length": 1e-40}, False),
    ],
    ids=str,
)
def test_where_few_digits_are_asked_for_sparse_rows_are_single(text, changed, single):
    asked = {"machine": mr.CS, "C": 0.1, "bias": "none", "tolerance": 1e-4, "length": 1.0} | changed
    X, length = asked["length"] * text[0], asked["length"]
    problem = mr.Problem(asked["machine"], X, text[1], C=asked["C"] / length**2, bias=asked["bias"])
    assert bears_rounding(problem, blocks(problem), asked["tolerance"]) is single
    assert mr.solve(problem, "fast", tolerance=asked["tolerance"]).converged


def test_rows_too_rough_for_the_certificate_are_exact_from_then_on(text, monkeypatch):
    """Off by a hundredth: the judge says no, and the solve goes on in double precision."""
    monkeypatch.setattr(linear_engine, "rounded", lambda X: (1.01 * X).astype(np.float32))
    X, y = text
    assert mr.solve(mr.Problem(mr.CS, X, y, C=0.1), "fast", tolerance=1e-4).converged


def test_many_digits_begin_with_single_precision_too(text, monkeypatch):
    """Down to a gap of 1e-4, and no further."""
    left, original = [], LinearEngine.to_double

    def watched(self):
        left.append(standing(self, self.blocks, False).relative)
        original(self)

    monkeypatch.setattr(LinearEngine, "to_double", watched)
    monkeypatch.setattr(Schedule, "next", lambda self, gap: "pass")  # Newton's steps are in double
    X, y = text
    problem = mr.Problem(mr.CS, X, y, C=0.1)
    assert mr.solve(problem, "fast", tolerance=1e-4).converged
    assert left == []
    assert mr.solve(problem, "fast", tolerance=1e-8).converged
    assert len(left) == 1
    assert 1e-6 < left[0] <= SINGLE_GAP
