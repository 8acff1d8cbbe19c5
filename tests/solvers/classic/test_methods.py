"""The papers' algorithms: they reach the truth, report their work, and refuse what their paper does not have."""

from __future__ import annotations

import inspect
from fractions import Fraction

import numpy as np
import pytest
from scipy.sparse import csr_array

import msvm_ref as mr
from msvm_ref.model.conventions import HL9, HL16
from msvm_ref.solvers.classic.hull import hull
from msvm_ref.solvers.classic.relative import Relative
from msvm_ref.solvers.methods import METHODS
from tests.small_problems import MACHINES, blobs, distance, thinned, weights

CLASSIC = ("m1-smo", "m1-ksk", "sor", "nearest-point", "bsvm", "cs-decomposition")
OWN = [m for m in MACHINES if m.aggregation.slack == "own"]
TOLERANCE = {
    "m1-smo": 1e-6,
    "sor": 1e-6,
    "bsvm": 1e-6,
    "cs-decomposition": 1e-6,
    "nearest-point": 1e-6,
    "m1-ksk": 1e-2,
}
SUITED = [
    *((name, m) for name in ("m1-smo", "sor") for m in thinned(OWN, 2)),
    ("bsvm", mr.WW),
    ("cs-decomposition", mr.CS),
    *(
        (name, m.with_cost("quadratic"))
        for name in ("m1-ksk", "nearest-point")
        for m in thinned(OWN, 2)
    ),
]


def meets_truth(solution, truth):
    """Both enclosures contain the optimum, so they meet; W within the two distance bounds."""
    a, b = solution.certificate, truth.certificate
    assert a.lower <= b.upper
    assert b.lower <= a.upper
    assert distance(solution, truth) <= a.distance_bound + b.distance_bound


@pytest.mark.parametrize(
    ("method", "machine"), SUITED, ids=lambda v: v if isinstance(v, str) else f"{v.name}-{v.cost}"
)
def test_each_reaches_the_truth_at_its_own_tolerance(method, machine):
    X, y = blobs(3, per_class=4)
    for kernel, weighting in ((mr.linear, "weighted"), (mr.rbf(0.5), "equal")):
        weight = weights(weighting, len(y))
        problem = mr.Problem(
            machine, X, y, C=0.7, kernel=kernel, bias="penalized", sample_weight=weight
        )
        solution = mr.solve(problem, method, tolerance=TOLERANCE[method])
        assert solution.converged, solution
        assert solution.method == method
        assert all(value >= 0 for value in solution.work.values())
        meets_truth(solution, mr.solve(problem, "dual", tolerance=1e-7))


@pytest.mark.parametrize("method", CLASSIC)
def test_ugly_data(method):
    """Contradictory duplicates, a zero row, a constant column, an absent class, weights with zeros, one example."""
    X = np.array([[1.0, 0, 2], [1, 0, 2], [0, 0, 0], [-1, 3, 2], [-1, 3, 2], [2, 2, 2]])
    y = np.array([0, 1, 2, 1, 0, 2])
    machine = {"cs-decomposition": mr.CS}.get(method, mr.WW)
    machine = machine.with_cost("quadratic") if method in ("m1-ksk", "nearest-point") else machine
    for data in (
        (X, y, None),
        (X, y, [1.0, 0.0, 2.0, 0.5, 1.0, 0.0]),
        (X[:1], y[:1], None),
        (0 * X, y, None),
        (X, y, np.zeros(6)),
    ):
        for C in (
            1e-3,
            1.0 if method == "m1-ksk" else 1e3,
        ):  # KSK converges like 1/iterations, slower the larger C
            problem = mr.Problem(
                machine, data[0], data[1], C=C, bias="penalized", sample_weight=data[2], n_classes=4
            )
            solution = mr.solve(problem, method, tolerance=1e-2 if method == "m1-ksk" else 1e-4)
            assert solution.converged, solution
            meets_truth(solution, mr.solve(problem))


@pytest.mark.parametrize("method", CLASSIC)
def test_sparse_rows_are_the_same_problem(method):
    X, y = blobs(3)
    machine = {"cs-decomposition": mr.CS}.get(method, mr.WW)
    machine = machine.with_cost("quadratic") if method in ("m1-ksk", "nearest-point") else machine
    dense, rows = (
        mr.solve(mr.Problem(machine, data, y, C=0.1, bias="penalized"), method, tolerance=1e-3)
        for data in (X, csr_array(X))
    )
    assert rows.converged
    meets_truth(rows, dense)


