"""Ugly but valid input has its right answer."""

from __future__ import annotations

import numpy as np
import pytest

import msvm_ref as mr
from tests.small_problems import BIASES, COSTS, blobs, label, table
from tests.solvers.hard_draw import hard_problem

X3, Y3 = blobs(3, per_class=6, p=4)
REPEATED = np.repeat(X3[:6], 3, axis=0)
CASES = {
    "tiny C": (X3, Y3, 1e-8, None),
    "small C": (X3, Y3, 1e-4, None),
    "large C": (X3, Y3, 1e4, None),
    "huge C": (X3, Y3, 1e6, None),
    "large scale": (X3 * 1e3, Y3, 1.0, None),
    "small scale": (X3 * 1e-6, Y3, 1.0, None),
    "mixed scales": (X3 * [1e3, 1.0, 1e-3, 10.0], Y3, 1.0, None),
    "far from the origin": (X3 + 1e4, Y3, 1.0, None),
    "contradictory duplicates": (REPEATED, np.tile([0, 1, 2], 6), 1.0, None),
    "contradictory duplicates, large C": (REPEATED, np.tile([0, 1, 2], 6), 1e4, None),
    "more features than examples": (
        np.random.default_rng(1).normal(size=(6, 40)),
        np.arange(6) % 3,
        10.0,
        None,
    ),
    "zero features": (np.zeros((6, 2)), np.arange(6) % 3, 1.0, None),
    "no features": (np.zeros((6, 0)), np.arange(6) % 3, 1.0, None),
    "constant features": (np.ones((6, 2)), np.array([0, 0, 0, 1, 1, 2]), 1.0, None),
    "absent classes": (X3, Y3, 1.0, 5),
    "one example": (X3[:1], Y3[:1], 1.0, 3),
    "one class": (X3[:4], np.zeros(4, int), 1.0, 3),
    "ties": (
        np.array([[0.0, 1.0], [0.0, -1.0], [1.0, 0.0], [-1.0, 0.0]]),
        np.array([0, 0, 1, 1]),
        1.0,
        None,
    ),
}


MATRIX = table(
    (tuple(CASES), (mr.WW, mr.CS, mr.LLW, mr.MMR_ORTHO, mr.ATM, mr.ATS, mr.RM())), (BIASES, COSTS)
)


@pytest.mark.parametrize(("case", "machine", "bias", "cost"), MATRIX, ids=label)
def test_ugly_input_is_solved_and_certified(case, machine, bias, cost):
    X, y, C, n_classes = CASES[case]
    problem = mr.Problem(machine.with_cost(cost), X, y, C=C, bias=bias, n_classes=n_classes)
    solution = mr.solve(problem)
    assert solution.certificate.optimal(1e-9), f"{bias}\n{solution}"
    assert np.isfinite(solution.decision_function(X)).all()


def test_zero_features_leave_only_the_bias():
    """With x = 0 and a free bias WW's optimum is that of the class counts alone: W = 0, and b separates what it can."""
    problem = mr.Problem(mr.WW, np.zeros((5, 2)), [0, 0, 0, 1, 1], bias="free")
    solution = mr.solve(problem)
    assert not np.abs(solution.W).max() > 1e-9
    assert (
        solution.certificate.lower <= 4.0 <= solution.certificate.upper + 1e-9
    )  # two misjudged at loss 2 each
    assert list(solution.predict(np.zeros((1, 2)))) == [0]


def test_what_no_backend_reaches_comes_back_as_not_converged():
    problem = mr.Problem(mr.WW, X3, Y3)
    solution = mr.solve(problem, tolerance=1e-30)
    assert not solution.converged
    assert solution.certificate.relative_gap < 1e-9
    assert len(solution.attempts) > 1


@pytest.mark.parametrize("seed", range(40))
def test_features_nobody_standardised_are_no_harder(seed):
    """Offsets of 1e6, columns of scales 1e+-6, everything at 1e+-60 (benchmarks/convergence.py has 627 of them)."""
    problem, _ = hard_problem(seed)
    assert mr.solve(problem, "auto").converged
