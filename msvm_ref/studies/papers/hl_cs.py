"""HL, section IV: the Crammer-Singer machine with margin 1, its dual (17), the block problem (18) and the stopping rule."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from msvm_ref.model.catalogue import CS
from msvm_ref.model.machine import OTHERS_MAX
from msvm_ref.model.problem import Bias
from msvm_ref.solvers.classic.cs_block import solve_block
from msvm_ref.studies.papers.claim import Claim, Evidence, show
from msvm_ref.studies.papers.small import (
    SETS,
    Points,
    difference_machine,
    exact,
    primal_value,
    rationals,
    require,
    weights,
)

HL16 = difference_machine(1, OTHERS_MAX)
"""max over rivals m of [1 - (f_y - f_m)]_+."""
Rule = Callable[[Any, Any, int, Fraction], Fraction]
"""(gradient row, a row, own class, C) -> violation of one example."""


def signed(points: Points, alpha: Any) -> Any:
    """HL's alpha-bar: -alpha on rivals, their sum on the own class, so that its rows sum to 0."""
    a = -alpha
    for i, y in enumerate(points.y):
        a[i, y] = alpha[i].sum()
    return a


def targets(points: Points) -> Any:
    """e_i^m = 1 - [y_i = m]."""
    return rationals([[1 - int(y == m) for m in range(points.d)] for y in points.y])


def dual17(form: tuple[int, int, Bias]) -> Evidence:
    """(17): min 1/2 sum K_ij <a_i, a_j> + sum <a_i, e_i> with K + shift; e printed as 1 - delta (sign 1) or mutated."""
    shift, sign, bias = form
    for points in SETS:
        for C in (Fraction(1, 4), Fraction(2)):
            optimum = exact(HL16, points, C, bias)
            W, b, alpha = weights(optimum)
            a, K = signed(points, alpha), points.gram + Fraction(shift)
            value = (
                sum(K[i, j] * (a[i] * a[j]).sum() for i in range(points.n) for j in range(points.n))
                / 2
            )
            value += sign * (a * targets(points)).sum()
            inside = not any(a.sum(axis=1)) and all(
                a[i, m] <= C * int(points.y[i] == m) for i, m in np.ndindex(a.shape)
            )
            same = (points.X.T @ a == W).all() and (bias == "none" or (a.sum(axis=0) == b).all())
            if not (inside and same and -value == optimum.value):
                return Evidence(
                    False,
                    f"{points.name}, C = {C}: dual {show(-value)}, primal {show(optimum.value)}",
                    {"dual": -value},
                )
    told = ", b = Σ α" if shift else ""
    return Evidence(
        True, f"constraints, w = Σ α φ{told} and equal values on {2 * len(SETS)} problems, exactly"
    )


def exact_block(A: Fraction, B: Any, own: int, C: Fraction) -> Any:
    """(18) in rationals: a_m = min(bound_m, (theta - B_m)/A) with sum 0; theta by trying every set of free entries."""
    bound = rationals([C * int(m == own) for m in range(len(B))])
    breaks = sorted(B + A * bound)
    for low, high in zip([None, *breaks], [*breaks, None], strict=True):
        # between two breaks the entries with B + A bound >= high are free, the others at their bound
        free = [m for m in range(len(B)) if high is not None and B[m] + A * bound[m] >= high]
        fixed = sum((bound[m] for m in range(len(B)) if m not in free), Fraction(0))
        if not free:
            continue
        theta = (sum(B[m] for m in free) - A * fixed) / len(free)
        if (low is None or theta >= low) and theta <= high:
            return rationals([min(bound[m], (theta - B[m]) / A) for m in range(len(B))])
    raise AssertionError("some interval between two breaks holds theta")


def blocks() -> list[tuple[Fraction, Any, int, Fraction]]:
    rng = np.random.default_rng(18)
    return [
        (
            Fraction(int(rng.integers(1, 9)), 4),
            rationals((rng.integers(-8, 9, d) / 4).tolist()),
            int(rng.integers(d)),
            C,
        )
        for d in (2, 3, 4, 6)
        for C in (Fraction(1, 8), Fraction(1), Fraction(64))
        for _ in range(4)
    ]


