"""NP, on the solutions of (3) and (4): the own entry of A, the scores of LLW's support vectors, uniqueness."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

from msvm_ref.exact.linear_algebra import rank
from msvm_ref.model.machine import Machine
from msvm_ref.model.problem import Bias
from msvm_ref.studies.papers.claim import Claim, Evidence, show
from msvm_ref.studies.papers.narsky_porter import llw_loss
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

HALF = Fraction(1, 2)
INDEPENDENT = Points("three points", ((2, 1, 0), (0, 2, -1), (-1, 0, 2)), (0, 1, 2), 3)
"""Linearly independent, so that W = X'A has one A only."""


def own_entries(table: Callable[[Any], Any]) -> Evidence:
    """Are the entries (n, y_n) of this table of the exact solution 0, for WW (3) and LLW (4)?"""
    require(rank([list(row) for row in INDEPENDENT.X]) == 3, "one A only")
    for machine in (difference_machine(2), llw_loss(3)):
        optimum = exact(machine, INDEPENDENT, HALF)
        entries = rationals(table(optimum))
        own = [entries[n, y] for n, y in enumerate(INDEPENDENT.y)]
        if any(own):
            return Evidence(
                False, f"{machine.name}: entries (n, y_n) are {show(own)}", {"own": own}
            )
    return Evidence(True, "0 for (3) and (4), N = D = 3")


Rule = Callable[[Any, Any, int, int, Fraction], bool]
"""(f, multipliers, y, K, C) -> is this so of a support vector?"""


def at_the_simplex(f: Any, alpha: Any, y: int, K: int, C: Fraction) -> bool:
    """f_y = 1 and f_k = -1/(K-1) elsewhere."""
    return all(v == (1 if k == y else Fraction(-1, K - 1)) for k, v in enumerate(f))


def complementary(f: Any, alpha: Any, y: int, K: int, C: Fraction) -> bool:
    """f_k >= -1/(K-1) where alpha_k > 0, equal where alpha_k < C as well."""
    target = Fraction(-1, K - 1)
    return all(
        f[k] >= target and (alpha[k] == C or f[k] == target) for k in range(K) if alpha[k] > 0
    )


def always_equal(f: Any, alpha: Any, y: int, K: int, C: Fraction) -> bool:
    return all(f[k] == Fraction(-1, K - 1) for k in range(K) if alpha[k] > 0)


def support_vectors(rule: Rule) -> Evidence:
    """Is it so of every example with a multiplier, in the exact solutions of (4)?"""
    seen = 0
    for points in SETS:
        for C in (Fraction(1, 4), Fraction(2)):
            W, b, alpha = weights(exact(llw_loss(points.d), points, C, "free"))
            scores = points.X @ W + b
            for i, y in enumerate(points.y):
                if any(alpha[i]):
                    seen += 1
                    if not rule(scores[i], alpha[i], y, points.d, C):
                        return Evidence(
                            False,
                            f"{points.name}, C = {C}: a support vector of class {y + 1} has f = {show(scores[i])}",
                            {"f": scores[i], "alpha": alpha[i]},
                        )
    return Evidence(True, f"so of all {seen} support vectors, exactly", {"support vectors": seen})


def shifted(biases: Sequence[Bias]) -> Evidence:
    """Does adding a constant to each f_k lead from the optimum of (3) to another, by w or by b, under each of these biases?"""
    machine: Machine = difference_machine(2)
    tested = 0
    for points in SETS:
        for bias in biases:
            W, b, _ = weights(exact(machine, points, HALF, bias))
            here = primal_value(machine, points, HALF, W, b, bias)
            moved = primal_value(machine, points, HALF, W + 1, b, bias)
            require(moved > here, "a larger norm once the same vector is added to each w_k")
            if bias == "none":
                return Evidence(
                    False, f"{points.name}, no bias: constants are out of reach, w is unique"
                )
            after = primal_value(machine, points, HALF, W, b + 1, bias)
            tested += 1
            if after != here:
                return Evidence(
                    False,
                    f"{points.name}, bias {bias}: the objective goes from {show(here)} to {show(after)}",
                )
    return Evidence(True, f"b + 1 has the same objective on {tested} problems, exactly")


CLAIMS = (
    Claim(
        "NP-ALPHA",
        "after (5)",
        "the matrix A of kernel expansion coefficients has α_{n,y_n} = 0",
        "exact solutions of (3) and (4) on three independent points, where W = X'A has one A only",
        own_entries,
        lambda optimum: optimum.coef,
        lambda optimum: [[1 - int(v > 0) for v in row] for row in optimum.alpha],
        "the components without a multiplier",
        lambda optimum: optimum.alpha,
        "so of the multipliers of the dual; the coefficients are sums of them and balance each row",
        ("E25",),
    ),
    Claim(
        "NP-LLW-SV",
        "after (4)",
        "a support vector of class y under (4) has f_y = 1 and f_k = −1/(K−1) elsewhere",
        "every example with a multiplier in the exact solutions, 4 data sets × 2 C, bias free",
        support_vectors,
        at_the_simplex,
        always_equal,
        "equality where α = C too",
        complementary,
        "f_k ≥ −1/(K−1) where α_k > 0, with equality where α_k < C: a support vector may be anywhere beyond",
        ("E26",),
    ),
    Claim(
        "NP-UNIQUE",
        "after (3)",
        "the solution of (3) is not unique, since a constant may be added to each f_k",
        "objectives at shifted exact optima, 4 data sets × 3 biases",
        shifted,
        ("none", "penalized", "free"),
        ("free", "penalized"),
        "the penalized bias too",
        ("free",),
        "only of a free bias: the norm makes w unique, and b where it is penalized",
        ("E27",),
        cut=True,
    ),
)
