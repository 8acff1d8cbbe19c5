"""The attacker bites: a perfect judge passes, and every sabotage of it, by as little as an ulp or two, is caught."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

import msvm_ref as mr
from tests.adversary import proved
from tests.adversary.attack import Outcome, attack, bias_faults, judged
from tests.adversary.calls import Case, Helpers, drawn_call
from tests.adversary.candidates import pool
from tests.adversary.checks import same_form
from tests.adversary.draw import Draw
from tests.adversary.evaluator import Exact
from tests.adversary.scaled import above, below, root_above
from tests.small_problems import thinned

WHOLE = (11, 23)
"""Seed and index of a linear problem."""
LABELS = {"machine": "m", "bias": "b", "cost": "c", "kernel": "k", "weights": "w"}


def case_of(**arguments) -> Case:
    drawn = Draw({"n_classes": 3, **arguments}, LABELS)
    problem = drawn.problem()
    exact = Exact(problem)
    return Case(drawn, problem, exact, proved.enclosed(problem, exact))


@pytest.fixture(scope="module")
def cases() -> list[Case]:
    rng = np.random.default_rng(0)
    X, y = rng.integers(-3, 4, size=(6, 2)).astype(float), np.arange(6) % 3
    return [
        case_of(machine=mr.CS, X=X, y=y, bias="free"),
        case_of(machine=mr.ATS, X=X, y=y, bias="penalized", C=64.0),
        case_of(machine=mr.LLW.with_cost("quadratic"), X=X, y=y, bias="none"),
        case_of(machine=mr.WW, X=X, y=y, kernel=mr.rbf(0.5)),
        case_of(machine=mr.OVA, X=X, y=y, kernel=mr.polynomial(2), C=0.3),
    ]


def calls(case: Case, count: int = 60):
    """The same candidates every time, none of them by scores alone and without references."""
    rng = np.random.default_rng(3)
    helpers = Helpers(case, rng)
    candidates = pool(rng, case.problem, case.exact, case.optimum, None)
    drawn = (drawn_call(case, candidates, helpers, rng) for _ in range(count))
    return [call for call in drawn if call.labels["form"] != "scores"]


def oracle(case: Case, call) -> mr.Certificate:
    """The certificate a judge with exact numbers would give, each rounded outwards once."""
    exact, optimum, handed = case.exact, case.optimum, call.handed
    template = mr.certify(case.problem, alpha=np.zeros((exact.n, exact.d)))
    P = None if handed.point is None else exact.primal(handed.point)
    feasible = handed.alpha is None or exact.dual_feasible(handed.alpha)
    dual = None
    if handed.alpha is not None:
        dual = below(exact.dual(handed.alpha).low) if feasible else -math.inf
    distance = math.inf
    if handed.point is not None:
        at = same_form(exact, handed.point, optimum.point)
        distance = above(root_above(exact.distance(at, optimum.point).high) + optimum.slip)
    centred = handed.point is None or exact.primal_feasible(handed.point)
    return replace(
        template,
        lower=below(optimum.low),
        upper=above(optimum.high),
        primal_value=None if P is None else above(P.high),
        dual_value=dual,
        distance_bound=distance,
        sum_to_zero=0.0 if centred else math.inf,
        sum_to_zero_required=exact.sum_to_zero,
        dual_sign=0.0 if feasible else math.inf,
        dual_bound=0.0,
        dual_support=0.0,
        dual_equality=0.0,
        scores_residual=None,
    )


@pytest.fixture(scope="module")
def certified(cases) -> list:
    """Every case and call with the perfect judge's certificate."""
    return [(case, call, oracle(case, call)) for case in cases for call in calls(case)]


def claims(certified, sabotage) -> set[str]:
    """What the attacker says of the perfect judge's certificates after each was sabotaged."""
    return {
        fault.claim
        for case, call, certificate in certified
        for fault in judged(case, call, lambda _, c=certificate, **__: sabotage(c), Outcome())
    }


def ulps(value: float, count: int) -> float:
    for _ in range(abs(count)):
        value = math.nextafter(value, math.copysign(math.inf, count))
    return value


def test_the_cases_are_proved(cases):
    assert all(case.optimum.proved for case in cases)


def test_a_perfect_judge_passes(certified):
    assert claims(certified, lambda c: c) == set()


class Forgiving(mr.Certificate):
    """Accepts a hundred times the tolerance asked."""

    def optimal(self, tol: float = 1e-9) -> bool:
        return super().optimal(100 * tol)


class Blind(mr.Certificate):
    """Looks at values and not at feasibility as handed in."""

    def optimal(self, tol: float = 1e-9) -> bool:
        return max(self.primal_error, self.dual_error if self.dual_value != -math.inf else 0) <= tol


class PrimalOnly(mr.Certificate):
    """Forgets the multipliers."""

    def optimal(self, tol: float = 1e-9) -> bool:
        return self.primal_error <= tol


