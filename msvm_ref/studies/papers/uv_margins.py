"""UV, sections 2.2 to 2.4: margins, aggregation, Table 1, and what the surrogate losses bound."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from itertools import product
from typing import Any

from msvm_ref.errors import DataError
from msvm_ref.exact.linear_algebra import maximize
from msvm_ref.exact.lp import UnboundedError
from msvm_ref.fisher.definition1 import property3
from msvm_ref.model.catalogue import AMO, ATM, ATS, CATALOGUE, CS, LLW, MMR, MMR_ORTHO, OVA, RM, WW
from msvm_ref.model.machine import OTHERS_MAX, RELATIVE, TOTAL_MAX, TOTAL_SUM, Machine
from msvm_ref.studies.papers.claim import Claim, Evidence, show
from msvm_ref.studies.papers.small import FOUR, SETS, SIX, Points, counting, exact, loss, weights

HALF, QUARTER = Fraction(1, 2), Fraction(1, 4)
GRID = [Fraction(k, 2) for k in range(-4, 5, 2)]


def definition1(form: tuple[Sequence[Machine], bool]) -> Evidence:
    """Non-negative margins, one of them positive, imply argmax f = {y} (or, with ties, that y is among the largest)?"""
    machines, ties_allowed = form
    for d in (3, 4):
        for machine in machines:
            decided = property3(machine, d)
            if decided.witness is not None and not (decided.holds_up_to_ties and ties_allowed):
                y, f = decided.witness
                return Evidence(
                    False,
                    f"{machine.margin_name}, d = {d}: f = {show(f)} has margins ≥ 0 for y = {y + 1} "
                    f"{'but another class wins' if not decided.holds_up_to_ties else 'and a tie'}",
                    {"d": d, "f": f},
                )
    names = ", ".join(dict.fromkeys(m.margin_name for m in machines))
    return Evidence(
        True, f"decided by exact linear programs for {names} at d = 3, 4", {"d": [3, 4]}
    )


def relative_total(form: tuple[int, Any]) -> Evidence:
    """Relative margins: is total-sum (or the given operator) the sum over others plus ``constant`` per example?"""
    constant, operator = form
    reference = WW if operator == TOTAL_SUM else CS
    total = Machine(f"relative {operator.name}", RELATIVE, operator)
    for points in SETS:
        for C in (QUARTER, Fraction(2)):
            a, b = exact(reference, points, C), exact(total, points, C)
            if b.value - a.value != constant * C * points.n or a.W != b.W:
                return Evidence(
                    False,
                    f"{points.name}, C = {C}: total {show(b.value)}, others {show(a.value)}: "
                    f"{show((b.value - a.value) / (C * points.n))} per example and unit of C",
                    {"total": b.value, "others": a.value, "same W": a.W == b.W},
                )
    other = Machine("relative total-max", RELATIVE, TOTAL_MAX)
    apart = (
        exact(other, SIX, QUARTER).value
        - exact(Machine("o", RELATIVE, OTHERS_MAX), SIX, QUARTER).value
    )
    return Evidence(
        True,
        f"value differs by {constant} C per example, W equal, on {2 * len(SETS)} problems",
        {"constant": constant, "total-max minus others-max, C = 1/4, six points": apart},
    )


def least_loss_of_errors(machine: Machine, d: int) -> Fraction:
    """min L(f, 0) over f with f_1 >= f_0 (an error or a tie), by an exact linear program in (f, slacks)."""
    nu, gamma, mask = machine.nu(d), machine.gamma(d), machine.aggregation.mask(d)
    parts = [c for c in range(d) if mask[0, c]]
    slots = [0] * len(parts) if machine.aggregation.slack == "shared" else list(range(len(parts)))
    k = max(slots) + 1
    zero = [Fraction(0)] * (d + k)
    rows, limits = [], []
    for c, slot in zip(parts, slots, strict=True):  # gamma - mu_c <= v
        row = [-v for v in nu[0][c]] + [Fraction(-int(s == slot)) for s in range(k)]
        rows.append(row)
        limits.append(-gamma[0][c])
    for s in range(k):
        rows.append([*zero[:d], *(Fraction(-int(t == s)) for t in range(k))])
        limits.append(Fraction(0))
    rows.append([Fraction(1), Fraction(-1), *zero[2:]])
    limits.append(Fraction(0))
    sums = [[Fraction(1)] * d + [Fraction(0)] * k] if machine.sum_to_zero else []
    best = maximize(
        [Fraction(0)] * d + [Fraction(-1)] * k, rows, limits, sums, [Fraction(0)] * len(sums)
    )
    assert best is not None
    return -Fraction(best.value)


def bounds_the_error(form: tuple[Sequence[Machine], Callable[[int], int]]) -> Evidence:
    """Do at least ``least_many`` of the machines have loss >= 1 wherever the decision is wrong?"""
    machines, least_many = form
    least = {m.name: min(least_loss_of_errors(m, d) for d in (3, 4)) for m in machines}
    bad = {name: v for name, v in least.items() if v < 1}
    told = "; ".join(f"{name}: a wrong f has loss {show(v)}" for name, v in bad.items())
    return Evidence(
        len(machines) - len(bad) >= least_many(len(machines)),
        f"{len(machines) - len(bad)} of {len(machines)} losses bound the 0-1 loss; {told or 'no other'}",
        {"least loss of a wrong decision": least},
    )


def all_margins_negative(machine: Machine) -> Evidence:
    """Can every component of the margin function be negative at once? If so, does a trained machine do it?"""
    nu, d = machine.nu(3), 3
    sums = [[Fraction(1)] * d] if machine.sum_to_zero else []
    try:
        scores = maximize(
            [Fraction(0)] * d,
            [list(nu[0][c]) for c in range(d)],
            [Fraction(-1)] * d,
            sums,
            [Fraction(0)] * len(sums),
        )
    except UnboundedError as error:
        raise DataError("program", "be bounded", "unbounded") from error
    if scores is None:
        return Evidence(True, "no f has all margins ≤ −1 (exact linear program)")
    W, b, _ = weights(exact(machine, NEGATIVE, 1))
    f = (NEGATIVE.X @ W + b)[0]
    margins = [sum(a * v for a, v in zip(nu[0][c], f, strict=True)) for c in range(d)]
    return Evidence(
        max(margins) >= 0,
        f"trained on x = {show([x[0] for x in NEGATIVE.X])}, y = "
        f"{tuple(c + 1 for c in NEGATIVE.y)}: the first example has margins {show(margins)}",
        {"x": NEGATIVE.X, "y": NEGATIVE.y, "margins": margins},
    )


NEGATIVE = Points("one outlier", ((2,), (-4,), (0,), (0,)), (0, 0, 1, 2), 3)


def table1(losses: Mapping[str, tuple[Machine, Callable[[Any, int], Fraction]]]) -> Evidence:
    """Does the frame's L = Delta o hinge o mu give each machine the loss of its own paper, on a grid of f?"""
    tested = 0
    for name, (machine, formula) in losses.items():
        for f in product(GRID, repeat=3):
            for y in range(3):
                tested += 1
                if loss(machine, 3, f, y) != formula(f, y):
                    return Evidence(
                        False,
                        f"{name} at f = {show(f)}, y = {y + 1}: {loss(machine, 3, f, y)} for {formula(f, y)}",
                        {"f": f, "y": y},
                    )
    return Evidence(True, f"{len(losses)} losses equal at {tested} points", {"points": tested})


