"""On tiny problems (n <= 3) the exact optimum is the best over *all* active sets, enumerated one by one."""

from itertools import chain, combinations, product

import numpy as np
import pytest
from flint import fmpq, fmpq_mat

import msvm_ref as mr
from msvm_ref.exact.check import dual_faults, dual_value, primal_value
from msvm_ref.solvers.exact_optimum import exact_optimum
from tests.small_problems import BIASES, COSTS, label, table


def states(group, quadratic):
    """(tight members, is the group full): every way a slack group can be active."""
    subsets = chain.from_iterable(combinations(group, k) for k in range(1, len(group) + 1))
    yield (), False
    for subset in subsets:
        yield subset, False
        if not quadratic:
            yield subset, True


def enumerated(problem):
    """The least P over the primal points of all active sets whose multipliers are feasible and give D = P."""
    n, d, machine = problem.n, problem.d, problem.machine
    nu = [
        [[fmpq(v.numerator, v.denominator) for v in row] for row in plane]
        for plane in machine.projected_nu(d)
    ]
    gamma = [[fmpq(v.numerator, v.denominator) for v in row] for row in machine.gamma(d)]
    phi = fmpq_mat([[fmpq(*float(v).as_integer_ratio()) for v in row] for row in problem.features])
    extra = fmpq_mat(n, n, [int(problem.bias == "penalized")] * n**2)
    K = phi * phi.transpose() + extra
    y, C, quadratic = (
        problem.y,
        [fmpq(*float(c).as_integer_ratio()) for c in problem.costs],
        machine.cost == "quadratic",
    )
    groups = []
    for i in range(n):
        counted = [(i, p) for p in range(d) if problem.spec.mask[y[i], p]]
        groups += [counted] if problem.spec.shared else [[pair] for pair in counted]
    free = problem.bias == "free"
    best = None
    for choice in product(*(list(states(group, quadratic)) for group in groups)):
        tight = [pair for subset, _ in choice for pair in subset]
        full = [k for k, (_, saturated) in enumerate(choice) if saturated]
        size = len(tight) + len(full) + (d if free else 0)
        rows = [[fmpq(0)] * size for _ in range(size)]
        rhs = (
            [gamma[y[i]][p] for i, p in tight]
            + [C[groups[k][0][0]] for k in full]
            + [fmpq(0)] * (d if free else 0)
        )
        owner = {pair: k for k, group in enumerate(groups) for pair in group}
        for a, (i, p) in enumerate(tight):
            for c, (j, q) in enumerate(tight):
                rows[a][c] = K[i, j] * sum(
                    (u * v for u, v in zip(nu[y[i]][p], nu[y[j]][q], strict=True)), fmpq(0)
                )
                if quadratic and owner[i, p] == owner[j, q]:
                    rows[a][c] += 1 / (2 * C[i])
            if owner[i, p] in full:
                column = len(tight) + full.index(owner[i, p])
                rows[a][column] = rows[column][a] = fmpq(1)
            for m in range(d if free else 0):
                column = len(tight) + len(full) + m
                rows[a][column] = rows[column][a] = nu[y[i]][p][m]
        x = solved(rows, rhs, size)
        if x is None:
            continue
        alpha = [[fmpq(0)] * d for _ in range(n)]
        for (i, p), value in zip(tight, x, strict=False):
            alpha[i][p] = value
        alpha = fmpq_mat(alpha)
        if dual_faults(problem, alpha):
            continue
        A = fmpq_mat(
            [
                [sum((alpha[i, p] * nu[y[i]][p][m] for p in range(d)), fmpq(0)) for m in range(d)]
                for i in range(n)
            ]
        )
        b = (
            x[len(tight) + len(full) :]
            if free
            else [
                sum(c, fmpq(0)) * int(problem.bias == "penalized")
                for c in zip(*A.tolist(), strict=True)
            ]
        )
        if free and machine.sum_to_zero:
            b = [v - sum(b, fmpq(0)) / d for v in b]
        W = phi.transpose() * A
        half_norm = sum((v * v for v in W.entries()), fmpq(0)) / 2
        primal = primal_value(problem, phi * W, half_norm, b)
        if primal == dual_value(problem, alpha, half_norm):
            best = primal if best is None else min(best, primal)
    return best


def solved(rows, rhs, size):
    """One solution of the square system (open unknowns zero), None where it has none."""
    if size == 0:
        return []
    reduced, rank = fmpq_mat([[*row, v] for row, v in zip(rows, rhs, strict=True)]).rref()
    x = [fmpq(0)] * size
    for line in reduced.tolist()[:rank]:
        pivot = next(j for j, v in enumerate(line) if v)
        if pivot == size:
            return None
        x[pivot] = line[size]
    return x


CASES = table((mr.CATALOGUE, BIASES, COSTS), ((False, True),))


@pytest.mark.parametrize(("machine", "bias", "cost", "more_examples"), CASES, ids=label)
def test_equals_the_enumeration(machine, bias, cost, more_examples):
    wide = ((3, 2), (2, 3)) if machine.aggregation.components != "all" else ((2, 2), (2, 3))
    d, n = wide[more_examples]
    X = np.random.default_rng([d, n, len(bias)]).integers(-2, 3, (n, 2)).astype(float)
    problem = mr.Problem(
        machine.with_cost(cost), X, np.arange(n) % d, C=0.5, bias=bias, n_classes=d
    )
    value = exact_optimum(problem).value
    assert enumerated(problem) == fmpq(value.numerator, value.denominator)
