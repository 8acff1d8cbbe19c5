"""Growing subsets, rows in single precision, one line for what every class gains: each certified, and against the whole."""

from __future__ import annotations

import gc
import itertools
import weakref

import numpy as np
import pytest

import msvm_ref as mr
from msvm_ref.solvers.deadline import Deadline
from msvm_ref.solvers.fast import ascent as driver
from msvm_ref.solvers.fast import kernel_cache, kernel_engine, subsets
from msvm_ref.solvers.fast.blocks import blocks
from msvm_ref.solvers.fast.kernel_cache import fill_row, rows, suits_single
from msvm_ref.solvers.fast.kernel_engine import KernelEngine
from msvm_ref.solvers.fast.kernel_values import scores_at
from tests.small_problems import label, table
from tests.solvers.fast.test_fast import BIASES, COSTS, MACHINES, data


def fast(problem: mr.Problem, tolerance: float = 1e-6, **options) -> mr.Solution:
    return mr.solve(problem, method="fast", tolerance=tolerance, **options)


@pytest.fixture
def few(monkeypatch):
    """Subsets from ten examples on, of at most all of them, whoever has a loss."""
    monkeypatch.setattr(subsets, "MANY", 10)
    monkeypatch.setattr(subsets, "MOST", 1.0)
    monkeypatch.setattr(driver, "FEW", 0)
    monkeypatch.setattr(driver, "FEW_FREE", 0)


def separated(n: int, d: int = 3) -> tuple[np.ndarray, np.ndarray]:
    """Classes so far apart that few examples matter."""
    random = np.random.default_rng(n)
    y = random.integers(d, size=n)
    y[:d] = range(d)
    return 5.0 * np.eye(d, 4)[y] + random.normal(size=(n, 4)), y


def test_a_part_is_forgotten_before_the_next(few, monkeypatch):
    """Its kernel rows may fill all the memory that is allowed: nothing may keep them until somebody collects circles."""
    X, y = data(200, 3, 3)
    made, kept = driver.SubsetAscent.__init__, []

    def begun(self, *given):
        assert all(ref() is None for ref in kept)
        made(self, *given)
        kept.append(weakref.ref(self.engine))

    monkeypatch.setattr(driver.SubsetAscent, "__init__", begun)
    gc.disable()
    try:
        assert fast(mr.Problem(mr.CS, X, y, kernel=mr.rbf(0.5))).converged
    finally:
        gc.enable()
    assert len(kept) > 1


@pytest.mark.parametrize("seconds", [np.inf, 1e-9])
def test_a_part_that_has_more_to_gain_than_everyone_else_is_asked_for_more(seconds):
    """Asked for the same again it would stand still for ever; and when the time is over, nothing is asked for."""
    X, y = data(200, 3, 3)
    problem = mr.Problem(mr.WW, X, y, kernel=mr.rbf(0.5))
    asked = []

    def ascend(part, to, start, passes, seconds, workspace):
        asked.append(to)
        words = "certified" if len(asked) < 4 else "max_iter"
        work = {"passes": 0, "kernel_evaluations": 0}
        return subsets.Climbed(words, start.dual, start.b, 1e9, 1e9 / 10 ** len(asked), work)

    limit = Deadline(seconds)
    found = subsets.grow(problem, 1e-9, 100, limit, 0, False, None, ascend, None)
    if seconds < 1:
        assert (found.words, len(asked)) == ("max_seconds", 1)
        return
    assert (found.words, len(asked)) == ("max_iter", 4)
    assert all(b < a for a, b in itertools.pairwise(asked))


@pytest.mark.usefixtures("few")
@pytest.mark.parametrize("bias", BIASES)
@pytest.mark.parametrize("machine", MACHINES, ids=lambda m: m.name)
def test_subsets_find_the_optimum_of_everyone(machine, bias, monkeypatch):
    X, y = separated(60)
    weight = np.where(np.arange(60) % 7, 1.0, 0.0)
    problem = mr.Problem(machine, X, y, kernel=mr.rbf(0.05), bias=bias, sample_weight=weight)
    grown = fast(problem)
    monkeypatch.setattr(subsets, "MANY", 1000)
    whole = fast(problem)
    assert grown.converged
    assert grown.objective == pytest.approx(whole.objective, rel=3e-6)


