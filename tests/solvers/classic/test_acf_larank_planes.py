"""Adaptive coordinate frequencies, LaRank and the cutting planes: the truth, ugly data, limits, seeds, and their own rules."""

from __future__ import annotations

import time
from itertools import product

import numpy as np
import pytest
from scipy import sparse

import msvm_ref as mr
from msvm_ref.model.loss import expansion, slacks, violations
from msvm_ref.solvers.classic import acf, larank
from msvm_ref.solvers.classic.cutting_plane import most_violated
from msvm_ref.solvers.classic.master import feasible, solve_master
from msvm_ref.solvers.classic.planes import NSlack, OneSlack
from msvm_ref.solvers.deadline import Deadline
from msvm_ref.solvers.fast.blocks import blocks
from msvm_ref.solvers.fast.linear_engine import LinearEngine
from tests.small_problems import COSTS, MACHINES, NIGHTLY, blobs, distance, table, thinned, weights

METHODS = {
    "acf": ("acf", {}),
    "larank": ("larank", {}),
    "1-slack": ("cutting-plane", {"slack": "1"}),
    "n-slack": ("cutting-plane", {"slack": "n"}),
}
TAKEN = [
    *(("acf", m.with_cost(cost)) for m, cost in table([MACHINES], [COSTS])),
    ("larank", mr.CS),
    *(("n-slack", m) for m in (MACHINES if NIGHTLY else MACHINES[:2])),
    *(("1-slack", m) for m in thinned((mr.WW, mr.CS, mr.LLW, mr.ATM, mr.MMR), 2)),
]


def solved(problem, name, tolerance=1e-6, **options):
    method, own = METHODS[name]
    return mr.solve(problem, method, tolerance=tolerance, **own, **options)


def meets(solution, truth):
    a, b = solution.certificate, truth.certificate
    assert a.lower <= b.upper
    assert b.lower <= a.upper
    assert distance(solution, truth) <= a.distance_bound + b.distance_bound


@pytest.mark.parametrize(
    ("name", "machine"), TAKEN, ids=lambda v: v if isinstance(v, str) else f"{v.name}-{v.cost}"
)
def test_each_reaches_the_truth(name, machine):
    X, y = blobs(3, per_class=4)
    for bias, kernel, weighting in (
        ("penalized", mr.linear, "weighted"),
        ("none", mr.linear if name == "acf" else mr.rbf(0.5), "equal"),
    ):
        problem = mr.Problem(
            machine, X, y, C=0.7, kernel=kernel, bias=bias, sample_weight=weights(weighting, len(y))
        )
        solution = solved(problem, name)
        assert solution.converged, solution
        assert all(value >= 0 for value in solution.work.values())
        assert solution.work["kernel_evaluations"] > 0
        meets(solution, mr.solve(problem, tolerance=1e-7))


@pytest.mark.parametrize("name", METHODS)
def test_the_default_tolerance_is_reached(name):
    """1e-9: what an epoch or a schedule gains is far below the rounding of the dual's value by then."""
    X, y = blobs(3)
    for C in (0.01, 1.0, 10.0):
        problem = mr.Problem(mr.CS, X, y, C=C)
        assert solved(problem, name, 1e-9).converged


UGLY = np.array([[1.0, 0, 2], [1, 0, 2], [0, 0, 0], [-1, 3, 2], [-1, 3, 2], [2, 2, 2]])
LABELS = np.array([0, 1, 2, 1, 0, 2])


