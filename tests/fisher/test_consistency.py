"""Fisher consistency decided: verdicts, proofs and counterexamples of the catalogue, and what is refused."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from msvm_ref.errors import DataError, SpecError
from msvm_ref.fisher.consistency import fisher_consistency
from msvm_ref.fisher.loss import is_symmetric, point_loss
from msvm_ref.fisher.prover import Bad, search
from msvm_ref.model.catalogue import AMO, ATM, ATS, CATALOGUE, CS, LLW, MMR, MMR_ORTHO, OVA, RM, WW
from msvm_ref.model.machine import (
    ABSOLUTE,
    OTHERS_MAX,
    OTHERS_SUM,
    TOTAL_MAX,
    TOTAL_SUM,
    Machine,
    Target,
)

F = Fraction
CONSISTENT = {
    2: {m.name for m in CATALOGUE} - {"MMR_ORTHO"},
    3: {"LLW", "RM(1/2)", "ATS"},
    4: {"LLW", "RM(1/2)"},
    5: {"LLW", "RM(1/2)"},
}


@pytest.mark.parametrize("d", [2, 3, 4])
@pytest.mark.parametrize("mode", ["closed", "generic", "open"])
def test_verdicts_of_the_catalogue(d, mode):
    for machine in CATALOGUE:
        result = fisher_consistency(machine, d, mode)
        assert result.consistent == (machine.name in CONSISTENT[d]), machine.name
        result.verify()
        assert result.consistent or result.counterexample.open


def test_verdicts_at_five_classes():
    for machine in (LLW, RM(), CS, ATS, AMO):
        result = fisher_consistency(machine, 5)
        assert result.consistent == (machine.name in CONSISTENT[5])
        result.verify()


def test_math_e1_is_what_it_prints():
    text = str(fisher_consistency(ATS, 4))
    assert "NOT Fisher consistent" in text
    for part in (
        "(2/5, 3/10, 1/5, 1/10)",
        "(1, 1, −1, −1)",
        "unique",
        "{1, 2}",
        "16/5",
        "18/5",
        "open set",
    ):
        assert part in text
    assert "proof" in str(fisher_consistency(ATS, 3))


def test_result_is_json_with_its_evidence():
    data = json.loads(fisher_consistency(LLW, 3).to_json())
    assert data["consistent"]
    assert data["proof"]["cases"]
    assert data["counterexample"] is None
    data = json.loads(fisher_consistency(CS, 3).to_json())
    assert not data["consistent"]
    assert data["proof"] is None
    assert data["counterexample"]["unique"]


MUTANTS = [
    ("ATS loses its sum-to-zero", replace(ATS, sum_to_zero=False), 3, False),
    ("LLW loses its sum-to-zero", replace(LLW, sum_to_zero=False), 3, False),
    ("LLW's sum becomes a max", replace(LLW, aggregation=OTHERS_MAX), 3, False),
    ("ATS's sum becomes a max", replace(ATS, aggregation=TOTAL_MAX), 3, False),
    ("AMO's max becomes a sum", replace(AMO, aggregation=OTHERS_SUM), 3, True),
    (
        "ATS's own target is halved",
        Machine("m", ABSOLUTE, TOTAL_SUM, Target(own=F(1, 2)), True),
        3,
        False,
    ),
    (
        "ATS's own target is just above 1/2",
        Machine("m", ABSOLUTE, TOTAL_SUM, Target(own=F(51, 100)), True),
        3,
        True,
    ),
    (
        "ATS at d = 4 with its target raised",
        Machine("m", ABSOLUTE, TOTAL_SUM, Target(own=F(11, 10)), True),
        4,
        True,
    ),
    ("RM just above 1/2", RM(F(501, 1000)), 3, False),
    ("LLW with another positive target", replace(LLW, target=Target(F(7), F(7))), 3, True),
    ("LLW with target zero", replace(LLW, target=Target(F(0), F(0))), 3, False),
]


@pytest.mark.parametrize(
    ("machine", "d", "expected"), [m[1:] for m in MUTANTS], ids=[m[0] for m in MUTANTS]
)
def test_mutated_losses_flip_the_verdicts_they_must(machine, d, expected):
    result = fisher_consistency(machine, d)
    assert result.consistent == expected
    result.verify()


@pytest.mark.parametrize(
    "machine", [LLW, ATS, RM(F(1, 3)), CS, WW, ATM, MMR_ORTHO, OVA], ids=lambda m: m.name
)
def test_symmetry_changes_no_verdict(machine):
    """Sorted scores are a short cut: all pairs of classes must say the same."""
    for mode in ("closed", "generic", "open"):
        loss = point_loss(machine, 3)
        assert isinstance(search(loss, mode, True), Bad) == isinstance(
            search(loss, mode, False), Bad
        )


def relabelled(machine, d, order):
    nu, gamma = machine.nu(d), machine.gamma(d)
    return Machine(
        "relabelled",
        [[[nu[a][b][c] for c in order] for b in order] for a in order],
        machine.aggregation,
        [[gamma[a][b] for b in order] for a in order],
        machine.sum_to_zero,
    )


def test_a_machine_that_favours_a_class_is_decided_over_all_pairs():
    gamma = np.ones((3, 3), dtype=object)
    gamma[0] = [2, 2, 2]  # class 0 asks for more: its loss is no longer comparable with the others'
    tilted = Machine("tilted LLW", LLW.margin, OTHERS_SUM, gamma, True)
    assert not is_symmetric(tilted, 3)
    verdicts = set()
    for order in ([0, 1, 2], [2, 0, 1], [1, 2, 0]):
        result = fisher_consistency(relabelled(tilted, 3, order), 3)
        result.verify()
        verdicts.add(result.consistent)
    assert len(verdicts) == 1


def test_an_asymmetric_consistent_machine_gets_a_proof_over_all_pairs():
    """Scaling nu and gamma of component c by s_c > 0, alike for every y, reweighs LLW's terms; equal s is LLW itself."""
    nu = [
        [[-F(2) if m == c and c != y else F(0) for m in range(3)] for c in range(3)]
        for y in range(3)
    ]
    nu[0][0][0] = F(1)  # a component that does not count: only the symmetry check sees it
    result = fisher_consistency(Machine("LLW, twice", nu, OTHERS_SUM, 2, True))
    assert result.consistent
    assert not result.symmetric
    assert len(result.proof.cases) == 6
    result.verify()


