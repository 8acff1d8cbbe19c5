"""HL, what they say of their programs besides the duals: implied constraints, a Kronecker Hessian, (13) and (22)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np

from msvm_ref.exact.linear_algebra import maximize
from msvm_ref.model.catalogue import OVA
from msvm_ref.solvers.classic.bsvm import descent
from msvm_ref.studies.papers.claim import Claim, Evidence, show
from msvm_ref.studies.papers.hl_cs import HL16, dual_objective
from msvm_ref.studies.papers.hl_ww import hessian
from msvm_ref.studies.papers.small import (
    CLASH,
    FOUR,
    SETS,
    SIX,
    Points,
    exact,
    loss,
    rationals,
    require,
    weights,
)

HALF = Fraction(1, 2)
GRID = [Fraction(k, 2) for k in range(-3, 4)]


def implied(own_row: bool) -> Evidence:
    """(16) without xi >= 0: is the least xi, max_m (e^m - (f_y - f_m)), that of the machine? m = y included or not."""
    tested = 0
    for f in product(GRID, repeat=3):
        for y in range(3):
            rows = [Fraction(int(m != y)) - (f[y] - f[m]) for m in range(3) if own_row or m != y]
            tested += 1
            if max(rows) != loss(HL16, 3, f, y):
                return Evidence(
                    False,
                    f"f = {show(f)}, y = {y + 1}: ξ may be {max(rows)}, with ξ ≥ 0 it is {loss(HL16, 3, f, y)}",
                )
    return Evidence(True, f"the same least ξ at {tested} points: the row m = y says ξ ≥ 0")


def semidefinite(Q: Any) -> bool:
    """Is a symmetric rational matrix PSD? By symmetric elimination: a zero pivot needs a zero row."""
    work = Q.copy()
    for k in range(len(work)):
        if work[k, k] < 0 or (work[k, k] == 0 and any(work[k, k:])):
            return False
        if work[k, k]:
            work = work - np.outer(work[:, k], work[k]) / work[k, k]
    return True


def kronecker(form: Callable[[Any, Any], Any]) -> Evidence:
    """Is this the Hessian of (17), alpha ordered alpha_1^1, ..., alpha_1^k, alpha_2^1, ..., by second differences? PSD?"""
    for points in (SIX, CLASH, FOUR):
        shape, size = (points.n, points.d), points.n * points.d
        zero = _dual(points, [], shape)
        first = [_dual(points, [a], shape) for a in range(size)]
        said = form(points.gram, rationals(np.eye(points.d, dtype=int).tolist()))
        for a in range(size):
            for b in range(a + 1):
                second = _dual(points, [a, b], shape) - first[a] - first[b] + zero
                if not second == said[a, b] == said[b, a]:
                    return Evidence(
                        False, f"{points.name}, entry ({a + 1}, {b + 1}): {said[a, b]} for {second}"
                    )
        if not semidefinite(said):
            return Evidence(False, f"{points.name}: not positive semidefinite")
    return Evidence(True, "every entry, and no negative pivot, on 3 data sets, exactly")


def _dual(points: Points, ones: Sequence[int], shape: tuple[int, int]) -> Fraction:
    """(17)'s objective at the sum of these unit vectors."""
    a = rationals(np.zeros(shape[0] * shape[1], dtype=int).tolist())
    for k in ones:
        a[k] += 1
    return dual_objective(points, a.reshape(shape))


Step = Callable[[Fraction, bool, bool], Fraction]
"""(gradient, at 0, at C) -> v."""


def hl_step(g: Fraction, at_zero: bool, at_bound: bool) -> Fraction:
    """min(g, 0) at 0, -max(g, 0) at C, -|g| between."""
    return min(g, Fraction(0)) if at_zero else -max(g, Fraction(0)) if at_bound else -abs(g)