def by_method(sorting: bool) -> Callable[..., Any]:
    def solver(A: Fraction, B: Any, own: int, C: Fraction) -> Any:
        out = np.zeros(len(B))
        solve_block(float(A), B.astype(float), own, float(C), sorting, out)
        return out

    return solver


def block_solvers(solvers: tuple[Callable[..., Any], ...]) -> Evidence:
    """Do these solve (18)? Largest distance from the exact solution, which is checked by its own KKT conditions."""
    worst = 0.0
    cases = blocks()
    for A, B, own, C in cases:
        best = exact_block(A, B, own, C)
        slope = A * best + B
        bound = [C * int(m == own) for m in range(len(B))]
        level = min(slope[m] for m in range(len(B)) if best[m] < bound[m])
        kept = all(slope[m] <= level and best[m] <= bound[m] for m in range(len(B)))
        require(kept and best.sum() == 0, "the KKT conditions of (18)")
        for solver in solvers:
            worst = max(
                worst,
                *(
                    abs(float(v) - float(w))
                    for v, w in zip(solver(A, B, own, C), best, strict=True)
                ),
            )
    return Evidence(
        worst < 1e-10,
        f"{len(cases)} blocks, largest error {worst:.1e}",
        {"blocks": len(cases), "largest error": worst},
    )


def rule19(G: Any, a: Any, own: int, C: Fraction) -> Fraction:
    """(19): max_m G^m - min {G^m : a^m < C [m = own]}."""
    room = [G[m] for m in range(len(G)) if a[m] < C * int(m == own)]
    return Fraction(max(G) - min(room)) if room else Fraction(0)


def rule_without_bounds(G: Any, a: Any, own: int, C: Fraction) -> Fraction:
    return Fraction(max(G) - min(G))


def gradient(points: Points, a: Any) -> Any:
    return points.gram @ a + targets(points)


def feasible_points(points: Points, C: Fraction, count: int) -> list[Any]:
    """Rational a with rows sum 0 and a_i^m <= C [m = y_i], some multipliers 0, some groups full."""
    rng = np.random.default_rng(19)
    points_of_dual = []
    for _ in range(count):
        alpha = rationals(rng.integers(0, 4, (points.n, points.d)).tolist())
        for i, y in enumerate(points.y):
            alpha[i, y] = Fraction(0)
            alpha[i] = alpha[i] * C / max(Fraction(4), alpha[i].sum())
        points_of_dual.append(signed(points, alpha))
    return points_of_dual


def kkt_rule(rule: Rule) -> Evidence:
    """Is the rule 0 at the optimum, and positive at points that are not?"""
    zero, positive = 0, 0
    for points in SETS:
        C = Fraction(1, 2)
        optimum = exact(HL16, points, C)
        a = signed(points, weights(optimum)[2])
        G = gradient(points, a)
        worst = max(rule(G[i], a[i], points.y[i], C) for i in range(points.n))
        if worst != 0:
            return Evidence(
                False, f"{points.name}: {show(worst)} at the optimum", {"violation": worst}
            )
        zero += 1
        for b in feasible_points(points, C, 4):
            G = gradient(points, b)
            optimal = dual_objective(points, b) == -optimum.value
            positive += not optimal
            if (max(rule(G[i], b[i], points.y[i], C) for i in range(points.n)) > 0) == optimal:
                return Evidence(False, f"{points.name}: 0 at a point that is not optimal")
    return Evidence(True, f"0 at {zero} optima, positive at {positive} other points, exactly")


def dual_objective(points: Points, a: Any) -> Fraction:
    K = points.gram
    return Fraction(
        sum(K[i, j] * (a[i] * a[j]).sum() for i in range(points.n) for j in range(points.n)) / 2
        + (a * targets(points)).sum()
    )


