"""SMO on the unified dual, its parts against plain arithmetic, and the alternation with a free bias, where it fails too."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest

import msvm_ref as mr
from msvm_ref.solvers.classic.rows import KernelRows
from msvm_ref.solvers.classic.shrinking import SPENT, STALLED, steps
from msvm_ref.solvers.classic.two_variables import gain, in_box, in_triangle
from msvm_ref.solvers.classic.unified import UnifiedDual, column
from msvm_ref.solvers.classic.uv_smo import Ascent
from msvm_ref.solvers.classic.working_set import (
    first_in_boxes,
    first_in_simplices,
    second_in_boxes,
    second_in_simplex,
    shrink_boxes,
    shrink_simplices,
)
from msvm_ref.solvers.deadline import Deadline
from msvm_ref.solvers.truth.dual import kernel_modifiers
from tests.small_problems import COSTS, MACHINES, NIGHTLY, blobs, label, table, weights
from tests.solvers.classic.test_methods import meets_truth


@pytest.mark.parametrize(("machine", "cost"), table([MACHINES], [COSTS]), ids=label)
def test_every_machine_reaches_the_truth(machine, cost):
    X, y = blobs(3, per_class=4)
    for kernel, bias, weighting in (
        (mr.linear, "none", "weighted"),
        (mr.rbf(0.5), "penalized", "equal"),
    ):
        weight = weights(weighting, len(y))
        problem = mr.Problem(
            machine.with_cost(cost), X, y, C=0.7, kernel=kernel, bias=bias, sample_weight=weight
        )
        truth = mr.solve(problem, "fast", tolerance=1e-8)
        sizes = (2,) if machine.aggregation.slack == "shared" and cost == "linear" else (1, 2)
        for size in sizes:
            solution = mr.solve(problem, "uv-smo", tolerance=1e-6, working_set=size)
            assert solution.converged, solution
            meets_truth(solution, truth)


def test_ugly_data_for_box_and_simplex():
    """Contradictory duplicates, a zero row, an absent class, one class only, weights with zeros, one example, only zeros."""
    X = np.array([[1.0, 0, 2], [1, 0, 2], [0, 0, 0], [-1, 3, 2], [-1, 3, 2], [2, 2, 2]])
    y = np.array([0, 1, 2, 1, 0, 2])
    data = (
        (X, y, None),
        (X, y, [1.0, 0.0, 2.0, 0.5, 1.0, 0.0]),
        (X, 0 * y, None),
        (X[:1], y[:1], None),
        (0 * X, y, None),
        (X, y, np.zeros(6)),
    )
    for machine, (rows, labels, weight), C in itertools.product(
        (mr.CS, mr.LLW, mr.ATM), data, (1e-9, 1e3)
    ):
        problem = mr.Problem(machine, rows, labels, C=C, sample_weight=weight, n_classes=4)
        solution = mr.solve(problem, "uv-smo", tolerance=1e-4)
        assert solution.converged, (machine.name, C, solution)
        meets_truth(solution, mr.solve(problem))


def test_one_pair_needs_no_kernels_of_its_own():
    """np.nonzero's columns are contiguous only where there is one pair or none, and kernels are compiled for a layout."""
    for d in (2, 3):
        pairs = UnifiedDual(mr.Problem(mr.CS, np.ones((1, 1)), [0], n_classes=d), 1.0).pairs
        assert len(pairs.owner) == d - 1
        assert all(part.flags.c_contiguous for part in pairs[:-1])


def test_scales_far_from_1_do_not_overflow():
    X, y = blobs(3)
    for scale, C in ((1e-90, 1e-90), (1e-3, 1e-12), (1e8, 1e-10), (1e-60, 1e60)):
        for machine in (mr.WW, mr.CS):
            problem = mr.Problem(machine, scale * X, y, C=C)
            assert mr.solve(problem, "uv-smo", tolerance=1e-6).converged, (scale, C)