@pytest.mark.parametrize("block", ["sorting", "fixed-point"])
def test_cs_blocks_keep_their_digits_where_C_k_is_far_below_the_margin(block):
    """C k(x, x) below 1e-16: every example at its bound, and theta differs from the largest B by less than its rounding."""
    X, y = blobs(3)
    for scale, C in ((1e-8, 1.0), (1e-3, 1e-12), (1e-90, 1e-90)):
        problem = mr.Problem(mr.CS, scale * X, y, C=C)
        assert mr.solve(problem, "cs-decomposition", tolerance=1e-6, block=block).converged, (
            scale,
            C,
        )


@pytest.mark.parametrize("method", ["m1-smo", "sor", "cs-decomposition"])
def test_without_bias_a_zero_example_pays_its_whole_loss(method):
    machine = mr.CS if method == "cs-decomposition" else mr.WW
    problem = mr.Problem(machine, [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]], [0, 1, 2], C=2.0)
    solution = mr.solve(problem, method, tolerance=1e-9)
    assert solution.converged
    assert solution.alpha[0].sum() == pytest.approx(2.0 if method == "cs-decomposition" else 4.0)


def test_refusals_name_the_condition():
    X, y = blobs(3)
    cases = [
        ("m1-smo", mr.CS, "none", "own slack"),
        ("sor", mr.ATM, "none", "own slack"),
        ("m1-smo", mr.WW, "free", "penalized"),
        ("m1-ksk", mr.WW, "none", "quadratic"),
        ("nearest-point", mr.WW, "none", "quadratic"),
        ("m1-ksk", mr.CS.with_cost("quadratic"), "none", "own slack"),
        ("bsvm", mr.WW, "none", "'penalized'"),
        ("bsvm", mr.WW, "free", "'penalized'"),
        ("bsvm", mr.CS, "penalized", "others-sum"),
        ("bsvm", mr.LLW, "penalized", "relative"),
        ("bsvm", mr.WW.with_cost("quadratic"), "penalized", "linear"),
        ("cs-decomposition", mr.WW, "none", "others-max"),
        ("cs-decomposition", mr.AMO, "none", "relative"),
        ("cs-decomposition", mr.CS, "free", "'none' or 'penalized'"),
        ("cs-decomposition", mr.CS.with_cost("quadratic"), "none", "linear"),
    ]
    for method, machine, bias, words in cases:
        with pytest.raises(mr.MsvmError, match=words):
            mr.solve(mr.Problem(machine, X, y, bias=bias), method)
    negative = mr.Machine(
        "negative", mr.RELATIVE, mr.OTHERS_SUM, mr.Target(other=-1), cost="quadratic"
    )
    with pytest.raises(mr.SpecError, match="positive"):
        mr.solve(mr.Problem(negative, X, y), "m1-ksk")
    mixed = mr.Machine("mixed", mr.RELATIVE, mr.OTHERS_SUM, [[0, 1, 1], [1, 0, 2], [1, 1, 0]])
    with pytest.raises(mr.SpecError, match="one positive number"):
        mr.solve(mr.Problem(mixed, X, y, bias="penalized"), "bsvm")


def test_a_machine_is_known_by_its_spec_not_its_name():
    """A relative machine of another name, scale and target is HL's too; a WW in name only is not."""
    X, y = blobs(3)
    odd = mr.Machine(
        "odd",
        mr.Margin("mine", 0, Fraction(3, 4), Fraction(-3, 4)),
        mr.OTHERS_MAX,
        mr.Target(other=2),
    )
    for machine, method in (
        (odd, "cs-decomposition"),
        (mr.Machine("odder", odd.margin, mr.OTHERS_SUM, odd.target), "bsvm"),
    ):
        problem = mr.Problem(machine, X, y, C=0.4, bias="penalized")
        solution = mr.solve(problem, method, tolerance=1e-7)
        assert solution.converged
        meets_truth(solution, mr.solve(problem))
    impostor = mr.Machine("WW", mr.ABSOLUTE, mr.OTHERS_SUM)
    with pytest.raises(mr.SpecError, match="relative"):
        mr.solve(mr.Problem(impostor, X, y, bias="penalized"), "bsvm")


