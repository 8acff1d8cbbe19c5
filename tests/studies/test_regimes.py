from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from msvm_ref.errors import DataError, SpecError
from msvm_ref.model.catalogue import AMO, ATM, ATS, CS, LLW, MMR, OVA, RM, WW
from msvm_ref.model.kernels import rbf
from msvm_ref.model.machine import Machine, Target
from msvm_ref.model.problem import Problem
from msvm_ref.studies.confirm import confirm_theorem8, confirm_theorem9
from msvm_ref.studies.regimes import kde_regime, one_point, one_point_problem
from msvm_ref.studies.zero import NEGLIGIBLE, zero_bound

F = Fraction
RNG = np.random.default_rng(3)
X, Y = RNG.normal(size=(9, 2)), np.arange(9) % 3


@pytest.mark.parametrize(
    ("machine", "own", "common"),
    [
        (MMR, F(1), F(0)),
        (WW, F(3, 2), F(1, 2)),
        (LLW, F(1), F(1)),
        (ATS, F(2), F(1)),
        (OVA, F(2), F(1)),
        (RM(F(1, 4)), F(1), F(3, 4)),  # whose targets are not 1
    ],
    ids=lambda v: getattr(v, "name", str(v)),
)
def test_theorem_8_and_its_sharp_constant(machine, own, common):
    """w~ = own C sum_{y=c} phi, eta~ = eta + common C sum phi: the signs and factors of erratum E4, d = 3."""
    problem = Problem(machine, X, Y, kernel=rbf(0.5))
    regime = kde_regime(problem)
    assert (regime.own, regime.common) == (own, common)
    assert regime.paper == F(1, 27)
    assert regime.sharp > regime.paper
    confirmations = confirm_theorem8(problem, (0.99, 1.1))
    assert [c.claims for c in confirmations] == [True, True, False]
    assert all(c.borne_out for c in confirmations)
    assert confirmations[0].to_dict()["machine"] == machine.name


def test_the_sharp_constant_is_exact_for_rational_data():
    """Two points at +-1, two classes, MMR: Q = 1/2 everywhere, (Q 1)_i = 1, so C* = 1."""
    problem = Problem(MMR, [[1.0], [-1.0]], [0, 1])
    regime = kde_regime(problem)
    assert regime.sharp == 1
    assert regime.holds(1)
    assert not regime.holds(F(1000001, 1000000))
    assert regime.to_dict()["sharp"] == "1"


@pytest.mark.parametrize("own", [F(1, 2), F(1), F(3)])
def test_the_sharp_constant_is_the_targets_share(own):
    """Q = 1/2 everywhere as above: (Q 1)_i = 1, so C* is the target itself, and the value there C T n - C^2."""
    machine = Machine(
        "MMR, target T", MMR.margin, MMR.aggregation, Target(own=own), sum_to_zero=True
    )
    regime = kde_regime(Problem(machine, [[1.0], [-1.0]], [0, 1]))
    assert regime.sharp == own
    assert regime.value(own) == 2 * own * own - own * own


def test_an_exact_gram_may_be_given():
    gram = [[F(1), F(1, 3)], [F(1, 3), F(1)]]
    problem = Problem(MMR, [[0.0], [1.0]], [0, 1], kernel=rbf(1.0))
    assert kde_regime(problem, gram).sharp == 1 / (F(1, 2) - F(1, 6))


def test_regimes_refuse_what_they_are_not_about():
    with pytest.raises(SpecError, match="slack"):
        kde_regime(Problem(CS, X, Y))
    with pytest.raises(SpecError, match="linear"):
        kde_regime(Problem(WW.with_cost("quadratic"), X, Y))
    with pytest.raises(DataError, match="bias"):
        kde_regime(Problem(WW, X, Y, bias="free"))
    with pytest.raises(SpecError, match="non-negative"):
        kde_regime(Problem(Machine("m", WW.margin, WW.aggregation, -1), X, Y))


@pytest.mark.parametrize("machine", [CS, AMO, ATM], ids=lambda m: m.name)
def test_theorem_9_zero_for_every_c(machine):
    assert one_point(machine, ["2/5", "3/10", "3/10"]).zero
    for c in confirm_theorem9(machine, (4, 3, 3), (0.01, 1.0, 100.0)):
        assert c.claims
        assert c.borne_out
        assert c.lower <= float(c.exact_value) <= c.upper + 1e-9
        assert zero_bound(one_point_problem(machine, (4, 3, 3), c.C)) <= NEGLIGIBLE


@pytest.mark.parametrize("machine", [WW, LLW, MMR, RM(), ATS], ids=lambda m: m.name)
def test_theorem_9_is_not_about_sums(machine):
    assert not one_point(machine, ["2/5", "3/10", "3/10"]).zero
    assert zero_bound(one_point_problem(machine, (4, 3, 3), 1.0)) is None
    (confirmation,) = confirm_theorem9(machine, (4, 3, 3), (1.0,))
    assert not confirmation.claims
    assert confirmation.borne_out
    assert confirmation.score_distance > 0.1


def test_confirmation_notices_a_wrong_claim(monkeypatch):
    """Were C* twice as large, the solver would have to disagree."""
    import msvm_ref.studies.confirm as confirm

    honest = confirm.kde_regime
    monkeypatch.setattr(
        confirm, "kde_regime", lambda p: replace(honest(p), sharp=2 * honest(p).sharp)
    )
    confirmations = confirm_theorem8(Problem(WW, X, Y, kernel=rbf(0.5)), (0.99,))
    assert not confirmations[-1].borne_out


def test_a_majority_ends_theorem_9():
    assert not one_point(CS, ["3/5", "1/5", "1/5"]).zero
    assert zero_bound(one_point_problem(CS, (6, 2, 2), 1.0)) is None
    with pytest.raises(DataError, match="bias"):
        zero_bound(Problem(CS, X, Y, bias="free"))
