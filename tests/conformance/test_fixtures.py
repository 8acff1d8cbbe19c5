"""The stored fixtures do separate what they claim to separate, by certificate."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import msvm_ref as mr
from msvm_ref.conformance.fixtures import BIAS_FIXTURES, DATA, MACHINE_FIXTURES, MARGIN, OPTIMA
from msvm_ref.judge.values import primal_value
from msvm_ref.model import conventions as cv

SOLVED: dict[tuple[str, str, str], mr.Solution] = {}


def solved(data: str, name: str, bias: str) -> mr.Solution:
    key = (data, name, bias)
    if key not in SOLVED:
        X, y = DATA[data]
        SOLVED[key] = mr.solve(mr.Problem(mr.machine_named(name), X, y, bias=bias))
    return SOLVED[key]


def worse(of: mr.Solution, at: mr.Solution) -> float:
    b = np.zeros(3) if at.problem.bias == "none" else of.b
    return primal_value(at.problem, of.W, b).low - (1 + MARGIN) * at.certificate.upper


def test_every_pair_is_there():
    names = [m.name for m in mr.CATALOGUE]
    assert {(f.first[0], f.second[0]) for f in MACHINE_FIXTURES} == set(itertools.combinations(names, 2))
    assert len(BIAS_FIXTURES) == 3 * len(names)


@pytest.mark.parametrize("key", OPTIMA, ids="-".join)
def test_stored_enclosures_hold_the_certified_optimum(key):
    certificate = solved(*key).certificate
    low, high = OPTIMA[key]
    assert low <= certificate.upper
    assert certificate.lower <= high
    assert high - low <= 2e-9 * (1 + high)


@pytest.mark.parametrize("fixture", [*MACHINE_FIXTURES, *BIAS_FIXTURES], ids=lambda f: f.case.name)
def test_enclosures_do_not_meet_and_neither_solution_passes_for_the_other(fixture):
    (a_low, a_high), (b_low, b_high) = fixture.enclosures
    assert a_high < b_low or b_high < a_low
    a, b = solved(fixture.data, *fixture.first), solved(fixture.data, *fixture.second)
    assert worse(a, b) > 0
    assert worse(b, a) > 0


def test_conventions_of_one_machine_differ_wherever_their_maps_do():
    """The same constant under two conventions with different maps is two problems: their optima differ on 12 examples."""
    from msvm_ref.conformance.cases import OFFSET

    for a, b in itertools.combinations([c for c in cv.CONVENTIONS if c.machine == mr.WW and not c.binary], 2):
        one, two = a.pose(OFFSET.X, OFFSET.y, 0.5), b.pose(OFFSET.X, OFFSET.y, 0.5)
        if (one.problem.C, one.problem.bias) == (two.problem.C, two.problem.bias):
            continue
        first, second = mr.solve(one.problem).certificate, mr.solve(two.problem).certificate
        assert first.upper < second.lower or second.upper < first.lower, (a.name, b.name)
