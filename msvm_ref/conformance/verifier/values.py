"""P, D, scores and constraints of a vector in rationals: the formulas of FORMAT.md, one function each."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Context, Decimal
from fractions import Fraction
from typing import Any

Vector = dict[str, Any]
Row = list[Fraction]


@dataclass(frozen=True)
class Stated:
    """A vector's problem in rationals; ``groups[y]`` lists, per slack, the margin components that share it."""

    nu: list[list[Row]]
    gamma: list[Row]
    groups: list[list[list[int]]]
    sum_to_zero: bool
    quadratic: bool
    bias: str
    cost: Row
    X: list[Row]
    y: list[int]

    @property
    def d(self) -> int:
        return len(self.gamma)


def stated(vector: Vector) -> Stated:
    machine, n = vector["machine"], len(vector["y"])
    weight = rationals(vector.get("sample_weight") or ["1"] * n)
    return Stated(
        rationals(machine["nu"]),
        rationals(machine["gamma"]),
        machine["groups"],
        machine["sum_to_zero"],
        vector["cost"] == "quadratic",
        vector["bias"],
        [Fraction(vector["C"]) * w for w in weight],
        rationals(vector["X"]),
        vector["y"],
    )


def rationals(nested: Any) -> Any:
    """Strings ("1/3", "0.25") or JSON numbers, nested as they are, as Fractions; a JSON number is its binary64 value."""
    return [rationals(v) for v in nested] if isinstance(nested, list) else Fraction(nested)


def texts(nested: Any) -> Any:
    return [texts(v) for v in nested] if isinstance(nested, (list, tuple)) else str(nested)


def scores(problem: Stated, W: list[Row], b: Row) -> list[Row]:
    """f_c(x_i) = sum_k X[i][k] W[k][c] + b[c]"""
    columns = [[w[c] for w in W] for c in range(problem.d)]
    return [
        [dot(row, column) + shift for column, shift in zip(columns, b, strict=True)]
        for row in problem.X
    ]


def primal_value(problem: Stated, W: list[Row], b: Row) -> Fraction:
    """P = 1/2 ||W||^2 [+ 1/2 ||b||^2] + sum_i C_i sum_r xi_ir^q"""
    total = half_square([v for row in W for v in row]) + (
        half_square(b) if problem.bias == "penalized" else 0
    )
    for y, cost, f in zip(problem.y, problem.cost, scores(problem, W, b), strict=True):
        for group in problem.groups[y]:
            slack = max(
                Fraction(0), *(problem.gamma[y][p] - dot(problem.nu[y][p], f) for p in group)
            )
            total += cost * slack ** (2 if problem.quadratic else 1)
    return total


def expansion(problem: Stated, alpha: list[Row]) -> list[Row]:
    """A[i][m] = sum_p alpha[i][p] nu[y_i][p][m], its mean over m taken out under sum-to-zero"""
    out = []
    for y, row in zip(problem.y, alpha, strict=True):
        image = [dot(row, column) for column in zip(*problem.nu[y], strict=True)]
        mean = sum(image, Fraction(0)) / problem.d if problem.sum_to_zero else 0
        out.append([v - mean for v in image])
    return out


def dual_value(problem: Stated, alpha: list[Row]) -> Fraction:
    """D = sum gamma alpha - 1/2 ||X' A||^2 [- 1/2 ||1' A||^2] [- sum_ir (sum_{p in r} alpha_ip)^2 / (4 C_i)]"""
    A = expansion(problem, alpha)
    columns = [
        *zip(*problem.X, strict=True),
        *([[1] * len(A)] if problem.bias == "penalized" else []),
    ]
    total = -half_square(
        [dot(column, [row[m] for row in A]) for column in columns for m in range(problem.d)]
    )
    for y, cost, row in zip(problem.y, problem.cost, alpha, strict=True):
        total += dot(problem.gamma[y], row)
        if problem.quadratic and cost:
            total -= sum(
                ((sum(row[p] for p in group)) ** 2 for group in problem.groups[y]), Fraction(0)
            ) / (4 * cost)
    return total


def primal_residuals(problem: Stated, W: list[Row], b: Row) -> dict[str, Fraction]:
    """How far (W, b) is from the constraints, by name; all zero where feasible."""
    residuals = {}
    if problem.sum_to_zero:
        residuals["sum-to-zero"] = max(
            (abs(sum(row, Fraction(0))) for row in [*W, b]), default=Fraction(0)
        )
    if problem.bias == "none":
        residuals["bias-none"] = max(abs(v) for v in b)
    return residuals


def dual_residuals(problem: Stated, alpha: list[Row]) -> dict[str, Fraction]:
    """How far alpha is from the constraints, by name; all zero where feasible."""
    sign = bound = support = Fraction(0)
    for y, cost, row in zip(problem.y, problem.cost, alpha, strict=True):
        counted = {p for group in problem.groups[y] for p in group}
        sign = max(sign, *(-v for v in row))
        support = max(
            support, *(abs(v) for p, v in enumerate(row) if p not in counted), Fraction(0)
        )
        if not problem.quadratic or cost == 0:
            bound = max(
                bound, *(sum((row[p] for p in group), -cost) for group in problem.groups[y])
            )
    residuals = {"dual-sign": sign, "dual-bound": bound, "dual-support": support}
    if problem.bias == "free":
        residuals["dual-equality"] = max(
            abs(sum(column, Fraction(0))) for column in zip(*expansion(problem, alpha), strict=True)
        )
    return residuals


def unproved(problem: Stated, point: dict[str, Any]) -> list[str]:
    """Why W, b, alpha are no proof of an optimum; nothing if they are one."""
    W, b, alpha = (rationals(point[name]) for name in ("W", "b", "alpha"))
    residuals = primal_residuals(problem, W, b) | dual_residuals(problem, alpha)
    faults = [f"{name} violated by {told(value)}" for name, value in residuals.items() if value]
    primal, dual = primal_value(problem, W, b), dual_value(problem, alpha)
    apart = f"P(W, b) = {told(primal)} differs from D(alpha) = {told(dual)}"
    return faults + [apart] * (primal != dual)


def violations(problem: Stated, W: list[Row], b: Row) -> list[list[dict[int, Fraction]]]:
    """t_p = gamma - mu_p of every component that counts, by example with C_i > 0 and slack group (else no groups)."""
    return [
        [
            {p: problem.gamma[y][p] - dot(problem.nu[y][p], f) for p in group}
            for group in problem.groups[y]
            if cost
        ]
        for y, cost, f in zip(problem.y, problem.cost, scores(problem, W, b), strict=True)
    ]


def decimal(value: Fraction, digits: int = 25) -> str:
    """``digits`` significant digits, correctly rounded (half to even)."""
    return str(Context(prec=digits).divide(Decimal(value.numerator), Decimal(value.denominator)))


def told(value: Fraction) -> str:
    """A rational for a message: as it is, or eight digits of a long one (Python prints no integer of 4300 digits)."""
    long = max(abs(value.numerator), value.denominator) >= 10**100
    return f"about {decimal(value, 8)}" if long else str(value)


def dot(a: Any, b: Any) -> Fraction:
    return sum((u * v for u, v in zip(a, b, strict=True) if u and v), Fraction(0))


def half_square(values: Row) -> Fraction:
    return dot(values, values) / 2
