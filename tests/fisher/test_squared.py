"""The squared hinge: verdicts, their evidence, and what is left open."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction

import pytest

from msvm_ref.errors import DataError, SpecError
from msvm_ref.fisher import (
    fisher_consistency,
    minimize_risk,
    verify_squared_counterexample,
    verify_squared_proof,
)
from msvm_ref.fisher.loss import point_loss
from msvm_ref.fisher.squared import exceptional, own_slacks
from msvm_ref.model.catalogue import AMO, ATM, ATS, CATALOGUE, CS, LLW, MMR, MMR_ORTHO, OVA, RM, WW
from msvm_ref.model.machine import OTHERS_SUM, TOTAL_SUM, Machine, Margin, Target
from tests.fisher.test_consistency import weighted_llw

F = Fraction
MODES = ("closed", "generic", "open")


def squared(machine):
    return machine.with_cost("quadratic")


@pytest.mark.parametrize("d", [2, 3, 4])
def test_verdicts_of_the_catalogue(d):
    """Smoothness repairs WW, OVA and ATS; shared slacks stay wrong; MMR is wrong only where some P_y = 0."""
    wrong = {"MMR_ORTHO"} if d == 2 else {"MMR_ORTHO", "CS", "AMO", "ATM"}
    for machine in [*CATALOGUE, RM(F(3, 4)), RM(1)]:
        for mode in MODES if d < 4 else MODES[:1]:
            result = fisher_consistency(squared(machine), d, mode)
            result.verify()
            only_closed = machine.name in ("MMR", "RM(1)") and mode == "closed" and d > 2
            assert result.consistent != (machine.name in wrong or only_closed), (machine.name, mode)
            if machine.name in wrong:
                assert result.counterexample.open


@pytest.mark.parametrize("machine", [WW, LLW, OVA, ATS, RM(F(3, 4)), MMR], ids=lambda m: m.name)
@pytest.mark.parametrize(
    "P", [("2/5", "3/10", "3/10"), ("1/2", "1/3", "1/6"), ("9/25", "8/25", "8/25")]
)
def test_minimisers_agree_with_the_verdict_at_inner_p(machine, P):
    assert minimize_risk(squared(machine), P).consistent


def test_minimisers_agree_with_the_counterexamples():
    for machine in (CS, AMO, ATM, MMR_ORTHO, MMR):
        found = fisher_consistency(squared(machine), 3).counterexample
        least = minimize_risk(squared(machine), found.P)
        assert least.value == found.risk
        assert not least.consistent


def test_print_and_json():
    text = str(fisher_consistency(squared(CS), 3))
    assert "squared hinge" in text
    assert "unique" not in text
    assert "exchange argument" in str(fisher_consistency(squared(WW), 3))
    data = json.loads(fisher_consistency(squared(MMR), 3, "generic").to_json())
    assert data["cost"] == "quadratic"
    assert (
        verify_squared_proof(squared(MMR), data["proof"])
        == len(data["proof"]["steps"][0]["known"]) + 1
    )


def changed(data, *path, value):
    copy = json.loads(json.dumps(data))
    at = copy
    for key in path[:-1]:
        at = at[key]
    at[path[-1]] = value
    return copy


def test_false_proofs_are_refused():
    proof = fisher_consistency(squared(MMR), 3, "generic").proof.to_dict()
    verify_squared_proof(squared(MMR), proof)
    zeros = ["0"] * len(proof["empty"])
    damaged = [
        changed(proof, "mode", value="closed"),
        changed(proof, "steps", value=[]),
        changed(proof, "empty", value=zeros),
        changed(proof, "empty", value=[str(-F(v)) for v in proof["empty"]]),
        changed(proof, "steps", 0, "known", value=[]),
        changed(proof, "steps", 0, "known", 0, "multipliers", value=["0"] * 4),
        changed(proof, "steps", 0, "direction", value=["1", "0", "0"]),
        changed(proof, "steps", 0, "direction", value=["-1", "0", "1"][::-1]),
        changed(proof, "steps", 0, "forced", value=[[0, 0]]),
        changed(proof, "steps", 0, "forced", value=[[9, 9]]),
        changed(proof, "kind", value="fiat"),
        changed(proof, "d", value=4),
    ]
    for bad in damaged:
        with pytest.raises(DataError):
            verify_squared_proof(squared(MMR), bad)


@pytest.mark.parametrize(
    "machine",
    [CS, AMO, MMR, weighted_llw((1, 1, 1), (1, 1, F(11, 10))), replace(LLW, sum_to_zero=False)],
    ids=lambda m: m.name,
)
def test_a_proof_of_one_machine_proves_nothing_about_another(machine):
    proof = fisher_consistency(squared(LLW), 3).proof
    with pytest.raises(DataError):
        verify_squared_proof(squared(machine), proof)
    with pytest.raises(DataError):
        verify_squared_proof(LLW, proof)


def test_false_counterexamples_are_refused():
    machine = squared(CS)
    data = fisher_consistency(machine, 3).counterexample.to_dict()
    verify_squared_counterexample(machine, data, "open")
    damaged = [
        changed(data, "P", value=["1", "0", "0"]),
        changed(data, "f", value=["1", "0", "-1"]),
        changed(data, "k", value=data["j"]),
        changed(data, "risk", value="2"),
        changed(data, "multipliers", value=[["0"] * 3] * 3),
        changed(data, "multipliers", 0, 1, value="-1"),
        changed(data, "neighbours", value=data["neighbours"][:1]),
        changed(data, "neighbours", 0, value=[["0"] * 3] * 3),
        changed(data, "radius", value="1"),
        changed(data, "unique", value=True),
        changed(data, "predicted", value=[0]),
        changed(data, "bayes_risk", value="0"),
        changed(data, "bayes_scores", value=["0", "1", "2"]),
    ]
    for bad in damaged:
        with pytest.raises(DataError):
            verify_squared_counterexample(machine, bad, "open")
    with pytest.raises(DataError):
        verify_squared_counterexample(CS, data, "open")
    special = fisher_consistency(squared(MMR), 3).counterexample
    with pytest.raises(DataError):
        verify_squared_counterexample(squared(MMR), special, "generic")


def test_what_is_open_is_refused_with_its_reason():
    lopsided = squared(weighted_llw((1, 2, 3), (1, 1, 1)))
    with pytest.raises(SpecError, match="alike"):
        fisher_consistency(lopsided, 3)
    with pytest.raises(SpecError, match="kinked"):
        own_slacks(point_loss(CS, 3))
    odd = Machine("odd", Margin("odd", F(2), F(-1), F(-2)), OTHERS_SUM, Target(), True)
    with pytest.raises(SpecError, match="gain"):
        exceptional(point_loss(odd, 3))


def test_a_lopsided_machine_with_a_counterexample_is_decided():
    tilted = squared(weighted_llw((1, 1, 1), (1, 1, 3)))
    result = fisher_consistency(tilted, 3)
    assert not result.consistent
    result.verify()


def test_a_zero_target_is_inconsistent():
    flat = Machine("flat", OVA.margin, TOTAL_SUM, Target(F(0), F(0)), False, "quadratic")
    result = fisher_consistency(flat, 3)
    assert not result.consistent
    result.verify()
