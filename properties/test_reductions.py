"""Laws of the reductions: OVA is a machine, Condorcet winners win, and margins shrink when groups grow."""

from fractions import Fraction
from itertools import combinations

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.cluster.hierarchy import linkage as scipy_linkage

import msvm_ref as mr
from msvm_ref.conformance.strategies import problems
from msvm_ref.reductions.linkage import cluster
from msvm_ref.reductions.margins import separate
from msvm_ref.reductions.one_vs_one import condorcet_winners, count_votes
from msvm_ref.reductions.samples import Samples

with_every_class = problems(
    st.sampled_from((mr.OVA, mr.OVA.with_cost("quadratic"))), min_n=3, max_n=6, max_d=3
).filter(lambda p: len(set(p.y)) == p.d)


@given(with_every_class)
def test_ova_the_machine_is_ova_the_reduction(problem):
    machine = mr.solve(problem)
    parts = mr.reductions.one_vs_all(
        problem.X,
        problem.y,
        C=problem.C,
        kernel=problem.kernel,
        bias=problem.bias,
        cost=problem.machine.cost,
        sample_weight=problem.sample_weight,
    )
    lower, upper = (
        sum(Fraction(getattr(m, side)) for m in parts.machines) for side in ("lower", "upper")
    )
    assert lower <= Fraction(machine.certificate.upper)
    assert Fraction(machine.certificate.lower) <= upper


@given(with_every_class, st.data())
def test_a_group_margin_is_at_most_each_of_its_pair_margins(problem, data):
    samples = Samples.of(
        problem.X,
        problem.y,
        problem.C,
        problem.kernel,
        problem.bias,
        problem.machine.cost,
        problem.sample_weight,
    )
    side = data.draw(st.lists(st.booleans(), min_size=problem.d, max_size=problem.d))
    left, right = (tuple(c for c in range(problem.d) if side[c] == s) for s in (False, True))
    assume(left and right)
    group = separate(samples, left, right, mr.solve).margin
    for j in left:
        for k in right:
            pair = separate(samples, (j,), (k,), mr.solve).margin
            assert group.lower <= pair.upper * (1 + 1e-12)


@given(st.integers(2, 6), st.data())
def test_a_condorcet_winner_wins_the_vote_and_every_knock_out(d, data):
    scores = {
        pair: np.array([float(data.draw(st.integers(-1, 1)))]) for pair in combinations(range(d), 2)
    }
    winner = int(condorcet_winners(scores, d)[0])
    votes = count_votes(scores, d)[0]
    assert votes.sum() == d * (d - 1) // 2
    queue = list(data.draw(st.permutations(range(d))))
    while len(queue) > 1:
        a, b = queue[0], queue[-1]
        first = (scores[min(a, b), max(a, b)][0] >= 0) == (a < b)
        queue.pop(-1 if first else 0)
    if winner >= 0:
        assert queue == [winner]
        assert votes.argmax() == winner
        assert (votes == d - 1).sum() == 1


@given(st.integers(2, 7), st.sampled_from(("complete", "single")), st.data())
def test_linkage_heights_are_scipys(d, rule, data):
    pairs = list(combinations(range(d), 2))
    values = data.draw(
        st.lists(st.floats(0.1, 10), min_size=len(pairs), max_size=len(pairs), unique=True)
    )
    merges = cluster(tuple(range(d)), dict(zip(pairs, values, strict=True)), rule)
    assert np.allclose([m.height for m in merges], scipy_linkage(values, rule)[:, 2])
    assert merges[-1].members == tuple(range(d))
