"""Class probabilities as exact rationals."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from msvm_ref.errors import DataError

ROUNDING = Fraction(1, 10**9)
"""How far floats may be from summing to 1 before we call it a mistake rather than rounding."""


def probabilities(P: Any, d: int | None = None) -> tuple[Fraction, ...]:
    """P as rationals that sum to 1.

    Fractions, ints and strings such as "2/5" or "0.4" are taken as they are and must sum to 1 exactly. A float means
    the shortest decimal that prints as it does (0.4 is 2/5); decimals whose sum is within 1e-9 of 1 are divided by it.
    """
    if isinstance(P, (str, bytes)) or not hasattr(P, "__len__"):
        raise DataError("P", "be a sequence of class probabilities", repr(P))
    values = [_rational(v, i) for i, v in enumerate(P)]
    if d is not None and len(values) != d:
        raise DataError("P", f"have one probability for each of the {d} classes", f"{len(values)}")
    if len(values) < 2:
        raise DataError("P", "have at least 2 classes", f"{len(values)}")
    for i, value in enumerate(values):
        if value < 0:
            raise DataError("P", "be non-negative", f"{value} at [{i}]")
    total = sum(values, Fraction(0))
    if total != 1:
        if not any(_is_float(v) for v in P) or abs(total - 1) > ROUNDING:
            raise DataError("P", "sum to 1", f"sum {total}", "divide by the sum")
        values = [v / total for v in values]
    return tuple(values)


def _is_float(value: Any) -> bool:
    return isinstance(value, (float, np.floating))


def _rational(value: Any, i: int) -> Fraction:
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, bool) or not isinstance(value, (int, float, str, Fraction)):
        raise DataError("P", "hold numbers or strings such as '2/5'", f"{value!r} at [{i}]")
    try:
        return Fraction(repr(value) if isinstance(value, float) else value)
    except (ValueError, ZeroDivisionError) as error:
        raise DataError(
            "P", "hold finite rationals such as '2/5'", f"{value!r} at [{i}]"
        ) from error


def bayes_classes(P: Sequence[Any]) -> tuple[int, ...]:
    """argmax P"""
    top = max(P)
    return tuple(c for c, v in enumerate(P) if v == top)


def simple_probabilities(d: int, count: int) -> Iterator[tuple[Fraction, ...]]:
    """The first ``count`` P with P_1 > ... > P_d > 0, by common denominator, then from the flattest on."""
    total = d * (d + 1) // 2
    while count > 0:
        for parts in sorted(_distinct_parts(total, d, total)):
            if count == 0:
                return
            count -= 1
            yield tuple(Fraction(v, total) for v in parts)
        total += 1


def _distinct_parts(total: int, d: int, below: int) -> Iterator[tuple[int, ...]]:
    if d == 1:
        if 0 < total < below:
            yield (total,)
        return
    for first in range(min(below - 1, total - d * (d - 1) // 2), 0, -1):
        for rest in _distinct_parts(total - first, d - 1, first):
            yield (first, *rest)


def rounded(P: Sequence[Any], denominator: int) -> tuple[Fraction, ...]:
    """P to multiples of 1/denominator by largest remainder, still summing to 1."""
    parts = [int(v * denominator) for v in P]
    order = sorted(range(len(P)), key=lambda c: parts[c] - P[c] * denominator)
    for c in order[: denominator - sum(parts)]:
        parts[c] += 1
    return tuple(Fraction(v, denominator) for v in parts)
