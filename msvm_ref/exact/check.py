"""The exact checker: is this value, W, b, alpha an optimum, to the last digit? It shares no code with the finder.

By weak duality D(alpha) <= optimum <= P(W, b) for every feasible pair, so feasibility and P == D == value, all in
rationals, is a complete proof. Nothing here depends on how the numbers were found. The formulas, with f_i = W' phi_i + b:

    P = 1/2 ||W||^2 [+ 1/2 ||b||^2 penalized] + sum_i C_i sum_r xi_ir^q,   xi_ir = max(0, max_{p in r} gamma - <nu_p, f_i>)
    D = sum gamma alpha - 1/2 ||Phi' A||^2 [- 1/2 ||1'A||^2 penalized] [- sum (group sum)^2 / (4 C_i) for q = 2]
    A[i,m] = sum_p alpha[i,p] (Pi nu)[y_i,p,m],   Pi subtracts the mean over m under sum-to-zero, else Pi = I.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from flint import fmpq, fmpq_mat

from msvm_ref.model.problem import Problem


def check_exact(problem: Problem, value: Any, W: Any, b: Any, alpha: Any) -> list[str]:
    """Everything that is wrong, in words; an empty list is a proof of optimality."""
    n, rank, d = problem.n, problem.features.shape[1], problem.d
    misshapen = shape_faults({"W": (W, rank, d), "b": ([b], 1, d), "alpha": (alpha, n, d)})
    if misshapen:
        return misshapen
    phi, W, alpha = _matrix(problem.dense_features), _matrix(W), _matrix(alpha)
    b, value = [exact(v) for v in b], exact(value)
    faults = [*primal_faults(problem, W, b), *dual_faults(problem, alpha)]
    primal, dual = primal_value(problem, phi, W, b), dual_value(problem, phi, alpha)
    if primal != value:
        faults.append(
            f"P(W, b) is {_near(primal)}, not the value {_near(value)}: they differ by {_near(primal - value)}"
        )
    if dual != value:
        faults.append(
            f"D(alpha) is {_near(dual)}, not the value {_near(value)}: they differ by {_near(dual - value)}"
        )
    return faults


def shape_faults(stated: dict[str, tuple[Any, int, int]]) -> list[str]:
    """Which of the named (rows, height, width) has another shape."""
    return [
        f"{name} does not have {height} rows of {width} entries"
        for name, (rows, height, width) in stated.items()
        if len(rows) != height or any(len(row) != width for row in rows)
    ]


def primal_faults(problem: Problem, W: fmpq_mat, b: list[fmpq]) -> list[str]:
    faults = []
    if problem.bias == "none" and any(b):
        faults.append("b is not zero although the problem has no bias")
    if problem.machine.sum_to_zero:
        faults += [
            f"row {k} of W does not sum to zero"
            for k, row in enumerate(W.tolist())
            if sum(row, fmpq(0))
        ]
        if sum(b, fmpq(0)):
            faults.append("b does not sum to zero")
    return faults


def dual_faults(problem: Problem, alpha: fmpq_mat) -> list[str]:
    faults = []
    linear = problem.machine.cost == "linear"
    for i, row in enumerate(alpha.tolist()):
        cost = exact(problem.exact_cost(i))
        groups = slack_groups(problem, i)
        counted = {p for group in groups for p in group}
        faults += [f"alpha[{i},{p}] is negative" for p, v in enumerate(row) if v < 0]
        faults += [
            f"alpha[{i},{p}] is not zero on a component that does not count"
            for p, v in enumerate(row)
            if v != 0 and p not in counted
        ]
        if linear or cost == 0:
            faults += [
                f"alpha[{i},{group}] sums to more than C_i"
                for group in groups
                if sum((row[p] for p in group), fmpq(0)) > cost
            ]
    if problem.bias == "free":
        sums = [
            sum(column, fmpq(0)) for column in zip(*expansion(problem, alpha).tolist(), strict=True)
        ]
        faults += [
            f"sum alpha Pi nu is not zero for class {m}" for m, v in enumerate(sums) if v != 0
        ]
    return faults


def primal_value(problem: Problem, phi: fmpq_mat, W: fmpq_mat, b: list[fmpq]) -> fmpq:
    power = 1 if problem.machine.cost == "linear" else 2
    nu, gamma = problem.machine.nu(problem.d), problem.machine.gamma(problem.d)
    total = _half_square(W.entries()) + (_half_square(b) if problem.bias == "penalized" else 0)
    for i, row in enumerate((phi * W).tolist()):
        y, f = int(problem.y[i]), [s + v for s, v in zip(row, b, strict=True)]
        for group in slack_groups(problem, i):
            violations = [
                exact(gamma[y][p])
                - sum((exact(u) * s for u, s in zip(nu[y][p], f, strict=True)), fmpq(0))
                for p in group
            ]
            total += exact(problem.exact_cost(i)) * max(fmpq(0), *violations) ** power
    return total


def dual_value(problem: Problem, phi: fmpq_mat, alpha: fmpq_mat) -> fmpq:
    gamma, A = problem.machine.gamma(problem.d), expansion(problem, alpha)
    total = -_half_square((phi.transpose() * A).entries())
    if problem.bias == "penalized":
        total -= _half_square([sum(column, fmpq(0)) for column in zip(*A.tolist(), strict=True)])
    for i, row in enumerate(alpha.tolist()):
        total += sum((exact(g) * v for g, v in zip(gamma[problem.y[i]], row, strict=True)), fmpq(0))
        if problem.machine.cost == "quadratic" and problem.costs[i] > 0:
            total -= sum(
                (sum((row[p] for p in group), fmpq(0)) ** 2 for group in slack_groups(problem, i)),
                fmpq(0),
            ) / (4 * exact(problem.exact_cost(i)))
    return total


def expansion(problem: Problem, alpha: fmpq_mat) -> fmpq_mat:
    nu, d = problem.machine.nu(problem.d), problem.d
    rows = []
    for i, row in enumerate(alpha.tolist()):
        image = [
            sum((row[p] * exact(nu[problem.y[i]][p][m]) for p in range(d)), fmpq(0))
            for m in range(d)
        ]
        mean = sum(image, fmpq(0)) / d if problem.machine.sum_to_zero else fmpq(0)
        rows.append([v - mean for v in image])
    return fmpq_mat(rows)


def slack_groups(problem: Problem, i: int) -> list[list[int]]:
    """The components of example i that count, one list per slack."""
    y, aggregation = int(problem.y[i]), problem.machine.aggregation
    counted = [
        p
        for p in range(problem.d)
        if {"self": p == y, "others": p != y, "all": True}[aggregation.components]
    ]
    return [counted] if aggregation.slack == "shared" else [[p] for p in counted]


def _half_square(values: Sequence[fmpq]) -> fmpq:
    return sum((v * v for v in values), fmpq(0)) / 2


def exact(value: Any) -> fmpq:
    return value if isinstance(value, fmpq) else fmpq(*value.as_integer_ratio())


def _matrix(rows: Any) -> fmpq_mat:
    listed = rows.tolist() if hasattr(rows, "tolist") else [list(row) for row in rows]
    return fmpq_mat(
        len(listed), len(listed[0]) if listed else 0, [exact(v) for row in listed for v in row]
    )


def _near(value: fmpq) -> str:
    return (
        str(value)
        if len(str(value)) < 40
        else f"{float(int(value.p * 10**17 // value.q)) / 1e17:.17g}..."
    )
