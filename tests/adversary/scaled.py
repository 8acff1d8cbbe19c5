"""Exact matrices: integers over one common denominator, so that sums and products never call gcd."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

Rational = int | float | Fraction


@dataclass(frozen=True, eq=False)
class Scaled:
    """num / den: an object array of Python ints over a positive int."""

    num: Any
    den: int

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(self.num.shape)

    def __matmul__(self, other: Scaled) -> Scaled:
        return Scaled(self.num @ other.num, self.den * other.den)

    def __add__(self, other: Scaled) -> Scaled:
        a, b = together(self, other)
        return Scaled(a.num + b.num, a.den)

    def __sub__(self, other: Scaled) -> Scaled:
        a, b = together(self, other)
        return Scaled(a.num - b.num, a.den)

    def over(self, den: int) -> Scaled:
        """The same over another denominator, a multiple of this one."""
        factor, rest = divmod(den, self.den)
        assert rest == 0, "the new denominator must be a multiple"
        return self if factor == 1 else Scaled(self.num * factor, den)

    def centred(self) -> Scaled:
        """Rows minus their mean over the last axis: the projection Pi, exactly."""
        d = self.num.shape[-1]
        return Scaled(self.num * d - self.num.sum(axis=-1, keepdims=True), self.den * d)

    def absolute(self) -> Scaled:
        return Scaled(abs(self.num), self.den)

    def dot(self, other: Scaled) -> Fraction:
        """sum of products, entry by entry."""
        return Fraction(int((self.num * other.num).sum()), self.den * other.den)

    def total(self) -> Fraction:
        return Fraction(int(self.num.sum()), self.den)

    def fractions(self) -> list[Any]:
        """Nested lists of Fractions."""

        def convert(part: Any) -> Any:
            if isinstance(part, list):
                return [convert(v) for v in part]
            return Fraction(int(part), self.den)

        return list(convert(self.num.tolist()))

    def floats(self) -> Any:
        """Each entry rounded to the nearest float64; an OverflowError where one is too large."""
        flat = [v / self.den for v in self.num.ravel().tolist()]
        return np.array(flat, dtype=np.float64).reshape(self.num.shape)


def together(*parts: Scaled) -> list[Scaled]:
    """The same matrices over their least common denominator."""
    den = math.lcm(*(part.den for part in parts))
    return [part.over(den) for part in parts]


def scaled(values: Any) -> Scaled:
    """Floats (as the dyadic rationals they are), ints or Fractions, in any nesting."""
    array = np.asarray(values, dtype=object)
    ratios = [v.as_integer_ratio() for v in array.ravel().tolist()]
    den = math.lcm(*{q for _, q in ratios}) if ratios else 1
    num = np.empty(len(ratios), dtype=object)
    num[:] = [p * (den // q) for p, q in ratios]
    return Scaled(num.reshape(array.shape), den)


def root_above(value: Fraction) -> Fraction:
    """A rational at least sqrt(value), good to some 60 bits."""
    if value <= 0:
        return Fraction(0)
    shift = max(0, 128 - value.numerator.bit_length() + value.denominator.bit_length())
    shift += shift % 2
    whole = math.isqrt((value.numerator << shift) // value.denominator) + 1
    return Fraction(whole, 1 << (shift // 2))


def above(value: Fraction) -> float:
    """The least float at or above value."""
    nearest = _nearest(value)
    return nearest if Fraction(nearest) >= value else math.nextafter(nearest, math.inf)


def below(value: Fraction) -> float:
    """The largest float at or below value."""
    nearest = _nearest(value)
    return nearest if Fraction(nearest) <= value else math.nextafter(nearest, -math.inf)


def _nearest(value: Fraction) -> float:
    largest = Fraction(np.finfo(float).max)
    return float(max(-largest, min(largest, value)))


def largest(values: Iterable[Fraction]) -> Fraction:
    return max(values, default=Fraction(0))
