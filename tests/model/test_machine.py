"""A machine is data, and bad data is refused with a witness."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import msvm_ref as mr
from msvm_ref.model.machine import Aggregation
from tests.small_problems import MACHINES


def test_the_five_operators_and_nothing_else():
    names = {
        mr.SELF.name,
        mr.TOTAL_SUM.name,
        mr.TOTAL_MAX.name,
        mr.OTHERS_SUM.name,
        mr.OTHERS_MAX.name,
    }
    assert names == {"self", "total-sum", "total-max", "others-sum", "others-max"}
    with pytest.raises(mr.SpecError, match="nothing to share"):
        Aggregation("self", "shared")
    with pytest.raises(mr.SpecError, match="components must be"):
        Aggregation("some", "own")


def test_relative_and_absolute_margins_are_those_of_definition_2():
    d = 4
    relative, absolute = mr.WW.at(d).nu, mr.OVA.at(d).nu
    for y in range(d):
        for c in range(d):
            f = np.arange(1.0, d + 1) ** 2
            assert relative[y, c] @ f == (f[y] - f[c]) / 2
            assert absolute[y, c] @ f == (f[c] if c == y else -f[c])


def test_reinforced_margin_and_target_are_uv_equation_4():
    g, d = Fraction(1, 4), 5
    spec = mr.RM(g).at(d)
    f = np.arange(1.0, d + 1)
    assert spec.nu[2, 2] @ f == 0.25 * f[2]
    assert spec.nu[2, 0] @ f == -0.75 * f[0]
    assert spec.gamma[2, 2] == 0.25 * (d - 1)
    assert spec.gamma[2, 0] == 0.75


def test_specs_are_exact_and_frozen(machine):
    nu = machine.nu(3)
    assert all(isinstance(v, Fraction) for plane in nu for row in plane for v in row)
    spec = machine.at(3)
    for array in (spec.nu, spec.projected_nu, spec.gamma, spec.mask):
        assert not array.flags.writeable
    with pytest.raises(AttributeError):
        machine.name = "other"
    assert hash(machine) == hash(machine.with_cost("quadratic").with_cost("linear"))


def test_projected_nu_sums_to_zero_exactly_where_asked(machine):
    rows = [row for plane in machine.projected_nu(4) for row in plane]
    if machine.sum_to_zero or machine.margin_name == "relative":
        assert all(sum(row) == 0 for row in rows)
    else:
        assert machine.projected_nu(4) == machine.nu(4)


def by_the_formulas(machine, d):
    """(nu, Pi nu) entry by entry from Definition 2 and Pi = I - 11'/d, for a margin that treats classes alike."""
    margin, zero = machine.margin, Fraction(0)

    def entry(y, c, m):
        if c == y:
            return margin.own if m == y else zero
        return margin.true if m == y else margin.rival if m == c else zero

    classes = range(d)
    nu = tuple(tuple(tuple(entry(y, c, m) for m in classes) for c in classes) for y in classes)
    if not machine.sum_to_zero:
        return nu, nu
    return nu, tuple(
        tuple(tuple(v - sum(row) / Fraction(d) for v in row) for row in plane) for plane in nu
    )


ODD = mr.Machine(
    "odd",
    mr.Margin("odd", Fraction(2, 7), Fraction(1, 3), Fraction(-5, 11)),
    mr.TOTAL_SUM,
    mr.Target(0.1, 0.7, Fraction(1, 3)),
    sum_to_zero=True,
)


@pytest.mark.parametrize("machine", [*MACHINES, mr.RM(0.1), ODD], ids=lambda m: m.name)
def test_tables_in_closed_form_are_those_of_the_formulas_rounded_once(machine):
    for d in range(2, 10):
        nu, projected = by_the_formulas(machine, d)
        assert machine.nu(d) == nu
        assert machine.projected_nu(d) == projected
        spec = machine.at(d)
        for array, exact in (
            (spec.nu, nu),
            (spec.projected_nu, projected),
            (spec.gamma, machine.gamma(d)),
        ):
            assert array.tobytes() == np.array(exact, dtype=float).tobytes()
        entries = machine.entries(d)
        assert entries.row(1, 0, d) == projected[1][0]
        assert entries.row(1, 1, d) == projected[1][1]


def test_a_margin_given_as_an_array_is_projected_too():
    d, rng = 4, np.random.default_rng(0)
    nu = rng.integers(-8, 8, (d, d, d)) / 4
    own = np.eye(d, dtype=bool)
    nu[:, own] = -abs(nu[:, own])
    for y in range(d):
        nu[y, y, y] = 1.0
    machine = mr.Machine("given", nu, mr.TOTAL_SUM, sum_to_zero=True)
    assert machine.entries(d) is None
    assert np.array_equal(machine.at(d).nu, nu)
    assert np.array_equal(machine.at(d).projected_nu, nu - nu.mean(axis=2, keepdims=True))


