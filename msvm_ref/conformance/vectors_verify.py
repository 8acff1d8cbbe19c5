"""Verify golden vectors in exact rationals, with the standard library alone: ``python vectors_verify.py FILE.json ...``

A valid vector is accepted when its W, b are feasible, its alpha is feasible, and P(W, b) == D(alpha) exactly: by weak
duality that proves the optimum, whoever computed it. An invalid vector is accepted when its candidate really is wrong.
The formulas are those of FORMAT.md; nothing is imported from the rest of the package.
"""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from decimal import Context, Decimal
from fractions import Fraction
from pathlib import Path
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
    return Stated(rationals(machine["nu"]), rationals(machine["gamma"]), machine["groups"], machine["sum_to_zero"],
                  vector["cost"] == "quadratic", vector["bias"], [Fraction(vector["C"]) * w for w in weight],
                  rationals(vector["X"]), vector["y"])


def rationals(nested: Any) -> Any:
    """Strings ("1/3", "0.25") or JSON numbers, nested as they are, as Fractions; a JSON number is its binary64 value."""
    return [rationals(v) for v in nested] if isinstance(nested, list) else Fraction(nested)


def scores(problem: Stated, W: list[Row], b: Row) -> list[Row]:
    """f_c(x_i) = sum_k X[i][k] W[k][c] + b[c]"""
    return [[sum((x * w[c] for x, w in zip(row, W, strict=True)), b[c]) for c in range(problem.d)] for row in problem.X]


def primal_value(problem: Stated, W: list[Row], b: Row) -> Fraction:
    """P = 1/2 ||W||^2 [+ 1/2 ||b||^2] + sum_i C_i sum_r xi_ir^q"""
    total = half_square([v for row in W for v in row]) + (half_square(b) if problem.bias == "penalized" else 0)
    for y, cost, f in zip(problem.y, problem.cost, scores(problem, W, b), strict=True):
        for group in problem.groups[y]:
            slack = max(Fraction(0), *(problem.gamma[y][p] - dot(problem.nu[y][p], f) for p in group))
            total += cost * slack ** (2 if problem.quadratic else 1)
    return total


def expansion(problem: Stated, alpha: list[Row]) -> list[Row]:
    """A[i][m] = sum_p alpha[i][p] nu[y_i][p][m], its mean over m taken out under sum-to-zero"""
    out = []
    for y, row in zip(problem.y, alpha, strict=True):
        image = [sum((row[p] * problem.nu[y][p][m] for p in range(problem.d)), Fraction(0)) for m in range(problem.d)]
        mean = sum(image, Fraction(0)) / problem.d if problem.sum_to_zero else 0
        out.append([v - mean for v in image])
    return out


def dual_value(problem: Stated, alpha: list[Row]) -> Fraction:
    """D = sum gamma alpha - 1/2 ||X' A||^2 [- 1/2 ||1' A||^2] [- sum_ir (sum_{p in r} alpha_ip)^2 / (4 C_i)]"""
    A = expansion(problem, alpha)
    columns = [*zip(*problem.X, strict=True), *([[1] * len(A)] if problem.bias == "penalized" else [])]
    total = -half_square([dot(column, [row[m] for row in A]) for column in columns for m in range(problem.d)])
    for y, cost, row in zip(problem.y, problem.cost, alpha, strict=True):
        total += dot(problem.gamma[y], row)
        if problem.quadratic and cost:
            total -= sum(((sum(row[p] for p in group)) ** 2 for group in problem.groups[y]), Fraction(0)) / (4 * cost)
    return total


def primal_residuals(problem: Stated, W: list[Row], b: Row) -> dict[str, Fraction]:
    """How far (W, b) is from the constraints, by name; all zero where feasible."""
    found = {}
    if problem.sum_to_zero:
        found["sum-to-zero"] = max((abs(sum(row, Fraction(0))) for row in [*W, b]), default=Fraction(0))
    if problem.bias == "none":
        found["bias-none"] = max(abs(v) for v in b)
    return found


