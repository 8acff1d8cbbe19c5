"""UV, sections 2.2 and 2.6: the unified dual, its kernel modifiers, and what the sum-to-zero constraint does to it.

UV = Dogan, Glasmachers, Igel, "A Unified View on Multi-class Support Vector Classification", JMLR 17 (2016).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
from flint import arb, arb_mat, ctx

from msvm_ref.errors import DataError
from msvm_ref.exact.linear_algebra import maximize
from msvm_ref.exact.numbers import rational
from msvm_ref.model.catalogue import CATALOGUE, CS, LLW, OVA, WW
from msvm_ref.model.machine import Machine
from msvm_ref.model.problem import Bias
from msvm_ref.studies.papers.claim import Claim, Evidence, show
from msvm_ref.studies.papers.small import (
    FOUR,
    SETS,
    SIX,
    Points,
    counting,
    exact,
    loss,
    primal_value,
    rationals,
    weights,
)

Rows = Callable[[Machine, int], Any]
"""nu or Pi nu of a machine at d."""
Modifier = Callable[[Any, Any, int], Fraction]
"""M of two rows of nu at d."""

FREE_OF_CONSTRAINT = tuple(m for m in CATALOGUE if not m.sum_to_zero)
CONSTRAINED = tuple(m for m in CATALOGUE if m.sum_to_zero)


def plain_product(u: Any, v: Any, d: int) -> Fraction:
    """M = sum_c nu_c nu'_c."""
    return sum((a * b for a, b in zip(u, v, strict=True)), Fraction(0))


def centred_product(divisor: Callable[[int], int]) -> Modifier:
    """M = sum_mn (delta_mn - 1/divisor(d)) nu_m nu'_n."""
    return lambda u, v, d: plain_product(u, v, d) - sum(u) * sum(v) / Fraction(divisor(d))


def dual_value(machine: Machine, points: Points, alpha: Any, modifier: Modifier) -> Fraction:
    """UV (5): sum gamma alpha - 1/2 sum M k alpha alpha."""
    nu, gamma, K = machine.nu(points.d), machine.gamma(points.d), points.gram
    used = [(i, p) for i, p in counting(machine, points) if alpha[i, p]]
    total = sum((gamma[points.y[i]][p] * alpha[i, p] for i, p in used), Fraction(0))
    rows = {(points.y[i], p): nu[points.y[i]][p] for i, p in used}
    M = {(a, b): modifier(u, v, points.d) for a, u in rows.items() for b, v in rows.items()}
    for i, p in used:
        for j, q in used:
            total -= M[(points.y[i], p), (points.y[j], q)] * K[i, j] * alpha[i, p] * alpha[j, q] / 2
    return total


def dual_feasible(
    machine: Machine, points: Points, C: Fraction, alpha: Any, equality: Rows | None
) -> bool:
    """The constraints of (5), and sum alpha rows_c = 0 for every c where ``equality`` gives the rows."""
    pairs = set(counting(machine, points))
    if any(
        alpha[i, p] < 0 or (alpha[i, p] and (i, p) not in pairs) for i, p in np.ndindex(alpha.shape)
    ):
        return False
    shared = machine.aggregation.slack == "shared"
    if any((alpha[i].sum() if shared else max(alpha[i])) > C for i in range(points.n)):
        return False
    if equality is None:
        return True
    rows = equality(machine, points.d)
    return all(
        sum(alpha[i, p] * rows[points.y[i]][p][c] for i, p in pairs) == 0 for c in range(points.d)
    )


def strong_duality(
    machines: Sequence[Machine], biases: Sequence[Bias], equality: Rows
) -> Callable[[Modifier], Evidence]:
    def check(modifier: Modifier) -> Evidence:
        gaps = []
        for turn, (machine, bias) in enumerate(product(machines, biases)):
            for k, points in enumerate(SETS):
                C = (Fraction(1, 4), Fraction(2))[(turn + k) % 2]
                W, b, alpha = weights(exact(machine, points, C, bias))
                feasible = dual_feasible(
                    machine, points, C, alpha, equality if bias == "free" else None
                )
                gap = primal_value(machine, points, C, W, b) - dual_value(
                    machine, points, alpha, modifier
                )
                gaps.append(
                    (gap, feasible, f"{machine.name} on {points.name}, C = {C}, bias {bias}")
                )
        bad = [(gap, where) for gap, feasible, where in gaps if gap or not feasible]
        shown = (
            f"{len(gaps)} problems, exact gap 0"
            if not bad
            else f"{len(bad)} of {len(gaps)} problems have a gap: {show(bad[0][0])} for {bad[0][1]}"
        )
        return Evidence(not bad, shown, {"problems": len(gaps), "with a gap": len(bad)})

    return check


