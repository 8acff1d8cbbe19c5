"""Student's interval of a mean, by which every study and verdict says how sure it is."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.stats import t as student

SURE = 0.95


@dataclass(frozen=True)
class Interval:
    """A mean and its Student interval; NaN below two numbers."""

    mean: float
    low: float
    high: float
    count: int

    def __format__(self, digits: str) -> str:
        mean, low, high = (f"{v:+{digits or '.2f'}}" for v in (self.mean, self.low, self.high))
        return f"{mean} [{low}, {high}]"

    def __str__(self) -> str:
        return format(self, "")


def interval(numbers: Sequence[float], level: float = SURE) -> Interval:
    """m = mean, m -+ t s / sqrt n with t the quantile of n - 1 degrees of freedom."""
    n = len(numbers)
    if n < 2:
        return Interval(math.nan, math.nan, math.nan, n)
    mean, deviation = float(np.mean(numbers)), float(np.std(numbers, ddof=1))
    half = float(student.ppf((1 + level) / 2, n - 1)) * deviation / math.sqrt(n)
    return Interval(mean, mean - half, mean + half, n)
