"""The exact loss against what defines it: directional derivatives, convex combinations, and points that are no members."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import msvm_ref as mr
from msvm_ref.conformance.losses.exact import Subdifferential, dot, exact_loss
from tests.small_problems import MACHINES

COSTS = ("linear", "quadratic")
GIVEN = mr.Machine(
    "given",
    [[[1, 0, 0], [1, -2, Fraction(1, 3)], [0, 1, -1]]] * 1
    + [[[-1, 2, 0], [0, 0, 0], [1, 1, -1]], [[-1, 0, 1], [0, -3, 1], [0, 0, 2]]],
    mr.TOTAL_SUM,
    [[0, -1, 2], [1, 1, 1], [-2, 0, Fraction(1, 2)]],
)
SHARED = mr.Machine("given, shared", GIVEN.margin, mr.TOTAL_MAX, GIVEN.target, sum_to_zero=True)


def points(rng, d, count):
    """Small integers and halves: kinks and ties are frequent."""
    for _ in range(count):
        yield tuple(Fraction(int(v), 2) for v in rng.integers(-4, 5, d)), int(rng.integers(d))


@pytest.mark.parametrize("cost", COSTS)
@pytest.mark.parametrize("machine", [*MACHINES, GIVEN, SHARED], ids=lambda m: m.name)
def test_the_support_function_is_the_directional_derivative(machine, cost):
    """L'(f; u) = max <u, s> over the subdifferential; L is piecewise of degree <= 2, so two quotients give L' exactly."""
    rng = np.random.default_rng(1)
    kinks = 0
    for d in (2, 3, 4) if machine.fixed_d is None else (machine.fixed_d,):
        loss = exact_loss(machine.with_cost(cost), d)
        for f, y in points(rng, d, 25):
            here, members = loss.value(f, y), loss.subdifferential(f, y)
            kinks += not members.smooth
            for _ in range(3):
                u = tuple(Fraction(int(v)) for v in rng.integers(-3, 4, d))

                def quotient(step, f=f, y=y, u=u, here=here, loss=loss):
                    moved = [a + step * b for a, b in zip(f, u, strict=True)]
                    return (loss.value(moved, y) - here) / step

                step = Fraction(1, 10**6)
                assert 2 * quotient(step / 2) - quotient(step) == members.support(u)
    if cost == "linear":
        assert kinks, "no kink was tried"


@pytest.mark.parametrize("machine", [*MACHINES, GIVEN, SHARED], ids=lambda m: m.name)
def test_distance_is_zero_on_members_and_positive_beyond_a_support(machine):
    rng = np.random.default_rng(2)
    d = machine.fixed_d or 3
    loss = exact_loss(machine, d)
    for f, y in points(rng, d, 60):
        members = loss.subdifferential(f, y)
        shares = [Fraction(int(v), 8) for v in rng.integers(0, 9, len(members.segments))]
        weights = [Fraction(int(v) + 1) for v in rng.integers(0, 5, max(1, len(members.points)))]
        corners = members.points or ((Fraction(0),) * d,)
        inside = tuple(
            members.base[m]
            + sum(s * v[m] for s, v in zip(shares, members.segments, strict=True))
            + sum(w * p[m] for w, p in zip(weights, corners, strict=True)) / sum(weights)
            for m in range(d)
        )
        assert members.distance(inside) == 0
        u = tuple(Fraction(int(v)) for v in rng.integers(-3, 4, d))
        if any(u):
            size = sum(abs(v) for v in u)
            excess = Fraction(1, 1000)
            step = (members.support(u) - dot(inside, u) + excess) / dot(u, u)
            outside = tuple(a + step * b for a, b in zip(inside, u, strict=True))
            assert members.distance(outside) >= excess / size


def test_a_box_is_not_enough():
    """The intervals of the components contain (1, 1); the segment from (1, 0) to (0, 1) does not."""
    zero, one = Fraction(0), Fraction(1)
    members = Subdifferential((zero, zero), points=((one, zero), (zero, one)))
    assert members.intervals() == ((0, 1), (0, 1))
    assert members.distance((one, one)) == Fraction(1, 2)
    assert members.distance((Fraction(1, 3), Fraction(2, 3))) == 0


def test_clearance_is_the_distance_to_the_nearest_kink_the_point_is_not_on():
    loss = exact_loss(mr.WW, 3)
    f = tuple(map(Fraction, (2, 0, Fraction(1, 4))))
    assert loss.at_kink(f, 0)
    assert loss.clearance(f, 0) == Fraction(1, 8)
    assert exact_loss(mr.CS, 3).clearance(tuple(map(Fraction, (0, 1, 1))), 0) == Fraction(3, 2)
