"""UV, sections 2.4 and 5: which machines are the same machine in other clothes."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from msvm_ref.model.catalogue import AMO, ATM, ATS, CS, LLW, MMR, MMR_ORTHO, OVA, RM, WW
from msvm_ref.model.machine import ABSOLUTE, SELF, Machine, Target
from msvm_ref.model.problem import Bias
from msvm_ref.studies.papers.claim import Claim, Evidence, show
from msvm_ref.studies.papers.hl_ww import pairwise_value, proved_pairwise
from msvm_ref.studies.papers.small import (
    SETS,
    TWO,
    Points,
    box_optimal,
    difference_machine,
    exact,
    proportional,
    rationals,
    require,
    weights,
)

HALF, QUARTER = Fraction(1, 2), Fraction(1, 4)
Scale = Callable[[int], Fraction]


def label_kernel(off: Fraction, points: Points) -> Any:
    """k_y(y_i, y_j): 1 where the classes agree, ``off`` elsewhere."""
    return rationals([[1 if a == b else off for b in points.y] for a in points.y])


def label_kernel_weights(
    points: Points, C: Fraction, off: Fraction, source: Machine, source_C: Fraction
) -> Any:
    """The label-kernel machine's alpha at C, max sum alpha - 1/2 sum k_y k alpha alpha over [0, C]: proposed by ``source`` at
    ``source_C`` (scaled into the box), accepted only by its KKT conditions."""
    alpha = rationals([max(row) for row in exact(source, points, source_C).alpha]) * C / source_C
    Q = label_kernel(off, points) * points.gram
    require(
        box_optimal(Q, rationals([1] * points.n), C, alpha),
        "optimal multipliers of the label-kernel machine",
    )
    return alpha


def simplex_labels(factor: Scale) -> Evidence:
    """MMR at C against the label-kernel machine (k_y = 1, -1/(d-1)) at factor(d) C: the same direction of W?"""
    faults, tested = [], 0
    for points in SETS:
        d = points.d
        for C in (
            Fraction((d - 1) ** 2, 16),
            Fraction((d - 1) ** 2, 8),
        ):  # dyadic after every factor that is tried
            ours = weights(exact(MMR, points, C))[0]
            equivalent = (
                factor(d) * C * d / (d - 1)
            )  # MMR's C whose box is the label-kernel machine's
            alpha = label_kernel_weights(
                points, equivalent * (d - 1) / d, Fraction(-1, d - 1), MMR, equivalent
            )
            rows = rationals(
                [[Fraction(int(c == y)) - Fraction(1, d) for c in range(d)] for y in points.y]
            )
            theirs = points.X.T @ (alpha[:, None] * rows)
            tested += 1
            if not proportional(theirs, ours):
                faults.append(
                    f"{points.name}, C = {C}: w_1 {show(theirs[:, 0])} is no multiple of {show(ours[:, 0])}"
                )
    return Evidence(
        not faults,
        faults[0] if faults else f"W proportional on {tested} problems",
        {"tested": tested},
    )


def orthogonal_labels(off: Fraction) -> Evidence:
    """MMR⊥ against the label kernel 1, ``off``, at the same C: alpha passes the machine's KKT conditions?"""
    tested = 0
    for points in SETS:
        alpha = rationals([max(row) for row in exact(MMR_ORTHO, points, HALF).alpha])
        if not box_optimal(
            label_kernel(off, points) * points.gram, rationals([1] * points.n), HALF, alpha
        ):
            return Evidence(
                False,
                f"{points.name}: α fails the KKT conditions of the label-kernel machine",
                {"alpha": alpha},
            )
        tested += 1
    return Evidence(
        True,
        f"α optimal for the label kernel on {tested} problems, by KKT in rationals",
        {"tested": tested},
    )


