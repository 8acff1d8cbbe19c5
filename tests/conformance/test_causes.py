"""Each hypothesis is named for the wrong solver that only it explains; one cause is said once; a right solver has none."""

from __future__ import annotations

import numpy as np
import pytest

import msvm_ref as mr
from msvm_ref.conformance import check_solver, diagnose
from msvm_ref.conformance.cases import GENERIC
from msvm_ref.conformance.outcomes import Entry, run
from tests.conformance.causes_zoo import CAUSES
from tests.conformance.zoo import TRUTHS, honest, solved
from tests.small_problems import NIGHTLY, thinned


@pytest.fixture(autouse=True)
def _solve_each_problem_once(monkeypatch):
    for module in ("diagnosis", "repairs", "other_objectives"):
        monkeypatch.setattr(f"msvm_ref.conformance.{module}.solve", solved)
    monkeypatch.setattr("msvm_ref.conformance.shrink.SECONDS", 0.0)  # examples are shrunk elsewhere


def causes(solver, claim, *checks):
    return run(Entry(solver, None, claim, checks=checks), truths=TRUTHS).causes


@pytest.mark.parametrize("name", thinned(CAUSES, 2))
def test_the_cause_is_named(name):
    solver, claim, check, words = CAUSES[name]
    (found,) = causes(solver, claim, check)
    assert words in found.sentence, found.sentence
    assert "on this case" not in found.sentence
    assert found.explains or "does not tighten" in words or check == "check_objective"


def test_one_cause_is_said_once_and_certified_elsewhere():
    checks = (
        "check_optimality",
        "check_C",
        "check_machine",
        "check_bias_treatment",
        "check_duplicates",
    )
    solver, claim, *_ = CAUSES["SmoothsTheHinge"]
    records = check_solver(solver, **claim, checks=checks, truths=TRUTHS)
    assert "(one cause, 5 checks)" in records[0].message
    assert [r.message.splitlines()[1] for r in records[1:]] == [
        "diagnosis: as check_optimality: "
        + records[0].message.splitlines()[1].removeprefix("diagnosis: ").partition(" (one")[0]
    ] * 4


MACHINES = [(mr.WW, "free"), (mr.LLW, "free"), (mr.CS, "penalized"), (mr.OVA, "none")]


@pytest.mark.parametrize(("machine", "bias"), MACHINES if NIGHTLY else MACHINES[:2])
def test_what_is_right_is_given_no_cause_and_noise_none_either(machine, bias):
    claim = {"machine": machine, "bias": bias, "tolerance": 1e-6}
    assert causes(honest(machine, bias), claim, "check_optimality", "check_C") == ()
    problem = mr.Problem(machine, GENERIC.X, GENERIC.y, C=GENERIC.C, bias=bias)
    best = solved(problem)
    assert diagnose(problem, W=best.W, b=best.b).as_claimed
    noise = np.random.default_rng(3).normal(size=best.W.shape)
    noise -= noise.mean(axis=1, keepdims=True)
    said = diagnose(problem, W=best.W + 0.2 * noise, b=best.b)
    assert said.found is None
    assert "optimal for nothing we know" in said.sentence


def test_the_nearest_is_named_where_nothing_fits():
    problem = mr.Problem(mr.WW, GENERIC.X, GENERIC.y, C=0.7)
    other = solved(problem.with_C(0.7 / 18)).W
    noise = np.random.default_rng(0).normal(size=other.shape)
    said = diagnose(problem, W=other * (1 + 0.1 * noise))
    assert said.found is None
    assert "optimal for nothing we know, nearest is WW, " in said.sentence
    assert said.to_dict()["nearest"]["certificate"]["primal_error"] < said.claimed.primal_error / 2
