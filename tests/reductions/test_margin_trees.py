"""Margin trees: margins against geometry, greedy against brute force, linkage against greedy and scipy, and wrong rules."""

from __future__ import annotations

import importlib
import math
from itertools import combinations

import numpy as np
import pytest
from scipy.cluster.hierarchy import linkage as scipy_linkage
from scipy.optimize import minimize

import msvm_ref as mr
from msvm_ref.reductions.dendrogram import dendrogram
from msvm_ref.reductions.linkage import cluster, kept_together
from msvm_ref.reductions.margins import separate
from msvm_ref.reductions.samples import Samples

module = importlib.import_module("msvm_ref.reductions.margin_tree")


def clouds(k: int, seed: int, per_class: int = 4, p: int = 3, far: float = 3.0):
    rng = np.random.default_rng([seed, k])
    y = np.repeat(np.arange(k), per_class)
    return far * rng.normal(size=(k, p))[y] + 0.4 * rng.normal(size=(len(y), p)), y


def hull_distance(A, B) -> float:
    """Distance between convex hulls by a general-purpose optimiser."""
    n = len(A)
    result = minimize(
        lambda t: ((t[:n] @ A - t[n:] @ B) ** 2).sum(),
        np.r_[np.full(n, 1 / n), np.full(len(B), 1 / len(B))],
        bounds=[(0, 1)] * (n + len(B)),
        method="SLSQP",
        options={"ftol": 1e-14, "maxiter": 500},
        constraints=[
            {"type": "eq", "fun": lambda t: t[:n].sum() - 1},
            {"type": "eq", "fun": lambda t: t[n:].sum() - 1},
        ],
    )
    return math.sqrt(result.fun)


def test_the_hard_margin_is_half_the_distance_of_the_hulls():
    X, y = clouds(2, 0)
    margin = mr.reductions.margin_tree(X, y, C=math.inf).root.margin
    assert margin.lower <= margin.upper <= margin.lower * (1 + 1e-6)
    assert margin.value == pytest.approx(hull_distance(X[y == 0], X[y == 1]) / 2, rel=1e-5)
    line = mr.reductions.margin_tree([[-1.0], [2.0], [7.0]], [0, 1, 1], C=math.inf).root.margin
    assert line.lower <= 1.5 <= line.upper


@pytest.mark.parametrize("bias", ["none", "penalized"])
def test_hard_margins_without_a_free_bias(bias):
    X, y = clouds(2, 0)
    with_one = np.column_stack([X, np.ones(len(X))])
    margin = mr.reductions.margin_tree(X, y, C=math.inf, bias=bias).root.margin
    if bias == "penalized":
        other = mr.reductions.margin_tree(with_one, y, C=math.inf, bias="none").root.margin
        assert margin.lower <= other.upper
        assert other.lower <= margin.upper
    assert margin.upper <= mr.reductions.margin_tree(with_one, y, C=math.inf).root.margin.upper * (
        1 + 1e-9
    )
    assert margin.upper <= margin.lower * (1 + 1e-6)


def test_soft_margins_reach_the_hard_one_from_above():
    X, y = clouds(2, 0)
    hard = mr.reductions.margin_tree(X, y, C=math.inf).root.margin
    soft = [
        mr.reductions.margin_tree(X, y, C=C).root.margin for C in (0.01, 0.1, 10.0 / hard.lower**2)
    ]
    assert soft[0].lower > soft[1].lower > hard.upper  # small C: slack makes it wider
    assert soft[2].lower == pytest.approx(hard.value, rel=1e-8)


@pytest.mark.parametrize("C", [0.05, 1.0, math.inf])
@pytest.mark.parametrize("kernel", [mr.linear, mr.rbf(0.1)], ids=str)
def test_a_group_margin_is_at_most_each_of_its_pair_margins(C, kernel):
    X, y = clouds(4, 1, far=4.0 if math.isinf(C) else 1.0)
    samples = Samples.of(X, y, C, kernel)
    pairs = {
        (j, k): separate(samples, (j,), (k,), mr.solve).margin for j, k in combinations(range(4), 2)
    }
    for left, right in module.partitions([(c,) for c in range(4)]):
        group = separate(samples, left, right, mr.solve).margin
        for j in left:
            for k in right:
                assert group.lower <= pairs[min(j, k), max(j, k)].upper
                assert group.upper <= pairs[min(j, k), max(j, k)].upper * (1 + 1e-6)


