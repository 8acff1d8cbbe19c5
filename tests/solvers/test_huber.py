"""The Huber hinge from the model to the proofs: values, routes, limits in its width, and answers to other costs refused."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import msvm_ref as mr
from msvm_ref.estimator.saved import SavedModel
from msvm_ref.model.loss import dual_objective, objective
from tests.small_problems import BIASES, MACHINES, blobs, table

WIDTHS = (1, Fraction(1, 4), 8)
X, Y = blobs(3, per_class=4, p=2, seed=3)
WEIGHT = np.array([1.0, 0.0, 2.5, 1.0, 0.5, 1.0, 1.0, 3.0, 1.0, 1.0, 0.0, 1.0])
RBF = mr.rbf(0.5)
MATRIX = table((MACHINES,), (BIASES, WIDTHS, (mr.linear, RBF), (None, WEIGHT), (0.03, 1.0, 40.0)))


def posed(machine=mr.WW, width=1, bias="none", C=1.5, weight=None, kernel=mr.linear, X=X, Y=Y):
    return mr.Problem(
        machine.with_cost("huber", width), X, Y, C=C, bias=bias, sample_weight=weight, kernel=kernel
    )


def phi(xi, h):
    return xi * xi / (2 * h) if xi <= h else xi - Fraction(h) / 2


@pytest.mark.parametrize("width", [1, Fraction(1, 3), 0.3, 1e-90, 10**80, np.float32(0.25)])
def test_a_width_survives_its_name(width):
    machine = mr.CS.with_cost("huber", width)
    exact = Fraction(width.item() if isinstance(width, np.generic) else width)
    assert machine.slack_cost.width == exact
    assert machine.slack_cost.capped
    assert mr.CS.with_cost(machine.cost) == machine
    assert machine != mr.CS.with_cost("huber", exact * 2)
    assert mr.CS.with_cost("huber(1)") == mr.CS.with_cost("huber")


@pytest.mark.parametrize(
    "width", [0, -1, float("nan"), float("inf"), "1", True, 1e101, 1e-101, Fraction(1, 10**300), 1j]
)
def test_widths_that_are_none_are_refused(width):
    with pytest.raises(mr.SpecError, match="width"):
        mr.WW.with_cost("huber", width)


@pytest.mark.parametrize(
    "cost",
    ["huber()", "huber(0)", "huber(1/0)", "huber(-1)", "huber(nan)", "huber(1e999)", "huber(1", 1],
)
def test_names_that_are_none_are_refused(cost):
    with pytest.raises(mr.SpecError, match=r"cost|width"):
        mr.WW.with_cost(cost)


def test_only_the_huber_hinge_has_a_width():
    with pytest.raises(mr.SpecError, match="be None for cost 'linear'"):
        mr.WW.with_cost("linear", 1)


@pytest.mark.parametrize(("machine", "bias", "width", "kernel", "weight", "C"), MATRIX)
def test_fast_meets_the_truth(machine, bias, width, kernel, weight, C):
    problem = posed(machine, width, bias, C, weight, kernel)
    fast, truth = mr.solve(problem, method="fast", tolerance=1e-9), mr.solve(problem)
    for solution in (fast, truth):
        assert solution.certificate.optimal(1e-8), solution
    assert truth.certificate.lower <= fast.objective * (1 + 1e-12)
    assert fast.certificate.lower <= truth.certificate.upper * (1 + 1e-12)
    assert not truth.alpha[problem.costs == 0].any()


@pytest.mark.parametrize("method", ["primal", "dual", "kesler", "m1-smo", "sor"])
@pytest.mark.parametrize("machine", [mr.WW, mr.LLW, mr.ATM], ids=lambda m: m.name)
def test_every_route_that_takes_it_agrees(machine, method):
    if machine is mr.ATM and method in ("m1-smo", "sor"):
        pytest.skip("own slacks only")
    problem = posed(machine, Fraction(1, 2), "penalized", weight=WEIGHT)
    solution = mr.solve(problem, method=method)
    assert solution.certificate.optimal(1e-6), solution
    exact = float(mr.exact_optimum(problem).value)
    assert solution.certificate.lower <= exact * (1 + 1e-13)
    assert solution.certificate.upper >= exact * (1 - 1e-13)


@pytest.mark.parametrize(
    ("method", "machine", "bias"),
    [
        ("bsvm", mr.WW, "penalized"),
        ("cs-decomposition", mr.CS, "none"),
        ("m1-ksk", mr.WW, "none"),
        ("nearest-point", mr.WW, "none"),
    ],
)
def test_methods_derived_for_another_cost_refuse(method, machine, bias):
    with pytest.raises(mr.SpecError, match="cost"):
        mr.solve(posed(machine, bias=bias), method=method)


@pytest.mark.parametrize("bias", BIASES)
@pytest.mark.parametrize(
    "machine", [mr.WW, mr.CS, mr.ATM, mr.RM(Fraction(1, 4))], ids=lambda m: m.name
)
def test_the_exact_optimum_is_one_and_its_bias_range_holds_it(machine, bias):
    problem = posed(machine, Fraction(1, 2), bias, weight=WEIGHT)
    optimum = mr.exact_optimum(problem)
    certificate = mr.certify(
        problem,
        W=np.array(optimum.W, dtype=float),
        b=None if bias == "none" else np.array(optimum.b, dtype=float),
        alpha=np.array(optimum.alpha, dtype=float),
        rigorous=True,
    )
    assert certificate.optimal(1e-12)
    assert certificate.lower <= optimum.value <= certificate.upper
    for (low, high), value in zip(mr.solve(problem).b_interval, optimum.b, strict=True):
        assert low <= value + 1e-12
        assert high >= value - 1e-12


def test_values_are_the_formulas_written_out():
    problem = posed(mr.CS, Fraction(1, 4), "none", weight=WEIGHT)
    s = mr.solve(problem)
    W = [[Fraction(v) for v in row] for row in s.W.tolist()]
    value = sum(v * v for row in W for v in row) / 2
    for x, y, w in zip(X.tolist(), problem.y.tolist(), WEIGHT.tolist(), strict=True):
        f = [sum(Fraction(u) * W[k][c] for k, u in enumerate(x)) for c in range(3)]
        top = max(0, *(1 - (f[y] - f[c]) / 2 for c in range(3) if c != y))
        value += Fraction(problem.C) * Fraction(w) * phi(top, Fraction(1, 4))
    certificate = mr.certify(problem, W=s.W, alpha=s.alpha)
    assert abs(certificate.primal_value - value) <= 1e-14 * value
    assert abs(objective(problem, s.W, s.b) - value) <= 1e-14 * value
    assert abs(dual_objective(problem, s.alpha) - value) <= 1e-8 * value
    by_scores = mr.losses.loss(problem.machine, X @ s.W, problem.y, reduction="none")
    assert abs(np.square(s.W).sum() / 2 + problem.costs @ by_scores - value) <= 1e-13 * value


def test_a_vanishing_width_is_the_hinge_and_a_huge_one_a_square():
    hinge = mr.solve(mr.Problem(mr.WW, X, Y, C=1.5)).certificate
    narrow = mr.solve(posed(width=2.0**-20)).certificate
    assert 0 <= hinge.upper - narrow.lower <= 1.5 * len(Y) * 2 * 2.0**-21 * (1 + 1e-6)
    h = 4096
    square = mr.Problem(mr.WW.with_cost("quadratic"), X, Y, C=1.5)
    wide = mr.solve(posed(width=h, C=1.5 * 2 * h))
    assert wide.certificate.optimal(1e-8)
    assert mr.certify(square, W=wide.W, alpha=wide.alpha).optimal(1e-8)


@pytest.mark.parametrize("machine", [mr.WW, mr.CS, mr.LLW], ids=lambda m: m.name)
@pytest.mark.parametrize("other", ["linear", "quadratic", "huber(2)", "huber(1/2)"])
def test_an_answer_to_another_cost_is_refused(machine, other):
    problem = posed(machine)
    wrong = mr.solve(mr.Problem(machine.with_cost(other), X, Y, C=1.5))
    for given in ({"W": wrong.W}, {"alpha": wrong.alpha}, {"W": wrong.W, "alpha": wrong.alpha}):
        for rigorous in (False, True):
            certificate = mr.certify(problem, **given, rigorous=rigorous)
            assert not certificate.optimal(1e-6), given.keys()
            if "alpha" not in given:  # the judge builds multipliers of its own
                assert certificate.verdict(1e-6) == "NOT OPTIMAL"


def test_a_multiplier_above_its_cap_or_without_a_price_is_named():
    problem = posed(weight=WEIGHT)
    alpha = mr.solve(problem).alpha.copy()
    alpha[0] = np.where(np.arange(3) == problem.y[0], 0.0, 1.01 * problem.costs[0])
    assert mr.certify(problem, alpha=alpha).dual_bound == pytest.approx(0.01)
    alpha = mr.solve(problem).alpha.copy()
    alpha[1, (problem.y[1] + 1) % 3] = 1e-9
    assert not mr.certify(problem, alpha=alpha).optimal(1e-3)


@pytest.mark.parametrize("C", [1e-8, 1e8])
def test_contradictory_duplicates_at_extreme_costs(C):
    twice, labels = np.vstack([X, X]), np.concatenate([Y, (np.asarray(Y) + 1) % 3])
    for bias in BIASES:
        problem = posed(mr.CS, Fraction(1, 4), bias, C, X=twice, Y=labels)
        for method in ("fast", "auto"):
            assert mr.solve(problem, method=method).certificate.optimal(1e-6), (bias, method)


@pytest.mark.parametrize("machine", [mr.WW, mr.CS, mr.ATS, mr.LLW], ids=lambda m: m.name)
@pytest.mark.parametrize("width", WIDTHS)
def test_fisher_minimisers_beat_every_neighbour(machine, width):
    machine = machine.with_cost("huber", width)
    P = (Fraction(2, 5), Fraction(7, 20), Fraction(1, 4))
    least = mr.fisher.minimize_risk(machine, P)

    def risk(f):
        shown = np.array([[float(v) for v in f]] * 3)
        losses = mr.losses.loss(machine, shown, [0, 1, 2], reduction="none")
        return float(np.array([float(p) for p in P]) @ losses)

    assert risk(least.minimiser) == pytest.approx(float(least.value), abs=1e-14)
    rng = np.random.default_rng(0)
    for vertex in least.vertices or ():
        assert risk(vertex) == pytest.approx(float(least.value), abs=1e-12)
    for step in rng.normal(size=(60, 3)) * np.repeat([1e-3, 0.1, 1.0], 20)[:, None]:
        assert risk([float(v) + s for v, s in zip(least.minimiser, step, strict=True)]) >= (
            float(least.value) - 1e-14
        )


def test_consistency_at_every_p_is_not_claimed():
    with pytest.raises(mr.SpecError, match="minimize_risk"):
        mr.fisher.fisher_consistency(mr.WW.with_cost("huber"), 3)


def test_an_estimator_keeps_its_width_in_a_file(tmp_path):
    path = tmp_path / "model.json"
    fitted = mr.MulticlassSVC("CS", cost="huber(1/4)", C=2.0).fit(X, Y)
    SavedModel.of(fitted.solution_, fitted.classes_, fitted.tol).save(str(path))
    machine = SavedModel.load(str(path)).problem.machine
    assert machine == mr.CS.with_cost("huber", Fraction(1, 4))
    path.write_text(path.read_text().replace("huber(1/4)", "huber(1/2)"))
    with pytest.raises(mr.MsvmError, match="altered"):
        SavedModel.load(str(path))