def test_shrinking_and_the_cache_change_the_work_and_not_the_answer():
    X, y = blobs(4, per_class=15)
    for method, machine, bias in (
        ("uv-smo", mr.LLW, "none"),
        ("uv-smo", mr.CS, "none"),
        ("bsvm", mr.WW, "penalized"),
        ("cs-decomposition", mr.CS, "none"),
    ):
        problem = mr.Problem(machine, X, y, C=3.0, kernel=mr.rbf(0.5), bias=bias)
        solutions = [
            mr.solve(problem, method, tolerance=1e-6, **options)
            for options in ({}, {"shrinking": False}, {"cache_mb": 1e-6})
        ]
        assert all(s.converged for s in solutions)
        meets_truth(solutions[0], solutions[1])
        meets_truth(solutions[0], solutions[2])
        usual, _, narrow = (s.work["kernel_evaluations"] for s in solutions)
        assert usual <= (problem.n + 1) * problem.n < narrow


def test_rows_are_the_kernel_s_and_the_one_used_longest_ago_leaves():
    X, y = blobs(3)
    for kernel in (mr.linear, mr.rbf(0.3), mr.polynomial(2)):
        problem = mr.Problem(mr.WW, X, y, kernel=kernel, bias="penalized")
        rows = KernelRows(problem, cache_mb=1e-9, least=2)
        for i in (0, 1, 0, 2, 0, 1):  # 0 stays, the others make room for each other
            np.testing.assert_allclose(rows.row(i), problem.gram[i] + 1, rtol=1e-13, atol=1e-13)
        assert rows.made == 4
        assert rows.evaluations == 5 * problem.n
    for bad in (0, -1, "a", None):
        with pytest.raises(mr.DataError, match="cache_mb"):
            KernelRows(problem, bad, 1)


@pytest.mark.parametrize("cost", [*COSTS, "huber(1/4)"])
def test_columns_are_uv_s_q_and_the_gradient_is_v_less_q_alpha(machine, cost):
    """Q by M and k as the ground truth has them; a cost's h / C_i on the pair, or on the whole example."""
    X, y = blobs(3, per_class=2)
    weight = np.array([1.0, 2.0, 0.5, 0.0, 1.0, 4.0])
    problem = mr.Problem(machine.with_cost(cost), X, y, C=0.5, sample_weight=weight)
    dual = UnifiedDual(problem, 1.0)
    pairs, size = dual.pairs, len(dual.pairs.owner)
    assert not (pairs.owner == 3).any()
    counted, M = kernel_modifiers(problem.spec)
    place = {tuple(map(int, pair)): k for k, pair in enumerate(counted)}
    at = [place[int(y[i]), int(p)] for i, p in zip(pairs.owner, pairs.component, strict=True)]
    Q = M[np.ix_(at, at)] * problem.gram[np.ix_(pairs.owner, pairs.owner)]
    same = pairs.owner[:, None] == pairs.owner if pairs.shared else np.eye(size, dtype=bool)
    Q = Q + same * problem.spec.width / problem.costs[pairs.owner]
    ours, room = np.empty((size, size)), np.empty((3, 3))
    for t in range(size):
        row = dual.rows.row(int(pairs.owner[t]))
        column(pairs, t, row, np.arange(size), size, room, ours[t])
    np.testing.assert_allclose(ours, Q, atol=1e-12)
    np.testing.assert_allclose(pairs.root**2, np.diag(Q), atol=1e-12)
    alpha, b = np.random.default_rng(0).random(size), np.array([0.3, -0.2, -0.1])
    V = problem.spec.gamma[y[pairs.owner], pairs.component]
    V = V - problem.spec.nu[y[pairs.owner], pairs.component] @ b
    np.testing.assert_allclose(dual.gradient(alpha, b), V - Q @ alpha, atol=1e-12)
    bound = np.full(size, np.inf) if cost == "quadratic" else problem.costs[pairs.owner]
    np.testing.assert_array_equal(pairs.upper, bound)