def _hinge(v: Fraction) -> Fraction:
    return max(Fraction(0), v)


def _rivals(f: Any, y: int) -> list[Fraction]:
    return [v for c, v in enumerate(f) if c != y]


def reinforced_loss(g: Fraction, target: int) -> Callable[[Any, int], Fraction]:
    """Liu and Yuan: g [target - f_y]_+ + (1 - g) sum [1 + f_c]_+, target d - 1."""
    return lambda f, y: (
        g * _hinge(target - f[y]) + (1 - g) * sum(_hinge(1 + v) for v in _rivals(f, y))
    )


LOSSES: dict[str, tuple[Machine, Callable[[Any, int], Fraction]]] = {
    "WW": (WW, lambda f, y: Fraction(sum(_hinge(1 - (f[y] - v) / 2) for v in _rivals(f, y)))),
    "CS": (CS, lambda f, y: _hinge(1 - (f[y] - max(_rivals(f, y))) / 2)),
    "LLW": (LLW, lambda f, y: Fraction(sum(_hinge(1 + v) for v in _rivals(f, y)))),
    "MMR": (MMR, lambda f, y: _hinge(1 - f[y])),
    "MMR⊥": (MMR_ORTHO, lambda f, y: _hinge(1 - f[y])),
    "RM(1/4)": (RM(QUARTER), reinforced_loss(QUARTER, 2)),
    "OVA": (OVA, lambda f, y: _hinge(1 - f[y]) + sum(_hinge(1 + v) for v in _rivals(f, y))),
    "AMO": (AMO, lambda f, y: _hinge(1 + max(_rivals(f, y)))),
    "ATM": (ATM, lambda f, y: max(_hinge(1 + max(_rivals(f, y))), _hinge(1 - f[y]))),
    "ATS": (ATS, lambda f, y: _hinge(1 - f[y]) + sum(_hinge(1 + v) for v in _rivals(f, y))),
}


def program_sizes(machine: Machine, points: Points) -> list[int]:
    """Sizes of the independent programs the dual falls into: pairs meet where M != 0 or where they share a slack."""
    pairs, rows = list(counting(machine, points)), machine.projected_nu(points.d)
    program = list(range(len(pairs)))
    for a, (i, p) in enumerate(pairs):
        for b, (j, q) in enumerate(pairs[:a]):
            M = sum(u * v for u, v in zip(rows[points.y[i]][p], rows[points.y[j]][q], strict=True))
            if M or (i == j and machine.aggregation.slack == "shared"):
                old, new = program[a], program[b]
                program = [new if t == old else t for t in program]
    return sorted(program.count(t) for t in set(program))


