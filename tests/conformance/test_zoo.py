"""Every wrong solver is caught by the check named for its bug; every right one passes everything."""

from __future__ import annotations

import pytest
from zoo import ZOO, honest, projected_gradient

import msvm_ref as mr
from msvm_ref.conformance import CHECKS, check_solver
from msvm_ref.conformance.suite import make_trial
from msvm_ref.conformance.verdicts import CheckFailed, SolverBroke
from msvm_ref.model import conventions as cv


def claim_of(animal):
    claim = {"machine": mr.WW, "tolerance": 1e-6} | animal.claim
    return make_trial(animal.solver, **claim)


@pytest.mark.parametrize("name", ZOO)
def test_each_bug_is_caught_by_the_check_named_for_it(name):
    animal = ZOO[name]
    trial = claim_of(animal)
    with pytest.raises(CheckFailed) as caught:
        CHECKS[animal.check](trial)
    assert not isinstance(caught.value, SolverBroke), caught.value
    if animal.diagnosis:
        assert animal.diagnosis in trial.diagnosis(caught.value)


def test_every_check_has_a_bug_that_it_catches():
    assert {animal.check for animal in ZOO.values()} == set(CHECKS)
    assert len(ZOO) >= 40


HONEST = {
    "WW": (honest(), {"machine": mr.WW}),
    "CS free": (honest(mr.CS, "free"), {"machine": mr.CS, "bias": "free"}),
    "LLW penalized": (honest(mr.LLW, "penalized"), {"machine": mr.LLW, "bias": "penalized"}),
    "OVA squared": (honest(mr.OVA.with_cost("quadratic")), {"machine": mr.OVA.with_cost("quadratic")}),
}


@pytest.mark.parametrize("name", HONEST)
def test_the_truth_passes_everything(name):
    solver, claim = HONEST[name]
    records = check_solver(solver, **claim, tolerance=1e-7)
    assert [r for r in records if r.status == "failed"] == []
    passed = sum(r.status == "passed" for r in records)
    assert passed >= (33 if name == "WW" else 28), [r for r in records if r.status == "skipped"]


def test_a_projected_gradient_solver_passes_everything():
    records = check_solver(projected_gradient, mr.WW, tolerance=1e-6)
    assert [r for r in records if r.status == "failed"] == []
    assert sum(r.status == "passed" for r in records) >= 31


def test_the_truth_in_another_convention_passes_everything():
    """kernlab's way of writing WW: margin 2, K + 1; the solver works in those units throughout."""
    def kbb(X, y, C, sample_weight=None, classes=None):
        posed = cv.KERNLAB_KBB.pose(X, y, C, sample_weight=sample_weight, classes=classes)
        s = mr.solve(posed.problem)
        back = posed.theirs(s.W, s.b, s.alpha)
        return {**back, "objective": posed.objective(s.objective), "classes": posed.problem.classes,
                "decision_function": lambda Z: Z @ back["W"] + back["b"], "predict": s.predict, "converged": True}

    records = check_solver(kbb, convention="kernlab-kbb", tolerance=1e-7)
    assert [r for r in records if r.status == "failed"] == []
    wrong = check_solver(kbb, mr.WW, bias="penalized", tolerance=1e-7, checks=["check_C"])
    assert "C·2" in wrong[0].message
