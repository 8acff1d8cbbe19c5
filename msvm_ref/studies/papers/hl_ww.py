"""HL, section III: the WW machine with margin 2, its dual (5), and the bounded form (9) that BSVM trains.

HL = Hsu, Lin, "A Comparison of Methods for Multiclass Support Vector Machines", IEEE TNN 13 (2002); k is our d.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np

from msvm_ref.exact.linear_algebra import rank
from msvm_ref.model.catalogue import WW
from msvm_ref.solvers.classic.bsvm import add_column
from msvm_ref.studies.papers.claim import Claim, Evidence, show
from msvm_ref.studies.papers.small import (
    SETS,
    Points,
    box_optimal,
    counting,
    difference_machine,
    exact,
    loss,
    rationals,
    require,
    weights,
)

HL4 = difference_machine(2)
"""[2 - (f_y - f_m)]_+ summed over rivals m."""


def pairwise_value(points: Points, C: Fraction, W: Any, b: Any, ridge: int) -> Fraction:
    """1/2 sum_{m<l} ||w_m - w_l||^2 + ridge/2 sum ||w_m||^2 + C sum xi: (7a) for ridge 0, (8) for ridge 1."""
    pairs = sum(
        (((W[:, m] - W[:, n]) ** 2).sum() for m, n in combinations(range(points.d), 2)), Fraction(0)
    )
    scores = points.X @ W + b
    slacks = sum(loss(HL4, points.d, scores[i], points.y[i]) for i in range(points.n))
    return Fraction((pairs + ridge * (W * W).sum()) / 2 + C * slacks)


def proved_pairwise(points: Points, C: Fraction, ridge: int) -> Fraction:
    """The optimum of (7) or (8), proposed by (4) at C/(k + ridge) and accepted by its KKT conditions in rationals.

    With Sigma w = 0 the regulariser's gradient is (k + ridge) w_m; it must be sum alpha (e_y - e_m) phi for multipliers
    alpha in [0, C] that keep (5a), which are complementary to the slacks because those of (4) are.
    """
    stretch = points.d + ridge
    W, b, alpha = weights(exact(HL4, points, C / stretch, "free"))
    scaled = stretch * alpha
    gradient = points.d * W - W.sum(axis=1)[:, None] + ridge * W
    nu = HL4.nu(points.d)
    pull = sum(
        scaled[i, p] * np.outer(points.X[i], rationals(nu[points.y[i]][p]))
        for i, p in counting(HL4, points)
    )
    shift = sum(scaled[i, p] * rationals(nu[points.y[i]][p]) for i, p in counting(HL4, points))
    require((gradient == pull).all() and not any(shift), "a point stationary in w and b")
    require(not any(W.sum(axis=1)), "weights that sum to 0")
    scores = points.X @ W + b
    for i, p in counting(HL4, points):
        slack = 2 - (scores[i, points.y[i]] - scores[i, p])
        require(0 <= scaled[i, p] <= C, "a multiplier in [0, C]")
        require(slack <= 0 or scaled[i, p] == C, "C as the multiplier of a violated margin")
        require(slack >= 0 or scaled[i, p] == 0, "0 as the multiplier of a margin kept with room")
    return pairwise_value(points, C, W, b, ridge)


def same_solutions(ridge: int) -> Callable[[Callable[[int], Fraction]], Evidence]:
    """Is the solution of (4) at factor(k) C the solution of (7) or (8) at C?"""

    def check(factor: Callable[[int], Fraction]) -> Evidence:
        tested = 0
        for points in SETS:
            k = points.d
            C = Fraction(k * (k + 1))  # an integer after division by k or k + 1
            best = proved_pairwise(points, C, ridge)
            W, b, _ = weights(exact(HL4, points, factor(k) * C, "free"))
            value = pairwise_value(points, C, W, b, ridge)
            tested += 1
            if value != best:
                return Evidence(
                    False,
                    f"{points.name}, C = {C}: {show(value)} at the solution of (4), optimum {show(best)}",
                    {"value": value, "optimum": best},
                )
        return Evidence(True, f"same solution on {tested} data sets, exactly", {"tested": tested})

    return check


def delta_kernel(y: Any, i: int, m: int, j: int, n: int) -> int:
    """delta(y_i,y_j) + delta(m,n) - delta(y_i,n) - delta(y_j,m)."""
    return int(y[i] == y[j]) + int(m == n) - int(y[i] == n) - int(y[j] == m)


def hessian(points: Points, shift: int) -> tuple[list[tuple[int, int]], Any]:
    """(pairs, Q) of (10): Q = (K + shift) times the deltas."""
    pairs, K = list(counting(HL4, points)), points.gram + Fraction(shift)
    return pairs, rationals(
        [[K[i, j] * delta_kernel(points.y, i, m, j, n) for j, n in pairs] for i, m in pairs]
    )


def dual5(cross: Fraction) -> Evidence:
    """(5): min sum_ij K_ij (1/2 c_j^{y_i} A_i A_j - cross sum_m alpha_i^m alpha_j^{y_i} + 1/2 sum_m alpha_i^m alpha_j^m)
    - 2 sum alpha, with cross = 1; the optimum of (4) is minus that.
    """
    for points in SETS:
        for C in (Fraction(1, 4), Fraction(2)):
            optimum = exact(HL4, points, C, "free")
            alpha, K, y = weights(optimum)[2], points.gram, points.y
            A = alpha.sum(axis=1)
            value = -2 * alpha.sum()
            for i in range(points.n):
                for j in range(points.n):
                    value += K[i, j] * (
                        Fraction(int(y[i] == y[j])) * A[i] * A[j] / 2
                        - cross * (alpha[i] * alpha[j, y[i]]).sum()
                        + (alpha[i] * alpha[j]).sum() / 2
                    )
            balance = [
                alpha[:, m].sum() - sum(A[i] for i in range(points.n) if y[i] == m)
                for m in range(points.d)
            ]
            inside = all(0 <= v <= C for v in alpha.ravel()) and not any(
                alpha[i, y[i]] for i in range(points.n)
            )
            if -value != optimum.value or any(balance) or not inside:
                return Evidence(
                    False,
                    f"{points.name}, C = {C}: (5) is {show(-value)}, (4) {show(optimum.value)}",
                    {"value": value},
                )
    return Evidence(
        True,
        f"(5a)–(5c) kept and (4) = −(5) on {2 * len(SETS)} problems, exactly",
        {"problems": 2 * len(SETS)},
    )


def weights6(sign: int) -> Evidence:
    """(6): w_m = sum_i (c_i^m A_i - alpha_i^m) phi(x_i)."""
    for points in SETS:
        for bias in ("free", "penalized"):
            W, b, alpha = weights(exact(HL4, points, 1, bias))
            own = [
                [int(y == m) * alpha[i].sum() for m in range(points.d)]
                for i, y in enumerate(points.y)
            ]
            coef = rationals(own) - sign * alpha
            if (points.X.T @ coef != W).any() or (
                bias == "penalized" and (coef.sum(axis=0) != b).any()
            ):
                return Evidence(
                    False,
                    f"{points.name}: w_1 = {show((points.X.T @ coef)[:, 0])}, exactly {show(W[:, 0])}",
                )
    return Evidence(
        True,
        f"W (and a penalized b) exact on {2 * len(SETS)} problems",
        {"problems": 2 * len(SETS)},
    )


def equations5a(points: Points) -> list[list[Fraction]]:
    """(5a): sum_i alpha_i^m - sum_i c_i^m A_i = 0 for m = 1 ... k, in the n (k - 1) variables."""
    return [
        [Fraction(int(m == p) - int(points.y[i] == m)) for i, p in counting(HL4, points)]
        for m in range(points.d)
    ]


def equations17a(points: Points) -> list[list[Fraction]]:
    """(17a): sum_m alpha_i^m = 0 for every i, in the n k variables."""
    columns = [(i, m) for i in range(points.n) for m in range(points.d)]
    return [[Fraction(int(i == j)) for j, _ in columns] for i in range(points.n)]


def equation_counts(form: tuple[Callable[[Points], int], Callable[[Points], int]]) -> Evidence:
    """Are there so many different equations, none of them 0 = 0, in (5a), and so many independent ones in (17a)?"""
    first, second = form
    counts = {}
    for points in SETS:
        a, b = equations5a(points), equations17a(points)
        here = (len({tuple(row) for row in a if any(row)}), rank(b))
        counts[points.name] = here
        if here != (first(points), second(points)):
            return Evidence(
                False,
                f"{points.name}, k = {points.d}, l = {points.n}: {here[0]} equations in (5a), {here[1]} independent in (17a)",
                {"counts": counts},
            )
    return Evidence(
        True,
        f"(5a) has k equations, (17a) l independent ones, on {len(SETS)} data sets",
        {"counts": counts},
    )


def rank5a(printed_rank: Callable[[int], int]) -> Evidence:
    """The exact rank of (5a), k equations in n (k - 1) variables."""
    ranks = {points.name: (rank(equations5a(points)), points.d) for points in SETS}
    bad = {name: pair for name, pair in ranks.items() if pair[0] != printed_rank(pair[1])}
    name = next(iter(bad or ranks))
    return Evidence(not bad, f"rank {ranks[name][0]} for k = {ranks[name][1]}", {"rank, k": ranks})


def bounded(shift: int) -> Evidence:
    """(10): is the alpha of (9) optimal for the box program with K + shift, no equality asked for?"""
    for points in SETS:
        for C in (Fraction(1, 4), Fraction(2)):
            optimum = exact(HL4, points, C, "penalized")
            alpha = weights(optimum)[2]
            pairs, Q = hessian(points, shift)
            vector = rationals([alpha[i, m] for i, m in pairs])
            value = 2 * vector.sum() - vector @ Q @ vector / 2
            if not (
                box_optimal(Q, rationals([2] * len(pairs)), C, vector) and value == optimum.value
            ):
                return Evidence(
                    False,
                    f"{points.name}, C = {C}: dual value {show(value)}, (9) {show(optimum.value)}",
                )
    return Evidence(
        True, f"KKT of the box program and equal values on {2 * len(SETS)} problems, exactly"
    )


def sum_of_squares(sign: int) -> Evidence:
    """(14): alpha'Q alpha = sum_m ||sum_i (c_i^m A_i - alpha_i^m) phi(x_i)||^2, coefficient by coefficient.

    alpha_i^p enters the square of class m with the weight delta(m, y_i) - delta(m, p).
    """
    tested = 0
    for points in SETS:
        (pairs, Q), y, K = hessian(points, 0), points.y, points.gram
        for a, (i, p) in enumerate(pairs):
            for b, (j, q) in enumerate(pairs):
                product = sum(
                    (int(m == y[i]) - sign * int(m == p)) * (int(m == y[j]) - sign * int(m == q))
                    for m in range(points.d)
                )
                tested += 1
                if product * K[i, j] != Q[a, b]:
                    return Evidence(
                        False,
                        f"{points.name}, row {a + 1}, column {b + 1}: {product * K[i, j]} for {Q[a, b]}",
                    )
    return Evidence(
        True,
        f"all {tested} coefficients of the two forms are equal, so α'Qα ≥ 0",
        {"coefficients": tested},
    )


def columns(steps: tuple[int, ...]) -> Evidence:
    """The recipe below (15): column (i, m) of Q from K's column i, in the steps numbered as there; against Q and our code."""
    for points in SETS:
        pairs, Q = hessian(points, 1)
        K, y = points.gram + Fraction(1), points.y
        for column, (i, m) in enumerate(pairs):
            out = rationals(np.zeros((points.n, points.d)))
            for j in range(points.n):
                if 2 in steps:
                    out[j, m] += K[j, i]
                if 3 in steps:
                    out[j, y[i]] -= K[j, i]
                if y[j] == y[i] and 4 in steps:
                    out[j] += K[j, i]
                if y[j] == m and 5 in steps:
                    out[j] -= K[j, i]
            ours = np.zeros((points.n, points.d))
            row, everybody = K[i].astype(float), np.arange(points.n)
            add_column.py_func(row, np.array(y), y[i], m, 1.0, everybody, ours)
            for at, (j, n) in enumerate(pairs):
                if not out[j, n] == Q[at, column] == Fraction(ours[j, n]):
                    return Evidence(
                        False,
                        f"{points.name}, column ({i + 1}, {m + 1}), row ({j + 1}, {n + 1}): "
                        f"{show(out[j, n])} for {show(Q[at, column])}",
                    )
    return Evidence(
        True, f"every column of Q on {len(SETS)} data sets, exactly; BSVM's code agrees"
    )


