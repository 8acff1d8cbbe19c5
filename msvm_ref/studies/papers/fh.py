"""FH: the multi-class BSVM as a single-class SVM by Kesler's construction, and its quadratic cost as a nearest point.

FH = Franc, Hlavac, "Multi-class Support Vector Machine", ICPR 2002.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any, Literal

import numpy as np

from msvm_ref.model.catalogue import WW
from msvm_ref.model.machine import OTHERS_MAX, Machine
from msvm_ref.model.problem import Bias
from msvm_ref.solvers.classic.kesler import KeslerKernel
from msvm_ref.solvers.methods import solve
from msvm_ref.studies.papers.claim import Claim, Evidence, show
from msvm_ref.studies.papers.hl_ww import delta_kernel, hessian
from msvm_ref.studies.papers.small import (
    SETS,
    SIX,
    Points,
    box_optimal,
    counting,
    difference_machine,
    exact,
    rationals,
    require,
    weights,
)

FH2 = difference_machine(1)
"""[1 - (f_y - f_m)]_+ summed over rivals m."""
FH2_SQUARED = FH2.with_cost("quadratic")
SHARED_SQUARED = difference_machine(1, OTHERS_MAX, "quadratic")
SIMPLEX = Points("simplex", ((2, 0, 0), (0, 2, 0), (0, 0, 2)), (0, 1, 2), 3)
HALF = Fraction(1, 2)


def kesler_points(points: Points) -> tuple[list[tuple[int, int]], Any]:
    """(5): z_i^m has [x_i, 1] in slot y_i and -[x_i, 1] in slot m."""
    pairs = list(counting(FH2, points))
    rows = []
    for i, m in pairs:
        x = [*points.X[i], Fraction(1)]
        rows.append(
            [v * (int(slot == points.y[i]) - int(slot == m)) for slot in range(points.d) for v in x]
        )
    return pairs, rationals(rows)


def objective(root: Callable[[int], int]) -> Evidence:
    """Is the optimum of (2) with ``root(k)``^2/2 ||b||^2 that of (3) on the vectors (5)? Both exactly, apart from each other.

    (2): with c = root b its thresholds are those of a feature 1/root and the penalty 1/2 ||c||^2 (root 0: none).
    (3): max sum alpha - 1/2 ||sum alpha z||^2 over the box of (4), z written out from (5); alpha accepted by KKT.
    """
    tested = 0
    for points in SETS:
        stretch = root(points.d)
        for C in (Fraction(1, 4), Fraction(2)):
            if stretch:
                multi = exact(FH2, with_feature(points, stretch), C).value
            else:
                multi = exact(FH2, points, C, "free").value
            pairs, Z = kesler_points(points)
            alpha = weights(exact(FH2, points, C, "penalized"))[2]
            vector = rationals([alpha[i, m] for i, m in pairs])
            require(
                box_optimal(Z @ Z.T, rationals([1] * len(pairs)), C, vector),
                "alpha optimal for (4)",
            )
            w = vector @ Z
            single, tested = vector.sum() - (w * w).sum() / 2, tested + 1
            if single != multi:
                return Evidence(
                    False,
                    f"{points.name}, C = {C}: (3) has optimum {show(single)}, (2) {show(multi)}",
                    {"(3)": single, "(2)": multi},
                )
    return Evidence(True, f"equal optima on {tested} problems, exactly", {"problems": tested})


def with_feature(points: Points, root: int) -> Points:
    """The same points with the constant feature 1/root, root a power of two."""
    return replace(
        points,
        name=f"{points.name}, feature 1/{root}",
        grid=tuple((*(root * v for v in row), points.unit) for row in points.grid),
        unit=points.unit * root,
    )


def slack_floor(floor: int | None) -> Evidence:
    """Is the optimum of (3) with xi >= floor (None: xi free) that of (4), which is the exact optimum of (2)?

    xi free: xi = 1 - <w, z> on every pair, hence w = C sum z and the optimum C N - C^2/2 ||sum z||^2.
    xi >= floor: max(floor, 1 - <w, z>) = floor + [1 - floor - <w, z>]_+, the machine with margin 1 - floor.
    """
    for points in SETS:
        for C in (Fraction(1, 4), Fraction(2)):
            pairs, Z = kesler_points(points)
            alpha = weights(exact(FH2, points, C, "penalized"))[2]
            vector = rationals([alpha[i, m] for i, m in pairs])
            require(
                box_optimal(Z @ Z.T, rationals([1] * len(pairs)), C, vector),
                "alpha optimal for (4)",
            )
            dual = vector.sum() - vector @ (Z @ Z.T) @ vector / 2
            if floor is None:
                total = Z.sum(axis=0)
                primal = C * len(Z) - C * C * (total * total).sum() / 2
            else:
                primal = exact(
                    difference_machine(1 - floor), points, C, "penalized"
                ).value + floor * C * len(pairs)
            if primal != dual:
                return Evidence(
                    False,
                    f"{points.name}, C = {C}: (3) has optimum {show(primal)}, (4) has {show(dual)}",
                    {"(3)": primal, "(4)": dual},
                )
    return Evidence(True, f"(3) = (4) on {2 * len(SETS)} problems, exactly")


Deltas = Callable[[Any, int, int, int, int], int]


def kernel7(deltas: Deltas) -> Evidence:
    """(7) = <z, z'> of (5); our Kesler kernel is 1/4 of it (UV's half in the margin)."""
    tested = 0
    for points in SETS:
        pairs, Z = kesler_points(points)
        K = points.gram + Fraction(1)
        ours = KeslerKernel.of(points.problem(WW, 1, "penalized")).gram()
        for a, (i, m) in enumerate(pairs):
            for c, (j, n) in enumerate(pairs):
                value, product = K[i, j] * deltas(points.y, i, m, j, n), Z[a] @ Z[c]
                tested += 1
                if value != product or Fraction(ours[a, c]) * 4 != product:
                    return Evidence(
                        False,
                        f"{points.name}, ({i + 1}, {m + 1}) and ({j + 1}, {n + 1}): {value} for {product}",
                    )
    return Evidence(True, f"{tested} entries equal, exactly", {"entries": tested})


def wrong_deltas(y: Any, i: int, m: int, j: int, n: int) -> int:
    return int(y[i] == y[j]) + int(m == n) + int(y[i] == n) - int(y[j] == m)


def recovery(form: tuple[int, int]) -> Evidence:
    """Is alpha optimal for (4) with kernel (7), are w_j, b_j = sum alpha (delta(j, y) - delta(j, m)) (x, 1) those of (2)?"""
    sign, shift = form
    for points in SETS:
        for C in (Fraction(1, 4), Fraction(2)):
            optimum = exact(FH2, points, C, "penalized")
            W, b, alpha = weights(optimum)
            pairs, Q = hessian(points, shift)
            vector = rationals([alpha[i, m] for i, m in pairs])
            coef = rationals(np.zeros((points.n, points.d)))
            for i, m in pairs:
                coef[i, points.y[i]] += alpha[i, m]
                coef[i, m] -= sign * alpha[i, m]
            same = (points.X.T @ coef == W).all() and (coef.sum(axis=0) == b).all()
            value = vector.sum() - vector @ Q @ vector / 2
            if not (
                box_optimal(Q, rationals([1] * len(pairs)), C, vector)
                and same
                and value == optimum.value
            ):
                return Evidence(
                    False,
                    f"{points.name}, C = {C}: (4) is {show(value)}, (2) {show(optimum.value)}; w, b "
                    f"{'recovered' if same else 'not recovered'}",
                )
    return Evidence(
        True, f"KKT of (4), equal values, w and b recovered on {2 * len(SETS)} problems, exactly"
    )


def ridge(points: Points, C: Fraction, over: Literal["pairs", "examples"], factor: Fraction) -> Any:
    pairs = list(counting(FH2, points))
    return rationals(
        [
            [factor / C if (a == b if over == "pairs" else a[0] == b[0]) else 0 for b in pairs]
            for a in pairs
        ]
    )


def quadratic(form: tuple[Literal["pairs", "examples"], Fraction]) -> Evidence:
    """Does the kernel with factor/C on the diagonal, delta over pairs or over examples, train (2) with squared slacks?

    With delta over examples it trains another machine, one squared slack per example (proved by KKT): the optima are compared.
    """
    over, factor = form
    source = FH2_SQUARED if over == "pairs" else SHARED_SQUARED
    for points in SETS:
        for C in (Fraction(1, 4), Fraction(2)):
            alpha = weights(exact(source, points, C, "penalized"))[2]
            pairs, Q = hessian(points, 1)
            vector, Q = (
                rationals([alpha[i, m] for i, m in pairs]),
                Q + ridge(points, C, over, factor),
            )
            if not box_optimal(Q, rationals([1] * len(pairs)), None, vector):
                return Evidence(
                    False,
                    f"{points.name}, C = {C}: α fails the KKT conditions of the separable problem",
                )
            value, printed = (
                vector.sum() - vector @ Q @ vector / 2,
                exact(FH2_SQUARED, points, C, "penalized").value,
            )
            if value != printed:
                return Evidence(
                    False,
                    f"{points.name}, C = {C}: the dual's optimum is {show(value)}, (2) has {show(printed)}",
                )
    return Evidence(True, f"KKT and equal values on {2 * len(SETS)} problems, exactly")


def nearest(cost: Literal["linear", "quadratic"]) -> Evidence:
    """beta = alpha / sum alpha: nearest point of conv{z~} to 0, alpha = beta / dist^2, optimum 1 / (2 dist^2)?"""
    for points in SETS:
        C = HALF
        optimum = exact(FH2.with_cost(cost), points, C, "penalized")
        alpha = weights(optimum)[2]
        pairs, Q = hessian(points, 1)
        Q = Q + (ridge(points, C, "pairs", HALF) if cost == "quadratic" else 0)
        vector = rationals([alpha[i, m] for i, m in pairs])
        beta = vector / vector.sum()
        products = Q @ beta  # <v, z~_t>
        square = beta @ products
        nearest_point = (
            min(products) == square
        )  # no point of the hull is closer: <v, z~> >= ||v||^2
        if not (
            nearest_point and (beta / square == vector).all() and optimum.value == 1 / (2 * square)
        ):
            return Evidence(
                False,
                f"{points.name}: 1/(2 dist²) = {show(1 / (2 * square))}, the optimum {show(optimum.value)}",
            )
    return Evidence(True, f"exactly, on {len(SETS)} data sets")


def algorithm(form: tuple[str, Machine, int]) -> Evidence:
    """Does this method of ours, FH's algorithm, reach the exact optimum of the machine at C?"""
    method, machine, C = form
    solution = solve(SIX.problem(machine, C, "penalized"), method, tolerance=1e-5)
    optimum = exact(machine, SIX, HALF, "penalized").value
    c = solution.certificate
    reached = c.lower <= optimum <= c.upper and c.relative_gap <= 1e-5
    return Evidence(
        reached,
        f"{method}: optimum in [{c.lower:.9g}, {c.upper:.9g}], exactly {show(float(optimum))}",
        {
            "lower": c.lower,
            "upper": c.upper,
            "exact": optimum,
            "work": dict(solution.work) if solution.work else {},
        },
    )