def table2(said: Mapping[Machine, Callable[[Points], list[int]]]) -> Evidence:
    """Are these the sizes of the programs (a list), or is it one program of half to all of that size?"""
    computed = {}
    for points in (SIX, FOUR):
        for machine in CATALOGUE:
            sizes, printed = program_sizes(machine, points), said[machine](points)
            computed[f"{machine.name} n={points.n} d={points.d}"] = sizes
            one = len(sizes) == len(printed) == 1 and printed[0] <= 2 * sizes[0] <= 2 * printed[0]
            if sizes != printed and not one:
                return Evidence(
                    False,
                    f"{machine.name}, n = {points.n}, d = {points.d}: programs of {sizes} variables, "
                    f"the table has {printed}",
                    {"sizes": computed},
                )
    return Evidence(
        True, f"{len(computed)} duals fall into programs of the stated sizes", {"sizes": computed}
    )


def _whole(points: Points) -> list[int]:
    return [points.d * points.n]


TABLE2: dict[Machine, Callable[[Points], list[int]]] = {
    **dict.fromkeys(CATALOGUE, _whole),
    MMR: lambda points: [points.n],
    MMR_ORTHO: lambda points: sorted(points.y.count(c) for c in range(points.d)),
    OVA: lambda points: [points.n] * points.d,
}

ALL_MARGINS = (WW, LLW, RM(), RM(1))
WITHOUT_G1 = (WW, LLW, RM(), RM(QUARTER), RM(Fraction(3, 4)))
BOUNDING = (WW, CS, LLW, OVA, AMO, ATM, ATS, RM(0), RM(QUARTER), RM(HALF))

CLAIMS = (
    Claim(
        "UV-DEF1",
        "Definition 1(3)",
        "the margins in use fulfil: margins ≥ 0, one > 0, imply argmax f = y",
        "relative, absolute, reinforced(1/2), reinforced(1) at d = 3, 4, exact linear programs",
        definition1,
        (ALL_MARGINS, False),
        ((*WITHOUT_G1, RM(1)), True),
        "the reinforced margin at g = 1 among the corrected",
        (WITHOUT_G1, True),
        "up to ties (y is among the largest), and not for the reinforced margin at g = 1",
        ("E10",),
        cut=True,
    ),
    Claim(
        "UV-FN1",
        "footnote 1",
        "for relative margins total-sum and sum-over-others coincide",
        "4 data sets × C = 1/4, 2: exact values and W",
        relative_total,
        (0, TOTAL_SUM),
        (1, TOTAL_MAX),
        "total-max for total-sum",
        (1, TOTAL_SUM),
        "they differ by the constant 1 per example (γ_yy = 1), W is the same; total-max is another machine",
        ("E3",),
    ),
    Claim(
        "UV-01",
        "section 2.1",
        "a surrogate loss should typically bound the 0-1 loss from above",
        "ten machines at d = 3, 4, least loss of a wrong f by an exact linear program; typically: more than half of them",
        bounds_the_error,
        (CATALOGUE, lambda machines: machines // 2 + 1),
        (CATALOGUE, lambda machines: machines),
        "all of them: MMR and MMR⊥ do not",
    ),
    Claim(
        "UV-01-WHICH",
        "section 2.1",
        "WW, CS, LLW, OVA, AMO, ATM, ATS and RM(g), g ≤ 1/2, bound the 0-1 loss",
        "ten machines at d = 3, 4: least loss of a wrong f by an exact linear program",
        bounds_the_error,
        (BOUNDING, lambda machines: machines),
        ((*BOUNDING, RM(Fraction(3, 4))), lambda machines: machines),
        "RM(3/4) among them",
        errata=("E11",),
        found_here=True,
    ),
    Claim(
        "UV-OVA-NEG",
        "section 2.2",
        "in OVA not all components of the margin function can be negative",
        "a linear program over f, then the exact OVA machine on four points of the line",
        all_margins_negative,
        OVA,
        Machine("relative", RELATIVE, TOTAL_SUM),
        "the relative margin, of which it is true",
        errata=("E9",),
    ),
    Claim(
        "UV-T1",
        "Table 1, (4)",
        "margin, operator and target of Table 1 give each machine the loss of its own paper",
        "ten losses on a grid of 125 f × 3 classes, exact",
        table1,
        LOSSES,
        {**LOSSES, "RM(1/4)": (RM(QUARTER), reinforced_loss(QUARTER, 1))},
        "target 1 instead of d − 1 in RM's own class",
    ),
    Claim(
        "UV-T2",
        "Table 2",
        "the dual is d programs of ℓ_c (MMR⊥), one of ℓ (MMR), d of ℓ (OVA), one of O(dℓ) (the others)",
        "independent programs found by M ≠ 0 and shared slacks, ten machines, d = 3, 4",
        table2,
        TABLE2,
        {**TABLE2, MMR: _whole, ATS: TABLE2[OVA]},
        "ATS decoupled like OVA",
    ),
)