def decouples(machine: Machine) -> Evidence:
    """Is w_c the weight of the machine trained on class c alone?"""
    for points in SETS:
        W = weights(exact(machine, points, 1))[0]
        for c in set(points.y):
            alone = weights(exact(machine, points.of_class(c), 1))[0]
            if (alone[:, c] != W[:, c]).any():
                return Evidence(
                    False, f"{points.name}: w_{c + 1} = {show(W[:, c])}, alone {show(alone[:, c])}"
                )
    return Evidence(True, f"w_c depends on class c only, on {len(SETS)} data sets")


def learns_nothing(bias: Bias) -> Evidence:
    """Is MMR⊥'s W zero whatever the data?"""
    optima = {points.name: exact(MMR_ORTHO, points, 1, bias) for points in SETS}
    trivial = all(not any(v for row in o.W for v in row) for o in optima.values())
    return Evidence(
        trivial,
        f"W = 0, objective {show(max(o.value for o in optima.values()))}, on all {len(SETS)} data sets"
        if trivial
        else f"W ≠ 0 on {sum(any(v for r in o.W for v in r) for o in optima.values())} data sets",
        {name: o.value for name, o in optima.items()},
    )


def same_machine(
    pair: tuple[
        Callable[[int], Machine],
        Callable[[int], Machine],
        Callable[[int], tuple[Fraction, Fraction]],
    ],
) -> Evidence:
    """Are first(d) at C and second(d) at t C, scores times s, the same? (s, t) = scale(d); W exactly, no and free bias."""
    first, second, scale = pair
    tested = 0
    for points in SETS:
        s, t = scale(points.d)
        for bias in ("none", "free"):
            C = Fraction(points.d - 1)  # so that C/(d-1) is a float
            a, b = (
                exact(first(points.d), points, C, bias),
                exact(second(points.d), points, t * C, bias),
            )
            tested += 1
            if (rationals(a.W) != s * rationals(b.W)).any():
                return Evidence(
                    False,
                    f"{points.name}, bias {bias}: W is not {s} × the other's; values {show(a.value)}, "
                    f"{show(b.value)}",
                )
    return Evidence(True, f"W equal on {tested} problems", {"tested": tested})


def binary_machines(machine: Machine) -> Evidence:
    """Is each column of alpha the binary SVM's (class c against the rest, same C)? By the binary KKT conditions."""
    tested = 0
    for points in SETS:
        for bias in ("none", "free"):
            W, b, alpha = weights(exact(machine, points, 1, bias))
            for c in range(points.d):
                t = rationals([1 if y == c else -1 for y in points.y])
                Q = np.outer(t, t) * points.gram
                ok = box_optimal(
                    Q,
                    rationals([1] * points.n),
                    Fraction(1),
                    alpha[:, c],
                    t if bias == "free" else None,
                    b[c],
                )
                same = (points.X.T @ (t * alpha[:, c]) == W[:, c]).all()
                tested += 1
                if not (ok and same):
                    return Evidence(
                        False,
                        f"{points.name}, bias {bias}: column {c + 1} of α is not the binary machine's",
                    )
    return Evidence(True, f"{tested} binary machines, KKT and w exact", {"tested": tested})


Father = tuple[int, Fraction, Callable[[int], Fraction]]
"""(margin, s, t): f_UV(C) = s f(t(k) C); margin 0 stands for HL (8), Bredensteiner and Bennett's regulariser with margin 2."""


def three_fathers(form: dict[str, Father]) -> Evidence:
    """Is UV's WW at C each of these at t C, scores times s? W exactly; (8) by its proved optimum (hl_ww)."""
    tested = 0
    for name, (margin, s, t) in form.items():
        for points in SETS:
            C, tested = Fraction(4 * (points.d + 1)), tested + 1
            W, b, _ = weights(exact(WW, points, C, "free"))
            if margin:
                same = (
                    s
                    * weights(exact(difference_machine(margin), points, t(points.d) * C, "free"))[0]
                    == W
                ).all()
            else:
                same = pairwise_value(points, t(points.d) * C, W, b, 1) == proved_pairwise(
                    points, t(points.d) * C, 1
                )
            if not same:
                return Evidence(
                    False, f"{name}, {points.name}: not the solution at {t(points.d)} C"
                )
    return Evidence(True, f"the same solution on {tested} problems, exactly", {"tested": tested})


