"""All blocks at once: the projection, what the survey says, the dual's rise, and a first solve that compiles nothing."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys

import numpy as np
import pytest

import msvm_ref as mr
from msvm_ref.commands import solve as command
from msvm_ref.solvers import compiled
from msvm_ref.solvers.fast import ascent as driver
from msvm_ref.solvers.fast.blocks import blocks
from msvm_ref.solvers.fast.gradient import Momentum, projected
from msvm_ref.solvers.fast.linear_engine import LinearEngine
from tests.solvers.fast.test_fast import COSTS, MACHINES, data

FRESH = """
import msvm_ref as mr, numpy as np
from msvm_ref.solvers.fast import kernel_engine, linear_passes, survey
y = np.arange(120) % 4
X = np.random.default_rng(0).normal(size=(120, 5)) + np.eye(4, 5)[y]
for kernel in (mr.rbf(0.2), mr.linear):
    assert mr.solve(mr.Problem(mr.CS, X, y, kernel=kernel), "fast", tolerance=1e-6).converged
for kernel in (kernel_engine.epoch, linear_passes.dense_epoch, survey.survey):
    assert not kernel.signatures, kernel
"""


def test_a_small_problem_compiles_nothing(tmp_path):
    where = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    subprocess.run([sys.executable, "-c", FRESH], env=where, check=True, timeout=120)
    assert not list(tmp_path.rglob("*.nbi"))


@pytest.mark.parametrize("cost", COSTS)
@pytest.mark.parametrize("machine", MACHINES, ids=lambda m: m.name)
def test_the_survey_says_what_the_compiled_one_says(machine, cost):
    X, y = data(40, 4, 3)
    weight = np.where(np.arange(40) % 9, 1.0, 0.0)
    problem = mr.Problem(machine.with_cost(cost), X, y, C=2.0, sample_weight=weight)
    one, together = (LinearEngine(problem, blocks(problem), 0.0) for _ in range(2))
    together.momentum = Momentum()
    for _ in range(3):
        assert together.survey() == pytest.approx(one.survey(), rel=1e-9, abs=1e-9)
        one.pass_over(np.flatnonzero(~one.asleep))
        together.restart(one.alpha, one.b0)


@pytest.mark.parametrize("machine", [mr.CS, mr.WW, mr.ATM], ids=lambda m: m.name)
def test_the_projection_is_the_nearest_feasible_point(machine):
    """<v - P v, u - P v> <= 0 for every feasible u."""
    random, form = np.random.default_rng(0), blocks(mr.Problem(machine, np.eye(4), [0, 1, 2, 3]))
    y, cost = np.arange(200) % 4, random.choice([0.0, 0.1, 1.0, 3.0], 200)
    counted = form.mask[y] & (cost > 0)[:, None]
    v = random.normal(size=(200, 4)) * 3
    nearest = projected(form, counted, cost, v)
    for _ in range(50):
        u = np.where(counted, random.random((200, 4)), 0.0)
        total = u.sum(axis=1) if form.slack else u.max(axis=1)
        u *= np.minimum(cost / np.maximum(total, 1e-300), 1.0)[:, None]
        assert (((v - nearest) * (u - nearest)).sum(axis=1) <= 1e-9).all()
    total = nearest.sum(axis=1) if form.slack else nearest.max(axis=1)
    assert (nearest >= 0).all()
    assert (total <= cost * (1 + 1e-14)).all()


@pytest.mark.parametrize("cost", COSTS)
@pytest.mark.parametrize("machine", MACHINES, ids=lambda m: m.name)
def test_its_steps_alone_close_the_gap(machine, cost, monkeypatch):
    monkeypatch.setattr(driver.Schedule, "next", lambda self, gap: "pass")
    X, y = data(30, 3, 3)
    problem = mr.Problem(machine.with_cost(cost), X, y, kernel=mr.rbf(0.5))
    solution = mr.solve(problem, "fast", tolerance=1e-6, max_iter=3000)
    assert solution.converged
    assert solution.work["newton"] == solution.work["interior"] == 0


def test_where_rounding_ends_its_way_the_visits_go_on():
    X, y = data(24, 4, 4)
    problem = mr.Problem(mr.WW, X, y)
    solution = mr.solve(problem, "fast", tolerance=1e-300, max_iter=5000)
    assert solution.work["steps"] > 0
    assert solution.certificate.relative_gap < 1e-12


def test_only_a_problem_that_compiles_is_announced(monkeypatch):
    said = []
    monkeypatch.setattr(command, "remark", lambda options, words: said.append(words))
    monkeypatch.setattr(compiled, "first_use", lambda package: True)
    for method, n, times in (("fast", 600, 0), ("primal", 601, 0), ("fast", 601, 1), ("sor", 9, 2)):
        command.announce_compilation(argparse.Namespace(), method, n)
        assert len(said) == times