def test_a_thousand_classes_make_no_table(machine):
    spec = machine.at(1000)
    assert spec.gamma.shape == spec.mask.shape == (1000, 1000)
    assert not {"nu", "projected_nu"} & set(vars(spec))
    assert len(machine.entries(1000).row(7, 3, 1000)) == 1000
    for table in (lambda: spec.projected_nu, lambda: machine.nu(1000)):
        with pytest.raises(mr.SpecError, match="at most 400 where the table"):
            table()


def test_breaking_property_1_names_it_and_shows_the_witness():
    nu = mr.OVA.at(3).nu.copy()
    nu[1, 1, 1] = -1
    with pytest.raises(
        mr.SpecError, match=r"Definition 1\(1\).*nu\[1,1,1\] = -1.*witness f = \(0, 1, 0\)"
    ):
        mr.Machine("bad", nu, mr.TOTAL_SUM)


def test_breaking_property_2_names_it_and_shows_the_witness():
    nu = mr.OVA.at(3).nu.copy()
    nu[0, 2, 2] = 1
    with pytest.raises(
        mr.SpecError, match=r"Definition 1\(2\).*nu\[0,2,2\] = 1.*witness f = \(0, 0, 1\)"
    ):
        mr.Machine("bad", nu, mr.TOTAL_SUM)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"margin": np.zeros((3, 3, 3))}, "non-constant"),
        (
            {"margin": mr.RELATIVE, "aggregation": mr.SELF},
            "non-constant on a component that counts",
        ),
        ({"margin": np.ones((3, 3))}, r"shape \(d, d, d\)"),
        ({"margin": np.full((2, 2, 2), np.nan)}, "finite"),
        ({"margin": [[["a"] * 2] * 2] * 2}, "numbers"),
        ({"target": np.ones((3, 2))}, r"shape \(d, d\).*rows are true classes"),
        ({"target": float("inf")}, "finite"),
        ({"margin": mr.OVA.at(3).nu, "target": np.ones((4, 4))}, "as many classes as nu"),
        ({"cost": "cubic"}, "'linear', 'quadratic', 'huber'"),
        ({"aggregation": "total-sum"}, "be one of SELF"),
        ({"sum_to_zero": "yes"}, "True or False"),
    ],
)
def test_bad_specs_are_refused(arguments, message):
    good = {"margin": mr.ABSOLUTE, "aggregation": mr.TOTAL_SUM}
    with pytest.raises(mr.SpecError, match=message):
        mr.Machine("bad", **(good | arguments))


@pytest.mark.parametrize("g", [-0.1, 1.1, float("nan"), "half", True])
def test_rm_needs_g_between_0_and_1(g):
    with pytest.raises(mr.SpecError):
        mr.RM(g)


def test_property_3_is_decided_with_a_witness():
    """Erratum E10: every machine breaks Definition 1(3) on ties, RM(1) beyond ties."""
    for machine in MACHINES:
        verdict = mr.fisher.property3(machine, 3)
        y, f = verdict.witness
        mu = [sum(v * f[m] for m, v in enumerate(row)) for row in machine.nu(3)[y]]
        assert not verdict.holds
        assert min(mu) >= 0
        assert max(mu) > 0
        assert max(f[c] for c in range(3) if c != y) >= f[y]
        assert verdict.holds_up_to_ties == (machine.name not in ("RM(0)", "RM(1)")), machine.name


def test_property_3_can_hold():
    """A margin that asks for f_y - f_c in every component leaves no room for ties when all must be non-negative... but one."""
    d = 2
    verdict = mr.fisher.property3(mr.WW, d)
    assert verdict.holds  # at d = 2 the one margin that is positive is f_y - f_c itself
    assert verdict.witness is None


def test_machines_are_found_by_name():
    assert mr.machine_named("ww") == mr.WW
    assert mr.machine_named("MMR⊥") == mr.MMR_ORTHO
    assert mr.machine_named("rm(1/4)") == mr.RM(Fraction(1, 4))
    assert mr.machine_named("RM(0.25)") == mr.RM(0.25)
    for bad in ("nope", "RM(2)", "RM(x)", "RM(1/0)"):
        with pytest.raises(mr.SpecError):
            mr.machine_named(bad)


def test_a_machine_bound_to_arrays_knows_its_d():
    machine = mr.Machine("fixed", mr.OVA.at(3).nu, mr.TOTAL_SUM)
    assert machine.fixed_d == 3
    with pytest.raises(mr.SpecError, match="be 3"):
        machine.at(4)
    with pytest.raises(mr.SpecError, match="at least 2"):
        mr.WW.at(1)