def dual_residuals(problem: Stated, alpha: list[Row]) -> dict[str, Fraction]:
    """How far alpha is from the constraints, by name; all zero where feasible."""
    sign = bound = support = Fraction(0)
    for y, cost, row in zip(problem.y, problem.cost, alpha, strict=True):
        counted = {p for group in problem.groups[y] for p in group}
        sign = max(sign, *(-v for v in row))
        support = max(support, *(abs(v) for p, v in enumerate(row) if p not in counted), Fraction(0))
        if not problem.quadratic or cost == 0:
            bound = max(bound, *(sum((row[p] for p in group), -cost) for group in problem.groups[y]))
    found = {"dual-sign": sign, "dual-bound": bound, "dual-support": support}
    if problem.bias == "free":
        found["dual-equality"] = max(abs(sum(column, Fraction(0))) for column in zip(*expansion(problem, alpha), strict=True))
    return found


def verify_valid(vector: Vector) -> list[str]:
    """What is wrong with a valid vector; nothing if it is proved."""
    problem = stated(vector)
    W, b, alpha = (rationals(vector[name]) for name in ("W", "b", "alpha"))
    residuals = primal_residuals(problem, W, b) | dual_residuals(problem, alpha)
    faults = [f"{name} violated by {value}" for name, value in residuals.items() if value]
    primal, dual = primal_value(problem, W, b), dual_value(problem, alpha)
    if primal != dual:
        faults.append(f"P(W, b) = {primal} differs from D(alpha) = {dual}")
    if decimal(primal) != vector["optimum"]["value"]:
        faults.append(f"optimum is {decimal(primal)}, not {vector['optimum']['value']}")
    if "rational" in vector["optimum"] and Fraction(vector["optimum"]["rational"]) != primal:
        faults.append(f"optimum is {primal}, not {vector['optimum']['rational']}")
    if scores(problem, W, b) != rationals(vector["scores"]):
        faults.append("scores are not X W + b")
    for c, (low, high) in enumerate(vector["b_interval"]):
        if (low is not None and Fraction(low) > b[c]) or (high is not None and Fraction(high) < b[c]):
            faults.append(f"b[{c}] lies outside its interval")
    return faults


def verify_invalid(vector: Vector, base: Vector) -> list[str]:
    """What is wrong with an invalid vector: nothing if its candidate is indeed not an optimum, for the stated fault."""
    wrong = candidate_faults(base, vector["candidate"])
    if not wrong:
        return ["the candidate is optimal"]
    if vector["fault"] not in wrong:
        return [f"the candidate's faults are {sorted(wrong)}, not {vector['fault']!r}"]
    return []


def candidate_faults(vector: Vector, candidate: dict[str, Any]) -> dict[str, Fraction]:
    """Faults by name with their exact size: residuals, and the values' distance from the optimum."""
    problem = stated(vector)
    optimum = primal_value(problem, rationals(vector["W"]), rationals(vector["b"]))
    found: dict[str, Fraction] = {}
    if "W" in candidate:
        W, b = rationals(candidate["W"]), rationals(candidate.get("b") or ["0"] * problem.d)
        found |= primal_residuals(problem, W, b)
        found["primal-value"] = primal_value(problem, W, b) - optimum
    if "alpha" in candidate:
        alpha = rationals(candidate["alpha"])
        found |= dual_residuals(problem, alpha)
        found["dual-value"] = optimum - dual_value(problem, alpha)
    return {name: size for name, size in found.items() if size}


def verify_document(document: dict[str, Any]) -> list[tuple[str, list[str]]]:
    """(id, faults) of every vector of a file."""
    by_id = {vector["id"]: vector for vector in document["vectors"]}
    out = []
    for vector in document["vectors"]:
        valid = vector["result"] == "valid"
        out.append((vector["id"], verify_valid(vector) if valid else verify_invalid(vector, by_id[vector["problem"]])))
    return out


def decimal(value: Fraction, digits: int = 25) -> str:
    """``digits`` significant digits, correctly rounded (half to even)."""
    return str(Context(prec=digits).divide(Decimal(value.numerator), Decimal(value.denominator)))


def dot(a: Any, b: Any) -> Fraction:
    return sum((u * v for u, v in zip(a, b, strict=True)), Fraction(0))


def half_square(values: Row) -> Fraction:
    return sum((v * v for v in values), Fraction(0)) / 2


def main(paths: list[str]) -> int:
    """0 when every vector of every file verifies, 1 when one does not."""
    count = bad = 0
    for path in paths:
        for name, faults in verify_document(json.loads(Path(path).read_text(encoding="utf-8"))):
            count += 1
            bad += bool(faults)
            for fault in faults:
                print(f"{path}: {name}: {fault}")
    print(f"{count} vectors, {count - bad} verified, {bad} refused")
    return 1 if bad or not count else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
