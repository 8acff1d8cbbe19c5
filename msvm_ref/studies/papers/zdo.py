"""ZDO: softmax, logistic loss, representations. Inequalities of transcendental numbers are decided in ball arithmetic.

ZDO = Zien, De Bona, Ong, "Training and Approximation of a Primal Multiclass Support Vector Machine", 2007; m is our d.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
from flint import arb, ctx, fmpq_mat

from msvm_ref.errors import DataError
from msvm_ref.exact.numbers import rational
from msvm_ref.model.machine import OTHERS_MAX, Machine
from msvm_ref.softmax.loss import smax as float_smax
from msvm_ref.softmax.problem import SoftmaxProblem
from msvm_ref.studies.papers.claim import Claim, Evidence, show
from msvm_ref.studies.papers.hl_ww import HL4
from msvm_ref.studies.papers.small import (
    SETS,
    SIX,
    difference_machine,
    exact,
    primal_value,
    rationals,
    weights,
)

DIGITS = 60
SUM1 = difference_machine(1)
MAX1 = difference_machine(1, OTHERS_MAX)
"""(1.7) with the hinge at gamma = 0 and at gamma = infinity."""
Softmax = Callable[[Sequence[Any], Any], Any]


def ball(value: Fraction | int) -> Any:
    return arb(rational(value))


def sharp(value: Any) -> Any:
    """The ball itself, refused where it is too wide for "not outside" to mean anything."""
    if not value.rad() < 1e-40:
        raise DataError("ball", "have a radius below 1e-40", str(value))
    return value


def smax(t: Sequence[Any], g: Any) -> Any:
    """(1.4): 1/g log((1 - m) + sum e^{g t})."""
    return (sum(((g * v).exp() for v in t), arb(1 - len(t)))).log() / g


def log_sum_exp(t: Sequence[Any], g: Any) -> Any:
    return (sum(((g * v).exp() for v in t), arb(0))).log() / g


def stable(t: Sequence[Any], g: Any) -> Any:
    """a + 1/g log((1 - m) e^{-g a} + sum e^{g (t - a)}), a = max t."""
    a = largest(t)
    return (
        a
        + ((1 - len(t)) * (-g * a).exp() + sum(((g * (v - a)).exp() for v in t), arb(0))).log() / g
    )


def unstable(t: Sequence[Any], g: Any) -> Any:
    """The same without e^{-g a} at the constant."""
    a = largest(t)
    return a + (sum(((g * (v - a)).exp() for v in t), arb(1 - len(t)))).abs_lower().log() / g


def largest(t: Sequence[Any]) -> Any:
    best = t[0]
    for v in t[1:]:
        best = v if v > best else best
    return best


GRID = [tuple(Fraction(v, 2) for v in t) for t in product(range(0, 5), repeat=3)]


def limits(softmax: Softmax) -> Evidence:
    """Is smax within 1e-3 of the sum at g = 1e-6 and of the maximum at g = 1e5, on the grid?"""
    worst = {"sum": 0.0, "max": 0.0}
    with ctx.workdps(DIGITS):
        for t in GRID:
            v = [ball(x) for x in t]
            for name, g, target in (
                ("sum", Fraction(1, 10**6), sum(t)),
                ("max", Fraction(10**5), max(t)),
            ):
                worst[name] = max(
                    worst[name], float(abs(softmax(v, ball(g)) - ball(target)).upper())
                )
    return Evidence(
        max(worst.values()) < 1e-3,
        f"|smax − sum| ≤ {worst['sum']:.1e} at γ = 1e-6, |smax − max| ≤ {worst['max']:.1e} "
        "at γ = 1e5",
        worst,
    )


def between(points: Sequence[tuple[Fraction, ...]]) -> Evidence:
    """max <= smax_g <= sum for g = 1/10, 1, 10? Strictly inside, or equal to an end up to a ball that contains it."""
    with ctx.workdps(DIGITS):
        for t in points:
            for g in (Fraction(1, 10), Fraction(1), Fraction(10)):
                argument = sum(((ball(g) * ball(v)).exp() for v in t), arb(1 - len(t)))
                value = sharp(argument.log() / ball(g)) if argument > 0 else None
                if value is None or value < ball(max(t)) or value > ball(sum(t)):
                    got = "undefined" if value is None else f"{float(value.mid()):.6g}"
                    return Evidence(
                        False,
                        f"t = {show(t)}, γ = {g}: smax = {got}, max {show(max(t))}, sum {show(sum(t))}",
                        {"t": t},
                    )
    return Evidence(
        True, f"{3 * len(points)} values, no ball outside [max, sum]", {"values": 3 * len(points)}
    )


def stability(form: Softmax) -> Evidence:
    """Is the stable form (1.4) itself, where the direct form can be evaluated?"""
    with ctx.workdps(DIGITS):
        for t in GRID[1:]:
            for g in (Fraction(1, 2), Fraction(3)):
                v = [ball(x) for x in t]
                difference = abs(sharp(form(v, ball(g)) - smax(v, ball(g)))).lower()
                if difference > 0:
                    return Evidence(
                        False,
                        f"t = {show(t)}, γ = {g}: they differ by {float(difference):.3g}",
                        {"t": t},
                    )
    large = np.array([[1000.0, 999.5, 0.0]])
    with np.errstate(over="ignore"):
        direct = float(np.log(1 - 3 + np.exp(large).sum()))
    ours = float(float_smax(large, 1.0, np.ones_like(large, dtype=bool))[0])
    return Evidence(
        np.isinf(direct) and np.isfinite(ours),
        f"equal at {2 * len(GRID[1:])} points; at γt = 1000 in float64 the "
        f"direct form is {direct}, the shifted one {ours:.6f}",
        {"direct": str(direct), "shifted": ours},
    )


def gradients(sign: int) -> Evidence:
    """(1.5), (1.6): c A and c B with c_v = smax'_v l'(s_v), against complex-step derivatives of the objective."""
    rng = np.random.default_rng(15)
    worst = 0.0
    for gamma in (0.5, 1.0, 7.0):
        problem = SoftmaxProblem(np.array(SIX.grid) / 2, np.array(SIX.y), C=1.0, gamma=gamma)
        V, b = rng.normal(size=(2, 3)), rng.normal(size=3)
        X, y = problem.features, problem.y
        dV, db = V.copy(), np.zeros(3)
        for i in range(len(y)):
            scores = X[i] @ V + b
            rivals = [u for u in range(3) if u != y[i]]
            s = scores[y[i]] - scores[rivals]
            t = np.log1p(np.exp(-s))
            c = (
                np.exp(gamma * t)
                / (1 - len(t) + np.exp(gamma * t).sum())
                * (-np.exp(-s) / (1 + np.exp(-s)))
            )
            for value, u in zip(c, rivals, strict=True):
                B = np.eye(3)[y[i]] - sign * np.eye(3)[u]
                dV, db = dV + value * np.outer(X[i], B), db + value * B
        for k in range(9):
            step = np.zeros(9, dtype=complex)
            step[k] = 1e-30j
            slope = problem.value(V + step[:6].reshape(2, 3), b + step[6:]).imag / 1e-30
            worst = max(worst, abs(slope - np.concatenate([dV.ravel(), db])[k]))
    return Evidence(
        worst < 1e-12,
        f"largest difference from the derivative {worst:.1e} (γ = 1/2, 1, 7)",
        {"largest difference": worst},
    )


def kpca_basis(power: float) -> Evidence:
    """A = V Lambda^power: A'KA = I?"""
    X = np.array(SIX.grid) / 2
    K = np.exp(-((X[:, None] - X[None]) ** 2).sum(axis=2) / 2)
    values, V = np.linalg.eigh(K)
    A = V * values**power
    error = float(abs(A.T @ K @ A - np.eye(len(K))).max())
    return Evidence(
        error < 1e-12, f"‖A'KA − I‖ = {error:.1e} for a Gaussian kernel", {"error": error}
    )


