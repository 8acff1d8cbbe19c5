"""HL (18), one example's block: sorting and fixed point against cvxpy on the block alone."""

from __future__ import annotations

import cvxpy as cp
import numpy as np
import pytest

from msvm_ref.solvers.classic.cs_block import (
    solve_block,
    threshold_by_fixed_point,
    threshold_by_sorting,
)


def block(A, B, own, C, by_sorting):
    a = np.empty(len(B))
    solve_block(A, B, own, C, by_sorting, a)
    return a


def value(A, B, a):
    return A * a @ a / 2 + B @ a


def reference(A, B, own, C):
    a = cp.Variable(len(B))
    bound = C * np.eye(len(B))[own]
    cp.Problem(cp.Minimize(A / 2 * cp.sum_squares(a) + B @ a), [cp.sum(a) == 0, a <= bound]).solve(
        solver="CLARABEL"
    )
    return a.value


@pytest.mark.parametrize("by_sorting", [True, False], ids=["sorting", "fixed point"])
def test_against_cvxpy(by_sorting):
    rng = np.random.default_rng(0)
    for k in (2, 3, 7):
        for A, C in ((1.0, 1.0), (4.0, 0.01), (0.02, 3.0), (0.0, 2.0)):
            B, own = rng.normal(size=k).round(2), int(rng.integers(k))
            a = block(A, B, own, C, by_sorting)
            assert abs(a.sum()) <= 1e-14 * C
            assert (a <= C * np.eye(k)[own]).all()
            best = reference(A, B, own, C)
            assert value(A, B, a) <= value(A, B, best) + 1e-6 * C
            assert value(A, B, a) >= value(A, B, best) - 1e-6 * C


def test_both_find_the_same_threshold_and_it_solves_the_equation():
    rng = np.random.default_rng(1)
    for k in (2, 3, 5, 40):
        for mass in (1e-6, 0.3, 50.0, 1e20):
            for B in (rng.normal(size=k), np.zeros(k), rng.integers(3, size=k).astype(float)):
                own = int(rng.integers(k))
                theta = threshold_by_sorting(B, own, mass)
                rivals = np.maximum(np.delete(B, own) - theta, 0).sum()
                assert rivals == pytest.approx(min(theta - B[own], mass), rel=1e-9, abs=1e-14)
                assert threshold_by_fixed_point(B, own, mass) == pytest.approx(theta, abs=1e-9)


def test_kkt_holds_at_the_block_solution():
    """G = A a + B: every free component has the largest gradient (19)."""
    rng = np.random.default_rng(2)
    for C in (1e-3, 1.3, 1e15):
        for _ in range(20):
            B, own = rng.normal(size=5), int(rng.integers(5))
            a = block(0.7, B, own, C, True)
            G = 0.7 * a + B
            free = a < C * np.eye(5)[own]
            assert G.max() - G[free].min() <= 1e-12
