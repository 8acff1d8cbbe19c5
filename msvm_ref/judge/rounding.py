"""Numbers with a bound on their own rounding error.

Every operation errs by at most a factor 1 + u; k of them by gamma_k = k u / (1 - k u), whatever the order of summation
(Higham 2002, section 3.1).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from msvm_ref.judge.coefficients import Real

TINY, UNDERFLOW = 1e-290, 1e-300  # more than gradual underflow can lose in a term, in a score
EPS, EXTENDED = (float(np.finfo(t).eps) for t in (np.float64, np.longdouble))
ENTRIES = 2**17
"""Entries of an (n x d) array that are worked on at a time: a megabyte each, of n = 10^6 as of n = 100."""


@dataclass(frozen=True)
class Enclosed:
    """A number known to lie in [low, high]."""

    value: float
    radius: float

    @property
    def low(self) -> float:
        return -math.inf if math.isnan(self.value) else _outward(self.value, -self.radius)

    @property
    def high(self) -> float:
        return math.inf if math.isnan(self.value) else _outward(self.value, self.radius)


UNKNOWN = Enclosed(math.nan, math.inf)


def _outward(value: float, radius: float) -> float:
    return value if radius == 0 else math.nextafter(value + radius, math.copysign(math.inf, radius))


def blocks(n: int, d: int, least: int = 1) -> Iterator[slice]:
    """The n rows of an (n x d) array, ENTRIES entries at a time or ``least`` rows."""
    many = max(ENTRIES // max(d, 1), least, 1)
    return (slice(start, min(start + many, n)) for start in range(0, n, many))


def rounding(k: int, unit: float = EPS) -> float:
    """gamma_k = k u / (1 - k u), the relative error of k operations (``unit`` is 2u: one operation to spare for each)."""
    return k * unit / (1 - k * unit)


def together(parts: Sequence[Enclosed]) -> Enclosed:
    """The sum, rounded once; of a part and exact zeros, the part."""
    parts = [part for part in parts if part.value != 0 or part.radius != 0]
    if len(parts) <= 1:
        return parts[0] if parts else Enclosed(0.0, 0.0)
    try:
        value, radius = (
            math.fsum(v) for v in zip(*((p.value, p.radius) for p in parts), strict=True)
        )
    except (OverflowError, ValueError):
        return UNKNOWN
    radius = radius * (1 + 1e-15) + EPS * abs(value)
    return Enclosed(value, radius) if math.isfinite(value) and math.isfinite(radius) else UNKNOWN


def summed(terms: Real, doubts: Real, unit: float, inexact: bool) -> Enclosed:
    """The sum of terms, each good to 4 u beside its doubt (exact zeros stay exact where nothing could underflow)."""
    if not (np.isfinite(terms).all() and np.isfinite(doubts).all()):
        return UNKNOWN
    if not (inexact or terms.any() or doubts.any()):
        return Enclosed(0.0, 0.0)
    size = float(abs(terms).sum())
    value, sum_error = _total(terms, size)
    radius = (float(doubts.sum()) + 4 * unit * size) * (1 + 1e-6) + sum_error + TINY * terms.size
    if not (math.isfinite(value) and math.isfinite(radius)):
        return UNKNOWN
    return Enclosed(value, radius)


def _total(terms: Real, size: float) -> tuple[float, float]:
    """The sum in extended precision where the machine has one, correctly rounded otherwise; and what it may be off by."""
    if EXTENDED < EPS:
        value = float(terms.sum(dtype=np.longdouble))
        return value, size * rounding(terms.size, EXTENDED) * (1 + 1e-6) + abs(value) * EPS
    try:
        return math.fsum(terms.tolist()), 0.0
    except OverflowError:
        return math.nan, math.inf
