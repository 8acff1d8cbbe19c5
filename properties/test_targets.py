"""Laws of embedded losses, targets and regret over random machines and random P."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from test_theory import LIGHT, alike, any_machine, distributions

from msvm_ref.fisher import embedded_loss, minimize_risk
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
