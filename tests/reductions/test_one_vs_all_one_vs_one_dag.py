"""One-against-all, one-against-one and the DAG: against the catalogue, scikit-learn, brute force, and wrong ones."""

from __future__ import annotations

import math
from collections import deque
from itertools import combinations, permutations

import numpy as np
import pytest
from sklearn.svm import SVC

import msvm_ref as mr
from msvm_ref.reductions import samples as samples_module
from msvm_ref.reductions.binary import unique_support
from msvm_ref.reductions.dag import Dag
from msvm_ref.reductions.one_vs_one import OneVsOne, condorcet_winners, count_votes
from tests.small_problems import BIASES, blobs

X, Y = blobs(3, 8)


def overlap(a, b) -> bool:
    return a.lower <= b.upper and b.lower <= a.upper


@pytest.mark.parametrize("kernel", [mr.linear, mr.rbf(0.3)], ids=str)
@pytest.mark.parametrize("bias", BIASES)
def test_ova_the_machine_is_ova_the_reduction(kernel, bias):
    machine = mr.solve(mr.Problem(mr.OVA, X, Y, C=0.7, kernel=kernel, bias=bias))
    reduction = mr.reductions.one_vs_all(X, Y, C=0.7, kernel=kernel, bias=bias)
    assert overlap(machine.certificate, reduction)
    assert reduction.upper - reduction.lower < 1e-8 * reduction.upper
    if bias != "free":  # a free b carries no distance bound
        off = abs(machine.decision_function(X) - reduction.scores(X))
        length = np.sqrt(np.diag(kernel(X, X)) + (bias == "penalized"))
        for c, part in enumerate(reduction.machines):
            bound = (
                machine.certificate.distance_bound + part.certificate.distance_bound / math.sqrt(2)
            )
            assert (off[:, c] <= bound * length + 1e-12).all()
    assert (reduction.predict_codes(X) == machine.predict(X)).mean() > 0.95


def test_ova_with_the_quadratic_cost_and_weights():
    weight = np.linspace(0.5, 2, len(Y))
    machine = mr.solve(
        mr.Problem(mr.OVA.with_cost("quadratic"), X, Y, C=0.3, bias="free", sample_weight=weight)
    )
    assert overlap(
        machine.certificate,
        mr.reductions.one_vs_all(X, Y, C=0.3, cost="quadratic", sample_weight=weight),
    )


@pytest.mark.parametrize("factor", [0.5, 1.0, 4.0])
def test_a_wrong_map_of_C_is_caught(factor, monkeypatch):
    monkeypatch.setattr(samples_module, "WW_PER_BINARY", factor)
    machine = mr.solve(mr.Problem(mr.OVA, X, Y, C=0.7, bias="free"))
    assert not overlap(machine.certificate, mr.reductions.one_vs_all(X, Y, C=0.7))


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_pairs_are_scikit_learns_pairs(kernel):
    ours = mr.reductions.one_vs_one(
        X, Y, C=0.7, kernel=mr.linear if kernel == "linear" else mr.rbf(0.3)
    )
    assert list(ours.machines) == [(0, 1), (0, 2), (1, 2)]
    for (j, k), machine in ours.machines.items():
        rows = np.isin(Y, (j, k))
        theirs = SVC(C=0.7, kernel=kernel, gamma=0.3, tol=1e-9).fit(X[rows], Y[rows])
        assert np.allclose(machine.score(X), -theirs.decision_function(X), atol=1e-4)
        assert machine.certificate.optimal(1e-9)
        assert set(machine.rows) == set(np.flatnonzero(rows))
    whole = SVC(C=0.7, kernel=kernel, gamma=0.3, tol=1e-9).fit(X, Y)
    assert set(unique_support(ours.machines.values())) == set(whole.support_)


def test_the_binary_problem_is_the_libsvm_convention():
    rows = Y < 2
    posed = mr.conventions.LIBSVM.pose(X[rows], Y[rows], 0.7)
    machine = mr.reductions.one_vs_one(X, Y, C=0.7).machines[0, 1]
    assert posed.problem.C == machine.solution.problem.C
    assert posed.objective(mr.solve(posed.problem).objective) == pytest.approx(
        machine.upper, rel=1e-8
    )


class Table:
    """A stand-in for a trained pair: point i has the score in row i of a table."""

    def __init__(self, scores):
        self.scores, self.asked = scores, 0

    def score(self, new):
        self.asked += len(new)
        return self.scores[new[:, 0].astype(int)]


class Points:
    """A stand-in for Samples."""

    def __init__(self, d):
        self.n_classes, self.classes = d, tuple("abcdefg"[:d])

    def new_points(self, X):
        return np.asarray(X, dtype=float)


def tables(d: int, n: int, seed: int) -> tuple[OneVsOne, np.ndarray, dict]:
    rng = np.random.default_rng([seed, d])
    scores = {pair: rng.integers(-2, 3, size=n).astype(float) for pair in combinations(range(d), 2)}
    return (
        OneVsOne(Points(d), {pair: Table(h) for pair, h in scores.items()}),
        np.arange(n)[:, None],
        scores,
    )


def votes_by_hand(scores, i, d):
    votes = [0] * d
    for (j, k), h in scores.items():
        votes[k if h[i] < 0 else j] += 1
    return votes


