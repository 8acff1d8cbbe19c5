"""Rational functions of a positive infinitesimal eps: the ordered field Q(eps) with 0 < eps < every positive rational.

A statement decided at t + eps holds for all t' in (t, t + delta), for some delta > 0; at t - eps, likewise below t.
The sign of p(eps)/q(eps) is that of the lowest-order coefficients.
"""

from __future__ import annotations

from typing import Any

from flint import fmpq, fmpq_poly


class Infinitesimal:
    """num / den in lowest terms, the lowest-order coefficient of den scaled to 1."""

    __slots__ = ("den", "num")

    def __init__(self, num: Any, den: Any = 1) -> None:
        num, den = fmpq_poly(num) if not isinstance(num, fmpq_poly) else num, fmpq_poly(den)
        if den != 1:
            common = num.gcd(den)
            num, den = num // common, den // common
            scale = _lowest(den)
            num, den = num / scale, den / scale
        self.num, self.den = num, den

    def __add__(self, other: Any) -> Infinitesimal:
        o = _lift(other)
        return Infinitesimal(self.num * o.den + o.num * self.den, self.den * o.den)

    def __sub__(self, other: Any) -> Infinitesimal:
        o = _lift(other)
        return Infinitesimal(self.num * o.den - o.num * self.den, self.den * o.den)

    def __mul__(self, other: Any) -> Infinitesimal:
        o = _lift(other)
        return Infinitesimal(self.num * o.num, self.den * o.den)

    def __truediv__(self, other: Any) -> Infinitesimal:
        o = _lift(other)
        return Infinitesimal(self.num * o.den, self.den * o.num)

    def __neg__(self) -> Infinitesimal:
        return Infinitesimal(-self.num, self.den)

    def __radd__(self, other: Any) -> Infinitesimal:
        return _lift(other) + self

    def __rmul__(self, other: Any) -> Infinitesimal:
        return _lift(other) * self

    def __bool__(self) -> bool:
        return bool(self.num != 0)

    def sign(self) -> int:
        lowest = _lowest(self.num)
        return int(lowest > 0) - int(lowest < 0)

    def _minus_sign(self, other: Any) -> int:
        return self.__sub__(other).sign()

    def __lt__(self, other: Any) -> bool:
        return self._minus_sign(other) < 0

    def __gt__(self, other: Any) -> bool:
        return self._minus_sign(other) > 0

    def __le__(self, other: Any) -> bool:
        return self._minus_sign(other) <= 0

    def __ge__(self, other: Any) -> bool:
        return self._minus_sign(other) >= 0

    def __eq__(self, other: object) -> bool:
        return not self - other

    def __hash__(self) -> int:
        return hash((str(self.num), str(self.den)))

    def __repr__(self) -> str:
        return f"({self.num})/({self.den})" if self.den != 1 else f"({self.num})"


def _lift(value: Any) -> Infinitesimal:
    return value if isinstance(value, Infinitesimal) else Infinitesimal([fmpq(value)])


def _lowest(polynomial: fmpq_poly) -> fmpq:
    """The coefficient of the lowest power of eps, 0 for the zero polynomial."""
    return next((c for c in polynomial.coeffs() if c != 0), fmpq(0))
