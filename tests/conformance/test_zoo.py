"""Every wrong solver is caught by the check named for its bug; every right one passes everything."""

from __future__ import annotations

import numpy as np
import pytest

import msvm_ref as mr
from msvm_ref.conformance import CHECKS, check_solver
from msvm_ref.conformance.suite import make_trial
from msvm_ref.conformance.verdicts import CheckFailed, SolverBroke
from msvm_ref.model import conventions as cv
from msvm_ref.solvers.truth.solve import ROUTES
from tests.conformance.gradient import projected_gradient
from tests.conformance.subtle import BROKEN
from tests.conformance.zoo import TRUTHS, ZOO, Truth, honest, solved
from tests.small_problems import thinned


@pytest.fixture(autouse=True)
def _solve_each_problem_once(monkeypatch):
    """Diagnoses of different bugs ask for the same neighbours."""
    for module in ("diagnosis", "repairs", "other_objectives"):
        monkeypatch.setattr(f"msvm_ref.conformance.{module}.solve", solved)


def claim_of(animal):
    claim = (
        {"tolerance": 1e-6}
        | ({} if "convention" in animal.claim else {"machine": mr.WW})
        | animal.claim
    )
    return make_trial(animal.solver, truths=TRUTHS, **claim)


@pytest.mark.parametrize("name", ZOO)
def test_each_bug_is_caught_by_the_check_named_for_it(name):
    animal = ZOO[name]
    trial = claim_of(animal)
    with pytest.raises(CheckFailed) as caught:
        CHECKS[animal.check](trial)
    assert not isinstance(caught.value, SolverBroke), caught.value
    if animal.diagnosis:
        assert animal.diagnosis in trial.diagnosis(caught.value).sentence


def test_every_check_has_a_bug_that_it_catches():
    assert {animal.check for animal in ZOO.values()} == set(CHECKS)
    assert len(ZOO) >= 75


@pytest.mark.parametrize("name", BROKEN)
def test_what_cannot_be_read_is_a_failed_record(name):
    solver, check, words = BROKEN[name]
    record = check_solver(solver, mr.WW, checks=[check], truths=TRUTHS)[0]
    assert record.status == "failed"
    assert words in record.message, record
    assert "bug of msvm_ref" not in record.message


def test_a_check_that_stops_is_a_record_with_a_traceback(monkeypatch):
    monkeypatch.setitem(CHECKS, "check_C", lambda trial: [][1])
    record = check_solver(honest(), mr.WW, checks=["check_C"])[0]
    assert record.status == "failed"
    assert "stopped on IndexError" in record.message
    assert "Traceback" in record.details["traceback"]


def test_a_solver_that_cannot_be_copied_or_made_is_told():
    class Uncopied(Truth):
        def __deepcopy__(self, memo):
            raise TypeError("holds a lock")

    assert "holds a lock" in check_solver(Uncopied(), mr.WW, checks=["check_C"])[0].message

    class NeedsArguments:
        def __init__(self, gamma): ...
        def fit(self, X, y): ...

    with pytest.raises(mr.DataError, match="pass an instance"):
        check_solver(NeedsArguments, mr.WW)


HONEST = {
    "WW": (honest(), {"machine": mr.WW}),
    "CS free": (honest(mr.CS, "free"), {"machine": mr.CS, "bias": "free"}),
    "LLW penalized": (honest(mr.LLW, "penalized"), {"machine": mr.LLW, "bias": "penalized"}),
    "OVA squared": (
        honest(mr.OVA.with_cost("quadratic")),
        {"machine": mr.OVA.with_cost("quadratic")},
    ),
}


@pytest.mark.parametrize("name", HONEST)
def test_the_truth_passes_everything(name):
    solver, claim = HONEST[name]
    records = check_solver(solver, **claim, tolerance=1e-7, truths=TRUTHS)
    assert [r for r in records if r.status == "failed"] == []
    passed = sum(r.status == "passed" for r in records)
    assert passed >= (38 if name == "WW" else 33), [r for r in records if r.status == "skipped"]


SMALL = [
    "check_optimality",
    "check_C",
    "check_absent_class",
    "check_degenerate_data",
    "check_contradictory_duplicates",
    "check_multipliers",
]


@pytest.mark.parametrize("method", thinned([*ROUTES, "fast"], 3))
def test_every_method_that_takes_any_problem_is_an_honest_solver(method):
    def solver(X, y, C, sample_weight=None, classes=None):
        s = mr.solve(
            mr.Problem(mr.WW, X, y, C=C, bias="free", classes=classes),
            method=method,
            tolerance=1e-7,
        )
        return {
            "W": s.W,
            "b": s.b,
            "alpha": s.alpha,
            "classes": s.problem.classes,
            "converged": s.converged,
        }

    records = check_solver(solver, mr.WW, bias="free", tolerance=1e-6, checks=SMALL, truths=TRUTHS)
    assert [r.status for r in records] == ["passed"] * len(SMALL), records


