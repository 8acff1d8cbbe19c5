"""The exact checker: is this an optimum, to the last digit? It shares no code with the finder, not even the conversions.

By weak duality D(alpha) <= optimum <= P(f) for every feasible pair, so feasibility and P == D == value, all in
rationals, is a complete proof. Nothing here depends on how the numbers were found. With f_i = s_i + b:

    P = 1/2 ||f||^2 [+ 1/2 ||b||^2 penalized] + sum_i C_i sum_r phi(xi_ir),   xi_ir = max(0, max_{p in r} gamma - <nu_p, f_i>)
    D = sum gamma alpha - 1/2 ||A||^2 [- 1/2 ||1'A||^2 penalized] - sum h (group sum)^2 / (2 C_i)
    A[i,m] = sum_p alpha[i,p] (Pi nu)[y_i,p,m],   Pi subtracts the mean over m under sum-to-zero, else Pi = I.

phi and h are the cost's (``model/cost.py``).

An optimum is stated in one of two ways, which differ in the scores and in the norm alone:

    by weights        s = Phi W,   ||f||^2 = ||W||^2,     ||A||^2 = ||Phi' A||^2    (``check_exact``)
    by coefficients   s = K B,     ||f||^2 = tr B'K B,    ||A||^2 = tr A'K A        (``check_kernel``)

K is recomputed here entry by entry, and proved symmetric positive semi-definite where theory does not promise it: without
that, weak duality would prove nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from flint import arb, ctx, fmpq, fmpq_mat

from msvm_ref.model.kernels import Polynomial
from msvm_ref.model.problem import Problem

BALL_BITS, MOST_EXACT = 600, 60
"""Precision of the positivity proof, and the size up to which an undecided one is repeated in rationals."""


def check_exact(problem: Problem, value: Any, W: Any, b: Any, alpha: Any) -> list[str]:
    """Everything wrong with an optimum stated as f = Phi W + b; an empty list is a proof of optimality."""
    misshapen = _shape_faults(problem, {"W": (W, problem.features.shape[1])}, b, alpha)
    if misshapen:
        return misshapen
    phi, weights, multipliers = _matrix(problem.dense_features), _matrix(W), _matrix(alpha)
    image = phi.transpose() * expansion(problem, multipliers)
    bias = [_exact(v) for v in b]
    return [
        *_primal_faults(problem, "W", weights, bias),
        *dual_faults(problem, multipliers),
        *_value_faults(
            _exact(value),
            primal_value(problem, phi * weights, _half_square(weights.entries()), bias),
            dual_value(problem, multipliers, _half_square(image.entries())),
        ),
    ]


def check_kernel(problem: Problem, value: Any, coef: Any, b: Any, alpha: Any) -> list[str]:
    """Everything wrong with an optimum stated as f = K B + b; an empty list is a proof of optimality."""
    misshapen = _shape_faults(problem, {"B": (coef, problem.n)}, b, alpha)
    faults = gram_faults(problem) + misshapen
    if faults:
        return faults
    gram, coefficients, multipliers = _gram(problem), _matrix(coef), _matrix(alpha)
    bias = [_exact(v) for v in b]
    return [
        *_primal_faults(problem, "B", coefficients, bias),
        *dual_faults(problem, multipliers),
        *_value_faults(
            _exact(value),
            primal_value(problem, gram * coefficients, _half_energy(gram, coefficients), bias),
            dual_value(problem, multipliers, _half_energy(gram, expansion(problem, multipliers))),
        ),
    ]


def _shape_faults(
    problem: Problem, function: dict[str, tuple[Any, int]], b: Any, alpha: Any
) -> list[str]:
    """Which of the stated arrays does not have the rows it must, each with one entry per class."""
    stated = function | {"b": ([b], 1), "alpha": (alpha, problem.n)}
    return [
        f"{name} does not have {height} rows of {problem.d} entries"
        for name, (rows, height) in stated.items()
        if len(rows) != height or any(len(row) != problem.d for row in rows)
    ]


def _primal_faults(problem: Problem, name: str, rows: fmpq_mat, b: list[fmpq]) -> list[str]:
    faults = []
    if problem.bias == "none" and any(b):
        faults.append("b is not zero although the problem has no bias")
    if problem.machine.sum_to_zero:
        faults += [
            f"row {k} of {name} does not sum to zero"
            for k, row in enumerate(rows.tolist())
            if sum(row, fmpq(0))
        ]
        if sum(b, fmpq(0)):
            faults.append("b does not sum to zero")
    return faults


def dual_faults(problem: Problem, alpha: fmpq_mat) -> list[str]:
    faults = []
    for i, row in enumerate(alpha.tolist()):
        cost = _exact(problem.exact_cost(i))
        groups = _slack_groups(problem, i)
        counted = {p for group in groups for p in group}
        faults += [f"alpha[{i},{p}] is negative" for p, v in enumerate(row) if v < 0]
        faults += [
            f"alpha[{i},{p}] is not zero on a component that does not count"
            for p, v in enumerate(row)
            if v != 0 and p not in counted
        ]
        if problem.machine.slack_cost.capped or cost == 0:
            faults += [
                f"alpha[{i},{group}] sums to more than C_i"
                for group in groups
                if sum((row[p] for p in group), fmpq(0)) > cost
            ]
    if problem.bias == "free":
        sums = _column_sums(expansion(problem, alpha))
        faults += [
            f"sum alpha Pi nu is not zero for class {m}" for m, v in enumerate(sums) if v != 0
        ]
    return faults


def _value_faults(value: fmpq, primal: fmpq, dual: fmpq) -> list[str]:
    return [
        f"{name} is {_near(computed)}, not the value {_near(value)}: they differ by {_near(computed - value)}"
        for name, computed in (("P(f)", primal), ("D(alpha)", dual))
        if computed != value
    ]


def primal_value(problem: Problem, scores: fmpq_mat, half_norm: fmpq, b: list[fmpq]) -> fmpq:
    """P from the scores without b, s, and 1/2 ||f||^2."""
    nu, gamma = problem.machine.nu(problem.d), problem.machine.gamma(problem.d)
    total = half_norm + (_half_square(b) if problem.bias == "penalized" else 0)
    for i, row in enumerate(scores.tolist()):
        y, f = int(problem.y[i]), [s + v for s, v in zip(row, b, strict=True)]
        for group in _slack_groups(problem, i):
            violations = [
                _exact(gamma[y][p])
                - sum((_exact(u) * s for u, s in zip(nu[y][p], f, strict=True)), fmpq(0))
                for p in group
            ]
            total += _exact(problem.exact_cost(i)) * _phi(problem, max(fmpq(0), *violations))
    return total


def _phi(problem: Problem, xi: fmpq) -> fmpq:
    """xi; with a width h, xi^2 / (2h), and beyond h, where the cost is capped, xi - h/2."""
    capped, width = problem.machine.slack_cost
    h = _exact(width)
    if h == 0 or (capped and xi >= h):
        return xi - h / 2
    return xi * xi / (2 * h)


def dual_value(problem: Problem, alpha: fmpq_mat, half_norm: fmpq) -> fmpq:
    """D from alpha and 1/2 ||A||^2, A its expansion."""
    gamma, total = problem.machine.gamma(problem.d), -half_norm
    if problem.bias == "penalized":
        total -= _half_square(_column_sums(expansion(problem, alpha)))
    for i, row in enumerate(alpha.tolist()):
        total += sum(
            (_exact(g) * v for g, v in zip(gamma[problem.y[i]], row, strict=True)), fmpq(0)
        )
        if problem.costs[i] > 0:
            squares = (
                sum((row[p] for p in group), fmpq(0)) ** 2 for group in _slack_groups(problem, i)
            )
            h = _exact(problem.machine.slack_cost.width)
            total -= h * sum(squares, fmpq(0)) / (2 * _exact(problem.exact_cost(i)))
    return total


def expansion(problem: Problem, alpha: fmpq_mat) -> fmpq_mat:
    """A[i,m] = sum_p alpha[i,p] (Pi nu)[y_i,p,m]."""
    nu, d = problem.machine.nu(problem.d), problem.d
    rows = []
    for i, row in enumerate(alpha.tolist()):
        image = [
            sum((row[p] * _exact(nu[problem.y[i]][p][m]) for p in range(d)), fmpq(0))
            for m in range(d)
        ]
        mean = sum(image, fmpq(0)) / d if problem.machine.sum_to_zero else fmpq(0)
        rows.append([v - mean for v in image])
    return fmpq_mat(rows)


def _slack_groups(problem: Problem, i: int) -> list[list[int]]:
    """The components of example i that count, one list per slack."""
    y, aggregation = int(problem.y[i]), problem.machine.aggregation
    counted = [
        p
        for p in range(problem.d)
        if {"self": p == y, "others": p != y, "all": True}[aggregation.components]
    ]
    return [counted] if aggregation.slack == "shared" else [[p] for p in counted]


def gram_faults(problem: Problem) -> list[str]:
    """Nothing, if K is a kernel matrix by theory (linear, polynomial) or proved so; else what it is not."""
    if problem.is_linear or isinstance(problem.kernel.function, Polynomial):
        return []
    if not np.array_equal(problem.gram, problem.gram.T):
        return ["the float64 Gram matrix is not exactly symmetric"]
    if not _positive_semidefinite(_gram(problem)):
        return ["the float64 Gram matrix is not exactly positive semi-definite"]
    return []


def _gram(problem: Problem) -> fmpq_mat:
    """k(x_i, x_j), entry by entry."""
    function = problem.kernel.function
    if not (problem.is_linear or isinstance(function, Polynomial)):
        return _matrix(problem.gram)
    points = [[_exact(v) for v in row] for row in problem.X.tolist()]
    inner = [
        [sum((u * v for u, v in zip(a, b, strict=True)), fmpq(0)) for b in points] for a in points
    ]
    if isinstance(function, Polynomial):
        inner = [
            [(_exact(function.gamma) * v + _exact(function.coef0)) ** function.degree for v in row]
            for row in inner
        ]
    return fmpq_mat(inner)


def _positive_semidefinite(gram: fmpq_mat) -> bool:
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


def _half_square(values: Sequence[fmpq]) -> fmpq:
    return sum((v * v for v in values), fmpq(0)) / 2


def _half_energy(gram: fmpq_mat, A: fmpq_mat) -> fmpq:
    """1/2 tr A'KA"""
    return sum((u * v for u, v in zip(A.entries(), (gram * A).entries(), strict=True)), fmpq(0)) / 2


def _column_sums(matrix: fmpq_mat) -> list[fmpq]:
    return [sum(column, fmpq(0)) for column in zip(*matrix.tolist(), strict=True)]


def _exact(value: Any) -> fmpq:
    return value if isinstance(value, fmpq) else fmpq(*value.as_integer_ratio())


def _matrix(rows: Any) -> fmpq_mat:
    listed = rows.tolist() if hasattr(rows, "tolist") else [list(row) for row in rows]
    return fmpq_mat(
        len(listed), len(listed[0]) if listed else 0, [_exact(v) for row in listed for v in row]
    )


def _near(value: fmpq) -> str:
    return (
        str(value)
        if len(str(value)) < 40
        else f"{float(int(value.p * 10**17 // value.q)) / 1e17:.17g}..."
    )