@pytest.mark.parametrize("name", METHODS)
def test_ugly_data(name):
    """Contradictory duplicates, a zero row, weights with zeros, an absent class, one class only, one example, no features."""
    sets = {
        "contradictory": (UGLY, LABELS, None),
        "weights": (UGLY, LABELS, [1.0, 0.0, 2.0, 0.5, 1.0, 0.0]),
        "one class": (UGLY, 0 * LABELS, None),
        "one example": (UGLY[:1], LABELS[:1], None),
        "zeros": (0 * UGLY, LABELS, None),
        "no features": (UGLY[:, :0], LABELS, None),
        "no weight": (UGLY, LABELS, np.zeros(6)),
    }
    for (what, (X, y, weight)), C in product(sets.items(), (1e-8, 1.0, 1e3)):
        for machine in (mr.CS,) if name == "larank" else (mr.CS, mr.WW):
            bias = "none" if what == "no features" or C == 1.0 else "penalized"
            problem = mr.Problem(machine, X, y, C=C, bias=bias, sample_weight=weight, n_classes=4)
            solution = solved(problem, name, 1e-4)
            assert solution.converged, (what, C, machine.name, solution)
            meets(solution, mr.solve(problem, "dual", tolerance=1e-6))


@pytest.mark.parametrize("name", METHODS if NIGHTLY else [m for m in METHODS if m != "acf"])
def test_sparse_rows_are_the_same_problem(name):
    """acf's are compiled for 20 s, at night: by day fast meets the same sparse visit."""
    X, y = blobs(3)
    rows = solved(mr.Problem(mr.CS, sparse.csr_array(X), y, C=0.1), name, 1e-4)
    assert rows.converged
    meets(rows, solved(mr.Problem(mr.CS, X, y, C=0.1), name, 1e-4))


def test_refusals_name_the_condition():
    X, y = blobs(3)
    cases = [
        ("acf", mr.WW, "free", mr.linear, "free"),
        ("acf", mr.WW, "none", mr.rbf(1.0), "linear"),
        ("larank", mr.WW, "none", mr.linear, "others-max"),
        ("larank", mr.ATM, "none", mr.linear, "others-max"),
        ("larank", mr.CS, "free", mr.linear, "penalized"),
        ("larank", mr.CS.with_cost("quadratic"), "none", mr.linear, "linear"),
        ("n-slack", mr.CS, "free", mr.linear, "penalized"),
        ("1-slack", mr.CS.with_cost("quadratic"), "none", mr.linear, "linear"),
    ]
    for name, machine, bias, kernel, words in cases:
        with pytest.raises(mr.MsvmError, match=words):
            solved(mr.Problem(machine, X, y, bias=bias, kernel=kernel), name)


def test_options_are_checked():
    X, y = blobs(3)
    problem = mr.Problem(mr.CS, X, y)
    for method, option in (
        ("acf", {"seed": -1}),
        ("acf", {"max_sweeps": 0}),
        ("larank", {"seed": 0.5}),
        ("larank", {"max_iterations": 0}),
        ("cutting-plane", {"slack": 1}),
        ("cutting-plane", {"max_iterations": 0}),
        ("cutting-plane", {"start": 3}),
        ("cutting-plane", {"max_seconds": 0}),
    ):
        with pytest.raises(mr.DataError):
            mr.solve(problem, method, **option)


def test_limits_are_kept_and_admitted():
    X, y = blobs(5, per_class=12)
    problem = mr.Problem(mr.CS, X, y, C=100.0)
    for name, limit in (
        ("acf", {"max_sweeps": 2}),
        ("larank", {"max_iterations": 100}),
        ("1-slack", {"max_iterations": 2}),
        ("n-slack", {"max_iterations": 1}),
    ):
        solution = solved(problem, name, **limit)
        (option, most), counted = *limit.items(), solution.work
        assert counted["sweeps" if option == "max_sweeps" else "iterations"] == most
        assert not solution.converged
        assert solution.stopped_by == "budget spent"
        start = time.perf_counter()
        hurried = solved(problem, name, 1e-9, max_seconds=1e-3)
        assert time.perf_counter() - start < 5.0
        assert hurried.converged or hurried.stopped_by == "max_seconds"


@pytest.mark.parametrize("method", ["acf", "larank"])
def test_a_seed_is_a_run(method):
    """Whatever the clock: neither method looks at it."""
    X, y = blobs(3)
    problem = mr.Problem(mr.CS, X, y, C=2.0)
    one, same, other = (mr.solve(problem, method, tolerance=1e-6, seed=s) for s in (3, 3, 4))
    np.testing.assert_array_equal(one.alpha, same.alpha)
    assert one.work == same.work
    assert one.work != other.work
    np.random.seed(0)  # noqa: NPY002
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    mr.solve(problem, method, tolerance=1e-3)
    assert (np.random.get_state()[1] == before).all()  # noqa: NPY002