def test_two_variables_are_solved_exactly():
    """Against a fine grid: no point of the box or the triangle gains more."""
    rng = np.random.default_rng(0)
    for turn in range(200):
        factor = rng.normal(size=(2, 1 + turn % 3))
        H = factor @ factor.T
        Q, g, a, b = (H[0, 0], H[1, 1], H[0, 1]), 2 * rng.normal(size=2), *rng.random(2)
        upper = a + rng.random() * (turn % 2), b + rng.random()
        z, w, best = in_box(a, b, *g, Q, *upper)
        assert 0 <= z <= upper[0]
        assert 0 <= w <= upper[1]
        assert gain(*g, Q, z - a, w - b) == pytest.approx(best, abs=1e-10)
        grid = itertools.product(np.linspace(0, upper[0], 21), np.linspace(0, upper[1], 21))
        assert max(gain(*g, Q, u - a, v - b) for u, v in grid) <= best + 1e-10
        total = a + b + rng.random() * (turn % 2)
        z, w, best = in_triangle(a, b, *g, Q, total)
        assert min(z, w) >= 0
        assert z + w <= total * (1 + 1e-15)
        grid = ((u, v) for u, v in itertools.product(np.linspace(0, total, 21), repeat=2))
        inside = (gain(*g, Q, u - a, v - b) for u, v in grid if u + v <= total)
        assert max(inside) <= best + 1e-10


def test_the_working_set_in_boxes_is_the_worst_and_the_one_that_gains_most_with_it():
    X, y = blobs(3, per_class=2)
    dual = UnifiedDual(mr.Problem(mr.LLW, X, y, C=1.0), 1.0)
    pairs, size = dual.pairs, len(dual.pairs.owner)
    rng = np.random.default_rng(3)
    everything, room, Q_a = np.arange(size), np.empty((3, 3)), np.empty(size)
    for _ in range(20):
        alpha, g = rng.choice([0.0, 0.5, 1.0], size), rng.normal(size=size)
        wrong = np.where(g > 0, np.where(alpha < 1, g, 0), np.where(alpha > 0, -g, 0))
        a, worst = first_in_boxes(pairs, alpha, g, everything, size, False)
        assert (a, worst) == (wrong.argmax(), wrong.max())
        column(pairs, a, dual.rows.row(int(pairs.owner[a])), everything, size, room, Q_a)
        b, new_a, new_b = second_in_boxes(pairs, alpha, g, everything, size, a, Q_a)
        values = {}
        for t in set(range(size)) - {a}:
            H = np.array([[pairs.root[a] ** 2, Q_a[t]], [Q_a[t], pairs.root[t] ** 2]])
            if np.linalg.det(H) > 1e-9:
                step = np.linalg.solve(H, g[[a, t]])
                if (step[1] > 0 and alpha[t] < 1) or (step[1] < 0 and alpha[t] > 0):
                    values[t] = step @ g[[a, t]] / 2
        assert b == max(values, key=values.get)
        assert min(new_a, new_b) >= 0
        assert max(new_a, new_b) <= 1
        assert (new_a - alpha[a]) * g[a] > 0 or new_a == alpha[a]


def test_the_violation_of_an_example_counts_what_is_left_of_C_as_one_more_multiplier():
    X, y = blobs(3, per_class=1)
    dual = UnifiedDual(mr.Problem(mr.ATM, X, y, C=1.0), 1.0)
    pairs, everything = dual.pairs, np.arange(9)
    g = np.array([3.0, 1, -1, -1, -2, -3, 5, 4, 2])
    full = np.array([1.0, 0, 0, 0, 0.5, 0.5, 0.5, 0, 0.5])
    total = np.add.reduceat(full, [0, 3, 6])
    # 3 - 3, 0 - (-3), 5 - 2
    assert first_in_simplices(pairs, full, total, g, everything, 9) == (5, 3.0)
    part = np.array([0.5, 0, 0, 0, 0.5, 0, 0, 0, 0.5])
    total = np.add.reduceat(part, [0, 3, 6])
    # 3 - 0, 0 - (-2), 5 - 0
    assert first_in_simplices(pairs, part, total, g, everything, 9) == (6, 5.0)
    seen, Q_a = np.ones(9, dtype=bool), np.zeros(9)
    b, new_a, new_b = second_in_simplex(pairs, part, total, g, seen, 6, Q_a)
    gains = {}
    for t in (7, 8):
        Q = pairs.root[6] ** 2, pairs.root[t] ** 2, 0.0
        gains[t] = in_triangle(part[6], part[t], g[6], g[t], Q, part[6] + part[t] + 0.5)
    assert b == max(gains, key=lambda t: gains[t][2])
    assert (new_a, new_b) == gains[b][:2]