def projected(machine: Machine, d: int) -> Any:
    return machine.projected_nu(d)


def as_printed(machine: Machine, d: int) -> Any:
    return machine.nu(d)


def equality_under_sum_to_zero(rows: Rows) -> Evidence:
    """Does the dual with equality sum alpha rows = 0 reach the primal optimum?

    An upper bound of its value is the exact linear program max sum gamma alpha; a lower bound the proved alpha, if feasible.
    """
    lost, reached = [], 0
    for machine in CONSTRAINED:
        for points in (SIX, FOUR):
            optimum = exact(machine, points, 1, "free")
            alpha = weights(optimum)[2]
            if dual_feasible(machine, points, Fraction(1), alpha, rows):
                value = dual_value(machine, points, alpha, centred_product(lambda d: d))
                reached += value == optimum.value
            else:
                ceiling = linear_ceiling(machine, points, rows)
                if ceiling < optimum.value:
                    lost.append((machine.name, points.name, ceiling, optimum.value))
    tested = 2 * len(CONSTRAINED)
    if not lost and reached < tested:
        raise DataError(
            "equality",
            "be decided by the proved alpha or by a linear program",
            "neither on some problem",
        )
    shown = (
        f"optimum reached on {reached} of {tested} problems"
        if not lost
        else "; ".join(
            f"{m} on {p}: dual at most {show(c)} where the optimum is {show(v)}"
            for m, p, c, v in lost[::2][:3]
        )
    )
    # what the printed equality is the dual of: sum w = 0 with b unconstrained, where b = -1 costs LLW nothing
    unconstrained = sum(loss(LLW, 3, [Fraction(-1)] * 3, y) for y in range(3))
    return Evidence(
        not lost,
        shown,
        {
            "reached": reached,
            "tested": tested,
            "lost": lost,
            "LLW's loss at w = 0, b = -1": unconstrained,
        },
    )


def linear_ceiling(machine: Machine, points: Points, rows: Rows) -> Fraction:
    """max sum gamma alpha over the dual's feasible set at C = 1, exactly."""
    pairs = list(counting(machine, points))
    table, gamma, n = rows(machine, points.d), machine.gamma(points.d), len(pairs)
    groups = [[k for k, (i, _) in enumerate(pairs) if i == j] for j in range(points.n)]
    groups = groups if machine.aggregation.slack == "shared" else [[k] for k in range(n)]
    upper = [[Fraction(int(k in group)) for k in range(n)] for group in groups]
    lower = [[Fraction(-int(k == j)) for k in range(n)] for j in range(n)]
    best = maximize(
        [gamma[points.y[i]][p] for i, p in pairs],
        upper + lower,
        [Fraction(1)] * len(upper) + [Fraction(0)] * n,
        [[table[points.y[i]][p][c] for i, p in pairs] for c in range(points.d)],
        [Fraction(0)] * points.d,
    )
    assert best is not None
    return Fraction(best.value)


def weight_formula(sign: int) -> Evidence:
    """(8): w_c = sum alpha nu_c phi - eta, eta = sum alpha (1/d sum_c nu_c) phi under sum-to-zero, 0 otherwise."""
    same, tested = 0, 0
    for machine in CATALOGUE:
        for bias, points in (("none", SIX), ("free", SIX), ("none", FOUR), ("free", FOUR)):
            W, _, alpha = weights(exact(machine, points, 1, bias))
            nu, X, d = machine.nu(points.d), points.X, points.d
            w = rationals([[0] * d for _ in range(X.shape[1])])
            for i, p in counting(machine, points):
                row = rationals(nu[points.y[i]][p])
                eta = row.sum() / d if machine.sum_to_zero else Fraction(0)
                w = w + alpha[i, p] * np.outer(X[i], row - sign * eta)
            tested, same = tested + 1, same + bool((w == W).all())
    return Evidence(
        same == tested,
        f"W of (8) is the exact W on {same} of {tested} problems",
        {"equal": same, "tested": tested},
    )