TWO_CLASS: dict[Machine, Fraction] = {
    **dict.fromkeys((WW, CS, LLW, MMR, AMO, ATM, RM(0), RM(QUARTER), RM(), RM(1)), HALF),
    OVA: Fraction(1),
    ATS: Fraction(1),
}


def two_classes(factors: dict[Machine, Fraction]) -> Evidence:
    """With d = 2: is h = f_1 = -f_2 the binary SVM's at factor C? (OVA's first column is that machine, UV-OVA.)"""
    for bias in ("none", "penalized"):
        for machine, factor in factors.items():
            for C in (QUARTER, Fraction(2)):
                W = weights(exact(machine, TWO, C, bias))[0]
                binary = weights(exact(OVA, TWO, factor * C, bias))[0]
                if (W[:, 0] != binary[:, 0]).any() or (W[:, 1] != -binary[:, 0]).any():
                    return Evidence(
                        False,
                        f"{machine.name}, C = {C}, bias {bias}: w_1 = {show(W[:, 0])}, binary SVM at "
                        f"{factor * C}: {show(binary[:, 0])}",
                        {"machine": machine.name},
                    )
    return Evidence(
        True,
        f"{len(factors)} machines × 2 C × 2 biases are the binary SVM, exactly",
        {"machines": len(factors)},
    )


def another_machine(machine: Machine) -> Evidence:
    """d = 2: is w_1 - w_2 a multiple of the binary SVM's w, at one of five C_bin, on less than half of ten drawn data sets?"""
    rng, same = np.random.default_rng(2), 0
    for k in range(10):
        rows = tuple(tuple(int(v) for v in row) for row in rng.integers(-6, 7, (6, 2)))
        points = Points(f"drawn {k + 1}", rows, (0, 1) * 3, 2)
        W, b, _ = weights(exact(machine, points, 2, "penalized"))
        line = rationals([*(W[:, 0] - W[:, 1]), b[0] - b[1]])
        rivals = [
            weights(exact(OVA, points, 2 * factor, "penalized"))
            for factor in (QUARTER, HALF, Fraction(1), Fraction(2), Fraction(4))
        ]
        same += any(proportional(line, rationals([*w[:, 0], t[0]])) for w, t, _ in rivals)
    return Evidence(
        2 * same < 10,
        f"the binary SVM's decision function on {same} of 10 data sets",
        {"same": same},
    )


def _mmr_target(own: Callable[[int], int]) -> Callable[[int], Machine]:
    return lambda d: Machine(
        f"MMR, target {own(d)}", ABSOLUTE, SELF, Target(own=Fraction(own(d))), sum_to_zero=True
    )


def _unit(d: int) -> tuple[Fraction, Fraction]:
    return Fraction(1), Fraction(1)


NINE: tuple[Machine, ...] = (WW, CS, LLW, MMR, RM(), OVA, AMO, ATM, ATS)
FATHERS: dict[str, Father] = {
    "Weston–Watkins, Vapnik, margin 2": (2, Fraction(1), lambda k: HALF),
    "margin 1": (1, Fraction(2), lambda k: QUARTER),
    "Bredensteiner–Bennett, HL (8)": (0, Fraction(1), lambda k: Fraction(k + 1, 2)),
}