def drawn_sets() -> tuple[Points, ...]:
    """Twenty data sets of three classes on a dyadic grid, and six of two classes that x -> -x exchanges (no bias needed)."""
    rng = np.random.default_rng(1)
    sets = []
    for k in range(26):
        grid, y, d = rng.integers(-6, 7, (6, 2)), np.arange(6) % 3, 3
        if k >= 20:
            grid[3:], y, d = -grid[:3], np.repeat([0, 1], 3), 2
        rows = tuple(tuple(int(v) for v in row) for row in grid)
        name = f"drawn {k + 1}" if d == 3 else f"symmetric {k - 19}"
        sets.append(Points(name, rows, tuple(int(v) for v in y), d))
    return tuple(sets)


def decisions(points: Points, optimum: Any) -> list[int]:
    W, b, _ = weights(optimum)
    scores = points.X @ W + b
    return [max(range(points.d), key=lambda c: (row[c], -c)) for row in scores]


def coincide(sets: Callable[[Points], bool]) -> Evidence:
    """Do (1), bias free, and (2), bias penalised, have the same w on more than half of these data sets?"""
    chosen = [points for points in (*SETS, SIMPLEX, *drawn_sets()) if sets(points)]
    optima = {p.name: [exact(FH2, p, HALF, bias) for bias in ("free", "penalized")] for p in chosen}
    equal = [name for name, (free, bounded) in optima.items() if free.W == bounded.W]
    alike = sum(decisions(p, optima[p.name][0]) == decisions(p, optima[p.name][1]) for p in chosen)
    told = f", the same training decisions on {alike}"
    if len(equal) < len(chosen):
        name, (free, bounded) = next((n, pair) for n, pair in optima.items() if n not in equal)
        told += (
            f"; {name}: w_1 = {show([r[0] for r in free.W])} with a free bias, "
            f"{show([r[0] for r in bounded.W])} penalised"
        )
    return Evidence(
        2 * len(equal) > len(chosen),
        f"w equal on {len(equal)} of {len(chosen)} data sets{told}",
        {"equal": equal, "sets": len(chosen)},
    )