def test_senses_differ_where_only_ties_are_wrong():
    """Losses that vanish on a set: class 0's loss ignores f, so P = e_0 leaves everything open, and only that P."""
    nu = [[[0, 0], [0, 0]], [[-1, 0], [0, 1]]]
    machine = Machine("blind to class 0", nu, TOTAL_SUM, [[0, 0], [1, 1]], True)
    verdicts = [
        fisher_consistency(machine, 2, mode).consistent for mode in ("closed", "generic", "open")
    ]
    assert verdicts == sorted(verdicts)
    assert not verdicts[0]


def test_refusals():
    with pytest.raises(SpecError, match="at most 10"):
        fisher_consistency(WW, 11)
    with pytest.raises(DataError, match="mode"):
        fisher_consistency(WW, 3, "strict")
    with pytest.raises(SpecError, match="Machine"):
        fisher_consistency("WW", 3)
    with pytest.raises(SpecError, match="integer"):
        fisher_consistency(WW, 3.0)
    with pytest.raises(SpecError, match="at least 2"):
        fisher_consistency(WW, 0)
    with pytest.raises(SpecError, match="at most 5"):
        fisher_consistency(Machine("m", _lopsided(6), OTHERS_SUM), 6)


def _lopsided(d):
    nu = np.zeros((d, d, d), dtype=int)
    for y in range(d):
        for c in range(d):
            nu[y, c, c] = 1 if c == y else -1
    nu[0, 1, 1] = -2
    return nu


def test_a_search_that_is_too_long_is_given_up_in_words(monkeypatch):
    import msvm_ref.fisher.prover as prover

    monkeypatch.setattr(prover, "NODE_LIMIT", 2)
    with pytest.raises(SpecError, match="regions"):
        fisher_consistency(RM(), 4)


def test_progress_is_told():
    seen = []
    fisher_consistency(LLW, 3, progress=lambda done, total: seen.append((done, total)))
    assert seen[-1] == (2, 2)


def test_mmr_predicts_all_but_the_last():
    assert fisher_consistency(MMR, 4).counterexample.f == (1, 1, 1, -3)


def weighted_llw(targets, scales):
    """R_P(f) = sum_c (1 - P_c) [g_c + s_c f_c]_+ on sum f = 0."""
    d = len(targets)
    nu = [
        [[-F(scales[c]) if m == c and c != y else F(0) for m in range(d)] for c in range(d)]
        for y in range(d)
    ]
    return Machine("weighted LLW", nu, OTHERS_SUM, [[F(g) for g in targets]] * d, True)


@pytest.mark.parametrize("mode", ["closed", "generic", "open"])
def test_targets_may_differ_from_class_to_class_but_slopes_may_not(mode):
    """Targets move the corners only; slopes s_c (1 - P_c) move the Bayes border."""
    good = fisher_consistency(weighted_llw((1, 2, 3), (1, 1, 1)), 3, mode)
    assert good.consistent
    assert not good.symmetric
    good.verify()
    tilted = fisher_consistency(weighted_llw((1, 1, 1), (1, 1, F(11, 10))), 3, mode)
    assert not tilted.consistent
    tilted.verify()