def test_the_units_are_those_of_the_conventions():
    X, y = blobs(3)
    for machine, convention, margin, shared in ((mr.WW, HL9, 2, False), (mr.CS, HL16, 1, True)):
        problem = mr.Problem(machine, X, y, C=3.0, bias="penalized")
        theirs = Relative(problem, "test", "HL", margin, shared, ("penalized",))
        assert theirs.costs[0] == convention.from_C(3.0, problem.n, 3)
        assert theirs.units == convention.alpha_factor(1, 3)
        assert theirs.objective_units == convention.objective_factor(1, 3)


def test_options_are_checked():
    X, y = blobs(3)
    problem = mr.Problem(mr.WW, X, y, bias="penalized")
    for method, option in (
        ("sor", {"omega": 2.0}),
        ("sor", {"omega": 0}),
        ("sor", {"max_sweeps": 0}),
        ("bsvm", {"working_set": 0}),
        ("m1-smo", {"max_updates": 1.5}),
        ("m1-smo", {"nonsense": 1}),
    ):
        with pytest.raises(mr.DataError):
            mr.solve(problem, method, **option)
    with pytest.raises(mr.DataError, match="sorting"):
        mr.solve(mr.Problem(mr.CS, X, y), "cs-decomposition", block="guess")
    for method in CLASSIC:
        module, name = METHODS[method].split(":")
        parameters = inspect.signature(
            getattr(__import__(module, fromlist=[name]), name)
        ).parameters.values()
        assert all(p.kind == p.KEYWORD_ONLY for p in list(parameters)[1:])


def test_a_spent_budget_is_admitted():
    X, y = blobs(3)
    for method, machine, option in (
        ("m1-smo", mr.WW, {"max_updates": 5}),
        ("sor", mr.WW, {"max_sweeps": 1}),
        ("bsvm", mr.WW, {"max_iterations": 1}),
        ("cs-decomposition", mr.CS, {"max_iterations": 2}),
        ("m1-ksk", mr.WW.with_cost("quadratic"), {"max_iterations": 3}),
        ("nearest-point", mr.WW.with_cost("quadratic"), {"max_iterations": 3}),
    ):
        problem = mr.Problem(machine, X, y, bias="penalized")
        solution = mr.solve(problem, method, **option)
        assert not solution.converged
        assert solution.certificate.relative_gap > 1e-9
        assert solution.attempts[-1].status == "budget spent"
        meets_truth(solution, mr.solve(problem))


@pytest.mark.parametrize("omega", [0.5, 1.0, 1.9])
def test_sor_converges_for_every_omega(omega):
    X, y = blobs(3)
    assert mr.solve(
        mr.Problem(mr.WW, X, y, bias="penalized"), "sor", tolerance=1e-6, omega=omega
    ).converged


@pytest.mark.parametrize("q", [1, 2, 7, 1000])
def test_bsvm_works_with_any_working_set(q):
    X, y = blobs(3)
    problem = mr.Problem(mr.WW, X, y, C=5.0, bias="penalized")
    solution = mr.solve(problem, "bsvm", tolerance=1e-6, working_set=q)
    assert solution.converged
    meets_truth(solution, mr.solve(problem))


@pytest.mark.parametrize("method", ["m1-ksk", "nearest-point"])
def test_ksk_s_epsilon_bounds_the_distance_and_alpha_is_beta_over_dist_squared(method):
    """dist = 1/sqrt(2 optimum); ||v|| - dist <= epsilon at every budget (FH [3]); sum of alpha gamma = 1/||v||^2."""
    X, y = blobs(3)
    for machine in (mr.WW, mr.RM(0.5)):
        problem = mr.Problem(machine.with_cost("quadratic"), X, y, C=2.0, bias="penalized")
        truth = mr.solve(problem)
        dist = (2 * truth.certificate.upper) ** -0.5
        for budget in (1, 10, 100, 1000):
            solution = mr.solve(problem, method, tolerance=1e-9, max_iterations=budget)
            far, epsilon = solution.work["distance"], solution.work["epsilon"]
            assert -1e-12 <= far - dist <= epsilon + 1e-12
        gamma = problem.spec.gamma[problem.y]
        assert (solution.alpha * gamma).sum() == pytest.approx(far**-2, rel=1e-12)