def test_only_what_its_gradient_holds_at_a_bound_is_shrunk():
    X, y = blobs(3, per_class=1)
    own, shared = (
        UnifiedDual(mr.Problem(machine, X, y, C=1.0), 1.0).pairs for machine in (mr.ATS, mr.ATM)
    )
    alpha = np.array([0.0, 0, 0.5, 1, 1, 0.5, 0, 1, 0])
    g = np.array([-3.0, -1, -3, 3, 1, 3, 3, -3, -2])
    active, seen = np.arange(9), np.ones(9, dtype=bool)
    kept = shrink_boxes(own, alpha, g, active, 9, seen, 2.0)
    assert active[:kept].tolist() == [1, 2, 4, 5, 6, 7, 8]
    assert np.flatnonzero(~seen).tolist() == [0, 3]
    # an example with room: against 0; one at C: against its least gradient; one whole: all of it
    alpha = np.array([0.5, 0, 0, 0.5, 0.5, 0, 1, 0, 0])
    g = np.array([1.0, -3, -1, 4, 3, 0, 9, 1, 2])
    active, seen = np.arange(9), np.ones(9, dtype=bool)
    total = np.add.reduceat(alpha, [0, 3, 6])
    kept = shrink_simplices(shared, alpha, total, g, active, 9, seen, 2.0)
    assert active[:kept].tolist() == [0, 2, 3, 4]


def test_a_rule_met_by_what_is_in_sight_is_not_yet_met():
    """The loop ends at once, everything is looked at again, and only then may it have ended."""
    X, y = blobs(3)
    ascent = Ascent(mr.Problem(mr.WW, X, y), 2, True, 1.0)
    ascent.refresh()
    ascent.state[0] = 0
    taken, code = steps(
        ascent.dual.rows, lambda m: ascent.loop(1e-3, m), 3, ascent.some_hidden, ascent.refresh
    )
    assert (taken, code) == (3, SPENT)
    assert steps(ascent.dual.rows, lambda m: (0, STALLED, -1), 3, bool, ascent.refresh) == (
        0,
        STALLED,
    )


def test_limits_are_kept_and_refusals_name_the_condition():
    X, y = blobs(3)
    problem = mr.Problem(mr.LLW, X, y, C=10.0)
    short = mr.solve(problem, "uv-smo", max_iterations=3)
    assert not short.converged
    assert short.work["iterations"] == 3
    assert short.stopped_by == "budget spent"
    meets_truth(short, mr.solve(problem))
    quick = mr.solve(problem, "uv-smo", tolerance=1e-12, max_seconds=1e-9)
    assert quick.stopped_by == "max_seconds"
    assert quick.work["iterations"] <= 8
    free = mr.Problem(mr.LLW, X, y, bias="free")
    late = mr.solve(free, "alternation", tolerance=1e-12, max_seconds=1e-9)
    assert late.stopped_by == "max_seconds"
    few = mr.solve(free, "alternation", tolerance=1e-12, max_alternations=2)
    assert "max_alternations" in few.stopped_by
    assert few.work["alternations"] == 2
    for method, at, options, words in (
        ("uv-smo", free, {}, "alternation"),
        ("alternation", problem, {}, "uv-smo"),
        ("uv-smo", mr.Problem(mr.CS, X, y), {"working_set": 1}, "share a slack"),
        ("uv-smo", problem, {"working_set": 3}, "1 or 2"),
        ("uv-smo", problem, {"shrinking": 1}, "True or False"),
        ("uv-smo", problem, {"cache_mb": -1}, "positive"),
        ("uv-smo", problem, {"max_iterations": 0}, "positive integer"),
        ("alternation", free, {"update": "guess"}, "resilient"),
        ("alternation", free, {"max_alternations": 0}, "positive integer"),
    ):
        with pytest.raises(mr.MsvmError, match=words):
            mr.solve(at, method, **options)