@pytest.mark.usefixtures("few")
def test_few_kernel_values_are_made_where_few_examples_matter():
    X, y = separated(1000)
    problem = mr.Problem(mr.MMR, X, y, kernel=mr.rbf(0.05))
    solution = fast(problem, 1e-3)
    assert solution.converged
    assert solution.work["kernel_evaluations"] < 1000 * 1000 / 2


@pytest.mark.parametrize("cost", COSTS)
@pytest.mark.parametrize("machine", MACHINES, ids=lambda m: m.name)
def test_the_losses_of_others_are_what_the_gap_takes(machine, cost, monkeypatch):
    X, y = data(40, 3, 4)
    weight = np.where(np.arange(40) % 9, 2.0, 0.0)
    problem = mr.Problem(machine.with_cost(cost), X, y, kernel=mr.rbf(0.3), sample_weight=weight)
    engine = KernelEngine(problem, blocks(problem), rows(problem, 100.0), 0.0)
    scores = np.random.default_rng(0).normal(size=(40, 3))
    scores -= scores.mean(axis=1, keepdims=True)
    losses, slopes = subsets._losses(problem, blocks(problem), np.arange(40), scores)
    monkeypatch.setattr(engine, "score_blocks", lambda: [(slice(0, 40), scores)])
    assert losses.sum() == pytest.approx(engine.survey()[0])
    np.testing.assert_array_equal(losses > 0, slopes > 0)
    assert (slopes[weight == 0] == -np.inf).all()


@pytest.mark.usefixtures("few")
def test_limits_and_ugly_input():
    X, y = separated(40)
    hard = mr.Problem(
        mr.LLW, np.concatenate([X, X]), np.append(y, (y + 1) % 3), C=1e3, kernel=mr.rbf(1.0)
    )
    short = fast(hard, 1e-9, max_iter=1)
    assert (short.attempts[0].status, short.work["passes"]) == ("max_iter", 1)
    late = fast(hard, 1e-9, max_seconds=1e-9)
    assert (late.converged, late.attempts[0].status) == (False, "max_seconds")
    shares: list[float] = []
    assert fast(hard, 1e-4, progress=shares.append).converged
    assert shares
    assert all(0 <= share <= 1 for share in shares)
    assert fast(mr.Problem(mr.WW, X, y, kernel=mr.rbf(1e9), n_classes=5)).converged
    assert fast(mr.Problem(mr.CS, 0 * X, y, kernel=mr.polynomial(2), bias="free"), 1e-4).converged
    assert fast(mr.Problem(mr.OVA, X, y, C=1e-6, kernel=mr.rbf(0.1))).converged
    one = mr.Problem(mr.WW, X[:20], [0] * 20, kernel=mr.rbf(1.0), bias="free", n_classes=2)
    assert fast(one).objective == 0.0


@pytest.mark.usefixtures("few")
def test_a_path_starts_each_c_from_the_last_and_one_seed_takes_one_path():
    X, y = separated(80)
    problem = mr.Problem(mr.CS, X, y, kernel=mr.rbf(0.05))
    path = mr.solve_path(problem, [0.1, 1.0, 10.0], method="fast", tolerance=1e-6)
    assert all(s.converged for s in path)
    again = fast(problem, start=path[0])
    assert again.objective == pytest.approx(path[1].objective, rel=3e-6)
    first, second = (fast(problem, seed=3) for _ in range(2))
    np.testing.assert_array_equal(first.alpha, second.alpha)
    assert first.work == second.work


@pytest.fixture
def single(monkeypatch):
    monkeypatch.setattr(kernel_cache, "FACTORED", 0)
    monkeypatch.setattr(driver, "FEW", 0)


def test_where_rows_may_be_rounded():
    X, y = data(900, 3, 2)
    ask = lambda tolerance, **k: suits_single(mr.Problem(mr.WW, X, y, **k), tolerance)  # noqa: E731
    assert ask(1e-4, kernel=mr.rbf(1.0))
    assert not ask(1e-6, kernel=mr.rbf(1.0))
    assert ask(1e-4, kernel=mr.rbf(1.0), C=99.0)
    assert not ask(1e-4, kernel=mr.rbf(1.0), C=101.0)
    assert not ask(1e-4, kernel=mr.polynomial(2))
    assert not suits_single(mr.Problem(mr.WW, X[:50], y[:50], kernel=mr.rbf(1.0)), 1e-4)


