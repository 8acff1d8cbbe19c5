"""consistency_threshold: the exact parameter at which a one-parameter family of machines stops being consistent.

For a family whose nu and gamma are affine in t the verdict is a semi-algebraic function of t: constant between finitely
many break points. Bisection brackets one; the simplest rational in the bracket is the guess t*; and deciding
consistency at t* - eps, t* and t* + eps over Q(eps), eps a positive infinitesimal, settles whether the verdict changes
*exactly* there. Nothing is said about further break points: the bisection follows one change between its two ends.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from flint import fmpq, fmpq_poly

from msvm_ref.errors import DataError, SpecError
from msvm_ref.exact.numbers import rational
from msvm_ref.fisher.consistency import Mode, describe
from msvm_ref.fisher.infinitesimal import Infinitesimal
from msvm_ref.fisher.loss import PointLoss, assemble, is_symmetric, point_loss
from msvm_ref.fisher.prover import MODES, Bad, search
from msvm_ref.model.catalogue import ATS, RM
from msvm_ref.model.machine import Machine, Target

Family = Callable[[Fraction], Machine]
STEPS = 24
"""Bisections before the guess: a bracket of width (hi - lo) / 2^24 holds one rational with denominator below 2^11."""


def own_target(t: Fraction) -> Machine:
    """ATS with the own-class target t instead of 1 (docs/mathematics.md, E1)."""
    return Machine(
        f"ATS[own target {t}]", ATS.margin, ATS.aggregation, Target(own=t), ATS.sum_to_zero
    )


NAMED: dict[str, tuple[Family, Callable[[int], tuple[Fraction, Fraction]]]] = {
    "RM": (RM, lambda d: (Fraction(0), Fraction(1))),
    "ATS": (own_target, lambda d: (Fraction(0), Fraction(2 * d))),
}
"""RM by its g, ATS by its own-class target."""


@dataclass(frozen=True)
class Threshold:
    """Where a family of machines changes its verdict; all exact."""

    family: str
    """The family's name."""
    d: int
    """How many classes."""
    mode: Mode
    """The sense of consistency."""
    value: Fraction
    """The parameter at which it changes."""
    below: bool
    """The verdict below it."""
    at: bool
    """The verdict at it."""
    above: bool
    """The verdict above it."""

    def to_dict(self) -> dict[str, Any]:
        return {
            "family": self.family,
            "d": self.d,
            "mode": self.mode,
            "value": str(self.value),
            "below": self.below,
            "at": self.at,
            "above": self.above,
        }

    def __str__(self) -> str:
        def word(consistent: bool) -> str:
            return "consistent" if consistent else "not consistent"

        return (
            f"{self.family}, d = {self.d} ({self.mode}): {word(self.below)} just below {self.value}, "
            f"{word(self.at)} at {self.value}, {word(self.above)} just above"
        )


def consistency_threshold(
    family: str | Family, d: int, mode: Mode = "closed", between: tuple[Any, Any] | None = None
) -> Threshold:
    """Where the verdict of a family changes between two parameters (``between``; known for "RM" and "ATS").

    ``family``: "RM" (over g), "ATS" (over the own-class target), or a function from a Fraction to a Machine whose nu and
    gamma are affine in it.
    """
    if mode not in MODES:
        raise DataError("mode", f"be one of {', '.join(MODES)}", repr(mode))
    if isinstance(family, str):
        if family not in NAMED:
            raise DataError(
                "family", f"be {', '.join(NAMED)} or a function of one parameter", repr(family)
            )
        make, ends = NAMED[family]
        name, between = family, between or ends(d)
    else:
        make, name = family, getattr(family, "__name__", "family")
        if between is None:
            raise DataError("between", "be two parameters with different verdicts", "None")
    lo, hi = Fraction(between[0]), Fraction(between[1])
    if not lo < hi:
        raise DataError("between", "be an interval (low, high)", f"({lo}, {hi})")
    first, last = _verdict(make, lo, d, mode), _verdict(make, hi, d, mode)
    if first == last:
        raise DataError(
            "between",
            "end in different verdicts",
            f"{'' if first else 'not '}consistent at both {lo} and {hi}",
        )
    for _ in range(STEPS):
        middle = (lo + hi) / 2
        if _verdict(make, middle, d, mode) == first:
            lo = middle
        else:
            hi = middle
    value = simplest_between(lo, hi)
    below, above = (_near(make, value, d, mode, sign) for sign in (-1, 1))
    threshold = Threshold(name, d, mode, value, below, _verdict(make, value, d, mode), above)
    if threshold.below == threshold.above == threshold.at:
        raise SpecError(
            "family",
            "change its verdict at a rational of small denominator",
            f"a change within ({float(lo):.9g}, {float(hi):.9g})",
            "narrow `between`",
        )
    return threshold


def _verdict(make: Family, t: Fraction, d: int, mode: Mode) -> bool:
    machine = make(t)
    return not isinstance(search(point_loss(machine, d), mode, is_symmetric(machine, d)), Bad)


def _near(make: Family, t: Fraction, d: int, mode: Mode, sign: int) -> bool:
    """The verdict at t + sign * eps."""
    return not isinstance(search(_perturbed(make, t, d, sign), mode, is_symmetric(make(t), d)), Bad)


def _perturbed(make: Family, t: Fraction, d: int, sign: int) -> PointLoss:
    """nu and gamma at t + sign eps, from their slopes; refused where they are not affine in t."""
    step = Fraction(sign, 1024)
    machines = [make(t + i * step) for i in range(3)]
    zero = Infinitesimal([fmpq(0)])

    def entry(values: tuple[Fraction, ...]) -> Infinitesimal:
        v0, v1, v2 = values
        if v2 - v1 != v1 - v0:
            raise SpecError(
                "family",
                "be affine in its parameter",
                f"entries {v0}, {v1}, {v2} at equal steps from {t}",
                f"near {describe(machines[0])}",
            )
        return Infinitesimal(fmpq_poly([rational(v0), rational((v1 - v0) / abs(step))]))

    def join(*parts: Any) -> Any:
        return (
            [join(*p) for p in zip(*parts, strict=True)]
            if isinstance(parts[0], tuple)
            else entry(parts)
        )

    return assemble(
        join(*(m.nu(d) for m in machines)),
        join(*(m.gamma(d) for m in machines)),
        machines[0].aggregation,
        machines[0].sum_to_zero,
        zero,
    )


def simplest_between(lo: Fraction, hi: Fraction) -> Fraction:
    """The rational of smallest denominator in [lo, hi], by continued fractions."""
    whole = lo.numerator // lo.denominator
    if whole == lo:
        return lo
    if whole + 1 <= hi:
        return Fraction(whole + 1)
    return whole + 1 / simplest_between(1 / (hi - whole), 1 / (lo - whole))
