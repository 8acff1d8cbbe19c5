"""Run somebody's program on the golden vectors: the problem on its stdin, W and b and/or alpha from its stdout.

Judged in exact rationals against the proved optimum, relative to it (to sum C_i where it is zero):

    P(W, b) - optimum <= tol,   optimum - D(alpha) <= tol,   constraints met to tol (relative to the largest |W|, |b|, alpha),
    ||W - W*||^2 <= tol ||W*||^2   (W* is unique; at tiny C the zero answer would pass by its value alone).

JSON numbers in the answer are taken as the binary64 numbers they are. ``program/PROTOCOL.md`` has the fields.
"""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from msvm_ref.conformance.command import answer_of, question
from msvm_ref.conformance.process import CommandError, RunningProgram
from msvm_ref.conformance.verifier.values import (
    Vector,
    dual_residuals,
    dual_value,
    half_square,
    primal_residuals,
    primal_value,
    rationals,
    stated,
)
from msvm_ref.errors import DataError
from msvm_ref.foreign import rational, shown


@dataclass(frozen=True)
class VectorOutcome:
    """One vector's verdict; ``error`` is the largest relative error, ``message`` says what it was."""

    id: str
    passed: bool
    error: float
    message: str
    seconds: float


def asked(vector: Vector) -> dict[str, Any]:
    """A valid vector without its answers, as the program protocol puts it; its data are binary64 numbers."""
    machine = vector["machine"]
    task = question(
        _floats(vector["X"]),
        vector["y"],
        _floats(vector["C"]),
        len(machine["gamma"]),
        machine=machine["name"],
        cost=vector["cost"],
        bias=vector["bias"],
        id=vector["id"],
        spec={
            "nu": _floats(machine["nu"]),
            "gamma": _floats(machine["gamma"]),
            "groups": machine["groups"],
            "sum_to_zero": machine["sum_to_zero"],
        },
    )
    if vector.get("sample_weight") is not None:
        task["sample_weight"] = _floats(vector["sample_weight"])
    return task


def _floats(value: Any) -> Any:
    return [_floats(v) for v in value] if isinstance(value, list) else float(Fraction(value))


def run_command(
    command: list[str], vector: Vector, tolerance: float, timeout: float
) -> VectorOutcome:
    """Start the command once for this vector; whatever it does wrong is a verdict, never an exception."""
    start = time.perf_counter()

    def verdict(error: float, message: str) -> VectorOutcome:
        return VectorOutcome(
            vector["id"], error <= tolerance, error, message, time.perf_counter() - start
        )

    try:
        name = command[0]
        printed = RunningProgram(command, name).whole(json.dumps(asked(vector)).encode(), timeout)
        answer = answer_of(name, printed)
    except CommandError as error:
        return verdict(float("inf"), f"must {error.expected}, got {error.got}")
    if answer.get("error") is not None:
        return verdict(float("inf"), f"refused: {shown(answer['error'], 120)}")
    try:
        errors = answer_errors(vector, answer)
    except (ValueError, OverflowError) as error:
        return verdict(float("inf"), f"unreadable answer: {shown(str(error), 100)}")
    name = max(errors, key=lambda key: errors[key])
    return verdict(
        errors[name], f"{name} off by {errors[name]:.1e}" if errors[name] > tolerance else ""
    )


def answer_errors(vector: Vector, answer: dict[str, Any]) -> dict[str, float]:
    """The relative errors of an answer, by name; ValueError where it has neither W nor alpha or wrong shapes."""
    problem = stated(vector)
    optimum = primal_value(problem, rationals(vector["W"]), rationals(vector["b"]))
    scale = optimum or sum(problem.cost, Fraction(0))
    errors: dict[str, float] = {}
    if answer.get("W") is not None:
        W, best = _shaped("W", answer["W"], len(problem.X[0]), problem.d), rationals(vector["W"])
        b = _shaped(
            "b", [[0] * problem.d if answer.get("b") is None else answer["b"]], 1, problem.d
        )[0]
        size = max((abs(v) for row in [*W, b] for v in row), default=Fraction(0)) or Fraction(1)
        errors |= {name: float(v / size) for name, v in primal_residuals(problem, W, b).items()}
        errors["primal-value"] = float(abs(primal_value(problem, W, b) - optimum) / scale)
        size = half_square([v for row in best for v in row])
        away = half_square(
            [
                u - v
                for row, other in zip(W, best, strict=True)
                for u, v in zip(row, other, strict=True)
            ]
        )
        errors["weights"] = float(away / size) if size else 0.0
    if answer.get("alpha") is not None:
        alpha = _shaped("alpha", answer["alpha"], len(problem.y), problem.d)
        size = max(abs(v) for row in alpha for v in row) or Fraction(1)
        errors |= {name: float(v / size) for name, v in dual_residuals(problem, alpha).items()}
        errors["dual-value"] = float(abs(optimum - dual_value(problem, alpha)) / scale)
    if not errors:
        raise ValueError("neither W nor alpha")
    return errors


def _shaped(name: str, rows: Any, height: int, width: int) -> list[list[Fraction]]:
    """Rows of rationals; the shape is looked at before any entry is."""
    if (
        not isinstance(rows, list)
        or len(rows) != height
        or any(not isinstance(row, list) or len(row) != width for row in rows)
    ):
        raise ValueError(f"{name} must have shape ({height}, {width})")
    return [[_exact(name, v) for v in row] for row in rows]


def _exact(name: str, value: Any) -> Fraction:
    """A JSON number is its binary64 value; a string is a rational."""
    if isinstance(value, float):
        return Fraction(value)
    try:
        return rational(value, name)
    except DataError as error:
        raise ValueError(f"{name} has the entry {shown(value)}") from error
