"""Weights alone, of a problem too large for ``best_dual``: the enclosure is at most twice as wide as they are wrong."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

import msvm_ref as mr
from msvm_ref.judge.candidate import Candidate
from msvm_ref.solvers import lower_bound, partner
from msvm_ref.solvers.fast import ascent
from msvm_ref.solvers.fast.aim import Aim
from msvm_ref.solvers.fast.solve import propose
from msvm_ref.solvers.finish import finish


@pytest.fixture
def solved(monkeypatch):
    """A problem above the limit, lowered for speed, with its solution; the small problems' way is barred."""
    monkeypatch.setattr(partner, "LARGE", 100)
    monkeypatch.setattr(
        "msvm_ref.solvers.certifying.best_dual", lambda *_: pytest.fail("not the large one's way")
    )

    def make(machine, bias="none", kernel=mr.linear, to_rows=np.asarray):
        rng = np.random.default_rng(0)
        y = np.arange(90) % 3
        X = rng.normal(size=(90, 4)) + 1.5 * rng.normal(size=(3, 4))[y]
        problem = mr.Problem(machine, to_rows(X), y, C=0.5, bias=bias, kernel=kernel)
        return problem, mr.solve(problem, "fast", tolerance=1e-10)

    return make


def weights(s: mr.Solution, by: float, rng) -> dict[str, np.ndarray]:
    """The solution's weights, moved at random by so much of their size."""
    name, values = ("W", s.W) if s.problem.is_linear else ("coef", s.coef)
    b = {} if s.problem.bias == "none" else {"b": s.b}
    return {name: values * (1 + by * rng.normal(size=values.shape)), **b}


@pytest.mark.parametrize("bias", ["none", "free", "penalized"])
@pytest.mark.parametrize("name", ["WW", "CS", "LLW", "ATM"])
def test_the_enclosure_is_at_most_twice_as_wide_as_the_weights_are_wrong(solved, name, bias):
    problem, s = solved(getattr(mr, name), bias)
    rng, optimum = np.random.default_rng(1), s.certificate
    for by in (1.0, 0.01, 0.0):
        certificate = mr.certify(problem, **weights(s, by, rng))
        assert certificate.lower <= optimum.upper
        assert certificate.upper >= optimum.lower
        error = certificate.primal_value - optimum.lower
        assert certificate.primal_value - certificate.lower <= 2 * error + 1e-6 * optimum.upper
        assert certificate.alpha_built
        assert certificate.lower_from == "the dual point built for it"
        if by:  # the wrong are refused
            assert not certificate.optimal(0.4 * error / certificate.primal_value)
    assert certificate.optimal(1e-6)


@pytest.mark.parametrize("error", [10.0, 1e-1, 1e-2, 1e-3, 1e-5, 0.0, np.inf])
@pytest.mark.parametrize("share", [0.0, 0.5, 1.0])
def test_the_aim_is_finer_until_the_promise_is_kept(error, share):
    """So much of a gap is the dual's; the optimum is 100. The first gap within the aim keeps the promise, not far finer."""
    aim = Aim(1e-9, 100 * (1 + error))
    for gap in np.logspace(0, -9.5, 400):
        dual = 100 - 100 * share * gap
        if gap * 100 / (dual + 100 * gap) <= aim.at(dual + 100 * gap, dual):
            break
    assert 100 - dual <= 100 * error + 1e-9 * 100.001
    assert gap >= min(0.2 * max(error, 1e-9), 5e-3)
    assert Aim(1e-9).at(100.0, 50.0) == 1e-9


@pytest.mark.parametrize("bias", ["none", "free"])
def test_a_proposal_for_a_rough_candidate_ends_sooner(solved, bias, monkeypatch):
    """And where the judge has nothing to mend it is not asked twice."""
    problem, s = solved(mr.CS, bias)
    asked = []
    monkeypatch.setattr(ascent, "finish", lambda *a: asked.append(a) or finish(*a))
    start = Candidate(b=np.zeros(3), alpha=np.zeros((90, 3)))
    rough = propose(problem, 1e-12, start, 1.1 * s.objective)
    certificate = mr.certify(problem, b=rough.b, alpha=rough.alpha, W=rough.W, coef=rough.coef)
    assert s.objective - certificate.lower <= 0.1 * s.objective
    assert certificate.gap > 1e-9 * s.objective
    assert bool(asked) == (bias == "free")


@pytest.mark.parametrize("kernel", [mr.linear, mr.rbf(0.3)], ids=str)
@pytest.mark.parametrize("to_rows", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
def test_sparse_rows_and_kernels(solved, kernel, to_rows):
    if to_rows is not np.asarray and kernel != mr.linear:
        pytest.skip("sparse rows are for the linear kernel")
    problem, s = solved(mr.CS, kernel=kernel, to_rows=to_rows)
    certificate = mr.certify(problem, **weights(s, 0.0, np.random.default_rng(0)))
    assert certificate.optimal(1e-6)
    wrong = mr.certify(problem, **weights(s, 0.3, np.random.default_rng(0)))
    assert wrong.sure_error > 1e-3


def test_sparse_data_that_are_never_written_out_are_certified():
    """20 000 x 20 000: refused once, because the dual point was built from dense features."""
    rng = np.random.default_rng(0)
    n, p = 2000, 20_000
    X = sparse.csr_array(
        (rng.random(n * 5), rng.integers(0, p, n * 5), np.arange(0, 5 * n + 1, 5)), shape=(n, p)
    )
    problem = mr.Problem(mr.CS, X, np.arange(n) % 3, C=0.1)
    s = mr.solve(problem, "fast", tolerance=1e-5)
    assert mr.certify(problem, W=s.W).optimal(1e-4)
    assert not mr.certify(problem, W=-s.W).optimal(1e-4)


def test_weights_that_overflow_get_a_lower_bound(solved):
    problem, s = solved(mr.CS)
    certificate = mr.certify(problem, W=np.full_like(s.W, 1e308) * np.array([1, -1, 1]))
    assert certificate.primal_value == np.inf
    assert certificate.lower > 0.9 * s.certificate.lower
    assert not certificate.optimal(0.5)


def test_small_problems_need_no_compiler(monkeypatch):
    monkeypatch.setattr(
        "msvm_ref.solvers.certifying.partner", lambda *_: pytest.fail("small, and yet a solver")
    )
    problem = mr.Problem(mr.WW, np.eye(3), [0, 1, 2])
    assert mr.certify(problem, W=mr.solve(problem).W).optimal(1e-6)
    assert lower_bound.ROUNDS > 1
