"""Run somebody's program on the golden vectors: the problem on its stdin, W and b and/or alpha from its stdout.

Judged in exact rationals against the proved optimum, relative to it (to sum C_i where it is zero):

    P(W, b) - optimum <= tol,   optimum - D(alpha) <= tol,   constraints met to tol (relative to the largest |W|, |b|, alpha),
    ||W - W*||^2 <= tol ||W*||^2   (W* is unique; at tiny C the zero answer would pass by its value alone).

JSON numbers in the answer are taken as the binary64 numbers they are. ``program/PROTOCOL.md`` has the fields.
"""

from __future__ import annotations

import json
import subprocess
import time
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from msvm_ref.conformance.command import question
from msvm_ref.conformance.verifier.shape import DECIMAL, RATIONAL
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


@dataclass(frozen=True)
class Outcome:
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


def run_command(command: list[str], vector: Vector, tolerance: float, timeout: float) -> Outcome:
    """Start the command once for this vector; whatever it does wrong is a verdict, never an exception."""
    start = time.perf_counter()

    def verdict(error: float, message: str) -> Outcome:
        return Outcome(
            vector["id"], error <= tolerance, error, message, time.perf_counter() - start
        )

    try:
        done = subprocess.run(
            command,
            input=json.dumps(asked(vector)),
            capture_output=True,
            text=True,
            errors="replace",
            timeout=timeout,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return verdict(float("inf"), f"no answer within {timeout:g} s")
    except OSError as error:
        return verdict(float("inf"), f"could not be started: {error}")
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["nothing on stderr"])[-1]
        return verdict(float("inf"), f"exit status {done.returncode}: {last[:120]}")
    try:
        answer = json.loads(done.stdout)
        if isinstance(answer, dict) and answer.get("error") is not None:
            return verdict(float("inf"), f"refused: {str(answer['error'])[:120]}")
        errors = answer_errors(vector, answer)
    except (
        ValueError,
        TypeError,
        LookupError,
        ArithmeticError,
        AttributeError,
        RecursionError,
    ) as error:
        return verdict(
            float("inf"), f"unreadable answer: {type(error).__name__}: {str(error)[:100]}"
        )
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
        b = _shaped("b", [answer.get("b") or [0] * problem.d], 1, problem.d)[0]
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
    for text in (v for row in rows for v in row if isinstance(v, str)):
        if not (
            RATIONAL.fullmatch(text) or DECIMAL.fullmatch(text)
        ):  # "1e999999999" would never end
            raise ValueError(f"{name} has the entry {text[:40]!r}")
    values: list[list[Fraction]] = rationals(rows)
    if len(values) != height or any(
        not isinstance(row, list) or len(row) != width for row in values
    ):
        raise ValueError(f"{name} must have shape ({height}, {width})")
    return values
