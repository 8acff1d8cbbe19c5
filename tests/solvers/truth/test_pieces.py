"""The primal made small: guessed pieces, a narrower basis, scores of their own. None of it may show in the answer."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import msvm_ref as mr
from msvm_ref.judge.candidate import Candidate
from msvm_ref.model.machine import Target
from msvm_ref.solvers.presolve import Pieces, presolve
from msvm_ref.solvers.truth import backends, guess, primal
from msvm_ref.solvers.truth.guess import guess_pieces, released
from msvm_ref.solvers.truth.origin import balancing
from msvm_ref.solvers.truth.primal import narrowed
from tests.small_problems import BIASES, COSTS, MACHINES, WEIGHTINGS, blobs, label, table, weights
from tests.solvers.truth.test_hard import CASES

NOISE = np.random.default_rng(3).normal(size=(150, 3)), np.arange(150) % 4
"""Labels that have nothing to do with the features: W = 0 is optimal for ATM."""
KERNELS = (mr.linear, mr.rbf(0.3))


def always(monkeypatch, **numbers):
    """Every problem is large enough for a guess."""
    monkeypatch.setattr(guess, "LARGE", 0)
    monkeypatch.setattr(guess, "MIDDLE", 0)
    for name, value in numbers.items():
        monkeypatch.setattr(primal, name, value)


def agree(problem):
    ours, other = mr.solve(problem), mr.solve(problem, method="kesler")
    assert ours.certificate.optimal(1e-9), str(ours)
    assert ours.certificate.lower <= other.certificate.upper
    assert other.certificate.lower <= ours.certificate.upper
    return ours


@pytest.mark.parametrize(
    ("machine", "bias", "cost", "kernel", "weighting"),
    table((MACHINES, BIASES), (COSTS, KERNELS, WEIGHTINGS)),
    ids=label,
)
def test_guessed_pieces_lead_to_the_same_optimum(
    monkeypatch, machine, bias, cost, kernel, weighting
):
    always(monkeypatch)
    X, y = blobs(4, per_class=12, p=3, spread=0.7)
    agree(
        mr.Problem(
            machine.with_cost(cost),
            X,
            y,
            C=0.7,
            bias=bias,
            kernel=kernel,
            sample_weight=weights(weighting, len(y)),
        )
    )


@pytest.mark.parametrize(
    ("case", "machine", "bias"), table((tuple(CASES), (mr.CS, mr.ATM)), (BIASES,)), ids=label
)
def test_guessed_pieces_of_ugly_input(monkeypatch, case, machine, bias):
    always(monkeypatch)
    X, y, C, n_classes = CASES[case]
    solution = mr.solve(mr.Problem(machine, X, y, C=C, bias=bias, n_classes=n_classes))
    assert solution.certificate.optimal(1e-9), str(solution)


@pytest.mark.parametrize("few", [0, 10**9], ids=["scores", "basis"])
@pytest.mark.parametrize(
    ("machine", "kernel", "bias", "cost", "weighting"),
    table(((mr.LLW, mr.AMO, mr.ATM, mr.ATS, mr.MMR), KERNELS), (BIASES, COSTS, WEIGHTINGS)),
    ids=label,
)
def test_solving_for_the_sum_changes_nothing(
    monkeypatch, few, machine, bias, cost, kernel, weighting
):
    always(monkeypatch, FEW=few, MOST=-1.0)
    X, y = blobs(4, per_class=4, p=14)
    agree(
        mr.Problem(
            machine.with_cost(cost),
            X,
            y,
            bias=bias,
            kernel=kernel,
            sample_weight=weights(weighting, len(y)),
        )
    )


def test_a_lone_violated_component_of_a_shared_slack_enters_by_its_linear_piece(monkeypatch):
    always(monkeypatch)
    X, y = blobs(3, per_class=40, p=2, spread=1.0)
    problem = mr.Problem(mr.CS, X, y, C=0.7, sample_weight=weights("weighted", len(y)))
    pieces, truth = guess_pieces(problem), mr.solve(problem)
    assert len(truth.attempts) == 1
    held = pieces.held.any(axis=1)
    assert held.sum() > 20
    assert not (pieces.hinge & held[:, None]).any()
    np.testing.assert_array_equal(pieces.held[held].sum(axis=1), 1)
    assert pieces.hinge.sum() < 60 < Pieces.unknown(problem).hinge.sum()
    full = problem.costs[held, None] * pieces.held[held]
    np.testing.assert_allclose(truth.alpha[held], full, atol=1e-6)


@pytest.mark.parametrize(
    ("machine", "bias", "weighting"),
    [*table(((mr.ATM,), BIASES), (WEIGHTINGS,)), (mr.CS, "none", "equal")],
    ids=label,
)
def test_where_all_ties_the_multipliers_show_that_w_is_zero(monkeypatch, machine, bias, weighting):
    """With a scale to each column; and a backend that is asked for says the same."""
    always(monkeypatch)
    X, y = NOISE
    weight = weights(weighting, len(y))
    problem = mr.Problem(machine, X * [1.0, 1e3, 1e-4], y, C=0.1, bias=bias, sample_weight=weight)
    alpha = balancing(problem, guess_pieces(problem).tied)
    assert (alpha >= 0).all()
    np.testing.assert_allclose(alpha.sum(axis=1), problem.costs, rtol=1e-12)
    expanded = np.einsum("ip,ipc->ic", alpha, problem.spec.projected_nu[y])
    np.testing.assert_allclose(X.T @ expanded, 0, atol=1e-12)
    assert bias == "none" or abs(expanded.sum(axis=0)).max() < 1e-12
    solution = agree(problem)
    assert [(a.backend, a.status) for a in solution.attempts] == [("none", "balanced")]
    assert solution.certificate.upper == pytest.approx(problem.costs.sum(), rel=1e-15)
    asked = mr.solve(problem, backend="CLARABEL")
    assert asked.backend == "CLARABEL"
    assert asked.objective == pytest.approx(solution.objective, rel=1e-9)


def test_balanced_multipliers_lie_where_gamma_is_largest_and_keep_their_sign():
    rng = np.random.default_rng(5)
    X, y = rng.normal(size=(90, 2)), np.arange(90) % 3
    uniform, own = np.ones((90, 3)), np.eye(3, dtype=bool)[y]
    machine = replace(mr.ATM, name="ATM, rivals first", target=Target(own=1, other=2))
    assert (balancing(mr.Problem(machine, X, y), uniform) > 0).tolist() == (~own).tolist()
    far = X + 4 * np.eye(3)[y][:, :2]
    assert balancing(mr.Problem(mr.ATM, far, y), uniform) is None
    wide = mr.Problem(mr.ATM, rng.normal(size=(5, 1100)), [0, 1, 2, 0, 1])
    assert balancing(wide, uniform[:5]) is None


def test_w_that_is_not_zero_is_left_to_a_backend(monkeypatch):
    """A guess that says all margins tie where they do not."""
    X, y = blobs(3, per_class=20, p=2)

    def all_tied(problem):
        counts = Pieces.unknown(problem).hinge
        return Pieces(counts, np.zeros_like(counts), counts / counts.sum(axis=1, keepdims=True))

    monkeypatch.setattr("msvm_ref.solvers.truth.solve.guess_pieces", all_tied)
    for machine in (mr.CS, mr.ATM):
        assert agree(mr.Problem(machine, X, y)).backend != "none"


def test_pieces_held_wrongly_are_released(monkeypatch):
    """Whatever the guess says: here the first component that counts is violated for sure, and the answer is the optimum."""
    X, y = blobs(3, per_class=20, p=2)

    def all_held(problem):
        counts = Pieces.unknown(problem).hinge
        return Pieces(np.zeros_like(counts), counts & (counts.cumsum(axis=1) == 1))

    monkeypatch.setattr("msvm_ref.solvers.truth.solve.guess_pieces", all_held)
    for machine in (mr.CS, mr.ATM):
        assert len(agree(mr.Problem(machine, X, y)).attempts) > 1


def pieces_of(problem, hinge=(), held=()):
    masks = np.zeros((2, problem.n, problem.d), dtype=bool)
    for mask, places in zip(masks, (hinge, held), strict=True):
        mask[tuple(np.transpose(places).reshape(2, -1).astype(int))] = True
    return Pieces(*masks)


def test_what_contradicts_a_piece_releases_it():
    """Scores f on the examples, by features that are the identity."""
    f = np.array([[3.0, 0.5, -3.5], [0.0, 0.5, -1.0]])  # t of CS: -0.25 -2.25 and 1.25 0.5
    at = Candidate(W=f, b=np.zeros(3), alpha=np.zeros((2, 3)))
    shared = mr.Problem(mr.CS, np.eye(2), [0, 0], n_classes=3)
    assert released(shared, pieces_of(shared, held=[(1, 1)]), at) is None
    assert released(shared, pieces_of(shared, [(1, 1)]), at) is None
    negative = released(
        shared, pieces_of(shared, held=[(0, 1), (1, 1)]), at
    )  # its hinge is 0, the piece below it
    assert negative.hinge.tolist() == [[False, True, False], [False] * 3]
    assert negative.held.tolist() == [[False] * 3, [False, True, False]]
    for hinge in ([], [(1, 1)]):  # the smaller of two does not cover the slack, whoever else stays
        lower = released(shared, pieces_of(shared, hinge, held=[(1, 2)]), at)
        assert lower.hinge.tolist() == [[False] * 3, [False, True, True]]
        assert not lower.held.any()
    none = released(shared, pieces_of(shared), at)  # nobody stood for the second
    assert none.hinge.tolist() == [[False] * 3, [False, True, True]]
    own = mr.Problem(mr.WW, np.eye(2), [0, 0], n_classes=3)
    assert released(own, pieces_of(own, held=[(1, 1), (1, 2)]), at) is None
    wrong = released(own, pieces_of(own, held=[(0, 1), (1, 1)]), at)
    assert wrong.hinge.tolist() == [[False, True, False], [False, False, True]]


def test_the_narrow_basis_holds_everything_that_is_named():
    X, y = blobs(3, per_class=4, p=30)
    given = presolve(mr.Problem(mr.WW, X, y))
    examples, G = np.array([1, 4, 7]), np.random.default_rng(0).normal(size=(30, 3))
    Z, H, t, Q = narrowed(given, examples, G)
    assert Q.shape == (30, 6)
    np.testing.assert_allclose(Q.T @ Q, np.eye(6), atol=1e-14)
    np.testing.assert_allclose(Z @ Q.T, given.Z[examples], atol=1e-14)
    np.testing.assert_allclose(Q @ H, G, atol=1e-14)
    assert (np.triu(Z, 1) == 0).all()
    assert not t.any()
    everyone = np.arange(12)
    assert narrowed(given, everyone, G)[3].shape == (30, 15)
    thin = presolve(mr.Problem(mr.WW, X[:, :5], y))
    assert narrowed(thin, everyone, np.zeros((5, 3)))[3] is None


def test_the_order_of_the_matrix_says_who_is_asked_first():
    names = [[b.name for b in backends.chain(None, order)] for order in (10, 300, 5000)]
    assert [n[0] for n in names] == ["PIQP", "OSQP", "CLARABEL"]
    assert names[1][1] == "CLARABEL"
    assert [backends.chain(None, 300, rho)[0].options(1e-9).get("rho") for rho in (None, 4.0)] == [
        None,
        4.0,
    ]
    assert not backends.chain(None, 300)[0].again


def test_where_the_columns_curvatures_differ_the_basis_stays():
    X, y = blobs(3, per_class=2, p=10)
    given = presolve(mr.Problem(mr.WW, X * 10.0 ** np.arange(-5, 5), y))
    assert (given.h != given.h[0]).any()
    assert narrowed(given, np.arange(2), np.zeros((10, 3)))[3] is None


@pytest.mark.parametrize(("few", "most"), [(0, -1.0), (10**9, 2.0), (0, 2.0)])
def test_the_models_own_weights_are_those_of_its_multipliers(monkeypatch, few, most):
    """Whichever way V is written: W of the backend and W of alpha are one."""
    always(monkeypatch, FEW=few, MOST=most)
    X, y = blobs(4, per_class=4, p=14)
    problem = mr.Problem(mr.ATM, X, y, C=0.3)
    model = primal.PrimalModel(presolve(problem))
    assert backends.KNOWN["CLARABEL"].run(model.model, 1e-9).status == "solved"
    own, truth = model.candidate(), mr.solve(problem, method="dual")
    np.testing.assert_allclose(own.W, truth.W, atol=1e-5)