def test_sums_of_an_example_keep_their_bound():
    X, y = blobs(4)
    weight = weights("weighted", len(y))
    problem = mr.Problem(mr.ATM, X, y, C=0.3, sample_weight=weight)
    ascent = Ascent(problem, 2, True, 1.0)
    for precision in (1e-1, 1e-4):
        ascent.solve(precision, 10_000, Deadline())
        alpha = ascent.multipliers
        assert alpha.min() >= 0
        assert (alpha.sum(axis=1) <= problem.costs * (1 + 1e-12)).all()
        assert not alpha[weight == 0].any()


@pytest.mark.parametrize("machine", MACHINES[:9] if NIGHTLY else [mr.WW, mr.CS, mr.ATS], ids=label)
def test_alternation_reaches_a_free_bias(machine):
    X, y = blobs(3, per_class=4)
    for cost in COSTS:
        problem = mr.Problem(machine.with_cost(cost), X, y, C=0.7, kernel=mr.rbf(0.5), bias="free")
        solution = mr.solve(problem, "alternation", tolerance=1e-4)
        assert solution.converged, solution
        meets_truth(solution, mr.solve(problem, "fast", tolerance=1e-7))
        if cost == "quadratic" and machine.aggregation.slack == "own":
            exact = mr.solve(problem, "alternation", tolerance=1e-4, update="exact")
            assert exact.converged, exact


def test_where_alternation_by_signs_has_the_optimum_and_no_proof():
    """Four points on a line: the multipliers are not unique at the best bias, and r jumps there from one side to the other."""
    problem = mr.Problem(mr.OVA, [[0.0], [1], [2], [3]], [0, 1, 0, 1], C=0.5, bias="free")
    solution, truth = mr.solve(problem, "alternation", tolerance=1e-6), mr.solve(problem)
    assert not solution.converged
    assert solution.stopped_by.startswith("alternation stuck: the bias has no step left")
    assert solution.certificate.upper == pytest.approx(truth.certificate.upper, rel=1e-9)
    assert solution.work["residual"] > 0.1
    assert solution.certificate.relative_gap > 0.1


def test_where_alternation_by_exact_minima_sticks():
    """The bias is optimal for the weights, the weights for the bias, and the optimum is 5 per cent below."""
    problem = mr.Problem(mr.OVA, [[0.0], [1], [2], [3]], [0, 1, 0, 1], C=0.5, bias="free")
    solution = mr.solve(problem, "alternation", tolerance=1e-6, update="exact")
    truth = mr.solve(problem)
    assert not solution.converged
    assert solution.stopped_by.startswith("alternation stuck: the bias is optimal for the weights")
    assert solution.certificate.upper > 1.05 * truth.certificate.upper
    np.testing.assert_allclose(
        mr.certify(problem, W=solution.W, b=solution.b).primal_value, solution.objective
    )


def test_a_machine_given_as_an_array_is_solved_too():
    """nu with three entries a row, a target of its own for every pair."""
    rng = np.random.default_rng(5)
    nu = -np.abs(rng.integers(1, 4, size=(3, 3, 3))) + 0
    for c in range(3):
        nu[c, c, c] = 3
    nu = np.vectorize(Fraction, otypes=[object])(nu)
    X, y = blobs(3)
    for aggregation in (mr.TOTAL_SUM, mr.TOTAL_MAX):
        machine = mr.Machine("mine", nu.tolist(), aggregation, [[1, 2, 1], [1, 1, 3], [2, 1, 1]])
        problem = mr.Problem(machine, X, y, C=0.5)
        solution = mr.solve(problem, "uv-smo", tolerance=1e-6)
        assert solution.converged
        meets_truth(solution, mr.solve(problem))