# adaptive coordinate frequencies


def test_a_preference_follows_the_gain_against_the_average():
    """p exp((gain / r - 1) / 5) within [1/20, 20], r by its share eta; a gain of r changes no preference."""
    for gain, factor in ((2.0, 1.0), (4.0, np.exp(0.2)), (0.0, np.exp(-0.2)), (2e3, 20.0)):
        preference, average = np.ones(3), np.array([2.0])
        acf.adapt(preference, average, np.array([1]), np.array([gain]), acf.CHANGE, 0.25)
        assert preference == pytest.approx([1.0, factor, 1.0])
        assert average[0] == pytest.approx(0.75 * 2.0 + 0.25 * gain)
    acf.adapt(preference, average, np.zeros(100, dtype=int), np.zeros(100), acf.CHANGE, 0.0)
    assert preference[0] == 1 / 20


def test_a_schedule_visits_as_often_as_preferred_and_forgets_no_remainder():
    X, y = blobs(4)
    ascent = acf.AdaptiveAscent(mr.Problem(mr.WW, X, y), np.random.default_rng(0))
    ascent.preference[:] = np.linspace(0.05, 20, len(y))
    share = len(y) * ascent.preference / ascent.preference.sum()
    times, rounds = np.zeros(len(y)), 400
    for _ in range(rounds):
        order = ascent.schedule()
        times += np.bincount(order, minlength=len(y))
        assert abs(len(order) - len(y)) <= len(y)
    assert abs(times - rounds * share).max() <= 1


def test_the_first_sweep_is_uniform_and_measures_the_average_gain():
    X, y = blobs(3)
    problem = mr.Problem(mr.CS, X, y)
    ascent = acf.AdaptiveAscent(problem, np.random.default_rng(0))
    assert ascent.moved()
    assert ascent.visits == problem.n
    assert (ascent.preference == 1).all()
    gamma = problem.spec.gamma[problem.y]
    A = expansion(problem, ascent.alpha)
    dual = float((gamma * ascent.alpha).sum() - ((X.T @ A) ** 2).sum() / 2)
    assert ascent.average[0] * problem.n == pytest.approx(dual, rel=1e-12)


def test_gains_decide_who_is_visited():
    """Examples that sit on their optimum from the second sweep on are left behind by those that do not."""
    X, y = blobs(3, per_class=10)
    problem = mr.Problem(mr.CS, X, y, C=10.0)
    ascent = acf.AdaptiveAscent(problem, np.random.default_rng(0))
    for _ in range(60):
        ascent.moved()
    idle = ascent.alpha.max(axis=1) == 0
    assert idle.any()
    assert ascent.preference[idle].max() < ascent.preference[~idle].max() / 5


# LaRank


def test_the_pair_of_each_operation():
    """ProcessNew: the own class up; ProcessOld: any; Optimize: support vectors alone. All: the smallest gradient down."""
    K, y, costs = np.eye(1), np.array([1]), np.array([1.0])
    g = np.array([[0.3, 0.1, -0.4, -0.5]])
    beta = np.array([[-0.1, 0.3, -0.2, 0.0]])
    for what, up, down in ((larank.NEW, 1, 3), (larank.OLD, 0, 3), (larank.OPTIMIZE, 0, 2)):
        after, gradient = beta.copy(), g.copy()
        gain = larank.pair_step(
            K, y, costs, after, gradient, np.zeros(1, dtype=np.int64), 1, 0, what, 1e-3
        )
        slope = g[0, up] - g[0, down]
        step = min(slope / 2, (1.0 if up == 1 else 0.0) - beta[0, up])
        moved = np.zeros(4)
        moved[up], moved[down] = step, -step
        np.testing.assert_allclose(after[0] - beta[0], moved, atol=1e-15)
        assert gain == pytest.approx(step * slope - step**2)
    for tau in (0.9, 1.0):
        gain = larank.pair_step(
            K, y, costs, beta.copy(), g.copy(), np.zeros(1, dtype=np.int64), 1, 0, larank.OLD, tau
        )
        assert gain == 0.0


