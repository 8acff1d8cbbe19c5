"""UV, sections 2.2 to 2.4 and Table 2: aggregation operators, prototypes of the labels, and one-vs-one's programs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from itertools import combinations, product
from typing import Any

from msvm_ref.exact.linear_algebra import maximize
from msvm_ref.model.catalogue import LLW, OVA, WW
from msvm_ref.model.machine import (
    OTHERS_MAX,
    OTHERS_SUM,
    SELF,
    TOTAL_MAX,
    TOTAL_SUM,
    Aggregation,
    Machine,
)
from msvm_ref.studies.papers.claim import Claim, Evidence, show
from msvm_ref.studies.papers.small import FOUR, SETS, SIX, Points, exact, rationals

Operator = Callable[[Sequence[Fraction], int], Fraction]
"""(v, y) -> Delta(v, y)."""
GRID = [tuple(map(Fraction, v)) for v in product(range(3), repeat=3)]

DEFINITION4: Mapping[str, Operator] = {
    "self": lambda v, y: v[y],
    "total-max": lambda v, y: max(v),
    "others-max": lambda v, y: max(u for c, u in enumerate(v) if c != y),
    "total-sum": lambda v, y: sum(v, Fraction(0)),
    "others-sum": lambda v, y: sum((u for c, u in enumerate(v) if c != y), Fraction(0)),
}
OPERATORS = {o.name: o for o in (SELF, TOTAL_MAX, OTHERS_MAX, TOTAL_SUM, OTHERS_SUM)}


def definition3(form: tuple[Mapping[str, Operator], bool]) -> Evidence:
    """Zero at zero, not constant, and growing (``strictly`` or not) with each violation, on the grid {0, 1, 2}^3 x Y?"""
    operators, strictly = form
    tested = 0
    for name, operator in operators.items():
        for y in range(3):
            if operator(GRID[0], y) != 0 or all(operator(v, y) == 0 for v in GRID):
                return Evidence(False, f"{name}: {operator(GRID[0], y)} at 0, or constant")
            for v in GRID:
                for c in range(3):
                    larger = tuple(u + (k == c) for k, u in enumerate(v))
                    here, there = operator(v, y), operator(larger, y)
                    tested += 1
                    if there < here or (strictly and there == here):
                        return Evidence(
                            False,
                            f"{name}, y = {y + 1}: {here} at {show(v)}, {there} at {show(larger)}",
                        )
    return Evidence(True, f"{len(operators)} operators, {tested} steps", {"steps": tested})


def linear_program(operator: Aggregation, v: Sequence[Fraction], y: int) -> Fraction:
    """min sum_r xi_r  s.t.  xi_r >= v_p for p in P_y^r,  xi >= 0, by an exact linear program."""
    parts = [c for c in range(len(v)) if operator.mask(len(v))[y, c]]
    slots = [0] * len(parts) if operator.slack == "shared" else list(range(len(parts)))
    k = max(slots) + 1
    rows = [[Fraction(-int(s == slot)) for s in range(k)] for slot in (*slots, *range(k))]
    best = maximize([Fraction(-1)] * k, rows, [*(-v[c] for c in parts), *[Fraction(0)] * k])
    assert best is not None
    return -Fraction(best.value)


def as_programs(operators: Mapping[str, Aggregation]) -> Evidence:
    """Is each operator of Definition 4 the value of the program with these groups, on the grid?"""
    tested = 0
    for name, operator in operators.items():
        for v in GRID:
            for y in range(3):
                said, value = DEFINITION4[name](v, y), linear_program(operator, v, y)
                tested += 1
                if said != value:
                    return Evidence(
                        False, f"{name} at v = {show(v)}, y = {y + 1}: {value} for {said}"
                    )
    return Evidence(True, f"{len(operators)} operators at {tested} points", {"points": tested})


def negative_though_right(machine: Machine, strict: bool, d: int) -> Any:
    """f with f_y largest (alone if ``strict``) and some margin component <= -1, by exact linear programs; None without any."""
    nu = machine.nu(d)
    right = [[Fraction(int(m == c) - int(m == 0)) for m in range(d)] for c in range(1, d)]
    sums = [[Fraction(1)] * d] if machine.sum_to_zero else []
    for c in range(d):
        optimum = maximize(
            [Fraction(0)] * d,
            [*right, list(nu[0][c])],
            [*[Fraction(-int(strict))] * len(right), Fraction(-1)],
            sums,
            [Fraction(0)] * len(sums),
        )
        if optimum is not None:
            return optimum.x
    return None


def right_margins(form: tuple[Sequence[Machine], Sequence[Machine]]) -> Evidence:
    """Has a right decision no negative margin component for the first machines, and possibly one for each of the second?"""
    never, possibly = form
    for d in (3, 4):
        for machine in never:
            f = negative_though_right(machine, False, d)
            if f is not None:
                return Evidence(False, f"{machine.margin_name}, d = {d}: f = {show(f)}", {"f": f})
        for machine in possibly:
            if negative_though_right(machine, True, d) is None:
                return Evidence(False, f"{machine.margin_name}, d = {d}: no such f")
    shown = "; ".join(
        f"{m.margin_name}{', sum-to-zero' if m.sum_to_zero else ''}: f = "
        f"{show(negative_though_right(m, True, 3))}, y = 1"
        for m in possibly
    )
    return Evidence(True, f"never for relative margins, d = 3, 4; {shown}")


def prototypes(squared_factor: Callable[[int], Fraction]) -> Evidence:
    """<y_c, y_c'> of factor (-1/(d-1), ..., 1, ...) is 1 and -1/(d-1)? And of the unit vectors, delta?"""
    for d in range(2, 8):
        rows = rationals(
            [[1 if m == c else Fraction(-1, d - 1) for m in range(d)] for c in range(d)]
        )
        products, unit = (
            squared_factor(d) * (rows @ rows.T),
            rationals([[int(m == c) for m in range(d)] for c in range(d)]),
        )
        for c, e in product(range(d), repeat=2):
            label = Fraction(1) if c == e else Fraction(-1, d - 1)
            if products[c, e] != label or (unit @ unit.T)[c, e] != int(c == e):
                return Evidence(
                    False, f"d = {d}: ⟨ŷ_{c + 1}, ŷ_{e + 1}⟩ = {products[c, e]}, not {label}"
                )
    return Evidence(True, "all products at d = 2 … 7, exactly")


