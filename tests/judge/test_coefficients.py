"""What the judge computes from a margin's five entries is, within the bound it states, what the table says in rationals."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import msvm_ref as mr
from msvm_ref.judge import feasible
from msvm_ref.judge.coefficients import AlikeForm, TableForm, coefficients, sizes
from msvm_ref.judge.equality import equality_residual, exact_step, near_step, pair_step
from msvm_ref.judge.feasible import feasible_dual
from msvm_ref.judge.rounding import rounding
from msvm_ref.model.loss import expansion as plain_expansion
from msvm_ref.model.loss import margins as plain_margins
from msvm_ref.model.loss import pair_rows
from tests.judge.test_judge import exact_dual

ODD = mr.Margin("odd", Fraction(1, 3), Fraction(1, 7), Fraction(-5, 9))
MARGINS = [mr.RELATIVE, mr.ABSOLUTE, mr.RM(Fraction(1, 3)).margin, ODD]
PUSH = {"relative": 0.3, "absolute": 0.1, "odd": 0.0808}
"""Multipliers of rivals for which those of the own class, 0.3, leave little of the equality; 0.05 for the reinforced margin."""


def machine(margin, centred: bool, d: int, written_out: bool) -> mr.Machine:
    nu = margin.at(d) if written_out else margin
    return mr.Machine("m", nu, mr.TOTAL_SUM, sum_to_zero=centred)


def table(m: mr.Machine, d: int):
    """(Pi nu)[y][p][m] by its definition."""
    nu = m.nu(d)
    shift = [[sum(row) / Fraction(d) * m.sum_to_zero for row in plane] for plane in nu]
    return [[[v - shift[y][p] for v in nu[y][p]] for p in range(d)] for y in range(d)]


def exactly(rows) -> list[list[Fraction]]:
    return [
        [Fraction(float(v)) + Fraction(float(v - type(v)(float(v)))) for v in row] for row in rows
    ]


@pytest.mark.parametrize("written_out", [False, True], ids=["alike", "table"])
@pytest.mark.parametrize("centred", [False, True], ids=["plain", "centred"])
@pytest.mark.parametrize("margin", MARGINS, ids=lambda m: m.name)
@pytest.mark.parametrize("d", [2, 3, 6])
@pytest.mark.parametrize("dtype", [np.float64, np.longdouble])
def test_margins_and_expansion_err_by_no_more_than_they_say(d, margin, centred, written_out, dtype):
    m = machine(margin, centred, d, written_out)
    spec, rng = m.at(d), np.random.default_rng(d)
    nu, gamma = coefficients(spec, dtype)
    assert isinstance(nu, TableForm if written_out else AlikeForm)
    y = np.arange(2 * d) % d
    rows = (rng.normal(size=(2 * d, d)) * 10.0 ** rng.integers(-6, 6, (2 * d, d))).astype(dtype)
    exact, t = exactly(rows), table(m, d)
    unit = float(np.finfo(dtype).eps)
    for name, term in (
        ("margins", lambda y, p, k: t[y][p][k]),
        ("expansion", lambda y, p, k: t[y][k][p]),
    ):
        computed = exactly(getattr(nu, name)(y, rows))
        bound = rounding(d + 4, unit) * getattr(nu.size, name)(y, abs(rows))
        least = getattr(sizes(spec), name)(y, abs(rows).astype(float))
        for i, label in enumerate(y.tolist()):
            for p in range(d):
                terms = [term(label, p, k) * exact[i][k] for k in range(d)]
                assert abs(computed[i][p] - sum(terms)) <= Fraction(float(bound[i, p]))
                assert abs(float(sum(map(abs, terms))) - least[i, p]) <= 1e-12 * least[i, p]
                assert least[i, p] <= float(getattr(nu.size, name)(y, abs(rows))[i, p]) * (
                    1 + 1e-12
                )
    assert exactly(gamma) == [[Fraction(1)] * d] * d
    assert nu.largest >= max(abs(float(v)) for plane in t for row in plane for v in row) * (
        1 - 1e-15
    )


@pytest.mark.parametrize("name", ["WW", "CS", "LLW", "MMR", "OVA", "AMO", "ATM", "ATS"])
@pytest.mark.parametrize("d", [2, 5])
def test_solvers_and_judge_agree_with_the_table(name, d):
    m, rng = getattr(mr, name), np.random.default_rng(0)
    y = np.arange(3 * d) % d
    problem = mr.Problem(m, rng.normal(size=(3 * d, 2)), y)
    rows, nu = rng.random((3 * d, d)), problem.spec.projected_nu
    i, p = np.nonzero(np.ones_like(rows))
    assert np.array_equal(pair_rows(problem.spec, y[i], p), nu[y[i], p])
    assert np.allclose(plain_margins(problem, rows), np.einsum("ipm,im->ip", nu[y], rows))
    A = plain_expansion(problem, rows)
    assert np.allclose(A, np.einsum("ipm,ip->im", nu[y], rows))
    # to the last bit, so that a candidate's coefficients are recognised as those of its alpha
    assert np.array_equal(A, coefficients(problem.spec, np.float64)[0].expansion(y, rows))


@pytest.mark.parametrize("written_out", [False, True], ids=["alike", "table"])
@pytest.mark.parametrize("centred", [False, True], ids=["plain", "centred"])
@pytest.mark.parametrize("margin", MARGINS, ids=lambda m: m.name)
def test_the_equality_is_summed_and_undone_exactly(margin, centred, written_out):
    d, rng = 4, np.random.default_rng(1)
    m, y = machine(margin, centred, d, written_out), np.arange(24) % d
    problem = mr.Problem(m, rng.normal(size=(24, 2)), y, bias="free", n_classes=d)
    push, t = PUSH.get(margin.name, 0.05), table(m, d)
    alpha = np.where(np.arange(d) == y[:, None], 0.3, push) + 0.005 * rng.random((24, d))
    alpha[[0, 4, 9], [2, 2, 3]] = (
        0.0  # so that classes have unequal numbers of multipliers with room
    )

    def residual(steps):
        pulls = [(steps(i, p), t[y[i]][p]) for i in range(24) for p in range(d)]
        return [sum(v * row[k] for v, row in pulls) for k in range(d)]

    r = equality_residual(problem, alpha)
    plain = residual(lambda i, p: Fraction(alpha[i, p]))
    assert [Fraction(int(v.p), int(v.q)) for v in r] == plain
    assert any(plain)
    step = exact_step(problem, alpha, r)
    assert step is not None

    def undone(i: int, p: int) -> Fraction:
        v = pair_step(problem, step, int(y[i]), p) if step.chosen[i, p] else Fraction(0)
        value = Fraction(int(v.p), int(v.q)) if step.chosen[i, p] else v
        assert abs(Fraction(step.value[i, p]) - value) <= Fraction(step.error[i, p])
        assert abs(value) * 2 <= min(Fraction(alpha[i, p]), 1 - Fraction(alpha[i, p]))
        return value

    assert residual(undone) == plain
    near = near_step(problem, alpha, r)
    left = residual(lambda i, p: Fraction(alpha[i, p]) - Fraction(near[i, p]))
    assert max(map(abs, left)) <= Fraction(1, 10**6) * max(map(abs, plain))


def test_the_charge_covers_a_step_that_is_large(monkeypatch):
    """Not moved in floats first, the correction is of the equality's size: D at the corrected point is as claimed."""
    monkeypatch.setattr(feasible, "FLOAT_STEPS", 0)
    rng, fallen = np.random.default_rng(3), 0
    for name in ("WW", "CS", "LLW", "OVA") * 5:
        y = np.arange(9) % 3
        problem = mr.Problem(getattr(mr, name), rng.normal(size=(9, 2)) + 3.0, y, bias="free")
        low = 0.1 if name in ("CS", "WW") else np.where(np.arange(3) == y[:, None], 0.2, 0.1)
        repaired = feasible_dual(problem, low + 0.02 * rng.random((9, 3)))
        r = equality_residual(problem, repaired.alpha)
        step = exact_step(problem, repaired.alpha, r)
        assert step is not None
        before = [[Fraction(v) for v in row] for row in repaired.alpha.tolist()]
        after = [row.copy() for row in before]
        for i, p in np.argwhere(step.chosen).tolist():
            v = pair_step(problem, step, int(y[i]), p)
            after[i][p] -= Fraction(int(v.p), int(v.q))
        at, there = exact_dual(problem, before), exact_dual(problem, after)
        assert there >= at - Fraction(repaired.charge)
        fallen += there < at - Fraction(1, 100)
    assert fallen >= 3