def test_the_gradients_of_the_support_patterns_are_kept():
    X, y = blobs(3)
    problem = mr.Problem(mr.CS, X, y, C=4.0)
    theirs = larank.Relative(problem, "larank", "LaRank", 1, True, ("none",))
    state = larank.State(problem, theirs, np.random.default_rng(0))
    state.refresh()
    for _ in range(20):
        state.advance(1e-3, 37)
        fresh = np.eye(3)[problem.y] - state.K @ state.beta
        assert set(state.support) == set(np.flatnonzero(state.beta.any(axis=1)))
        np.testing.assert_allclose(state.g[state.support], fresh[state.support], atol=1e-12)
        np.testing.assert_allclose(state.beta.sum(axis=1), 0.0, atol=1e-12)
        bound = theirs.costs[:, None] * np.eye(3)[problem.y]
        assert (state.beta <= bound).all()
    dual = float(state.beta[np.arange(len(y)), problem.y].sum())
    dual -= float((state.beta * (state.K @ state.beta)).sum()) / 2
    assert state.gained == pytest.approx(dual, rel=1e-9)


def test_odds_follow_the_rates_and_nothing_starves():
    uniform = (np.arange(100_000) + 0.5) / 100_000
    for rates, shares in (
        ((1.0, 1.0, 2.0), (0.25, 0.25, 0.5)),
        ((1.0, 0.0, 0.0), (1 / 1.1, 0.05 / 1.1, 0.05 / 1.1)),
        ((0.0, 0.0, 0.0), (1 / 3, 1 / 3, 1 / 3)),
    ):
        drawn = [larank.drawn(np.array(rates), u) for u in uniform[::100]]
        assert np.bincount(drawn, minlength=3) / len(drawn) == pytest.approx(shares, abs=2e-3)


# cutting planes


@pytest.mark.parametrize("machine", [mr.CS, mr.WW, mr.LLW, mr.ATM], ids=lambda m: m.name)
def test_the_most_violated_constraint_is_the_loss(machine):
    """<u, t> = L for the u found, and no other vertex u of U gives more."""
    X, y = blobs(3)
    problem = mr.Problem(machine, X, y, C=2.0, sample_weight=weights("weighted", len(y)))
    scores = np.random.default_rng(0).normal(size=(len(y), 3))
    t = violations(problem, scores)
    finite = np.where(np.isfinite(t), t, 0.0)
    U = most_violated(problem, scores)
    loss = problem.costs * slacks(problem, t).sum(axis=1)
    assert (U * finite).sum(axis=1) == pytest.approx(loss)
    corners = [u for u in product((0.0, 1.0), repeat=3) if not problem.spec.shared or sum(u) <= 1]
    best = np.max([finite @ np.array(u) for u in corners], axis=0)
    assert problem.costs * best == pytest.approx(loss)
    for planes in (NSlack(problem), OneSlack(problem)):
        over = planes.violation(U, scores)
        units = problem.costs if len(over) > 1 else problem.costs.sum()
        total = loss if len(over) > 1 else loss.sum()
        assert over * units == pytest.approx(total)
        assert planes.add(U, over > 0) == (over > 0).sum()
        assert planes.violation(U, scores).max() <= 1e-12
        assert planes.add(U, over > 0) == 0


