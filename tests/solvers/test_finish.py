"""What is tried where a candidate falls short: everything that can help, nothing that cannot."""

from __future__ import annotations

import numpy as np
import pytest

import msvm_ref as mr
from msvm_ref.judge.candidate import Candidate
from msvm_ref.solvers import finish as module


def problem_at(C: float) -> mr.Problem:
    """Twelve points in three clouds."""
    random, y = np.random.default_rng(1), np.arange(12) % 3
    X = random.normal(size=(12, 2)) + 3 * np.eye(3)[y][:, :2]
    return mr.Problem(mr.CS, X, y, C=C, kernel=mr.rbf(1.0))


@pytest.fixture
def stretched(monkeypatch) -> list[float]:
    tried: list[float] = []
    original = module._stretched

    def note(option, by):
        tried.extend([by] if by else [])
        return original(option, by)

    monkeypatch.setattr(module, "_stretched", note)
    return tried


def test_a_hair_of_stretch_saves_what_a_huge_C_makes_of_rounding(stretched):
    solution = mr.solve(problem_at(1e10), method="fast", tolerance=1e-9)
    assert solution.converged
    assert stretched


def test_no_stretch_is_tried_that_cannot_gain_enough(stretched):
    """1e-8 of the loss at the origin is the most it gains; the multipliers here are wrong by far more."""
    problem = problem_at(1.0)
    alpha = 0.5 * mr.solve(problem, method="fast", tolerance=1e-9).alpha
    _, certificate = module.finish(problem, Candidate(b=np.zeros(3), alpha=alpha), 1e-6)
    assert 1e-3 < certificate.relative_gap < 1.0
    assert not stretched
