"""Every wrong loss is caught by the check named for it and diagnosed right; right ones pass every check."""

from __future__ import annotations

import numpy as np
import pytest

import msvm_ref as mr
from msvm_ref.conformance.losses.checks import LOSS_CHECKS
from msvm_ref.conformance.losses.convention import LossConvention
from msvm_ref.conformance.losses.suite import check_loss, make_loss_trial, run_loss_check
from tests.losses.honest import BOTH, Honest, HonestCS
from tests.losses.test_exact import GIVEN, SHARED
from tests.losses.zoo import BROKEN, ZOO
from tests.small_problems import COSTS, MACHINES, label, table, thinned


def failed(records):
    return {r.name: r.message for r in records if r.status == "failed"}


@pytest.mark.parametrize("name", thinned(ZOO, 2))
def test_each_wrong_loss_is_caught_by_the_check_named_for_it_and_diagnosed(name):
    animal = ZOO[name]
    trial = make_loss_trial(animal.loss, **animal.claim)
    record = run_loss_check(trial, animal.check)
    assert record.status == "failed", record
    assert animal.words in record.message, record.message
    assert "bug of msvm_ref" not in record.message


ONLY = [name for name, animal in ZOO.items() if animal.only]


@pytest.mark.parametrize("name", thinned(ONLY, 3))
def test_every_check_catches_a_wrong_loss_that_no_other_check_does(name):
    animal = ZOO[name]
    records = check_loss(animal.loss, diagnose=False, **animal.claim)
    assert set(failed(records)) == {animal.check}


def test_the_zoo_is_large_and_leaves_no_check_idle():
    assert len(ZOO) >= 75
    assert {ZOO[name].check for name in ONLY} == set(LOSS_CHECKS)


@pytest.mark.parametrize(("loss", "machine"), [(Honest(), mr.WW), (HonestCS(), mr.CS)])
def test_an_honest_loss_with_every_parameter_passes_every_check(loss, machine):
    records = check_loss(loss, machine, BOTH, gradient=loss.gradient)
    assert [r.status for r in records] == ["passed"] * len(LOSS_CHECKS), failed(records)


@pytest.mark.parametrize(
    ("machine", "cost"), table([thinned([*MACHINES, GIVEN, SHARED], 2)], [COSTS]), ids=label
)
def test_our_own_losses_pass(machine, cost):
    told = machine.with_cost(cost)

    def ours(scores, y, reduction="mean", class_weight=None, sample_weight=None):
        return mr.losses.loss(
            told,
            scores,
            y,
            reduction=reduction,
            class_weight=class_weight,
            sample_weight=sample_weight,
        )

    def slope(scores, y, reduction="mean", class_weight=None, sample_weight=None):
        return mr.losses.subgradient(
            told,
            scores,
            y,
            reduction=reduction,
            class_weight=class_weight,
            sample_weight=sample_weight,
        )

    records = check_loss(ours, told, gradient=slope)
    assert not failed(records)
    assert sum(r.status == "passed" for r in records) >= 21


@pytest.mark.parametrize("name", BROKEN)
def test_what_is_no_loss_is_a_failed_record(name):
    function, words = BROKEN[name]
    records = check_loss(function, mr.WW, seconds=0.3)
    assert failed(records), records
    assert words in failed(records)["check_value"]
    assert not any("bug of msvm_ref" in r.message for r in records)


def test_a_loss_that_hangs_is_not_waited_for_twice_a_check():
    records = check_loss(BROKEN["hangs"][0], mr.WW, seconds=0.3)
    assert sum(r.seconds for r in records) < 5
    assert "2 earlier calls did not return" in records[-1].message


def test_a_returned_pair_holds_loss_and_gradient():
    honest = Honest()

    def both(scores, y):
        return honest(scores, y), honest.gradient(scores, y)

    records = check_loss(both, mr.WW, gradient=True)
    assert not failed(records)
    assert {r.name: r.status for r in records}["check_gradient_at_kinks"] == "passed"


def test_centred_scores_are_a_claim_of_their_own():
    """LLW without centring is right where somebody else sees to it that scores sum to zero."""
    free = ZOO["LLW not centred"].loss
    assert "check_value" in failed(check_loss(free, mr.LLW, diagnose=False))
    claim = LossConvention("centred", scores="centred")
    records = failed(check_loss(free, mr.LLW, claim, diagnose=False))
    assert set(records) <= {"check_label_range"}  # numpy's own indexing wraps


def test_expected_failures_are_strict():
    animal = ZOO["a negative label wraps"]
    told = {"check_label_range": "known"}
    records = check_loss(animal.loss, expected_failures=told, **animal.claim)
    assert {r.status for r in records} == {"passed", "expected failure"}
    records = check_loss(
        Honest(), mr.WW, expected_failures={"check_value": "no"}, checks=["check_value"]
    )
    assert records[0].status == "failed"
    with pytest.raises(mr.DataError, match="name checks among"):
        check_loss(Honest(), mr.WW, checks=["check_nothing"])


def test_per_example_losses_need_no_reduction():
    def each(scores, y):
        return np.asarray(Honest()(scores, y, reduction="none"))

    records = check_loss(each, mr.WW)
    assert not failed(records)
    assert {r.name: r.status for r in records}["check_half_precision_range"] == "skipped"


def test_a_check_is_quick():
    """Not a timing: how often the function is asked."""
    asked = []

    class Counting(Honest):
        def __call__(self, scores, y, *more, **named):
            asked.append(len(scores))
            return super().__call__(scores, y, *more, **named)

    loss = Counting()
    check_loss(loss, mr.WW, BOTH, gradient=loss.gradient)
    assert len(asked) < 400
