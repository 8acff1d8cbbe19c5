"""UV, sections 3.1 and 3.2: Fisher consistency, decided exactly (theory/fisher.py, theory/theorems.py)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import product

from msvm_ref.errors import DataError
from msvm_ref.fisher.consistency import ConsistencyResult, fisher_consistency
from msvm_ref.fisher.risk import minimize_risk
from msvm_ref.model.catalogue import AMO, ATM, ATS, CS, LLW, MMR, OVA, RM, WW
from msvm_ref.model.machine import ABSOLUTE, OTHERS_MAX, OTHERS_SUM, TOTAL_SUM, Machine, Target
from msvm_ref.studies.papers.claim import Claim, Evidence, show
from msvm_ref.studies.papers.small import Points, exact, loss, weights
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


def dropping(largest: Fraction) -> Evidence:
    """Total-max: is the least risk with and without the constraint the same, for every P on a grid with max P <= largest?"""
    tested = 0
    for k in range(1, 10):
        for m in range(1, 10 - k):
            P = [Fraction(v, 10) for v in (k, m, 10 - k - m)]
            if max(P) <= largest and sorted(P, reverse=True) == P:
                tested += 1
                bound, free = minimize_risk(ATM, P).value, minimize_risk(TOTAL_MAX_FREE, P).value
                if bound != free:
                    return Evidence(
                        False,
                        f"P = {show(P)}: least risk {bound} with the constraint, {free} without",
                        {"P": P, "with": bound, "without": free},
                    )
    return Evidence(True, f"equal at {tested} P with max P ≤ {largest}", {"P": tested})


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


def steinwart_on_one_point(machine: Machine) -> Evidence:
    """One point, C growing: is class 1 predicted for shares (4, 3, 2, 1)/10, and class 2 for (3, 4, 2, 1)/10?

    Where both samples give the same f no rule for breaking ties is right on both.
    """
    rows = {
        C: [weights(exact(machine, points, C))[0][0] for points in SHARES] for C in (16, 256, 4096)
    }
    right = all(
        w[c] > max(w[m] for m in range(4) if m != c)
        for pair in rows.values()
        for c, w in enumerate(pair)
    )
    first, second = rows[4096]
    told = (
        f"f = {show(first)} for both"
        if (first == second).all()
        else f"f = {show(first)} and {show(second)}"
    )
    return Evidence(
        right,
        f"one point, C = 4096, shares (4, 3, 2, 1)/10 and (3, 4, 2, 1)/10: {told}",
        {f"C = {C}": pair for C, pair in rows.items()},
    )


SHARES = (
    Points("one point", ((2,),) * 10, (0, 0, 0, 0, 1, 1, 1, 2, 2, 3), 4),
    Points("one point, 1 and 2 exchanged", ((2,),) * 10, (0, 0, 0, 1, 1, 1, 1, 2, 2, 3), 4),
)
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
        "f* is not unique at P_y = 1",
        ("E7",),
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
    ),
    Claim(
        "UV-T6-DROP",
        "after Theorem 6",
        "for the maximum, dropping the sum-to-zero constraint changes nothing",
        "least risks on a grid of P, d = 3, exact",
        dropping,
        Fraction(1),
        Fraction(3, 5),
        "max P up to 3/5",
        HALF,
        "true while every P_y ≤ 1/2, not for 1/2 < P_1 < (d−1)/d",
        ("E6",),
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
        ((ATS,), (2, 3), True),
        "d = 2, 3 only, where it is true",
        errata=("E1",),
    ),
    Claim(
        "UV-C1-TARGET",
        "Corollary 1",
        "absolute margins, total sum and sum-to-zero make a Fisher consistent loss",
        "own-class targets T = 1 and 5/4 at d = 3, 4",
        consistency,
        ((ATS, ATS_STRONG), (3, 4), True),
        ((ATS,), (4,), True),
        "T = (d−2)/2 itself",
        ((ATS_STRONG,), (3, 4), True),
        "for an own-class target T > (d−2)/2",
        ("E1",),
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
    ),
    Claim(
        "UV-T7",
        "Theorem 7",
        "ATS-SVMs are universally consistent under Steinwart's choice of C",
        "UV's own device of a one-point space (every positive kernel is universal there): exact optima for C = 16, 256, 4096",
        steinwart_on_one_point,
        ATS,
        LLW,
        "LLW, of which it is true",
        errata=("E1",),
    ),
)