def as_class(kind):
    return lambda c: kind(**vars(c))


SABOTAGE = {
    "lower bound 1e-9 too high": (
        lambda c: replace(c, lower=c.lower * (1 + 1e-9)),
        "lower above the optimum",
    ),
    "lower bound an ulp too high": (
        lambda c: replace(c, lower=ulps(c.lower, 2)),
        "lower above the optimum",
    ),
    "upper bound 1e-9 too low": (
        lambda c: replace(c, upper=c.upper * (1 - 1e-9)),
        "upper below the optimum",
    ),
    "upper bound two ulps too low": (
        lambda c: replace(c, upper=ulps(c.upper, -2)),
        "upper below the optimum",
    ),
    "primal value two ulps too low": (
        lambda c: replace(c, primal_value=c.primal_value and ulps(c.primal_value, -2)),
        "primal_value below the candidate's own",
    ),
    "dual value above the optimum": (
        lambda c: replace(c, dual_value=c.dual_value and ulps(c.upper, 1)),
        "dual_value above the optimum",
    ),
    "distance bound two ulps short": (
        lambda c: replace(c, distance_bound=ulps(c.distance_bound, -2)),
        "distance_bound too short",
    ),
    "optimal() forgives": (as_class(Forgiving), "accepted a primal too far off"),
    "optimal() forgets the multipliers": (as_class(PrimalOnly), "accepted a dual too far off"),
    "optimal() ignores sum-to-zero": (as_class(Blind), "accepted with W off sum-to-zero"),
    "optimal() ignores signs": (as_class(Blind), "accepted with alpha negative"),
    "optimal() ignores bounds": (as_class(Blind), "accepted with alpha above C"),
    "optimal() ignores support": (as_class(Blind), "accepted with alpha off its support"),
    "optimal() ignores the equality": (as_class(Blind), "accepted with alpha off the equality"),
    "an infinite lower bound": (
        lambda c: replace(c, lower=math.inf, upper=math.inf),
        "lower above the optimum",
    ),
    "NaN": (lambda c: replace(c, lower=math.nan), "enclosure is NaN"),
    "an empty enclosure": (
        lambda c: replace(c, lower=c.upper, upper=c.lower),
        "enclosure is empty",
    ),
    "a value for a half that was not given": (
        lambda c: replace(c, primal_value=1e300, dual_value=0.0),
        "values of halves not given",
    ),
}


@pytest.mark.parametrize("name", SABOTAGE)
def test_a_sabotaged_judge_is_caught(certified, name):
    sabotage, claim = SABOTAGE[name]
    assert claim in claims(certified, sabotage)


def raising(error):
    def certify(*_, **__):
        raise error

    return certify


@pytest.mark.parametrize(
    ("error", "claim"),
    [
        (ZeroDivisionError("x"), "raised ZeroDivisionError"),
        (mr.MsvmError("enclosure", "not be empty", "x"), "raised MsvmError"),
        (mr.DataError("alpha", "be nicer", "x"), "refused a candidate"),
    ],
)
def test_a_judge_that_breaks_down_is_caught(cases, error, claim):
    call = calls(cases[0])[0]
    assert [f.claim for f in judged(cases[0], call, raising(error), Outcome())] == [claim]


def test_a_bias_interval_that_is_too_narrow_is_caught(cases):
    case = cases[0]
    best = case.optimum.point.b.fractions()
    helpers = Helpers(case, np.random.default_rng(0))

    class Solved:
        converged = True
        b_interval = np.array([[below(b), above(b)] for b in best])

    helpers.answer = Solved()
    exact_only = [f for f in bias_faults(case, helpers, Outcome()) if "class 0" in f.detail]
    Solved.b_interval = Solved.b_interval + np.array([[1e-9, 1e-9]] * len(best))
    assert exact_only == []
    caught = [f.claim for f in bias_faults(case, helpers, Outcome())]
    assert caught == ["b_interval excludes an optimal b"]


@pytest.mark.parametrize(
    ("sabotage", "claim"),
    thinned(
        [
            (lambda c: replace(c, lower=c.lower * (1 + 1e-9)), "lower above the optimum"),
            (lambda c: replace(c, upper=c.upper * (1 - 1e-9)), "upper below the optimum"),
            (lambda c: replace(c, distance_bound=c.distance_bound / 2), "distance_bound too short"),
            (as_class(Forgiving), "accepted a primal too far off"),
        ],
        3,
    ),
)
def test_the_whole_attack_catches_the_real_judge_sabotaged(sabotage, claim):
    def certify(*args, **options):
        return sabotage(mr.certify(*args, **options))

    claims_of = [
        {failure["claim"] for failure in attack(*WHOLE, certify=judge).failures}
        for judge in (mr.certify, certify)
    ]
    assert claim not in claims_of[0]
    assert claim in claims_of[1]