@pytest.mark.parametrize(
    ("C", "kernel", "seed"),
    [
        (1.0, mr.linear, 0),
        (0.05, mr.linear, 1),
        (math.inf, mr.linear, 2),
        (1.0, mr.rbf(0.1), 3),
        (math.inf, mr.rbf(0.1), 4),
    ],
)
def test_the_linkage_tree_is_the_greedy_tree(C, kernel, seed):
    X, y = clouds(5 if seed == 0 else 4, seed, per_class=3, far=5.0 if math.isinf(C) else 2.0, p=5)
    greedy = mr.reductions.margin_tree(X, y, C=C, kernel=kernel, rule="greedy")
    linkage = mr.reductions.margin_tree(X, y, C=C, kernel=kernel, rule="linkage")
    assert greedy.splits() == linkage.splits()
    assert all(s.decided for s in greedy.root.walk())
    for a, b in zip(greedy.root.walk(), linkage.root.walk(), strict=True):
        assert a.margin.lower <= b.margin.upper
        assert b.margin.lower <= a.margin.upper


def test_exact_ties_are_told_and_broken_alike():
    X = np.array(
        [[1.0, 1], [-1, 1], [-1, -1], [1, -1]]
    )  # a square: two partitions are equally wide
    for rule in ("greedy", "linkage"):
        tree = mr.reductions.margin_tree(
            X, range(4), C=10.0, rule=rule
        )  # 10 is enough: the hard margin
        assert not tree.root.decided
        assert tree.splits() == (((0, 1), (2, 3)), ((0,), (1,)), ((2,), (3,)))
        assert tree.root.margin.value == pytest.approx(1.0, rel=1e-6)


def test_the_greedy_root_by_brute_force():
    X, y = clouds(4, 5, far=2.0)
    best = {}
    for code in range(1, 8):  # class 3 on the right
        left = tuple(c for c in range(3) if code >> c & 1)
        side = np.where(np.isin(y, left), 0, 1)
        best[left] = 1 / math.sqrt(
            mr.solve(mr.Problem(mr.WW, X, side, C=2.0, bias="free"), "dual").objective
        )
    widest = max(best, key=best.__getitem__)
    tree = mr.reductions.margin_tree(X, y, C=1.0, rule="greedy")
    assert widest in (tree.root.machine.first, tree.root.machine.second)
    assert tree.root.margin.value == pytest.approx(best[widest], rel=1e-8)
    assert tree.trained == 7 + sum(
        {2: 1, 3: 3}.get(len(g), 0) + (len(g) == 3) for g in tree.splits()[0]
    )


def random_distances(k: int, seed: int) -> dict[tuple[int, int], float]:
    rng = np.random.default_rng(seed)
    return {pair: float(rng.uniform(1, 2)) for pair in combinations(range(k), 2)}


@pytest.mark.parametrize("rule", ["complete", "single"])
def test_linkage_is_scipys(rule):
    for seed in range(10):
        distance = random_distances(6, seed)
        theirs = scipy_linkage(list(distance.values()), rule)
        ours = cluster(tuple(range(6)), distance, rule)
        assert np.allclose([m.height for m in ours], theirs[:, 2])
        assert [len(m.members) for m in ours] == theirs[:, 3].astype(int).tolist()


def merge_the_furthest(classes, distance, rule):
    """NP's sentence taken literally (erratum E23): join the clusters with the *largest* furthest distance."""
    backwards = {pair: -d for pair, d in distance.items()}
    return cluster(classes, backwards, "single" if rule == "complete" else "complete")


def test_the_printed_merge_rule_is_another_tree():
    differ = 0
    for seed in range(10):
        distance = random_distances(6, seed)
        right = cluster(tuple(range(6)), distance, "complete")
        wrong = merge_the_furthest(tuple(range(6)), distance, "complete")
        differ += {m.members for m in right} != {m.members for m in wrong}
        assert -wrong[0].height == max(distance.values())
        assert right[0].height == min(distance.values())
    assert differ == 10


def test_the_printed_merge_rule_breaks_the_tree(monkeypatch):
    X, y = clouds(5, 7, per_class=3, far=2.0)
    right = mr.reductions.margin_tree(X, y, rule="complete")
    monkeypatch.setattr(module, "cluster", merge_the_furthest)
    wrong = mr.reductions.margin_tree(X, y, rule="complete")
    assert wrong.splits() != right.splits()
    assert (
        wrong.root.margin.upper < mr.reductions.margin_tree(X, y, rule="greedy").root.margin.lower
    )


def test_clusters_kept_whole_are_tight_and_maximal():
    for seed in range(5):
        distance = random_distances(6, seed)
        for below in (0.5, 1.2, 1.5, 3.0):
            groups = kept_together(tuple(range(6)), distance, below)
            assert sorted(c for g in groups for c in g) == list(range(6))
            assert all(distance[pair] < below for g in groups for pair in combinations(g, 2))
            for a, b in combinations(groups, 2):
                assert max(distance[min(j, k), max(j, k)] for j in a for k in b) >= below


