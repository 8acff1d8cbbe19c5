"""The exact simplex against scipy's, and its verdicts on infeasible and unbounded programs."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from scipy.optimize import linprog

from msvm_ref.exact.linear_algebra import maximize, rank
from msvm_ref.exact.lp import UnboundedError


def rationals(values):
    return [[Fraction(int(v)) for v in row] for row in np.atleast_2d(values)]


@pytest.mark.parametrize("seed", range(40))
def test_maximize_agrees_with_highs(seed):
    rng = np.random.default_rng(seed)
    n, m = int(rng.integers(1, 5)), int(rng.integers(1, 6))
    A, b, c = rng.integers(-3, 4, (m, n)), rng.integers(-2, 5, m), rng.integers(-3, 4, n)
    E, e = rng.integers(-2, 3, (int(rng.integers(0, 2)), n)), rng.integers(-1, 2, 1)
    e = e[: len(E)]
    theirs = linprog(
        -c, A, b, E if len(E) else None, e if len(E) else None, bounds=[(None, None)] * n
    )
    equalities = (rationals(E), rationals(e)[0]) if len(E) else ([], [])
    arguments = (rationals(c)[0], rationals(A), rationals(b)[0], *equalities)
    if theirs.status == 0:
        ours = maximize(*arguments)
        assert float(ours.value) == pytest.approx(-theirs.fun, abs=1e-9)
        assert all(
            sum(a * x for a, x in zip(row, ours.x, strict=True)) <= rhs
            for row, rhs in zip(arguments[1], arguments[2], strict=True)
        )
    elif theirs.status == 2:
        assert maximize(*arguments) is None
    else:
        with pytest.raises(UnboundedError):
            maximize(*arguments)


@pytest.mark.parametrize("seed", range(20))
def test_rank_agrees_with_numpy(seed):
    rng = np.random.default_rng(seed)
    left, right = rng.integers(-2, 3, (5, 2)), rng.integers(-2, 3, (2, 4))
    assert rank(rationals(left @ right)) == np.linalg.matrix_rank(left @ right)
    assert rank([]) == 0
