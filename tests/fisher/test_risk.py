from __future__ import annotations

import random
from fractions import Fraction

import numpy as np
import pytest

from msvm_ref.errors import DataError, SpecError
from msvm_ref.exact.numbers import fraction, rational
from msvm_ref.fisher.loss import point_loss
from msvm_ref.fisher.probability import probabilities, simple_probabilities
from msvm_ref.fisher.risk import minimize_risk
from msvm_ref.model.catalogue import AMO, ATS, CATALOGUE, CS, LLW, MMR_ORTHO, WW
from tests.fisher.brute import ranked_first
from tests.fisher.test_consistency import weighted_llw

F = Fraction
FOUR = ["2/5", "3/10", "1/5", "1/10"]


def test_the_ats_counterexample_of_erratum_e1():
    minimum = minimize_risk(ATS, FOUR)
    assert (minimum.value, minimum.minimiser, minimum.unique) == (F(16, 5), (1, 1, -1, -1), True)
    assert (minimum.argmax_classes, minimum.bayes_classes, minimum.consistent) == (
        (0, 1),
        (0,),
        False,
    )
    P, f = ([rational(F(v)) for v in values] for values in (FOUR, (3, -1, -1, -1)))
    assert fraction(point_loss(ATS, 4).risk(P, f)) == F(18, 5)


def test_liu_s_lemma_at_one_p():
    minimum = minimize_risk(CS, [0.4, 0.3, 0.3])
    assert (F(2, 5), F(3, 10), F(3, 10)) == minimum.P
    assert minimum.minimiser == (0, 0, 0)
    assert minimum.unique
    assert minimum.up_to_constant
    assert minimum.argmax_classes == (0, 1, 2)


@pytest.mark.parametrize("machine", CATALOGUE, ids=lambda m: m.name)
def test_agrees_with_brute_force_on_random_and_boundary_p(machine):
    rng = random.Random(machine.name)
    for _ in range(3):
        d = rng.choice([2, 3, 3])
        weights = [rng.randint(0, 4) for _ in range(d - 1)] + [1]
        P = [F(w, sum(weights)) for w in weights]
        minimum = minimize_risk(machine, P)
        assert (minimum.value, list(minimum.argmax_classes)) == ranked_first(machine, P)


def test_a_face_has_its_corners_and_both_stories():
    minimum = minimize_risk(WW, FOUR)
    assert not minimum.unique
    assert minimum.bounded
    assert minimum.vertices == ((2, 0, 0, -2), (1, 1, -1, -1))
    assert minimum.some_right
    assert not minimum.consistent
    assert "corners" in str(minimum)


def test_unbounded_minimisers_are_reported():
    minimum = minimize_risk(MMR_ORTHO, ["1/2", "1/2"])
    assert (minimum.value, minimum.bounded, minimum.unique) == (0, False, False)
    certain = minimize_risk(LLW, [1, 0, 0])
    assert not certain.bounded
    assert certain.consistent


def test_quadratic_cost_is_confirmed_exactly():
    minimum = minimize_risk(WW.with_cost("quadratic"), ["1/2", "3/10", "1/5"])
    assert (minimum.value, minimum.minimiser) == (
        F(236, 131),
        (F(178, 393), F(-14, 393), F(-164, 393)),
    )
    assert minimize_risk(AMO.with_cost("quadratic"), ["1/2", "3/10", "1/5"]).minimiser == (0, 0, 0)


def test_exact_analysis_refuses_the_quadratic_cost():
    with pytest.raises(SpecError, match="linear"):
        point_loss(WW.with_cost("quadratic"), 3)


@pytest.mark.parametrize(
    ("P", "words"),
    [
        ([0.5, 0.6], "sum to 1"),
        (["1/3", "1/3"], "sum to 1"),
        ([-0.5, 1.5], "non-negative"),
        ([1], "at least 2"),
        (["a", "b"], "rationals"),
        ("0.5", "sequence"),
        ([float("nan"), 1.0], "finite"),
        ([True, 0], "numbers"),
        (0.5, "sequence"),
        (["1/0", 1], "rationals"),
        ([None, 1], "numbers"),
    ],
)
def test_bad_p_is_a_typed_error(P, words):
    with pytest.raises(DataError, match=words):
        minimize_risk(WW, P)


def test_wrong_length_and_wrong_machine_are_typed_errors():
    with pytest.raises(DataError, match="each of the 4"):
        minimize_risk(WW, [0.5, 0.5], d=4)
    with pytest.raises(DataError, match="Machine"):
        minimize_risk("WW", [0.5, 0.5])


def test_floats_are_the_decimals_they_print_as():
    assert probabilities([0.1, 0.2, 0.7]) == (F(1, 10), F(1, 5), F(7, 10))
    assert sum(probabilities(np.random.default_rng(0).dirichlet(np.ones(5)))) == 1


def test_simple_probabilities_start_with_the_simplest():
    first = [(F(2, 5), F(3, 10), F(1, 5), F(1, 10)), (F(5, 11), F(3, 11), F(2, 11), F(1, 11))]
    assert list(simple_probabilities(4, 2)) == first


def test_json_form_is_complete():
    data = minimize_risk(ATS, FOUR).to_dict()
    assert data["value"] == "16/5"
    assert data["consistent"] is False
    assert data["P"] == FOUR


def test_of_two_bayes_classes_either_may_be_the_right_one():
    """Class 1 has scores that class 0 cannot reach: weights of the machine tell the two apart where P does not."""
    result = minimize_risk(weighted_llw((1, 1, 1), (3, 1, 3)), [F(2, 5), F(2, 5), F(1, 5)])
    assert result.bayes_classes == (0, 1)
    assert result.argmax_classes == (1,)
    assert result.some_right