def same_as_uv(scale: Fraction) -> Evidence:
    """Are the scores of (4) at C, times ``scale``, those of UV's WW at 2C?"""
    for points in SETS:
        for bias in ("none", "free", "penalized"):
            W, mine = (
                weights(exact(HL4, points, 1, bias))[0],
                weights(exact(WW, points, 2, bias))[0],
            )
            if (scale * W != mine).any():
                return Evidence(
                    False,
                    f"{points.name}, bias {bias}: w_1 = {show(scale * W[:, 0])} for {show(mine[:, 0])}",
                )
    return Evidence(True, f"W equal on {3 * len(SETS)} problems, exactly")


CLAIMS = (
    Claim(
        "HL-4",
        "(4)",
        "(4), margin 2, at C is UV's WW at 2C: the same functions",
        "exact W, 4 data sets × 3 biases",
        same_as_uv,
        Fraction(1),
        Fraction(2),
        "scores doubled",
    ),
    Claim(
        "HL-7",
        "(4), (7)",
        "(4) and (7) have the same solutions",
        "(7) proved optimal by KKT in rationals, against the exact solution of (4), 4 data sets, d = 3, 4",
        same_solutions(0),
        lambda k: Fraction(1),
        lambda k: Fraction(1, k + 1),
        "C/(k+1)",
        lambda k: Fraction(1, k),
        "(7) at C equals (4) at C/k",
        ("E12",),
    ),
    Claim(
        "HL-8",
        "(4), (8)",
        "(4) and (8) have the same solutions",
        "as HL-7",
        same_solutions(1),
        lambda k: Fraction(1),
        lambda k: Fraction(1, k),
        "C/k",
        lambda k: Fraction(1, k + 1),
        "(8) at C equals (4) at C/(k+1)",
        ("E12",),
    ),
    Claim(
        "HL-5",
        "(5)",
        "(5) is the dual of (4)",
        "constraints and values at the exact α, 4 data sets × 2 C",
        dual5,
        Fraction(1),
        Fraction(1, 2),
        "half of the cross term",
    ),
    Claim(
        "HL-6",
        "(6)",
        "w_m = Σ_i (c_i^m A_i − α_i^m) φ(x_i), and b_m likewise in (10)",
        "exact W, b, 4 data sets × 2 biases",
        weights6,
        1,
        -1,
        "+α for −α",
    ),
    Claim(
        "HL-5A",
        "(5a)",
        "(5a) has k equations, (17a) l, which are independent",
        "the equations written out, and the exact rank of (17a), 4 data sets",
        equation_counts,
        (lambda points: points.d, lambda points: points.n),
        (lambda points: points.d - 1, lambda points: points.n),
        "k − 1 equations in (5a)",
    ),
    Claim(
        "HL-5A-RANK",
        "(5a)",
        "the k equations of (5a) sum to 0 = 0: k − 1 of them are independent",
        "exact rank, 4 data sets",
        rank5a,
        lambda k: k - 1,
        lambda k: k,
        "rank k",
        errata=("E13",),
        found_here=True,
    ),
    Claim(
        "HL-10",
        "(9), (10)",
        "penalising b removes (5a) from the dual and turns K into K + 1",
        "KKT of the box program at the exact α, 4 data sets × 2 C",
        bounded,
        1,
        0,
        "K for K + 1",
    ),
    Claim(
        "HL-14",
        "(14)",
        "Q of (10) is positive semidefinite, as a sum of squares",
        "every coefficient, exact",
        sum_of_squares,
        1,
        -1,
        "+α_i^m in the squares",
    ),
    Claim(
        "HL-15",
        "(15) and recipe",
        "a column of Q is obtained in five steps from a column of K + 1",
        "every column on 4 data sets, exact, and against the code of method bsvm",
        columns,
        (2, 3, 4, 5),
        (2, 3, 4),
        "step 5 left out",
    ),
)
