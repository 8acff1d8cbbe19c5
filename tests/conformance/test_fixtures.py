"""The stored fixtures do separate what they claim to separate, by certificate."""

from __future__ import annotations

import itertools
from collections import Counter

import numpy as np
import pytest

import msvm_ref as mr
from msvm_ref.conformance.convention_pairs import PROBLEMS, problem_of, relation
from msvm_ref.conformance.fixtures import BIAS_FIXTURES, DATA, MACHINE_FIXTURES, MARGIN, OPTIMA
from msvm_ref.model import conventions as cv
from tests.judge.test_judge import primal_value

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
    assert {(f.first[0], f.second[0]) for f in MACHINE_FIXTURES} == set(
        itertools.combinations(names, 2)
    )
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


class Posing:
    """Each of our problems is solved once, however many conventions lead to it."""

    def __init__(self):
        self.compiled, self.solved = {}, {}

    def optimum(self, convention, where):
        case = problem_of(where, convention)
        posed = convention.pose(case.X, case.y, where[1])
        p = posed.problem
        kind = (p.machine, p.bias, where[0])
        key = (*kind, p.C)
        if key not in self.solved:
            self.solved[key] = mr.solve(self.compiled.setdefault(kind, p).with_C(p.C))
        return posed, self.solved[key]

    def misread(self, of, at, where):
        """Certified lower bound on how much worse ``of``'s optimum is, read as an answer in convention ``at``."""
        posed, truth = self.optimum(at, where)
        theirs, best = self.optimum(of, where)
        given = theirs.theirs(best.W, None if theirs.problem.bias == "none" else best.b)
        if posed.problem.bias == "none":
            given.pop("b", None)
        if of.binary:
            given = {k: np.stack([-v, v], axis=-1) for k, v in given.items()}
        ours = posed.ours(**given)
        b = ours.get("b", np.zeros(posed.problem.d))
        return primal_value(posed.problem, ours["W"], b).low / truth.certificate.upper - 1


def test_every_pair_of_conventions_is_separated_or_the_same():
    """A solver that swaps two conventions is off by at least 2 % on the pair's fixture, both ways, unless they are the same."""
    posing, kinds = Posing(), Counter()
    for a, b in itertools.combinations(cv.CONVENTIONS, 2):
        r = relation(a, b)
        kinds[r.kind] += 1
        wheres = (
            [r.where] if r.where else PROBLEMS[2 if r.first.binary or r.second.binary else 3][:1]
        )
        for where in wheres:
            off = posing.misread(r.second, r.first, where), posing.misread(r.first, r.second, where)
            assert (min(off) > MARGIN) if r.where else (max(off) < 1e-9), (a.name, b.name, off)
        assert r.where is None or r.where in PROBLEMS[2 if r.first.binary or r.second.binary else 3]
    assert kinds == {"same": 20, "convertible": 84, "different": 247}


def test_convertible_conventions_convert():
    """f' = scale f at the converted constant, through both maps: composed, they are the identity on the optimum."""
    X, y = np.array([[4.0, 1], [-1, 2], [1, -1], [2, 0]]), [0, 1, 2, 1]
    for a, b in (
        ("HL(4)", "FH(1)"),
        ("FH(2)", "mlpack"),
        ("HL(16)", "svm-multiclass"),
        ("HL(4)", "HL(7)"),
    ):
        r = relation(a, b)
        assert r.kind == "convertible"
        one = r.first.pose(X, y, 0.5)
        two = r.second.pose(X, y, r.constant(0.5, 4, 3))
        assert pytest.approx(one.problem.C, rel=1e-15) == two.problem.C
        s = mr.solve(one.problem)
        first, second = one.theirs(s.W, s.b), two.theirs(s.W, s.b)
        assert np.allclose(second["W"], r.scale(3) * first["W"], rtol=1e-14)