def zoutendijk(step: Step) -> Evidence:
    """(13): min g'd, -1 <= d <= 1, d >= 0 at 0, d <= 0 at C. Is v = g d, d in {-1, 0, 1}? The program solved exactly, BSVM's
    code asked as well.
    """
    rng, tested = np.random.default_rng(13), 0
    for points in SETS:
        pairs, Q = hessian(points, 1)
        for _ in range(3):
            alpha = rationals(rng.integers(0, 3, len(pairs)).tolist()) / 2  # C = 1
            g = Q @ alpha - 2
            v = [step(g[k], alpha[k] == 0, alpha[k] == 1) for k in range(len(pairs))]
            ones = rationals(np.eye(len(pairs), dtype=int).tolist())
            low = [Fraction(0) if a == 0 else Fraction(1) for a in alpha]
            high = [Fraction(0) if a == 1 else Fraction(1) for a in alpha]
            best = maximize(-g, [*ones, *(-ones)], [*high, *low])
            require(best is not None and set(best.x) <= {-1, 0, 1}, "d in {-1, 0, 1}")
            assert best is not None
            full, gradient = np.zeros((2, points.n, points.d))
            for (i, m), a, slope in zip(pairs, alpha, g, strict=True):
                full[i, m], gradient[i, m] = a, slope
            code = np.zeros((points.n, points.d))
            everybody = np.arange(points.n)
            descent.py_func(np.array(points.y), np.ones(points.n), full, gradient, everybody, code)
            ours = [Fraction(code[i, m]) for i, m in pairs]
            tested += len(pairs)
            for k, d in enumerate(best.x):
                if not v[k] == g[k] * Fraction(d) == ours[k]:
                    return Evidence(
                        False,
                        f"{points.name}, pair {pairs[k]}: v = {v[k]}, g d = {g[k] * Fraction(d)}",
                    )
    return Evidence(
        True, f"{tested} components: v = g d with d in {{−1, 0, 1}}, and BSVM's code agrees"
    )


Sides = tuple[list[Fraction], list[Fraction]]


def sides(g: Any, t: Any, alpha: Any, C: Fraction, bounded: bool) -> Sides:
    """(22)'s two lists: the rule is max of the first <= min of the second."""
    indices = range(len(alpha))
    up = [k for k in indices if not bounded or (alpha[k] < C if t[k] > 0 else alpha[k] > 0)]
    down = [k for k in indices if not bounded or (alpha[k] > 0 if t[k] > 0 else alpha[k] < C)]
    return [-t[k] * g[k] for k in up], [-t[k] * g[k] for k in down]


def stopping22(bounded: bool) -> Evidence:
    """(22), one class against the rest: met at the exact optimum, and at feasible points only if they are optimal?"""
    met = missed = 0
    for points in SETS:
        C = HALF
        alpha = weights(exact(OVA, points, C, "free"))[2]
        for c in range(points.d):
            t = rationals([1 if y == c else -1 for y in points.y])
            Q = np.outer(t, t) * points.gram
            best = _objective(Q, alpha[:, c])
            for point in (alpha[:, c], *_neighbours(alpha[:, c], t, C)):
                up, down = sides(Q @ point - 1, t, point, C, bounded)
                stops, optimal = (
                    not up or not down or max(up) <= min(down),
                    _objective(Q, point) == best,
                )
                met, missed = met + stops, missed + (not stops)
                if stops != optimal:
                    return Evidence(
                        False,
                        f"{points.name}, class {c + 1}: the rule is {'met' if stops else 'not met'}, "
                        f"the point is {'' if optimal else 'not '}optimal",
                    )
    return Evidence(True, f"met at {met} optimal points, not at {missed} others, exactly")


def _objective(Q: Any, alpha: Any) -> Fraction:
    return Fraction(alpha @ Q @ alpha / 2 - alpha.sum())


def _neighbours(alpha: Any, t: Any, C: Fraction) -> list[Any]:
    """Feasible points near alpha: two multipliers moved so that t'alpha stays 0."""
    out = []
    for i in range(len(t)):
        for j in range(i):
            for step in (Fraction(1, 16), Fraction(-1, 16)):
                moved = alpha.copy()
                moved[i], moved[j] = moved[i] + t[i] * step, moved[j] - t[j] * step
                if all(0 <= v <= C for v in moved):
                    out.append(moved)
    return out


CLAIMS = (
    Claim(
        "HL-16-XI",
        "(16)",
        "ξ_i ≥ 0 need not be written in (16): the row m = y_i implies it",
        "least slacks on a grid of 343 f × 3 classes, exact",
        implied,
        True,
        False,
        "the row m = y_i left out",
    ),
    Claim(
        "HL-17-KRON",
        "after (17)",
        "the Hessian of the dual (17) is K ⊗ I, positive semidefinite",
        "second differences of (17), and elimination without a negative pivot, 3 data sets, exact",
        kronecker,
        lambda K, identity: np.kron(K, identity),
        lambda K, identity: np.kron(identity, K),
        "I ⊗ K",
    ),
    Claim(
        "HL-13",
        "(13)",
        "a best direction d of Zoutendijk's program has entries 0 or ±1, and v of the working-set rule is ∇f_i d_i",
        "(13) by an exact linear program at 12 points of (10), and the code of method bsvm",
        zoutendijk,
        hl_step,
        lambda g, at_zero, at_bound: -abs(g),
        "−|g| at the bounds as well",
    ),
    Claim(
        "HL-22",
        "(22)",
        "the stopping rule of the binary duals is met, at tolerance 0, exactly at the optimum",
        "one class against the rest with a free bias: exact optima and their feasible neighbours, 4 data sets",
        stopping22,
        True,
        False,
        "the bounds on α ignored",
    ),
)