def strict_decrease(solver: Callable[..., Any]) -> Evidence:
    """(20): does solving (18) for the example with the largest violation lower the dual objective, wherever there is one?"""
    least: Fraction | None = None
    for points in SETS:
        C, K = Fraction(1, 2), points.gram
        for a in feasible_points(points, C, 4):
            G = gradient(points, a)
            violation = [rule19(G[i], a[i], points.y[i], C) for i in range(points.n)]
            i = max(range(points.n), key=lambda j: violation[j])
            if violation[i] == 0:
                continue
            after = a.copy()
            after[i] = solver(K[i, i], G[i] - K[i, i] * a[i], points.y[i], C)
            fall = dual_objective(points, a) - dual_objective(points, after)
            least = fall if least is None else min(least, fall)
    assert least is not None
    return Evidence(
        least > 0,
        f"smallest decrease {show(least)} over {4 * len(SETS)} points",
        {"smallest decrease": least},
    )


def gap_bound(combine: Callable[[list[Fraction]], Fraction]) -> Evidence:
    """(21): is the duality gap at w(a) at most C times the violations, combined?"""
    closest = Fraction(0)
    for points in SETS:
        C = Fraction(1, 2)
        for a in feasible_points(points, C, 6):
            W = points.X.T @ a
            gap = primal_value(HL16, points, C, W, rationals([0] * points.d)) + dual_objective(
                points, a
            )
            G = gradient(points, a)
            limit = C * combine([rule19(G[i], a[i], points.y[i], C) for i in range(points.n)])
            if gap > limit:
                return Evidence(
                    False,
                    f"{points.name}: gap {show(gap)} > {show(limit)}",
                    {"gap": gap, "bound": limit},
                )
            closest = max(closest, gap / limit if limit else Fraction(0))
    return Evidence(
        True,
        f"gap ≤ C Σ violation at {6 * len(SETS)} points, up to {show(float(closest))} of it",
        {"largest ratio": closest},
    )


def same_as_uv(factor: Fraction) -> Evidence:
    """(16) at factor C, scores doubled, is UV's CS at C."""
    for points in SETS:
        W, mine = weights(exact(HL16, points, factor * 4))[0], weights(exact(CS, points, 4))[0]
        if (mine != 2 * W).any():
            return Evidence(False, f"{points.name}: 2 × {show(W[:, 0])} for {show(mine[:, 0])}")
    return Evidence(True, f"W equal on {len(SETS)} problems, exactly")


CLAIMS = (
    Claim(
        "HL-16",
        "(16)",
        "(16), margin 1, at C/4 is UV's CS at C with half the scores",
        "exact W, 4 data sets",
        same_as_uv,
        Fraction(1, 4),
        Fraction(1, 2),
        "C/2",
    ),
    Claim(
        "HL-17",
        "(17)",
        "(17) is the dual of (16), and w_m = Σ_i α_i^m φ(x_i)",
        "constraints, W and values at the exact α, 4 data sets × 2 C",
        dual17,
        (0, 1, "none"),
        (0, -1, "none"),
        "−e for e",
    ),
    Claim(
        "HL-18",
        "(18)",
        "the sub-problem of one example is solved by sorting and by a fixed point",
        "48 blocks, both methods against an exact solution with its KKT conditions",
        block_solvers,
        (by_method(True), by_method(False)),
        (lambda A, B, own, C: B.mean() / A - B / A,),
        "the bound a_y ≤ C ignored",
    ),
    Claim(
        "HL-19",
        "(19)",
        "the KKT conditions are: no block's violation is positive",
        "4 exact optima and 16 feasible points",
        kkt_rule,
        rule19,
        rule_without_bounds,
        "the minimum taken over all m",
    ),
    Claim(
        "HL-20",
        "(20), (18)",
        "solving (18) for the largest violation strictly lowers the dual objective",
        "16 feasible points, exact blocks",
        strict_decrease,
        exact_block,
        lambda A, B, own, C: rationals([0] * len(B)),
        "a block set to 0",
    ),
    Claim(
        "HL-21",
        "(21)",
        "small violations mean a near-optimal point: gap ≤ C Σ_i violation_i",
        "24 feasible points, exact",
        gap_bound,
        lambda v: sum(v, Fraction(0)),
        max,
        "the largest violation for their sum",
        found_here=True,
    ),
    Claim(
        "HL-24",
        "(23), (24)",
        "penalising b in (16) turns K into K + 1 in (17), with b_m = Σ_i α_i^m",
        "as HL-17 with a penalized bias",
        dual17,
        (1, 1, "penalized"),
        (0, 1, "penalized"),
        "K for K + 1",
    ),
)
