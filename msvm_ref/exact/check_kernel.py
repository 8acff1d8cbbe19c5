"""The exact checker for optima stated with the kernel's own Gram: f = K A + b, coefficients A instead of weights.

    P = 1/2 tr A'KA [+ 1/2 ||b||^2 penalized] + sum_i C_i sum_r xi_ir^q,   D = sum gamma alpha - 1/2 tr B'KB [...]

as in ``exact_check``, whose feasibility tests it uses. K is recomputed here entry by entry, and proved symmetric positive
semi-definite where theory does not promise it: without that, weak duality would prove nothing.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
from flint import arb, ctx, fmpq, fmpq_mat

from msvm_ref.exact.check import dual_faults, exact, expansion, shape_faults, slack_groups
from msvm_ref.model.kernels import Polynomial
from msvm_ref.model.problem import Problem

BALL_BITS, MOST_EXACT = 600, 60
"""Precision of the positivity proof, and the size up to which an undecided one is repeated in rationals."""


def gram_faults(problem: Problem) -> list[str]:
    """Nothing, if K is a kernel matrix by theory (linear, polynomial) or proved so; else what it is not."""
    if problem.is_linear or isinstance(problem.kernel.function, Polynomial):
        return []
    if not np.array_equal(problem.gram, problem.gram.T):
        return ["the float64 Gram matrix is not exactly symmetric"]
    return (
        []
        if positive_semidefinite(_gram(problem))
        else ["the float64 Gram matrix is not exactly positive semi-definite"]
    )


def _gram(problem: Problem) -> fmpq_mat:
    """k(x_i, x_j), entry by entry."""
    function = problem.kernel.function
    if not (problem.is_linear or isinstance(function, Polynomial)):
        return fmpq_mat([[exact(v) for v in row] for row in problem.gram.tolist()])
    points = [[exact(v) for v in row] for row in problem.X.tolist()]
    inner = [
        [sum((u * v for u, v in zip(a, b, strict=True)), fmpq(0)) for b in points] for a in points
    ]
    if isinstance(function, Polynomial):
        inner = [
            [(exact(function.gamma) * v + exact(function.coef0)) ** function.degree for v in row]
            for row in inner
        ]
    return fmpq_mat(inner)


def positive_semidefinite(gram: fmpq_mat) -> bool:
    """Symmetric elimination: every pivot > 0 in balls is a proof; where a ball is undecided, exactly, zero pivots' rows zero.

    Repeated rows (repeated examples) are dropped first: they change nothing, and they are what makes a Gram singular.
    """
    lines = [tuple(row) for row in gram.tolist()]
    keep = [k for k, line in enumerate(lines) if lines.index(line) == k]
    rows = [[lines[i][j] for j in keep] for i in keep]
    with ctx.workprec(BALL_BITS):
        verdict = _eliminated([[arb(v) for v in row] for row in rows])
    return verdict if verdict is not None else len(rows) <= MOST_EXACT and _eliminated(rows) is True


def _eliminated(rows: Any) -> bool | None:
    """PSD or not; None where a pivot ball contains zero (never for rationals)."""
    while rows:
        pivot, *rest = rows[0]
        if pivot < 0:
            return False
        if pivot > 0:
            rows = [
                [v - row[0] * u / pivot for v, u in zip(row[1:], rest, strict=True)]
                for row in rows[1:]
            ]
        elif isinstance(pivot, arb):
            return None
        elif any(rest):
            return False
        else:
            rows = [row[1:] for row in rows[1:]]
    return True


def check_kernel(problem: Problem, value: Any, coef: Any, b: Any, alpha: Any) -> list[str]:
    """Everything wrong with an optimum stated as f = K A + b; an empty list is a proof of optimality."""
    n, d, machine = problem.n, problem.d, problem.machine
    faults = gram_faults(problem) + shape_faults(
        {"A": (coef, n, d), "b": ([b], 1, d), "alpha": (alpha, n, d)}
    )
    if faults:
        return faults
    gram = _gram(problem)
    A = fmpq_mat([[exact(v) for v in row] for row in coef])
    multipliers = fmpq_mat([[exact(v) for v in row] for row in alpha])
    bias, wanted = [exact(v) for v in b], exact(value)
    faults += dual_faults(problem, multipliers)
    if machine.sum_to_zero and (any(sum(row, fmpq(0)) for row in A.tolist()) or sum(bias, fmpq(0))):
        faults.append("A or b does not sum to zero over the classes")
    if problem.bias == "none" and any(bias):
        faults.append("b is not zero although the problem has no bias")
    penalized, quadratic = problem.bias == "penalized", machine.cost == "quadratic"
    B = expansion(problem, multipliers)
    primal = _energy(gram, A) + (sum((v * v for v in bias), fmpq(0)) / 2 if penalized else 0)
    dual = -_energy(gram + fmpq_mat(n, n, [int(penalized)] * n**2), B)
    scores, nu, gamma = (gram * A).tolist(), machine.nu(d), machine.gamma(d)
    for i, y in enumerate(problem.y.tolist()):
        cost = exact(problem.exact_cost(i))
        for group in slack_groups(problem, i):
            t = [
                exact(gamma[y][p])
                - sum(
                    (exact(u) * (f + v) for u, f, v in zip(nu[y][p], scores[i], bias, strict=True)),
                    fmpq(0),
                )
                for p in group
            ]
            mass = sum((multipliers[i, p] for p in group), fmpq(0))
            primal += cost * max(fmpq(0), *t) ** (2 if quadratic else 1)
            dual -= mass * mass / (4 * cost) if quadratic and cost else 0
            dual += sum((exact(gamma[y][p]) * multipliers[i, p] for p in group), fmpq(0))
    faults += (
        [f"P(A, b) differs from the value by {_size(primal - wanted):.3g}"]
        if primal != wanted
        else []
    )
    faults += (
        [f"D(alpha) differs from the value by {_size(dual - wanted):.3g}"] if dual != wanted else []
    )
    return faults


def _energy(gram: fmpq_mat, A: fmpq_mat) -> fmpq:
    """1/2 tr A'KA"""
    return sum((u * v for u, v in zip(A.entries(), (gram * A).entries(), strict=True)), fmpq(0)) / 2


def _size(value: fmpq) -> float:
    return float(Fraction(int(value.p), int(value.q)))
