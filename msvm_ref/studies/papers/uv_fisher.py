"""UV, section 3.1: Fisher consistency, decided exactly (fisher/, studies/theorems.py)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import product

from msvm_ref.errors import DataError
from msvm_ref.fisher.consistency import ConsistencyResult, fisher_consistency
from msvm_ref.fisher.risk import RiskMinimum, minimize_risk
from msvm_ref.model.catalogue import AMO, ATM, ATS, CS, LLW, MMR, OVA, RM, WW
from msvm_ref.model.machine import ABSOLUTE, OTHERS_MAX, OTHERS_SUM, TOTAL_SUM, Machine, Target
from msvm_ref.studies.papers.claim import Claim, Evidence, show
from msvm_ref.studies.papers.small import loss, require
from msvm_ref.studies.theorems import (
    TOTAL_MAX_FREE,
    Rationals,
    alone_inside,
    capped,
    optimal_throughout,
)

HALF = Fraction(1, 2)
Cap = Callable[[int], Fraction]


def flat(d: int, value: int) -> Rationals:
    return (Fraction(value),) * d


def no_majority(cap: Cap) -> Evidence:
    """AMO, ATM: f* = 0, and alone, for every P with all P_y < cap(d)?"""
    for d in (3, 4):
        for machine in (AMO, ATM):
            for support in range(2, d + 1):
                region = capped(d, cap(d), support)
                if not optimal_throughout(machine, flat(d, 0), region):
                    risk = minimize_risk(machine, region[-1])
                    return Evidence(
                        False,
                        f"{machine.name}, P = {show(region[-1])}: f* = {show(risk.minimiser)}, risk {risk.value}",
                        {"d": d, "P": region[-1]},
                    )
                if not alone_inside(machine, flat(d, 0), region):
                    return Evidence(
                        False, f"{machine.name}, d = {d}: 0 is not the only minimiser", {"d": d}
                    )
    return Evidence(
        True,
        "AMO, ATM at d = 3, 4: 0 is the only minimiser on the whole region, exactly",
        {"d": [3, 4]},
    )


def another(machine: Machine, P: Sequence[Fraction], f: Rationals) -> Rationals:
    """A second minimiser of the risk at P beside f, one step away."""

    def risk(g: Rationals) -> Fraction:
        return sum((p * loss(machine, len(g), g, y) for y, p in enumerate(P)), Fraction(0))

    d = len(f)
    for step in product((0, -1, 1), repeat=d):
        g = tuple(v + s for v, s in zip(f, step, strict=True))
        if any(step) and (not machine.sum_to_zero or sum(g) == 0) and risk(g) == risk(f):
            return g
    raise DataError("f", "have another minimiser one step away", show(f))


def majority(form: tuple[Cap, bool]) -> Evidence:
    """AMO, ATM: f* = (d-1, -1, ...) alone, for every P with P_1 > cap(d), the certain class P_1 = 1 included or not?"""
    cap, certain = form
    for d in (3, 4):
        top = (Fraction(d - 1), *flat(d - 1, -1))
        one = tuple(Fraction(int(c == 0)) for c in range(d))
        for machine in (AMO, ATM):
            for support in range(2, d + 1):
                edge = [
                    tuple(
                        cap(d) if c == 0 else 1 - cap(d) if c == y else Fraction(0)
                        for c in range(d)
                    )
                    for y in range(1, support)
                ]
                if not (
                    optimal_throughout(machine, top, [one, *edge])
                    and alone_inside(machine, top, [one, *edge])
                ):
                    return Evidence(
                        False,
                        f"{machine.name}, d = {d}: (d−1, −1, …) is not the minimiser for all P_1 > {cap(d)}",
                        {"d": d},
                    )
            if certain and not minimize_risk(machine, one).unique:
                other = another(machine, one, top)
                return Evidence(
                    False,
                    f"{machine.name}, P = {show(one)}: {show(other)} has the least risk as well",
                    {"d": d, "P": one},
                )
    return Evidence(
        True, "AMO, ATM at d = 3, 4: the only minimiser on the region, exactly", {"d": [3, 4]}
    )


def unconstrained(form: tuple[bool, bool]) -> Evidence:
    """Without the constraint and all P_y < 1/2: f* = -1 (sum), 0 (maximum), alone? Others-operators, P with zeros included?"""
    others, with_zeros = form
    for d in (3, 4):
        for machine, value in ((OVA, -1), (TOTAL_MAX_FREE, 0)):
            operators = [
                machine.aggregation,
                *([OTHERS_SUM if value else OTHERS_MAX] if others else []),
            ]
            for operator in operators:
                tried = replace(
                    machine, name=f"{operator.name} of absolute margins", aggregation=operator
                )
                for support in range(3 if with_zeros else d, d + 1):
                    region = capped(d, HALF, support)
                    if not (
                        optimal_throughout(tried, flat(d, value), region)
                        and alone_inside(tried, flat(d, value), region)
                    ):
                        centre = [
                            sum(column, Fraction(0)) / len(region)
                            for column in zip(*region, strict=True)
                        ]
                        if optimal_throughout(tried, flat(d, value), region):
                            told = f"{show(another(tried, centre, flat(d, value)))} has the least risk as well"
                        else:
                            told = f"f* = {show(minimize_risk(tried, centre).minimiser)}"
                        return Evidence(
                            False, f"{operator.name}, P = {show(centre)}: {told}", {"P": centre}
                        )
    return Evidence(
        True,
        "total-sum: −1, total-max: 0, alone, on the whole region at d = 3, 4, exactly",
        {"d": [3, 4]},
    )


def grid(chosen: Callable[[Fraction], bool]) -> list[list[Fraction]]:
    """P = (i, j, k)/20, in falling order and positive, whose largest entry is ``chosen``."""
    parts = [(i, j, 20 - i - j) for i in range(1, 20) for j in range(1, 20 - i)]
    falling = [[Fraction(v, 20) for v in t] for t in parts if sorted(t, reverse=True) == list(t)]
    return [P for P in falling if chosen(P[0])]


def dropping(form: tuple[Callable[[Fraction], bool], bool]) -> Evidence:
    """Total-max at these P: are least risk and minimisers the same with and without the constraint (``same``), or never?"""
    chosen, same = form
    drawn = grid(chosen)
    for P in drawn:
        bound, free = minimize_risk(ATM, P), minimize_risk(TOTAL_MAX_FREE, P)
        equal = bound.value == free.value and set(bound.vertices or ()) == set(free.vertices or ())
        require(bound.vertices and bound.bounded and free.bounded, "bounded sets of minimisers")
        if equal != same:
            told = f"least risk {bound.value} with the constraint, {free.value} without"
            if bound.value == free.value:
                told = (
                    f"the same least risk {bound.value}, {_corners(bound)} against {_corners(free)}"
                )
            return Evidence(False, f"P = {show(P)}: {told}", {"P": P})
    return Evidence(
        bool(drawn),
        f"risk and minimisers {'equal' if same else 'differ'} at {len(drawn)} P",
        {"P": drawn},
    )


def _corners(minimum: RiskMinimum) -> str:
    vertices = minimum.vertices or ()
    return f"{len(vertices)} corner{'s' if len(vertices) != 1 else ''} of minimisers"


def liu(form: tuple[Fraction, bool]) -> Evidence:
    """CS: f* = 0, alone up to a constant, for all P_y < cap; for P with zeros too?"""
    cap, with_zeros = form
    for d in (3, 4):
        for support in range(3 if with_zeros else d, d + 1):
            region = capped(d, cap, support)
            throughout = optimal_throughout(CS, flat(d, 0), region)
            if not (throughout and alone_inside(CS, flat(d, 0), region)):
                return Evidence(
                    False,
                    f"d = {d}, {d - support} of the P_y = 0: 0 is "
                    f"{'a minimiser but not the only one' if throughout else 'no minimiser'}",
                    {"d": d},
                )
    return Evidence(
        True, "0 is the only minimiser up to a constant at d = 3, 4, exactly", {"d": [3, 4]}
    )


@cache
def decided(machine: Machine, d: int) -> ConsistencyResult:
    """The decision, its evidence re-checked by the independent checkers."""
    result = fisher_consistency(machine, d)
    result.verify()
    return result


def consistency(form: tuple[Sequence[Machine], Sequence[int], bool]) -> Evidence:
    """Are these machines (not) Fisher consistent at every one of these d?"""
    machines, sizes, claimed = form
    proofs = 0
    for machine in machines:
        for d in sizes:
            result = decided(machine, d)
            c, proof = result.counterexample, result.proof
            if result.consistent != claimed:
                told = (
                    f"P = {show(c.P)} has f* = {show(c.f)}, risk {c.risk}; {show(c.bayes_scores)} has {c.bayes_risk}"
                    if c
                    else "a proof of consistency, re-checked"
                )
                return Evidence(
                    False,
                    f"{machine.name}, d = {d}: {told}",
                    {"counterexample": c.to_dict() if c else None},
                )
            proofs += proof.leaves if proof else 1
    names = ", ".join(m.name for m in machines)
    shown = (
        f"{names}: proofs of {proofs} exact inequalities"
        if claimed
        else f"{names}: P = {show(c.P)} has f* = {show(c.f)}"
        if c
        else names
    )
    return Evidence(True, f"{shown} (d = {', '.join(map(str, sizes))})", {"d": sizes})


ATS_STRONG = Machine(
    "ATS with own target 5/4", ABSOLUTE, TOTAL_SUM, Target(own=Fraction(5, 4)), sum_to_zero=True
)


def _cap(d: int) -> Fraction:
    return Fraction(d - 1, d)


def _inconsistent(machine: Machine, where: str) -> Claim:
    return Claim(
        f"UV-C1-{machine.name}",
        where,
        f"the {machine.name} loss is not Fisher consistent",
        "exact counterexamples at d = 3, 4, re-checked independently",
        consistency,
        ((machine,), (3, 4), False),
        ((LLW,), (3, 4), False),
        "LLW in its place",
    )


CLAIMS = (
    Claim(
        "UV-T5-FLAT",
        "Theorem 5, second case",
        "AMO, ATM: all P_y < (d−1)/d gives f* = 0",
        "every P of the region and every support, d = 3, 4, exact",
        no_majority,
        _cap,
        lambda d: Fraction(d - 1, d) + Fraction(1, 5 * d),
        "a larger region",
    ),
    Claim(
        "UV-T5-PEAK",
        "Theorem 5, first case",
        "AMO, ATM: P_y > (d−1)/d gives f* = d−1 at y, −1 elsewhere",
        "every P of the region, d = 3, 4, exact",
        majority,
        (_cap, True),
        (lambda d: HALF, False),
        "P_y > 1/2 for P_y > (d−1)/d",
        (_cap, False),
        "for P_y < 1: f* is not unique at P_y = 1",
        ("E7",),
        cut=True,
    ),
    Claim(
        "UV-T6",
        "Theorem 6",
        "absolute margins without the constraint, all P_y < 1/2: f* = −1 (sum), f* = 0 (maximum)",
        "every P of the region, d = 3, 4, total and others operators, exact",
        unconstrained,
        (True, True),
        (True, False),
        "the operators over others included",
        (False, False),
        "total operators only, and alone only where every P_y > 0",
        ("E5",),
        cut=True,
    ),
    Claim(
        "UV-T6-DROP",
        "after Theorem 6",
        "under Theorem 6's hypothesis, all P_y < 1/2, dropping the constraint makes no difference for the maximum",
        "least risk and the whole set of minimisers on a grid of P, d = 3, exact",
        dropping,
        (lambda largest: largest < HALF, True),
        (lambda largest: largest <= HALF, True),
        "P_y ≤ 1/2, where only the value is the same",
    ),
    Claim(
        "UV-T6-BEYOND",
        "after Theorem 6",
        "for 1/2 < P_1 < (d−1)/d, beyond the hypothesis, dropping the constraint changes the minimiser",
        "least risk and the whole set of minimisers on a grid of P, d = 3, exact",
        dropping,
        (lambda largest: HALF < largest < Fraction(2, 3), False),
        (lambda largest: largest < Fraction(2, 3), False),
        "P_1 < 1/2 among them",
        errata=("E6",),
        found_here=True,
    ),
    Claim(
        "UV-LIU",
        "section 3.1, Liu 2007 Lemma 4",
        "CS: all P_y < 1/2 gives f* = 0 (up to a constant)",
        "every P of the region, d = 3, 4, exact",
        liu,
        (HALF, True),
        (Fraction(3, 5), False),
        "P_y < 3/5",
        (HALF, False),
        "0 is a minimiser throughout, but alone only where every P_y > 0 (d ≥ 4)",
        cut=True,
    ),
    _inconsistent(AMO, "Corollary 1"),
    _inconsistent(ATM, "Corollary 1"),
    _inconsistent(WW, "section 3.1, Liu 2007"),
    _inconsistent(CS, "section 3.1, Liu 2007"),
    _inconsistent(MMR, "section 3.1, Liu 2007"),
    _inconsistent(OVA, "section 3.1, after Theorem 6"),
    Claim(
        "UV-C1-LLW",
        "Corollary 1",
        "the LLW loss is Fisher consistent",
        "proofs at d = 2, 3, 4, re-checked independently",
        consistency,
        ((LLW,), (2, 3, 4), True),
        ((AMO,), (2, 3, 4), True),
        "AMO in its place",
    ),
    Claim(
        "UV-C1-ATS",
        "Corollary 1, section 5",
        "the ATS loss is Fisher consistent",
        "decided at d = 2, 3, 4, re-checked independently",
        consistency,
        ((ATS,), (2, 3, 4), True),
        ((ATS,), (3, 4), True),
        "d = 3, 4",
        ((ATS,), (2, 3), True),
        "for d ≤ 3; not for d = 4",
        ("E1",),
        cut=True,
    ),
    Claim(
        "UV-C1-TARGET",
        "Corollary 1",
        "with an own-class target T > (d−2)/2 in the place of 1 ATS is Fisher consistent",
        "T = 5/4 at d = 3, 4",
        consistency,
        ((ATS_STRONG,), (3, 4), True),
        ((ATS,), (4,), True),
        "T = (d−2)/2 itself",
        errata=("E1",),
        found_here=True,
    ),
    Claim(
        "UV-C1-RM",
        "section 5",
        "the RM losses are classification calibrated",
        "RM(g), g = 0, 1/4, 1/2, 5/8 at d = 3, 4",
        consistency,
        ((RM(0), RM(Fraction(1, 4)), RM(), RM(Fraction(5, 8))), (3, 4), True),
        ((RM(Fraction(5, 8)),), (3,), True),
        "g = 5/8",
        ((RM(0), RM(Fraction(1, 4)), RM()), (3, 4), True),
        "for g ≤ 1/2",
        ("E11",),
        cut=True,
    ),
)