@pytest.mark.parametrize("d", [2, 3, 5])
def test_votes_and_ties_by_hand(d):
    pairs, new, scores = tables(d, 200, 1)
    votes, margin, codes = pairs.votes(new), pairs.vote_margin(new), pairs.predict_codes(new)
    for i in range(len(new)):
        by_hand = votes_by_hand(scores, i, d)
        ranked = sorted(by_hand, reverse=True)
        assert votes[i].tolist() == by_hand
        assert codes[i] == by_hand.index(ranked[0])  # the smaller index
        assert margin[i] == ranked[0] - ranked[1]
    assert votes.sum(axis=1).tolist() == [d * (d - 1) // 2] * len(new)


def test_ties_to_the_larger_index_would_be_seen():
    pairs, new, _ = tables(3, 200, 1)
    votes = pairs.votes(new)
    larger = 2 - votes[:, ::-1].argmax(axis=1)
    tied = pairs.vote_margin(new) == 0
    assert tied.any()
    assert (larger[tied] != pairs.predict_codes(new)[tied]).all()
    assert (larger[~tied] == pairs.predict_codes(new)[~tied]).all()


def deque_by_hand(scores, i, order):
    queue, path = deque(order), []
    while len(queue) > 1:
        a, b = queue[0], queue[-1]
        h = scores[min(a, b), max(a, b)][i]
        winner = min(a, b) if h >= 0 else max(a, b)
        path.append(((a, b), winner))
        if winner == a:
            queue.pop()
        else:
            queue.popleft()
    return queue[0], path


@pytest.mark.parametrize("d", [2, 3, 4])
def test_the_dag_is_a_deque_for_every_order(d):
    for order in permutations(range(d)):
        pairs, new, scores = tables(d, 60, 2)
        walk = Dag(pairs, order).walk(new)
        assert (
            walk.evaluations == sum(m.asked for m in pairs.machines.values()) == len(new) * (d - 1)
        )
        for i in range(len(new)):
            code, path = deque_by_hand(scores, i, order)
            assert walk.codes[i] == code
            assert [
                (tuple(a), w)
                for a, w in zip(walk.asked[i].tolist(), walk.won[i].tolist(), strict=True)
            ] == path


@pytest.mark.parametrize("d", [3, 5])
def test_the_dag_returns_the_condorcet_winner_and_else_depends_on_the_order(d):
    pairs, new, scores = tables(d, 300, 3)
    winners = condorcet_winners(scores, d)
    answers = np.array([Dag(pairs, order).predict_codes(new) for order in permutations(range(d))])
    clear = winners >= 0
    assert clear.any()
    assert (answers[:, clear] == winners[clear]).all()
    assert (count_votes(scores, d)[clear].max(axis=1) == d - 1).all()
    if d == 3:  # a cycle: whoever is asked last
        assert (~clear).any()
        assert (answers[:, ~clear].min(axis=0) < answers[:, ~clear].max(axis=0)).all()


def test_a_deque_that_pops_the_winner_would_be_seen():
    pairs, new, scores = tables(3, 200, 4)
    upside_down = OneVsOne(pairs.samples, {pair: Table(-h) for pair, h in scores.items()})
    winners = condorcet_winners(scores, 3)
    assert not (Dag(upside_down, (0, 1, 2)).predict_codes(new) == winners)[winners >= 0].all()


def test_dag_over_trained_pairs_and_its_order():
    pairs = mr.reductions.one_vs_one(X, ["abc"[c] for c in Y])
    for order in permutations("abc"):
        assert (
            mr.reductions.dag(pairs, order).predict_codes(X) == pairs.predict_codes(X)
        ).mean() > 0.9
    assert mr.reductions.dag(pairs, iter("cab")).order == (2, 0, 1)
    for wrong in (
        ("a", "b"),
        ("a", "b", "b"),
        ("a", "b", "z"),
        (0, 1, 2),
        3,
        [["a"], ["b"], ["c"]],
        {"a", "b", "c"},
    ):
        with pytest.raises(mr.DataError, match="permutation"):
            mr.reductions.dag(pairs, wrong)
    with pytest.raises(mr.DataError, match="one_vs_one"):
        mr.reductions.dag(mr.reductions.one_vs_all(X, Y))


def test_a_precomputed_gram_is_cut_for_each_pair():
    kernel = mr.rbf(0.3)
    given = mr.reductions.one_vs_one(kernel(X, X), Y, kernel=mr.precomputed)
    named = mr.reductions.one_vs_one(X, Y, kernel=kernel)
    new = X[::2] + 0.1
    for pair in named.machines:
        assert np.allclose(
            given.pair_scores(kernel(new, X))[pair], named.pair_scores(new)[pair], atol=1e-5
        )
    assert (given.votes(kernel(X, X)) == named.votes(X)).all()


@pytest.mark.parametrize(
    "train", [mr.reductions.one_vs_all, mr.reductions.one_vs_one, mr.reductions.margin_tree]
)
def test_ugly_input_gets_a_typed_error(train):
    for wrong in (
        {"X": X * np.nan},
        {"y": Y[:-1]},
        {"y": np.zeros(len(Y))},
        {"C": -1.0},
        {"C": math.nan},
        {"bias": "some"},
        {"kernel": "rbf"},
        {"sample_weight": -np.ones(len(Y))},
    ):
        with pytest.raises(mr.MsvmError):
            train(**{"X": X, "y": Y, **wrong})
    with pytest.raises(mr.DataError, match="every class"):
        train(X, Y, classes=(0, 1, 2, 3))
    with pytest.raises(mr.DataError, match="columns as in training"):
        train(X, Y).predict_codes(X[:, :2])


def test_contradictory_duplicates_and_constant_features_still_certify():
    twice, labels = (
        np.vstack([X[:6], X[:6], 0 * X[:3]]),
        np.array([0, 1, 2, 0, 1, 2, 1, 2, 0, 1, 2, 0, 0, 1, 2]),
    )
    for machine in mr.reductions.one_vs_one(twice, labels, C=10.0).machines.values():
        assert machine.certificate.optimal(1e-9)
