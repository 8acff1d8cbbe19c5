"""NP: the conventions side by side, DAGSVM as a deque, margin trees.

NP = Narsky, Porter, "Multiclass Extensions of Support Vector Machines", supplement of 2013; K is our d.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from itertools import combinations, permutations, product
from types import SimpleNamespace
from typing import Any

import numpy as np
from scipy.cluster.hierarchy import linkage

from msvm_ref.model.catalogue import CS, LLW, OVA, WW
from msvm_ref.model.machine import ABSOLUTE, OTHERS_MAX, OTHERS_SUM, Machine, Target
from msvm_ref.reductions.dag import Dag
from msvm_ref.reductions.linkage import cluster
from msvm_ref.reductions.margin_tree import margin_tree, partitions
from msvm_ref.studies.papers.claim import Claim, Evidence, show
from msvm_ref.studies.papers.hl_cs import HL16
from msvm_ref.studies.papers.small import (
    FOUR,
    SETS,
    TWO,
    Points,
    counting,
    difference_machine,
    exact,
    loss,
    rationals,
    require,
    weights,
)

HALF = Fraction(1, 2)


def llw_loss(K: int) -> Machine:
    return Machine(
        "NP (4)", ABSOLUTE, OTHERS_SUM, Target(other=Fraction(1, K - 1)), sum_to_zero=True
    )


def two_classes(form: tuple[Machine, Machine]) -> Evidence:
    """f_other = -f_y at K = 2: are the losses multiples of the binary hinge, zero from f_y = 1 on?"""
    factors = []
    for machine in form:
        values = [(f, loss(machine, 2, (f, -f), 0)) for f in (Fraction(k, 4) for k in range(-8, 9))]
        factor = next(v for f, v in values if f == 0)
        if any(v != factor * max(Fraction(0), 1 - f) for f, v in values):
            f, v = next((f, v) for f, v in values if v != factor * max(Fraction(0), 1 - f))
            return Evidence(False, f"{machine.name} at f_y = {f}: {v}", {"f": f})
        factors.append(factor)
    return Evidence(
        True,
        f"(3) is {factors[0]} × and (4) is {factors[1]} × the binary hinge, at 17 points",
        {"factors": factors},
    )


def same_machine(
    form: tuple[Callable[[int], Machine], Machine, Fraction, Fraction, int],
) -> Evidence:
    """Is the paper's machine at C, scores times s, ours at t C? (its tr(B'B) has no 1/2, which halves its C)."""
    theirs, ours, s, t, power = form
    for points in SETS:
        C, k = Fraction(points.d - 1), Fraction(points.d - 1) ** power
        W, mine = (
            weights(exact(theirs(points.d), points, C / 2))[0],
            weights(exact(ours, points, t * k * C))[0],
        )
        if (s * k * W != mine).any():
            return Evidence(
                False, f"{points.name}: w_1 = {show((s * k * W)[:, 0])} for {show(mine[:, 0])}"
            )
    return Evidence(True, f"W equal on {len(SETS)} data sets, exactly")


def scores5(score: Callable[[Points, Any, Any], Any]) -> Evidence:
    """(5): are these the scores of the trained machine on its training points (as many points as features)?"""
    points = Points("three points", ((2, 1, 0), (0, 2, -1), (-1, 0, 2)), (0, 1, 2), 3)
    optimum = exact(difference_machine(2), points, HALF, "free")
    W, b, _ = weights(optimum)
    exact_scores = points.X @ W + b
    got = score(points, rationals(optimum.coef), b)
    return Evidence(
        bool((got == exact_scores).all()),
        f"f(x_1) = {show(got[0])}, the machine has {show(exact_scores[0])}",
        {"scores": got, "exact": exact_scores},
    )


def loss6(machine: Machine) -> Evidence:
    """Is this loss the Crammer-Singer machine (HL (16), exact)?"""
    for points in SETS:
        a, b = exact(HL16, points, HALF), exact(machine, points, HALF)
        if a.W != b.W:
            return Evidence(
                False,
                f"{points.name}: optimum {show(b.value)}, Crammer and Singer's {show(a.value)}",
                {"values": [b.value, a.value]},
            )
    return Evidence(True, f"W equal on {len(SETS)} data sets, exactly")


def cs_at_two(factor: Fraction) -> Evidence:
    """tr(B'B) + C sum at K = 2 against beta'beta + factor C sum, beta = b_1 - b_2: the same beta?"""
    for C in (Fraction(1, 4), Fraction(1, 2), Fraction(2)):
        W = weights(exact(HL16, TWO, C / 2))[0]
        beta, binary = W[:, 0] - W[:, 1], weights(exact(OVA, TWO, factor * C / 2))[0][:, 0]
        if (beta != binary).any():
            return Evidence(
                False, f"C = {C}: β = {show(beta)}, the binary machine has {show(binary)}", {"C": C}
            )
    return Evidence(True, "β equal at C = 1/4, 1/2, 2, exactly")


def slacks(form: dict[Machine, Callable[[int, int], int]]) -> Evidence:
    """Slack variables per machine, and the rows of A of the relative machines sum to 0."""
    for points in SETS:
        for machine, count in form.items():
            pairs = list(counting(machine, points))
            groups = {i for i, _ in pairs} if machine.aggregation.slack == "shared" else set(pairs)
            rows = rationals(exact(machine, points, 1).coef).sum(axis=1)
            if len(groups) != count(points.n, points.d) or any(rows):
                return Evidence(
                    False,
                    f"{machine.name}, N = {points.n}, K = {points.d}: {len(groups)} slacks, A1 = {show(rows)}",
                )
    return Evidence(True, f"counts and A1 = 0 on {len(SETS)} data sets")


Tournament = Mapping[tuple[int, int], bool]
"""(j, k), j < k -> does j beat k?"""
Walk = Callable[[tuple[int, ...], Tournament], tuple[int, int]]
"""(order, tournament) -> (answer, questions)."""


def deque_walk(order: tuple[int, ...], beats: Tournament) -> tuple[int, int]:
    """The package's DAG on given pair decisions."""
    machines = {
        pair: SimpleNamespace(score=lambda new, s=(1.0 if won else -1.0): np.full(len(new), s))
        for pair, won in beats.items()
    }
    pairs: Any = SimpleNamespace(samples=SimpleNamespace(new_points=lambda X: X), machines=machines)
    walk = Dag(pairs, order).walk(np.zeros((1, 1)))
    return int(walk.codes[0]), walk.evaluations


def loser_stays(order: tuple[int, ...], beats: Tournament) -> tuple[int, int]:
    return deque_walk(order, {pair: not won for pair, won in beats.items()})


def front_only(order: tuple[int, ...], beats: Tournament) -> tuple[int, int]:
    """One question, first against last."""
    a, b = order[0], order[-1]
    wins = beats[min(a, b), max(a, b)] == (a < b)
    return (a if wins else b), 1


def tournaments(K: int) -> list[Tournament]:
    pairs = list(combinations(range(K), 2))
    return [
        dict(zip(pairs, wins, strict=True)) for wins in product((True, False), repeat=len(pairs))
    ]


def condorcet(beats: Tournament, K: int) -> int | None:
    return next(
        (
            c
            for c in range(K)
            if all(beats[min(c, j), max(c, j)] == (c < j) for j in range(K) if j != c)
        ),
        None,
    )


def questions(walk: Walk) -> Evidence:
    asked = {
        K: {walk(order, beats)[1] for beats in tournaments(K) for order in permutations(range(K))}
        for K in (2, 3, 4)
    }
    return Evidence(
        all(counts == {K - 1} for K, counts in asked.items()),
        "questions asked: "
        + ", ".join(
            f"{'/'.join(map(str, sorted(counts)))} at K = {K}" for K, counts in asked.items()
        ),
        {"asked": {K: sorted(v) for K, v in asked.items()}},
    )


def winner_found(walk: Walk) -> Evidence:
    met = 0
    for K in (3, 4):
        for beats in tournaments(K):
            best = condorcet(beats, K)
            for order in permutations(range(K)) if best is not None else ():
                met += 1
                if walk(order, beats)[0] != best:
                    return Evidence(
                        False,
                        f"K = {K}: class {best} beats all, order {order} answers {walk(order, beats)[0]}",
                    )
    return Evidence(
        True,
        f"the class that beats all others is returned in all {met} cases (K = 3, 4, every order)",
        {"cases": met},
    )


def order_matters(has_winner: bool) -> Evidence:
    """Does the answer depend on the order in every tournament with(out) a class that beats all others?"""
    seen = 0
    for K in (3, 4):
        for beats in tournaments(K):
            if (condorcet(beats, K) is not None) == has_winner:
                answers = {deque_walk(order, beats)[0] for order in permutations(range(K))}
                seen += 1
                if len(answers) == 1:
                    return Evidence(
                        False,
                        f"K = {K}: every order answers {answers.pop()}",
                        {"tournament": {str(k): v for k, v in beats.items()}},
                    )
    return Evidence(
        True,
        f"two orders with different answers in each of {seen} tournaments without such a class (K = 3, 4)",
        {"seen": seen},
    )


def partition_count(count: Callable[[int], int]) -> Evidence:
    partitions_of = {K: len(list(partitions([(c,) for c in range(K)]))) for K in range(2, 8)}
    bad = [K for K, n in partitions_of.items() if n != count(K)]
    return Evidence(
        not bad,
        f"K = 7: {partitions_of[7]} partitions"
        if not bad
        else f"K = {bad[0]}: {partitions_of[bad[0]]} for {count(bad[0])}",
        {"counts": partitions_of},
    )


def trees(rule: Any) -> Evidence:
    """Is the tree grown by this rule the greedy one? Four classes, every split decided by certified margins."""
    for seed in SEEDS:
        rng = np.random.default_rng([23, seed])
        y = np.arange(8) % 4
        X = rng.integers(-16, 17, (4, 2))[y] / 4 + rng.integers(-4, 5, (8, 2)) / 4
        greedy, other = margin_tree(X, y, rule="greedy"), margin_tree(X, y, rule=rule)
        require(
            all(split.decided for split in greedy.root.walk()), "margins that decide every split"
        )
        if greedy.splits() != other.splits():
            return Evidence(
                False,
                f"data set {seed}: splits {other.splits()}, greedily {greedy.splits()}",
                {"seed": seed},
            )
    return Evidence(
        True,
        f"the greedy tree on {len(SEEDS)} data sets of four classes",
        {"data sets": len(SEEDS)},
    )


SEEDS = (3, 8)


def group_margins(against: Callable[[Sequence[Fraction]], Fraction]) -> Evidence:
    """m_C(G, H) = 1/sqrt(V), V = min ||w||^2 + 2 C sum xi: is the V of groups at least ``against`` the V of pairs?"""

    def squared(first: tuple[int, ...], second: tuple[int, ...]) -> Fraction:
        kept = [i for i in range(FOUR.n) if FOUR.y[i] in first + second]
        binary = Points(
            f"{first}|{second}",
            tuple(FOUR.grid[i] for i in kept),
            tuple(int(FOUR.y[i] in second) for i in kept),
            2,
        )
        return exact(WW, binary, 2, "free").value

    tested = 0
    for left, right in partitions([(c,) for c in range(4)]):
        V, pairs = (
            squared(left, right),
            [squared((min(j, k),), (max(j, k),)) for j in left for k in right],
        )
        tested += 1
        if against(pairs) > V:
            return Evidence(
                False,
                f"{left} | {right}: margin² {show(1 / V)}, pair margins² {show([1 / v for v in pairs])}",
            )
    return Evidence(True, f"{tested} partitions of four classes, exactly", {"partitions": tested})


def complete_linkage(height: Callable[[list[float]], float]) -> Evidence:
    """Merging the two clusters chosen by ``height`` of their pair margins: is it complete linkage (scipy's)?"""
    rng = np.random.default_rng(23)
    for K in (4, 5, 6):
        condensed = rng.permutation(np.arange(1.0, K * (K - 1) // 2 + 1))
        distance = dict(zip(combinations(range(K), 2), condensed, strict=True))
        referee = [float(v) for v in linkage(condensed, "complete")[:, 2]]
        clusters: list[tuple[int, ...]] = [(c,) for c in range(K)]
        heights = []
        while len(clusters) > 1:
            links = {
                pair: [float(distance[min(j, k), max(j, k)]) for j in pair[0] for k in pair[1]]
                for pair in combinations(clusters, 2)
            }
            left, right = min(links, key=lambda pair: height(links[pair]))
            heights.append(max(links[left, right]))
            clusters = [c for c in clusters if c not in (left, right)] + [left + right]
        ours = [merge.height for merge in cluster(tuple(range(K)), distance, "complete")]
        require(ours == referee, "complete linkage from the package")
        if heights != referee:
            return Evidence(
                False,
                f"K = {K}: merges at {show(heights)}, complete linkage at {show(referee)}",
                {"K": K},
            )
    return Evidence(True, "merges as scipy's complete linkage at K = 4, 5, 6")


CLAIMS = (
    Claim(
        "NP-K2",
        "(3), (4)",
        "with K = 2 and f_other = −f_y both losses are the binary hinge, zero from f_y = 1",
        "17 values of f_y, exact",
        two_classes,
        (difference_machine(2), llw_loss(2)),
        (difference_machine(1), llw_loss(2)),
        "margin 1 in (3)",
    ),
    Claim(
        "NP-3",
        "(3)",
        "(3) with tr(B'B) is the WW machine",
        "exact W, 4 data sets: NP's C is UV's C at margin 2 without the ½",
        same_machine,
        (lambda K: difference_machine(2), WW, Fraction(1), Fraction(1), 0),
        (lambda K: difference_machine(2), WW, Fraction(1), HALF, 0),
        "another C",
    ),
    Claim(
        "NP-4",
        "(4)",
        "(4) with tr(B'B) is the LLW machine, f scaled by K − 1",
        "exact W, 4 data sets: UV's C is (K−1)/2 × NP's",
        same_machine,
        (llw_loss, LLW, Fraction(1), HALF, 1),
        (llw_loss, LLW, Fraction(1), HALF, 0),
        "no factor K − 1",
    ),
    Claim(
        "NP-5",
        "(5)",
        "the solution is f(x) = A'x with the expansion coefficients A",
        "exact scores, N = D = 3",
        scores5,
        lambda points, A, b: points.X @ A,
        lambda points, A, b: points.gram @ A,
        "without the bias",
        lambda points, A, b: points.gram @ A + b,
        "f(x) = A'k(X, x) + b: the kernel and the bias are missing",
        ("E22",),
    ),
    Claim(
        "NP-6",
        "(6)",
        "Crammer and Singer's loss is the sum over k ≠ y of [1 + f_k − f_y]_+",
        "exact W, 4 data sets",
        loss6,
        difference_machine(1),
        difference_machine(2, OTHERS_MAX),
        "margin 2",
        HL16,
        "the maximum, not the sum",
        ("E21",),
    ),
    Claim(
        "NP-CS2",
        "after (6)",
        "at K = 2 it is the binary machine in β = β_1 − β_2, minimising β'β",
        "exact β at three C",
        cs_at_two,
        Fraction(1),
        Fraction(4),
        "4C",
        Fraction(2),
        "with 2C: tr(B'B) = β'β/2",
    ),
    Claim(
        "NP-SLACKS",
        "after (4), (6)",
        "N(K−1) slacks for WW and LLW, N for CS; A1 = 0",
        "counts and exact A, 4 data sets",
        slacks,
        {WW: lambda n, k: n * (k - 1), LLW: lambda n, k: n * (k - 1), CS: lambda n, k: n},
        {WW: lambda n, k: n * (k - 1), OVA: lambda n, k: n * k},
        "OVA, whose rows do not sum to 0",
    ),
    Claim(
        "NP-DAG",
        "DAGSVM",
        "the deque asks K − 1 of the K(K−1)/2 machines",
        "every tournament and order, K = 2, 3, 4",
        questions,
        deque_walk,
        front_only,
        "one question only",
    ),
    Claim(
        "NP-DAG-WINNER",
        "DAGSVM",
        "a class that beats all others is predicted whatever the order",
        "every tournament and order, K = 3, 4",
        winner_found,
        deque_walk,
        loser_stays,
        "the winner popped",
        found_here=True,
    ),
    Claim(
        "NP-DAG-ORDER",
        "DAGSVM",
        "the prediction can depend on the order of the classes",
        "every tournament, K = 3, 4: it does wherever no class beats all others",
        order_matters,
        False,
        True,
        "tournaments with such a class",
    ),
    Claim(
        "NP-SPLITS",
        "margin trees",
        "a node of K classes has 2^(K−1) − 1 splits",
        "enumerated, K ≤ 7",
        partition_count,
        lambda K: 2 ** (K - 1) - 1,
        lambda K: 2 ** (K - 1),
        "2^(K−1)",
    ),
    Claim(
        "NP-TREE",
        "margin trees",
        "the linkage-assisted tree is the greedy one",
        "two data sets of four classes, certified margins",
        trees,
        "linkage",
        "single",
        "single linkage's own splits",
    ),
    Claim(
        "NP-GROUP",
        "margin trees",
        "the margin between groups is at most the smallest pair margin across them",
        "7 partitions of four classes, exact soft margins",
        group_margins,
        max,
        sum,
        "V at least the sum of the pairs' V",
        found_here=True,
    ),
    Claim(
        "NP-LINKAGE",
        "margin trees",
        "complete linkage merges a cluster with its furthest neighbour",
        "K = 4, 5, 6 against scipy",
        complete_linkage,
        lambda links: -max(links),
        min,
        "single linkage",
        max,
        "it merges the two with the smallest furthest distance",
        ("E23",),
    ),
)