def test_a_step_without_room_is_none():
    """Every multiplier at a bound: no correction, exact or not, and the repair ends at 0."""
    X, y = np.random.default_rng(0).normal(size=(9, 2)), np.arange(9) % 3
    problem = mr.Problem(mr.CS, X, y, bias="free")
    alpha = np.where(np.arange(3) == (y[:, None] + 1) % 3, 1.0, 0.0)
    alpha[0] = 0.0
    r = equality_residual(problem, alpha)
    assert any(r)
    assert exact_step(problem, alpha, r) is None
    assert near_step(problem, alpha, r) is None


def test_a_step_beyond_its_room_is_none():
    """OVA: the last class is pulled by far more than its own multipliers could give back."""
    X, y = np.random.default_rng(0).normal(size=(9, 2)), np.arange(9) % 3
    problem = mr.Problem(mr.OVA, X, y, bias="free")
    alpha = np.full((9, 3), 0.01)
    alpha[:3, 2] = 0.99
    r = equality_residual(problem, alpha)
    assert exact_step(problem, alpha, r) is None
    assert (
        feasible_dual(problem, alpha).charge < 1e-12
    )  # alpha is snapped and shrunk until there is room


@pytest.mark.parametrize("name", ["WW", "CS", "LLW", "ATM"])
@pytest.mark.parametrize("bias", ["none", "penalized"])
def test_a_thousand_classes_are_judged_without_a_table(name, bias):
    m, d, rng = getattr(mr, name), 1000, np.random.default_rng(0)
    y = rng.integers(0, d, 30)
    problem = mr.Problem(m, rng.normal(size=(30, 3)), y, n_classes=d, bias=bias)
    alpha = np.where(rng.random((30, d)) < 0.01, rng.random((30, d)) / d, 0.0)
    W, b = rng.normal(size=(3, d)) / d, None if bias == "none" else np.zeros(d)
    certificate = mr.certify(problem, W=W, b=b, alpha=alpha)
    assert not {"nu", "projected_nu"} & set(vars(problem.spec))
    assert 0 <= certificate.lower <= certificate.upper < np.inf
    entries, f = m.entries(d), problem.X @ W
    i, c = 7, (int(y[7]) + 1) % d
    mu = float(
        sum(Fraction(v) * u for v, u in zip(f[i], entries.row(int(y[i]), c, d), strict=True))
    )
    assert abs(plain_margins(problem, f)[i, c] - mu) < 1e-12
    assert mr.certify(problem, W=-W, b=b, alpha=alpha).primal_value != certificate.primal_value


def test_an_array_too_large_is_refused_before_it_is_copied():
    nu = np.broadcast_to(np.float64(0), (1000, 1000, 1000))
    with pytest.raises(mr.SpecError, match="at most 400 where the table nu"):
        mr.Machine("m", nu, mr.TOTAL_SUM)
