"""Mean, deviation, and the test by which a paper calls a result not significantly worse than the best."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

TIE = 1e-3
"""Percent by which two accuracies are alike: more than they were rounded by, less than one example of 20 000 is worth."""
TIE_OF_MEANS = 2e-4
"""Percent by which two means of accuracies are alike: twice what rounding to six digits may do, less than one example of 2000
is worth in a hundred splits."""


def mean_and_deviation(values: Sequence[float]) -> tuple[float, float]:
    """m = sum v / n,  s^2 = sum (v - m)^2 / (n - 1); s = 0 for one value, m is NaN for none."""
    array = np.asarray(values, dtype=float)
    mean = float(array.mean()) if len(array) else math.nan
    return mean, float(array.std(ddof=1)) if len(array) > 1 else 0.0


def twice_midranks(ascending: NDArray[np.float64], tie: float) -> NDArray[np.int64]:
    """Twice the rank of each, 1 the first; those no further than ``tie`` from the one before share the mean of theirs."""
    group = np.cumsum(np.diff(ascending, prepend=-np.inf) > tie) - 1
    counts = np.bincount(group)
    return np.asarray((2 * np.cumsum(counts) - counts + 1)[group], dtype=np.int64)


def signed_rank_p(better: Sequence[float], worse: Sequence[float]) -> float:
    """P(T >= t), T = sum of the ranks |d_i| where d_i = better_i - worse_i > 0, over all signs of the d_i != 0 (Wilcoxon 1945).

    Exact whatever the ties (up to ``TIE``): midranks are doubled to whole numbers and the distribution of their sum is
    convolved. Without a difference the probability is 1.
    """
    d = np.asarray(better, dtype=float) - np.asarray(worse, dtype=float)
    d = d[np.abs(d) > TIE]
    if not len(d):
        return 1.0
    d = d[np.argsort(np.abs(d))]
    twice = twice_midranks(np.abs(d), TIE)
    total = int(twice[d > 0].sum())
    ways = np.zeros(int(twice.sum()) + 1)
    ways[0] = 1.0
    for rank in twice:
        shifted = np.zeros_like(ways)
        shifted[rank:] = ways[: len(ways) - rank]
        ways = (ways + shifted) / 2
    return float(min(1.0, math.fsum(ways[total:])))


def difference_in_deviations(
    ours: tuple[float, float], theirs: tuple[float, float | None]
) -> float | None:
    """(m - m') / sqrt((s^2 + s'^2) / 2); None where nothing is said of the spread."""
    if theirs[1] is None:
        return None
    spread = math.sqrt((ours[1] ** 2 + theirs[1] ** 2) / 2)
    if spread == 0:
        return 0.0 if ours[0] == theirs[0] else math.inf * np.sign(ours[0] - theirs[0])
    return (ours[0] - theirs[0]) / spread
