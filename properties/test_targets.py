"""Laws of embedded losses, targets and regret over random machines and random P."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st
from test_theory import LIGHT, alike, any_machine, distributions

from msvm_ref.errors import BackendError, SpecError
from msvm_ref.fisher import (
    consistent_for,
    embedded_loss,
    fisher_consistency,
    minimize_risk,
    regret_constant,
)
from msvm_ref.fisher.check_data import RawLoss
from msvm_ref.fisher.loss import dot
from msvm_ref.model.catalogue import CATALOGUE

MACHINES = st.one_of(alike(), any_machine(2), any_machine(3), st.sampled_from(CATALOGUE))


@LIGHT
@given(st.data())
def test_the_least_over_the_rows_is_the_least_risk(data):
    machine = data.draw(MACHINES)
    d = machine.fixed_d or 3
    embedded = embedded_loss(machine, d)
    embedded.verify()
    for _ in range(5):
        P = data.draw(distributions(d))
        least = minimize_risk(machine, P).value
        assert min(dot(P, row) for row in embedded.losses) == least
        assert embedded.least_risk(P) == least
        inside = [r for r, cell in zip(embedded.losses, embedded.cells, strict=True) if P in cell]
        assert inside == [r for r in embedded.losses if dot(P, r) == least]


@st.composite
def loss_matrices(draw, d):
    count = draw(st.integers(1, 5))
    return [[draw(st.integers(0, 3)) for _ in range(d)] for _ in range(count)]


@LIGHT
@given(st.data())
def test_verdicts_about_random_targets_survive_their_checker_and_random_p(data):
    machine = data.draw(MACHINES)
    d = machine.fixed_d or 3
    result = consistent_for(machine, data.draw(loss_matrices(d)), d)
    result.verify()
    if result:
        rows, target = result.embedded.losses, result.target.losses
        for _ in range(10):
            P = data.draw(distributions(d))
            least, best = min(dot(P, v) for v in rows), min(dot(P, v) for v in target)
            for row, r in zip(rows, result.link.table, strict=True):
                assert dot(P, row) > least or dot(P, target[r]) == best


@LIGHT
@given(st.one_of(alike(), any_machine(2), any_machine(3)))
def test_argmax_consistency_implies_consistency_through_a_link(machine):
    d = machine.fixed_d or 3
    if fisher_consistency(machine, d):
        assert consistent_for(machine, "0-1", d)


@LIGHT
@given(st.data())
def test_the_regret_constant_holds_where_argmax_is_consistent_and_only_there(data):
    machine = data.draw(st.one_of(alike(), any_machine(2), any_machine(3)))
    d = machine.fixed_d or 3
    found = regret_constant(machine, d)
    found.verify()
    assert found.argmax == fisher_consistency(machine, d).consistent
    assert found.lower <= found.upper
    if found.argmax:
        loss = RawLoss(machine, d)
        for _ in range(10):
            P = data.draw(distributions(d))
            f = [data.draw(st.integers(-4, 4)) for _ in range(d)]
            f[-1] = -sum(f[:-1]) if machine.sum_to_zero else f[-1]
            level = max(max(P) - P[k] for k in range(d) if f[k] == max(f))
            regret = dot(P, loss.losses([Fraction(v) for v in f])) - found.embedded.least_risk(P)
            assert level <= found.kappa * regret
            assert found.delta(level) <= regret


@LIGHT
@given(st.data())
def test_the_best_link_keeps_its_constant_and_reaches_it(data):
    machine = data.draw(st.one_of(alike(), any_machine(2), any_machine(3)))
    d = machine.fixed_d or 3
    found = regret_constant(machine, d)
    if found.argmax or found.kappa is None:
        return
    link = consistent_for(machine, found.embedded.losses, d, embedded=found.embedded).link
    assert min(link.ratios(found.scores))[0] == found.kappa
    for _ in range(5):
        f = [v + data.draw(st.fractions(-2, 2, max_denominator=6)) for v in found.scores]
        f[-1] = -sum(f[:-1]) if machine.sum_to_zero else f[-1]
        assert min(link.ratios(f))[0] <= found.kappa


@LIGHT
@given(st.data())
def test_squared_verdicts_survive_their_checker_and_their_own_machine(data):
    machine = data.draw(alike()).with_cost("quadratic")
    mode = data.draw(st.sampled_from(["closed", "generic", "open"]))
    try:
        result = fisher_consistency(machine, 3, mode)
    except SpecError:  # open, and said so
        return
    result.verify()
    P = data.draw(distributions(3)) if result else result.counterexample.P
    inner = min(P) > 0 and list(P).count(max(P)) == 1
    try:
        least = minimize_risk(machine, P)
    except BackendError:
        return
    if not result:
        assert not least.consistent
    elif mode == "closed" or (mode == "generic" and inner):
        assert least.consistent