@pytest.mark.usefixtures("single")
@pytest.mark.parametrize(
    ("machine", "bias", "cache_mb"),
    table(((mr.CS, mr.LLW, mr.MMR), BIASES), ((1000.0, 12 * 60 * 4 / 1e6),)),
    ids=label,
)
def test_rounded_rows_are_certified_all_the_same(machine, cache_mb, bias):
    X, y = data(60)
    solution = fast(
        mr.Problem(machine, X, y, kernel=mr.rbf(0.3), bias=bias), 1e-5, cache_mb=cache_mb
    )
    assert solution.converged


@pytest.mark.usefixtures("single")
def test_rows_too_rough_for_the_certificate_are_made_again(monkeypatch):
    """Rows off by a hundredth: the judge says no, and the solve goes on in double precision."""
    X, y = data(60)
    original = kernel_cache.gram

    def rough(problem, dtype):
        table = original(problem, dtype)
        noise = np.random.default_rng(0).uniform(-0.01, 0.01, table.shape).astype(dtype)
        return table + (noise + noise.T) if dtype == np.float32 else table

    monkeypatch.setattr(kernel_cache, "gram", rough)
    problem = mr.Problem(mr.WW, X, y, kernel=mr.rbf(0.3))
    assert kernel_cache.rows(problem, 100.0, single=True).single
    assert fast(problem, 1e-5).converged


@pytest.mark.parametrize("single", [False, True])
@pytest.mark.parametrize("kernel", [mr.rbf(0.3), mr.rbf(1e6), mr.polynomial(3)], ids=str)
def test_products_and_rows_are_the_kernels(kernel, single):
    X, y = data(300, 3, 3)
    problem = mr.Problem(mr.WW, X, y, kernel=kernel)
    K, random = kernel(X, X), np.random.default_rng(0)
    within = {"rtol": 1e-6, "atol": 1e-6 * abs(K).max()} if single else {"rtol": 1e-9, "atol": 1e-9}
    for cache_mb in (100.0, 0.05):
        made = rows(problem, cache_mb, single)
        assert made.single == single
        for chosen in (np.arange(7, 250), np.array([3, 1, 200])):
            A = random.normal(size=(len(chosen), 3))
            np.testing.assert_allclose(made.product(chosen, A), K[:, chosen] @ A, **within)
            np.testing.assert_allclose(made.square(chosen), K[np.ix_(chosen, chosen)], **within)
    at = random.normal(size=(130, 3))
    A = random.normal(size=(300, 3))
    np.testing.assert_allclose(
        scores_at(problem, at, np.arange(300), A), kernel(at, X) @ A, rtol=1e-8, atol=1e-8
    )


def test_exponentials_of_a_row():
    columns = np.linspace(0.0, 40.0, 1300)[None, :]
    row = np.empty(1300)
    fill_row(0, columns, 0, 0.5, 0.0, 0, row)
    np.testing.assert_allclose(row, np.exp(-0.5 * columns[0] ** 2), rtol=1e-13, atol=1e-300)


@pytest.mark.parametrize("rho", [0.0, 0.7])
@pytest.mark.parametrize("machine", MACHINES, ids=lambda m: m.name)
def test_lines_are_the_scores(machine, rho):
    """After passes over everyone, what was added line by line is what alpha makes of the whole Gram."""
    X, y = data(50, 5, 4)
    problem = mr.Problem(machine, X, y, kernel=mr.rbf(0.3), n_classes=5)
    engine = kernel_engine.KernelEngine(problem, blocks(problem), rows(problem, 100.0), rho)
    loss = engine.survey()[0]
    for _ in range(12):
        engine.pass_over(np.random.default_rng(0).permutation(50))
    kept = np.array(engine.scores)
    engine.refresh()
    np.testing.assert_allclose(kept, engine.scores, atol=1e-12)
    left, gain, inner, _ = engine.survey()
    assert inner + left - gain < 0.1 * loss
