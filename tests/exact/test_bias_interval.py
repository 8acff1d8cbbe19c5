"""The exact range of b: its ends are optimal, anything beyond is not."""

from fractions import Fraction

import pytest

import msvm_ref as mr
from msvm_ref.exact.bias import bias_interval
from msvm_ref.exact.check import check_exact
from msvm_ref.solvers.exact_optimum import exact_optimum


def test_two_points_and_a_bias_between_them():
    # zero features, one example of each of two classes: MMR needs (b, -b) with loss [1-b]+ + [1+b]+, least for |b| <= 1
    optimum = exact_optimum(mr.Problem(mr.MMR, [[0.0], [0.0]], [0, 1], bias="free"))
    assert optimum.value == 2
    assert bias_interval(optimum) == ((-1, 1), (-1, 1))


def test_unbounded_where_nothing_holds_it():
    optimum = exact_optimum(mr.Problem(mr.MMR_ORTHO, [[1.0], [2.0]], [0, 1], bias="free"))
    assert optimum.value == 0
    assert bias_interval(optimum) == ((1, None), (1, None))


@pytest.mark.parametrize("machine", [mr.OVA, mr.LLW, mr.ATS, mr.AMO], ids=lambda m: m.name)
def test_ends_are_optimal_and_beyond_is_not(machine):
    problem = mr.Problem(machine, [[0.0], [0.0], [1.0]], [0, 1, 0], bias="free", n_classes=2)
    optimum = exact_optimum(problem)
    for end, step in ((0, -1), (1, 1)):
        edge = bias_interval(optimum)[0][end]
        if edge is None:
            continue
        other = bias_interval(optimum)[1][1 - end] if machine.sum_to_zero else optimum.b[1]
        assert check_exact(problem, optimum.value, optimum.W, (edge, other), optimum.alpha) == []
        past = edge + step * Fraction(1, 10**12)
        shifted = (past, -past) if machine.sum_to_zero else (past, other)
        assert check_exact(problem, optimum.value, optimum.W, shifted, optimum.alpha)


@pytest.mark.parametrize("bias", ["none", "penalized"])
def test_unique_where_the_bias_is_not_free(bias):
    optimum = exact_optimum(mr.Problem(mr.CS, [[1.0], [-1.0]], [0, 1], bias=bias))
    assert bias_interval(optimum) == tuple((v, v) for v in optimum.b)