class Reversed:
    """A scikit-learn style estimator whose columns run backwards, and whose classes_ say so."""

    def __init__(self, C=1.0):
        self.C = C

    def get_params(self, deep=True):
        return {"C": self.C}

    def set_params(self, C):
        self.C = C
        return self

    def fit(self, X, y, sample_weight=None):
        s = solved(mr.Problem(mr.WW, X, y, C=self.C, sample_weight=sample_weight))
        self.classes_, self.coef_ = np.array(s.problem.classes)[::-1], s.W.T[::-1]
        return self

    def decision_function(self, X):
        return X @ self.coef_.T

    def predict(self, X):
        return self.classes_[self.decision_function(X).argmax(axis=1)]


class Attribute:
    """No get_params: C is an attribute of the class."""

    C = 1.0

    def fit(self, X, y):
        s = solved(mr.Problem(mr.WW, X, y, C=self.C))
        self.coef_, self.classes_ = s.W.T, s.problem.classes


class ShiftedBias(Truth):
    """b + 7 has the margins of b."""

    machine, bias = mr.CS, "free"

    def spoil(self, out, problem, s):
        return out | {"b": out["b"] + 7, "decision_function": lambda X: X @ s.W + s.b + 7}


class PairwisePenalty(Truth):
    """HL (7) without its constraint: any vector may be added to every class's weights."""

    def __call__(self, X, y, C, classes=None):
        posed = cv.HL7.pose(X, y, C, classes=classes)
        s = solved(posed.problem)
        out = posed.theirs(s.W, s.b)
        return {
            "W": out["W"] + np.arange(1.0, 1 + len(out["W"]))[:, None],
            "b": out["b"],
            "classes": posed.problem.classes,
        }


class Float32Lists(Truth):
    def spoil(self, out, problem, s):
        W = s.W.astype(np.float32)
        return {
            "W": W.tolist(),
            "classes": np.array(problem.classes),
            "objective": np.float32(s.objective),
            "converged": np.bool_(True),
            "predict": lambda X: [problem.classes[k] for k in (X @ W).argmax(axis=1)],
        }


def scores_only(X, y, C, sample_weight=None, classes=None):
    s = solved(
        mr.Problem(
            mr.WW, X, y, C=C, kernel=mr.rbf(0.5), sample_weight=sample_weight, classes=classes
        )
    )
    return {"scores": s.decision_function(X), "classes": s.problem.classes, "predict": s.predict}


def alpha_only(X, y, C, sample_weight=None, classes=None):
    s = solved(mr.Problem(mr.WW, X, y, C=C, sample_weight=sample_weight, classes=classes))
    return {"alpha": s.alpha, "classes": s.problem.classes}


def by_class(X, y, C, class_weight=None):
    weight = None if class_weight is None else [class_weight[c] for c in y.tolist()]
    s = solved(mr.Problem(mr.WW, X, y, C=C, sample_weight=weight))
    return s.W, np.zeros(s.problem.d)


@pytest.mark.parametrize(
    ("solver", "claim", "least"),
    [
        (Reversed(), {"machine": mr.WW}, 34),
        (Attribute(), {"machine": mr.WW}, 30),
        (ShiftedBias(), {"machine": mr.CS, "bias": "free"}, 36),
        (PairwisePenalty(), {"convention": "HL(7)"}, 29),
        (Float32Lists(), {"machine": mr.WW, "tolerance": 1e-3}, 34),
        (scores_only, {"machine": mr.WW, "kernel": mr.rbf(0.5)}, 29),
        (alpha_only, {"machine": mr.WW}, 31),
        (by_class, {"machine": mr.WW}, 30),
    ],
    ids=[
        "columns reversed",
        "plain attribute",
        "shifted b",
        "uncentred W",
        "float32 lists",
        "scores only",
        "alpha only",
        "class weights",
    ],
)
def test_right_solvers_in_awkward_dress_pass_everything(solver, claim, least):
    records = check_solver(solver, **{"tolerance": 1e-6} | claim, truths=TRUTHS)
    assert [r for r in records if r.status == "failed"] == []
    assert sum(r.status == "passed" for r in records) >= least


def test_a_projected_gradient_solver_passes_everything():
    records = check_solver(projected_gradient, mr.WW, tolerance=1e-6, truths=TRUTHS)
    assert [r for r in records if r.status == "failed"] == []
    assert sum(r.status == "passed" for r in records) >= 31


def test_the_truth_in_another_convention_passes_everything():
    """kernlab's way of writing WW: margin 2, K + 1; the solver works in those units throughout."""

    def kbb(X, y, C, sample_weight=None, classes=None):
        posed = cv.KERNLAB_KBB.pose(X, y, C, sample_weight=sample_weight, classes=classes)
        s = solved(posed.problem)
        back = posed.theirs(s.W, s.b, s.alpha)
        return {
            **back,
            "objective": posed.objective(s.objective),
            "classes": posed.problem.classes,
            "decision_function": lambda Z: Z @ back["W"] + back["b"],
            "predict": s.predict,
            "converged": True,
        }

    records = check_solver(kbb, convention="kernlab-kbb", tolerance=1e-7, truths=TRUTHS)
    assert [r for r in records if r.status == "failed"] == []
    wrong = check_solver(kbb, mr.WW, bias="penalized", tolerance=1e-7, checks=["check_C"])
    assert "C·2" in wrong[0].message
