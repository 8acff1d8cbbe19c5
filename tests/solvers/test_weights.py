"""C_i = C * weight_i for every method: against the rational optimum of the problem with each example as often as it weighs."""

from __future__ import annotations

from fractions import Fraction
from functools import cache

import numpy as np
import pytest

import msvm_ref as mr
from msvm_ref.errors import MsvmError
from msvm_ref.exact.optimum import prove_optimum
from msvm_ref.judge.candidate import Candidate
from msvm_ref.solvers.methods import METHODS
from tests.small_problems import COSTS

X = np.array([[2, 1], [1, -1], [-1, 2], [-2, -1], [1, 3], [-1, -2], [0.5, 0.5]])
Y = np.array([0, 1, 2, 0, 1, 2, 0])
TIMES = np.array([1, 3, 0, 2, 1, 2, 4])
LOOSE = {"m1-ksk": 1e-2}
OPTIONS = {"alternation": {"max_iterations": 20_000}}
"""Alternation need not converge with a linear kernel; its enclosure holds all the same."""
ANY = [
    *(machine.with_cost(cost) for machine in (mr.WW, mr.CS) for cost in COSTS),
    mr.RM(Fraction(1, 4)).with_cost("quadratic"),
    mr.LLW,
    mr.ATM,
]


@cache
def optimum(machine: mr.Machine, bias: str) -> Fraction:
    """Of the repeated examples, which knows no weight, from a start that knows nothing."""
    rows = np.repeat(np.arange(len(Y)), TIMES)
    repeated = mr.Problem(machine, X[rows], Y[rows], C=0.5, bias=bias, n_classes=3)
    start = Candidate(np.zeros((2, 3)), np.zeros(3), np.zeros((len(rows), 3)))
    return prove_optimum(repeated, start).value


@pytest.mark.parametrize("method", METHODS)
def test_a_weight_is_so_many_copies(method):
    taken = 0
    for machine in ANY:
        for bias in ("none", "free", "penalized"):
            weighted = mr.Problem(
                machine, X, Y, C=0.5, bias=bias, n_classes=3, sample_weight=TIMES.astype(float)
            )
            try:
                solution = mr.solve(
                    weighted, method, tolerance=LOOSE.get(method, 1e-6), **OPTIONS.get(method, {})
                )
            except MsvmError:
                continue  # not a machine of this method's paper
            taken += solution.converged
            assert solution.converged or method in OPTIONS, (machine, bias, solution)
            value, c = optimum(machine, bias), solution.certificate
            assert Fraction(c.lower) <= value <= Fraction(c.upper), (machine, bias, solution)
            assert not solution.alpha[TIMES == 0].any()
    assert taken, "no machine of the table is taken"