def test_a_working_set_knows_its_constraints():
    """H, delta, alpha and the scores are those of the matrices U, in both formulations."""
    X, y = blobs(3)
    problem = mr.Problem(mr.WW, X, y, C=2.0, bias="penalized")
    rng = np.random.default_rng(1)
    for planes in (NSlack(problem), OneSlack(problem)):
        families = problem.n if isinstance(planes, NSlack) else 1
        taken = [most_violated(problem, rng.normal(size=(problem.n, 3))) for _ in range(3)]
        for U in taken:
            planes.add(U, np.ones(families, dtype=bool))
        here = rng.normal(size=(problem.n, 3))
        t = violations(problem, here)
        t = np.where(np.isfinite(t), t, 0.0)
        values = np.array([(U * t).sum(axis=1) for U in taken])
        slack = (values if families > 1 else values.sum(axis=1)).max(axis=0).clip(0)
        units = problem.costs if families > 1 else problem.costs.sum()
        assert -planes.violation(0 * U, here) * units == pytest.approx(slack)
        multipliers = rng.uniform(size=len(planes))
        alpha, scores = planes.combined(multipliers)
        A = expansion(problem, alpha)
        np.testing.assert_allclose(scores, planes.K @ A, atol=1e-10)
        quadratic = multipliers @ planes.hessian @ multipliers
        assert quadratic == pytest.approx((A * scores).sum(), rel=1e-10)
        gain = (alpha * problem.spec.gamma[problem.y]).sum()
        assert planes.delta @ multipliers == pytest.approx(gain, rel=1e-12)
        count = len(planes)
        silent = np.where(np.arange(count) % 2 == 0, 0.5, 0.0)
        for _ in range(2):
            planes.drop_idle(silent, 3)
        assert len(planes) == count
        planes.drop_idle(silent, 3)
        assert len(planes) == (count + 1) // 2
        assert planes.hessian.shape == (len(planes), len(planes))


def test_the_master_is_solved_and_its_answer_feasible():
    """One constraint: lambda = min(delta / H, 1); two families do not share their sum."""
    clock = Deadline()
    for curve, best in ((4.0, 0.25), (0.5, 1.0), (0.0, 1.0)):
        answer, by = solve_master(np.array([[curve]]), np.ones(1), np.zeros(1, int), 1e-9, clock)
        assert answer[0] == pytest.approx(best, abs=1e-7)
        assert by in ("PIQP", "CLARABEL", "ECOS", "QOCO", "OSQP")
    H, delta = np.zeros((3, 3)), np.array([1.0, 2.0, 3.0])
    answer, _ = solve_master(H, delta, np.array([0, 0, 5]), 1e-9, clock)
    assert answer == pytest.approx([0, 1, 1], abs=1e-6)
    assert feasible(np.array([3.0, 1.0, -1.0]), np.array([0, 0, 1])) == pytest.approx(
        [0.75, 0.25, 0]
    )


@pytest.mark.parametrize("slack", ["1", "n"])
def test_a_start_saves_masters(slack):
    """At its own problem a solution is the only constraint that is needed; a path over C takes it along."""
    X, y = blobs(3)
    problem = mr.Problem(mr.WW, X, y, C=2.0, kernel=mr.rbf(0.3))
    options = {"slack": slack, "tolerance": 1e-2}
    cold = mr.solve(problem, "cutting-plane", **options)
    exact = mr.solve(problem, "dual", tolerance=1e-9)
    warm = mr.solve(problem, "cutting-plane", start=exact, **options)
    assert warm.converged
    assert warm.work["iterations"] == 1 < cold.work["iterations"]
    for solution in mr.solvers.solve_path(problem, [0.5, 1, 2], "cutting-plane", **options):
        assert solution.converged
        meets(solution, mr.solve(solution.problem, "fast"))


def test_idle_constraints_are_dropped_on_the_way():
    X, y = blobs(3, per_class=12)
    solution = mr.solve(mr.Problem(mr.CS, X, y, C=5.0), "cutting-plane", tolerance=1e-6)
    assert solution.converged
    assert solution.work["working_set"] < solution.work["constraints"]


def test_a_pass_over_a_part_counts_the_visits_of_that_part():
    """``fast`` cuts its passes to look at the clock; its kernel_evaluations did count every part as a whole pass."""
    X, y = blobs(3)
    problem = mr.Problem(mr.WW, X, y)
    engine = LinearEngine(problem, blocks(problem), 0.0)
    engine.survey()
    for part in np.array_split(np.arange(problem.n), 5):
        engine.pass_over(part)
    assert engine.evaluations == problem.n * problem.d
