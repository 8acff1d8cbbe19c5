"""Laws of the Fisher analysis over random machines and random P."""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations

import numpy as np
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from msvm_ref.errors import SpecError
from msvm_ref.fisher.check_counterexample import verify_counterexample
from msvm_ref.fisher.consistency import fisher_consistency
from msvm_ref.fisher.loss import point_loss
from msvm_ref.fisher.prover import Bad, search
from msvm_ref.fisher.risk import minimize_risk
from msvm_ref.model.catalogue import CATALOGUE
from msvm_ref.model.machine import (
    OTHERS_MAX,
    OTHERS_SUM,
    SELF,
    TOTAL_MAX,
    TOTAL_SUM,
    Machine,
    Margin,
    Target,
)

LIGHT = settings(
    max_examples=max(25, settings.default.max_examples),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
AGGREGATIONS = st.sampled_from([SELF, TOTAL_SUM, TOTAL_MAX, OTHERS_SUM, OTHERS_MAX])
HALVES = st.integers(-2, 4).map(lambda v: Fraction(v, 2))


@st.composite
def distributions(draw, d):
    weights = draw(st.lists(st.integers(0, 6), min_size=d, max_size=d).filter(any))
    return [Fraction(w, sum(weights)) for w in weights]


@st.composite
def alike(draw):
    """Machines that treat classes alike: any margin, target, aggregation, with or without sum-to-zero."""
    margin = Margin("drawn", abs(draw(HALVES)), draw(HALVES), -abs(draw(HALVES)))
    return _build(
        margin, draw(AGGREGATIONS), Target(draw(HALVES), draw(HALVES)), draw(st.booleans())
    )


@st.composite
def any_machine(draw, d):
    """Machines with arbitrary nu and gamma, no symmetry."""
    entries = st.integers(-2, 2)
    nu = [[[draw(entries) for _ in range(d)] for _ in range(d)] for _ in range(d)]
    for y in range(d):
        for c in range(d):
            nu[y][c][c] = abs(nu[y][c][c]) if c == y else -abs(nu[y][c][c])
    gamma = [[draw(st.integers(0, 2)) for _ in range(d)] for _ in range(d)]
    return _build(nu, draw(AGGREGATIONS), gamma, draw(st.booleans()))


def _build(margin, aggregation, target, sum_to_zero):
    try:
        return Machine("drawn", margin, aggregation, target, sum_to_zero)
    except SpecError:
        assume(False)


def least_risk(machine, P):
    """min R_P by HiGHS, straight from the definition."""
    d = len(P)
    nu, gamma = np.array(machine.nu(d), dtype=float), np.array(machine.gamma(d), dtype=float)
    y, c = np.nonzero(machine.aggregation.mask(d))
    own_slack = np.arange(len(y)) if machine.aggregation.slack == "own" else y
    slacks = own_slack.max() + 1
    cost = np.zeros(d + slacks)
    cost[d + own_slack] = np.array(P, dtype=float)[y]
    A = np.hstack([-nu[y, c], -np.eye(slacks)[own_slack]])
    equal = {"A_eq": [[1.0] * d + [0.0] * slacks], "b_eq": [0.0]} if machine.sum_to_zero else {}
    result = linprog(
        cost,
        A_ub=A,
        b_ub=-gamma[y, c],
        bounds=[(None, None)] * d + [(0, None)] * slacks,
        method="highs",
        **equal,
    )
    assert result.status == 0
    return result.fun


@LIGHT
@given(st.data())
def test_least_risk_agrees_with_a_float_solver(data):
    machine = data.draw(st.one_of(alike(), any_machine(3), st.sampled_from(CATALOGUE)))
    P = data.draw(distributions(3))
    minimum = minimize_risk(machine, P)
    assert np.isclose(float(minimum.value), least_risk(machine, P), atol=1e-9)
    assert minimum.argmax_classes
    assert minimum.some_right or not minimum.consistent


def face_program(machine, P, value):
    """HiGHS over {(f, slacks) : R_P = value}: a function of a direction and of a class that is to be the largest score."""
    d = len(P)
    nu, gamma = np.array(machine.nu(d), dtype=float), np.array(machine.gamma(d), dtype=float)
    y, c = np.nonzero(machine.aggregation.mask(d))
    own_slack = np.arange(len(y)) if machine.aggregation.slack == "own" else y
    slacks = own_slack.max() + 1
    weight = np.zeros(d + slacks)
    weight[d + own_slack] = np.array(P, dtype=float)[y]
    A = np.vstack([np.hstack([-nu[y, c], -np.eye(slacks)[own_slack]]), weight])
    b = np.append(-gamma[y, c], float(value) + 1e-10)

    def program(direction, zero_sum, largest=None):
        rows, limits = A, b
        if largest is not None:
            beaten = np.delete(np.eye(d) - np.eye(d)[largest], largest, axis=0)
            rows = np.vstack([A, np.hstack([beaten, np.zeros((d - 1, slacks))])])
            limits = np.append(b, np.zeros(d - 1))
        equal = {"A_eq": [[1.0] * d + [0.0] * slacks], "b_eq": [0.0]} if zero_sum else {}
        return linprog(
            np.concatenate([-np.asarray(direction, dtype=float), np.zeros(slacks)]),
            A_ub=rows,
            b_ub=limits,
            bounds=[(None, None)] * d + [(0, None)] * slacks,
            method="highs",
            **equal,
        )

    return program


@LIGHT
@given(st.data())
def test_the_set_of_minimisers_is_a_linear_programs_face(data):
    """Its corners bound every direction as HiGHS does, it is bounded where HiGHS says so, and ranks first whom HiGHS lets."""
    machine = data.draw(st.one_of(alike(), any_machine(3), st.sampled_from(CATALOGUE)))
    P = data.draw(distributions(3))
    minimum = minimize_risk(machine, P)
    program = face_program(machine, P, minimum.value)
    zero_sum = machine.sum_to_zero or minimum.up_to_constant
    axes = [
        *np.eye(3),
        *-np.eye(3),
        np.array(data.draw(st.lists(st.integers(-3, 3), min_size=3, max_size=3))),
    ]
    answers = [program(direction, zero_sum) for direction in axes]
    assert minimum.bounded == all(answer.status == 0 for answer in answers)
    if minimum.bounded and minimum.vertices is not None:
        corners = np.array([[float(v) for v in corner] for corner in minimum.vertices])
        for direction, answer in zip(axes, answers, strict=True):
            assert np.isclose((corners @ direction).max(), -answer.fun, atol=1e-6)
        assert minimum.unique == (len(corners) == 1)
    first = [c for c in range(3) if program([0, 0, 0], zero_sum, c).status == 0]
    assert set(minimum.argmax_classes) == set(first)


@LIGHT
@given(st.data())
def test_permuting_the_classes_permutes_the_answer(data):
    machine = data.draw(alike())
    P = data.draw(distributions(3))
    order = data.draw(st.sampled_from(list(permutations(range(3)))))
    here, there = minimize_risk(machine, P), minimize_risk(machine, [P[c] for c in order])
    assert (here.value, here.unique, here.consistent) == (
        there.value,
        there.unique,
        there.consistent,
    )
    assert {order[c] for c in there.argmax_classes} == set(here.argmax_classes)


@LIGHT
@given(alike(), st.sampled_from(["closed", "generic", "open"]))
def test_sorting_the_scores_changes_no_verdict(machine, mode):
    loss = point_loss(machine, 3)
    assert isinstance(search(loss, mode, True), Bad) == isinstance(search(loss, mode, False), Bad)


@LIGHT
@given(st.data())
def test_verdicts_survive_the_checkers_and_random_p(data):
    machine = data.draw(st.one_of(alike(), any_machine(2), any_machine(3)))
    d = machine.fixed_d or 3
    result = fisher_consistency(machine, d)
    result.verify()
    if not result.consistent:
        verify_counterexample(machine, result.counterexample)
        assert not minimize_risk(machine, result.counterexample.P).consistent
    else:
        for _ in range(40):
            assert minimize_risk(machine, data.draw(distributions(d))).consistent


@LIGHT
@given(st.one_of(alike(), any_machine(2)))
def test_the_senses_imply_one_another(machine):
    verdicts = [
        fisher_consistency(machine, machine.fixed_d or 3, mode).consistent
        for mode in ("closed", "generic", "open")
    ]
    assert verdicts == sorted(verdicts)


@LIGHT
@given(alike(), st.integers(1, 5))
def test_scaling_the_scores_and_the_targets_changes_no_verdict(machine, factor):
    """gamma -> s gamma scales every minimiser by s."""
    target = machine.target
    scaled = Machine(
        "scaled",
        machine.margin,
        machine.aggregation,
        Target(target.own * factor, target.other * factor),
        machine.sum_to_zero,
    )
    assert fisher_consistency(machine, 3).consistent == fisher_consistency(scaled, 3).consistent
