"""UV's Theorems 5 and 6 and Corollary 1, and Liu's lemma for CS: each stated, and decided exactly at a given d.

How "for all P in a region" is decided: the region is a polytope given by its vertices.
* f minimises R_P throughout iff it does at the vertices, since the P that f minimises form a convex set (optimality.py).
* If f is the only minimiser at the barycentre, it is the only one at every relative interior point: there the
  subdifferential of R_P at f is a positive combination of those at the vertices, which all contain 0, so that 0 is
  interior to one such combination if and only if it is to every other.
Supports (which P_y are positive) are taken one size at a time; classes being alike, one support of each size will do.
Corrections are the errata E1 and E5 to E7 of docs/mathematics.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from msvm_ref.errors import DataError
from msvm_ref.exact.numbers import rational
from msvm_ref.fisher.consistency import fisher_consistency
from msvm_ref.fisher.loss import Number, point_loss
from msvm_ref.fisher.optimality import active_groups, is_unique, multipliers_at
from msvm_ref.fisher.risk import minimize_risk
from msvm_ref.model.catalogue import AMO, ATM, ATS, CS, LLW, OVA
from msvm_ref.model.machine import OTHERS_MAX, OTHERS_SUM, Machine

Rationals = tuple[Fraction, ...]
TOTAL_MAX_FREE = replace(ATM, name="ATM without sum-to-zero", sum_to_zero=False)


@dataclass(frozen=True)
class TheoremFinding:
    """One published statement at one d: does it hold as printed, and if not, what does?"""

    source: str
    """Theorem, corollary or lemma."""
    d: int
    """How many classes."""
    statement: str
    """What is printed."""
    holds: bool
    """Does it hold as printed?"""
    correction: str = ""
    """What holds instead, or what it needs."""

    def to_dict(self) -> dict[str, Any]:
        return {
            "source": self.source,
            "d": self.d,
            "statement": self.statement,
            "holds": self.holds,
            "correction": self.correction,
        }

    def __str__(self) -> str:
        tail = f"\n    {self.correction}" if self.correction else ""
        return f"{self.source}, d = {self.d}: {'HOLDS' if self.holds else 'FAILS'}  {self.statement}{tail}"


def check_theorems(d: int) -> tuple[TheoremFinding, ...]:
    """Every statement below at d >= 3 classes (d = 3, 4, 5 take seconds)."""
    if d < 3:
        raise DataError(
            "d",
            "be at least 3",
            str(d),
            "with two classes the statements are about the binary hinge loss",
        )
    return (*theorem5(d), *theorem6(d), *corollary1(d), *liu_lemma(d))


def optimal_throughout(machine: Machine, f: Rationals, vertices: Sequence[Rationals]) -> bool:
    """Does f minimise R_P for every P in the polytope with these vertices?"""
    loss, scores = point_loss(machine, len(f)), [rational(v) for v in f]
    return all(multipliers_at(loss, scores, [rational(v) for v in P]) is not None for P in vertices)


def alone_inside(machine: Machine, f: Rationals, vertices: Sequence[Rationals]) -> bool:
    """Is f the only minimiser (up to a constant where constants change nothing) at every relative interior P?"""
    n = len(vertices)
    centre = [rational(sum((P[c] for P in vertices), Fraction(0)) / n) for c in range(len(f))]
    return is_unique(point_loss(machine, len(f)), [rational(v) for v in f], centre) is not None


def capped(d: int, cap: Fraction, support: int) -> list[Rationals]:
    """Vertices of {P : P_y <= cap, P_y = 0 for y >= support}, cap in [1/2, 1): one class at the cap, another at the rest."""
    vertices = {
        tuple(cap if c == a else 1 - cap if c == b else Fraction(0) for c in range(d))
        for a in range(support)
        for b in range(support)
        if a != b
    }
    return sorted(vertices)


def _constant(value: int, d: int) -> Rationals:
    return (Fraction(value),) * d


def _bayes_type(d: int) -> Rationals:
    return (Fraction(d - 1), *_constant(-1, d - 1))


def theorem5(d: int) -> tuple[TheoremFinding, ...]:
    """AMO and ATM: f* = 0 while every P_y < (d-1)/d;  f* = (d-1, -1, ..., -1) once P_1 > (d-1)/d."""
    findings = []
    cap, zero, top = Fraction(d - 1, d), _constant(0, d), _bayes_type(d)
    for machine in (AMO, ATM):
        flat = all(
            optimal_throughout(machine, zero, capped(d, cap, s))
            and alone_inside(machine, zero, capped(d, cap, s))
            for s in range(2, d + 1)
        )
        findings.append(
            TheoremFinding(
                "UV Theorem 5, second case",
                d,
                f"{machine.name}: all P_y < (d−1)/d gives f* = 0, alone",
                flat,
            )
        )
        peaks = [
            [_point(d, 0, Fraction(1)), *(_mixed(d, cap, y) for y in range(1, s))]
            for s in range(2, d + 1)
        ]
        peak = all(
            optimal_throughout(machine, top, p) and alone_inside(machine, top, p) for p in peaks
        )
        certain = minimize_risk(machine, _point(d, 0, Fraction(1))).unique
        findings.append(
            TheoremFinding(
                "UV Theorem 5, first case",
                d,
                f"{machine.name}: P_1 > (d−1)/d gives f* = (d−1, −1, …), alone",
                peak and certain,
                ""
                if certain
                else "true for (d−1)/d < P_1 < 1; at P_1 = 1 the minimiser is not unique (erratum E7)"
                if peak
                else "false",
            )
        )
    return tuple(findings)


def _point(d: int, y: int, value: Fraction) -> Rationals:
    return tuple(value if c == y else Fraction(0) for c in range(d))


def _mixed(d: int, cap: Fraction, y: int) -> Rationals:
    return tuple(cap if c == 0 else 1 - cap if c == y else Fraction(0) for c in range(d))


def theorem6(d: int) -> tuple[TheoremFinding, ...]:
    """Without sum-to-zero and with every P_y < 1/2: f* = (-1, ..., -1) for the sum, f* = 0 for the maximum."""
    half = Fraction(1, 2)
    findings = []
    for machine, value in ((OVA, -1), (TOTAL_MAX_FREE, 0)):
        f = _constant(value, d)
        throughout = optimal_throughout(machine, f, capped(d, half, d))
        inside = alone_inside(machine, f, capped(d, half, d))
        edge = all(alone_inside(machine, f, capped(d, half, s)) for s in range(3, d))
        named = "sum" if value else "maximum"
        findings.append(
            TheoremFinding(
                "UV Theorem 6",
                d,
                f"total-{named}, no constraint: P_y < 1/2 gives f* = {value}, alone",
                throughout and inside and edge,
                ""
                if edge or not (throughout and inside)
                else "f* is a minimiser throughout, but alone only where every P_y > 0 (erratum E5)",
            )
        )
        others = replace(machine, name="others", aggregation=OTHERS_SUM if value else OTHERS_MAX)
        also = optimal_throughout(others, f, capped(d, half, d)) and alone_inside(
            others, f, capped(d, half, d)
        )
        findings.append(
            TheoremFinding(
                "UV Theorem 6, read for max- or sum-over-others",
                d,
                f"others-{named}: the same",
                also,
                "" if also else "the theorem is about the total operators only (erratum E5)",
            )
        )
    return (*findings, _constraint_matters(d))


def _constraint_matters(d: int) -> TheoremFinding:
    """Where every 0 < P_y < 1/2 f* = 0 alone, with the constraint and without it; beyond, the constraint matters: at f = 0
    the slope of the total-max risk along u = (1, -1, ..., -1) is (1 - P_1) - P_1, negative for P_1 > 1/2.
    """
    zero, region = _constant(0, d), capped(d, Fraction(1, 2), d)
    same = all(
        optimal_throughout(machine, zero, region) and alone_inside(machine, zero, region)
        for machine in (ATM, TOTAL_MAX_FREE)
    )
    loss = point_loss(TOTAL_MAX_FREE, d)
    u = [rational(Fraction(1 if c == 0 else -1)) for c in range(d)]
    slopes: list[Number] = [loss.zero] * d
    for group in active_groups(loss, [loss.zero] * d):
        rates = [
            -sum((a * b for a, b in zip(p.nu, u, strict=True)), loss.zero) for p in group.parts
        ]
        slopes[group.y] = slopes[group.y] + max(rates if group.positive else [*rates, loss.zero])
    falls = slopes[0] == -1 and all(v == 1 for v in slopes[1:])
    return TheoremFinding(
        "UV section 3.1, after Theorem 6",
        d,
        "for the maximum and every P_y < 1/2, dropping sum-to-zero changes nothing",
        same,
        "beyond, for 1/2 < P_1 < (d−1)/d, the constrained f* is 0, but without the constraint (1, −1, …, −1) lowers the "
        "risk: slope 1 − 2 P_1 (erratum E6)"
        if falls
        else "",
    )


def corollary1(d: int) -> tuple[TheoremFinding, ...]:
    """AMO and ATM are not Fisher consistent, LLW and ATS are."""
    findings = []
    for machine, claimed in ((AMO, False), (ATM, False), (LLW, True), (ATS, True)):
        result = fisher_consistency(machine, d)
        correction = ""
        if result.consistent != claimed and result.counterexample is not None:
            c = result.counterexample
            correction = f"P = ({', '.join(map(str, c.P))}) has f* = ({', '.join(map(str, c.f))}) (erratum E1)"
        findings.append(
            TheoremFinding(
                "UV Corollary 1",
                d,
                f"{machine.name} is {'' if claimed else 'not '}Fisher consistent",
                result.consistent == claimed,
                correction,
            )
        )
    return tuple(findings)


def liu_lemma(d: int) -> tuple[TheoremFinding, ...]:
    """CS: f* = 0, alone up to a constant, where every P_y < 1/2 (Liu 2007, Lemma 4)."""
    half, zero = Fraction(1, 2), _constant(0, d)
    throughout = optimal_throughout(CS, zero, capped(d, half, d))
    alone = [alone_inside(CS, zero, capped(d, half, s)) for s in range(3, d + 1)]
    return (
        TheoremFinding(
            "Liu 2007, Lemma 4",
            d,
            "CS: every P_y < 1/2 gives f* = 0, alone up to a constant",
            throughout and all(alone),
            ""
            if all(alone)
            else "f* = 0 is a minimiser throughout, but alone only where every P_y > 0"
            if throughout and alone[-1]
            else "false",
        ),
    )


PUBLISHED: dict[str, tuple[bool, int, str]] = {
    "ATS": (True, 2, "UV Corollary 1"),
    "LLW": (True, 2, "Lee, Lin, Wahba 2004"),
    "RM(1/2)": (True, 2, "Liu, Yuan 2011"),
    "AMO": (False, 3, "UV Theorem 5"),
    "ATM": (False, 3, "UV Theorem 5"),
    "OVA": (False, 3, "UV Theorem 6"),
    "CS": (False, 3, "Liu 2007"),
    "WW": (False, 3, "Liu 2007"),
    "MMR": (False, 3, "Liu 2007"),
}
"""What the literature says about a machine's consistency, from which d on, and where it says so."""


def published(machine: Machine, d: int) -> tuple[bool, str] | None:
    """(claimed consistent?, source), if the literature says."""
    claim, least, source = PUBLISHED.get(machine.name, (False, d + 1, ""))
    return (claim, source) if d >= least else None
