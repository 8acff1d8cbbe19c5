"""When the ascent gives up: slow progress is not rounding, and rounding is seen as such."""

from __future__ import annotations

import math

import msvm_ref as mr
from msvm_ref.datasets import load
from msvm_ref.solvers.deadline import Deadline
from msvm_ref.solvers.fast import stopping
from msvm_ref.solvers.fast.stopping import BARRIERS, TRIES, WINDOW, Stopping


def climbing() -> Stopping:
    return Stopping(Deadline(math.inf), max_iter=10**9)


def reason(stop: Stopping, gap: float = 1.0, polished: bool = True) -> str:
    return stop.reason(gap, passes=1, goal=1e-8, interrupted=False, polished=polished)


def passes(stop: Stopping, count: int, gap: float = 1.0, dual: float = 1.0) -> None:
    for _ in range(count):
        stop.note(gap, dual, was_pass=True, barrier=False, whole_barrier=False)


def newton_steps(stop: Stopping, count: int) -> None:
    for _ in range(count):
        stop.note(1.0, 1.0, was_pass=False, barrier=False, whole_barrier=False)


def barrier(stop: Stopping, whole: bool = False) -> None:
    stop.note(1.0, 1.0, was_pass=False, barrier=True, whole_barrier=whole)


def test_a_large_C_is_slow_and_not_rounded():
    """Gaps near 1 for hundreds of passes were called rounding, where a barrier certifies the optimum."""
    data = load("vehicle")
    problem = mr.Problem(mr.WW, data.X[:200], data.y[:200], C=2.0**18, kernel=mr.rbf(2.0**-12))
    solution = mr.solve(problem, method="fast", tolerance=1e-6)
    assert solution.converged, solution


def test_a_dual_that_climbs_is_progress():
    stop, dual = climbing(), 1.0
    for _ in range(4):
        newton_steps(stop, TRIES)
        passes(stop, WINDOW - TRIES - 1, dual=dual)
        assert not stop.stands_still
        dual *= 1.02
        passes(stop, 1, dual=dual)
        assert reason(stop) == ""


def test_a_gap_that_falls_is_progress():
    stop, gap = climbing(), 1.0
    for _ in range(4):
        passes(stop, WINDOW - 1, gap=gap)
        assert not stop.stands_still
        gap *= 0.89
        passes(stop, 1, gap=gap)
    passes(stop, 2 * WINDOW, gap=0.95 * gap)
    assert stop.stands_still


def test_progress_of_one_kind_does_not_forget_the_other():
    """The best gap and the best dual are kept apart: a dual that rises while the gap swings back is no new best gap."""
    stop = climbing()
    passes(stop, 1, gap=0.1)
    passes(stop, 1, gap=1.0, dual=2.0)
    assert (stop.best, stop.dual) == (0.1, 2.0)
    passes(stop, 1, gap=0.01, dual=1.0)
    assert (stop.best, stop.dual) == (0.01, 2.0)


def test_the_barrier_comes_before_the_verdict():
    stop = climbing()
    passes(stop, 1)
    newton_steps(stop, TRIES)
    passes(stop, WINDOW)
    assert stop.wants_a_barrier
    assert reason(stop) == ""
    barrier(stop)
    assert not stop.wants_a_barrier
    assert reason(stop) == "rounding"
    assert reason(stop, polished=False) == ""


def test_whole_barriers_in_vain_need_no_window():
    stop = climbing()
    passes(stop, 1)
    for _ in range(BARRIERS):
        assert reason(stop) == ""
        barrier(stop, whole=True)
    assert reason(stop) == "rounding"


def test_the_window_grows_with_the_run(monkeypatch):
    monkeypatch.setattr(stopping, "WINDOW", 2)
    stop = climbing()
    passes(stop, 30)
    passes(stop, 1, gap=0.1)
    passes(stop, 14)
    assert not stop.stands_still
    passes(stop, 2)
    assert stop.stands_still