def shifted_margin(share: Fraction) -> Evidence:
    """nu minus ``share`` of its mean and no constraint: the same optimum as nu with the constraint?"""
    tested, same, first = 0, 0, ""
    for machine in CONSTRAINED:
        for points in (SIX, FOUR):
            for bias in ("none", "free"):
                d = points.d
                nu = tuple(
                    tuple(tuple(v - share * sum(row) / d for v in row) for row in plane)
                    for plane in machine.nu(d)
                )
                other = Machine(f"{machine.name}, shifted", nu, machine.aggregation, machine.target)
                a, b = exact(machine, points, 1, bias), exact(other, points, 1, bias)
                agree = a.value == b.value and a.W == b.W
                tested, same = tested + 1, same + agree
                first = first or (
                    "" if agree else f"{machine.name}: {show(b.value)} for {show(a.value)}"
                )
    return Evidence(
        same == tested,
        first or f"value and W equal on {same} problems",
        {"equal": same, "tested": tested},
    )


def relative_sums(form: tuple[Sequence[Machine], bool]) -> Evidence:
    """Does *every* optimum have sum_c w_c = 0 (W is unique) and, where asked, sum_c b_c = 0?

    With a free bias a shift b + t 1 leaves the value as it is, so that sum_c b_c = 0 cannot be a property of every optimum.
    """
    machines, demand_bias = form
    faults, tested = [], 0
    for machine in machines:
        for points in SETS:
            for bias in ("none", "penalized", "free"):
                W, b, _ = weights(exact(machine, points, 1, bias))
                tested += 1
                if any(W.sum(axis=1)) or (bias == "penalized" and b.sum()):
                    faults.append(f"{machine.name}, bias {bias}: sum of w is {show(W.sum(axis=1))}")
                if demand_bias and bias == "free":
                    shifted = b + 1 - b.sum() / points.d
                    here, there = (primal_value(machine, points, 1, W, v) for v in (b, shifted))
                    if here == there:
                        faults.append(
                            f"{machine.name}, bias free: b with sum {show(shifted.sum())} is optimal too"
                        )
    return Evidence(
        not faults,
        faults[0] if faults else f"sums are exactly 0 on {tested} problems",
        {"tested": tested},
    )


UniversalKernel = Callable[[Sequence[Fraction], Sequence[Fraction]], Fraction]
"""(x, x') -> t of k = e^t: <x, x'> or -||x - x'||^2, both universal on compact sets (Steinwart 2002)."""


def exponential(x: Sequence[Fraction], z: Sequence[Fraction]) -> Fraction:
    return sum((a * b for a, b in zip(x, z, strict=True)), Fraction(0))


def gaussian(x: Sequence[Fraction], z: Sequence[Fraction]) -> Fraction:
    return -sum(((a - b) ** 2 for a, b in zip(x, z, strict=True)), Fraction(0))


def zero_sum_functions(form: Sequence[tuple[UniversalKernel, bool]]) -> Evidence:
    """Is g = sum_j a_j k(z_j, .) [+ b], standing for sum_c f_c, 0 at the points for a = 0, b = 0 only? z: the points and 0.

    That is a determinant that is not 0, in ball arithmetic. For k = e^<x,x'> the centre 0 has k(0, .) = 1: w = -phi(0) and
    b = 1 give g = 0 everywhere.
    """
    centres = [[Fraction(0)] * 2, *(list(x) for x in SIX.X)]
    places = [*centres, [Fraction(3), Fraction(-2)]]
    for kernel, with_bias in form:
        rows = [
            [*(kernel(x, z) for z in centres), *([None] if with_bias else [])]
            for x in (places if with_bias else places[:-1])
        ]
        with ctx.workdps(60):
            table = [[arb(1) if t is None else arb(rational(t)).exp() for t in row] for row in rows]
            determinant = arb_mat(table).det()
        if with_bias and all(row[0] == 0 for row in rows):  # e^0 = 1, exactly, in every row
            return Evidence(
                False,
                f"k = e^<x,x'>: Σw = −φ(0), of norm 1, and Σb = 1 give Σf(x) = −k(0, x) + 1 = 0 at all {len(rows)} points",
                {"norm of the sum of w": 1, "sum of b": 1},
            )
        if determinant.contains(0):
            raise DataError("determinant", "be decided", str(determinant))
    return Evidence(
        True,
        f"in the span of {len(centres)} kernel functions only Σw = 0, Σb = 0 vanish at the points, for {len(form)} kernels",
        {"kernels": len(form)},
    )


