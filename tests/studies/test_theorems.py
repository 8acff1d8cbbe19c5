from __future__ import annotations

from fractions import Fraction

import pytest

from msvm_ref.errors import DataError, SpecError
from msvm_ref.fisher.infinitesimal import Infinitesimal
from msvm_ref.fisher.threshold import consistency_threshold, own_target, simplest_between
from msvm_ref.model.catalogue import AMO, ATS, CS, LLW, RM
from msvm_ref.model.machine import Machine
from msvm_ref.studies.theorems import (
    alone_inside,
    capped,
    check_theorems,
    optimal_throughout,
    published,
)
from tests.small_problems import thinned

F = Fraction


@pytest.mark.parametrize("d", [3, 4, 5])
def test_what_holds_and_what_needs_its_correction(d):
    findings = {(f.source, f.statement): f for f in check_theorems(d)}
    verdict = {key: f.holds for key, f in findings.items()}
    by_source = {}
    for (source, _), holds in verdict.items():
        by_source.setdefault(source, []).append(holds)
    assert by_source["UV Theorem 5, second case"] == [True, True]
    assert by_source["UV Theorem 5, first case"] == [False, False]  # E7: not unique at P_1 = 1
    assert by_source["UV Theorem 6"] == [d == 3, d == 3]  # E5: uniqueness needs every P_y > 0
    assert by_source["UV Theorem 6, read for max- or sum-over-others"] == [False, False]
    assert by_source["UV section 3.1, after Theorem 6"] == [True]  # under its hypothesis; E6 beyond
    assert by_source["UV Corollary 1"] == [True, True, True, d == 3]  # E1
    assert by_source["Liu 2007, Lemma 4"] == [d == 3]
    for f in findings.values():
        assert f.holds or f.correction
        assert ("E7" in f.correction) == (f.source == "UV Theorem 5, first case")
        assert ("E6" in f.correction) == (f.source == "UV section 3.1, after Theorem 6")


def test_the_region_tests_notice_false_theorems():
    zero = (F(0),) * 3
    assert optimal_throughout(CS, zero, capped(3, F(1, 2), 3))
    assert not optimal_throughout(CS, zero, capped(3, F(3, 5), 3))
    assert not optimal_throughout(AMO, zero, capped(3, F(7, 10), 3))
    assert not alone_inside(CS, (F(0),) * 4, capped(4, F(1, 2), 3))


def test_two_classes_are_refused():
    with pytest.raises(DataError, match="at least 3"):
        check_theorems(2)


def test_published_claims():
    assert published(ATS, 4) == (True, "UV Corollary 1")
    assert published(RM(F(1, 5)), 4) is None
    assert published(CS, 2) is None


def test_rm_breaks_exactly_above_one_half():
    threshold = consistency_threshold("RM", 3)
    assert (threshold.value, threshold.below, threshold.at, threshold.above) == (
        F(1, 2),
        True,
        True,
        False,
    )
    assert "1/2" in str(threshold)


@pytest.mark.parametrize("d", thinned([3, 4], 2))
def test_ats_needs_an_own_target_above_d_minus_2_over_2(d):
    threshold = consistency_threshold("ATS", d)
    assert (threshold.value, threshold.below, threshold.at, threshold.above) == (
        F(d - 2, 2),
        False,
        False,
        True,
    )


def test_thresholds_of_users_families_and_their_refusals():
    threshold = consistency_threshold(own_target, 3, "generic", between=(F(1, 3), F(2)))
    assert threshold.value == F(1, 2)
    with pytest.raises(DataError, match="different verdicts"):
        consistency_threshold("RM", 3, between=(0, F(1, 3)))
    with pytest.raises(DataError, match="family"):
        consistency_threshold("WW", 3)
    with pytest.raises(DataError, match="between"):
        consistency_threshold(own_target, 3)
    with pytest.raises(DataError, match="mode"):
        consistency_threshold("RM", 3, "x")

    def curved(t):
        return Machine("curved", ATS.margin, ATS.aggregation, t * t, True)

    with pytest.raises((SpecError, DataError)):
        consistency_threshold(curved, 4, between=(F(1), F(5)))


def test_simplest_rational_of_an_interval():
    assert simplest_between(F(3, 10), F(2, 5)) == F(1, 3)
    assert simplest_between(F(1), F(3)) == 1
    assert simplest_between(F(499, 1000), F(501, 1000)) == F(1, 2)
    assert simplest_between(F(-7, 10), F(-3, 5)) == F(-2, 3)


def test_infinitesimals_are_an_ordered_field():
    eps, one = Infinitesimal([0, 1]), Infinitesimal([1])
    assert 0 * eps == 0
    assert eps > 0
    assert eps < one / 10**12
    assert one / eps > 10**12
    assert -eps < 0 <= eps * eps < eps
    assert (one + eps) * (one - eps) == one - eps * eps
    assert (eps / (one + eps)) * (one + eps) == eps
    assert hash(eps / 1) == hash(eps)
    assert bool(eps - eps) is False
    assert "/" in repr(one / (one + eps))


def test_llw_stays_consistent_under_a_positive_target():
    def family(t):
        return Machine("m", LLW.margin, LLW.aggregation, t, True)

    threshold = consistency_threshold(family, 3, between=(F(-1), F(1)))
    assert (threshold.value, threshold.below, threshold.at, threshold.above) == (
        F(0),
        False,
        False,
        True,
    )