def no_bias_needed(points: Points) -> bool:
    """Is b = 0 an optimal free bias?"""
    biases: Sequence[Bias] = ("none", "free")
    without, free = (exact(FH2, points, HALF, bias).value for bias in biases)
    return without == free


CLAIMS = (
    Claim(
        "FH-2",
        "(2), (6)",
        "(2) adds b² to ‖w_m‖² for each class, which makes it (3) in the slots of (6)",
        "exact optima of (2) and, from the vectors (5) alone, of (3), 4 data sets × 2 C; printed: b the vector of thresholds, "
        "once for each class (at k = 4, where k‖b‖² is the feature 1/2)",
        objective,
        lambda k: 2 if k == 4 else 1,
        lambda k: 0,
        "no penalty",
        lambda k: 1,
        "b_m², the threshold of class m, for b²",
        ("E14",),
    ),
    Claim(
        "FH-3",
        "(3), (4)",
        "(4) is the dual of (3)",
        "exact optima of both, 4 data sets × 2 C",
        slack_floor,
        None,
        -1,
        "ξ ≥ −1",
        0,
        "(3) needs ξ ≥ 0 for the linear cost",
        ("E15",),
    ),
    Claim(
        "FH-7",
        "(5), (7)",
        "the kernel (7) is the product of the vectors (5)",
        "all pairs on 4 data sets, exact, and our KeslerKernel",
        kernel7,
        delta_kernel,
        wrong_deltas,
        "+δ(y_i, n)",
    ),
    Claim(
        "FH-4",
        "(2), (4), (6)",
        "(2) is (4) with kernel (7), and w_j, b_j are read off α",
        "KKT, values, w, b, 4 data sets × 2 C",
        recovery,
        (1, 1),
        (1, 0),
        "k for k + 1 in (7)",
    ),
    Claim(
        "FH-QUAD",
        "section 2",
        "in the single-class problem (3), (4) the quadratic cost adds δ_ij/(2C) to the kernel",
        "KKT and values against (2) with squared slacks, i and j running over the vectors z of (5), 4 data sets × 2 C",
        quadratic,
        ("pairs", HALF),
        ("pairs", Fraction(1)),
        "1/C for 1/(2C)",
    ),
    Claim(
        "FH-QUAD-PAIRS",
        "section 2",
        "in the multi-class problem that δ runs over pairs (i, m), not over examples",
        "as FH-QUAD; with δ over examples the program is that of one squared slack per example",
        quadratic,
        ("pairs", HALF),
        ("examples", HALF),
        "δ over examples",
        errata=("E16",),
        found_here=True,
    ),
    Claim(
        "FH-HULL",
        "section 3",
        "with quadratic cost the solution is the hull's point nearest to the origin",
        "α = β/dist², optimum 1/(2 dist²), 4 data sets, exact",
        nearest,
        "quadratic",
        "linear",
        "the linear cost",
    ),
    Claim(
        "FH-KSK",
        "section 3",
        "the modified Schlesinger–Kozinec algorithm trains (2) with quadratic cost",
        "method m1-ksk, certificate against the exact optimum",
        algorithm,
        ("m1-ksk", FH2_SQUARED, 0.5),
        ("m1-ksk", FH2, 0.5),
        "the linear cost, which it must refuse",
    ),
    Claim(
        "FH-SMO",
        "section 3",
        "a one-variable SMO trains (2) with linear cost, having no equality to keep",
        "method m1-smo, certificate against the exact optimum",
        algorithm,
        ("m1-smo", FH2, 0.5),
        ("m1-smo", FH2, 1),
        "twice the C",
    ),
    Claim(
        "FH-BSVM",
        "section 1",
        "the solutions of the modified problem (2) mostly coincide with those of (1)",
        "exact w with free and penalised bias, 31 data sets, 20 of them drawn and 6 symmetric; mostly: on more than half",
        coincide,
        lambda points: True,
        lambda points: not no_bias_needed(points),
        "the data sets that need a bias",
        no_bias_needed,
        "where b = 0 is an optimal free bias: how often depends on the data",
        ("E17",),
        cut=True,
    ),
)