CLAIMS = (
    Claim(
        "UV-5",
        "(3), (5), (6)",
        "strong duality of (3) and (5), (6) for machines without the sum-to-zero constraint",
        "WW, CS, MMR⊥, OVA × bias none, free × 4 data sets, C = 1/4 or 2: primal from the loss, dual from M, exact",
        strong_duality(FREE_OF_CONSTRAINT, ("none", "free"), as_printed),
        plain_product,
        lambda u, v, d: 2 * plain_product(u, v, d),
        "M doubled",
    ),
    Claim(
        "UV-M",
        "M below (6)",
        "under sum-to-zero the same dual holds with M = Σ (δ_mn − 1/d) ν_m ν_n",
        "the six constrained machines without bias × 4 data sets, C = 1/4 and 2 in turn, as UV-5",
        strong_duality(CONSTRAINED, ("none",), projected),
        centred_product(lambda d: d),
        centred_product(lambda d: d - 1),
        "1/(d−1) for 1/d in M",
    ),
    Claim(
        "UV-6",
        "(6) under sum-to-zero",
        "with a free bias the dual keeps the equality Σ α ν_c = 0 under sum-to-zero",
        "six constrained machines × d = 3, 4, bias free: bounded by an exact linear program, or reached by the proved α",
        equality_under_sum_to_zero,
        as_printed,
        lambda machine, d: tuple(
            tuple(tuple(abs(v) for v in r) for r in plane) for plane in machine.projected_nu(d)
        ),
        "absolute values in the equality",
        projected,
        "the equality is Σ α (Πν)_c = 0, d − 1 independent equations",
        ("E2",),
    ),
    Claim(
        "UV-8",
        "(8)",
        "w_c = Σ α ν_c φ − η with η the mean part under sum-to-zero, else 0",
        "ten machines × bias none, free × d = 3, 4 against the exact W",
        weight_formula,
        1,
        -1,
        "+η for −η",
    ),
    Claim(
        "UV-REL",
        "section 2.2",
        "optima of relative-margin machines fulfil the sum-to-zero constraint",
        "WW, CS × three biases × 4 data sets, exact",
        relative_sums,
        ((WW, CS), True),
        ((OVA,), False),
        "an absolute machine for the relative ones",
        ((WW, CS), False),
        "Σw = 0 always; Σb = 0 for a penalized bias, while a free b may be shifted",
        ("E11",),
        cut=True,
    ),
    Claim(
        "UV-SHIFT",
        "section 2.2",
        "shifting ν so that Σ_m ν = 0 replaces the sum-to-zero constraint",
        "six constrained machines × d = 3, 4 × bias none, free: Πν without the constraint, exact value and W",
        shifted_margin,
        Fraction(1),
        Fraction(1, 2),
        "half of the shift",
    ),
    Claim(
        "UV-2",
        "(2)",
        "at least for universal kernels, Σ_c f_c(x) = 0 for all x is Σ_c w_c = 0 and Σ_c b_c = 0",
        "two universal kernels: determinants of seven kernel functions and 1 in ball arithmetic, or an exact counterexample",
        zero_sum_functions,
        ((exponential, True), (gaussian, True)),
        ((gaussian, True), (exponential, True)),
        "e^<x,x'> with a bias among them",
        ((gaussian, True), (exponential, False)),
        "where no function of the kernel is constant (Gaussian), or without a bias; optima are unaffected: "
        "taking Σw/d, Σb/d from each class leaves f and lowers the norm",
        ("E24",),
        cut=True,
    ),
)