def test_an_unsound_cut_is_caught(monkeypatch):
    """Keeping whole what is *not* close loses the widest split, and the tree notices."""
    X, y = clouds(5, 8, per_class=3, far=2.0)
    (left, right), *_ = mr.reductions.margin_tree(X, y, rule="greedy").splits()
    torn = [(left[0], right[0]), *((c,) for c in range(5) if c not in (left[0], right[0]))]
    monkeypatch.setattr(
        module, "kept_together", lambda classes, distance, below: torn if len(classes) == 5 else []
    )
    with pytest.raises(mr.MsvmError, match="bug in the margin tree"):
        mr.reductions.margin_tree(X, y, rule="linkage")


def test_partitions_are_all_there_once():
    for k in range(2, 6):
        pairs = list(module.partitions([(c,) for c in range(k)]))
        assert len(pairs) == len(set(pairs)) == 2 ** (k - 1) - 1
        assert all(
            left[0] == 0 and sorted(left + right) == list(range(k)) and right
            for left, right in pairs
        )
    with pytest.raises(mr.DataError, match="partitions"):
        list(module.partitions([(c,) for c in range(14)]))


def test_predictions_follow_the_tree_and_do_not_depend_on_names():
    X, y = clouds(4, 3)
    tree = mr.reductions.margin_tree(X, y)
    assert (tree.predict_codes(X) == y).all()
    order = np.array([2, 0, 3, 1])
    renamed = mr.reductions.margin_tree(X, order[y])
    assert (renamed.predict_codes(X) == order[y]).all()
    sets = {
        frozenset((frozenset(order[list(a)]), frozenset(order[list(b)]))) for a, b in tree.splits()
    }
    assert sets == {frozenset((frozenset(a), frozenset(b))) for a, b in renamed.splits()}
    assert len(tree.machines) == 3
    assert all(m.certificate.optimal(1e-9) for m in tree.machines)


def test_hard_margins_refuse_what_no_plane_separates():
    X, y = np.array([[0.0], [1.0], [2.0]]), [0, 1, 0]
    with pytest.raises(mr.DataError, match="separate"):
        mr.reductions.margin_tree(X, y, C=math.inf)
    with pytest.raises(mr.DataError, match="separate"):
        mr.reductions.margin_tree([[1.0], [1.0]], [0, 1], C=math.inf)
    assert mr.reductions.margin_tree([[1.0], [1.0]], [0, 1], C=1.0).root.margin.upper < 1
    for extra in ({"sample_weight": [1, 1, 1]}, {"cost": "quadratic"}):
        with pytest.raises(mr.DataError, match="hard margin"):
            mr.reductions.margin_tree(X, y, C=math.inf, **extra)
    for wrong in ("best", None, 3):
        with pytest.raises(mr.DataError, match="greedy, linkage, complete, single"):
            mr.reductions.margin_tree(X, y, rule=wrong)
    for C in (-math.inf, math.nan, 0.0):
        with pytest.raises(mr.DataError, match="positive"):
            mr.reductions.margin_tree(X, y, C=C)


def test_a_separable_tree_among_inseparable_partitions():
    X = np.array([[0.0], [1.0], [3.0]])  # on a line {0, 2} | {1} has no margin, the tree does
    for rule in ("greedy", "linkage"):
        tree = mr.reductions.margin_tree(X, [0, 1, 2], C=math.inf, rule=rule)
        assert tree.splits()[0] == ((0, 1), (2,))
        assert tree.root.margin.value == pytest.approx(1.0)


def test_the_dendrogram_is_drawn(tmp_path):
    X, _ = clouds(4, 3)
    tree = mr.reductions.margin_tree(X, ["setosa", "virginica", "other", "fourth"] * 4)
    ax = dendrogram(tree, path=str(tmp_path / "tree.png"))
    assert (tmp_path / "tree.png").stat().st_size > 5000
    heights = sorted(line.get_ydata()[1] for line in ax.lines)
    assert heights == sorted(s.margin.value for s in tree.root.walk())
    assert sorted(t.get_text() for t in ax.get_xticklabels()) == [
        "fourth",
        "other",
        "setosa",
        "virginica",
    ]


def test_a_merge_at_the_limit_itself_is_not_kept_together():
    assert kept_together((0, 1), {(0, 1): 1.0}, 1.0) == [(0,), (1,)]
    assert kept_together((0, 1), {(0, 1): 1.0}, 1.5) == [(0, 1)]