CLAIMS = (
    Claim(
        "UV-MMR",
        "section 2.4",
        "MMR is the label-kernel machine with k_y = 1, −1/(d−1)",
        "label-kernel dual solved exactly (KKT) and compared with MMR's exact W, 4 data sets, d = 3, 4, two C each",
        simplex_labels,
        lambda d: Fraction(1),
        lambda d: Fraction(d, d - 1),
        "the inverse factor",
        lambda d: Fraction(d - 1, d),
        "at C' = C (d−1)/d, and f scaled by √(d/(d−1))",
    ),
    Claim(
        "UV-ORTHO",
        "section 2.4",
        "MMR⊥ is the label-kernel machine with k_y = δ",
        "exact α against the label-kernel machine's KKT conditions, 4 data sets",
        orthogonal_labels,
        Fraction(0),
        Fraction(-1, 2),
        "the other label kernel",
    ),
    Claim(
        "UV-ORTHO-SPLIT",
        "section 2.4",
        "MMR⊥ trains d independent machines",
        "exact w_c against that of class c alone, 4 data sets",
        decouples,
        MMR_ORTHO,
        MMR,
        "MMR for MMR⊥",
    ),
    Claim(
        "UV-ORTHO-BIAS",
        "Table 1",
        "MMR⊥ with the bias term Table 1 gives it (unpenalised) learns nothing: W = 0",
        "exact optima with a free bias, 4 data sets",
        learns_nothing,
        "free",
        "none",
        "without the bias, where it does learn",
        errata=("E11",),
        found_here=True,
    ),
    Claim(
        "UV-RM0",
        "section 2.4",
        "RM(0) is LLW",
        "exact W, 4 data sets × bias none, free",
        same_machine,
        (lambda d: RM(0), lambda d: LLW, _unit),
        (lambda d: RM(QUARTER), lambda d: LLW, _unit),
        "RM(1/4)",
    ),
    Claim(
        "UV-RM1",
        "section 2.4",
        "RM(1) is MMR with a scaled target margin (d−1)",
        "exact W, 4 data sets × bias none, free; also RM(1)(C) = (d−1) f_MMR(C/(d−1))",
        same_machine,
        (lambda d: RM(1), _mmr_target(lambda d: d - 1), _unit),
        (lambda d: RM(1), _mmr_target(lambda d: d), _unit),
        "target d",
    ),
    Claim(
        "UV-RM1-MMR",
        "section 2.4",
        "RM(1) at C is (d−1) × MMR at C/(d−1)",
        "exact W, 4 data sets × bias none, free",
        same_machine,
        (lambda d: RM(1), lambda d: MMR, lambda d: (Fraction(d - 1), Fraction(1, d - 1))),
        (lambda d: RM(1), lambda d: MMR, lambda d: (Fraction(d - 1), Fraction(1))),
        "the same C",
        found_here=True,
    ),
    Claim(
        "UV-OVA",
        "section 2.4",
        "OVA is total-sum over absolute margins: d independent binary SVMs at the same C",
        "columns of the exact α against the binary SVM's KKT conditions, 4 data sets × bias none, free",
        binary_machines,
        OVA,
        ATS,
        "ATS for OVA",
    ),
    Claim(
        "UV-WW",
        "section 2.4",
        "WW, Vapnik's and Bredensteiner–Bennett's machines are equivalent up to scale and C",
        "exact solutions of the three ways of writing, 4 data sets, bias free",
        three_fathers,
        FATHERS,
        {**FATHERS, "Bredensteiner–Bennett, HL (8)": (0, Fraction(1), lambda k: Fraction(k, 2))},
        "kC/2 for (k+1)C/2 in (8)",
    ),
    Claim(
        "UV-D2",
        "sections 4.4, 5",
        "with two classes the nine machines compared solve the same problem, that of the binary SVM",
        "nine machines (MMR⊥ is excluded by UV themselves) at d = 2 × C = 1/4, 2 × bias none, penalized, exact W",
        two_classes,
        {m: Fraction(1) for m in NINE},
        {**TWO_CLASS, MMR_ORTHO: Fraction(1)},
        "MMR⊥ among them",
        TWO_CLASS,
        "at C_bin = C/2 (WW, CS, LLW, MMR, AMO, ATM, RM), C_bin = C (OVA, ATS)",
        ("E8",),
    ),
    Claim(
        "UV-D2-ORTHO",
        "section 2.4",
        "MMR⊥ on two classes does typically not give the binary SVM's decision function",
        "exact w and b at C = 2 against C_bin = C/4, C/2, C, 2C, 4C, ten drawn data sets, bias penalized; typically: on more "
        "than half",
        another_machine,
        MMR_ORTHO,
        MMR,
        "MMR, which does",
    ),
)
