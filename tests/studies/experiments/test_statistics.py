"""The statistic, against all sign patterns, and against statistics that are nearly it."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy.stats import rankdata, wilcoxon

from msvm_ref.studies.experiments.plan import _LIMIT, _beyond
from msvm_ref.studies.experiments.statistics import (
    difference_in_deviations,
    mean_and_deviation,
    signed_rank_p,
)


def by_enumeration(a, b):
    d = np.subtract(a, b)
    d = d[d != 0]
    ranks = rankdata(abs(d))
    t = ranks[d > 0].sum()
    sums = [ranks[list(signs)].sum() for signs in itertools.product([False, True], repeat=len(d))]
    return np.mean([s >= t - 1e-9 for s in sums])


@pytest.mark.parametrize("seed", range(8))
def test_it_is_the_share_of_sign_patterns_ties_and_zeros_included(seed):
    rng = np.random.default_rng(seed)
    a, b = rng.integers(0, 6, (2, 9)).astype(float)
    assert signed_rank_p(a, b) == pytest.approx(by_enumeration(a, b), abs=1e-12)


def test_rounding_breaks_no_tie():
    """As the values of a file, which have six digits."""
    right = np.random.default_rng(1).integers(60, 90, (2, 30))
    exact = 100 * right / 94
    rounded = [[float(f"{v:.6g}") for v in row] for row in exact]
    assert signed_rank_p(*rounded) == signed_rank_p(*exact) == signed_rank_p(*right)


def test_it_is_scipys_exact_test_without_ties():
    rng = np.random.default_rng(0)
    a, b = 1000 * rng.random((2, 40))
    other = wilcoxon(a, b, alternative="greater", method="exact").pvalue
    assert signed_rank_p(a, b) == pytest.approx(other, rel=1e-9)


MUTANTS = {
    "two-sided": lambda a, b: 2 * by_enumeration(a, b),
    "the other side": lambda a, b: by_enumeration(b, a),
    "unpaired": lambda a, b: by_enumeration(a, np.sort(b)),
    "sign test": lambda a, b: by_enumeration(np.sign(np.subtract(a, b)), np.zeros(len(a))),
}


@pytest.mark.parametrize("name", MUTANTS)
def test_what_is_nearly_the_statistic_is_another(name):
    a, b = [5.0, 4.0, 7.0, 6.0, 1.0, 3.0], [1.0, 3.0, 2.0, 3.5, 2.5, 0.0]
    assert signed_rank_p(a, b) == pytest.approx(by_enumeration(a, b))
    assert abs(signed_rank_p(a, b) - MUTANTS[name](a, b)) > 1e-3


def test_ends():
    assert signed_rank_p([1, 1], [1, 1]) == 1.0
    assert signed_rank_p([1.0] * 100, [0.0] * 100) == pytest.approx(2.0**-100)
    assert mean_and_deviation([1.0, 3.0]) == (2.0, math.sqrt(2))
    assert mean_and_deviation([5.0]) == (5.0, 0.0)
    assert difference_in_deviations((3.0, 1.0), (1.0, 1.0)) == 2.0
    assert difference_in_deviations((3.0, 0.0), (1.0, math.sqrt(8))) == 1.0
    assert difference_in_deviations((3.0, 0.0), (1.0, None)) is None
    assert difference_in_deviations((1.0, 0.0), (1.0, 0.0)) == 0.0


def test_a_grid_is_extended_at_its_border_only_and_to_its_limit():
    assert _beyond([0, 3, 6], 3, 3, (-12, 24)) is None
    assert _beyond([0, 3, 6], 0, 3, (-12, 24)) == -3
    assert _beyond([0, 3, 6], 6, 3, (-12, 24)) == 9
    assert _beyond([0, 3, 6], 6, 3, (-12, 8)) is _LIMIT
    assert _beyond([0], 0, 3, (-12, 24)) is None