def pairwise_programs(size: Callable[[int, int], int]) -> Evidence:
    """One-vs-one: are its duals programs of size(l_c, l_e) variables for c < e, in Theta(d^2 C(l/d)) for C(n) = n^q?"""
    counted = {}
    for points in (*SETS, SIX, FOUR):
        for c, e in combinations(range(points.d), 2):
            kept = [i for i in range(points.n) if points.y[i] in (c, e)]
            pair = Points(
                f"{points.name} {c + 1} | {e + 1}",
                tuple(points.grid[i] for i in kept),
                tuple(int(points.y[i] == e) for i in kept),
                2,
                points.unit,
            )
            # at d = 2 each half of OVA is the binary SVM: the columns of its alpha, one variable per example
            variables = len(exact(OVA, pair, 1).alpha)
            counted[pair.name] = variables
            said = size(points.y.count(c), points.y.count(e))
            if variables != said:
                return Evidence(False, f"{pair.name}: {variables} variables for {said}", counted)
    ratios = [
        Fraction(d * (d - 1), 2) * Fraction(2, d) ** q / (d**2 * Fraction(1, d) ** q)
        for d in range(2, 200)
        for q in (2, 3)
    ]
    return Evidence(
        min(ratios) >= 1 and max(ratios) <= 4,
        f"{len(counted)} programs of ℓ_c + ℓ_e variables; balanced, the sum is {show(min(ratios))} to "
        f"{show(max(ratios))} times d²·C(ℓ/d) for q = 2, 3 and d < 200",
        {"variables": counted},
    )


CLAIMS = (
    Claim(
        "UV-DEF3",
        "Definitions 3, 4",
        "the five operators are aggregation operators: 0 at 0, not constant, monotonically increasing",
        "every step of one violation on {0, 1, 2}³ × Y, exact (increasing: not falling)",
        definition3,
        (DEFINITION4, False),
        (DEFINITION4, True),
        "strictly increasing",
    ),
    Claim(
        "UV-OPERATOR-LP",
        "section 2.3, supplement A",
        "each operator is the value of a linear program in slacks",
        "exact programs with the groups the package gives each operator, 27 v × 3 y",
        as_programs,
        OPERATORS,
        {**OPERATORS, "total-max": TOTAL_SUM},
        "a slack for each component in total-max",
    ),
    Claim(
        "UV-RIGHT",
        "section 2.2",
        "a right decision has no negative relative margin; with absolute margins it may, sum-to-zero or not",
        "exact linear programs at d = 3, 4",
        right_margins,
        ((WW,), (OVA, LLW)),
        ((LLW,), (OVA,)),
        "absolute margins under sum-to-zero for the relative ones",
    ),
    Claim(
        "UV-PROTOTYPES",
        "section 2.4",
        "the prototypes √((d−1)/d)·(−1/(d−1), …, 1, …) and the unit vectors have the label kernels 1, −1/(d−1) and δ",
        "all products at d = 2 … 7, exact",
        prototypes,
        lambda d: Fraction(d - 1, d),
        lambda d: Fraction(d, d - 1),
        "√(d/(d−1))",
    ),
    Claim(
        "UV-T2-OVO",
        "Table 2",
        "one-vs-one trains programs of ℓ_c + ℓ_e variables for c < e, d²·C(ℓ/d) in all where classes are balanced",
        "the duals of every pair of classes, 4 data sets; the order of growth for C(n) = n², n³",
        pairwise_programs,
        lambda first, second: first + second,
        max,
        "the larger class alone",
    ),
)