LOWER = rationals([[2, 0, 0], [1, 1, 0], [-1, 2, 3]])


def cholesky_basis(make: Callable[[Any], Any]) -> Evidence:
    """K = L L': A'KA = I, exactly?"""
    K = LOWER @ LOWER.T
    A = make(LOWER)
    product_matrix = A.T @ K @ A
    good = all(product_matrix[i, j] == int(i == j) for i in range(3) for j in range(3))
    return Evidence(
        good,
        f"A'KA {'= I' if good else f'has first row {show(product_matrix[0])}'} for L = {show(LOWER)}",
        {"A'KA": product_matrix},
    )


def inverse(L: Any) -> Any:
    table = fmpq_mat([[rational(v) for v in row] for row in L]).inv().tolist()
    return rationals([[Fraction(int(v.p), int(v.q)) for v in row] for row in table])


def representation(kinds: tuple[str, ...]) -> Evidence:
    """x~'x~' = k_x' A A' k_x' with A A' = K^-1: equal to k for these kinds of pairs? A cubic kernel, in rationals."""

    def kernel(a: Any, b: Any) -> Any:
        return (a @ b + 1) ** 3

    train = SIX.X[:4]
    test = rationals([[1, 2], [-3, 1]]) / 2
    inverse_K = inverse(rationals([[kernel(a, b) for b in train] for a in train]))

    def represented(a: Any, b: Any) -> Any:
        return (
            rationals([kernel(x, a) for x in train])
            @ inverse_K
            @ rationals([kernel(x, b) for x in train])
        )

    pairs = {
        "train–train": [(a, b) for a in train for b in train],
        "train–test": [(a, b) for a in train for b in test],
        "test–test": [(a, b) for a in test for b in test],
    }
    for kind in kinds:
        for a, b in pairs[kind]:
            if represented(a, b) != kernel(a, b):
                return Evidence(
                    False,
                    f"{kind}, x = {show(a)}, x' = {show(b)}: {show(represented(a, b))} for {show(kernel(a, b))}",
                )
    count = sum(len(pairs[k]) for k in kinds)
    square = kernel(test[0], test[0])
    lost = square - represented(test[0], test[0])
    return Evidence(
        lost > 0,
        f"{count} products equal, exactly; a test point's square loses {show(lost)} of {show(square)}",
        {"lost": lost},
    )


