"""diagnose(): what the answer is the optimum of, with the certificate; silence where there is nothing to say."""

from __future__ import annotations

import json

import numpy as np
import pytest

import msvm_ref as mr
from msvm_ref.conformance import diagnose
from msvm_ref.conformance.cases import OFFSET
from msvm_ref.conformance.hypotheses import Hypothesis, possible

X, Y = np.array(OFFSET.X), np.array(OFFSET.y)


def problem(machine=mr.WW, C=1.0, bias="free", **more):
    return mr.Problem(machine, more.pop("X", X), Y, C=C, bias=bias, **more)


def test_the_truth_is_optimal_as_claimed():
    s = mr.solve(problem())
    for given in ({"W": s.W, "b": s.b}, {"alpha": s.alpha}, {"scores": s.decision_function(X)}):
        diagnosis = diagnose(problem(), **given)
        assert diagnosis.as_claimed, diagnosis
        assert diagnosis.found.certificate.optimal(1e-6)


def test_three_edits_at_once_and_the_certificate_that_proves_them():
    s = mr.solve(problem(mr.CS, C=4.0, bias="penalized"))
    diagnosis = diagnose(problem(), W=s.W / 2, b=s.b / 2)
    assert diagnosis.found is not None
    assert diagnosis.found.problem.machine.name == "CS"
    assert diagnosis.found.problem.bias == "penalized"
    assert diagnosis.found.C == 4.0
    assert diagnosis.found.certificate.optimal(1e-6)
    assert "margin f_y - f_c >= 1" in str(diagnosis)
    assert json.loads(json.dumps(diagnosis.to_dict()))["found"]["machine"] == "CS"


@pytest.mark.parametrize("sigma", [10.0, 100.0])
def test_intercept_scaling(sigma):
    s = mr.solve(mr.Problem(mr.WW, np.column_stack([X, np.full(len(X), sigma)]), Y))
    diagnosis = diagnose(problem(bias="penalized"), W=s.W[:-1], b=sigma * s.W[-1])
    assert f"intercept scaled by {sigma:g}" in diagnosis.sentence


def test_lambda_and_mean():
    """C = 0.2 taken for lambda: 1/n sum + lambda/2 ||w||^2 is C' = 1 / (lambda n)."""
    s = mr.solve(problem(C=1 / (0.2 * len(X))))
    assert "lambda" in diagnose(problem(C=0.2), W=s.W, b=s.b).sentence


def test_a_square_w_transposed():
    X3 = np.column_stack([X, X[:, 0] * X[:, 1]])
    claim = problem(X=X3, bias="none")
    assert "transposed" in diagnose(claim, W=mr.solve(claim).W.T).sentence


def test_swapped_labels_and_rbf_kernel():
    claim = problem(kernel=mr.rbf(0.5), bias="none")
    s = mr.solve(claim)
    diagnosis = diagnose(claim, coef=s.coef[:, [1, 0, 2]])
    assert "column [1, 0, 2]" in diagnosis.sentence


def test_nothing_we_know_is_said_so():
    s = mr.solve(problem())
    rng = np.random.default_rng(0)
    diagnosis = diagnose(problem(), W=s.W + 0.3 * rng.normal(size=s.W.shape), b=s.b)
    assert diagnosis.found is None
    assert "optimal for nothing we know" in diagnosis.sentence
    assert diagnosis.claimed.primal_error > 0.01


def test_a_loosely_converged_other_problem_is_close_to():
    s = mr.solve(problem(C=8.0).with_C(4.0))
    diagnosis = diagnose(problem(C=1.0), W=s.W * (1 + 3e-4), b=s.b)
    assert "close to the optimum of WW, C·4" in diagnosis.sentence


def test_the_ray_test_never_rules_out_the_truth():
    """Necessary means necessary: for every machine and bias the claim itself survives at its own optimum."""
    for machine in (*mr.CATALOGUE, mr.CS.with_cost("quadratic"), mr.ATS.with_cost("quadratic")):
        for bias in ("none", "free", "penalized"):
            claim = problem(machine, bias=bias)
            s = mr.solve(claim)
            if np.linalg.norm(s.W) < 1e-6:
                continue  # nothing to scale: the trivial optimum of MMR_ORTHO with a free bias
            same = Hypothesis(
                machine, 1.0, 1.0, bias, 1.0, (0, 1, 2), "as given", "as given", (), 0.0
            )
            assert possible(claim, same, s.candidate.primal[0], s.b, {}), (machine.name, bias)
