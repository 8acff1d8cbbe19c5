"""Property 3 of UV's Definition 1, decided in exact rationals.

    [ all mu_c(f,y) >= 0 and some mu_c(f,y) > 0 ]  implies  argmax_c f_c = {y}

For each (y, c) maximise f_c - f_y over the cone {mu >= 0, sum mu = 1}: positive means a wrong class can win with
positive margins, zero means a tie can, negative (or an empty cone) for all pairs is a proof.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from msvm_ref.exact.linear_algebra import maximize
from msvm_ref.model.machine import Machine


@dataclass(frozen=True)
class Property3:
    """Does Definition 1(3) hold: margins of y all >= 0 and one > 0 put y first?"""

    d: int
    """How many classes."""
    holds: bool
    """As printed."""
    holds_up_to_ties: bool
    """With y among several largest scores allowed."""
    witness: tuple[int, tuple[Fraction, ...]] | None
    """(y, f) that breaks it as printed."""

    def __bool__(self) -> bool:
        return self.holds


def property3(machine: Machine, d: int | None = None) -> Property3:
    """Do non-negative margins, one of them positive, imply argmax f = y? At the machine's own d, else at 3 unless told."""
    d = d or machine.fixed_d or 3
    nu = machine.nu(d)
    tie: tuple[int, tuple[Fraction, ...]] | None = None
    for y in range(d):
        total = [sum((row[m] for row in nu[y]), Fraction(0)) for m in range(d)]
        for c in range(d):
            if c == y:
                continue
            # The ray's length is bounded so that a wrong class winning shows as a positive finite optimum.
            objective = [Fraction(int(m == c) - int(m == y)) for m in range(d)]
            cone = [[-v for v in row] for row in nu[y]] + [objective]
            result = maximize(
                objective, cone, [Fraction(0)] * d + [Fraction(1)], [total], [Fraction(1)]
            )
            if result is None or result.value < 0:
                continue
            if result.value > 0:
                return Property3(d, False, False, (y, result.x))
            tie = tie or (y, result.x)
    return Property3(d, tie is None, True, tie)