def limit_machine(form: tuple[Fraction, Fraction]) -> Evidence:
    """Is WW's display (margin 2) at C the machine (1.7) at gamma = 0 (margin 1) at factor C, scores times s?"""
    s, factor = form
    for points in SETS:
        for bias in ("none", "free", "penalized"):
            W = weights(exact(HL4, points, 2, bias))[0]
            other = weights(exact(SUM1, points, factor * 2, bias))[0]
            if (s * other != W).any():
                return Evidence(
                    False,
                    f"{points.name}, bias {bias}: w_1 = {show(W[:, 0])}, {s} × {show(other[:, 0])}",
                )
    return Evidence(True, f"W equal on {3 * len(SETS)} problems, exactly")


def ends(form: dict[float, Machine]) -> Evidence:
    """Is (1.7) with the hinge at gamma = 0 and infinity the objective of these machines, at dyadic W, b?"""
    worst, rng = 0.0, np.random.default_rng(17)
    for gamma, machine in form.items():
        for points in SETS:
            W, b = (
                rationals(rng.integers(-2, 3, shape).tolist()) / 2
                for shape in ((points.X.shape[1], points.d), points.d)
            )
            problem = SoftmaxProblem(
                np.array(points.grid) / points.unit,
                np.array(points.y),
                C=1.0,
                gamma=gamma,
                loss="hinge",
                bias="free",
            )
            ours = float(problem.value(W.astype(float), b.astype(float)))
            worst = max(worst, abs(ours - float(primal_value(machine, points, 1, W, b))) / ours)
    return Evidence(
        worst < 1e-13,
        f"largest relative difference {worst:.1e}",
        {"largest relative difference": worst},
    )


def row_loss(loss: str, s: Sequence[Fraction], g: Fraction) -> Any:
    """smax_g over the rivals of l(s_u), as a ball."""
    t = [
        ball(max(Fraction(0), 1 - v)) if loss == "hinge" else (1 + (-ball(v)).exp()).log()
        for v in s
    ]
    return smax(t, ball(g))


def convexity(cases: Sequence[tuple[str, Fraction]]) -> Evidence:
    """Is the loss of three classes midpoint convex in (s_1, s_2) for every pair on a grid? A violation is a certified ball."""
    grid = [(Fraction(a), Fraction(b)) for a in range(-6, 3, 2) for b in range(-6, 3, 2)]
    tested = 0
    with ctx.workdps(DIGITS):
        for loss, g in cases:
            value = {s: row_loss(loss, s, g) for s in grid}
            for k, p in enumerate(grid):
                for q in grid[:k]:
                    middle = ((p[0] + q[0]) / 2, (p[1] + q[1]) / 2)
                    excess = sharp(row_loss(loss, middle, g) - (value[p] + value[q]) / 2)
                    tested += 1
                    if excess > 0:
                        return Evidence(
                            False,
                            f"{loss}, γ = {g}: between s = {show(p)} and {show(q)} the middle is "
                            f"{float(excess.mid()):.4g} above the chord",
                            {"s": [p, q]},
                        )
            if (loss, g) == (
                "logistic",
                Fraction(1),
            ):  # then it is multinomial logistic loss, log(1 + sum e^-s)
                for s in grid:
                    direct = sum(((-ball(v)).exp() for v in s), arb(1)).log()
                    if abs(direct - value[s]).lower() > 0:
                        raise DataError(
                            "softmax at gamma = 1", "be multinomial logistic loss", show(s)
                        )
    return Evidence(
        True,
        f"{tested} midpoints of {len(cases)} losses below their chords; γ = 1 is multinomial logistic loss",
        {"tested": tested},
    )


def floor(own: int) -> Evidence:
    """Can the loss come near 0 as every s_u grows, u = y entering the softmax ``own`` times (with s = 0)?"""
    with ctx.workdps(DIGITS):
        worst = 0.0
        for m in (3, 4, 6):
            for g in (Fraction(1, 2), Fraction(1), Fraction(5)):
                s = [Fraction(100)] * (m - 1) + [Fraction(0)] * own
                worst = max(worst, float(row_loss("logistic", s, g).mid()))
    return Evidence(
        worst < 1e-20,
        f"at s = 100 the loss is {worst:.7g} (m = 3, 4, 6; γ = 1/2, 1, 5)"
        + (", log 2 = 0.6931472" if worst > 0.1 else ""),
        {"loss": worst},
    )


