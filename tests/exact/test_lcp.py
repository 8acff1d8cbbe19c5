"""Lemke's method by itself: what it returns solves the problem, and where it returns nothing there is no solution."""

from __future__ import annotations

import numpy as np
import pytest
from flint import fmpq

from msvm_ref.exact.lcp import lemke


def unhurried() -> None:
    """No limit on time."""


def solved(M, q):
    z = lemke([[fmpq(int(v)) for v in row] for row in M], [fmpq(int(v)) for v in q], unhurried)
    if z is None:
        return None
    w = [
        sum((int(m) * v for m, v in zip(row, z, strict=True)), fmpq(int(c)))
        for row, c in zip(M, q, strict=True)
    ]
    assert min(z) >= 0
    assert min(w) >= 0
    assert sum((a * b for a, b in zip(w, z, strict=True)), fmpq(0)) == 0
    return z


@pytest.mark.parametrize("seed", range(20))
def test_a_convex_quadratic_program_is_solved(seed):
    """M = B B' with B of less than full rank, and q = M x - e with a slack e for which a solution exists; ties throughout."""
    rng = np.random.default_rng(seed)
    B = rng.integers(-2, 3, size=(6, 3))
    M, x, slack = B @ B.T, rng.integers(0, 3, 6), rng.integers(0, 2, 6)
    assert solved(M, np.where(x > 0, 0, slack) - M @ x) is not None


def test_many_pivots_lead_to_the_one_solution():
    """The matrix of a chain, positive definite: z = (1, 0, 3/2, 0), w = (0, 3/2, 0, 1/2)."""
    M = np.array([[2, 1, 0, 0], [1, 2, 1, 0], [0, 1, 2, 1], [0, 0, 1, 2]])
    assert solved(M, [-2, -1, -3, -1]) == [fmpq(1), fmpq(0), fmpq(3, 2), fmpq(0)]


def test_a_ray_means_that_there_is_no_solution():
    assert solved(np.zeros((2, 2)), [1, -1]) is None
    assert solved([[1, -1], [-1, 1]], [-1, -1]) is None


def test_nothing_to_do_is_nothing_done():
    assert solved(np.eye(3), [0, 1, 2]) == [fmpq(0)] * 3