def test_the_hull_is_the_separable_problem_with_delta_over_pairs():
    X, y = blobs(3)
    problem = mr.Problem(mr.RM(0.25).with_cost("quadratic"), X, y, C=2.0)
    points = hull(problem, "test")
    beta = np.random.default_rng(0).random(len(points.kept))
    gram = points.single.kernel.gram() + np.diag(points.single.ridge)
    scaled = gram / np.outer(points.target, points.target)
    np.testing.assert_allclose(points.products(beta), scaled @ beta, atol=1e-12)


def test_gap_is_at_most_C_sum_violation():
    """HL (21)'s meaning: P(w(a)) - D(a) <= C sum_i violation_i, whatever the iteration."""
    X, y = blobs(4)
    for bias in ("none", "penalized"):
        for budget in (1, 5, 25, 125, 2000):
            problem = mr.Problem(mr.CS, X, y, C=3.0, bias=bias)
            solution = mr.solve(problem, "cs-decomposition", tolerance=1e-9, max_iterations=budget)
            W, b = (
                solution.problem.features.T @ solution.coef,
                solution.coef.sum(axis=0) if bias == "penalized" else None,
            )
            gap = mr.certify(problem, W=W, b=b, alpha=solution.alpha)
            assert (
                gap.primal_value - gap.dual_value <= solution.work["gap_bound"] * (1 + 1e-9) + 1e-12
            )


def test_the_optimum_does_not_depend_on_the_order_of_the_samples():
    X, y = blobs(3)
    order = np.random.default_rng(1).permutation(len(y))
    for method in CLASSIC:
        machine = {"cs-decomposition": mr.CS}.get(method, mr.WW)
        machine = (
            machine.with_cost("quadratic") if method in ("m1-ksk", "nearest-point") else machine
        )
        one, two = (
            mr.solve(
                mr.Problem(machine, X[o], y[o], bias="penalized"),
                method,
                tolerance=TOLERANCE[method],
            )
            for o in (np.arange(len(y)), order)
        )
        meets_truth(one, two)


def test_the_work_reaches_json():
    X, y = blobs(3)
    told = mr.solve(mr.Problem(mr.WW, X, y, bias="penalized"), "bsvm", tolerance=1e-4).to_dict()
    assert told["work"]["iterations"] >= 1
    assert told["method"] == "bsvm"


@pytest.mark.parametrize("epsilon", [0.3, 1e-3])
def test_a_papers_own_epsilon_is_where_it_stops_whatever_the_gap(epsilon):
    """HL (21): the largest violation (19) is at most epsilon; the certificate tells the gap, above the tolerance or not."""
    X, y = blobs(3, per_class=8)
    problem = mr.Problem(mr.CS, X, y, C=5.0, kernel=mr.rbf(0.5))
    theirs = Relative(
        problem, "cs-decomposition", "HL (16)", margin=1, shared=True, biases=("none",)
    )
    solution = mr.solve(problem, "cs-decomposition", tolerance=1e-12, epsilon=epsilon)
    a = -solution.alpha / theirs.units
    a[np.arange(len(y)), y] = -a.sum(axis=1)
    own = np.eye(3)[y]
    G = problem.gram @ a + 1 - own
    room = np.where(a < theirs.costs[:, None] * own - 1e-12, G, np.inf)
    violation = (G.max(axis=1) - room.min(axis=1)).max()
    assert violation <= epsilon * (1 + 1e-9)
    assert not solution.converged
    assert len(solution.attempts) == 1
    tight = mr.solve(problem, "cs-decomposition", tolerance=1e-9)
    assert solution.work["iterations"] < tight.work["iterations"]


def test_every_rule_of_a_paper_takes_an_epsilon_and_refuses_a_wrong_one():
    X, y = blobs(3, per_class=4)
    for method, machine, bias in (
        ("bsvm", mr.WW, "penalized"),
        ("cs-decomposition", mr.CS, "none"),
        ("acf", mr.LLW, "none"),
    ):
        problem = mr.Problem(machine, X, y, bias=bias)
        gaps = [
            mr.solve(problem, method, tolerance=1e-12, epsilon=e).certificate.relative_gap
            for e in (1.0, 1e-5)
        ]
        assert gaps[1] < gaps[0]
        for wrong in (0.0, -1.0, float("nan"), "x"):
            with pytest.raises(mr.DataError, match="epsilon"):
                mr.solve(problem, method, epsilon=wrong)