def convex_and_not(form: tuple[Sequence[tuple[str, Fraction]], ...]) -> Evidence:
    """Are all of the first midpoint convex on the grid and is each of the second not?"""
    convex, others = form
    first, rest = convexity(convex), [convexity([case]) for case in others]
    violated = all(not evidence.holds for evidence in rest)
    told = [first.shown, *(evidence.shown for evidence in rest)]
    return Evidence(first.holds and violated, "; ".join(told if first.holds else told[:1]))


NOT_CONVEX = [("hinge", Fraction(1)), ("logistic", Fraction(1, 2))]
CONVEX = [("logistic", Fraction(1)), ("logistic", Fraction(2)), ("logistic", Fraction(3))]

CLAIMS = (
    Claim(
        "ZDO-LIMITS",
        "(1.4)",
        "smax_γ tends to the sum as γ → 0 and to the maximum as γ → ∞",
        "125 vectors, ball arithmetic",
        limits,
        smax,
        log_sum_exp,
        "log-sum-exp without the constant 1 − m",
    ),
    Claim(
        "ZDO-BETWEEN",
        "(1.4)",
        "smax lies between maximum and sum of non-negative entries",
        "125 vectors × 3 γ, ball arithmetic",
        between,
        GRID,
        [(Fraction(-1), Fraction(-2), Fraction(1, 2)), *GRID],
        "a negative entry",
    ),
    Claim(
        "ZDO-STABLE",
        "section 1.2.4",
        "the shifted form equals (1.4)",
        "124 vectors × 2 γ, 60 digits",
        stability,
        stable,
        unstable,
        "the constant not shifted",
    ),
    Claim(
        "ZDO-GRAD",
        "(1.5), (1.6)",
        "the gradients are c·A and c·B",
        "complex-step derivatives, three γ",
        gradients,
        1,
        -1,
        "+δ_uv in B",
    ),
    Claim(
        "ZDO-KPCA",
        "section 1.2.3",
        "A = VΛ^(−1/2) makes the basis orthonormal, A'KA = I",
        "a Gaussian kernel on six points",
        kpca_basis,
        -0.5,
        0.5,
        "Λ^(+1/2)",
    ),
    Claim(
        "ZDO-CHOLESKY",
        "section 1.2.3",
        "the inverse of the Cholesky factor is another choice of A",
        "K = LL' in rationals",
        cholesky_basis,
        inverse,
        lambda L: L.T,
        "L'",
        lambda L: inverse(L).T,
        "its transpose, A = L^(−T)",
        ("E20",),
    ),
    Claim(
        "ZDO-13",
        "(1.3)",
        "products with a training point are reproduced, those of two test points not in general",
        "a cubic kernel, 4 training and 2 test points, exact",
        representation,
        ("train–train", "train–test"),
        ("train–train", "test–test"),
        "test–test products too",
    ),
    Claim(
        "ZDO-17",
        "(1.7)",
        "γ → 0 gives the WW machine, up to the scale of f and C",
        "exact W, 4 data sets × 3 biases",
        limit_machine,
        (Fraction(2), Fraction(1, 2)),
        (Fraction(1), Fraction(1)),
        "the same f at the same C",
    ),
    Claim(
        "ZDO-ENDS",
        "(1.7)",
        "with the hinge, γ = 0 is WW and γ = ∞ is CS, margin 1",
        "objectives at dyadic W and b, 4 data sets",
        ends,
        {0.0: SUM1, float("inf"): MAX1},
        {0.0: MAX1, float("inf"): SUM1},
        "exchanged",
    ),
    Claim(
        "ZDO-CONVEX",
        "(1.4), (1.7)",
        "replacing the maximum by smax keeps the problem convex for logistic loss and γ ≥ 1, not for the hinge nor for γ < 1",
        "midpoints of 300 chords per loss, three classes, ball arithmetic; a certified violation for each exception",
        convex_and_not,
        (CONVEX, NOT_CONVEX),
        ([*CONVEX, ("hinge", Fraction(1))], NOT_CONVEX[1:]),
        "the hinge at γ = 1 among the convex ones",
        errata=("E18",),
        found_here=True,
    ),
    Claim(
        "ZDO-FLOOR",
        "(1.4)",
        "the softmax of an example runs over all m classes, u = y included",
        "loss at large margins, ball arithmetic",
        floor,
        1,
        2,
        "u = y entering twice",
        0,
        "over u ≠ y with 2 − m: with u = y no loss is below log 2",
        ("E19",),
    ),
)
